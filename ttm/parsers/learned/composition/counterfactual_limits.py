"""What a message says may change in a counterfactual: all but some columns, only some, at most so many."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ttm.language.operations.explanations import ChangeBound
from ttm.language.parse import Counterfactual, IdCondition, NumericCondition, Parse, PredictionCondition, Selection
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Schema

KEPT = re.compile(
    r"\bwithout (?:chang|touch|alter|modif)\w*|\bkeep(?:ing)?\b|\bleav(?:e|ing)\b|\bhold(?:ing)?\b|\bnot (?:chang|touch)\w*"
)
ONLY = re.compile(r"\b(?:only|just|solely|alone)\b")
ONLY_BEHIND = re.compile(r"\b(?:chang|alter|vary|modif|touch|mov|by|through|with)\w*(?: \S+){1,8} (?:only|alone)\b")
CHANGING = re.compile(r"\bchang\w*|\balter\w*|\bvary\w*|\bmodif\w*|\btouch\w*|\bcounterfactual\w*|\bflip\w*")
SMALLEST = re.compile(
    r"\b(?:smallest|least|slightest|tiniest|minim(?:al|um)) (?:\w+ )?"
    r"(?:change|shift|move|increase|decrease|reduction|drop|rise) (?:in|of|to|on|for) (?:\S+ ?){1,4}"
)
AT_MOST = re.compile(
    r"\b(?:at most|no more than|not more than|up to|max(?:imum)?(?: of)?) NN (?:\w+ )?"
    r"(?:chang|feature|column|thing|attribute|value)"
    r"|\bNN (?:\w+ )?(?:change|feature|column|thing|attribute|value)s? (?:at (?:most|maximum)|max(?:imum)?|or (?:less|fewer))\b"
)


def columns_named(mentions: Sequence[SchemaMention], start: int, end: int, schema: Schema) -> list[str]:
    """Columns that are named between two tokens."""
    named = [mention.name.feature for mention in mentions if mention.start >= start and mention.end <= end]
    return list(dict.fromkeys(feature.token for feature in named if feature is not None))


def limits_of(
    text: str, tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema, asks_change: bool = False
) -> dict[str, tuple[str, ...] | int | bool]:
    """What may change in a counterfactual, as fields of `Counterfactual`. `asks_change`: one is asked for in other words than
    those of `CHANGING`: "could it be reached by renovating the bathrooms alone?"."""
    limits: dict[str, tuple[str, ...] | int | bool] = {}
    starts = {"keep": KEPT.search(text), "only": ONLY.search(text) if asks_change or CHANGING.search(text) else None}
    for field, match in starts.items():
        if match is not None:
            names = columns_named(mentions, text[: match.start()].count(" "), len(tokens), schema)
            behind = ONLY_BEHIND.search(text) if field == "only" and not names else None
            if behind is not None:
                names = columns_named(mentions, text[: behind.start()].count(" "), text[: behind.end()].count(" ") + 1, schema)
            limits |= {field: tuple(names)} if names else {}
    smallest = SMALLEST.search(text)
    if smallest is not None and "only" not in limits:
        first, last = text[: smallest.start()].count(" "), text[: smallest.end()].count(" ") + 1
        limits["only"] = tuple(columns_named(mentions, first, last, schema))
    most = AT_MOST.search(text)
    numbers = [token for token in tokens if token.kind is TokenKind.NUMBER]
    if most is not None:
        before = text[: most.start()].count("NN")
        limits["most"] = int(numbers[before].value)
    limits = {field: value for field, value in limits.items() if value}
    return limits | ({"dice": True} if "dice" in text.split() else {})


def bounded(parse: Parse) -> Parse:
    """A parse whose conditions on the numbers of a row that is named bound what its counterfactual may change.

    Such a row is what it is; "how can 5 be flipped with glucose not below 100?" is about what it becomes.
    """
    selections = [step for step in parse.steps if isinstance(step, Selection)]
    if len(selections) != 1 or len(selections[0].groups) != 1 or len(selections[0].groups[0]) != 1:
        return parse
    ((conditions,),) = selections[0].groups
    bounds = [one for one in conditions if isinstance(one, NumericCondition) and not isinstance(one.value, str)]
    if not any(isinstance(one, IdCondition) for one in conditions):
        return parse
    within = tuple(ChangeBound(one.feature, one.comparator, float(one.value)) for one in bounds)
    rest = tuple(one for one in conditions if one not in bounds)
    steps = [replace(step, within=within) if isinstance(step, Counterfactual) else step for step in parse.steps]
    if not within or steps == list(parse.steps):
        return parse
    return Parse(tuple(replace(step, groups=((rest,),)) if isinstance(step, Selection) else step for step in steps))


def aimed(parse: Parse) -> Parse:
    """A parse whose condition on the predicted quantity of a row that is named is what its counterfactual should reach.

    "What would 50 have to change to be predicted above 1,200?" is about a prediction that the row does not have.
    """
    match parse.steps:
        case (Selection(groups=(((*conditions,),),)) as selection, Counterfactual(comparator=None) as asked):
            goals = [one for one in conditions if isinstance(one, PredictionCondition) and one.comparator is not None]
            rest = tuple(one for one in conditions if one not in goals)
            if len(goals) != 1 or not any(isinstance(one, IdCondition) for one in rest):
                return parse
            goal = replace(asked, comparator=goals[0].comparator, value=float(goals[0].value))
            return Parse((replace(selection, groups=((rest,),)), goal))
    return parse


def limited(node: Counterfactual, limits: dict[str, tuple[str, ...] | int | bool]) -> Counterfactual:
    """The counterfactual with these limits; what is kept above or below a value is not kept as it is.

    Where the message names what is kept or what alone may change, a reading has no other of these.
    """
    if not limits.keys().isdisjoint(("keep", "only")):
        node = replace(node, keep=(), only=())
    count = None if node.count == limits.get("most") else node.count
    node = replace(node, count=count, **limits)  # type: ignore[arg-type]
    keep = tuple(name for name in node.keep if name not in {one.feature for one in node.within})
    return replace(node, keep=keep, only=tuple(name for name in node.only if name not in keep))
