"""From what the encoder says to decisions: the spans of a message by their tags, with all that each may mean."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ttm.parsers.learned.decisions.amounts import with_columns_of_amounts
from ttm.parsers.learned.decisions.comparisons import (
    CONTRARY,
    SAID,
    SAID_BY_NAME,
    SAID_CHANGE,
    is_denied,
    is_excluded,
    said_change,
    said_operations,
    said_relation,
)
from ttm.parsers.learned.decisions.span_decisions import Decisions, SpanDecision
from ttm.parsers.learned.decisions.taught_names import TaughtNames, phrase_of
from ttm.parsers.learned.encoder.item_words import ItemWords
from ttm.parsers.learned.encoder.network import Floats, MessageStates, Network, TableVectors
from ttm.parsers.learned.encoder.roles import INGREDIENTS, OUTCOMES, RELATIONS, ROLES, TAGS
from ttm.parsers.learned.encoder.schema_items import DENYING, NO_VALUES, SchemaItem, SchemaItemKind
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken

MOST_LINKS = 6
LINKED = frozenset({"condition", "compared", "change", "case", "argument", "class"})
NEVER = np.float32(-1e6)
DOUBTED = 0.2  # mean doubt of a role from which other roles are looked at
FAR_ROLE = 3.5
TAUGHT = 8.0  # log-odds of what a correction taught

TaggedSpan = tuple[int, int, str, float]


def decide(
    network: Network,
    table: TableVectors,
    items: Sequence[SchemaItem],
    utterance: str,
    tokens: Sequence[UtteranceToken],
    mentions: Sequence[SchemaMention],
    states: MessageStates,
    words: ItemWords,
    names: TaughtNames | None = None,
) -> Decisions:
    """All decisions about one message. `states`: what the encoder made of it; `words` of `items`; `names`: what corrections
    taught."""
    reader = _SpanReader(network, table, items, states, words, tokens, names or {})
    bounds = whole_names(list(tagged(states.tags, tokens)), mentions)
    spans = tuple(with_columns_of_amounts(_with_others(reader, states.tags, *one) for one in bounds))
    ingredients = dict(zip(INGREDIENTS, states.ingredients.tolist(), strict=True))
    for name in said_operations(tokens):
        ingredients[name] += SAID_BY_NAME
    return Decisions(utterance, tuple(tokens), ingredients, spans)


def tagged(tags: Floats, tokens: Sequence[UtteranceToken]) -> Iterator[TaggedSpan]:
    """Spans with role and doubt by the best path of tags, in which an I follows a B or I of its role (Viterbi)."""
    if not len(tags):
        return
    best, back = tags[0] + _START, []
    for row in tags[1:]:
        scores = best[:, None] + _ALLOWED
        back.append(scores.argmax(axis=0))
        best = scores.max(axis=0) + row
    path = [int(best.argmax())]
    for pointers in reversed(back):
        path.append(int(pointers[path[-1]]))
    path.reverse()
    start = 0
    while start < len(path):
        end = start + 1
        name = TAGS[path[start]]
        while end < len(path) and name != "O" and TAGS[path[end]] == f"I-{name[2:]}":
            end += 1
        if name != "O" and any(token.kind is not TokenKind.MARK for token in tokens[start:end]):
            doubt = -float(np.mean([tags[at, path[at]] for at in range(start, end)]))
            yield start, end, name[2:], doubt
        start = end


_ALLOWED = np.array(
    [[NEVER if to.startswith("I-") and after[2:] != to[2:] else 0 for to in TAGS] for after in TAGS], np.float32
)
_START = np.array([NEVER if tag.startswith("I-") else 0 for tag in TAGS], np.float32)


def whole_names(spans: list[TaggedSpan], mentions: Sequence[SchemaMention]) -> list[TaggedSpan]:
    """The spans with the rest of a name that begins or ends in them, as far as no other span has it."""
    taken = {at for start, end, *_ in spans for at in range(start, end)}
    widened = []
    for start, end, role, doubt in spans:
        for mention in mentions if role in LINKED else ():
            if mention.start < end and mention.end > start:
                first, last = min(start, mention.start), max(end, mention.end)
                if not taken & {*range(first, start), *range(end, last)}:
                    start, end = first, last
                    taken |= set(range(first, last))
        widened.append((start, end, role, doubt))
    return widened


def _with_others(reader: "_SpanReader", tags: Floats, start: int, end: int, role: str, doubt: float) -> SpanDecision:
    """A span as it was tagged, with the roles that are nearly as likely."""
    own = reader.span(start, end, role, doubt)
    if doubt < DOUBTED:
        return own
    scores = {other: _log_probability(tags, start, end, other) for other in (*ROLES, "")}
    best = scores.pop(role)
    near = sorted((max(best - score, 0.0), other) for other, score in scores.items() if best - score <= FAR_ROLE)[:2]
    others = tuple((reader.span(start, end, other, doubt + cost) if other else None, cost) for cost, other in near)
    return replace(own, others=others)


def _log_probability(tags: Floats, start: int, end: int, role: str) -> float:
    if not role:
        return float(tags[start:end, 0].sum())
    inside = tags[start + 1 : end, TAGS.index(f"I-{role}")].sum()
    return float(tags[start, TAGS.index(f"B-{role}")] + inside)


@dataclass(frozen=True)
class _SpanReader:
    """Decides what spans of one message mean."""

    network: Network
    table: TableVectors
    items: Sequence[SchemaItem]
    states: MessageStates
    words: ItemWords
    tokens: Sequence[UtteranceToken]
    names: TaughtNames

    def span(self, start: int, end: int, role: str, doubt: float) -> SpanDecision:
        own = tuple(self.tokens[start:end])
        role = "change" if role == "case" and said_change(own) is not None else role
        vector = self.states.words[start:end].mean(axis=0)
        relations, outcomes = self.network.relations_and_outcomes(self.states, vector, role)
        plain = said_relation(own) if role in ("condition", "compared", "class") else None
        plain = said_change(own) if role == "change" else plain
        if role in ("condition", "compared") and is_excluded(self.tokens, start):
            plain = CONTRARY.get(plain, "not") if plain is not None else "not"
        if plain is None and role in ("condition", "compared", "change", "case") and is_denied(self.tokens, start, end):
            plain = "not"
        if plain is not None:
            relations[RELATIONS.index(plain)] += SAID_CHANGE if role == "change" and plain != "not" else SAID
            relations -= np.float32(np.log(np.exp(relations).sum()))
        links: tuple[tuple[SchemaItem | None, float], ...] = ()
        if role in LINKED:
            scores = self.network.links(vector, role, self.table, self.words.lexical(own))
            scores = fitting(scores, self.items, own, role, RELATIONS[int(relations.argmax())])
            if self.names:
                scores = self._as_taught(scores, own)
            order = np.argsort(-scores)[:MOST_LINKS]
            links = tuple((self.items[at] if at < len(self.items) else None, float(scores[at])) for at in order)
        return SpanDecision(start, end, role, doubt, own, links, _ranked(RELATIONS, relations), _ranked(OUTCOMES, outcomes))

    def _as_taught(self, scores: Floats, own: Sequence[UtteranceToken]) -> Floats:
        """The scores of links, higher for what the words were taught to mean."""
        key = self.names.get(phrase_of(own))
        raised = scores.copy()
        for at, item in enumerate(self.items):
            raised[at] += TAUGHT * (item.key == key)
        return np.asarray(raised - np.log(np.exp(raised).sum()), np.float32)


def fitting(scores: Floats, items: Sequence[SchemaItem], tokens: Sequence[UtteranceToken], role: str, relation: str) -> Floats:
    """The scores of links, lower for items that a span cannot mean: an amount is compared with a quantity."""
    if role not in ("condition", "compared", "change", "case"):
        return scores
    has_number = any(token.kind in (TokenKind.NUMBER, TokenKind.DATE) for token in tokens)
    compared = relation in ("greater", "at least", "less", "at most", "between") and has_number
    denied = relation in ("not", "not equal", "missing", "decrease") or any(token.text in DENYING for token in tokens)
    lowered = scores.copy()
    for at, item in enumerate(items):
        unfit = compared and item.kind is SchemaItemKind.VALUE
        empty = (
            item.is_quantity and not has_number and relation not in ("missing", "present") and role in ("condition", "compared")
        )
        negative = item.value in NO_VALUES and not denied
        lowered[at] -= 3.0 * unfit + 2.0 * empty + 2.0 * negative
    return np.asarray(lowered - np.log(np.exp(lowered).sum()), np.float32)


def _ranked(names: Sequence[str], scores: Floats) -> tuple[tuple[str, float], ...]:
    return tuple((names[at], float(scores[at])) for at in np.argsort(-scores)[:4])
