"""The names for Python are the documented ones, and each says what it does."""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
PARTS = ("ttm", "inspired", "faithfulness", "annotation")
NAMED = set(re.findall(r"`([\w.]+)(?:\([^`]*\))?`", PAGE))


def names(part: str) -> dict[str, Any]:
    module = import_module(part)
    return {name: getattr(module, name) for name in module.__all__}


@pytest.mark.parametrize("part", PARTS)
def test_every_name_is_documented_and_every_documented_name_is_there(part: str) -> None:
    here = {f"{part}.{name}" for name in names(part)}
    documented = {name for name in NAMED if name.startswith(f"{part}.") and name != f"{part}.ui.build"}
    assert documented == here
    assert dir(import_module(part))
    with pytest.raises(AttributeError, match="its names are"):
        import_module(part).no_such_name  # noqa: B018


@pytest.mark.parametrize("part", PARTS)
def test_every_attribute_of_its_classes_is_documented(part: str) -> None:
    for name, value in names(part).items():
        if inspect.isclass(value):
            fields = getattr(value, "__dataclass_fields__", {})
            public = {each for each in (*vars(value), *fields) if not each.startswith("_")}
            assert public - NAMED == set(), f"{part}.{name}"


@pytest.mark.parametrize("part", PARTS)
def test_the_reference_has_a_section_made_from_the_docstrings_of_every_name(part: str) -> None:
    pages = "\n".join(page.read_text("utf-8") for page in (ROOT / "docs" / "reference" / "api").glob("*.md"))
    modules = set(re.findall(r"^::: (\S+)$", pages, re.MULTILINE))
    assert {value.__module__ for value in names(part).values()} - modules == set()


@pytest.mark.parametrize("part", PARTS)
def test_every_function_and_method_says_what_it_does_and_is_typed(part: str) -> None:
    for name, value in names(part).items():
        assert inspect.getdoc(value), name
        methods = [each for key, each in vars(value).items() if inspect.isfunction(each) and not key.startswith("_")]
        for call in methods if inspect.isclass(value) else [value]:
            signature = inspect.signature(call)
            assert signature.return_annotation is not inspect.Signature.empty, call
            untyped = [each.name for each in signature.parameters.values() if each.annotation is each.empty]
            assert untyped in ([], ["self"]), call
            assert inspect.getdoc(call), call
