"""Speak of an entity by its name or by a phrase, in place of its id: `[Lou Seal]`, `[that country]`."""

import difflib
import re
from collections.abc import Mapping

from backend.errors import LogicalFormError
from inspired.logical_form.forms import Entity, Term, Variable

_BRACKETS = re.compile(r"\[([^\[\]\n]+)\]")
_STRINGS = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"")
_POINTING = re.compile(r"(?:that|the|this|those|these|such|of these)\s+(.+)", re.IGNORECASE)
_LATEST = ("these", "that", "those", "it", "them", "of these")
_CLOSE_ENOUGH = 0.75


def resolve(phrase: str, names: Mapping[str, str], nouns: Mapping[Variable, str]) -> Term:
    """What `phrase` refers to: an entity by its name, or the variable that a step has called "country".

    `names` are those of entities, by id; `nouns` are those of variables, in the order in which they were asked for.
    Raises LogicalFormError if nothing fits, or if more than one thing does, naming the choices.
    """
    wanted = _plain(phrase)
    if wanted in _LATEST and nouns:
        return list(nouns)[-1]
    if named := sorted({id_ for id_, name in names.items() if _plain(name) == wanted}):
        return Entity(_only(named, phrase, names))
    if (pointing := _POINTING.fullmatch(wanted)) and (called := _called(pointing[1], nouns)):
        return called[-1]
    if called := _called(wanted, nouns):
        return called[-1]
    near = difflib.get_close_matches(wanted, [_plain(name) for name in names.values()], n=3, cutoff=_CLOSE_ENOUGH)
    alike = sorted({id_ for id_, name in names.items() if _plain(name) in near or wanted in _plain(name).split()})
    if alike:
        return Entity(_only(alike, phrase, names))
    known = [*dict.fromkeys(names.values()), *(f"that {noun}" for noun in dict.fromkeys(nouns.values()))]
    choices = f"Known here: {', '.join(known)}. " if known else ""
    raise LogicalFormError(f"Nothing called “{phrase}” is known here. {choices}An id such as ns:m.0f8l9c always works.")


def resolve_all(text: str, names: Mapping[str, str], nouns: Mapping[Variable, str]) -> str:
    """`text` with the id or variable in place of each `[name or phrase]`; strings in quotation marks stay."""

    def term(match: re.Match[str]) -> str:
        entity = resolve(match[1].strip(), names, nouns)
        if isinstance(entity, Entity):
            return entity.id if entity.is_placeholder else f"<{entity.id}>" if "://" in entity.id else f"ns:{entity.id}"
        assert isinstance(entity, Variable)
        return f"?{entity.name}"

    pieces, last = [], 0
    for string in _STRINGS.finditer(text):
        pieces += [_BRACKETS.sub(term, text[last : string.start()]), string[0]]
        last = string.end()
    return "".join([*pieces, _BRACKETS.sub(term, text[last:])])


def with_names(text: str, names: Mapping[str, str]) -> str:
    """SPARQL with `[names]` in place of the ids that have one: what `resolve_all` reads back."""
    counts = [_plain(name) for name in names.values()]

    def named(match: re.Match[str]) -> str:
        name = names.get(match[1])
        # Two things of one name could not be distinguished when the text is read again.
        clear = name and counts.count(_plain(name)) == 1 and not re.search(r"[\[\]\n]", name)
        return f"[{name}]" if clear else match[0]

    return re.sub(r"(?<![\w:])ns:([\w.]+\w)(?![\w:])", named, text)


def _called(noun: str, nouns: Mapping[Variable, str]) -> list[Variable]:
    return [variable for variable, name in nouns.items() if _plain(name) == noun]


def _only(ids: list[str], phrase: str, names: Mapping[str, str]) -> str:
    if len(ids) == 1:
        return ids[0]
    choices = ", ".join(f"{names[id_]} (ns:{id_})" for id_ in ids)
    raise LogicalFormError(f"“{phrase}” could mean {choices}. Please write the id.")


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
