"""Parses and studies in a terminal: `python -m annotation --help`."""

from collections.abc import Sequence

from backend.program import command_line

# Name -> module, and what --help says.
COMMANDS = {
    "add-worker": (
        "annotation.commands.add_worker",
        "add a worker or a lead to a study; prints their access code and link once",
    ),
    "backup": ("annotation.commands.backup", "copy the database with everything in it to a file, while people work on it"),
    "bench": (
        "benchmarks.study.command",
        "measure how fast many workers at once are answered, and make sure that nothing is lost or given twice",
    ),
    "export": ("annotation.commands.export", "write what was collected and reviewed to a file"),
    "import": ("annotation.commands.intake", "bring in the pairs of a gold suite file, items of a study, or a whole study"),
    "init": (
        "annotation.commands.init",
        "check a study folder and take it, with its items, into the database; a new folder begins as a copy of the example",
    ),
    "person": ("annotation.commands.person", "write what is kept about one worker of a study to a file, or erase it"),
    "predict": (
        "annotation.commands.predict",
        "write what a parser makes of questions or utterances into items, so that corrections arise",
    ),
    "restore": ("annotation.commands.restore", "make the database what it was when a backup was written"),
    "review": (
        "annotation.commands.review",
        "list the answers of a study that wait for a lead, and decide on answers, workers and items",
    ),
    "serve": ("annotation.commands.serve", "open a study, and nothing else, to browsers"),
    "stats": ("annotation.commands.stats", "count what waits and what is decided"),
}


def main(argv: Sequence[str], program: str = "python -m annotation") -> int | None:
    return command_line.run_command(
        argv, program, "The review of collected parses, and studies with workers (--study FOLDER).", COMMANDS
    )


if __name__ == "__main__":
    command_line.leave(command_line.run("annotation", main))
