"""`dataset.toml`: what a person states about a data set. Everything left out here is inferred from the columns."""

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from backend.errors import DatasetError
from ttm.tabular.data.schema import Direction, FeatureKind

Text = Annotated[str, Field(min_length=1, max_length=10_000, pattern=r"^[^\x00]*$")]
Decimals = Annotated[int, Field(ge=0, le=10)]


DEEPEST, MOST_DOTS = 6, 200  # tables and lists in each other, and dots in a line
MOST_COMPLAINTS = 10


class FeatureConfig(BaseModel):
    """One `[features.COLUMN]` table; `range` bounds what counterfactuals may propose, in the column's own unit."""

    model_config = ConfigDict(extra="forbid")

    definition: Text | None = None
    unit: Text | None = None
    synonyms: list[Text] | None = None
    precision: Decimals | None = None
    mutable: bool | None = None
    range: tuple[float, float] | None = None
    direction: Direction | None = None
    kind: FeatureKind | None = None

    @model_validator(mode="after")
    def _range_is_ordered(self) -> "FeatureConfig":
        if self.range is not None and self.range[0] >= self.range[1]:
            raise ValueError(f"range must be [low, high] with low below high, not {list(self.range)}")
        return self


class DatasetConfig(BaseModel):
    """A whole `dataset.toml`. Only `data` and `target` are required; paths are relative to the folder.

    `entity` is the plural noun for rows; `ignore` names columns that are no features; `task` settles whether a column
    of whole numbers holds classes or quantities; `id` names the column of ids, false where rows are only numbered;
    `model_classes` are the values of the target that a model's
    0, 1, ... stand for.
    """

    model_config = ConfigDict(extra="forbid")

    data: Text
    target: Text
    title: Text | None = None
    objective: Text | None = None
    entity: Text | None = None
    train: Text | None = None
    model: Text | None = None
    id: Text | Literal[False] | None = None
    classes: list[Text] | None = None
    model_classes: list[Text] | None = None
    precision: Decimals | None = None
    task: Literal["classification", "regression"] | None = None
    ignore: list[Text] = []
    features: dict[str, FeatureConfig] = {}


def read_config(path: Path, **known: Any) -> DatasetConfig:
    """Read a `dataset.toml`; `known` overrules keys that the caller has settled (data file and target of a command line).

    Raises DatasetError naming the file, the key and what would be valid.
    """
    try:
        content = read_flat_toml(path.read_text("utf-8"))
    except OSError as error:
        raise DatasetError(f"Cannot read {path}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path} is not UTF-8 text; TOML files must be.") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DatasetError(f"{path} is not valid TOML: {error}.") from error
    return checked_config(content | known, path.name)


def read_flat_toml(text: str) -> dict[str, Any]:
    """Read TOML in which little stands in each other, as in a file that describes something.

    Raises TOMLDecodeError for more: a name of 100,000 parts makes as many tables in each other, which takes minutes, and what
    looks at them afterwards runs out of stack, which ends the program.
    """
    if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
        raise tomllib.TOMLDecodeError(f"a line has more than {MOST_DOTS} dots")
    content = tomllib.loads(text)
    inside: list[Any] = [content]
    for _ in range(DEEPEST):
        inside = [value for each in inside for value in (each.values() if isinstance(each, dict) else each)]
        inside = [value for value in inside if isinstance(value, dict | list)]
    if inside:
        raise tomllib.TOMLDecodeError(f"more than {DEEPEST} tables and lists stand in each other")
    return content


def checked_config(content: Mapping[str, Any], origin: str) -> DatasetConfig:
    """Check what was stated about a data set in `origin`, a file or a call. Raises DatasetError as `read_config` does."""
    try:
        return DatasetConfig.model_validate(content)
    except ValidationError as error:
        first = error.errors()[:MOST_COMPLAINTS]
        raise DatasetError("; ".join(_complaint(origin, item) for item in first)) from error


def _complaint(origin: str, item: Any) -> str:
    where = ".".join(str(part) for part in item["loc"])
    if item["type"] == "missing":
        return f"{origin}: the required key `{where}` is missing"
    if item["type"] == "extra_forbidden":
        return f"{origin}: unknown key `{where}`; {_nearest(item['loc'])}"
    return f"{origin}: `{where or 'file'}`: {item['msg']} (found {item.get('input')!r})"


def _nearest(location: tuple[str | int, ...]) -> str:
    inside_feature = len(location) > 1 and location[0] == "features"
    valid = sorted(FeatureConfig.model_fields if inside_feature else DatasetConfig.model_fields)
    close = difflib.get_close_matches(str(location[-1]), valid, n=1, cutoff=0.5)
    hint = f"did you mean `{close[0]}`? " if close else ""
    return f"{hint}valid keys are {', '.join(valid)}"
