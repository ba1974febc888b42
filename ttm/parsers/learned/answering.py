"""Whether to answer, to ask back or to refuse, and in what words; and which words of a message no reading rests on."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ttm.language.describe_parse import parse_words
from ttm.language.parse import Change, Instance, Parse, Selection, number_text
from ttm.parsers.learned.decisions.span_decisions import Decisions, all_tokens
from ttm.parsers.learned.encoder.roles import OPERATIONS, VERDICTS, ingredients_of
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.scope import offer
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.parsers.plain_requests.plain_request import technical_words
from ttm.parsers.understanding import ParseCandidate, Understanding
from ttm.tabular.data.schema import Schema

OFFERED = 0.03  # probability from which a reading is offered in a question back
MOST_OFFERED = 3
DOUBTFUL_LINK = -0.9  # log-probability below which what a span means is in doubt
SURE_LINK = -0.5  # log-probability from which an argument surely names a column
NAMED = 0.95  # share of a name that has to be said
REFUSED = 0.0  # log-odds of "no operation answers this"
ASKS = 1.5  # log-odds of "cannot be answered without a question back"
BEFORE = "previousfilter"
DENIALS = frozenset("not no without neither except excluding never".split())
DENYING = (
    " not ",
    " false ",
    " less ",
    " missing ",
    " no ",
    " set 0 ",
    "lowest ",
    "bottomk ",
    " keep ",
    " likelihood class ",
    " without ",
    " otherwise ",
    "mistake ",
    "explain cfe",
    " predictionfilter 0 and labelfilter 1 ",
    " predictionfilter 1 and labelfilter 0 ",
)

OF_TECHNICAL = re.compile(r" score (?!default)| predictionfilter \d and labelfilter ")  # parses that hold a rate, or a cell


@dataclass(frozen=True)
class AskingPolicy:
    """When to ask back. `wrong`: how many questions back one wrong answer is worth; a reading is answered where the expected
    cost of answering, the probability that it is wrong times `wrong`, is below that of asking, 1."""

    wrong: float = 1.6

    @property
    def answered(self) -> float:
        """The probability from which a reading is answered."""
        return max(1 - 1 / self.wrong, 0.0)


POLICY = AskingPolicy()


def answer_or_ask(
    decisions: Decisions,
    candidates: tuple[ParseCandidate, ...],
    problems: Sequence[str],
    schema: Schema,
    mentions: Sequence[SchemaMention] = (),
    policy: AskingPolicy = POLICY,
    opens: bool = False,
) -> Understanding:
    """What is done about a message, from the probabilities of its readings and of its being no request. `opens`: it begins
    the conversation, so no group can have come before."""
    scores = decisions.ingredients
    best = candidates[0].confidence if candidates else 0.0
    verdict = max(VERDICTS, key=lambda name: scores[name])
    utterance = decisions.utterance
    if scores["chat"] > 0 and verdict == "chat" and best < 0.6:
        return Understanding(utterance, (), False, f"{_manners(decisions)} {offer(schema)}", chats=True)
    if scores["refuse"] > REFUSED and verdict == "refuse" and best < policy.answered:
        return Understanding(utterance, candidates, False, f"I cannot answer that from this data and model. {offer(schema)}")
    if candidates and best >= policy.answered and scores["ask"] < ASKS:
        return Understanding(utterance, candidates, True, None, unused_words(decisions, candidates, mentions))
    question, offered = _question(decisions, candidates, problems, schema, opens)
    return Understanding(utterance, candidates, True, question, offered=offered)


def _question(
    decisions: Decisions, candidates: Sequence[ParseCandidate], problems: Sequence[str], schema: Schema, opens: bool
) -> tuple[str, tuple[Parse, ...]]:
    """What to ask: the open point of the best reading, or which of some readings was meant, and where the doubt is.

    With the readings that it offers, in their order.
    """
    if problems:
        return problems[0], tuple(one.parse for one in candidates[:MOST_OFFERED])
    without = opens and candidates and BEFORE in str(candidates[0].parse)
    if without:
        candidates = [one for one in candidates if BEFORE not in str(one.parse)]
    offered: dict[str, Parse] = {}
    for one in candidates:
        if one.confidence >= OFFERED and len(offered) < MOST_OFFERED:
            offered.setdefault(parse_words(one.parse, schema).removeprefix("You asked: ").rstrip("."), one.parse)
    parses = tuple(offered.values())
    if not offered:
        return f"I am not sure what you mean. Can you say it in other words? {offer(schema)}", ()
    doubt = "There is no earlier group in this conversation" if without else f"I am not sure {_doubt(decisions, candidates)}"
    if len(offered) == 1:
        return f"{doubt}. Do you mean: {next(iter(offered))}?", parses
    return f"{doubt}. Which do you mean: {' '.join(f'({at}) {text}' for at, text in enumerate(offered, 1))}?", parses


def _doubt(decisions: Decisions, candidates: Sequence[ParseCandidate]) -> str:
    """Where the first two readings differ, or a span that may mean several things."""
    doubted = [span for span in decisions.spans if len(span.links) > 1 and span.links[0][1] < DOUBTFUL_LINK]
    if doubted:
        span = min(doubted, key=lambda one: one.links[0][1])
        words = decisions.utterance[span.tokens[0].start : span.tokens[-1].end]
        return f'what "{words}" stands for'
    if len(candidates) > 1:
        one, other = (ingredients_of(candidate.parse) & set(OPERATIONS) for candidate in candidates[:2])
        if one != other:
            return "what you want to know"
        rows = [[step for step in one.parse.steps if isinstance(step, Selection | Instance | Change)] for one in candidates[:2]]
        return "what exactly you want to know" if rows[0] == rows[1] else "which rows you mean"
    return "that I understood"


def _manners(decisions: Decisions) -> str:
    words = {token.text for token in decisions.tokens}
    if words & {"bye", "goodbye", "cya", "farewell"}:
        return "Goodbye."
    if words & {"hello", "hi", "hey", "morning", "evening", "greetings", "hiya"}:
        return "Hello!"
    return (
        "You are welcome." if any(word.startswith(("thank", "thx", "cheer", "ta", "merci")) for word in words) else "All right."
    )


def unused_words(
    decisions: Decisions, candidates: Sequence[ParseCandidate], mentions: Sequence[SchemaMention] = ()
) -> tuple[str, ...]:
    """Numbers, names of the data and denials that the best reading does not hold, as they were typed.

    An answer that leaves out a number, a column or a `not` is about something else than was asked, so the message says what was
    left. Words of other kinds may be left: people say a lot that no parse can hold.
    """
    if not candidates:
        return ()
    text = f" {candidates[0].parse} "
    by_encoder = {token.start: token.end for token in _tokens_left(decisions, text)} | dict(_spans_left(decisions, text))
    left = dict(reversed([*_mentions_left(decisions, mentions, text)])) | by_encoder
    named = {decisions.tokens[at].start for at in technical_words(decisions.tokens)} if OF_TECHNICAL.search(text) else set()
    left = {start: end for start, end in left.items() if start not in named}
    return tuple(dict.fromkeys(decisions.utterance[start:end] for start, end in sorted(left.items())))


def _tokens_left(decisions: Decisions, text: str) -> Iterator[UtteranceToken]:
    """Numbers and denials that a parse does not hold; a number may stand in it as a share, a decrease or a reciprocal."""
    aside = all_tokens(decisions.of_role("reference", "count"))
    for at, token in enumerate(decisions.tokens):
        if token.kind is TokenKind.NUMBER and token.form not in ("ordinal", "spoken") and at not in aside:
            forms = {number_text(value) for value in (token.value, token.value / 100, -token.value)}
            forms.add(f"{1 / (token.value or 1):g}")  # a false alarm that costs 4 misses: a miss costs 0.25
            if not any(f" {form} " in text for form in forms):
                yield token
        if token.text in DENIALS and not any(word in text for word in DENYING) and "previous" not in text:
            yield token


def _spans_left(decisions: Decisions, text: str) -> Iterator[tuple[int, int]]:
    """Where the encoder reads columns that a parse does not hold: from which letter to which."""
    for span in decisions.of_role("condition", "compared", "change", "case", "argument"):
        item, sure = span.links[0] if span.links else (None, 0.0)
        feature = item.feature if item is not None and (span.role != "argument" or sure > SURE_LINK) else None
        if feature is not None and f" {feature.token} " not in text:
            yield span.tokens[0].start, span.tokens[-1].end


def _mentions_left(decisions: Decisions, mentions: Sequence[SchemaMention], text: str) -> Iterator[tuple[int, int]]:
    """Where the linker reads them, which needs more of a name and overlooks none."""
    for mention in mentions:
        names = [name.feature.token for name in mention.names if name.feature is not None]
        own = decisions.tokens[mention.start : mention.end]
        if names and mention.coverage >= NAMED and not any(f" {name} " in text for name in names):
            yield own[0].start, own[-1].end
