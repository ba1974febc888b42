"""What the questions of one decomposition have named so far, and what they therefore call each node."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from inspired.decomposition.decompose import compared
from inspired.decomposition.steps import Decomposition
from inspired.logical_form.forms import Blank, Entity, Literal, Term, Values, Variable, variables
from inspired.logical_form.schema import is_kind
from inspired.logical_form.vocabularies import is_path
from inspired.sub_questions.labels import called
from inspired.sub_questions.published import chained_path, path_template, published_template
from inspired.sub_questions.templates import Corpus, PredicateTemplate, type_words
from inspired.sub_questions.value_words import article, quoted

# Nouns that give way to what a later step calls the same thing.
VAGUE = ("thing", "place", "work", "subject")
_THE = re.compile(
    r"(?:United (?:States|Kingdom|Arab)|Netherlands$|Bahamas$|Philippines$|Caribbean$|Middle East$|Maldives$|Gambia$)"
    r"|.*\b(?:River|Sea|Ocean|Islands|Mountains|Republic|Empire|Kingdom|Union|Language|Peninsula|Desert)$"
    r"|(?:Democratic )?Republic of |(?:Senate|Parliament|Chamber of Deputies|House of \w+|National Assembly) of "
)


@dataclass
class Naming:
    """The state of one run of `inspired.sub_questions.verbalise`.

    `nouns` holds what has been asked for, under its noun; `latest` is what was asked last, so that "these" means it.
    `values` are compared or sorted by, `unshared` are known to one step only, `telling` are nouns from later steps.
    """

    corpus: Corpus
    names: Mapping[str, str]
    values: frozenset[Variable] = frozenset()
    unshared: frozenset[Variable] = frozenset()
    telling: Mapping[Variable, str] = field(default_factory=dict)
    nouns: dict[Variable, str] = field(default_factory=dict)
    kinds: dict[Variable, str | None] = field(default_factory=dict)
    latest: Variable | None = None

    def template(self, predicates: tuple[str, ...], comparing: str | None = None) -> PredicateTemplate:
        """The words of the main predicates of a step: templates, else what the knowledge base calls them."""
        if len(predicates) == 1 and (predicates[0].startswith("?") or is_path(predicates[0])) and not is_kind(predicates[0]):
            return path_template(predicates[0], lambda name: self.template((name,)))
        if len(predicates) == 2 and any(is_path(each) for each in predicates):
            return chained_path(*(self.template((each,)) for each in predicates))
        published = all("://" in each for each in predicates) and not self.corpus.covers(predicates)
        if not published:
            return self.corpus.template(predicates, comparing)
        return published_template(predicates, self.names, comparing)

    def words(self, term: Term) -> str:
        match term:
            case Variable():
                return f"that {self.nouns[term]}" if term in self.nouns else "something"
            case Entity(id_):
                return self._entity(term, self.names.get(id_) or self.corpus.names.get(id_))
            case Literal():
                return quoted(term)
            case Blank():
                return "anything"

    def _entity(self, entity: Entity, name: str | None) -> str:
        if name:
            return f"the {name}" if _THE.match(name) else name
        if "://" in entity.id:
            return called(entity.id)
        return article(type_words(entity.id)) if entity.is_type else entity.id

    def owner(self, term: Term, noun: str) -> str:
        """`term` as one who has something; names of teams get their article."""
        words = self.words(term)
        a_team = isinstance(term, Entity) and noun.endswith("team") and words.endswith("s")
        return f"the {words}" if a_team and not words.lower().startswith("the ") else words


def naming_for(decomposition: Decomposition, names: Mapping[str, str], corpus: Corpus) -> Naming:
    nodes = Counter(node for step in decomposition.steps for node in step.nodes)
    answer = decomposition.frame.answer
    returned = {answer, *decomposition.frame.columns}
    returned |= {each for step in decomposition.steps if step.returns for each in variables(step.returns)}
    return Naming(
        corpus=corpus,
        names=names,
        values=frozenset(compared(decomposition)),
        unshared=frozenset(node for node, times in nodes.items() if times == 1 and node not in returned),
        telling=_telling_nouns(decomposition, corpus),
    )


def _telling_nouns(decomposition: Decomposition, corpus: Corpus) -> dict[Variable, str]:
    """What a node on the way to the answer is called where it is next used: the place with a capital is a country."""
    result: dict[Variable, str] = {}
    for step in decomposition.steps:
        if not step.main:
            continue
        predicates = tuple(each.predicate for each in step.main)
        node, template = step.main[0].subject, corpus.template(predicates)
        if isinstance(node, Variable) and node != decomposition.frame.answer and template.subject not in VAGUE:
            result.setdefault(node, template.subject)
    for step in decomposition.steps:
        if step.main and isinstance(end := step.main[-1].object, Variable):
            noun = corpus.template(tuple(each.predicate for each in step.main)).object
            if noun not in VAGUE and isinstance(_listed(end, decomposition), Values):
                result.setdefault(end, noun)
    return result


def _listed(variable: Variable, decomposition: Decomposition) -> Values | None:
    """The step that lists what a variable may be."""
    groups = (step.group for step in decomposition.steps)
    return next((each for each in groups if isinstance(each, Values) and each.variable == variable), None)


def as_noun(name: str) -> str:
    """A kind's name inside a question: "Country" as "country"; names with capitals inside them stay."""
    if any(character.isupper() for character in name[1:]):
        return name
    return name[:1].lower() + name[1:]
