"""Chambers of parliaments, and the parties in them with the seats they won, from the CIA World Factbook."""

import re
from datetime import date
from decimal import Decimal

from inspired.lab.world_facts.countries import Countries, at, country_id, with_article
from inspired.lab.world_facts.factbook_text import clean, parts
from inspired.lab.world_facts.facts import Facts, day, decimal, integer, ref, slug
from inspired.lab.world_facts.sources import Page

# Section of the page, and the name of the chamber in it.
_CHAMBERS = {
    "Legislative branch": "legislature name",
    "Legislative branch - lower chamber": "chamber name",
    "Legislative branch - upper chamber": "chamber name",
}
_PARTIES = "parties elected and seats per party"
_NOBODY = re.compile(
    r"(?:other|others|independents?|non-?partisans?|vacant|appointed|none|speaker|coalition)\b.*", re.IGNORECASE
)


def add_legislatures(facts: Facts, countries: Countries) -> None:
    """The whole legislature stands for its chamber where there is only one."""
    for iso, page in countries.pages.items():
        for section, named in _CHAMBERS.items():
            chamber = page.get("Government", {}).get(section, {})
            if "number of seats" in chamber and (name := clean(at(chamber, named))):
                _chamber(facts, countries, iso, chamber, name, section)


def _chamber(facts: Facts, countries: Countries, iso: str, page: Page, text: str, section: str) -> None:
    name, native = name_and_native(text)
    if name is None:
        facts.leave_out(f"Government/{section}", f"{iso}: {text}")
        return
    country, adjective = countries.name(iso), clean(at(countries.pages[iso], "People and Society/Nationality/adjective"))
    whole = name if country in name or (adjective and adjective in name) else f"{name} of {with_article(country)}"
    id_ = facts.thing(f"m.chamber_{iso.lower()}_{slug(name)}", whole, "government.legislative_chamber")
    facts.alias(id_, name, *filter(None, [native]))
    facts.fact(country_id(iso), "government.governmental_jurisdiction.legislative_chambers", ref(id_))
    if match := re.match(r"(\d{1,3}(?:,\d{3})*|\d+)(?= \(|$)", clean(at(page, "number of seats"))):
        facts.fact(id_, "government.legislative_chamber.number_of_seats", integer(int(match[1].replace(",", ""))))
    if match := re.fullmatch(r"(\d) years", clean(at(page, "term in office"))):
        facts.fact(id_, "government.legislative_chamber.term_length", integer(int(match[1])))
    if match := re.fullmatch(r"(\d{1,2}(?:\.\d+)?)%", clean(at(page, "percentage of women in chamber"))):
        facts.fact(id_, "government.legislative_chamber.percentage_of_women", decimal(Decimal(match[1])))
    if (system := clean(at(page, "electoral system"))) in ("proportional representation", "plurality/majority", "mixed system"):
        of_kind = facts.named("electoral_system", system, "government.electoral_system")
        facts.fact(id_, "government.legislative_chamber.electoral_system", ref(of_kind))
    if match := re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", clean(at(page, "most recent election date"))):
        elected = date(int(match[3]), int(match[1]), int(match[2]))
        facts.fact(id_, "government.legislative_chamber.last_election", day(elected))
    facts.keep(f"Government/{section}")
    _parties(facts, iso, id_, page)


def name_and_native(text: str) -> tuple[str | None, str | None]:
    """Name and native name: "National Assembly (Assemblée nationale)"."""
    match = re.fullmatch(r"(?P<name>[A-Z][^()/;:\d]{2,60}?)(?: \((?P<native>[^()/;]+)\))?", text)
    return (match["name"], match["native"]) if match else (None, None)


def _parties(facts: Facts, iso: str, chamber: str, page: Page) -> None:
    for part in parts(clean(at(page, _PARTIES)), ";"):
        read = party(part)
        if read is None:
            if not _NOBODY.match(part):
                facts.leave_out(f"Government/{_PARTIES}", f"{iso}: {part}")
            continue
        name, short, seats = read
        id_ = facts.thing(f"m.party_{iso.lower()}_{slug(name)}", name, "government.political_party")
        facts.alias(id_, *(short or "").split("/"))
        facts.fact(id_, "government.political_party.country", ref(country_id(iso)))
        key = f"seats_{chamber.removeprefix('m.chamber_')}_{slug(name)}"
        facts.mediator(chamber, "government.legislative_chamber.seats_by_party", key, party=ref(id_), number=integer(seats))
        facts.keep(f"Government/{_PARTIES}")


def party(part: str) -> tuple[str, str | None, int] | None:
    """Name, abbreviation and seats of one party; None of coalitions and of those of no party: "Labour Party (LP) (53)"."""
    match = re.fullmatch(r"(?P<name>[A-Z][^()\d;+/\"]{2,70}?)(?: \((?P<short>[^()\d+]{1,30})\))? \((?P<seats>\d{1,4})\)", part)
    if match is None or _NOBODY.match(match["name"]) or " - " in match["name"]:
        return None
    return match["name"], match["short"], int(match["seats"])
