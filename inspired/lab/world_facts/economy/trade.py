"""Partners in trade with their shares, goods, products and resources, from the CIA World Factbook."""

import re
from collections import Counter

from inspired.lab.world_facts.countries import Countries, at, country_id
from inspired.lab.world_facts.factbook_text import listed, shares
from inspired.lab.world_facts.facts import Facts, decimal, ref, slug, year

_PARTNERS = (
    ("location.statistical_region.places_exported_to", "Economy/Exports - partners", "exported_to"),
    ("location.statistical_region.places_imported_from", "Economy/Imports - partners", "imported_from"),
)
_GOODS = (
    ("location.country.export_commodities", "Economy/Exports - commodities", "commodity", "business.commodity"),
    ("location.country.import_commodities", "Economy/Imports - commodities", "commodity", "business.commodity"),
    ("location.country.agricultural_products", "Economy/Agricultural products", "product", "business.agricultural_product"),
    ("location.country.industries", "Economy/Industries", "industry", "business.industry"),
    ("location.country.natural_resources", "Geography/Natural resources", "resource", "geography.natural_resource"),
)
_PLAIN_GOOD = re.compile(r"[A-Za-z][A-Za-z'/ -]{1,38}")
_SENTENCE = re.compile(
    r"\b(and|or|others?|none|some|small|potential|including|especially|largest|no|with|of the|foster|related|NA|NEGL)\b"
)
_LONG = 4


def add_trade(facts: Facts, countries: Countries) -> None:
    for iso, page in countries.pages.items():
        for predicate, way, role in _PARTNERS:
            _partners(facts, countries, iso, at(page, way), predicate, way, role)
    for predicate, way, kind, type_ in _GOODS:
        _goods(facts, countries, predicate, way, kind, type_)


def _partners(facts: Facts, countries: Countries, iso: str, text: str, predicate: str, way: str, role: str) -> None:
    read, unread, when = shares(text)
    for share in read:
        other = countries.called(share.name)
        if other is None or when is None:
            unread.append(f"{share.name} {share.percentage}%")
            continue
        key = f"{role}_{iso.lower()}_{other.removeprefix('m.country_')}"
        values = {role: ref(other), "percentage": decimal(share.percentage), "date": year(when)}
        facts.mediator(country_id(iso), predicate, key, **values)
        facts.keep(way)
    for each in unread:
        facts.leave_out(way, f"{iso}: {each}")


def _goods(facts: Facts, countries: Countries, predicate: str, way: str, kind: str, type_: str) -> None:
    """Goods that a single country names are left out: most are turns of phrase, and no question could compare them."""
    named = {iso: listed(at(page, way))[0] for iso, page in countries.pages.items()}
    times = Counter(slug(name) for names in named.values() for name in set(names))
    for iso, names in named.items():
        for name in names:
            if good(name) and times[slug(name)] > 1:
                facts.fact(country_id(iso), predicate, ref(facts.named(kind, name, type_)))
                facts.keep(way)
            else:
                facts.leave_out(way, f"{iso}: {name}")


def good(name: str) -> bool:
    """Whether this is one kind of goods and no half of a sentence: "iron ore", not "some gold" or "and other minerals"."""
    words = name.split()
    return bool(_PLAIN_GOOD.fullmatch(name)) and len(words) <= _LONG and not _SENTENCE.search(name)
