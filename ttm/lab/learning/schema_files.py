"""Schemas as JSON files: all that the corpus needs of a table, without its rows."""

import json
from dataclasses import asdict, fields
from datetime import date, datetime
from pathlib import Path
from typing import Any

from backend.errors import DatasetError
from ttm.tabular.data.schema import Direction, Feature, FeatureKind, Schema, Target


def write_schema(schema: Schema, path: Path) -> None:
    """Write a schema with one line a column."""
    stated = asdict(schema)
    features = [_without_empty(feature) for feature in stated.pop("features")]
    lines = ",\n  ".join(json.dumps(feature, ensure_ascii=False, default=_plain) for feature in features)
    rest = json.dumps(stated, ensure_ascii=False, indent=1, default=_plain).rstrip("}").rstrip()
    path.write_text(f'{rest},\n "features": [\n  {lines}\n ]\n}}\n', encoding="utf-8")


def _without_empty(feature: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in feature.items() if value not in ("", None, (), frozenset())}


def _plain(value: object) -> object:
    if isinstance(value, frozenset | set | tuple):
        return sorted(value) if isinstance(value, frozenset | set) else list(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    item = getattr(value, "item", None)
    return item() if callable(item) else str(value)


def read_schema(path: Path) -> Schema:
    """Raises DatasetError where the file is no schema."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        features = tuple(_feature(one) for one in stored.pop("features"))
        target = Target(**{name: _tuple(value) for name, value in stored.pop("target").items()})
        return Schema(features=features, target=target, **{name: _tuple(value) for name, value in stored.items()})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DatasetError(f"{path} holds no schema of a table: {error}") from error


def _feature(stored: dict[str, Any]) -> Feature:
    values = {name: _tuple(value) for name, value in stored.items() if name in {one.name for one in fields(Feature)}}
    values["kind"] = FeatureKind(values["kind"])
    values["direction"] = Direction(values.get("direction", Direction.ANY))
    values["inferred"] = frozenset(values.get("inferred", ()))
    return Feature(**values)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def read_schemas(folder: Path) -> dict[str, Schema]:
    """The schemas of all tables of a corpus, by name."""
    return {path.stem: read_schema(path) for path in sorted(folder.glob("*.json"))}
