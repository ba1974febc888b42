"""Parley's model chat in a terminal and for programs: `python -m ttm --help`."""

from collections.abc import Sequence

from backend.program import command_line
from backend.program.unused_plots import do_without_plots

# Name -> module, and what --help says.
COMMANDS = {
    "chat": ("ttm.commands.chat", "talk to a model in this terminal"),
    "answer": ("ttm.commands.answer", "answer questions and end"),
    "execute": ("ttm.commands.execute", "carry out parses and end"),
    "evaluate": ("ttm.lab.evaluate", "measure how well questions are understood"),
    "templates": ("ttm.lab.templates.command", "check the templates that training data are made from"),
    "generate": ("ttm.lab.parsing_dataset", "make training data from templates"),
    "finetune": ("ttm.lab.finetune", "train a sequence-to-sequence model to parse questions"),
    "learn": ("ttm.lab.learning.learn", "teach the default parser from the corpus of messages"),
    "calibrate": ("ttm.lab.calibrate", "let the confidence of a parser say how often it is right"),
    "corrections": ("ttm.commands.corrections", "write out the corrections that people made"),
    "make-demo": ("ttm.lab.demos.command", "derive the tables of a demo again, or train its model"),
    "explain-bench": ("benchmarks.explanations.command", "measure how faithful, stable and fast explanations are"),
    "guide-bench": ("benchmarks.guided_decoding", "measure what it costs to hold models to the grammar"),
    "bench": ("benchmarks.chat.talks", "measure how fast many people at once are answered"),
}


def main(argv: Sequence[str], program: str = "python -m ttm") -> int | None:
    return command_line.run_command(argv, program, "Talk to a model from a terminal or a program.", COMMANDS)


if __name__ == "__main__":
    do_without_plots()
    command_line.leave(command_line.run("ttm", main))
