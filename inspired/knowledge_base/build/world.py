"""The whole graph: every field of knowledge in turn, and a table of what was kept and what was left out."""

from __future__ import annotations

from collections.abc import Callable

from inspired.knowledge_base.build.countries import Countries, add_countries
from inspired.knowledge_base.build.currencies import add_currencies
from inspired.knowledge_base.build.emblems import add_emblems
from inspired.knowledge_base.build.facts import Facts
from inspired.knowledge_base.build.government import add_government
from inspired.knowledge_base.build.indicators import add_indicators
from inspired.knowledge_base.build.landscape import add_landscape
from inspired.knowledge_base.build.legislatures import add_legislatures
from inspired.knowledge_base.build.memberships import add_memberships
from inspired.knowledge_base.build.peoples import add_other_forms, add_peoples
from inspired.knowledge_base.build.places import add_places
from inspired.knowledge_base.build.sources import Sources
from inspired.knowledge_base.build.tongues import add_languages
from inspired.knowledge_base.build.trade import add_trade
from inspired.knowledge_base.build.waters import add_waters

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
