"""The whole graph: every field of knowledge in turn, and a table of what was kept and what was left out."""

from collections.abc import Callable

from inspired.lab.world_facts.countries import Countries, add_countries
from inspired.lab.world_facts.economy.currencies import add_currencies
from inspired.lab.world_facts.economy.indicators import add_indicators
from inspired.lab.world_facts.economy.trade import add_trade
from inspired.lab.world_facts.facts import Facts
from inspired.lab.world_facts.geography.landscape import add_landscape
from inspired.lab.world_facts.geography.places import add_places
from inspired.lab.world_facts.geography.waters import add_waters
from inspired.lab.world_facts.society.emblems import add_emblems
from inspired.lab.world_facts.society.government import add_government
from inspired.lab.world_facts.society.legislatures import add_legislatures
from inspired.lab.world_facts.society.memberships import add_memberships
from inspired.lab.world_facts.society.peoples import add_other_forms, add_peoples
from inspired.lab.world_facts.society.tongues import add_languages
from inspired.lab.world_facts.sources import Sources

FIELDS: tuple[Callable[[Facts, Countries], None], ...] = (
    add_countries,
    add_places,
    add_landscape,
    add_waters,
    add_currencies,
    add_languages,
    add_peoples,
    add_indicators,
    add_trade,
    add_government,
    add_legislatures,
    add_memberships,
    add_emblems,
)


def gather(sources: Sources) -> Facts:
    facts, countries = Facts(), Countries(sources)
    for add in FIELDS:
        add(facts, countries)
    add_other_forms(facts)
    return facts


def summary(facts: Facts) -> str:
    """A line a field of the sources: how many statements were kept and left out, and one example of the latter."""
    lines = [f"{'kept':>6} {'left out':>8}  field (example of what was left out)"]
    for source_field in sorted({*facts.kept, *facts.left}):
        left = facts.left.get(source_field, [])
        example = f" ({left[0][:70]})" if left else ""
        lines.append(f"{facts.kept[source_field]:>6} {len(left):>8}  {source_field}{example}")
    return "\n".join(lines)
