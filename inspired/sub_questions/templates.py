"""The words for predicates and restrictions: a corpus of templates, and the generator for what no template covers.

Our corpus is in `templates/`; `inspired.lab.reference_corpus` loads one in the format of the paper's authors.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from backend.errors import LogicalFormError
from backend.text.words import first_problem
from inspired.logical_form.schema import is_kind, is_mediator, type_of
from inspired.sub_questions.value_words import AMOUNT, article, singular

FOLDER = Path(__file__).with_name("templates")
NAME = "type.object.name"
_RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_DATE_WORDS = re.compile(r"(^|_)(date|year|time|opened|closed|founded|established|released|from|to|start|end|born|died)(_|$)")
_PREPOSITIONS = {"in", "at", "on", "of", "for", "to", "from", "with", "by"}
_BARE = {"from": "start date", "to": "end date"}
_VALUES = ("number", "amount", "rate", "value", "adjusted_value", "index_value", "emissions", "date", "runtime")


Value = Literal["date", "count", "amount", "code"]


class PredicateTemplate(BaseModel):
    """Words for one predicate or pair of predicates; the fields are explained in `templates/predicates.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: str = Field(min_length=1)
    has: Annotated[str, Field(pattern=r"\{o\}")]
    object: str = Field(min_length=1)
    of: Annotated[str, Field(pattern=r"\{s\}")]
    ask: Annotated[str, Field(pattern=r"\{s\}.*\?$")] | None = None
    value: Value | None = None


class Restriction(BaseModel):
    """Words for a restriction (appendix A.3.1): exactly one of the three, explained in `templates/restrictions.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    noun: str | None = None
    before: str | None = None
    after: str | None = None


class UnionTemplate(PredicateTemplate):
    predicates: tuple[str, ...] = Field(min_length=2)


class _Unions(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    union: tuple[UnionTemplate, ...]


@dataclass(frozen=True)
class Corpus:
    """Keys of `templates` are a predicate, or two joined by ` > `; those of `names` are ids of entities."""

    templates: Mapping[str, PredicateTemplate]
    restrictions: Mapping[str, Restriction]
    unions: tuple[UnionTemplate, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def template(self, predicates: tuple[str, ...], comparing: str | None = None) -> PredicateTemplate:
        """Words for the main predicates of a step; made up from their names if the corpus has none.

        `comparing` is the kind of value (`date`, `amount`) that the step compares or gives, if it does.
        """
        templates = self.templates.get(" > ".join(predicates))
        if templates is not None:
            return templates
        if len(predicates) == 2:
            first, second = predicates
            if second == NAME:
                return self.template((first,))
            if not is_mediator(type_of(second)):
                return chained(self.template((first,)), self.template((second,), comparing))
        return generated(predicates, comparing)

    def restriction(self, predicate: str) -> Restriction:
        if is_kind(predicate) and "://" in predicate:
            predicate = _RDF_TYPE
        return self.restrictions.get(predicate) or Restriction(after=f"with the {property_words(predicate)} {{o}}")

    def union(self, keys: Iterable[str]) -> PredicateTemplate | None:
        wanted = set(keys)
        return next((each for each in self.unions if set(each.predicates) == wanted), None)

    def covers(self, predicates: tuple[str, ...]) -> bool:
        return " > ".join(predicates) in self.templates


@cache
def own_corpus() -> Corpus:
    """The corpus that ships with Parley."""
    return Corpus(
        templates=_Templates.model_validate(_read("predicates")).root,
        restrictions=_Restrictions.model_validate(_read("restrictions")).root,
        unions=_Unions.model_validate(_read("unions")).union,
        names=known_names(),
    )


def read_corpus(folder: Path) -> Corpus:
    """A corpus in our format. Raises LogicalFormError naming the file and the entry that is wrong."""
    try:
        return Corpus(
            templates=_Templates.model_validate(_read("predicates", folder)).root,
            restrictions=_Restrictions.model_validate(_read("restrictions", folder)).root,
            unions=_Unions.model_validate(_read("unions", folder)).union if (folder / "unions.toml").exists() else (),
            names=known_names(),
        )
    except ValidationError as error:
        where, reason = first_problem(error, " / ")
        raise LogicalFormError(f"A template in {folder} is wrong at {where}: {reason}.") from error


@cache
def wikidata_labels() -> Mapping[str, str]:
    """What Wikidata calls its most used properties, by their ids."""
    return {key: str(value) for key, value in _read("wikidata").items()}


@cache
def known_names() -> Mapping[str, str]:
    """Names of a few kinds and titles that queries mention by id alone."""
    return {key: str(value) for key, value in _read("names").items()}


def _read(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    path = folder / f"{name}.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise LogicalFormError(f"Cannot read the templates in {path}: {error}.") from error


_Templates = RootModel[dict[str, PredicateTemplate]]
_Restrictions = RootModel[dict[str, Restriction]]


def chained(first: PredicateTemplate, second: PredicateTemplate) -> PredicateTemplate:
    """Words for two predicates joined by a thing that is not asked for: "has a capital that lies in {o}"."""
    return PredicateTemplate(
        subject=first.subject,
        has=first.has.replace("{o}", f"{article(second.subject)} that {second.has}"),
        object=second.object,
        of=second.of.replace("{s}", f"{article(first.object)} of {{s}}"),
        value=second.value,
    )


def generated(predicates: tuple[str, ...], comparing: str | None = None) -> PredicateTemplate:
    """Words made from the names of predicates, so that no step is ever without."""
    subject = type_words(type_of(predicates[0]))
    words = property_words(predicates[0])
    last = predicates[-1].rpartition(".")[2]
    if len(predicates) == 2 and last not in _VALUES and property_words(predicates[1]) != words:
        return _generated_pair(subject, words, property_words(predicates[1]))
    if comparing or _DATE_WORDS.search(last):
        return PredicateTemplate(
            subject=subject,
            has=f"has {article(words)} {{o}}",
            object=words,
            of=f"is the {words} of {{s}}",
            ask=f"What is the {words} of {{s}}?",
            value="amount" if comparing == AMOUNT else "date",
        )
    if (verb := words.removesuffix(" by")) != words:
        has, of = f"was {verb} by {{o}}", f"is what {{s}} was {verb} by"
        return PredicateTemplate(subject=subject, has=has, object="person or thing", of=of)
    if _PREPOSITIONS & {words.partition(" ")[0], words.rpartition(" ")[2]}:
        return PredicateTemplate(
            subject=subject, has=f"has “{words}” {{o}}", object="thing", of=f"stands under “{words}” for {{s}}"
        )
    return PredicateTemplate(subject=subject, has=f"has the {words} {{o}}", object=words, of=f"is the {words} of {{s}}")


def _generated_pair(subject: str, relation: str, role: str) -> PredicateTemplate:
    return PredicateTemplate(
        subject=subject,
        has=f"has {article(relation)} with the {role} {{o}}",
        object=role,
        of=f"is the {role} in the {relation} of {{s}}",
    )


def property_words(predicate: str) -> str:
    """The last part of a predicate as a singular noun: `tourist_attractions` as "tourist attraction"."""
    end = predicate.rstrip("/#>*+?)").rpartition("/")[2].rpartition("#")[2]
    name = end if "://" in predicate else end.rpartition(".")[2]
    if name in _BARE:
        return _BARE[name]
    words = re.split(r"[_\-]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().removesuffix("_s"))
    last = len(words) - 1
    return " ".join(singular(word) if index == last else word for index, word in enumerate(words) if word) or "value"


def type_words(type_name: str) -> str:
    if "://" in type_name:
        return property_words(type_name)
    return type_name.rpartition(".")[2].rpartition("/")[2].replace("_", " ").lower().strip() or "thing"
