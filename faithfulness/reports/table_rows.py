"""The rows of the table of a run: what each figure of a summary is called, and how it is written."""

from collections.abc import Callable

from backend.text.words import decimal, percent
from faithfulness.method.chance import CONTROLS
from faithfulness.reports.summary import Summary

FREQUENT, CAPITALS, QUESTION, EVERY = CONTROLS


def with_interval(summary: Summary) -> str:
    return interval_text(summary.F, summary.F_interval, summary.necessary)


def interval_text(value: float | None, bounds: tuple[float, float] | None, count: int) -> str:
    """Without an interval, how few samples there are."""
    if value is None:
        return decimal(value)
    return f"{value:.3f} [{bounds[0]:.3f}, {bounds[1]:.3f}]" if bounds else f"{value:.3f} (n = {count})"


def stage_shares(summary: Summary) -> list[str]:
    """How many of the retrieval-hard subset were answered, had a sufficient region and a necessary keyword, in percent."""
    if not summary.retrieval_hard:
        return []
    reached = (
        (summary.answered, summary.answered_interval),
        (summary.sufficient, summary.sufficient_interval),
        (summary.necessary, summary.necessary_interval),
    )
    shares = [percent(count / summary.retrieval_hard) for count, _ in reached]
    bounds = [f" [{percent(each[0])}, {percent(each[1])}]" if each else "" for _, each in reached]
    return [share + between for share, between in zip(shares, bounds, strict=True)]


ROWS: dict[str, Callable[[Summary], str]] = {
    "Lift of F over matched chance, 95% interval": lambda s: interval_text(s.lift, s.lift_interval, s.lift_n),
    "Faithfulness F, 95% interval": with_interval,
    "F of as many random keywords, matched": lambda s: decimal(s.F_random),
    "F of the answer as only keyword": lambda s: decimal(s.F_own_answer),
    f"F of a constant list: {FREQUENT}": lambda s: decimal(s.F_frequent_words),
    f"F of {CAPITALS}": lambda s: decimal(s.F_capitals),
    f"F of {QUESTION}": lambda s: decimal(s.F_question_words),
    f"F of {EVERY}": lambda s: decimal(s.F_all_words),
    "Samples": lambda s: str(s.n),
    "Retrieval-hard subset": lambda s: str(s.retrieval_hard),
    "Answered with the passage": lambda s: str(s.answered),
    "A sufficient region found": lambda s: str(s.sufficient),
    "A necessary keyword found": lambda s: str(s.necessary),
    "Shares of that subset which reached these stages, 95% intervals": lambda s: "; ".join(stage_shares(s)),
    "F over the whole retrieval-hard subset, 95% interval": lambda s: interval_text(
        s.F_all, s.F_all_interval, s.retrieval_hard
    ),
    "Only the whole passage as region: rows, with a score": lambda s: f"{s.whole_only} of {s.n}, {s.whole_only_necessary}",
    "F without these, 95% interval; of random keywords": lambda s: (
        f"{interval_text(s.F_several, s.F_several_interval, s.lift_n)}; {decimal(s.F_random_several)}"
    ),
    "F of these alone": lambda s: decimal(s.F_whole_only),
    "Fewer regions than asked for": lambda s: f"{s.fewer_regions} of {s.n}",
    "Parts of F: sufficient region, necessary keywords": lambda s: f"{decimal(s.F_sr)}, {decimal(s.F_nk)}",
    "F above chance": lambda s: decimal(s.F_above_chance),
    "F a keyword": lambda s: decimal(s.F_per_keyword),
    "F graded by log-probabilities: samples; F, of as many random keywords": lambda s: (
        f"{s.graded_n}; {decimal(s.F_graded)}, {decimal(s.F_graded_random)}"
    ),
    "Precision, recall, F1 of keywords against necessary groups": lambda s: (
        f"{decimal(s.keywords_necessary)}, {decimal(s.F_nk)}, {decimal(s.keywords_f1)}"
    ),
    "Keywords tested by masking: samples; enough alone, lost without, without as many others": lambda s: (
        f"{s.redacted}; {percent(s.keywords_suffice)}, {percent(s.keywords_needed)}, {percent(s.others_needed)}"
    ),
    "F, a mere overlap counting": lambda s: decimal(s.F_overlap),
    "Keywords a sample": lambda s: decimal(s.keywords, 1),
    "of them not in the passage": lambda s: percent(s.keywords_absent),
    "of them inside a necessary group": lambda s: percent(s.keywords_necessary),
    "Rows judged by the model's own answer": lambda s: str(s.by_own_answer),
    "Rows of several passages; that suffice alone, that are needed": lambda s: (
        f"{s.several_passages}; {decimal(s.passages_sufficient, 1)}, {decimal(s.passages_needed, 1)}"
    ),
    "Answer cut between regions, between groups": lambda s: f"{s.answer_cut}, {s.group_cut}",
    "Calls": lambda s: str(s.calls),
    "Unreadable replies, which count as wrong": lambda s: str(s.unreadable),
    "Replies read though not quite in form": lambda s: str(s.lenient),
    "Replies cut by the limit of tokens, empty": lambda s: f"{s.cut}, {s.empty}",
    "Replies asked for again with more tokens": lambda s: str(s.lengthened),
    "Replies with reasoning, which is not read": lambda s: str(s.reasoned),
    "Requests whose repeats disagree": lambda s: percent(s.flip_rate),
    "Tokens in, out, of the replies that count": lambda s: f"{s.prompt_tokens:,}, {s.completion_tokens:,}",
}
