"""Figures about countries with their years, as `indicators.toml` tells where to find them."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from inspired.lab.world_facts.countries import Countries, at, country_id
from inspired.lab.world_facts.factbook_text import FactbookQuantity, quantity, whole
from inspired.lab.world_facts.facts import Facts, decimal, integer, schema, year
from inspired.lab.world_facts.sources import Page

# The predicates of each mediating type: of the number, and of the year.
_DATED = {
    "measurement_unit.dated_integer": ("number", "year"),
    "measurement_unit.dated_float": ("number", "date"),
    "measurement_unit.dated_percentage": ("rate", "date"),
    "measurement_unit.dated_money_value": ("amount", "valid_date"),
    "measurement_unit.dated_metric_ton": ("number", "date"),
}


def add_indicators(facts: Facts, countries: Countries) -> None:
    """Figures without a year are left out: nobody could tell what they are worth. Amounts of money are in US dollars."""
    for iso, page in countries.pages.items():
        for predicate, indicator in _table().items():
            figures = [(text, quantity(text, indicator["unit"])) for text in _texts(page, indicator["at"])]
            dated = sorted((each for _, each in figures if each and each.year), key=lambda each: -(each.year or 0))
            for each in dated[: indicator.get("years", 1)]:
                _add(facts, iso, predicate, each)
            for text, read in figures:
                if read is None or read.year is None:
                    facts.leave_out(indicator["at"], text)


def _texts(page: Page, way: str) -> Iterator[str]:
    if not way.endswith("*"):
        yield from filter(None, [at(page, way)])
        return
    folder, _, last = way.rpartition("/")
    section = _section(page, folder)
    for key in sorted(section):
        if re.fullmatch(re.escape(last[:-1]) + r"\d{4}", key):
            yield at(section, key)


def _section(page: Page, way: str) -> Page:
    node: Any = page
    for key in way.split("/"):
        node = node.get(key, {})
    return node if isinstance(node, dict) else {}


def _add(facts: Facts, iso: str, predicate: str, figure: FactbookQuantity) -> None:
    kind = schema().properties[predicate].range
    number, when = _DATED[kind]
    value: str | None = decimal(figure.value)
    if kind == "measurement_unit.dated_integer":
        rounded = whole(figure.value)
        if rounded is None:
            facts.leave_out(predicate, figure.value)
            return
        value = integer(rounded)
    assert figure.year is not None
    values = {number: value, when: year(figure.year)}
    key = f"{predicate.rpartition('.')[2]}_{iso.lower()}_{figure.year}"
    facts.mediator(country_id(iso), predicate, key, **values)
    facts.keep(_table()[predicate]["at"])


@cache
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("indicators.toml").read_text(encoding="utf-8"))
