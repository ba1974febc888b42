"""f by log-probabilities: groups count by how much less probable the right answer is without them."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from backend.models.language_models import Guide, Message, Reply
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, SampleReport, explain
from faithfulness.method.prompting import Continuation
from faithfulness.method.reading import ReplyReading, answer_probability
from faithfulness.method.sample import Sample
from faithfulness.reports.outcomes import outcome_of
from faithfulness.reports.summary import summarise
from faithfulness.runs.call_store import CallStore, Counter, RememberingModel
from faithfulness.runs.records import read_report, write_report
from faithfulness.runs.rows import Row

PASSAGE = "alpha beta gamma delta epsilon zeta Quill eta theta iota"  # two words a group of five
SAMPLE = Sample("where", PASSAGE, ("Quill",))
SURE, UNSURE = 0.9, 0.5


class Unsure:
    """Answers where "Quill" is shown; without "alpha" it is less sure. `known` says whether it gives probabilities."""

    name = "unsure"

    def __init__(self, keywords: str, known: bool = True) -> None:
        self._keywords, self._known = keywords, known

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None) -> Reply:
        last = prompt.rsplit("\n\n", 1)[1]
        shown = last.split("\nQuestion")[0]
        probability = SURE if "alpha" in shown else UNSURE
        first, rest = (" Qu", "ill") if "Quill" in shown else (" no", "where")
        said = () if "\n" in stop else (("\n", -0.1), (f"Keywords: {self._keywords}", -2.0))
        tokens = ((first, math.log(probability)), (rest, 0.0), *said)
        text = "".join(token for token, _ in tokens)
        return Reply(text, log_probability=sum(n for _, n in tokens), tokens=tokens) if self._known else Reply(text)

    def chat(
        self, messages: Sequence[Message], *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None
    ) -> Reply:
        raise NotImplementedError


def explained(keywords: str, known: bool = True) -> SampleReport:
    plan = Plan(parts=1, groups=5, closed_book=False)
    *_, report = explain(SAMPLE, Unsure(keywords, known), Continuation(), Metric(), plan)
    return report


@pytest.mark.parametrize(
    ("keywords", "f", "graded"),
    [
        ("Quill", 1.0, (1 + 0.9 / 1.3) / 2),  # without its group all of .9 is lost, without that of alpha .4
        ("alpha", 0.5, (1 + 0.4 / 1.3) / 2),
        ("alpha, Quill", 1.0, 1.0),
        ("gamma", 0.5, 0.5),
        ("elsewhere", 0.0, 0.0),
    ],
)
def test_groups_count_by_how_much_less_probable_the_answer_is_without_them(keywords: str, f: float, graded: float) -> None:
    report = explained(keywords)
    assert report.score is not None
    assert report.score.f == f
    assert report.score.graded == pytest.approx(graded)
    _, again = read_report(write_report(Row(1, "a", SAMPLE), report), report.plan)
    assert again.score is not None
    assert again.score.graded == pytest.approx(graded, abs=1e-5)
    summary = summarise([outcome_of(Row(1, "a", SAMPLE), again)])
    assert (summary.graded_n, summary.F_graded) == (1, pytest.approx(graded, abs=1e-5))


def test_without_probabilities_there_is_no_graded_f() -> None:
    report = explained("Quill", known=False)
    assert report.score is not None
    assert (report.score.f, report.score.graded, report.score.graded_by_chance) == (1.0, None, None)


@pytest.mark.parametrize(
    ("tokens", "answer", "expected"),
    [
        ([("Lake", -1.0), (" Quill", -0.5), ("\n", -9.0)], "Lake Quill", -1.5),
        ([("Lake\n", -1.0), ("Keywords: Lake", -7.0)], "Lake", -1.0),  # the answer comes first
        ([("Thought: Lake.", -7.0), ("\nShort answer: ", -1.0), ("Lake", -0.25)], "Lake", -0.25),  # it comes last
        ([("something else", -1.0)], "Lake", None),
    ],
)
def test_the_probability_of_an_answer_is_that_of_its_tokens(
    tokens: list[tuple[str, float]], answer: str, expected: float | None
) -> None:
    reply = Reply("", log_probability=-3.0, tokens=tuple(tokens))
    probability = answer_probability(reply, ReplyReading(answer))
    assert probability == (None if expected is None else pytest.approx(math.exp(expected)))


def test_a_reply_that_is_the_answer_alone_needs_no_tokens() -> None:
    assert answer_probability(Reply(" Lake", log_probability=-0.5), ReplyReading("Lake")) == pytest.approx(math.exp(-0.5))
    assert answer_probability(Reply("Lake, so", log_probability=-0.5), ReplyReading("Lake")) is None
    assert answer_probability(Reply("Lake"), ReplyReading("Lake")) is None
    assert answer_probability(Reply("", log_probability=-0.5), ReplyReading("", malformed=True)) is None


def test_probabilities_are_kept_with_the_replies(tmp_path: Path) -> None:
    store = CallStore(tmp_path / "calls.sqlite")
    model = RememberingModel(Unsure("Quill"), store, ("unsure",), Counter())
    first, again = (model.complete("\n\nalpha Quill", max_tokens=5) for _ in range(2))
    assert [text for text, _ in first.tokens] == [text for text, _ in again.tokens]
    assert [number for _, number in again.tokens] == pytest.approx([number for _, number in first.tokens], abs=1e-5)
    assert again.log_probability == first.log_probability
    assert model.made.calls == 1
    store.close()
