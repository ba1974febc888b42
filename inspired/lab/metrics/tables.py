"""A report as tables in plain text, each under the number it has in the paper."""

from collections.abc import Sequence

from backend.text.words import percent
from inspired.decomposition.correction_operations import Kind
from inspired.lab.metrics.context import Overlap
from inspired.lab.metrics.generation import GenerationScores
from inspired.lab.metrics.report import MetricsReport

_KINDS: dict[str, Kind] = {"Delete": "delete", "Insert": "insert", "Replace": "replace", "No action": "keep"}
_GRAMS = ("Unigrams", "Bigrams", "Trigrams")


def report_tables(report: MetricsReport) -> str:
    """Every table that the report has figures for."""
    parts = [_splits(report), _operations(report), _texts(report), *_ngrams(report), _context(report)]
    if report.generation is not None:
        parts.append(_generation(report.generation))
    return "\n\n".join(parts)


def _splits(report: MetricsReport) -> str:
    splits = list(report.splits.values())
    types = list(dict.fromkeys(type_ for each in splits for type_ in each.types))
    turns = max(max(each.turns, default=0) for each in splits)
    rows = [["Dialogues", *[_count(each.dialogues) for each in splits]]]
    rows += [[f"- {type_}", *[_count(each.types.get(type_, 0)) for each in splits]] for type_ in types]
    rows.append(["Sub-questions, gold", *[_count(each.gold_sub_questions) for each in splits]])
    rows.append(["Sub-questions, predicted", *[_count(each.predicted_sub_questions) for each in splits]])
    rows += [[f"Dialogues with turn {n}", *[_count(each.turns.get(n, 0)) for each in splits]] for n in range(1, turns + 1)]
    return _table("Dialogues (Table 3)", ["", *report.splits], rows)


def _operations(report: MetricsReport) -> str:
    counts = report.operations
    if not counts.by_type:
        return "Corrections (Table 2)\n  No dialogue has both predicted and gold sub-logical forms."
    rows = []
    for name, kind in _KINDS.items():
        by_type = [_count(each[kind]) for each in counts.by_type.values()]
        rows.append([name, *by_type, _count(counts.totals[kind]), percent(counts.shares[kind], 1)])
    heads = ["", *counts.by_type, "total", "share"]
    sizes = ", ".join(f"{number}: {_count(count)}" for number, count in counts.in_a_dialogue.items())
    lines = [f"  Operations a dialogue, without No action: {counts.mean_in_a_dialogue:.2f} (dialogues with {sizes})"]
    if counts.left_out:
        lines.append(f"  Left out, without sub-logical forms to compare: {_count(counts.left_out)}")
    return "\n".join([_table("Corrections (Table 2)", heads, rows), *lines])


def _texts(report: MetricsReport) -> str:
    texts = report.texts.values()
    if not texts:
        return "Sub-questions (Tables 3 and 7)\n  No dialogue has sub-questions."
    rows = [
        ["Texts", *[_count(each.texts) for each in texts]],
        ["Words a text", *[f"{each.mean_words:.1f}" for each in texts]],
        ["Vocabulary (words)", *[_count(each.vocabulary) for each in texts]],
        ["Words found in the template", *[percent(each.lexical_match, 1) for each in texts]],
    ]
    return _table("Sub-questions (Tables 3 and 7)", ["", *report.texts], rows)


def _ngrams(report: MetricsReport) -> list[str]:
    texts = list(report.texts.values())
    result = []
    for index, name in enumerate(_GRAMS if texts else ()):
        each = [text.ngrams[index] for text in texts]
        rows = [
            ["Vocabulary size", *[_count(one.vocabulary) for one in each]],
            ["Distinct", *[f"{one.distinct:.3f}" for one in each]],
            ["Unique", *[_count(one.unique) for one in each]],
            ["Entropy (bits)", *[f"{one.entropy:.3f}" for one in each]],
        ]
        if index:
            rows.append(["Conditional entropy (bits)", *[f"{one.conditional_entropy:.3f}" for one in each]])
        result.append(_table(f"{name} (Tables 6 and 21)", ["", *report.texts], rows))
    return result


def _context(report: MetricsReport) -> str:
    context = report.context
    title = "Overlap of sub-questions with their context, names masked (Table 5)"
    if context.random is None or context.actual is None:
        return f"{title}\n  No two dialogues share a sub-logical form, so there is nothing to compare."
    rows = [_overlap_row("Random context", context.random), _overlap_row("Actual context", context.actual)]
    line = f"  {_count(context.compared)} sub-questions, seed {report.seed}"
    if context.left_out:
        line += f"; {_count(context.left_out)} left out, whose sub-logical form no other dialogue has"
    return "\n".join([_table(title, ["", "ROUGE-1", "ROUGE-2"], rows), line])


def _overlap_row(name: str, overlap: Overlap) -> list[str]:
    return [name, f"{100 * overlap.rouge_1:.1f}", f"{100 * overlap.rouge_2:.1f}"]


def _generation(scores: GenerationScores) -> str:
    bert = "-" if scores.bert_score is None else f"{scores.bert_score:.1f}"
    rows = [
        ["BLEU-2", f"{scores.bleu_2:.1f}"],
        ["BLEU-4", f"{scores.bleu_4:.1f}"],
        ["BERTScore", bert],
        ["Same as the human one", percent(scores.same, 1)],
        ["Shorter, if not the same", percent(scores.shorter, 1)],
    ]
    lines = [f"  {_count(scores.pairs)} pairs; BLEU by sacrebleu, {scores.bleu}"]
    if scores.no_bert_score:
        lines.append(f"  No BERTScore: {scores.no_bert_score}.")
    return "\n".join([_table("Generated against human sub-questions (Table 12)", ["", "generated"], rows), *lines])


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[index]) for row in (heads, *rows)) for index in range(len(heads))]

    def line(cells: Sequence[str]) -> str:
        first, *rest = zip(cells, widths, strict=True)
        return "  " + "  ".join([first[0].ljust(first[1]), *[cell.rjust(width) for cell, width in rest]]).rstrip()

    return "\n".join([title, line(heads), *map(line, rows)])


def _count(number: int) -> str:
    return f"{number:,}"
