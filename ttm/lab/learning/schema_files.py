"""Schemas as JSON files: all that the corpus needs of a table, without its rows."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from backend.errors import DatasetError
from ttm.tabular.data.schema import Direction, Feature, FeatureKind, Schema, Target


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
