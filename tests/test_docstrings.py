"""The API reference is made from docstrings: those of the names for Python give arguments, shapes, units, errors and source."""

import inspect
import re
import typing
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

from backend import errors

PARTS = ("ttm", "inspired", "faithfulness", "annotation")
SECTIONS = ("Args", "Attributes", "Returns", "Raises", "Source")
# What computes nothing of a paper: it keeps, opens, shows or hands on what others have computed.
NO_SOURCE = {
    *("ttm.load", "inspired.load", "inspired.to_dataset", "faithfulness.load", "annotation.example"),
    *(f"ttm.ModelChat.{name}" for name in ("undo", "restart", "report", "export", "to_dataset", "app", "save")),
    *("ttm.ChatAnswer.plot", "inspired.KnowledgeAnswer.choose"),
    *(f"faithfulness.MeasuredRun.{name}" for name in ("answers", "report", "to_dataset")),
    *(f"annotation.Study.{name}" for name in ("add", "serve", "app", "results", "export", "to_dataset")),
}
NEVER_RAISE = {"ttm.ModelChat.app", "annotation.Study.results"}  # of those that take arguments
ARRAYS = r"DataFrame|Series|ndarray|Explanation|datasets\.Dataset"
SHAPE = r"\([a-z]+, ?[a-z0-9 +]*\)|\([a-z]+, [^)]*\)"
UNIT = r"0 to 1|-1 to 1|unit|second|probability"


def sections(text: str) -> dict[str, str]:
    """The text of each section, and before the first of them under an empty name."""
    parts = re.split(rf"^({'|'.join(SECTIONS)}):$", text, flags=re.MULTILINE)
    return {"": parts[0].strip()} | {name: inspect.cleandoc(body) for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def entries(section: str) -> dict[str, str]:
    """Each name and what is said of it, continued lines and all."""
    parts = re.split(r"^(\w+): ", section, flags=re.MULTILINE)
    return {name: re.sub(r"\s+", " ", said).strip() for name, said in zip(parts[1::2], parts[2::2], strict=True)}


def public() -> Iterator[tuple[str, Any]]:
    """The names of the four parts, and what a class of them has: methods and properties."""
    for part in PARTS:
        module = import_module(part)
        for name in module.__all__:
            value = getattr(module, name)
            yield f"{part}.{name}", value
            for key, each in members(value, part).items() if inspect.isclass(value) else ():
                if isinstance(each, property) or (inspect.isfunction(each) and not key.startswith("_")):
                    yield f"{part}.{name}.{key}", each


def members(value: type, part: str) -> dict[str, Any]:
    """What a class has, with what it takes over from classes of its part."""
    own = [base for base in reversed(value.__mro__) if base.__module__.partition(".")[0] == part]
    return {key: each for base in own for key, each in vars(base).items()}


def annotation_of(call: Callable[..., Any], name: str) -> str:
    return str(call.__annotations__.get(name, ""))


EVERYTHING = dict(public())
CALLS = {name: each for name, each in EVERYTHING.items() if inspect.isfunction(each)}
VALUES = {name: each for name, each in EVERYTHING.items() if isinstance(each, property)}
CLASSES = {name: each for name, each in EVERYTHING.items() if inspect.isclass(each)}


def mistakes(name: str, call: Callable[..., Any]) -> list[str]:
    """What a reader misses in the docstring of a function or method."""
    parts = sections(inspect.getdoc(call) or "")
    takes = [each for each in inspect.signature(call).parameters if each != "self"]
    args, raises = entries(parts.get("Args", "")), entries(parts.get("Raises", ""))
    missing = [] if list(args) == takes else [f"Args are {list(args)}, not {takes}"]
    missing += [] if ("Returns" in parts) == (annotation_of(call, "return") not in ("None", "")) else ["Returns"]
    missing += [] if raises or not takes or name in NEVER_RAISE else ["Raises"]
    missing += [f"{error} is no error of Parley" for error in raises if not hasattr(errors, error)]
    missing += [] if ("Source" in parts) != (name in NO_SOURCE) else ["Source"]
    about = {f"argument {each}": (annotation_of(call, each), said) for each, said in args.items()}
    about |= {"result": (annotation_of(call, "return"), re.sub(r"\s+", " ", parts.get("Returns", "")))}
    for what, (type_, said) in about.items():
        missing += [f"shape of {what}"] if re.search(ARRAYS, type_ + said) and not re.search(SHAPE, said) else []
        missing += [f"unit of {what}"] if re.search(r"\bfloat\b", type_) and not re.search(UNIT, said) else []
    return missing


@pytest.mark.parametrize("name", CALLS)
def test_a_function_gives_arguments_result_errors_shapes_units_and_source(name: str) -> None:
    assert mistakes(name, CALLS[name]) == []


@pytest.mark.parametrize("name", VALUES)
def test_a_property_gives_the_shape_or_the_unit_of_what_it_is(name: str) -> None:
    getter = VALUES[name].fget
    said, type_ = inspect.getdoc(getter) or "", annotation_of(getter, "return")
    assert len(said) > 20
    assert re.search(SHAPE, said) or not re.search(ARRAYS, type_), "shape"
    assert re.search(UNIT, said) or not re.search(r"\bfloat\b", type_), "unit"


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_gives_its_attributes_with_their_units_and_its_source(name: str) -> None:
    value = CLASSES[name]
    parts = sections(inspect.getdoc(value) or "")
    fields, said = getattr(value, "__dataclass_fields__", {}), entries(parts.get("Attributes", ""))
    assert "Source" in parts
    assert list(said) == list(fields)
    for key, field in fields.items():
        assert re.search(UNIT, said[key]) or not re.search(r"\bfloat\b", str(field.type)), f"unit of {key}"
        assert re.search(SHAPE, said[key]) or not re.search(ARRAYS, str(field.type)), f"shape of {key}"


def test_names_without_a_source_or_errors_are_there() -> None:
    assert (NO_SOURCE | NEVER_RAISE) - set(EVERYTHING) == set()


def test_what_a_reader_misses_is_noticed() -> None:
    def weigh(rows: "np.ndarray", share: float) -> "pd.DataFrame":  # type: ignore[name-defined]  # noqa: F821
        """Weigh rows.

        Args:
            rows: The rows.
            share: How many of them.

        Raises:
            NoSuchError: Never.
        """

    assert mistakes("one.weigh", typing.cast(Any, weigh)) == [
        *("Returns", "NoSuchError is no error of Parley", "Source", "shape of argument rows", "unit of argument share"),
        "shape of result",
    ]
