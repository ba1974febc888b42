"""Religions and ethnic groups with their shares of the population, from the CIA World Factbook."""

import re

from inspired.lab.world_facts.countries import Countries, at, country_id
from inspired.lab.world_facts.factbook_text import shares
from inspired.lab.world_facts.facts import Facts, decimal, ref, slug, year

# Two forms of one word: the faith, and what the Factbook calls those who hold it. What might differ (Roman Catholic and
# Catholic) stays apart.
_SAME = {
    "Islam": ("Muslim", "Islamic", "Muslims"),
    "Sunni Islam": ("Sunni Muslim",),
    "Shia Islam": ("Shia Muslim",),
    "Christianity": ("Christian", "Christians"),
    "Buddhism": ("Buddhist",),
    "Hinduism": ("Hindu",),
    "Judaism": ("Jewish", "Jew"),
    "Roman Catholicism": ("Roman Catholic",),
    "Catholicism": ("Catholic",),
    "Protestantism": ("Protestant", "Protestants"),
    "Orthodox Christianity": ("Orthodox", "Orthodox Christian", "Christian Orthodox"),
    "Anglicanism": ("Anglican",),
    "Lutheranism": ("Lutheran",),
    "Methodism": ("Methodist",),
    "Pentecostalism": ("Pentecostal",),
    "Sikhism": ("Sikh",),
    "Shinto": ("Shintoism",),
    "Taoism": ("Daoist", "Taoist", "Daoism"),
    "Baha'i Faith": ("Baha'i", "Bahai"),
    "Mormonism": ("Mormon", "Mormons"),
    "Jehovah's Witnesses": ("Jehovah's Witness", "Jehovah Witness", "Jehovah Witnesses"),
    "Seventh-day Adventism": ("Seventh Day Adventist", "Seventh-Day Adventist", "Seventh-day Adventist", "Adventist"),
    "Animism": ("Animist", "animist", "Animiste"),
    "Vodou": ("Vodoun",),
    "EU citizen": ("EU",),
}
_PLURALS = {"Serbs": "Serb", "Croats": "Croat", "Albanians": "Albanian", "Bosniaks": "Bosniak"}
_PREFERRED = _PLURALS | {other: name for name, others in _SAME.items() for other in others}
# Ethnic groups and religions of the same table of the Factbook: predicate, path, kind of thing, role in the relation.
_FIELDS = (
    ("location.statistical_region.religions", "People and Society/Religions", "religion", "religion.religion"),
    ("location.statistical_region.ethnic_groups", "People and Society/Ethnic groups", "ethnicity", "people.ethnicity"),
)


def add_peoples(facts: Facts, countries: Countries) -> None:
    for iso, page in countries.pages.items():
        for predicate, way, role, kind in _FIELDS:
            _add(facts, countries, iso, at(page, way), predicate, way, role, kind)


def _add(facts: Facts, countries: Countries, iso: str, text: str, predicate: str, way: str, role: str, kind: str) -> None:
    read, unread, when = shares(text)
    if when is None:
        unread += [f"{each.name} {each.percentage}% (no year)" for each in read]
        read = []
    for share in read:
        name = _PREFERRED.get(share.name, share.name)
        if not is_group(name) or (role == "ethnicity" and countries.called(share.name)):
            unread.append(f"{share.name} {share.percentage}%")
            continue
        thing = facts.named(role, name, kind)
        key = f"{role}_{iso.lower()}_{slug(name)}"
        values = {role: ref(thing), "percentage": decimal(share.percentage), "date": year(when or 0)}
        facts.mediator(country_id(iso), predicate, key, **values)
        facts.keep(way)
    for each in unread:
        facts.leave_out(way, f"{iso}: {each}")


def is_group(name: str) -> bool:
    """Whether this names one group of people, and no rest, list or half of a sentence."""
    sentence = re.search(
        r"\b(and|or|from|with|no|not|other|non|objected|answering|related|data|includes?|influenced|predominantly|descent|origin|more|less|than)\b",
        name,
    )
    return bool(re.fullmatch(r"(?:[A-Z]|i(?=[A-Z]))[\w'. -]+", name)) and len(name.split()) <= 5 and not sentence


def add_other_forms(facts: Facts) -> None:
    """What religions are called otherwise, for those that are in the graph."""
    for name, others in _SAME.items():
        id_ = f"m.religion_{slug(name)}"
        if id_ in facts.names:
            facts.alias(id_, *others)
