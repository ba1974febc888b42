"""`python -m inspired`: questions over a knowledge base on the command line."""

from collections.abc import Sequence

from backend.program import command_line

# Name -> module, and what --help says.
COMMANDS = {
    "answer": ("inspired.commands.answer", "answer a query step by step"),
    "ask": ("inspired.commands.ask", "answer a question in plain words, step by step"),
    "build-kb": ("inspired.commands.build_kb", "build the knowledge base that ships with Parley again"),
    "clean": ("inspired.commands.clean", "list the sub-questions that most probably do not say what their step asks"),
    "decompose": ("inspired.commands.decompose", "split queries into steps and say them in plain questions"),
    "evaluate": ("inspired.commands.evaluate", "count how many questions with known answers are answered rightly, by kind"),
    "fit-parser": ("inspired.commands.fit_parser", "fit the default question parser to questions made from a knowledge base"),
    "generate": ("inspired.commands.generate", "make questions with known logical forms and answers from a knowledge base"),
    "load-kb": ("inspired.commands.load_kb", "make a folder that can be asked out of a large RDF file"),
    "metrics": ("inspired.commands.metrics", "statistics of dialogues, and scores of generated sub-questions"),
    "predict": ("inspired.commands.models.predict", "write what a trained model makes of the records of a file"),
    "simulate": (
        "inspired.commands.simulate",
        "let a simulated user correct a parser step by step, and measure what that gains",
    ),
    "table": ("inspired.commands.models.table", "score files of predictions as a table of the paper, its numbers beside"),
    "train": ("inspired.commands.models.train", "train a model to parse questions, to correct steps or to word sub-questions"),
}


def main(argv: Sequence[str], program: str = "python -m inspired") -> int | None:
    return command_line.run_command(argv, program, "Complex questions over a knowledge base, step by step.", COMMANDS)


if __name__ == "__main__":
    command_line.leave(command_line.run("python -m inspired", main))
