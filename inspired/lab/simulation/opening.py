"""What a simulation works with: questions, the parser that predicts, the one that reads corrections, and the user."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from backend.errors import InspiredError, LogicalFormError
from inspired.knowledge_base.graph import Graph
from inspired.lab.cwq import read_records
from inspired.lab.json_lines import read_lines
from inspired.lab.simulation.correcting import Case
from inspired.lab.simulation.gold_entities import StepsWithEntities, WithEntities
from inspired.lab.simulation.user import TemplateUser, User, WordingUser
from inspired.logical_form.forms import LogicalForm
from inspired.logical_form.sparql_reader import read_sparql
from inspired.parsers.reading import ParseCorrector, QuestionParser

if TYPE_CHECKING:
    from backend.models.sequence_models.seam import SequenceModel
    from inspired.parsers.query_graphs.default_parser import DefaultParser
    from inspired.parsers.trained_task import TrainedTask

DEFAULT = "default"


@dataclass(frozen=True)
class GoldQuestion:
    """A question, its gold form, and the names of the entities in it by id."""

    id: str
    question: str
    gold: LogicalForm
    names: Mapping[str, str]


class _PredictedForm(BaseModel):
    """A line of a file with predictions; `sparql` is empty where a parser had none."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(alias="ID", min_length=1)
    sparql: str | None = None


def read_asked(path: Path, count: int) -> list[GoldQuestion]:
    """The first `count` questions of a ComplexWebQuestions file. Raises InspiredError for one that cannot be read."""
    result: list[GoldQuestion] = []
    for record in read_records(path):
        if len(result) == count:
            break
        try:
            result.append(GoldQuestion(record.id, record.question, read_sparql(record.sparql), record.topic_entity))
        except LogicalFormError as error:
            raise InspiredError(f"{path}: the query of {record.id} cannot be read: {error.message}") from error
    return result


def made_asked(graph: Graph, seed: int, count: int, wording: str) -> list[GoldQuestion]:
    """Questions made from `graph`."""
    from inspired.lab.questions.generator import generate

    return [GoldQuestion(each.id, each.question, each.form, each.names) for each in generate(graph, seed, count, wording)]


def open_user(feedback: str, graph: Graph, seed: int) -> User:
    if feedback == "template":
        return TemplateUser()
    from inspired.lab.questions.links import Links
    from inspired.lab.questions.ties import attributes
    from inspired.lab.questions.wording import WordingLexicon, read_wording

    return WordingUser(WordingLexicon(read_wording(feedback), Links(graph, attributes()), guesses=False), seed)


@dataclass
class Parsers:
    """`parser` and `corrector` are "default", a folder that `train` has made, or, for the parser, a file of predictions."""

    graph: Graph
    parser: str = DEFAULT
    corrector: str = DEFAULT
    gold_entities: bool = False

    def cases(self, asked: Sequence[GoldQuestion]) -> Iterator[Case]:
        """Each question with what the parser makes of it."""
        predict = self._from_file() if self.parser != DEFAULT and Path(self.parser).is_file() else self._by_parser()
        for each in asked:
            yield Case(each.id, each.question, each.gold, each.names, predict(each))

    def corrector_of(self, case: Case) -> ParseCorrector:
        """The one that reads corrections; with gold entities it knows those of `case`."""
        if self.corrector == DEFAULT:
            return StepsWithEntities(self._default_steps, case.names) if self.gold_entities else self._default_steps
        from backend.models.sequence_models.seam import DIVERSE
        from inspired.parsers.sequence import SequenceParseCorrector, entities_of, linked

        model, name = self._corrector_model
        entities = entities_of(case.names) if self.gold_entities else linked(self._default.linker)
        return SequenceParseCorrector(model, entities, name.predicates, self.graph.names, DIVERSE)

    def _by_parser(self) -> Callable[[GoldQuestion], LogicalForm | None]:
        def predict(asked: GoldQuestion) -> LogicalForm | None:
            with suppress(InspiredError, LogicalFormError):
                return self._parser_of(asked).parse(asked.question, 1)[0].form
            return None

        return predict

    def _from_file(self) -> Callable[[GoldQuestion], LogicalForm | None]:
        needed = "Needed are ID and sparql."
        texts = {each.id: each.sparql for each in read_lines(Path(self.parser), _PredictedForm, needed)}

        def predict(asked: GoldQuestion) -> LogicalForm | None:
            with suppress(LogicalFormError):
                return read_sparql(texts.get(asked.id) or "")
            return None

        return predict

    def _parser_of(self, asked: GoldQuestion) -> QuestionParser:
        if self.parser == DEFAULT:
            return WithEntities(self._default, asked.names) if self.gold_entities else self._default
        from inspired.parsers.sequence import SequenceQuestionParser, entities_of, linked

        model, name = self._parser_model
        entities = entities_of(asked.names) if self.gold_entities else linked(self._default.linker)
        return SequenceQuestionParser(model, entities, name.predicates, self.graph.names, name.kinds)

    @cached_property
    def _default(self) -> "DefaultParser":
        from inspired.parsers.query_graphs.default_parser import DefaultParser

        return DefaultParser(self.graph)

    @cached_property
    def _default_steps(self) -> ParseCorrector:
        from inspired.parsers.correction.parse_correction import DefaultParseCorrector

        return DefaultParseCorrector(self._default)

    @cached_property
    def _parser_model(self) -> "tuple[SequenceModel, TrainedTask]":
        from inspired.parsers.trained_task import load_trained

        return load_trained(Path(self.parser), "parser")

    @cached_property
    def _corrector_model(self) -> "tuple[SequenceModel, TrainedTask]":
        from inspired.parsers.trained_task import load_trained

        return load_trained(Path(self.corrector), "correction")
