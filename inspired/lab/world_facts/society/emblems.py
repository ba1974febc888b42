"""Anthems, symbols, colors, holidays and World Heritage Sites of countries, from the CIA World Factbook."""

import re

from inspired.lab.world_facts.countries import Countries, at, country_id
from inspired.lab.world_facts.economy.trade import good
from inspired.lab.world_facts.factbook_text import clean, listed, parts
from inspired.lab.world_facts.facts import Facts, code, ref, slug, year
from inspired.lab.world_facts.sources import Page

_ANTHEM = "Government/National anthem(s)"
_SYMBOLS = "Government/National symbol(s)"
_COLORS = "Government/National color(s)"
_HOLIDAY = "Government/National holiday"
_HERITAGE = "Government/National heritage/selected World Heritage Site locales"
_CATEGORIES = {"c": "cultural", "n": "natural", "m": "mixed"}
_COLOR = re.compile(r"(?:(?:light|dark|sky|royal|navy|golden|bright) )?[a-z]+")
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"


def add_emblems(facts: Facts, countries: Countries) -> None:
    for iso, page in countries.pages.items():
        _anthem(facts, iso, page)
        _symbols(facts, iso, page)
        _colors(facts, iso, page)
        _holidays(facts, iso, page)
        _heritage(facts, iso, page)


def _anthem(facts: Facts, iso: str, page: Page) -> None:
    title = clean(at(page, f"{_ANTHEM}/title")).replace("“", '"').replace("”", '"')
    match = re.fullmatch(r'"(?P<title>[^"]{3,70})"(?: ?\((?P<english>[^()"]+)\))?', title)
    if match is None:
        if title:
            facts.leave_out(_ANTHEM, f"{iso}: {title}")
        return
    id_ = facts.named("anthem", match["title"], "government.national_anthem")
    facts.alias(id_, *filter(None, [match["english"]]))
    adopted = re.match(r"adopted (?:\d{1,2} [A-Z][a-z]+ )?(\d{4})\b", clean(at(page, f"{_ANTHEM}/history")))
    facts.mediator(
        country_id(iso),
        "location.country.national_anthem",
        f"anthem_{iso.lower()}",
        anthem=ref(id_),
        adoption_date=year(int(adopted[1])) if adopted else None,
    )
    facts.keep(_ANTHEM)


def _symbols(facts: Facts, iso: str, page: Page) -> None:
    for name in (each for half in parts(clean(at(page, _SYMBOLS)), ";") for each in listed(half)[0]):
        if good(name) and ":" not in name:
            symbol = facts.named("symbol", name, "symbols.national_symbol")
            facts.fact(country_id(iso), "location.country.national_symbol", ref(symbol))
            facts.keep(_SYMBOLS)
        else:
            facts.leave_out(_SYMBOLS, f"{iso}: {name}")


def _colors(facts: Facts, iso: str, page: Page) -> None:
    """Pages that tell the colors of parts of the country apart are left out."""
    text = clean(at(page, _COLORS))
    names = listed(text)[0]
    if not names or not all(_COLOR.fullmatch(name) for name in names) or ";" in text:
        if text:
            facts.leave_out(_COLORS, f"{iso}: {text}")
        return
    for name in names:
        facts.fact(country_id(iso), "location.country.national_color", ref(facts.named("color", name, "symbols.color")))
        facts.keep(_COLORS)


def _holidays(facts: Facts, iso: str, page: Page) -> None:
    for part in parts(clean(at(page, _HOLIDAY)), ";"):
        read = holiday(part)
        if read is None:
            facts.leave_out(_HOLIDAY, f"{iso}: {part}")
            continue
        name, when = read
        facts.mediator(
            country_id(iso),
            "location.country.national_holiday",
            f"holiday_{iso.lower()}_{slug(name)}",
            holiday=ref(facts.named("holiday", name, "time.holiday")),
            day=code(when),
        )
        facts.keep(_HOLIDAY)


def holiday(part: str) -> tuple[str, str] | None:
    """Name and day: "Independence Day, 4 July (1776)"."""
    pattern = rf"(?P<name>[A-Z][\w' .-]+?)(?: \([^()]*\))?, (?P<day>\d{{1,2}} (?:{_MONTHS}))(?: \(\d{{4}}\))?"
    match = re.fullmatch(pattern, part.strip())
    if match is None:
        return None
    return re.sub(r"\b[A-Z]{5,}\b", lambda word: word[0].capitalize(), match["name"]), match["day"]


def _heritage(facts: Facts, iso: str, page: Page) -> None:
    for part in parts(clean(at(page, _HERITAGE)), ";"):
        match = re.fullmatch(r"(?P<name>[A-ZÀ-Þ][^;()]{3,75}?)(?: ?\( ?(?P<category>[cnm]) ?\))?", part)
        if match is None:
            facts.leave_out(_HERITAGE, f"{iso}: {part}")
            continue
        id_ = facts.named("heritage", match["name"], "protected_sites.world_heritage_site")
        facts.fact(id_, "protected_sites.world_heritage_site.country", ref(country_id(iso)))
        if match["category"] and not facts.tells(id_, "protected_sites.world_heritage_site.category"):
            name = f"{_CATEGORIES[match['category']]} heritage"
            category = facts.named("heritage_category", name, "protected_sites.world_heritage_category")
            facts.fact(id_, "protected_sites.world_heritage_site.category", ref(category))
        facts.keep(_HERITAGE)
