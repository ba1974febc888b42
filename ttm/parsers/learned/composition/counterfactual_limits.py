"""What a message says may change in a counterfactual: all but some columns, only some, at most so many."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ttm.language.parse import Counterfactual
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Schema

KEPT = re.compile(
    r"\bwithout (?:chang|touch|alter|modif)\w*|\bkeep(?:ing)?\b|\bleav(?:e|ing)\b|\bhold(?:ing)?\b|\bnot (?:chang|touch)\w*"
)
ONLY = re.compile(r"\b(?:only|just|solely)\b")
CHANGING = re.compile(r"\bchang\w*|\balter\w*|\bvary\w*|\bmodif\w*|\btouch\w*|\bcounterfactual\w*|\bflip\w*")
AT_MOST = re.compile(
    r"\b(?:at most|no more than|not more than|up to|max(?:imum)?(?: of)?) NN (?:\w+ )?"
    r"(?:chang|feature|column|thing|attribute|value)"
)


def columns_named(mentions: Sequence[SchemaMention], start: int, end: int, schema: Schema) -> list[str]:
    """Columns that are named between two tokens."""
    named = [mention.name.feature for mention in mentions if mention.start >= start and mention.end <= end]
    return list(dict.fromkeys(feature.token for feature in named if feature is not None))


def limits_of(
    text: str, tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema
) -> dict[str, tuple[str, ...] | int | bool]:
    """What may change in a counterfactual, as fields of `Counterfactual`."""
    limits: dict[str, tuple[str, ...] | int | bool] = {}
    starts = {"keep": KEPT.search(text), "only": ONLY.search(text) if CHANGING.search(text) else None}
    for field, match in starts.items():
        if match is not None:
            names = columns_named(mentions, text[: match.start()].count(" "), len(tokens), schema)
            limits |= {field: tuple(names)} if names else {}
    most = AT_MOST.search(text)
    numbers = [token for token in tokens if token.kind is TokenKind.NUMBER]
    if most is not None:
        before = text[: most.start()].count("NN")
        limits["most"] = int(numbers[before].value)
    return limits | ({"dice": True} if "dice" in text.split() else {})


def limited(node: Counterfactual, limits: dict[str, tuple[str, ...] | int | bool]) -> Counterfactual:
    count = None if node.count == limits.get("most") else node.count
    return replace(node, count=count, **limits)  # type: ignore[arg-type]
