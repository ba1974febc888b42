"""What speaks for a reading: the numbers from which the probability is computed that it is what was meant."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ttm.language.parse import Parse
from ttm.parsers.learned.assumption import keeps_rows, rests_on_before
from ttm.parsers.learned.decisions.span_decisions import Decisions, SpanDecision
from ttm.parsers.learned.decoder.symbols import VERDICTS as DECODED_VERDICTS
from ttm.parsers.learned.denials import Denials
from ttm.parsers.learned.encoder.roles import INGREDIENTS, OPERATIONS, VERDICTS, ingredients_of
from ttm.parsers.learned.encoder.schema_items import SchemaItem
from ttm.parsers.learned.meanings import meaning_of, shared_probabilities
from ttm.parsers.learned.unused_words import words_left
from ttm.parsers.learned.value_ranges import values_out_of_range
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import TokenKind
from ttm.parsers.understanding import DialogueContext

ROW_WORDS = frozenset("filter labelfilter predictionfilter probabilityfilter change instance previousfilter".split())

FEATURES = (
    "ingredients", "ingredients below best", "cost", "cost above least", "composed", "first composed", "rule confidence",
    "by rule", "first by rule", "both agree", "spans in parse", "spans left out", "numbers left out", "columns of its own",
    "problems", "sure by rule", "operations", "operations below best", "weakest operation", "strong operations left out",
    "operations of rules", "rows of rules", "edits", "edits operations", "refers to nothing", "refers to rows", "keeps rows",
    "names left out", "conditions", "numbers of its own", "same twice", "only shows", "asks nothing", "many operations",
    "repeats last", "repeats operation", "sure alone by words", "decoded", "decoded cost", "decoded above least",
    "decoded first", "operations of decoder", "rows of decoder", "decoded alone", "holds what is denied", "turned round",
    "denies unasked", "strange words left", "denials left", "out of range", "meant by decoder", "asked by decoder",
    "rows by decoder", "meant by decisions", "asked by decisions", "rows by decisions",
    "rests on before", "rests on doubt", "operation",
)  # fmt: skip
MESSAGE_FEATURES = (
    "ask", "refuse", "chat", "tag doubt", "link doubt", "words", "spans", "rules ask", "rules leave words", "stands alone",
    "readings", "least cost", "best ingredients", "sure rule", "numbers", "question open", "decoded ask", "decoded refuse",
    "decoded chat", "decoded cost", "decoded margin", "decoded agrees", "denials", "trust", "goes on from doubt",
)  # fmt: skip


@dataclass(frozen=True)
class ProposedReading:
    """A parse with where it comes from: its cost if it was composed of decisions, its confidence if rules proposed it."""

    parse: Parse
    cost: float | None = None
    problems: int = 0
    rule_confidence: float | None = None
    rank: int = 0  # among those of the same origin
    rule_rank: int = 9
    rules_ask: bool = False  # the rules would rather ask back
    rules_leave: int = 0  # words that they could not use
    edits: bool = False  # the last parse with one part changed
    decoded: float | None = None  # its log-probability, if the decoder wrote it
    decoded_rank: int = 9
    turned: bool = False  # another reading with what the message denies turned round


def log_probability(ingredients: frozenset[str], scores: Mapping[str, float]) -> float:
    """Of exactly this set, the verdicts aside; whether conditions of before are repeated is left open."""
    free = {*VERDICTS, "keep"}
    total = 0.0
    for name in INGREDIENTS:
        if name not in free:
            score = scores[name] if name in ingredients else -scores[name]
            total -= float(np.logaddexp(0.0, -score))
    return total


def features_of(
    denials: Denials, proposed: Sequence[ProposedReading], mentions: Sequence[SchemaMention], context: DialogueContext
) -> npt.NDArray[np.float64]:
    """Evidence for each of the proposed readings of one message, (readings, FEATURES)."""
    decisions = denials.decisions
    scores = decisions.ingredients
    likely = frozenset(name for name, score in scores.items() if score > 0)
    sets = [ingredients_of(one.parse) for one in proposed]
    totals = [log_probability(one, scores) for one in sets]
    best = log_probability(likely, scores)
    operations = [_log_probability_of(OPERATIONS, one, scores) for one in sets]
    least = min((one.cost for one in proposed if one.cost is not None), default=0.0)
    first_rule = next((one for one in proposed if one.rule_rank == 0), None)
    written = next((one for one in proposed if one.decoded_rank == 0), None)
    named = [span for span in decisions.spans if _means(span) is not None]
    shared = _shared(proposed, context)
    rows = []
    for one, own, total, asked, alike in zip(proposed, sets, totals, operations, shared, strict=True):
        text = f" {one.parse} "
        inside = sum(_is_in(_means(span), text) for span in named)
        mine = own & set(OPERATIONS)
        rows.append([
            max(total, -12.0), max(total - best, -12.0), *_composed(one, least), *_by_rule(one),
            inside / len(named) if named else 1.0, float(len(named) - inside), float(_numbers_left(decisions, text)),
            float(_own_columns(one.parse, decisions)), float(one.problems), float(is_sure(one)),
            max(asked, -10.0), max(asked - max(operations), -10.0),
            max(min([scores[name] for name in mine], default=0.0), -6.0),
            float(len((likely & set(OPERATIONS)) - own)),
            *_agreement(one.parse, first_rule), float(one.edits),
            float(one.edits and bool(mine & likely)), float(_refers_to_nothing(own, context)),
            _agrees(scores["previous rows"], "previous rows" in own), _agrees(scores["keep"], keeps_rows(one.parse, context)),
            float(_names_left(mentions, text)), float(_conditions(one.parse)), float(_foreign_numbers(one.parse, decisions)),
            float(_is_double(one.parse)), *_counted_requests(mine),
            *_repeated(one.parse, own, context),
            float(is_sure(one) and not context.utterance) * np.log1p(len(decisions.tokens)),
            *_by_decoder(one, written), *_left_or_denied(one, denials, mentions, context), *alike,
            *_rests(one.parse, context), _first_request(mine),
        ])  # fmt: skip
    return np.array(rows, np.float64).reshape(len(rows), len(FEATURES))


def _shared(proposed: Sequence[ProposedReading], context: DialogueContext) -> npt.NDArray[np.float64]:
    """How much of what decoder and decisions hold likely means the same as each reading, asks for the same, is of the same
    rows (readings, 6)."""
    meanings = [meaning_of(one.parse, context) for one in proposed]
    written = np.array([np.exp(one.decoded) if one.decoded is not None else 0.0 for one in proposed])
    decided = np.array([np.exp(-one.cost) if one.cost is not None else 0.0 for one in proposed])
    decided /= max(float(decided.sum()), 1e-9)
    return np.hstack([shared_probabilities(meanings, written), shared_probabilities(meanings, decided)])


def _composed(one: ProposedReading, least: float) -> tuple[float, float, float, float]:
    """Of the decisions that a reading is put together from: their cost, that above the `least`, whether any, whether best."""
    if one.cost is None:
        return 8.0, 6.0, 0.0, 0.0
    return min(one.cost, 12.0), min(one.cost - least, 8.0), 1.0, float(one.rank == 0 and not one.edits)


def _by_rule(one: ProposedReading) -> tuple[float, float, float, float]:
    confidence, by_rule = one.rule_confidence or 0.0, one.rule_confidence is not None
    return confidence, float(by_rule), float(one.rule_rank == 0), float(one.cost is not None and by_rule)


def _by_decoder(one: ProposedReading, first: ProposedReading | None) -> tuple[float, ...]:
    """Whether the decoder wrote it, at what cost, at what cost above its `first`, whether it is that; what it shares with that;
    whether nothing else proposes it."""
    shared = _agreement(one.parse, first)
    if one.decoded is None:
        return 0.0, 10.0, 6.0, 0.0, *shared, 0.0
    best = first.decoded if first is not None and first.decoded is not None else one.decoded
    alone = one.cost is None and one.rule_confidence is None and not one.edits
    return 1.0, min(-one.decoded, 10.0), min(best - one.decoded, 6.0), float(one.decoded_rank == 0), *shared, float(alone)


def _left_or_denied(
    one: ProposedReading, denials: Denials, mentions: Sequence[SchemaMention], context: DialogueContext
) -> tuple[float, ...]:
    """What it holds although that was denied, whether it was turned round for that, what it denies of its own; words and
    denials that it does not hold; values that no row has."""
    left = words_left(denials.decisions, mentions, one.parse)
    return (
        float(len(denials.kept_from(one.parse))), float(one.turned), float(denials.made_up(one.parse, context.parse)),
        *(float(min(count, 4)) for count in left), float(values_out_of_range(one.parse, denials.schema)),
    )  # fmt: skip


def _agrees(score: float, present: bool) -> float:
    """How far a score speaks for what a reading does: for the presence of an ingredient or its absence."""
    return max(min(score, 4.0), -4.0) * (1 if present else -1)


def _repeated(parse: Parse, own: frozenset[str], context: DialogueContext) -> tuple[float, float]:
    """Whether the parse is the one before, and whether its operations are those of before."""
    if context.parse is None:
        return 0.0, float("previous operation" in own)
    mine, before = own & set(OPERATIONS), ingredients_of(context.parse) & set(OPERATIONS)
    repeats = "previous operation" in own or (bool(mine) and mine == before)
    return float(str(context.parse) == str(parse)), float(repeats)


def message_features(
    denials: Denials, proposed: Sequence[ProposedReading], context: DialogueContext, verdicts: Mapping[str, float]
) -> npt.NDArray[np.float64]:
    """Evidence (MESSAGE_FEATURES,) that none of the readings is fair, from the message as a whole."""
    decisions = denials.decisions
    scores = decisions.ingredients
    by_rule = next((one for one in proposed if one.rule_confidence is not None), None)
    costs = [one.cost for one in proposed if one.cost is not None]
    best = log_probability(frozenset(name for name, score in scores.items() if score > 0), scores)
    return np.array([
        *(max(min(scores[name], 6.0), -6.0) for name in VERDICTS),
        max((span.doubt for span in decisions.spans), default=0.0),
        max((-span.links[0][1] for span in decisions.spans if span.links), default=0.0),
        np.log1p(len(decisions.tokens)), float(len(decisions.spans)), float(by_rule is not None and by_rule.rules_ask),
        float(min(by_rule.rules_leave, 3)) if by_rule is not None else 1.0, float(not context.utterance),
        np.log1p(len(proposed)), min(min(costs, default=8.0), 8.0), max(best, -12.0), float(any(map(is_sure, proposed))),
        float(sum(token.kind is TokenKind.NUMBER for token in decisions.tokens)), float(bool(context.question)),
        *(float(np.exp(verdicts.get(name, -10.0))) for name in DECODED_VERDICTS), *_of_decoder(proposed),
        float(len(denials.places)), context.trust, float(context.likeliest is not None),
    ], np.float64)  # fmt: skip


def _of_decoder(proposed: Sequence[ProposedReading]) -> tuple[float, float, float]:
    """What its likeliest reading costs, how much more the next, and whether another source likes the same best."""
    written = sorted((one for one in proposed if one.decoded is not None), key=lambda one: one.decoded_rank)
    if not written:
        return 10.0, 6.0, 0.0
    costs = [-(one.decoded or 0.0) for one in written]
    agrees = written[0].rule_rank == 0 or (written[0].cost is not None and written[0].rank == 0)
    return min(costs[0], 10.0), min(costs[1] - costs[0], 6.0) if len(written) > 1 else 6.0, float(agrees)


def is_sure(one: ProposedReading) -> bool:
    return (one.rule_confidence or 0.0) >= 0.8 and one.rule_rank == 0 and not one.rules_ask and not one.rules_leave


def _log_probability_of(names: Sequence[str], own: frozenset[str], scores: Mapping[str, float]) -> float:
    return -float(sum(np.logaddexp(0.0, -scores[name] if name in own else scores[name]) for name in names))


def _agreement(parse: Parse, rule: ProposedReading | None) -> tuple[float, float]:
    """How far the first reading by rule asks for the same, and of the same rows: shares of what either has."""
    if rule is None:
        return 0.0, 0.0
    own, other = _parts(parse), _parts(rule.parse)
    return _overlap(own[0], other[0]), _overlap(own[1], other[1])


def _parts(parse: Parse) -> tuple[set[str], set[str]]:
    items = [text for _, text in parse.items()]
    rows = {text for text in items if text.split(" ", 1)[0] in ROW_WORDS}
    return set(items) - rows, rows


def _overlap(own: set[str], other: set[str]) -> float:
    return len(own & other) / len(own | other) if own | other else 1.0


def _refers_to_nothing(own: frozenset[str], context: DialogueContext) -> bool:
    return ("previous rows" in own and context.rows is None) or ("previous operation" in own and not context.operations)


def _counted_requests(mine: Set[str]) -> tuple[float, float, float]:
    """Whether the rows are all that is asked for, whether nothing is, and how much more than two things."""
    return float(mine == {"show"}), float(not mine), float(max(len(mine) - 2, 0))


def _first_request(mine: Set[str]) -> float:
    """Which operation is asked for, as an index."""
    return float(min((OPERATIONS.index(name) for name in mine), default=-1))


def _rests(parse: Parse, context: DialogueContext) -> tuple[float, float]:
    """Whether a parse rests on the turn before, and if so, the log-probability that this was understood as it was meant."""
    rests = rests_on_before(parse, context)
    return float(rests), float(np.log(max(context.trust, 0.01))) if rests else 0.0


def _names_left(mentions: Sequence[SchemaMention], text: str) -> int:
    """Names that rules have found in the message and that the parse lacks."""
    return sum(
        all(f" {name.feature.token} " not in text for name in mention.names if name.feature is not None)
        for mention in mentions
        if mention.coverage > 0.9 and any(name.feature is not None for name in mention.names)
    )


def _conditions(parse: Parse) -> int:
    return sum(text.split(" ", 1)[0] in ROW_WORDS for _, text in parse.items())


def _foreign_numbers(parse: Parse, decisions: Decisions) -> int:
    """Numbers in the parse that the message does not have."""
    stated = {value for token in decisions.tokens for value in (token.value, token.value / 100)}
    texts = [text for _, text in parse.items()]
    numbers = [float(one) for text in texts for one in re.findall(r"(?<= )-?\d+(?:\.\d+)?(?= |$)", text)]
    return min(sum(one not in stated for one in numbers), 4)


def _is_double(parse: Parse) -> bool:
    """Whether something stands twice in the parse, or two changes are of one column."""
    texts = [text for _, text in parse.items()]
    changed = [text.split()[1] for text in texts if text.startswith("change ")]
    return len(set(changed)) < len(changed) or any(one == other for one, other in pairwise(texts))


def _means(span: SpanDecision) -> SchemaItem | None:
    return span.links[0][0] if span.links and span.links[0][1] > np.log(0.4) else None


def _is_in(item: SchemaItem | None, text: str) -> bool:
    if item is None:
        return True
    if item.feature is not None:
        return f" {item.feature.token} " in text
    if item.class_number is not None:
        return re.search(rf"(labelfilter|predictionfilter|probabilityfilter|class) {item.class_number} ", text) is not None
    return True


def _numbers_left(decisions: Decisions, text: str) -> int:
    numbers = {float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", text)}
    stated = [token for token in decisions.tokens if token.kind is TokenKind.NUMBER]
    return sum(not ({token.value, token.value / 100, -token.value} & numbers) and token.form != "ordinal" for token in stated)


def _own_columns(parse: Parse, decisions: Decisions) -> int:
    """Columns in the parse that no span of the message may mean."""
    meant = {item.feature.token for span in decisions.spans for item, _ in span.links[:3] if item is not None and item.feature}
    words = r"(?:filter|change|statistic|effect|compare|important|distribution|define) (\w+)"
    return len({*re.findall(words, str(parse))} - meant - {"id", "all", "topk", "bottomk", "target", "probability"})
