"""`python -m faithfulness`: does a language model use what it says it used, over whole data sets?"""

from collections.abc import Sequence

from backend.program import command_line

# Name -> module, and what --help says.
COMMANDS = {
    "estimate": ("faithfulness.commands.estimate", "what a run would take: bounds of calls, tokens, dollars and hours"),
    "run": (
        "faithfulness.commands.run",
        "run the method over a data set, for one or more models; taken up again where it ended",
    ),
    "sweep": (
        "faithfulness.commands.sweep",
        "calls against success over a grid of --parts and --groups; what several settings ask is asked once",
    ),
    "baselines": (
        "faithfulness.commands.baselines",
        "compare with leave-one-out, LIME, SHAP and an ablation regression on the explained samples of a run",
    ),
    "diagnosticity": (
        "faithfulness.commands.diagnosticity",
        "which measures tell true explanations from false ones: AUC on planted models and on runs",
    ),
    "thoughts": (
        "faithfulness.commands.thoughts",
        "whether answers rest on the thoughts before them: truncation, mistakes, hints and insertions, on a run",
    ),
    "insertions": (
        "faithfulness.commands.insertions",
        "whether explanations name inserted words that change the answer, and no others, on a run",
    ),
    "report": (
        "faithfulness.commands.report",
        "the tables of a run: stages, faithfulness with its interval, models side by side",
    ),
    "bench": (
        "benchmarks.faithfulness.prompt_reuse",
        "time and memory of whole samples with shared beginnings of prompts, and of the same calls without",
    ),
    "compare": (
        "faithfulness.commands.compare",
        "the packaged model through llama.cpp fast and deterministic and through transformers: stages and equal answers",
    ),
}


def main(argv: Sequence[str], program: str = "python -m faithfulness") -> int | None:
    return command_line.run_command(argv, program, "Does a language model use what it says it used?", COMMANDS)


if __name__ == "__main__":
    command_line.leave(command_line.run("python -m faithfulness", main))
