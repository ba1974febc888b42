"""`faithfulness.explain`: which words of a passage a model needed for its answer, and whether it names them."""

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from backend.errors import FaithfulnessError
from backend.models.language_models import PACKAGED_MODEL
from backend.text.progress_bars import progress_bar
from backend.text.templates import Macros
from faithfulness.interface.models import Model, chosen_model, plan_of
from faithfulness.method.correctness import hybrid_metric
from faithfulness.method.explain import SampleReport
from faithfulness.method.explain import explain as explained
from faithfulness.method.sample import Sample
from faithfulness.reports.sample_json import sample_json

if TYPE_CHECKING:
    import pandas as pd

HTML = Macros(__file__)
SUFFICIENT, NECESSARY = "background:#d5efdb;color:#12351d", "background:#a3c9f5;color:#06203c;border-bottom:2px solid #0b4a8f"


@dataclass(frozen=True)
class EvidenceRegion:
    """A region of the passage: its characters (end excluded), and whether it alone gives a right answer.

    `necessary` are the groups of words in it whose masking makes the answer wrong.
    """

    start: int
    end: int
    text: str
    sufficient: bool
    necessary: tuple[str, ...]


@dataclass(frozen=True)
class EvidenceAnswer:
    """Hold what was found out about one answer of a model.

    Attributes:
        answer: What the model says with the whole passage.
        correct: Whether that counts as right.
        keywords: Those that the model names.
        regions: Those of the passage, with `start` and `end` in characters (end excluded), `text`, `sufficient` and
            `necessary`.
        f: How far the keywords are the words that it needs (0 to 1); None where no word was found that it needs.
        by_chance: f of as many random words (0 to 1); None where there is no f.
        controls: f (0 to 1) of lists of words that know nothing of the answer, by their codes.
        result: All of it as JSON.
        report: The same as the app has it.

    Source:
        Fragkathoulas and Chlapanis, sections 3.3 to 3.6.
    """

    answer: str
    correct: bool
    keywords: tuple[str, ...]
    regions: tuple[EvidenceRegion, ...]
    f: float | None
    by_chance: float | None
    controls: dict[str, float]
    result: dict[str, Any] = field(repr=False)
    report: SampleReport = field(repr=False)

    @property
    def text(self) -> str:
        """The findings in sentences."""
        judged = "right" if self.correct else "wrong"
        parts = [f"The model answers “{self.answer}”, which counts as {judged}."]
        if self.correct:
            alone = sum(region.sufficient for region in self.regions)
            parts.append(f"{alone} of {len(self.regions)} regions alone are enough for it.")
        parts.append(f"It names as keywords: {', '.join(self.keywords) or 'none'}.")
        if self.f is not None:
            parts.append(f"f = {self.f:.2f}; random words would give {self.by_chance:.2f}.")
        elif self.correct:
            parts.append("No group of words was found that it needs, so there is no f.")
        return " ".join(parts)

    @property
    def table(self) -> "pd.DataFrame":
        """A row for each of the c calls to the model (c, 7), with its seconds.

        The columns are stage, region, masked, answer, correct, probability (0 to 1, or none) and seconds.
        """
        import pandas as pd

        return pd.DataFrame(self.result["calls"])

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return HTML("answer", self.text, marked_pieces(self.report), SUFFICIENT, NECESSARY)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self._repr_html_()}

    def __reduce__(self) -> Any:
        raise TypeError("An answer is not pickled. Keep its result, which is JSON.")


def explain(
    question: str, context: str, *, model: Model = PACKAGED_MODEL, answers: Sequence[str] | str | None = None,
    base_url: str | None = None, key: str | None = None, protocol: str | None = None, parts: int = 3, groups: int = 5,
    splitter: str = "sentences", seed: int = 0, paper: bool = False, progress: bool = False,
) -> EvidenceAnswer:  # fmt: skip
    """Find out which words of a passage a language model needs for its answer, and whether it names them itself.

    Args:
        question: What the model is asked.
        context: The passage that it answers from.
        model: A name: the packaged model, "transformers:NAME_OR_FOLDER", one of a server; or a function from prompt to reply.
        answers: What counts as right. If None, what the model itself answers with the whole passage: then it is measured
            what that answer rests on, and not whether it is right.
        base_url: The server of the model, with the OpenAI interface.
        key: The environment variable that holds the key.
        protocol: "chat" or "continuation"; if None, what suits the model.
        parts: Into how many regions the passage is cut (p).
        groups: Into how many groups of words a region is cut (q).
        splitter: "sentences" or "words": where regions end.
        seed: Start of every random draw.
        paper: All by the letter of the paper: prompt, cuts at words, metric, keywords as strings.
        progress: Show a bar, a step for each call.

    Returns:
        The regions, keywords, f and controls.

    Raises:
        FaithfulnessError: Question, passage or model cannot be used.
        LanguageModelError: A reply cannot be had.

    Source:
        Fragkathoulas and Chlapanis, sections 3.3 to 3.6; 3.5 is the search for regions and keywords, 3.6 the score f.
    """
    chosen = chosen_model(model, base_url, key, protocol or ("paper" if paper else None))
    opened, asked = chosen.open(), chosen.open_protocol()
    if answers is None:
        own = asked.explain(opened, question.strip(), context.strip()).reading.answer
        if not own.strip():
            raise FaithfulnessError("The model gave no answer with the passage; name what counts as right: answers=['...'].")
        answers = [own]
    accepted = (answers,) if isinstance(answers, str) else tuple(answers)
    plan = plan_of(parts, groups, splitter, seed, paper)
    reports = explained(Sample(question.strip(), context.strip(), accepted), opened, asked, hybrid_metric(paper), plan)
    *_, report = progress_bar(reports, total=plan.most_calls(), unit=" calls", disable=not progress, leave=False)
    return evidence_answer(report)


async def explain_async(question: str, context: str, **options: Any) -> EvidenceAnswer:
    """Do what `explain` does, without holding up other tasks of an event loop.

    Args:
        question: What the model is asked.
        context: The passage that it answers from.
        options: All other arguments of `explain`.

    Returns:
        The regions, keywords, f (0 to 1) and controls.

    Raises:
        FaithfulnessError: Question, passage or model cannot be used.
        LanguageModelError: A reply cannot be had.

    Source:
        Fragkathoulas and Chlapanis, sections 3.3 to 3.6.
    """
    return await asyncio.to_thread(explain, question, context, **options)


def evidence_answer(report: SampleReport) -> EvidenceAnswer:
    """A finished report as Python has it."""
    result, passage = sample_json(report), report.sample.passage
    within = {one.region: one.necessary for one in report.evidence}
    regions = tuple(
        EvidenceRegion(span.start, span.end, span.of(passage), span in report.sufficient,
                       tuple(group.of(passage) for group in within.get(span, ())))
        for span in report.candidates
    )  # fmt: skip
    score = result["score"] or {}
    return EvidenceAnswer(result["answer"], result["correct"], report.keywords, regions, score.get("f"),
                          score.get("by_chance"), result["controls"], result, report)  # fmt: skip


def marked_pieces(report: SampleReport) -> list[tuple[str, str, bool]]:
    """The passage in pieces: text, style (as sufficient, as necessary or none), and whether it is a keyword of the model."""
    passage, spans = report.sample.passage, sample_json(report)["spans"]
    marks = [one for one in spans if one["kind"] != "region" or one["sufficient"]]
    cuts = sorted({0, len(passage)} | {one[end] for one in marks for end in ("start", "end")})
    pieces = []
    for start, end in itertools.pairwise(cuts):
        kinds = {one["kind"] for one in marks if one["start"] <= start and end <= one["end"]}
        style = NECESSARY if "necessary" in kinds else SUFFICIENT if "region" in kinds else ""
        pieces.append((passage[start:end], style, "keyword" in kinds))
    return pieces
