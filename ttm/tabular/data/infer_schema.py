"""Schema from columns: stated properties are taken, the others inferred and named as inferred."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_integer_dtype, is_numeric_dtype

from backend.errors import DatasetError
from ttm.tabular.data.column_kinds import Column, Unusable, sorted_values, usable_column
from ttm.tabular.data.dataset_config import DatasetConfig, FeatureConfig
from ttm.tabular.data.encoding import days
from ttm.tabular.data.number_columns import is_number_or_missing
from ttm.tabular.data.schema import Direction, Feature, FeatureKind, Target, aliases, feature_tokens, readable

MAX_CLASSES = 20
MAX_DECIMALS = 4
SAMPLE = 10_000
NO_UNITS: Mapping[str, str] = MappingProxyType({})
# Facts about a person that no advice can change; matched against the words of a column's name.
UNCHANGEABLE = frozenset(
    {
        "age",
        "sex",
        "gender",
        "race",
        "ethnicity",
        "woman",
        "man",
        "male",
        "female",
        "birth",
        "birthday",
        "nationality",
        "religion",
    }
)


@dataclass(frozen=True)
class Features:
    """The features, their columns in the same order, and a sentence for each column left out."""

    features: tuple[Feature, ...]
    frame: pd.DataFrame
    notes: tuple[str, ...]


def infer_features(
    table: pd.DataFrame, config: DatasetConfig, wanted: Sequence[str] | None, units: Mapping[str, str] = NO_UNITS
) -> Features:
    """Turn the columns of `table` (n rows; neither id nor target among them) into features.

    `wanted` are the columns that a given model reads, in its order; without it every usable column is a feature.
    `units` are those that the values of columns carried; a stated one goes before.
    Raises DatasetError if nothing usable is left, or a described or wanted column does not exist.
    """
    names = _names(table, config, wanted)
    columns: dict[str, Column] = {}
    reasons: dict[str, list[str]] = {}
    for name in names:
        stated = config.features.get(name)
        required = wanted is not None or stated is not None
        column = usable_column(table[name], stated.kind if stated else None, required)
        if isinstance(column, Unusable):
            reasons.setdefault(column.reason, []).append(name)
        else:
            columns[name] = column
    notes = tuple(f"{_listed(left_out)} left out because {reason}." for reason, left_out in reasons.items())
    if not columns:
        raise DatasetError("No usable feature column is left. " + " ".join(notes))
    tokens = feature_tokens(list(columns))
    alike = dict(zip(columns, aliases(list(columns), config.target), strict=True))
    notes += tuple(
        f'Column "{name}" is called "{alias}", since its name reads like that of another.'
        for name, alias in alike.items()
        if alias
    )
    features = tuple(
        _feature(name, token, column, config, units.get(name, ""), alike[name])
        for (name, column), token in zip(columns.items(), tokens, strict=True)
    )
    frame = pd.DataFrame({name: column.series for name, column in columns.items()}, index=table.index, copy=False)
    return Features(features, frame, notes)


def _names(table: pd.DataFrame, config: DatasetConfig, wanted: Sequence[str] | None) -> list[str]:
    present = [str(name) for name in table.columns]
    for name in [*config.features, *config.ignore, *(wanted or ())]:
        if name not in present:
            raise DatasetError(f"There is no feature column {name!r}; the columns are {', '.join(present[:40])}.")
    return list(wanted) if wanted is not None else [name for name in present if name not in config.ignore]


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"Column {shown} was" if len(names) == 1 else f"Columns {shown} were"


def _feature(name: str, token: str, column: Column, config: DatasetConfig, unit: str, alias: str) -> Feature:
    stated = config.features.get(name) or FeatureConfig()
    low, high = _bounds(column)
    inferred = {
        "kind": column.kind,
        "precision": _precision(column),
        "mutable": _mutable(name),
        "definition": _definition(alias or readable(name), column, low, high),
        "direction": Direction.ANY,
    }
    settings = {key: getattr(stated, key) for key in inferred if getattr(stated, key) is not None}
    if "precision" not in settings and config.precision is not None and column.kind is FeatureKind.NUMERIC:
        settings["precision"] = config.precision
    return Feature(
        name=name,
        token=token,
        values=column.values,
        low=low,
        high=high,
        unit=stated.unit or (unit if column.kind is FeatureKind.NUMERIC else ""),
        synonyms=tuple(stated.synonyms or ()),
        range=stated.range,
        alias=alias,
        inferred=frozenset(inferred.keys() - settings.keys()),
        **(inferred | settings),  # type: ignore[arg-type]
    )


def _bounds(column: Column) -> tuple[float | None, float | None]:
    if column.kind is FeatureKind.CATEGORICAL or (column.kind is FeatureKind.BOOLEAN and isinstance(column.values[0], str)):
        return None, None
    if column.kind is FeatureKind.BOOLEAN:
        return 0.0, 1.0
    numbers = days(column.series) if column.kind is FeatureKind.DATE else column.series.to_numpy(np.float64, na_value=np.nan)
    if np.isnan(numbers).all():
        return None, None
    return float(np.nanmin(numbers)), float(np.nanmax(numbers))


def _mutable(name: str) -> bool:
    return not set(readable(name).lower().split()) & UNCHANGEABLE


def _precision(column: Column) -> int:
    return decimals(column.series) if column.kind is FeatureKind.NUMERIC else 0


def decimals(series: pd.Series) -> int:
    """How many decimals to show: as many as the values have, but no more than three digits of their spread need."""
    known = series.dropna()
    if is_integer_dtype(known.dtype) or known.empty:
        return 0
    numbers = known.iloc[:: max(1, len(known) // SAMPLE)].to_numpy(np.float64)
    written = next((d for d in range(MAX_DECIMALS) if np.allclose(numbers, numbers.round(d), rtol=0, atol=1e-9)), MAX_DECIMALS)
    spread = float(np.quantile(numbers, 0.95) - np.quantile(numbers, 0.05)) or float(np.ptp(numbers)) or 1.0
    useful = max(0, 2 - math.floor(math.log10(spread)))
    return min(written, useful)


def _definition(label: str, column: Column, low: float | None, high: float | None) -> str:
    if column.kind is FeatureKind.BOOLEAN:
        return f"{label}, yes or no"
    if column.kind is FeatureKind.CATEGORICAL:
        shown = [str(value) for value in column.values[:4]]
        more = f" and {len(column.values) - 4} more" if len(column.values) > 4 else ""
        return f"{label}, one of {', '.join(shown)}{more}"
    if low is None or high is None:
        return label
    if column.kind is FeatureKind.DATE:
        return f"{label}, a date from {column.series.min():%Y-%m-%d} to {column.series.max():%Y-%m-%d}"
    places = _precision(column)
    return f"{label}, a number from {low:.{places}f} to {high:.{places}f}"


@dataclass(frozen=True)
class Labels:
    """The target and its numbers a row: class numbers (-1 unknown) or floats (NaN unknown)."""

    target: Target
    numbers: np.ndarray


def infer_target(column: pd.Series, config: DatasetConfig, unit: str = "") -> Labels:
    """Read the target column: classes for texts, yes/no and few whole numbers, else a quantity in `unit`.

    Raises DatasetError if there is a single value, or more than MAX_CLASSES classes, or the class names do not fit.
    """
    known = column.dropna()
    if known.empty:
        raise DatasetError(f"The target column {column.name!r} has no values.")
    if config.task == "regression" or (config.task is None and not config.classes and _is_quantity(known)):
        return _quantity(column, known, config, unit)
    values = sorted_values([_plain(value) for value in known.unique().tolist()])
    if len(values) < 2:
        raise DatasetError(f"The target column {column.name!r} has one value only ({values[0]}); two are needed.")
    if len(values) > MAX_CLASSES:
        raise DatasetError(
            f"The target column {column.name!r} has {len(values):,} different values; at most "
            f"{MAX_CLASSES} classes, or a column of numbers to predict a quantity, can be used.{_no_number(values)}"
        )
    names = _class_names(column, values, config)
    target = Target(str(column.name), names, tuple(values), model_values=_model_values(column, values, config))
    places = {value: index for index, value in enumerate(values)}
    numbers = column.map(places).fillna(-1).to_numpy(np.int64)
    return Labels(target, numbers)


def _no_number(values: list[object]) -> str:
    """A value that kept a column from being read as numbers."""
    text = next((value for value in values if isinstance(value, str) and not is_number_or_missing(value)), None)
    return " Not all have the same unit." if text is None else f" {text!r} is no number."


def _is_quantity(known: pd.Series) -> bool:
    if not is_numeric_dtype(known.dtype) or is_bool_dtype(known.dtype):
        return False
    distinct = known.nunique()
    fractional = is_float_dtype(known.dtype) and bool((known != known.round()).any())
    return distinct > 2 and (fractional or distinct > MAX_CLASSES or distinct > max(10, len(known) / 2))


def _quantity(column: pd.Series, known: pd.Series, config: DatasetConfig, unit: str) -> Labels:
    if not is_numeric_dtype(known.dtype) or is_bool_dtype(known.dtype):
        raise DatasetError(f"The target column {column.name!r} holds no numbers, so it is no quantity to predict.")
    if known.nunique() < 2:
        raise DatasetError(f"The target column {column.name!r} has one value only ({known.iloc[0]}); more are needed.")
    if config.classes:
        raise DatasetError("`classes` names classes, but the task is stated to be regression; leave one of them out.")
    numbers = column.to_numpy(np.float64, na_value=np.nan)
    places = decimals(column) if config.precision is None else config.precision
    target = Target(str(column.name), unit=unit, precision=places, low=float(known.min()), high=float(known.max()))
    return Labels(target, numbers)


def _plain(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _model_values(column: pd.Series, values: list[object], config: DatasetConfig) -> tuple[str, ...]:
    stated = tuple(config.model_classes or ())
    if stated and sorted(stated) != sorted(str(value) for value in values):
        raise DatasetError(
            f"`model_classes` must name the values of {column.name!r} once each, in the order of the model's 0, 1, ...: "
            f"{', '.join(map(str, values))}; it gives {', '.join(stated)}."
        )
    return stated


def _class_names(column: pd.Series, values: list[object], config: DatasetConfig) -> tuple[str, ...]:
    if config.classes is None:
        if all(isinstance(value, str) for value in values):
            return tuple(str(value) for value in values)
        return tuple(f"{readable(str(column.name))} {value}" for value in values)
    if len(config.classes) != len(values) or len(set(config.classes)) != len(values):
        raise DatasetError(
            f"`classes` must give {len(values)} different names, for the values "
            f"{', '.join(map(str, values))} of {column.name!r} in this order; it gives "
            f"{len(config.classes)}: {', '.join(config.classes)}."
        )
    return tuple(config.classes)
