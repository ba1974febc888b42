"""Whether to answer, to ask back or to refuse, and in what words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ttm.language.describe_parse import parse_words
from ttm.language.parse import Change, Instance, Parse, Selection
from ttm.parsers.learned.decisions.span_decisions import Decisions
from ttm.parsers.learned.encoder.roles import OPERATIONS, VERDICTS, ingredients_of
from ttm.parsers.learned.meanings import RequestMeaning, meaning_of
from ttm.parsers.learned.unused_words import unused_words
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.scope import offer
from ttm.parsers.understanding import ALONE, DialogueContext, ParseCandidate, Understanding
from ttm.tabular.data.schema import Schema

OFFERED = 0.03  # probability from which a reading is offered in a question back
MOST_OFFERED = 3
DOUBTFUL_LINK = -0.9  # log-probability below which what a span means is in doubt
NAMED_COST = 0.7  # of a wrong answer that names words of the message that it does not rest on, beside one that names none
REFUSED = 0.0  # log-odds of "no operation answers this"
# Probability of the likeliest reading from which such a message is asked back about: of 1,018 of four authors that the encoder
# has not read, 75 were refused; of 23 with 0.1 or more 14 can be answered, of 52 with less 10.
NOT_REFUSED = 0.1
ASKS = 1.5  # log-odds of "cannot be answered without a question back"
BEFORE = "previousfilter"
DATED = re.compile(r"\d{4}-\d\d-\d\d")  # encoder and decoder have read few dates, so they refuse what they could ask back about


@dataclass(frozen=True)
class AskingPolicy:
    """When to ask back. `wrong`: how many questions back one wrong answer is worth; a reading is answered where the expected
    cost of answering, the probability that it is wrong times `wrong`, is below that of asking, 1."""

    wrong: float = 1.7

    @property
    def answered(self) -> float:
        """The probability from which a reading is answered."""
        return max(1 - 1 / self.wrong, 0.0)

    @property
    def naming(self) -> float:
        """The same where the answer names words that it does not rest on: a wrong one is seen to be wrong sooner."""
        return max(1 - 1 / (self.wrong * NAMED_COST), 0.0)


POLICY = AskingPolicy()
POLICY_OF_TWO = AskingPolicy(2.0)  # with a second opinion, which tells right from wrong better


def answer_or_ask(
    decisions: Decisions,
    candidates: tuple[ParseCandidate, ...],
    problems: Sequence[str],
    schema: Schema,
    mentions: Sequence[SchemaMention] = (),
    policy: AskingPolicy = POLICY,
    context: DialogueContext = ALONE,
) -> Understanding:
    """What is done about a message, from the probabilities of its readings and of its being no request."""
    scores = decisions.ingredients
    best = candidates[0].confidence if candidates else 0.0
    verdict = max(VERDICTS, key=lambda name: scores[name])
    utterance = decisions.utterance
    if scores["chat"] > 0 and verdict == "chat" and best < 0.6:
        return Understanding(utterance, (), False, f"{_manners(decisions)} {offer(schema)}", chats=True)
    dated = bool(candidates) and DATED.search(str(candidates[0].parse)) is not None
    if scores["refuse"] > REFUSED and verdict == "refuse" and best < NOT_REFUSED and not dated:
        return Understanding(utterance, candidates, False, f"I cannot answer that from this data and model. {offer(schema)}")
    unused = unused_words(decisions, candidates[0].parse, mentions, schema) if candidates else ()
    if candidates and best >= (policy.naming if unused else policy.answered) and scores["ask"] < ASKS:
        return Understanding(utterance, candidates, True, None, unused)
    question, offered = _question(decisions, candidates, problems, schema, context)
    return Understanding(utterance, candidates, True, question, offered=offered)


def _question(
    decisions: Decisions,
    candidates: Sequence[ParseCandidate],
    problems: Sequence[str],
    schema: Schema,
    context: DialogueContext,
) -> tuple[str, tuple[Parse, ...]]:
    """What to ask: the open point of the best reading, or which of some readings was meant, and where the doubt is.

    With the readings that it offers, in their order; of those that mean the same, the first.
    """
    if problems:
        return problems[0], tuple(one.parse for one in candidates[:MOST_OFFERED])
    opens = context.parse is None and not context.question  # so no group can have come before
    without = opens and candidates and BEFORE in str(candidates[0].parse)
    if without:
        candidates = [one for one in candidates if BEFORE not in str(one.parse)]
    offered: dict[str, Parse] = {}
    meanings: set[RequestMeaning] = set()
    for one in candidates:
        meaning = meaning_of(one.parse, context)
        if one.confidence >= OFFERED and len(offered) < MOST_OFFERED and meaning not in meanings:
            meanings.add(meaning)
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
