"""Subdivisions of countries (ISO 3166-2), cities (GeoNames), capitals and time zones."""

import re
from collections import Counter, defaultdict

from inspired.lab.world_facts.countries import Countries, at, country_id
from inspired.lab.world_facts.factbook_text import clean
from inspired.lab.world_facts.facts import Facts, integer, plain, ref
from inspired.lab.world_facts.sources import Page

# How many people a city must have to be in the graph; capitals are in it whatever their size.
LEAST = 500_000
LEAST_IN_US = 250_000
# Divisions are recorded of countries with so many people at least, and with no more divisions than this: elsewhere they are
# parishes and communes of a few thousand people.
LEAST_IN_COUNTRY = 7_000_000
MOST_DIVISIONS = 85
# Where GeoNames' first-level codes are those of ISO 3166-2. Elsewhere they are FIPS codes, which no source here maps.
ISO_DIVISIONS = ("BE", "CH", "GB", "ME", "US")
_ZONES = "location.location.time_zones"


def add_places(facts: Facts, countries: Countries) -> None:
    add_subdivisions(facts, countries)
    add_cities(facts, countries)
    for iso, zones in sorted(countries.sources.cldr("territory_zones").items()):
        if iso in countries.codes:
            for zone in zones:
                facts.fact(country_id(iso), _ZONES, ref(time_zone(facts, zone)))


def add_subdivisions(facts: Facts, countries: Countries) -> None:
    """First-level divisions only; those that ISO 3166-1 lists as countries of their own are these countries."""
    first_level = [each for each in countries.sources.iso_subdivisions if "parent" not in each]
    divisions = Counter(_country(each) for each in first_level)
    for division in first_level:
        iso = _country(division)
        if iso not in countries.codes:
            continue
        if divisions[iso] > MOST_DIVISIONS or countries.sources.countries[iso]["population"] < LEAST_IN_COUNTRY:
            facts.leave_out("Subdivisions", f"{division['code']} {division['name']}: too many or too small")
            continue
        if _is_country(countries, division):
            facts.leave_out("Subdivisions", f"{division['code']} {division['name']}: a country of its own")
            continue
        is_state = any(f"US-{each}" == division["code"] and each != "DC" for each in countries.sources.us_states)
        kind = "location.us_state" if is_state else "location.administrative_division"
        id_ = facts.thing(division_id(division["code"]), division["name"], kind)
        of_type = facts.named("division_type", division["type"], "location.administrative_division_type")
        facts.fact(id_, "location.administrative_division.division_type", ref(of_type))
        facts.fact(country_id(iso), "location.country.first_level_divisions", ref(id_))
        facts.keep("Subdivisions")


def _country(division: Page) -> str:
    return str(division["code"]).partition("-")[0]


def _is_country(countries: Countries, division: Page) -> bool:
    """Whether ISO 3166-1 lists the division too ("US-PR", "FR-971 Guadeloupe"); the Georgia of the United States is none."""
    country = countries.called(division["name"])
    if country is None or country == country_id(_country(division)):
        return False
    iso = country.removeprefix("m.country_").upper()
    return division["code"].endswith(f"-{iso}") or countries.is_dependent(iso)


def division_id(iso_code: str) -> str:
    return f"m.subdivision_{iso_code.lower().replace('-', '_')}"


def add_cities(facts: Facts, countries: Countries) -> None:
    of_country: dict[str, list[Page]] = defaultdict(list)
    for city in countries.sources.cities:
        of_country[city["countrycode"]].append(city)
    for iso in countries.codes:
        capital = _capital(countries.sources.countries[iso]["capital"].strip(), of_country[iso])
        for city in of_country[iso]:
            if city is capital or city["population"] >= (LEAST_IN_US if iso == "US" else LEAST):
                _add_city(facts, iso, city)
        if capital is not None:
            id_ = facts.thing(city_id(capital), capital["name"], "location.capital_city")
            facts.alias(id_, *_plain_capital(clean(at(countries.pages.get(iso, {}), "Government/Capital/name"))))
            facts.fact(country_id(iso), "location.country.capital", ref(id_))
            facts.keep("Capitals")
        else:
            facts.leave_out("Capitals", f"{iso} {countries.sources.countries[iso]['capital']}")


def _plain_capital(text: str) -> list[str]:
    """What the Factbook calls the capital, unless it has more to say than a name."""
    return [text] if re.fullmatch(r"[A-Z][\w' .-]+(?:, D\.C\.)?", text) else []


def city_id(city: Page) -> str:
    return f"m.city_{city['geonameid']}"


def _add_city(facts: Facts, iso: str, city: Page) -> None:
    id_ = facts.thing(city_id(city), city["name"], "location.citytown")
    facts.fact(id_, "location.location.containedby", ref(country_id(iso)))
    if city["population"]:
        facts.fact(id_, "location.citytown.population", integer(int(city["population"])))
    facts.fact(id_, _ZONES, ref(time_zone(facts, city["timezone"])))
    short = city["name"].removesuffix(" City")
    if short in city["alternatenames"]:
        facts.alias(id_, short)
    division = division_id(f"{iso}-{city['admin1code']}")
    if iso in ISO_DIVISIONS and division in facts.names:
        facts.fact(id_, "location.location.containedby", ref(division))
    facts.keep("Cities")


def _capital(name: str, cities: list[Page]) -> Page | None:
    """The largest place of that name in the country; GeoNames also knows it under other names."""
    for known in (
        [city for city in cities if plain(city["name"]) == plain(name)],
        [city for city in cities if name in city["alternatenames"]],
    ):
        if known:
            return max(known, key=lambda city: (city["population"], -int(city["geonameid"])))
    return None


def time_zone(facts: Facts, zone: str) -> str:
    return facts.named("time_zone", zone, "time.time_zone")
