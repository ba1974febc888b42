"""Currencies of today and before, with the time of their use (CLDR), and their names and codes (CLDR, ISO 4217)."""

from datetime import date

from inspired.lab.world_facts.countries import Countries, country_id
from inspired.lab.world_facts.facts import Facts, code, day, ref

Span = tuple[str, tuple[int, int, int] | None, tuple[int, int, int] | None, bool]


def add_currencies(facts: Facts, countries: Countries) -> None:
    add_currency(facts, countries, "USD")
    for iso, spans in sorted(countries.sources.cldr("territory_currencies").items()):
        if iso in countries.codes:
            for index, span in enumerate(spans):
                _use(facts, countries, iso, span, index)


def _use(facts: Facts, countries: Countries, iso: str, span: Span, index: int) -> None:
    """CLDR marks what is no money that people pay with (funds, units of account): that is left out."""
    key, start, end, tender = span
    if not tender or (key.startswith("X") and key not in ("XAF", "XCD", "XCG", "XOF", "XPF")):
        facts.leave_out("Currencies in use", f"{iso} {key}")
        return
    currency = ref(add_currency(facts, countries, key))
    predicate = "location.country.currency_used" if end is None else "location.country.currency_formerly_used"
    facts.fact(country_id(iso), predicate, currency)
    facts.mediator(
        country_id(iso),
        "location.country.currency_history",
        f"currency_{iso.lower()}_{key.lower()}_{index}",
        currency=currency,
        from_=start and day(date(*start)),
        to=end and day(date(*end)),
    )
    facts.keep("Currencies in use")


def add_currency(facts: Facts, countries: Countries, key: str) -> str:
    of_iso = countries.sources.iso_currencies.get(key, {}).get("name", "")
    name = countries.sources.cldr_names("currencies").get(key) or of_iso
    id_ = facts.thing(f"m.currency_{key.lower()}", name, "finance.currency")
    facts.alias(id_, of_iso)
    facts.fact(id_, "finance.currency.currency_code", code(key))
    symbol = countries.sources.cldr_names("currency_symbols").get(key, key)
    if symbol != key:
        facts.fact(id_, "finance.currency.prefix_symbol", code(symbol))
    return id_
