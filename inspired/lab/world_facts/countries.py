"""Which country a name or code means, and what countries are called."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from inspired.lab.world_facts.factbook_text import clean, parts, without_brackets
from inspired.lab.world_facts.facts import Facts, code, ref, slug, text
from inspired.lab.world_facts.sources import Page, Sources

_TAKES_ARTICLE = re.compile(
    r"United .*|.* (?:Islands|Republic|Territory|Territories)|.*Republic of the Congo"
    r"|Netherlands|Bahamas|Philippines|Maldives|Gambia|Comoros|Seychelles|Vatican"
)
_MIDDLE_EAST = "Middle East"


@dataclass(frozen=True)
class Countries:
    """The countries of ISO 3166-1, and Kosovo, as GeoNames lists them."""

    sources: Sources

    @cached_property
    def codes(self) -> list[str]:
        dissolved = identities()["dissolved"]
        return [iso for iso in self.sources.countries if iso not in dissolved]

    @cached_property
    def pages(self) -> dict[str, Page]:
        """The Factbook's page of each country that has one, by ISO code."""
        by_fips = {self.sources.countries[iso]["fips"]: iso for iso in self.codes}
        other = identities()["other_areas"]
        result = {by_fips[fips]: page for fips, page in self.sources.factbook.items() if fips in by_fips and fips not in other}
        return dict(sorted(result.items()))

    def is_dependent(self, iso: str) -> bool:
        """Whether another country holds it: the Factbook tells how, under "Dependency status"."""
        return iso in identities()["dependencies"] or bool(at(self.pages.get(iso, {}), "Government/Dependency status"))

    def name(self, iso: str) -> str:
        """As people say it: GeoNames' name, with CLDR's accents and hyphens where the two mean the same."""
        name = str(self.sources.countries[iso]["name"]).strip().removeprefix("The ")
        of_cldr = self.sources.cldr_names("territories").get(iso, name)
        return of_cldr if slug(of_cldr) == slug(name) else name

    def other_names(self, iso: str) -> list[str]:
        """Names in CLDR, ISO and the Factbook, in English, without those that are not whole names."""
        of_iso = self.sources.iso_countries.get(iso, {})
        names = [str(self.sources.countries[iso]["name"]).strip(), self.sources.cldr_names("territories").get(iso, "")]
        names += [of_iso.get(key, "") for key in ("name", "common_name", "official_name")]
        names += [self.text_at(iso, key) for key in ("conventional short form", "conventional long form")]
        names += self.text_at(iso, "abbreviation").split(" or ")
        return [name for name in dict.fromkeys(names) if name]

    def text_at(self, iso: str, key: str) -> str:
        """What the Factbook tells under "Country name", if that is one plain name."""
        words = clean(at(self.pages.get(iso, {}), f"Government/Country name/{key}")).partition(";")[0]
        plain = without_brackets(words.partition(" note ")[0])
        return "" if plain.casefold() in ("none", "") or any(mark in plain for mark in ":,/(") else plain

    @cached_property
    def _by_name(self) -> dict[str, str]:
        result: dict[str, str] = {}
        for iso in self.codes:
            for name in (self.name(iso), *self.other_names(iso)):
                result.setdefault(name.casefold(), iso)
        return result | {name.casefold(): iso for name, iso in identities()["forms"].items()}

    def called(self, name: str) -> str | None:
        """The id of the country with this name, in any of its forms."""
        iso = self._by_name.get(name.strip().removeprefix("the ").casefold())
        return None if iso is None else country_id(iso)


def country_id(iso: str) -> str:
    return f"m.country_{iso.lower()}"


def with_article(name: str) -> str:
    """The name of a country inside a longer name: "Senate of the Netherlands"."""
    return f"the {name}" if _TAKES_ARTICLE.fullmatch(name) else name


def at(page: Page, way: str) -> str:
    """The text at the end of `way` through a page of the Factbook, empty if there is none."""
    node: Any = page
    for key in way.split("/"):
        node = node.get(key, {}) if isinstance(node, dict) else {}
    text = node.get("text", "") if isinstance(node, dict) else ""
    return text if isinstance(text, str) else ""


def add_countries(facts: Facts, countries: Countries) -> None:
    for iso in countries.codes:
        kind = "location.dependency" if countries.is_dependent(iso) else "location.country"
        id_ = facts.thing(country_id(iso), countries.name(iso), kind)
        facts.alias(id_, *countries.other_names(iso))
        _codes(facts, countries, iso, id_)
        _words(facts, countries, iso, id_)
        facts.fact(id_, "base.locations.countries.continent", ref(_continent(facts, countries, iso)))
        for region in _regions(facts, countries, iso):
            facts.fact(id_, "base.locations.countries.subregion", ref(region))
        facts.keep("Countries")


def _codes(facts: Facts, countries: Countries, iso: str, id_: str) -> None:
    record = countries.sources.countries[iso]
    facts.fact(id_, "location.country.iso3166_1_alpha2", code(iso))
    facts.fact(id_, "location.country.iso_alpha_3", code(record["iso3"]))
    if record["fips"]:
        facts.fact(id_, "location.country.fips10_4", code(record["fips"]))
    if record["tld"]:
        facts.fact(id_, "location.country.internet_tld", code(record["tld"]))
    for phone in str(record["phone"]).split(" and "):
        if phone.replace("-", "").removeprefix("+").isdigit():
            facts.fact(id_, "location.country.calling_code", code(f"+{phone.removeprefix('+')}"))


def _words(facts: Facts, countries: Countries, iso: str, id_: str) -> None:
    if official := countries.text_at(iso, "conventional long form"):
        facts.fact(id_, "location.country.official_name", text(official))
    if native := countries.text_at(iso, "local short form"):
        facts.fact(id_, "location.country.native_name", text(native))
    adjective = clean(at(countries.pages.get(iso, {}), "People and Society/Nationality/adjective")).partition(";")[0]
    for word in (each for half in parts(adjective) for each in half.split(" or ")):
        if (plain := without_brackets(word).strip()).replace(" ", "").replace("-", "").isalpha() and plain != "none":
            facts.fact(id_, "location.country.demonym", text(plain))
            facts.keep("Nationality")
        else:
            facts.leave_out("Nationality", adjective)


def _continent(facts: Facts, countries: Countries, iso: str) -> str:
    key = str(countries.sources.countries[iso]["continentcode"])
    return facts.thing(f"m.continent_{key.lower()}", countries.sources.continents[key]["toponymName"], "location.continent")


def _regions(facts: Facts, countries: Countries, iso: str) -> Iterator[str]:
    """The parts of the world in which a country lies."""
    for name, region in regions().items():
        if iso in region["countries"].split():
            id_ = facts.thing(region_id(name), name, "location.subregion")
            facts.alias(id_, *region.get("aliases", ()))
            yield id_
    if at(countries.pages.get(iso, {}), "Geography/Map references").strip() == _MIDDLE_EAST:
        yield facts.thing(region_id(_MIDDLE_EAST), _MIDDLE_EAST, "location.subregion")


def region_id(name: str) -> str:
    return f"m.region_{name.lower().replace(' ', '_').replace('-', '_')}"


@cache
def regions() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("regions.toml").read_text(encoding="utf-8"))


@cache
def identities() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("identities.toml").read_text(encoding="utf-8"))
