"""What the paper prints in Tables 8, 9, 10, 12 and 13, and which file of predictions belongs to which of their rows."""

from dataclasses import dataclass

Published = tuple[float | None, ...]

_BLEU = ("BLEU-2", "BLEU-4", "BERTScore")
_FORM = ("EM", "F1")
INITIAL = "w/o Correction"


@dataclass(frozen=True)
class PublishedRow:
    """A row, from 0 to 100. A file is of it if it is by `model` and was given `context`; "" is any."""

    name: str
    figures: Published
    model: str = ""
    context: str = ""


@dataclass(frozen=True)
class PublishedTable:
    """`task` is that of the files; `remarks` say what of the paper's figures is not as it seems."""

    number: int
    title: str
    task: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]
    remarks: tuple[str, ...] = ()


def _pair(name: str, model: str, plain: Published, templated: Published) -> tuple[PublishedRow, PublishedRow]:
    return PublishedRow(name, plain, model, "p"), PublishedRow(f"{name} ^t", templated, model, "none")


TABLES: dict[int, PublishedTable] = {
    8: PublishedTable(
        8,
        "Logical form accuracies of semantic parsers",
        "parser",
        _FORM,
        (
            PublishedRow("Seq2Seq(LSTM)", (None, None), "lstm"),
            PublishedRow("Transformers", (52.3, 58.6), "transformer"),
            PublishedRow("BART-base", (None, None), "bart-base"),
            PublishedRow("BART-large", (60.9, 65.8), "bart-large"),
            PublishedRow("QGG", (None, 49.0), "qgg"),
        ),
        (
            "The paper has no row for Seq2Seq(LSTM) and BART-base here; its EM of BART-large is that of Table 16.",
            "The paper's figures are of the ComplexWebQuestions test questions that INSPIRED uses, answered from Freebase.",
        ),
    ),
    9: PublishedTable(
        9,
        "Parse correction without context",
        "correction",
        ("Turn-level EM", "Dialog-level EM"),
        (
            PublishedRow(INITIAL, (None, 52.3), INITIAL),
            PublishedRow("Seq2Seq(LSTM)", (78.9, 65.0), "lstm", "none"),
            PublishedRow("Transformers", (81.2, 68.0), "transformer", "none"),
            PublishedRow("BART-base", (82.3, 70.3), "bart-base", "none"),
            PublishedRow("BART-large", (82.9, 71.3), "bart-large", "none"),
        ),
    ),
    10: PublishedTable(
        10,
        "Parse correction with different contexts",
        "correction",
        ("Dialog-level EM", "Turn-1", "Turn-2", "Turn-3", "Turn-4"),
        (
            PublishedRow(INITIAL, (52.3, None, None, None, None), INITIAL),
            PublishedRow("w/o Context", (71.3, 84.6, 81.5, 85.5, 53.6), "", "none"),
            PublishedRow("+ h_q", (72.2, 84.7, 82.2, 89.3, 100.0), "", "h_q"),
            PublishedRow("+ h_lf", (72.0, 84.3, 82.1, 89.3, 100.0), "", "h_lf"),
            PublishedRow("+ h_q & h_lf", (73.5, 86.4, 83.2, 91.0, 100.0), "", "h_q+h_lf"),
        ),
        ("The paper's rows are of BART-large, over 3,441 first, 3,441 second, 345 third and 56 fourth turns.",),
    ),
    12: PublishedTable(
        12,
        "Sub-question generation by different models",
        "subquestion",
        _BLEU,
        (
            *_pair("Seq2Seq(LSTM)", "lstm", (17.8, 6.4, 90.8), (18.7, 6.7, 91.3)),
            *_pair("Transformers", "transformer", (21.1, 8.4, 91.7), (23.4, 9.1, 92.6)),
            *_pair("BART-base", "bart-base", (30.7, 15.0, 93.8), (32.0, 15.9, 94.1)),
            *_pair("BART-large", "bart-large", (31.5, 15.4, 94.0), (32.4, 16.2, 94.2)),
        ),
        ("^t: the model is given the templated sub-question too, as well as the sub-logical form.",),
    ),
    13: PublishedTable(
        13,
        "Sub-question generation with different contexts",
        "subquestion",
        _BLEU,
        (
            PublishedRow("w/o Context", (32.4, 16.2, 94.2), "", "none"),
            PublishedRow("+ h_qt", (33.3, 16.5, 94.6), "", "h_qt"),
            PublishedRow("+ q_c", (33.4, 16.6, 94.6), "", "q_c"),
            PublishedRow("+ q_c & h_qt", (34.1, 17.1, 94.8), "", "q_c+h_qt"),
        ),
        ("The paper's rows are of BART-large, given the sub-logical form and its templated sub-question.",),
    ),
}


def model_of_the_paper(name: str) -> str:
    """The last part of a hub name or path, in lower case: what the rows of the tables are known by."""
    return name.replace("\\", "/").rstrip("/").rpartition("/")[2].lower()
