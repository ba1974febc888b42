"""Rivers and lakes with their sizes and countries, from the CIA World Factbook."""

import re
from dataclasses import dataclass
from decimal import Decimal

from inspired.lab.world_facts.countries import Countries, at, country_id, identities
from inspired.lab.world_facts.factbook_text import clean, first_of_two, parts
from inspired.lab.world_facts.facts import Facts, ref, slug
from inspired.lab.world_facts.sources import Page

_RIVERS = "Geography/Major rivers (by length in km)"
_LAKES = "Geography/Major lakes (area sq km)"
_LAKE_TYPES = {"fresh water lake(s)": "freshwater lake", "salt water lake(s)": "saltwater lake"}
# Names that say already that they are rivers'.
_IS_RIVER = re.compile(r"\b(river|rio|río|he|darya|jiang|creek)\b", re.IGNORECASE)
# Names of lakes that need no word of their kind before them.
_LAKE = re.compile(
    r"\b(lake|lac|lago|laguna|lagoon|sea|hu|co|reservoir|ozero|nur|lagoa|ko|see|embalse|represa|swamp|sabkhat|buhayrat|meer"
    r"|lough|loch|chott|shott|jarvi|golu|hayk|nuur|lagune|zalew|thalesap|nuruu|tonle|darkhan|bahr|liqen|jezero)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Water:
    """A river or lake with its size in km or square km, and the countries that share it, as the text names them."""

    name: str
    other_name: str | None
    size: Decimal
    shared_with: tuple[str, ...] = ()
    source: str | None = None
    mouth: str | None = None


def add_waters(facts: Facts, countries: Countries) -> None:
    _largest_lakes(facts, countries)
    for iso, page in countries.pages.items():
        _rivers(facts, countries, iso, page)
        for kind, name in _LAKE_TYPES.items():
            _lakes(facts, countries, iso, at(page, f"{_LAKES}/{kind}"), name)


def _rivers(facts: Facts, countries: Countries, iso: str, page: Page) -> None:
    read, unread = rivers(at(page, _RIVERS))
    for river in read:
        id_ = _river(facts, countries, iso, river)
        facts.fact(id_, "geography.river.basin_countries", ref(country_id(iso)))
        for name in river.shared_with:
            if other := countries.called(name):
                facts.fact(id_, "geography.river.basin_countries", ref(other))
            else:
                facts.leave_out(_RIVERS, f"{iso}: {name}")
        for predicate, end in (("source_country", river.source), ("mouth_country", river.mouth)):
            water = country_id(iso) if end == "" else countries.called(end or "")
            if end is not None and water is not None and not facts.tells(id_, f"geography.river.{predicate}"):
                facts.fact(id_, f"geography.river.{predicate}", ref(water))
        facts.keep(_RIVERS)
    for each in unread:
        facts.leave_out(_RIVERS, f"{iso}: {each}")


def _river(facts: Facts, countries: Countries, iso: str, river: Water) -> str:
    """The river of this name; another one of the same name is known by its other length and its other countries."""
    name = river.name if _IS_RIVER.search(river.name) else f"{river.name} River"
    id_ = f"m.river_{slug(river.name)}"
    length = facts.numbers.get((id_, "geography.river.length"))
    here = {country_id(iso), *filter(None, map(countries.called, river.shared_with))}
    known = facts.objects(id_, "geography.river.basin_countries")
    if length is not None and abs(length - river.size) > length / 5 and not known & {ref(each) for each in here}:
        id_, name = f"{id_}_{iso.lower()}", f"{name} ({countries.name(iso)})"
    facts.thing(id_, name, "geography.river")
    facts.alias(id_, river.name, *filter(None, [river.other_name]))
    facts.measure(id_, "geography.river.length", river.size)
    return id_


_RIVER = re.compile(
    r"(?P<name>[^()\[\]]+?)(?: \((?!shared|mouth)(?P<other>[^()]+)\))?"
    r"(?: (?:river source and mouth|river source|river mouth|\[s\]|\[m\]))*"
    r"(?: ?\((?:mouth )?shared with (?P<shared>[^()]+)\))? ?[-–] (?P<size>\d{1,3}(?:,\d{3})*) km\)?"
)


def rivers(text: str) -> tuple[list[Water], list[str]]:
    """Rivers and what could not be read: "Rhin (Rhine) (shared with Switzerland [s], Germany, and Netherlands [m]) - 1,233 km".

    `source` and `mouth` are names of countries; the empty string means the country whose page it is.
    """
    body = re.split(r"note: ?\[s\]|;? ?note ?[-–:]", clean(text))[0]
    read, unread = [], []
    for part in parts(body, ";"):
        match = _RIVER.fullmatch(part)
        if match is None:
            unread.append(part)
            continue
        shared = [each.strip() for each in re.split(r",(?: and)?| and ", match["shared"] or "") if each.strip()]
        ends = {mark: [each.removesuffix(mark).strip() for each in shared if each.endswith(mark)] for mark in ("[s]", "[m]")}
        here = re.findall(r"river source|river mouth|\[s\]|\[m\]", part.partition("shared with")[0])
        if "river source and mouth" in part:
            here += ["[s]", "[m]"]
        source = "" if {"river source", "[s]"} & set(here) else next(iter(ends["[s]"]), None)
        mouth = "" if {"river mouth", "[m]"} & set(here) else next(iter(ends["[m]"]), None)
        names = tuple(re.sub(r" ?\[[sm]\]", "", each) for each in shared)
        size = Decimal(match["size"].replace(",", ""))
        read.append(Water(*_english(match["name"], match["other"]), size, names, source, mouth))
    return read, unread


def _english(name: str, other: str | None) -> tuple[str, str | None]:
    """The Factbook puts the name known in English into the brackets: "Rhin (Rhine)"."""
    name = name.removesuffix(" river").removesuffix(" River").strip()
    if other is None:
        return first_of_two(name, None)
    return other.removesuffix(" river").removesuffix(" River").strip(), name


def _lakes(facts: Facts, countries: Countries, iso: str, text: str, kind: str) -> None:
    read, unread = lakes(text)
    for lake in read:
        id_ = facts.named("lake", lake_name(lake.name), "geography.lake")
        if lake.size:
            facts.measure(id_, "geography.body_of_water.surface_area", lake.size)
        facts.fact(id_, "geography.lake.lake_type", ref(facts.named("lake_type", kind, "geography.lake_type")))
        facts.fact(id_, "geography.lake.basin_countries", ref(country_id(iso)))
        for other in filter(None, map(countries.called, lake.shared_with)):
            facts.fact(id_, "geography.lake.basin_countries", ref(other))
        if lake.other_name:
            facts.alias(id_, lake.other_name)
        facts.keep(_LAKES)
    for each in unread:
        facts.leave_out(_LAKES, f"{iso}: {each}")


def _largest_lakes(facts: Facts, countries: Countries) -> None:
    for lake in largest_lakes(at(countries.sources.factbook["XX"], _LAKES)):
        id_ = facts.named("lake", lake.name, "geography.lake")
        facts.measure(id_, "geography.body_of_water.surface_area", lake.size)
        for country in filter(None, map(countries.called, lake.shared_with)):
            facts.fact(id_, "geography.lake.basin_countries", ref(country))


def lake_name(name: str) -> str:
    if name in identities()["lakes"]:
        return str(identities()["lakes"][name])
    return name if _LAKE.search(name.replace("-", " ")) else f"Lake {name}"


_LAKE_SIZE = re.compile(
    r"(?P<name>[^()\d;:*]+?)(?P<part>\*?)(?: \((?P<other>[^()\d]+)\))?(?: ?[-–])?"
    r" (?P<size>\d{1,3}(?:,\d{3})*)(?: sq km)?"
)


def lakes(text: str) -> tuple[list[Water], list[str]]:
    """Lakes and what could not be read: "Lake Victoria (shared with Tanzania and Uganda) - 62,940 sq km".

    The size of one with an asterisk is that of a part of it, and is 0 here: not known.
    """
    body = re.split(r";? ?\bnote ?[-–:]", clean(text))[0]
    read, unread = [], []
    for part in parts(body, ";"):
        shared = re.search(r" ?\(shared with ([^()]+)\)", part)
        bare = part.replace(shared[0], "") if shared else part
        match = _LAKE_SIZE.fullmatch(bare)
        if match is None:
            unread.append(part)
            continue
        names = tuple(each.strip() for each in re.split(r",(?: and)?| and ", shared[1])) if shared else ()
        size = Decimal(0) if match["part"] else Decimal(match["size"].replace(",", ""))
        read.append(Water(*first_of_two(match["name"].strip(" -–"), match["other"]), size, names))
    return read, unread


def largest_lakes(text: str) -> list[Water]:
    """Of the page about the world: "Lake Superior (Canada, United States) 82,100 sq km"."""
    matches = re.findall(r"(?:^|[:;]) ?([A-Z][A-Za-z ]+) \(([^()]+)\) (\d{1,3}(?:,\d{3})*) sq km", clean(text))
    return [Water(name, None, Decimal(size.replace(",", "")), tuple(re.split(r", ", named))) for name, named, size in matches]
