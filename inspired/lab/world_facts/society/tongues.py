"""Languages: where they are spoken and by how many (CLDR), their codes (ISO 639-3) and scripts (CLDR, ISO 15924)."""

from decimal import Decimal
from typing import Any

from inspired.lab.world_facts.countries import Countries, country_id
from inspired.lab.world_facts.facts import Facts, code, decimal, ref

# The share of the people of a country, in percent, from which a language counts as spoken there.
LEAST = 1
_OFFICIAL = ("official", "de_facto_official")


def add_languages(facts: Facts, countries: Countries) -> None:
    for iso, spoken in sorted(countries.sources.cldr("territory_languages").items()):
        if iso in countries.codes:
            for tag, record in sorted(spoken.items()):
                _spoken(facts, countries, iso, tag, record)


def _spoken(facts: Facts, countries: Countries, iso: str, tag: str, record: dict[str, Any]) -> None:
    """Official languages, and those of at least LEAST percent of the people.

    CLDR tells some languages once a script ("zh_Hans", "zh_Hant"): no share is recorded of these, for nothing says whether
    the same people are meant twice.
    """
    official, share = record["official_status"] in _OFFICIAL, Decimal(str(record["population_percent"]))
    language = add_language(facts, countries, tag.partition("_")[0]) if official or share >= LEAST else None
    if language is None:
        facts.leave_out("Languages spoken", f"{iso} {tag} {share}%")
        return
    country = country_id(iso)
    facts.fact(country, "location.country.languages_spoken", ref(language))
    if official:
        facts.fact(country, "location.country.official_language", ref(language))
    if "_" not in tag and 0 < share <= 100:
        key = f"language_{iso.lower()}_{language.removeprefix('m.language_')}"
        values = {"language": ref(language), "percentage": decimal(share)}
        facts.mediator(country, "location.country.language_shares", key, **values)
    facts.keep("Languages spoken")


def add_language(facts: Facts, countries: Countries, tag: str) -> str | None:
    """The language of a CLDR tag of two or three letters; None if ISO 639-3 does not know it."""
    iso = countries.sources.language_tags.get(tag)
    if iso is None:
        return None
    id_ = f"m.language_{iso['alpha_3']}"
    if id_ in facts.names:
        return id_
    name = countries.sources.cldr_names("languages").get(tag) or iso["name"]
    facts.thing(id_, name, "language.human_language")
    facts.alias(id_, f"{name} language", *(iso[key] for key in ("name", "common_name") if key in iso and "(" not in iso[key]))
    facts.fact(id_, "language.human_language.iso_639_3_code", code(iso["alpha_3"]))
    if "alpha_2" in iso:
        facts.fact(id_, "language.human_language.iso_639_1_code", code(iso["alpha_2"]))
    _script(facts, countries, id_, tag)
    return id_


def _script(facts: Facts, countries: Countries, language: str, tag: str) -> None:
    """The script that CLDR thinks likely for the language."""
    likely = countries.sources.cldr("likely_subtags").get(tag, "").split("_")
    if len(likely) < 2 or likely[1] not in countries.sources.iso_scripts:
        facts.leave_out("Scripts of languages", tag)
        return
    key = likely[1]
    name = countries.sources.cldr_names("scripts").get(key) or countries.sources.iso_scripts[key]["name"]
    script = facts.thing(f"m.script_{key.lower()}", f"{name} script", "language.language_writing_system")
    facts.alias(script, name)
    facts.fact(language, "language.human_language.writing_system", ref(script))
    facts.keep("Scripts of languages")
