"""Forms of government, those who govern, independence and the right to vote, from the CIA World Factbook."""

import re
from dataclasses import dataclass
from datetime import date

from inspired.lab.world_facts.countries import Countries, at, country_id
from inspired.lab.world_facts.factbook_text import clean, first_date, parts
from inspired.lab.world_facts.facts import Facts, day, integer, ref, slug
from inspired.lab.world_facts.sources import Page

_OFFICES = {"chief of state": "Head of state", "head of government": "Head of government"}
_REPRESENTATIVE = "Representative of the head of state"
_FORM = "Government/Government type"
_INDEPENDENCE = "Government/Independence"
_SUFFRAGE = "Government/Suffrage"
# The titles of officials; what comes before or after one (Acting, General) is part of no name here.
_TITLES = (
    "Acting Governor General", "Acting President", "Acting Prime Minister", "Administrator", "Amir", "Bailiff",
    "Caretaker Prime Minister", "Chairman of the Cabinet of Ministers", "Chairperson of the Council of Ministers",
    "Chancellor", "Chief Executive", "Chief Minister", "Co-prince", "Commissioner", "Crown Prince",
    "Crown Prince and Prime Minister", "Emperor", "Governor", "Governor General", "Governor-General", "Grand Duke",
    "High Commissioner", "Interim President", "Interim Prime Minister", "King", "Lieutenant Governor",
    "Lieutenant-Governor", "Mayor", "Minister of State", "Pope", "Prefect", "Premier", "President",
    "President of China", "President of Council of Ministers", "President of French Polynesia",
    "President of Territorial Council", "President of the Government", "President of the Government of Spain",
    "President of the Regional Government", "President of the Swiss Confederation",
    "President of the Territorial Assembly", "President of the Territorial Council", "Prime Minister", "Prince",
    "Queen", "Secretary of State", "State Affairs Commission President", "State President", "Sultan",
    "Sultan and Prime Minister", "Supreme Leader", "Taliban Leader", "Taoiseach (Prime Minister)",
    "Transition President", "Transition Prime Minister", "Transitional President",
)  # fmt: skip
_TITLE = "|".join(re.escape(each) for each in sorted(_TITLES, key=len, reverse=True))
_SINCE = r" \(since (?P<since>\d{1,2} [A-Z][a-z]+ \d{4})\)"
_RANKS = r"(?:(?:Gen\.|General|Gen|Col\.|Lt\.|Dr\.|Sir|Dame|Marshal|Maj\.|Field|Capt\.|Captain|Ret\.|Grand Chief) )*"
_OFFICIAL = re.compile(rf"(?P<title>{_TITLE}) {_RANKS}(?P<name>[^\d()\[\],:;]+?){_SINCE}")
_IS_FORM = re.compile(
    r"(?!a |an |administered|formerly|unincorporated|non-|[Oo]verseas)(?:(?! in | of | or | - )[A-Za-z -]){2,60}"
    r"(?:republic|monarchy|democracy|state|dictatorship|federation|sultanate|regime)"
)
# What stands inside family names without a capital.
_PARTICLES = {"van", "der", "den", "von", "de", "da", "do", "dos", "del", "la", "bin", "ibn"}
_ROMAN = re.compile(r"[IVX]+")


@dataclass(frozen=True)
class Official:
    """`name_as_written` is the name as the Factbook writes it."""

    title: str
    name: str
    name_as_written: str
    since: date


def add_government(facts: Facts, countries: Countries) -> None:
    for iso, page in countries.pages.items():
        _form(facts, iso, page)
        for field, office in _OFFICES.items():
            _officials(facts, countries, iso, page, f"Government/Executive branch/{field}", office)
        _independence(facts, countries, iso, page)
        _suffrage(facts, iso, page)


def _form(facts: Facts, iso: str, page: Page) -> None:
    """The form itself, without what follows a semicolon or bracket: that names the state, not the form."""
    text = clean(at(page, _FORM))
    form = re.split(r"[;(,]| under | with ", text)[0].strip()
    if not _IS_FORM.fullmatch(form):
        if text:
            facts.leave_out(_FORM, text)
        return
    id_ = facts.named("government_form", form, "government.form_of_government")
    facts.fact(country_id(iso), "location.country.form_of_government", ref(id_))
    facts.keep(_FORM)


def _officials(facts: Facts, countries: Countries, iso: str, page: Page, way: str, office: str) -> None:
    text = clean(at(page, way)).replace(", represented by", "; represented by").replace("; and Co-prince", "; Co-prince")
    for part in parts(text, ";"):
        read = official(part.removeprefix("represented by "))
        if read is None:
            facts.leave_out(way, f"{iso}: {part}")
            continue
        person = facts.named("person", read.name, "government.politician")
        facts.alias(person, *shorter_names(read.name_as_written))
        title = facts.named("title", read.title, "government.government_office_category")
        held = _REPRESENTATIVE if part.startswith("represented by") else office
        facts.mediator(
            country_id(iso),
            "government.governmental_jurisdiction.governing_officials",
            f"{slug(held)}_{iso.lower()}_{slug(read.name)}",
            office_holder=ref(person),
            basic_title=ref(title),
            office_position_or_title=ref(facts.named("office", held, "government.government_office_or_title")),
            from_=day(read.since),
        )
        facts.keep(way)


def official(part: str) -> Official | None:
    """Title, name and first day in office: "President Emmanuel MACRON (since 14 May 2017)"."""
    match = _OFFICIAL.fullmatch(part.strip())
    since = first_date(match["since"]) if match else None
    if match is None or since is None:
        return None
    name = re.sub(r" of (?:the )?[A-Z]\w+$", "", match["name"]).replace(", Jr.", " Jr.")
    if re.search(r"\b(?:of|the|represented|note|and)\b|,", name):
        return None
    title = match["title"].replace("Governor General", "Governor-General").replace("Lieutenant Governor", "Lieutenant-Governor")
    return Official(title.removeprefix("Taoiseach (").removesuffix(")"), person_name(name), name, since)


def person_name(name: str) -> str:
    """The Factbook writes family names in capitals: "Emmanuel MACRON" as "Emmanuel Macron", "CHARLES III" as "Charles III"."""
    words = [word if _ROMAN.fullmatch(word) else _lowered(word) for word in name.split()]
    return " ".join(word.lower() if word.lower() in _PARTICLES and index else word for index, word in enumerate(words))


def shorter_names(name: str) -> list[str]:
    """The family name alone, and with the first name, of a name as the Factbook writes it: "Donald J. TRUMP"."""
    words = re.sub(r'"[^"]*" ', "", name).removesuffix(" Jr.").split()
    family = [word for word in words if len(word) > 3 and word.isupper() and not _ROMAN.fullmatch(word)]
    if len(family) != 1 or len(words) < 2 or any(word.lower() in _PARTICLES or word[0].islower() for word in words):
        return []
    first, last = _lowered(words[0]), _lowered(family[0])
    return [last] if first == last else [last, f"{first} {last}"]


def _lowered(word: str) -> str:
    if not re.search(r"[^\W\d_a-z]{2}|^[OD]'[A-Z]{2}", word) or not any(map(str.isupper, word[1:])):
        return word
    prefix = "Mc" if word.startswith("Mc") or (word.startswith("MC") and len(word) > 4) else ""
    pieces = re.split(r"([-.]|(?<=^[OD])')", word[len(prefix) :])
    return prefix + "".join(each[:1].upper() + each[1:].lower() for each in pieces)


def _independence(facts: Facts, countries: Countries, iso: str, page: Page) -> None:
    """Only what the page calls independence from somebody; founding dates of old states are none."""
    text = clean(at(page, _INDEPENDENCE))
    since = first_date(text)
    match = re.match(r"[^(]*\((?:declared )?(?:independence )?from (?:the )?(?P<name>[^;,()]+)", text)
    if since is None or match is None:
        if text:
            facts.leave_out(_INDEPENDENCE, f"{iso}: {text}")
        return
    facts.fact(country_id(iso), "location.country.independence_date", day(since))
    facts.keep(_INDEPENDENCE)
    if other := countries.called(re.split(r" under | by | as ", match["name"])[0]):
        facts.fact(country_id(iso), "location.country.independence_from", ref(other))


def _suffrage(facts: Facts, iso: str, page: Page) -> None:
    if text := clean(at(page, _SUFFRAGE)):
        match = re.fullmatch(r"(\d{2}) years of age; universal(?: and compulsory)?", text)
        if match is None:
            facts.leave_out(_SUFFRAGE, f"{iso}: {text}")
            return
        facts.fact(country_id(iso), "location.country.voting_age", integer(int(match[1])))
        facts.keep(_SUFFRAGE)
