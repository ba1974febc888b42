"""Changes that a message does not say: a value moved where it is set or set where it is moved, and another column's amount."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from operator import attrgetter

from ttm.language.parse import Change, ChangeKind, Comparator, Instance, NumericCondition, Parse, Step
from ttm.parsers.learned.decisions.amounts import MOVES
from ttm.parsers.learned.decisions.comparisons import said_change
from ttm.parsers.learned.decisions.span_decisions import Decisions, SpanDecision
from ttm.parsers.linker.words.tokens import OWNER, TokenKind, UtteranceToken
from ttm.parsers.plain_requests.other_conditions import without_conditions
from ttm.parsers.understanding import DialogueContext
from ttm.tabular.data.schema import Feature

MOVING = (ChangeKind.INCREASE, ChangeKind.DECREASE)
_SHARES = re.compile(
    r"percent|pct|%|per$|cents?$|hal[fv]|doubl|tripl|quadrupl|twice|thrice|times|third|quarter|fifth|tenth|fraction|\w*fold$|share"
)
# What "more" and "less" compare without moving a value.
_COMPARED = frozenset(
    "important likely probable often accurate sure certain influential relevant decisive common typical".split()
)
# A verb before the first column, which moves all that follow.
_LEADS = {
    ChangeKind.INCREASE: re.compile(r"(?:increas|rais|gain|boost)\w*$|add(?:s|ed|ing)?$|up$"),
    ChangeKind.DECREASE: re.compile(
        r"(?:decreas|reduc)\w*$|lower(?:s|ed|ing)$|los(?:es?|ing)$|cut(?:s|ting)?$|subtract\w*$|down$"
    ),
}
# Of 70 messages of the corpus with such a verb and no word for the other way, none moves another column that way.
_VERBS = {
    ChangeKind.INCREASE: re.compile(r"(?:increas|rais)(?:e[sd]?|ing)$"),
    ChangeKind.DECREASE: re.compile(r"(?:(?:decreas|reduc)(?:e[sd]?|ing)|(?:lower|subtract)(?:s|ed|ing))$"),
}
_OTHER_WAY = {
    ChangeKind.INCREASE: re.compile(
        r"(?:decreas|reduc|lower|subtract|deduct|declin|remov|younger|short|small|slim|lighter|cheaper|bring|brought|shed)|"
        r"(?:los(?:es?|ing|t)|cut|drops?|dropp\w+|down|less|fewer|minus|f[ae]ll\w*|shr[iau]nk\w*|t[ao]k(?:es?|ing)|took|off|lack|hal[fv]\w*"
        r"|without|back|below|under|trim\w*|per ?cent|pct)$|[-%–−]"
    ),
    ChangeKind.DECREASE: re.compile(
        r"(?:increas|rais|boost|climb|jump|bump|extra|older|taller|heavier|bigger|larger|greater|longer|another|additional)|"
        r"(?:gain\w*|add(?:s|ed|ing)?|ris(?:es?|ing|en)|rose|up|higher|more|plus|gr[eo]w\w*|per ?cent|pct)$|[+%]"
    ),
}
CERTAIN = -0.8  # log-probability (0.45) of a column that a span names, where another is a guess
_PASSED = frozenset("the a an its his her their patient's".split())
_SETS = frozenset("to at is was were be becomes becoming set equal equals exactly =".split())


def moves_unsaid(parse: Parse, tokens: Sequence[UtteranceToken], context: DialogueContext) -> bool:
    """Whether a parse moves a value, or moves it by a share, and neither the message nor the turn before speaks of that.

    "What if their BMI was 25?" sets it.
    """
    before = context.parse.steps if context.parse is not None else ()
    if _shares_unsaid(parse, tokens, before):
        return True
    if not any(map(_moves, parse.steps)) or any(map(_moves, before)):
        return False
    return not any(MOVES.match(token.raw or token.text) or MOVES.match(token.text) for token in _without_comparing(tokens))


def _shares_unsaid(parse: Parse, tokens: Sequence[UtteranceToken], before: Sequence[Step]) -> bool:
    """Whether a value moves by a share of itself, of which neither the message nor the turn before speaks."""
    if not any(isinstance(step, Change) and step.percent for step in parse.steps):
        return False
    spoken_of = any(token.form == "percent" or _SHARES.match(token.raw or token.text) for token in tokens)
    return not spoken_of and not any(isinstance(step, Change) and step.percent for step in before)


def _moves(step: Step) -> bool:
    return isinstance(step, Change) and step.kind in MOVING


def _without_comparing(tokens: Sequence[UtteranceToken]) -> list[UtteranceToken]:
    """The words but for those of "more important than", which move nothing."""
    words = [token.raw or token.text for token in tokens]
    compares = {at for at, after in enumerate(words[1:]) if after in _COMPARED and words[at] in ("more", "less", "as")}
    compares |= {at for at, word in enumerate(words) if compares and word == "than"}
    return [token for at, token in enumerate(tokens) if at not in compares]


def moves_against(parse: Parse, tokens: Sequence[UtteranceToken], context: DialogueContext) -> bool:
    """Whether a parse moves a value down where the message only raises, or up where it only lowers.

    What the turn before changed may move on as it did.
    """
    words = [token.raw or token.text for token in tokens]
    before = {step.feature for step in context.parse.steps if isinstance(step, Change)} if context.parse is not None else set()
    moved = {step.kind for step in parse.steps if isinstance(step, Change) and _moves(step) and step.feature not in before}
    against = [
        kind
        for kind, verb in _VERBS.items()
        if any(map(verb.match, words)) and not any(map(_OTHER_WAY[kind].match, words)) and moved - {kind}
    ]
    return bool(against)


def makes_up_moved(parse: Parse, decisions: Decisions) -> bool:
    """Whether a parse makes up a case with a value that the message moves: "57, glucose 100 up" sets no glucose of 100."""
    made_up = {name for step in parse.steps if isinstance(step, Instance) for name, _ in step.values}
    moved = [span.links[0][0] for span in decisions.of_role("change") if span.links and said_change(span.tokens) is not None]
    return any(item is not None and item.feature is not None and item.feature.token in made_up for item in moved)


def moves_otherwise(parse: Parse, decisions: Decisions) -> bool:
    """Whether a parse moves a column the other way than the words that name it ("BMI 2 higher" is no decrease), or moves some
    and leaves out another that the words move."""
    moves = {step.feature: step.kind for step in parse.steps if isinstance(step, Change) and _moves(step)}
    named = {feature.token: said_change(span.tokens) for span, feature in _changing(decisions)} if moves else {}
    moved = {name: kind for name, kind in named.items() if kind in MOVING}
    changed = {step.feature for step in parse.steps if isinstance(step, Change)}
    return not moved.keys() <= changed or any(moved.get(name, kind) != kind for name, kind in moves.items())


def uncrossed(parse: Parse, decisions: Decisions) -> Parse:
    """The parse with each column changed by the number that stands with it: "glucose up by 100 and BMI up by 3".

    Rules look for a number on both sides of a column, so they may take that of its neighbour.
    """
    amounts = _amounts_said(_changing(decisions))
    moves = {abs(float(step.value)): step for step in parse.steps if isinstance(step, Change) and _has_amount(step)}
    if len(amounts) < 2 or not set(amounts.values()) <= set(moves):
        return parse
    own = {name: moves[amount] for name, amount in amounts.items()}
    steps = [
        replace(own[step.feature], feature=step.feature) if isinstance(step, Change) and step.feature in own else step
        for step in parse.steps
    ]
    return Parse(tuple(steps))


def _has_amount(change: Change) -> bool:
    return change.kind is not None and not isinstance(change.value, str)


def _amounts_said(changing: Sequence[tuple[SpanDecision, Feature]]) -> dict[str, float]:
    """The numbers that stand with the columns that a message changes, where each has one."""
    amounts: dict[str, float] = {}
    for span, feature in changing:
        numbers = [token.value for token in span.tokens if token.kind is TokenKind.NUMBER and token.raw != OWNER]
        if len(numbers) == 1:
            amounts[feature.token] = abs(numbers[0])
    return amounts


def moved_together(parse: Parse, decisions: Decisions) -> Parse:
    """The parse with all columns that one verb moves moved by their numbers: "raising the glucose 100 units and the BMI three".

    Else the second number is read as a value, which no verb gives it.
    """
    changing = _changing(decisions, {step.feature for step in parse.steps if isinstance(step, Change)})
    amounts = _amounts_said(changing)
    kind = _leading_move(decisions, changing) or _only_possible_move(parse, decisions, amounts)
    names = list(dict.fromkeys(feature.token for _, feature in changing))
    moves = [] if kind is None or len(names) < 2 else _moves_of(parse, names, kind, amounts)
    if not moves:
        return parse
    kept = without_conditions(parse.steps, lambda one: _only_repeats(one, amounts))
    where = next(at for at, step in enumerate(kept) if isinstance(step, Change))
    rest = [step for step in kept[where:] if not (isinstance(step, Change) and step.feature in names)]
    return Parse((*kept[:where], *moves, *rest))


def _moves_of(parse: Parse, names: Sequence[str], kind: ChangeKind, amounts: dict[str, float]) -> list[Change]:
    """Each of the columns moved by its number, or as the parse moves it; none where that is another way or by a share."""
    own = {step.feature: step for step in parse.steps if isinstance(step, Change)}
    if not own or any(step.percent or step.kind is None for step in own.values()):
        return []
    moves = [Change(name, kind, amounts[name]) if name in amounts else own.get(name) for name in names]
    same = [move for move in moves if move is not None and move.kind is kind]
    return same if len(same) == len(names) else []


def _changing(decisions: Decisions, changed: Collection[str] = ()) -> list[tuple[SpanDecision, Feature]]:
    """The spans that change a column that they name, with the column, in the order of the message.

    A number alone is tied to some column too, but only by a guess: its amount belongs to the column before it. A value of a
    case changes it where the column is among those `changed`.
    """
    linked = [(span, *span.links[0]) for span in decisions.of_role("change", "case") if span.links]
    return [
        (span, item.feature)
        for span, item, score in linked
        if item is not None and item.feature is not None and score > CERTAIN
        if span.role == "change" or item.feature.token in changed
    ]


def _leading_move(decisions: Decisions, changing: Sequence[tuple[SpanDecision, Feature]]) -> ChangeKind | None:
    """The way in which the verb before the first column that changes moves it, where nothing behind it sets a value."""
    spans, tokens = (
        sorted([*decisions.of_role("change"), *(span for span, _ in changing)], key=attrgetter("start")),
        decisions.tokens,
    )
    if not spans or _SETS & {token.text for token in tokens[spans[0].start : spans[-1].end]}:
        return None
    at = spans[0].start - 1
    while at > 0 and tokens[at].text in _PASSED:
        at -= 1
    verb = tokens[at].text if at >= 0 else ""
    return next((kind for kind, verbs in _LEADS.items() if verbs.match(verb)), None)


def _only_possible_move(parse: Parse, decisions: Decisions, amounts: dict[str, float]) -> ChangeKind | None:
    """How one column moves where another is set to what no row has: "if the BMI were three and the glucose 100 higher"."""
    features = {feature.token: feature for _, feature in _changing(decisions)}
    own = {step.feature: step for step in parse.steps if isinstance(step, Change) and step.feature in features}
    moves = {step.kind for step in own.values() if step.kind in MOVING}
    fixed = [name for name, step in own.items() if step.kind is ChangeKind.SET and name in amounts]
    ranges = {name: (features[name].low, features[name].high) for name in fixed}
    impossible = [name for name, (low, high) in ranges.items() if low is not None and high is not None
                  and not low <= amounts[name] <= high]  # fmt: skip
    return moves.pop() if len(moves) == 1 and fixed and fixed == impossible else None


def _only_repeats(condition: object, amounts: dict[str, float]) -> bool:
    return (
        isinstance(condition, NumericCondition)
        and condition.comparator is Comparator.EQUAL
        and amounts.get(condition.feature) == condition.value
    )
