"""`python -m benchmarks NAME`: what is timed and measured, for all parts; `python -m benchmarks --help` lists the names."""

from collections.abc import Sequence

from backend.program import command_line

# Name -> module, and what --help says.
COMMANDS = {
    "chat": ("benchmarks.chat.talks", "measure how fast many people at once are answered"),
    "explanations": ("benchmarks.explanations.command", "measure how faithful, stable and fast explanations are"),
    "beside-libraries": ("benchmarks.explanations.beside_libraries", "measure explanations and rates beside other libraries"),
    "known-truth": (
        "benchmarks.explanations.known_truth",
        "measure explanations where the truth is known",
    ),
    "guided-decoding": ("benchmarks.guided_decoding", "measure what it costs to hold models to the grammar"),
    "python-calls": ("benchmarks.chat.python_calls", "time calls from Python and the same questions to a running app"),
    "first-page": ("benchmarks.chat.first_page", "measure requests, megabytes and seconds of a first visit with a browser"),
    "rewordings": ("benchmarks.rewordings", "measure how often careful and careless rewordings are warned of"),
    "strangers": ("benchmarks.chat.strangers", "measure how long strangers wait while attackers are among them"),
    "study": ("benchmarks.study.command", "measure how fast many workers at once are answered, and that nothing is lost"),
    "lead-pages": ("benchmarks.study.lead_pages", "measure time and memory of a lead's pages of 10,374 dialogues"),
    "run-client": ("benchmarks.faithfulness.run_client", "measure what a run costs beside a server of a known speed"),
    "prompt-reuse": ("benchmarks.faithfulness.prompt_reuse", "measure what sharing the beginnings of prompts saves"),
}


def main(argv: Sequence[str], program: str = "python -m benchmarks") -> int | None:
    return command_line.run_command(argv, program, "Measurements of speed, load and cost.", COMMANDS)


if __name__ == "__main__":
    command_line.leave(command_line.run("benchmarks", main))
