"""Areas, borders and highest points, from the CIA World Factbook."""

import re
from decimal import Decimal

from inspired.lab.world_facts.countries import Countries, at, country_id
from inspired.lab.world_facts.factbook_text import borders, clean, first_of_two, quantity
from inspired.lab.world_facts.facts import Facts, decimal, ref
from inspired.lab.world_facts.sources import Page

_SIZES = {
    "location.location.area": ("Geography/Area/total ", "sq km"),
    "location.location.land_area": ("Geography/Area/land", "sq km"),
    "location.location.water_area": ("Geography/Area/water", "sq km"),
    "location.location.coastline_length": ("Geography/Coastline", "km"),
    "location.location.mean_elevation": ("Geography/Elevation/mean elevation", "m"),
}
_BORDERS = "Geography/Land boundaries/border countries"
_PEAK = "Geography/Elevation/highest point"


def add_landscape(facts: Facts, countries: Countries) -> None:
    for iso, page in countries.pages.items():
        _sizes(facts, iso, page)
        _highest_point(facts, iso, page)
        _borders(facts, countries, iso, page)


def _sizes(facts: Facts, iso: str, page: Page) -> None:
    for predicate, (way, unit) in _SIZES.items():
        if text := at(page, way).replace("(landlocked)", "").replace("(doubly landlocked)", ""):
            read = quantity(text, unit)
            if read is None:
                facts.leave_out(way, text)
                continue
            facts.fact(country_id(iso), predicate, decimal(read.value))
            facts.keep(way)


def _borders(facts: Facts, countries: Countries, iso: str, page: Page) -> None:
    read, unread = borders(at(page, _BORDERS))
    for name, length in read:
        other = countries.called(name)
        if other is None or other == country_id(iso):
            unread.append(name)
            continue
        _adjoin(facts, country_id(iso), other, length)
        facts.keep(_BORDERS)
    for each in unread:
        facts.leave_out(_BORDERS, f"{iso}: {each}")


def _adjoin(facts: Facts, one: str, other: str, length: Decimal) -> None:
    """A relation from either side, of the same length: that of the page read first."""
    length = facts.numbers.setdefault((min(one, other), max(one, other)), length)
    for here, there in ((one, other), (other, one)):
        key = "_".join(each.removeprefix("m.country_") for each in ("adjoins", here, there))
        facts.mediator(here, "location.location.adjoin_s", key, adjoins=ref(there), border_length=decimal(length))


def _highest_point(facts: Facts, iso: str, page: Page) -> None:
    if not (text := at(page, _PEAK)):
        return
    read = peak(text)
    if read is None:
        facts.leave_out(_PEAK, text)
        return
    name, other_name, height = read
    id_ = facts.named("mountain", name, "geography.mountain")
    if other_name:
        facts.alias(id_, other_name)
    facts.measure(id_, "geography.mountain.elevation", height)
    facts.fact(country_id(iso), "location.location.highest_point", ref(id_))
    facts.keep(_PEAK)


# A number may stand right after a capital letter: "K2".
_PEAK_HEIGHT = re.compile(
    r"(?P<name>(?:[^\d(;:,]|(?<=[A-Z])\d)+?)(?: ?\((?P<other>[^)\d,;]+)\))? (?P<height>\d{1,3}(?:,\d{3})*)(?: m)?"
)


def peak(text: str) -> tuple[str, str | None, Decimal] | None:
    """Name, other name and height in metres: "Ntheledi (Mafadi) 3,450 m"."""
    body = re.split(r"[;,]? ?\bnote ?[-–:]", clean(text))[0]
    match = _PEAK_HEIGHT.fullmatch(re.sub(r"\((?:highest|unnamed|located|part)[^)]*\)", "", body).strip())
    if match is None or re.match(r"unnamed|location|highest|on |near ", match["name"], re.IGNORECASE):
        return None
    name, other = first_of_two(re.sub(r" on [A-Z].*", "", match["name"].strip()), match["other"])
    return (name, other, Decimal(match["height"].replace(",", ""))) if name[:1].isupper() else None
