"""A finished sample as a row of a table: one small value each, so that a report over any number of rows fits in memory."""

from dataclasses import dataclass, replace

from faithfulness.method.chance import CONTROLS
from faithfulness.method.explain import GROUP, KEPT, REDACTED, REDACTED_ELSEWHERE, REGION, SampleReport
from faithfulness.method.keywords import any_inside, listed_keywords, occurrences
from faithfulness.method.regions import Span
from faithfulness.method.score import KeywordJudge
from faithfulness.runs.records import stage_of
from faithfulness.runs.rows import Row


@dataclass(frozen=True)
class SampleOutcome:
    """`stage` as in `records.stage_of`. Scores are None for a sample without a necessary keyword, which F leaves out.

    `f_own_answer` is f if the only keyword were the model's own answer, `f_words` if each word of its keywords were one,
    `f_frequent_words`, `f_capitals`, `f_question_words` and `f_all_words` if they were those of `chance.CONTROLS`; `lift` is f
    above that of matched random keywords (`f_random`), `f_graded` and `f_graded_random` both by log-probabilities.
    `keywords_necessary`, the precision of the keywords, is the share of
    them that lie inside a necessary group; their recall is `f_nk`, `keywords_f1` the harmonic mean of both. `answer_cut` and
    `group_cut` say that a cut runs through every occurrence of the answer, `whole_only` that the whole passage is the only
    region, `fewer_regions` that there are fewer than the plan asks for. Of several `passages` kept apart, so many give the
    answer alone (`passages_sufficient`), or it is lost without them (`passages_needed`); `keywords_suffice` says that the
    answer survives on the keywords alone, `keywords_needed` that it is lost without them, `others_needed` without as many other
    words; `by_own_answer` says that the model's own answer was the reference. Of the replies that count, so many were read
    though not quite in form (`lenient`), were `cut` by the limit of tokens, are `empty`, came after reasoning; `lengthened`
    counts those asked for once more with more tokens. `calls` counts repeats, `requests` does not; tokens and seconds are of
    the replies that count.
    """

    id: str
    passage_key: str
    retrieval_hard: bool | None
    stage: str
    f: float | None = None
    f_sr: float | None = None
    f_nk: float | None = None
    f_overlap: float | None = None
    f_random: float | None = None
    f_own_answer: float | None = None
    f_words: float | None = None
    f_frequent_words: float | None = None
    f_capitals: float | None = None
    f_question_words: float | None = None
    f_all_words: float | None = None
    lift: float | None = None
    f_graded: float | None = None
    f_graded_random: float | None = None
    f_per_keyword: float | None = None
    keywords_f1: float | None = None
    keywords: int = 0
    keywords_absent: int = 0
    keywords_necessary: float | None = None
    calls: int = 0
    requests: int = 0
    unreadable: int = 0
    lenient: int = 0
    lengthened: int = 0
    cut: int = 0
    empty: int = 0
    reasoned: int = 0
    flipped: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    whole_only: bool = False
    fewer_regions: bool = False
    answer_cut: bool = False
    keywords_suffice: bool | None = None
    keywords_needed: bool | None = None
    others_needed: bool | None = None
    by_own_answer: bool = False
    passages: int = 1
    passages_sufficient: int = 0
    passages_needed: int = 0
    group_cut: bool = False


def outcome_of(row: Row, report: SampleReport) -> SampleOutcome:
    """Summarise the report of one row: its stage, f and calls."""
    replies = [call.exchange.reply for call in report.calls]
    plain = SampleOutcome(
        id=row.id,
        passage_key=row.passage_key,
        retrieval_hard=report.retrieval_hard,
        stage=stage_of(report),
        keywords=len(report.keywords),
        keywords_absent=sum(not occurrences(keyword, report.sample.passage) for keyword in report.keywords),
        calls=sum(max(1, len(call.verdicts)) for call in report.calls),
        requests=len(report.calls),
        unreadable=sum(call.exchange.reading.malformed for call in report.calls),
        lenient=sum(call.exchange.reading.lenient for call in report.calls),
        lengthened=sum(call.exchange.lengthened for call in report.calls),
        cut=sum(reply.cut for reply in replies),
        empty=sum(reply.empty for reply in replies),
        reasoned=sum(reply.reasoned for reply in replies),
        flipped=sum(call.flipped for call in report.calls),
        prompt_tokens=sum(reply.prompt_tokens for reply in replies),
        completion_tokens=sum(reply.completion_tokens for reply in replies),
        seconds=sum(reply.seconds for reply in replies),
        whole_only=report.whole_only,
        fewer_regions=not report.sample.passages and len(report.candidates) < report.plan.parts,
        answer_cut=report.answer_cut,
        keywords_suffice=report.right_at(KEPT),
        keywords_needed=_lost(report, REDACTED),
        others_needed=_lost(report, REDACTED_ELSEWHERE),
        by_own_answer=report.by_own_answer,
        passages=max(1, len(report.sample.passages)),
        passages_sufficient=len(report.sufficient) if report.sample.passages else 0,
        passages_needed=len(report.needed),
        group_cut=_group_cut(report),
    )
    return _scored(plain, report)


def _scored(plain: SampleOutcome, report: SampleReport) -> SampleOutcome:
    score = report.score
    if score is None or report.full is None:
        return plain
    passage = report.sample.passage
    judge = KeywordJudge(passage, report.evidence, report.plan.literal)
    frequent, capitals, question, every = (judge.f(words(report.sample)) for words in CONTROLS.values())
    necessary = [
        any(any_inside([keyword], passage, group, report.plan.literal) for group in report.necessary)
        for keyword in report.keywords
    ]
    precision = sum(necessary) / len(necessary) if necessary else None
    return replace(
        plain,
        f=score.f,
        f_sr=score.f_sr,
        f_nk=score.f_nk,
        f_overlap=score.overlap,
        f_random=score.by_chance,
        f_own_answer=judge.f([report.full.exchange.reading.answer]),
        f_words=judge.f(listed_keywords([word for keyword in report.keywords for word in keyword.split()])),
        f_frequent_words=frequent,
        f_capitals=capitals,
        f_question_words=question,
        f_all_words=every,
        lift=score.f - score.by_chance,
        f_graded=score.graded,
        f_graded_random=score.graded_by_chance,
        f_per_keyword=score.f / len(report.keywords) if report.keywords else 0.0,
        keywords_necessary=precision,
        keywords_f1=2 * precision * score.f_nk / (precision + score.f_nk) if precision and score.f_nk else 0.0,
    )


def _lost(report: SampleReport, stage: str) -> bool | None:
    right = report.right_at(stage)
    return None if right is None else not right


def _group_cut(report: SampleReport) -> bool:
    """Whether, in every region that holds an accepted answer, a cut between groups runs through it."""
    passage = report.sample.passage
    answers = [span for answer in report.reference for span in occurrences(answer, passage)]
    held = [span for span in answers for call in report.of(REGION) if call.region and call.region.holds(span)]
    groups = [call.group for call in report.of(GROUP) if call.group]
    in_groups = [span for span in held if any(_touches(group, span) for group in groups)]
    return bool(in_groups) and not any(group.holds(span) for span in in_groups for group in groups)


def _touches(group: Span, span: Span) -> bool:
    return group.overlaps(span)
