"""Names in place of identifiers: what a predicate or a thing is called by its label, else by the end of its IRI."""

import re
from collections.abc import Mapping
from urllib.parse import unquote

from inspired.decomposition.steps import Decomposition
from inspired.logical_form.forms import Entity, Triple, walk
from inspired.logical_form.schema import is_kind
from inspired.logical_form.vocabularies import WIKIDATA, names_in, wikidata_property, with_predicates
from inspired.sub_questions.templates import Corpus, wikidata_labels

_NUMBERED = re.compile(r"[PQL]\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[a-z])(?=\d)")
_CLASSES = (
    "http://dbpedia.org/class/",
    "http://dbpedia.org/ontology/",
    "http://schema.org/",
    "http://xmlns.com/foaf/0.1/",
    "http://www.w3.org/",
)
_PREFIXES = re.compile(r"^(?:Category:|Wikicat(?=[A-Z]))")


def to_look_up(decomposition: Decomposition) -> list[str]:
    """The ids of all that the words of the steps name: things, and predicates where labels are to be had."""
    parts = [each for step in decomposition.steps for each in walk(step.patterns)]
    parts += walk([*decomposition.frame.filters, *(step.returns for step in decomposition.steps if step.returns)])
    ids = [each.id for each in parts if isinstance(each, Entity)]
    predicates = [name for each in parts if isinstance(each, Triple) for name in names_in(each.predicate)]
    return list(dict.fromkeys([*ids, *(_label_id(each) for each in predicates if "://" in each)]))


def with_labels(decomposition: Decomposition, names: Mapping[str, str], corpus: Corpus) -> Decomposition:
    """The steps with predicates that are spelled by their labels, so that words made of their names read well."""

    def spelled(predicate: str) -> str:
        label = _label(predicate, names)
        if label is None or is_kind(predicate) or "://" not in predicate or corpus.covers((predicate,)):
            return predicate
        return predicate[: predicate.rindex("/") + 1] + re.sub(r"[^\w\-]+", "_", label).strip("_")

    if not any("://" in predicate for step in decomposition.steps for predicate in step.predicates):
        return decomposition
    return Decomposition(decomposition.frame, with_predicates(decomposition.steps, spelled))


def _label_id(predicate: str) -> str:
    property_ = wikidata_property(predicate)
    return f"{WIKIDATA}entity/{property_}" if property_ else predicate


def _label(predicate: str, names: Mapping[str, str]) -> str | None:
    known = names.get(predicate) or names.get(_label_id(predicate))
    property_ = wikidata_property(predicate)
    if property_ is None:
        return known
    return known if known and known != property_ else wikidata_labels().get(property_, "unnamed property")


def called(iri: str) -> str:
    """A thing without a label by the end of its IRI: "Tom Cruise", "basketball player"."""
    end = unquote(re.split(r"[/#]", iri.rstrip("/#"))[-1]) or iri
    plain = _PREFIXES.sub("", end)
    if _NUMBERED.fullmatch(plain):
        return f"the item {plain}"
    if iri.startswith(_CLASSES):
        return _CAMEL.sub(" ", re.sub(r"\d{6,}$", "", plain)).replace("_", " ").lower()
    if "_" in plain or (plain != end and plain.startswith("Category")):
        return plain.replace("_", " ").strip()
    words = _CAMEL.sub(" ", plain).split()
    return " ".join(words).lower() if words[1:] else plain
