"""Holds an answer's JSON against what the oracle expects of it."""

import math
from collections.abc import Iterator
from typing import Any

TOLERANCE = 1e-9


def differences(expected: Any, got: Any, where: str = "") -> Iterator[str]:
    """What is not as expected, a line each; entries of an object that are not expected are left alone."""
    if callable(expected):
        raise TypeError("an expectation that depends on the answer must stand in an object")
    if isinstance(expected, dict):
        yield from _objects(expected, got, where)
    elif isinstance(expected, list | tuple):
        if not isinstance(got, list) or len(got) != len(expected):
            yield f"{where}: expected {len(expected)} items {expected!r:.200}, got {got!r:.200}"
            return
        for place, (one, other) in enumerate(zip(expected, got, strict=True)):
            yield from differences(one, other, f"{where}[{place}]")
    elif not _same(expected, got):
        yield f"{where}: expected {expected!r}, got {got!r}"


def _objects(expected: dict[str, Any], got: Any, where: str) -> Iterator[str]:
    if not isinstance(got, dict):
        yield f"{where}: expected an object {expected!r:.200}, got {got!r:.200}"
        return
    for name, value in expected.items():
        if name not in got:
            yield f"{where}.{name}: expected {value!r:.200}, but there is no such entry"
        else:
            yield from _entry(value, got, name, f"{where}.{name}")
        if name == "type" and got.get(name) != value:
            return


def _entry(value: Any, got: dict[str, Any], name: str, where: str) -> Iterator[str]:
    try:
        wanted = value(got) if callable(value) else value
    except AssertionError as error:
        yield f"{where}: {error or 'not as it must be'}, got {got[name]!r:.300}"
    else:
        yield from differences(wanted, got[name], where)


def _same(expected: Any, got: Any) -> bool:
    if _number(expected) is None:
        return bool(_plain(expected) == got)
    value = _number(got)
    return value is not None and math.isclose(_number(expected) or 0.0, value, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _number(value: Any) -> float | None:
    """A finite number, or None for anything else: JSON has no NaN."""
    if isinstance(value, str) or value is None:
        return None
    return float(value) if math.isfinite(value) else None


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) else value
