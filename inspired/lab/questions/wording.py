"""Two sets of wordings, written apart: questions to learn from are in the words of one, questions to test with in the other's.

A predicate, or a pair "first > second", has phrases for both of its ends; one that a file does not know is worded from
the names in the schema, in the learning set only.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path as FilePath

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.errors import InspiredError
from backend.text.words import first_problem
from inspired.knowledge_base.vocabulary import GraphSchema
from inspired.lab.questions.links import MEASURES, Links, Path

FILES: dict[str, str] = {"train": "train.toml", "held-out": "held_out.toml"}
JOIN = " > "
_ASIDE = " | "

Phrases = tuple[str, ...]


class Entry(BaseModel):
    """The phrases for one link; `{s}` stands for the thing at its start, `{o}` for the one at its end, `{v}` for a value.

    `ask` are whole questions for the end, `of` noun phrases and `is_` verb phrases for it; `has` are verb phrases for
    the start. A figure has `amount`, its name, with the words for its largest and smallest, or verb phrases of its own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    subject: str | None = None
    object: str | None = None
    ask: Phrases = ()
    of: Phrases = ()
    is_: Phrases = Field(default=(), alias="is")
    has: Phrases = ()
    amount: Phrases = ()
    unit: str = "{v}"
    big: str = "highest"
    small: str = "lowest"
    more: Phrases = ()
    less: Phrases = ()
    most: Phrases = ()
    least: Phrases = ()


class QuestionWording(BaseModel):
    """`sentences` are the ways to build a question from phrases, `kinds` what notable types are called."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kinds: dict[str, Phrases]
    sentences: dict[str, Phrases]
    attributes: dict[str, Phrases]
    links: dict[str, Entry]


def read_wording(name: str) -> QuestionWording:
    """The set called "train" or "held-out". Raises InspiredError for another name."""
    if name not in FILES:
        raise InspiredError(f"There is no wording {name!r}; there are {' and '.join(FILES)}.")
    return _read(name)


@cache
def _read(name: str) -> QuestionWording:
    path = FilePath(__file__).with_name(FILES[name])
    try:
        return QuestionWording.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        where, reason = first_problem(error, " / ")
        raise InspiredError(f"{path.name}: {where}: {reason}.") from error


@dataclass(frozen=True)
class WordingLexicon:
    """A wording for one knowledge base. Where it `guesses`, names of the schema stand in for missing words."""

    wording: QuestionWording
    links: Links
    guesses: bool = True

    def entry(self, path: Path, aside: str | None = None) -> tuple[Entry, bool] | None:
        """The phrases for `path`, and whether they look at it from its other end; `aside` is a predicate worded with it."""
        back = self.links.back(path)
        for way, turned in ((path, False), (back, True)):
            if way is not None and (phrases := self.wording.links.get(JOIN.join(way) + (_ASIDE + aside if aside else ""))):
                return phrases, turned
        if aside is not None or not self.guesses:
            return None
        return _guessed(path, self.links.graph.schema), False

    def knows(self, path: Path, aside: str | None = None) -> bool:
        return self.entry(path, aside) is not None


def _guessed(path: Path, schema: GraphSchema) -> Entry:
    """Phrases from the names of the schema."""
    named = [schema.properties[each] for each in path if each in schema.properties]
    # A figure is called as what it measures, another relation as what it leads to.
    telling = named[0 if len(named) == 2 and named[1].domain.startswith(MEASURES) else -1].name if named else path[-1]
    name = telling[:1].lower() + telling[1:]
    start, end = (_type_name(each, schema) for each in (named[0].domain, named[-1].range)) if named else ("thing", "thing")
    phrases = {
        "ask": (f"What is the {name} of {{s}}?",),
        "of": (f"the {name} of {{s}}",),
        "is": (f"is the {name} of {{s}}",),
        "has": (f"has the {name} {{o}}",),
    }
    return Entry.model_validate({"subject": start, "object": end, "amount": (name,), **phrases})


def _type_name(type_: str, schema: GraphSchema) -> str:
    name = schema.types[type_].name if type_ in schema.types else "thing"
    return name if any(letter.isupper() for letter in name[1:]) else name.lower()
