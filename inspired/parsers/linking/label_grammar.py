"""Which end of a fact a relation's name speaks of: "part of" names where it starts, "supplier" where it leads to.

A name is a noun ("supplier", "has part"), a noun with "of" ("part of"), a verb ("owns", "founded"), one with a preposition
("depends on"), or a passive one ("founded by", "located in").
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from inspired.parsers.linking.words import stem, table, tokens_of

# What the thing that a question names is to a word of a relation. "X's suppliers": the owner; "whose supplier is X": the
# bearer; "X founded", "founded by X": the agent; "X was founded", "founded X": the patient; "depends on X": the oblique.
Role = Literal["bearer", "owner", "agent", "patient", "oblique"]
End = Literal["start", "end"]
OTHER_END: Mapping[End, End] = {"start": "end", "end": "start"}
_TURNED: Mapping[Role, Role] = {
    "bearer": "owner", "owner": "bearer", "agent": "patient", "patient": "agent", "oblique": "oblique",
}  # fmt: skip
_DOER, _DONE_TO = ("er", "or", "ers", "ors"), ("ee", "ees")
_FEWEST = 4


@dataclass(frozen=True)
class LabelGrammar:
    """One name of a relation: its `stems`, and at which end of a fact each role stands; `is_verb` if it says what is done."""

    stems: frozenset[str]
    ends: Mapping[Role, End]
    is_verb: bool = False

    def turned(self) -> "LabelGrammar":
        """The same name, for the relation gone along from its other end."""
        return replace(self, ends={role: OTHER_END[end] for role, end in self.ends.items()})

    def turns(self, word: str) -> bool:
        """Whether a word is one for the other end of what is named: "child" of "parent"."""
        return stem(word) not in self.stems and stem(word) in _related("converses", self.stems)

    def end_of(self, role: Role, word: str) -> End | None:
        """At which end what has the `role` to `word` stands; None where the name does not tell."""
        noun = role in ("bearer", "owner")
        if stem(word) in self.stems:
            return self._same(role, word)
        if self.turns(word):
            return self.ends.get(_TURNED[role]) if noun else None
        # Words of like meaning are used alike only where they are of one kind: "employer" and "works for" are not.
        alike = noun != self.is_verb or (not noun and role != "oblique" and "bearer" in self.ends)
        return self.ends.get(role) if alike and stem(word) in _related("synonyms", self.stems) else None

    def _same(self, role: Role, word: str) -> End | None:
        acts: Role | None = None
        if word.endswith(_DOER):
            acts = {"bearer": "agent", "owner": "patient"}.get(role)  # type: ignore[assignment]
        elif word.endswith(_DONE_TO):
            acts = {"bearer": "patient", "owner": "agent"}.get(role)  # type: ignore[assignment]
        return (self.ends.get(acts) if acts else None) or self.ends.get(role)


def label_grammar(label: str) -> LabelGrammar | None:
    """The grammar of a relation's name, from the thing that has it; None for one without words."""
    words = [each.plain for each in tokens_of(label)]
    has = words[:1] in (["has"], ["have"])
    while len(words) > 1 and words[0] in _SMALL:
        words = words[1:]
    if not words:
        return None
    stems = frozenset(stem(each) for each in words if each not in _SMALL | prepositions())
    if len(words) > 1 and words[-1] in prepositions():
        return LabelGrammar(stems, *_with_preposition(words))
    if not has and len(words) == 1 and is_participle(words[0]):
        return LabelGrammar(stems, {"agent": "start", "patient": "end"}, is_verb=True)
    return LabelGrammar(stems, _noun(words[-1], "end"))


def called(words: str, bearer: End) -> LabelGrammar:
    """Nouns by which the thing at one end is called, whatever the name of the relation."""
    return LabelGrammar(frozenset(map(stem, words.split())), {"bearer": bearer, "owner": OTHER_END[bearer]})


def _with_preposition(words: Sequence[str]) -> tuple[Mapping[Role, End], bool]:
    core, preposition = words[-2], words[-1]
    if is_participle(core) and preposition == "by":
        return {"agent": "end", "patient": "start"}, True
    if is_participle(core):  # of "exported to", who exports is not where it is exported to
        return {"agent": "start", "patient": "start", "oblique": "end"}, True
    if preposition != "of" and core.endswith("s") and not core.endswith("ss"):
        return {"agent": "start", "patient": "end", "oblique": "end"}, True
    return _noun(core, "start"), False


def _noun(word: str, bearer: End) -> Mapping[Role, End]:
    """A noun that may be a verb as well ("controls") is what its owner does; one like "supplier" does what it is called by."""
    ends: dict[Role, End] = {"bearer": bearer, "owner": OTHER_END[bearer]}
    if word.endswith(_DOER):
        return {**ends, "agent": bearer, "patient": OTHER_END[bearer]}
    return {**ends, "agent": OTHER_END[bearer], "patient": bearer, "oblique": OTHER_END[bearer]}


_SMALL = frozenset("has have had is are was were a an the".split())


@cache
def prepositions() -> frozenset[str]:
    return frozenset(str(table("directions")["prepositions"]).split())


def is_participle(word: str) -> bool:
    """Whether a word says what was done: "founded", "taught"."""
    return (word.endswith("ed") and len(word) > _FEWEST) or word in str(table("directions")["participles"]).split()


def _related(name: str, stems: frozenset[str]) -> frozenset[str]:
    return frozenset(other for each in stems for other in related(name).get(each, ()))


@cache
def related(name: str) -> Mapping[str, tuple[str, ...]]:
    """By stem, the stems of words that mean nearly the same, or, of `converses`, the same from the other end."""
    result: dict[str, dict[str, None]] = {}
    for row in table(name)["rows"]:
        sides = [each.split() for each in str(row).split(" / ")]
        groups = [[stem(each) for each in side] for side in sides]
        for mine in groups:
            others = [groups[0]] if len(groups) == 1 else [each for each in groups if each is not mine]
            for one in mine:
                result.setdefault(one, {}).update(dict.fromkeys(each for group in others for each in group if each != one))
    return {each: tuple(sorted(others)) for each, others in result.items()}
