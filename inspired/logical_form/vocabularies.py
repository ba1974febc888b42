"""The vocabularies that queries use beside Freebase's: what their names say of themselves, and other names in their place."""

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from inspired.logical_form.forms import Triple

Part = TypeVar("Part")
WIKIDATA = "http://www.wikidata.org/"
_PROPERTY = re.compile(rf"{re.escape(WIKIDATA)}(?:prop/(?:[\w-]+/)*|entity/)(P\d+)")
_NAMED = re.compile(r"<([^<>]+)>")
PATH = ("<", "(", "^", "!")


def wikidata_property(predicate: str) -> str | None:
    """`P36` of any of the names that Wikidata has for a property: of its values, statements, qualifiers."""
    match = _PROPERTY.fullmatch(predicate)
    return match[1] if match else None


def is_path(predicate: str) -> bool:
    return predicate.startswith(PATH)


def names_in(predicate: str) -> list[str]:
    """The names of a predicate: several in a path, none in a variable."""
    if predicate.startswith("?"):
        return []
    return _NAMED.findall(predicate) if is_path(predicate) else [predicate]


def with_predicates(part: Part, change: Callable[[str], str]) -> Part:
    """A pattern, a step or a form with other names for its predicates."""
    return _changed(part, lambda predicate: _renamed(predicate, change))  # type: ignore[no-any-return]


def _renamed(predicate: str, change: Callable[[str], str]) -> str:
    if is_path(predicate):
        return _NAMED.sub(lambda match: f"<{change(match[1])}>", predicate)
    return predicate if predicate.startswith("?") else change(predicate)


def _changed(part: Any, change: Callable[[str], str]) -> Any:
    if isinstance(part, Triple):
        return replace(part, predicate=change(part.predicate))
    if isinstance(part, tuple):
        return tuple(_changed(each, change) for each in part)
    if is_dataclass(part) and not isinstance(part, type):
        before = {each.name: getattr(part, each.name) for each in fields(part)}
        changed = {name: new for name, old in before.items() if old is not None and (new := _changed(old, change)) != old}
        return replace(part, **changed) if changed else part
    return part
