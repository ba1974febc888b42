"""What a role of a corpus line says in the labels that the encoder decides between."""

import re
from dataclasses import dataclass

from ttm.lab.learning.corpus import RoleSpan
from ttm.parsers.learned.encoder.roles import ROLES

_NUMBER = r"-?\d+(?:\.\d+)?(?:-\d\d-\d\d)?"
_COMPARISONS = {
    "greater than": "greater", "less than": "less", "greater equal than": "at least", "less equal than": "at most",
    "equal to": "equal", "not equal to": "not equal",
}  # fmt: skip
_COMPARED = re.compile(rf"(?P<name>.+?) (?P<comparison>{'|'.join(_COMPARISONS)}) (?P<number>{_NUMBER}|\*)$")
_CHANGED = re.compile(rf"(?P<name>\S+) (?P<kind>increase|decrease|set) (?P<number>{_NUMBER}|\*)(?P<percent> percent)?$")
_OUTCOME = re.compile(r"(?P<outcome>label|prediction|target|probability)(?: (?P<negated>not )?(?P<number>\d+))?$")
_OUTCOMES = {"label": "label", "prediction": "prediction", "probability": "probability", "target": "label"}


@dataclass(frozen=True)
class SpanLabel:
    """The role of a span; which items it means (keys of `SchemaItem`, none where it means no item, None where the line does
    not say); how it uses them; what a class is compared with."""

    role: str
    links: frozenset[str] | None = None
    relation: str | None = None
    outcome: str | None = None


@dataclass(frozen=True)
class _Atom:
    link: str
    relation: str
    outcome: str = "column"


def span_label(span: RoleSpan, keys: frozenset[str]) -> SpanLabel | None:
    """The labels of one role; None for roles that are not learned. `keys` are those of the table's items."""
    role = "argument" if span.role == "target" else span.role
    means = " ".join(span.means.lower().split())
    if role not in ROLES:
        return None
    if role == "reference":
        return SpanLabel(role, relation=_reference(means))
    if role in ("count", "id"):
        return SpanLabel(role)
    if role in ("argument", "class"):
        return _argument(role, means, keys)
    atoms = [atom for part in re.split(r" (?:and|or) ", means) for atom in [_atom(part, keys)] if atom is not None]
    if not atoms:
        return SpanLabel(role)
    relations, outcomes = {atom.relation for atom in atoms}, {atom.outcome for atom in atoms}
    relation = relations.pop() if len(relations) == 1 else _between(means, atoms)
    return SpanLabel(role, frozenset(atom.link for atom in atoms), relation, outcomes.pop() if len(outcomes) == 1 else None)


def _between(means: str, atoms: list[_Atom]) -> str | None:
    one_column = len({atom.link for atom in atoms}) == 1
    return "between" if one_column and len(atoms) == 2 and " and " in means else None


def _reference(means: str) -> str:
    if re.search(r"\b(row|rows?) \d|of the list|last row|one row|^id ", means) and not means.startswith("previous"):
        return "listed row"
    return "operation" if "operation" in means else "rows"


def _argument(role: str, means: str, keys: frozenset[str]) -> SpanLabel:
    parts = [part.strip() for part in re.split(r" (?:and|or) |,", means)]
    links = {link for part in parts for link in [_named(role, part, keys)] if link}
    comparison = _COMPARED.fullmatch(f"target {means}") or _COMPARED.fullmatch(means)
    if role == "class" and comparison:
        return SpanLabel(role, frozenset({"target"}), _COMPARISONS[comparison["comparison"]])
    return SpanLabel(role, frozenset(links))


def _named(role: str, part: str, keys: frozenset[str]) -> str | None:
    if part in ("label", "prediction"):
        return "target"
    if role == "class" and part.isdigit():
        return f"class {part}" if f"class {part}" in keys else None
    return part if part in keys else None


def _atom(part: str, keys: frozenset[str]) -> _Atom | None:
    changed = _CHANGED.fullmatch(part)
    if changed and changed["name"] in keys:
        return _Atom(changed["name"], f"{changed['kind']}{changed['percent'] or ''}")
    probability = re.fullmatch(r"probability (\d+) (.+)", part)
    if probability:
        compared = _COMPARED.fullmatch(f"p {probability[2]}")
        key = f"class {probability[1]}"
        return _Atom(key, _COMPARISONS[compared["comparison"]], "probability") if compared and key in keys else None
    compared = _COMPARED.fullmatch(part)
    if compared:
        name = compared["name"]
        if name in _OUTCOMES and name not in keys:
            return _Atom("target", _COMPARISONS[compared["comparison"]], _OUTCOMES[name])
        return _Atom(name, _COMPARISONS[compared["comparison"]]) if name in keys else None
    outcome = _OUTCOME.fullmatch(part)
    if outcome and outcome["number"] and f"class {outcome['number']}" in keys:
        relation = "not" if outcome["negated"] else "is"
        return _Atom(f"class {outcome['number']}", relation, _OUTCOMES[outcome["outcome"]])
    return _of_column(part, keys)


def _of_column(part: str, keys: frozenset[str]) -> _Atom | None:
    name, _, value = part.partition(" ")
    if value in ("missing", "present") and name in keys:
        return _Atom(name, value)
    if value.startswith("not ") and f"{name}={value[4:]}" in keys:
        return _Atom(f"{name}={value[4:]}", "not")
    if f"{name}={value}" in keys:
        return _Atom(f"{name}={value}", "is")
    return _Atom(name, "set") if name in keys and re.fullmatch(_NUMBER, value) else None
