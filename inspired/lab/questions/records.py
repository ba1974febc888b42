"""Generated questions as records of ComplexWebQuestions, which the commands of this package read."""

from typing import TypedDict

from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.vocabulary import Node
from inspired.lab.questions.generator import GeneratedQuestion
from inspired.logical_form.forms import Entity
from inspired.logical_form.sparql_writer import write_sparql


class GeneratedAnswer(TypedDict):
    """`answer` is the name of a thing, or the value itself."""

    answer: str
    answer_id: str | None
    aliases: list[str]


class GeneratedRecord(TypedDict):
    ID: str
    compositionality_type: str
    question: str
    sparql: str
    topic_entity: dict[str, str]
    answer: list[GeneratedAnswer]


def record(question: GeneratedQuestion, graph: Graph) -> GeneratedRecord:
    return GeneratedRecord(
        ID=question.id,
        compositionality_type=question.type,
        question=question.question,
        sparql=write_sparql(question.form, prefixes=True),
        topic_entity=dict(question.names),
        answer=[_answer(each, graph) for each in question.answers],
    )


def _answer(node: Node, graph: Graph) -> GeneratedAnswer:
    if isinstance(node, Entity):
        aliases = list(graph.aliases.get(node.id, ()))
        return GeneratedAnswer(answer=graph.names.get(node.id, node.id), answer_id=node.id, aliases=aliases)
    return GeneratedAnswer(answer=node.text, answer_id=None, aliases=[])
