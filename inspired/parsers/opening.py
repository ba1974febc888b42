"""Any parser of questions by its name: the default one, a trained one by its folder, or a language model on a server."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from backend.errors import InspiredError
from backend.models.language_models import PACKAGED_MODEL, LanguageModel, OpenAIEndpoint, PackagedModel
from inspired.knowledge_base.graph import Graph, embedded_graph, read_graph
from inspired.knowledge_base.in_place.facts import InPlaceFacts
from inspired.knowledge_base.in_place.kept_sample import kept_sample
from inspired.knowledge_base.rdf_files import checked_source
from inspired.knowledge_base.seam import KnowledgeBase
from inspired.knowledge_base.vocabulary import Property
from inspired.logical_form.forms import Entity
from inspired.parsers.in_place import InPlaceParser
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.reading import QuestionParser
from inspired.sub_questions.templates import property_words

DEFAULT = "default"
KEY = "OPENAI_API_KEY"


def open_parser(name: str, graph: Graph, base_url: str | None = None) -> QuestionParser:
    """`name` is "default", the folder of a parser that was trained, or a model: the packaged one, or any at `base_url`.

    The key of a server is read from OPENAI_API_KEY. Raises InspiredError if there is nothing of this name.
    """
    from inspired.parsers.prompted import PromptedParser
    from inspired.parsers.sequence import SequenceQuestionParser, linked

    default = DefaultParser(graph)
    if name == DEFAULT:
        return default
    if base_url is not None or name == PACKAGED_MODEL:
        return PromptedParser(_language_model(name, base_url), linked(default.linker), likely_predicates(default))
    if not Path(name).is_dir():
        raise InspiredError(
            f"--parser {name} is neither “{DEFAULT}”, nor a folder with a trained parser, nor “{PACKAGED_MODEL}”; for "
            "a language model on a server, give --base-url too."
        )
    from inspired.parsers.trained_task import load_trained

    model, task = load_trained(Path(name), "parser")
    return SequenceQuestionParser(model, linked(default.linker), graph.predicates, graph.names, task.kinds)


def open_default_parser(where: str | Path | None, kb: KnowledgeBase) -> "DefaultParser | InPlaceParser":
    """The parser that works at once: over a graph in memory, or in place for store folders and endpoints.

    Raises KnowledgeBaseError if the knowledge base cannot be read.
    """
    if where is None:
        return DefaultParser(embedded_graph())
    if "://" not in str(where) and not Path(where).is_dir():
        return DefaultParser(read_graph(checked_source(Path(where))))
    facts = InPlaceFacts(kb)
    return InPlaceParser(facts, kept_sample(str(where), facts))


def likely_predicates(parser: DefaultParser) -> Callable[[str], Sequence[Property]]:
    """The predicates that a question may be about: first those that its words speak for, then those of what it names."""
    properties = parser.graph.schema.properties

    def candidates(question: str) -> Sequence[Property]:
        analysis = parser.analyse(question)
        strength = {relation: analysis.speaks_for(relation) for relation in analysis.evidence}
        predicates: dict[str, None] = {}
        for relation in sorted(strength, key=lambda each: (-strength[each], each.key)):
            predicates |= dict.fromkeys(relation.path)
        for mention in analysis.mentions:
            if isinstance(mention.node, Entity):
                predicates |= dict.fromkeys(parser.graph.predicates_from(mention.node.id))
        return [properties.get(each) or Property(each, property_words(each), "", "") for each in predicates]

    return candidates


def _language_model(name: str, base_url: str | None) -> LanguageModel:
    if base_url is None:
        return PackagedModel()
    return OpenAIEndpoint(base_url, name, os.environ.get(KEY, ""))
