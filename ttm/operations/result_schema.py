"""JSON schemas of results, made from their dataclasses: what `as_json` gives of a result satisfies the schema of its type."""

import inspect
import types
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd

from ttm.operations.results import Group, Result

Schema = dict[str, Any]
PLAIN: dict[Any, Schema] = {
    Any: {},
    object: {},
    type(None): {"type": "null"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": ["number", "null"]},  # what is not finite becomes null
    str: {"type": "string"},
    date: {"type": "string"},
    pd.Timestamp: {"type": ["string", "null"]},
    pd.DataFrame: {"type": "array", "items": {"type": "object"}},
    pd.Series: {"type": "object"},
}
LISTS = (tuple, list, set, frozenset, np.ndarray, AbstractSet)


def result_schema(kind: type[Result]) -> Schema:
    """The schema of one type of result: its fields, all of them always there, and its name as `type`."""
    return _of(kind, ())


def one_of_results(*kinds: type[Result]) -> Schema:
    """The schema of a result that is of one of several types, told apart by `type`."""
    return any_result() | {"anyOf": [result_schema(kind) for kind in kinds]}


def any_result() -> Schema:
    """The schema of what all results have: which type it is, the operation as it is written, the rows it is about."""
    common = {"type": {"type": "string"}, "operation": {"type": "string"}, "group": _of(Group, ())}
    return {"type": "object", "properties": common, "required": list(common)}


def _of(hint: Any, around: tuple[Any, ...]) -> Schema:
    """`around` are the dataclasses that the hint stands in: one within itself is any object, so that there is an end."""
    if hint in PLAIN:
        return dict(PLAIN[hint])
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_of(each, around) for each in inner]}
    if hint in around or hint is Result:
        return {"type": "object"}
    kind = origin or hint
    if is_dataclass(kind):
        return _object(kind, (*around, hint))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [each.value for each in kind]}
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return {"type": "object", "additionalProperties": _of(inner[1], around) if inner else {}}
    if isinstance(kind, type) and issubclass(kind, LISTS):
        return _list(kind, inner, around)
    raise TypeError(f"{hint!r} has no JSON schema")


def _object(kind: Any, around: tuple[Any, ...]) -> Schema:
    hints = get_type_hints(kind)
    named = {field.name: _of(hints[field.name], around) for field in fields(kind)}
    if issubclass(kind, Result):
        named = {"type": {"const": kind.__name__}} | named
    about = inspect.getdoc(kind) or ""
    described = {} if about.startswith(f"{kind.__name__}(") else {"description": " ".join(about.split())}
    return {"type": "object", **described, "properties": named, "required": list(named), "additionalProperties": False}


def _list(kind: type, inner: tuple[Any, ...], around: tuple[Any, ...]) -> Schema:
    if not inner or issubclass(kind, np.ndarray):
        return {"type": "array"}
    if issubclass(kind, tuple) and inner[-1] is not ...:
        sides = [_of(each, around) for each in inner]
        return {"type": "array", "prefixItems": sides, "minItems": len(sides), "maxItems": len(sides)}
    return {"type": "array", "items": _of(inner[0], around)}
