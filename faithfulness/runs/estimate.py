"""What a run will take, before it starts: bounds of its calls, tokens, dollars and hours, from the prompts themselves."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from backend.models.language_models import Guide, LanguageModel, Message, Reply
from faithfulness.method.explain import PASSAGE, Plan, at_most, begin, due
from faithfulness.method.prompting import Protocol, read_shots
from faithfulness.runs.profiles import Profile
from faithfulness.runs.rows import Row, chosen_rows, read_rows
from faithfulness.runs.run import RunSpecification
from faithfulness.runs.spending import Expectation, Expected, RowSpent, expected_before, expected_of

# Measured on 503 prompts for 100 questions of Natural Questions, by the token counts of SmolLM2; tokenizers with a larger
# vocabulary, such as GPT-4o's, need fewer tokens.
CHARACTERS_PER_TOKEN = 3.95
# Prompts are counted on as many rows, drawn at random, and the rest is taken to be like them.
COUNTED_ROWS = 100


@dataclass(frozen=True)
class Bounds:
    """The least that can be asked (every answer is wrong) and the most (every region is sufficient)."""

    least: float
    most: float

    def times(self, factor: float) -> "Bounds":
        return Bounds(self.least * factor, self.most * factor)


@dataclass(frozen=True)
class Estimate:
    """For all `samples` of one model. Tokens out: at least as in the worked examples, at most each reply at its limit.

    `characters_per_token` and `seconds_a_call` are what was reckoned with: measured, given, or as the model's profile says. A
    reply that has to be asked for once more because of its form is not counted.
    """

    model: str
    samples: int
    calls: Bounds
    prompt_tokens: Bounds
    completion_tokens: Bounds
    dollars: Bounds
    hours: Bounds
    characters_per_token: float
    seconds_a_call: float
    measured: bool = False
    expected: Expectation | None = None

    def line(self) -> str:
        """The estimate in one line."""
        lines = [
            f"{self.samples:,} samples",
            f"{self.calls.least:,.0f} to {self.calls.most:,.0f} calls",
            f"about {_range(self.prompt_tokens)} tokens in and {_range(self.completion_tokens)} out",
        ]
        if self.dollars.most:
            lines.append(f"${self.dollars.least:,.2f} to ${self.dollars.most:,.2f}")
        lines.append(f"{_time(self.hours)} at {self.seconds_a_call:.2g} s a call")
        return f"{self.model}: {', '.join(lines)}"

    def expected_line(self) -> str:
        """The expected values in one line, with their errors."""
        expected = self.expected
        if expected is None:
            return ""
        shown = [
            f"{_expected(expected.calls)} calls",
            f"{_expected(expected.prompt_tokens)} tokens in",
            f"{_expected(expected.completion_tokens)} out",
        ]
        if expected.dollars.high:
            dollars = expected.dollars
            shown.append(f"${dollars.value:,.2f} (${dollars.low:,.2f} to ${dollars.high:,.2f})")
        return f"Expected {expected.basis}: {', '.join(shown)}"


def estimates(
    study: RunSpecification,
    with_probe: bool = False,
    seconds: float | None = None,
    finished: Callable[[str], set[int]] = lambda model: set(),
    spent: Callable[[str], Sequence[RowSpent]] = lambda model: (),
) -> list[Estimate]:
    """One for each model of a study, without the rows that it has finished; what those took (`spent`) says what to expect.

    Raises FaithfulnessError for data that cannot be used.
    """
    numbers, _ = chosen_rows(study.data, study.limit, study.plan.seed, study.skip_bad, study.columns)
    counted = set(random.Random(study.plan.seed).sample(numbers, min(COUNTED_ROWS, len(numbers))))
    rows = [row for row in read_rows(study.data, study.columns) if isinstance(row, Row) and row.number in counted]
    result = []
    for profile in study.profiles:
        measured: Measured | None = None
        if with_probe:
            model = profile.open()
            profile.open_protocol().answer(model, "who", "x")  # what loads at the first call is no part of a call
            measured = probe(rows[0], profile, study.plan, model)
        left = len(set(numbers) - finished(profile.name))
        estimated = estimate(rows, left, profile, study.plan, measured, seconds)
        by_rows = expected_of(spent(profile.name), left, profile.cost)
        result.append(replace(estimated, expected=by_rows) if by_rows else estimated)
    return result


def estimate(
    rows: Sequence[Row], samples: int, profile: Profile, plan: Plan, measured: "Measured | None" = None,
    seconds_a_call: float | None = None,
) -> Estimate:  # fmt: skip
    """Reckon from `rows`, which stand for all `samples`; `measured` is what `probe` found."""
    protocol = profile.open_protocol()
    counted = [_of_row(row, protocol, plan) for row in rows]
    ratio = measured.characters_per_token if measured else CHARACTERS_PER_TOKEN
    seconds = seconds_a_call or (measured.seconds_a_call if measured else profile.seconds)
    share = samples / len(counted) if counted else 0.0
    calls, characters, replies, limits = (Bounds(*_sums(each, counted)).times(share) for each in _COUNTED)
    prompt, completion = characters.times(1 / ratio), Bounds(replies.least / ratio, limits.most)
    dollars = Bounds(profile.cost(prompt.least, completion.least), profile.cost(prompt.most, completion.most))
    hours = calls.times(seconds / profile.in_flight / 3600)
    a_reply = completion.least / calls.least if calls.least else 0.0
    bounds = (calls.least, calls.most), (prompt.least, prompt.most)
    expected = expected_before(*bounds, a_reply, plan, profile.cost)
    known = measured is not None
    return Estimate(profile.name, samples, calls, prompt, completion, dollars, hours, ratio, seconds, known, expected)


@dataclass(frozen=True)
class Measured:
    """What real calls showed: `tokens` of the replies' own count, 0 where the server gives none."""

    calls: int
    characters_per_token: float
    seconds_a_call: float


def probe(row: Row, profile: Profile, plan: Plan, model: LanguageModel) -> Measured:
    """Ask `row` with its passage, and then with its last region, which is timed: like most calls of a run, its prompt begins
    as the one before and ends otherwise. Raises LanguageModelError."""
    counting, protocol = _Counting(profile.name, model), profile.open_protocol()
    region = begin(row.sample, plan, profile.name, protocol.name).candidates[-1]
    protocol.explain(counting, row.sample.question, row.sample.passage)
    protocol.answer(counting, row.sample.question, region.of(row.sample.passage))
    tokens = sum(reply.prompt_tokens for reply in counting.replies)
    ratio = sum(counting.characters) / tokens if tokens else CHARACTERS_PER_TOKEN
    return Measured(len(counting.replies), ratio, counting.replies[-1].seconds)


@dataclass(frozen=True)
class _Counted:
    """Of the calls of one row at the least or the most: how many, characters of prompts, characters of replies like the
    worked examples, tokens of replies at their limits."""

    calls: int
    characters: int
    replies: float
    limits: int


_COUNTED = ("calls", "characters", "replies", "limits")


def _of_row(row: Row, protocol: Protocol, plan: Plan) -> tuple[_Counted, _Counted]:
    report = begin(row.sample, plan, "", protocol.name)
    first = due(report)
    counting = _Counting("")
    for request in at_most(report):
        text = request.text(report)
        if request.stage == PASSAGE and text is not None:
            protocol.explain(counting, row.sample.question, text)
        else:
            protocol.answer(counting, row.sample.question, text)
    example = sum(len(protocol.example(shot)) for shot in read_shots()) / len(read_shots())
    return _counted(counting, len(first), example, plan), _counted(counting, len(counting.characters), example, plan)


def _counted(counting: "_Counting", calls: int, example: float, plan: Plan) -> _Counted:
    return _Counted(
        plan.repeats * calls,
        plan.repeats * sum(counting.characters[:calls]),
        plan.repeats * calls * example,
        plan.repeats * sum(counting.limits[:calls]),
    )


def _sums(name: str, counted: Sequence[tuple[_Counted, _Counted]]) -> tuple[float, float]:
    return sum(getattr(least, name) for least, _ in counted), sum(getattr(most, name) for _, most in counted)


@dataclass
class _Counting:
    """A model that only counts what it is asked, or counts and asks another one. Its own reply reads in every protocol."""

    name: str
    model: LanguageModel | None = None
    characters: list[int] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)

    def chat(self, messages: Sequence[Message], *, guide: Guide | None = None, **options: Any) -> Reply:
        text = _JSON_REPLY if guide else _PARTS_REPLY
        asked = self.model.chat(messages, guide=guide, **options) if self.model else Reply(text)
        return self._noted(sum(len(message.content) for message in messages), asked, options)

    def complete(self, prompt: str, *, guide: Guide | None = None, **options: Any) -> Reply:
        asked = self.model.complete(prompt, guide=guide, **options) if self.model else Reply("x\nKeywords: x")
        return self._noted(len(prompt), asked, options)

    def _noted(self, characters: int, reply: Reply, options: dict[str, Any]) -> Reply:
        self.characters.append(characters)
        self.limits.append(options["max_tokens"])
        self.replies.append(reply)
        return reply


_JSON_REPLY = '{"thought": "x", "keywords": ["x"], "short_answer": "x"}'
_PARTS_REPLY = "Thought: x\nKeywords: x\nShort answer: x"


def _expected(value: Expected) -> str:
    return f"{_number(value.value)} ({_number(value.low)} to {_number(value.high)})"


def _range(bounds: Bounds) -> str:
    return f"{_number(bounds.least)} to {_number(bounds.most)}"


def _time(hours: Bounds) -> str:
    """In the largest unit of which the longest time has two."""
    unit, factor = next((unit, factor) for unit, factor in _UNITS if hours.most * factor >= 2 or factor == 3600)
    return f"{_range(hours.times(factor))} {unit}"


_UNITS = (("hours", 1), ("minutes", 60), ("seconds", 3600))


def _number(value: float) -> str:
    """To two digits: an estimate knows no more."""
    rounded = float(f"{value:.2g}")
    if rounded >= 1e6:
        return f"{rounded / 1e6:,.15g} million"
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"
