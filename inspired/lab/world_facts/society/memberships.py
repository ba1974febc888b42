"""Which countries are members of which international organizations, from the CIA World Factbook."""

import re

from inspired.lab.world_facts.countries import Countries, at, country_id, identities
from inspired.lab.world_facts.factbook_text import clean, parts
from inspired.lab.world_facts.facts import Facts, ref, slug

_FIELD = "Government/International organization participation"
# What the Factbook adds in brackets to some that are full members all the same.
_FULL = (None, "permanent", "nonregional member")


def add_memberships(facts: Facts, countries: Countries) -> None:
    """Full members only: observers, partners and suspended members are left out."""
    known, former = identities()["organizations"], identities()["former_memberships"]
    for iso, page in countries.pages.items():
        for part in parts(clean(at(page, _FIELD))):
            match = re.fullmatch(r"(?P<name>[^()]+?)(?: \((?P<status>[^()]+)\))?", part)
            if match is None or match["name"] not in {*known} - {*former.get(iso, ())} or match["status"] not in _FULL:
                facts.leave_out(_FIELD, f"{iso}: {part}")
                continue
            _member(facts, iso, match["name"], known[match["name"]])


def _member(facts: Facts, iso: str, short: str, names: list[str]) -> None:
    id_ = facts.thing(f"m.organization_{slug(names[0])}", names[0], "organization.membership_organization")
    facts.alias(id_, *names[1:], *([short] if len(short) > 1 else []))
    key = f"member_{iso.lower()}_{slug(names[0])}"
    facts.mediator(country_id(iso), "organization.organization_member.member_of", key, organization=ref(id_))
    facts.keep(_FIELD)
