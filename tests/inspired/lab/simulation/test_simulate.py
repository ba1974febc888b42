"""A simulated user with parsers of known ability: what must come out is known beforehand."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.errors import InspiredError, KnowledgeBaseError
from inspired.__main__ import main
from inspired.decomposition.decompose import decompose
from inspired.decomposition.steps import Decomposition, Step, compose
from inspired.knowledge_base.graph import Graph, embedded_graph
from inspired.knowledge_base.seam import QueryResult
from inspired.lab.questions.generator import GeneratedQuestion, generate
from inspired.lab.simulation.alignment import operations, signature
from inspired.lab.simulation.correcting import Case, correct, same
from inspired.lab.simulation.gold_entities import StepsWithEntities, WithEntities
from inspired.lab.simulation.opening import open_user
from inspired.lab.simulation.scoring import Answering, mean
from inspired.lab.simulation.simulation import SimulationOutcome, report, simulate
from inspired.lab.simulation.tables import markdown
from inspired.logical_form.forms import Entity, LogicalForm, Variable
from inspired.logical_form.substitution import substitute
from inspired.parsers.query_graphs.query_graph import framed
from inspired.parsers.reading import History, QuestionReading, StepReading

SHOWN = LogicalForm(Variable("x"), ())


@pytest.fixture(scope="module")
def graph() -> Graph:
    return embedded_graph()


@pytest.fixture(scope="module")
def questions(graph: Graph) -> list[GeneratedQuestion]:
    return list(generate(graph, 21, 120, "held-out"))


class PointingUser:
    """Says which step is meant, by number, so that a corrector can be as good or bad as a test wants."""

    def feedback(self, gold: Decomposition, names: Mapping[str, str], number: int, attempt: int, key: str) -> str:
        return f"{key}/{number}/{attempt}"


class Corrector:
    """Reads `PointingUser`: right from attempt `patience` on, and before that another step of another question."""

    def __init__(self, questions: Sequence[GeneratedQuestion], patience: int) -> None:
        self.gold = {each.id: decompose(each.form).steps for each in questions}
        self.patience = patience
        self.spare = [step for steps in self.gold.values() for step in steps]

    def correct(self, feedback: str, history: History, n: int = 10) -> tuple[StepReading, ...]:
        id_, number, attempt = feedback.split("/")
        wanted = self.gold[id_][int(number)]
        if int(attempt) >= self.patience:
            return (StepReading(wanted, {}, 1.0),)
        drawn = random.Random(feedback).choice(self.spare)
        if signature(drawn) == signature(wanted):
            raise InspiredError("Nothing comes to mind.")
        return (StepReading(drawn, {}, 1.0),)


class Useless:
    def correct(self, feedback: str, history: History, n: int = 10) -> tuple[StepReading, ...]:
        raise InspiredError("That means nothing here.")


class NoAnswers:
    label = "nothing"

    def select(self, sparql: str, limit: int = 1000, seconds: float = 10.0) -> QueryResult:
        return QueryResult(("x",), ())

    def close(self) -> None: ...


def spoiled(question: GeneratedQuestion, rng: random.Random, kinds: Sequence[str]) -> LogicalForm | None:
    """A prediction that is wrong, or lacks something, in one of the ways that parsers have."""
    kind = rng.choice(kinds)
    if kind == "nothing":
        return None
    steps = decompose(question.form)
    if kind == "missing" and len(steps.steps) > 1:
        dropped = [each for each in steps.steps if each.order is None][-1]
        kept = [each for each in steps.steps if each != dropped and each.order is None]
        return framed(compose(steps.with_steps(kept))) if kept else None
    if kind == "spare":
        first = steps.steps[0]
        more = [Step(main=(replace(first.main[0], object=Entity("m.spare")),))] if first.main else []
        return compose(steps.with_steps([*steps.steps, *more])) if more else None
    return framed(substitute(question.form, lambda term: Entity("m.other") if isinstance(term, Entity) else term))


def cases(questions: Sequence[GeneratedQuestion], seed: int, kinds: Sequence[str]) -> list[Case]:
    rng = random.Random(seed)
    return [Case(each.id, each.question, each.form, each.names, spoiled(each, rng, kinds)) for each in questions]


def outcomes(
    questions: Sequence[GeneratedQuestion],
    corrector: Corrector | Useless,
    kinds: Sequence[str],
    seed: int = 0,
    attempts: int = 3,
) -> list[SimulationOutcome]:
    made = cases(questions, seed, kinds)
    return list(simulate(made, lambda case: corrector, PointingUser(), Answering(NoAnswers()), attempts))


@pytest.mark.slow
@settings(max_examples=4)
@given(seed=st.integers(0, 999))
def test_a_perfect_corrector_puts_everything_right_at_once(questions: list[GeneratedQuestion], seed: int) -> None:
    found = outcomes(questions, Corrector(questions, 1), ["nothing", "missing", "spare", "entity"], seed, attempts=1)
    assert not all(each.exact[0] for each in found)
    assert all(each.exact[1] for each in found)


@pytest.mark.slow
def test_a_useless_corrector_changes_nothing(questions: list[GeneratedQuestion]) -> None:
    found = outcomes(questions, Useless(), ["nothing", "missing", "entity"])
    assert all(len(set(each.exact)) == 1 for each in found)


@pytest.mark.slow
@settings(max_examples=3)
@given(seed=st.integers(0, 999), patience=st.integers(1, 4))
def test_exact_match_never_falls_with_more_attempts(questions: list[GeneratedQuestion], seed: int, patience: int) -> None:
    found = outcomes(questions[:60], Corrector(questions, patience), ["nothing", "missing", "spare", "entity"], seed)
    for each in found:
        assert list(each.exact[1:]) == sorted(each.exact[1:])
        assert patience > 3 or all(each.exact[patience:])


@pytest.mark.slow
def test_repairs_are_counted_by_kind(questions: list[GeneratedQuestion]) -> None:
    told = report(outcomes(questions, Corrector(questions, 2), ["spare", "nothing", "entity"]))
    assert told.by_kind["delete"].right == (1.0, 1.0, 1.0)
    assert told.by_kind["insert"].right == (0.0, 1.0, 1.0)
    assert told.by_kind["replace"].right[1:] == (1.0, 1.0)
    assert told.all.exact[2] is not None
    assert told.all.exact[2].value == 1.0
    assert told.corrections is not None
    assert told.when_wrong is not None
    assert told.corrections.value <= told.when_wrong.value
    assert sum(each.questions for each in told.by_type.values()) == told.all.questions == len(questions)
    text = markdown(told)
    assert text.count("\n| ") >= 8
    assert "100.0 (100.0 to 100.0)" in text


def test_names_of_variables_and_order_need_no_correction(questions: list[GeneratedQuestion]) -> None:
    renamed = {Variable("c"): Variable("p"), Variable("y"): Variable("q"), Variable("num"): Variable("r")}
    for each in questions:
        other = substitute(each.form, lambda term: renamed.get(term, term) if isinstance(term, Variable) else term)
        turned = replace(other, patterns=(*other.patterns[:2], *reversed(other.patterns[2:])))
        assert same(turned, each.form)
        kinds = {operation.kind for operation in operations(decompose(other), decompose(each.form))}
        assert kinds == {"keep"}, each.question


def test_without_a_prediction_every_step_is_inserted(questions: list[GeneratedQuestion]) -> None:
    for each in questions[:20]:
        made = operations(None, decompose(each.form))
        assert [operation.kind for operation in made] == ["insert"] * len(decompose(each.form).steps)


def test_a_refused_step_is_not_taken_again(questions: list[GeneratedQuestion]) -> None:
    question = next(each for each in questions if each.type == "simple")
    wrong = decompose(spoiled(question, random.Random(0), ["entity"]) or SHOWN).steps[0]
    right = decompose(question.form).steps[0]

    class Stubborn:
        def correct(self, feedback: str, history: History, n: int = 10) -> tuple[StepReading, ...]:
            return StepReading(wrong, {}, 0.9), StepReading(right, {}, 0.1)

    case = Case("1", question.question, question.form, question.names, spoiled(question, random.Random(0), ["entity"]))
    assert correct(case, Stubborn(), PointingUser(), 1).exact
    assert not correct(replace(case, predicted=None), Stubborn(), PointingUser(), 1).exact
    assert correct(replace(case, predicted=None), Stubborn(), PointingUser(), 2).exact


@pytest.mark.parametrize("feedback", ["held-out", "train", "template"])
@pytest.mark.slow
def test_users_speak_words_only(graph: Graph, questions: list[GeneratedQuestion], feedback: str) -> None:
    user = open_user(feedback, graph, 3)
    predicates = {predicate for predicate in graph.schema.properties if predicate.count("_")}
    for each in questions:
        gold = decompose(each.form)
        for number in range(len(gold.steps)):
            said = user.feedback(gold, each.names, number, 1, each.id)
            assert said == user.feedback(gold, each.names, number, 1, each.id)
            assert not re.search(r"\b[mg]\.\w+_|ns:|\?\w", said), said
            assert not any(predicate in said for predicate in predicates)


def test_a_user_says_it_in_other_words_the_next_time(graph: Graph, questions: list[GeneratedQuestion]) -> None:
    user = open_user("held-out", graph, 3)
    said = [[user.feedback(decompose(q.form), q.names, 0, attempt, q.id) for attempt in (1, 2, 3)] for q in questions]
    assert sum(len(set(words)) == 3 for words in said) > 0.6 * len(said)


class Known:
    """A knowledge base of two queries, told apart by the entity in them."""

    label = "known"

    def __init__(self, answers: Mapping[str, Sequence[str]]) -> None:
        self.answers = answers

    def select(self, sparql: str, limit: int = 1000, seconds: float = 10.0) -> QueryResult:
        for entity, found in self.answers.items():
            if f"/{entity}>" in sparql:
                return QueryResult(("x",), tuple((Entity(each),) for each in found))
        raise KnowledgeBaseError("No such thing.")

    def close(self) -> None: ...


def test_f1_of_answers(questions: list[GeneratedQuestion]) -> None:
    def about(entity: str) -> LogicalForm:
        simple = next(each for each in questions if each.type == "simple" and len(each.names) == 1)
        return substitute(simple.form, lambda term: Entity(entity) if isinstance(term, Entity) else term)

    answering = Answering(Known({"m.gold": ["m.1", "m.2", "m.3"], "m.near": ["m.2", "m.9"], "m.none": []}))
    gold = about("m.gold")
    assert answering.f1(gold, gold) == 1.0
    assert answering.f1(about("m.near"), gold) == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))
    assert answering.f1(about("m.none"), gold) == answering.f1(about("m.error"), gold) == answering.f1(None, gold) == 0.0
    assert answering.f1(gold, about("m.none")) is None


def test_bootstrap_intervals_are_those_of_statistics() -> None:
    draws = [float(each) for each in random.Random(0).choices([0, 1], [0.3, 0.7], k=400)]
    found = mean(draws)
    assert found is not None
    half = 1.96 * (found.value * (1 - found.value) / 400) ** 0.5
    assert found.low == pytest.approx(found.value - half, abs=0.01)
    assert found.high == pytest.approx(found.value + half, abs=0.01)
    assert mean([]) is None


def test_gold_entities_rule_out_other_readings(questions: list[GeneratedQuestion]) -> None:
    question = next(each for each in questions if each.type == "conjunction" and len(each.names) == 2)
    other = spoiled(question, random.Random(0), ["entity"])
    assert other is not None
    half = framed(compose(decompose(question.form).with_steps(decompose(question.form).steps[:1])))

    class Two:
        def parse(self, text: str, n: int = 10) -> tuple[QuestionReading, ...]:
            return tuple(QuestionReading(form, {}, 0.3) for form in (other, half, question.form))

        def correct(self, feedback: str, history: History, n: int = 10) -> tuple[StepReading, ...]:
            return (StepReading(decompose(other).steps[0], {}, 1.0),)

    assert WithEntities(Two(), set(question.names)).parse("", 1)[0].form == question.form
    with pytest.raises(InspiredError, match="keeps to the entities"):
        StepsWithEntities(Two(), set(question.names)).correct("", History("", (), Variable("x")))


def write(path: Path, lines: Sequence[Mapping[str, object]]) -> Path:
    path.write_text("\n".join(json.dumps(each) for each in lines), encoding="utf-8")
    return path


@pytest.mark.slow
def test_the_command_reads_predictions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "made.jsonl"
    main(["generate", "--out", str(data), "--count", "12", "--seed", "3"])
    records = [json.loads(line) for line in data.read_text("utf-8").splitlines()]
    right = write(tmp_path / "right.jsonl", [{"ID": each["ID"], "sparql": each["sparql"]} for each in records[:9]])
    capsys.readouterr()
    given_ = ["simulate", "--data", str(data), "--parser", str(right), "--attempts", "1", "--feedback", "train", "--json"]
    assert main(given_) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["all"]["questions"] == 12
    assert told["all"]["exact"][0]["value"] == pytest.approx(9 / 12)
    assert told["all"]["f1"][0]["value"] == pytest.approx(9 / 12)
    assert told["parse_failures"]["value"] == pytest.approx(3 / 12)
    assert told["all"]["exact"][1]["value"] >= told["all"]["exact"][0]["value"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--parser", "nowhere"], "no such file or folder"),
        (["--corrector", "{file}"], "not a folder"),
        (["--attempts", "0"], "from 1 on"),
        (["--data", "{empty}"], "holds no question"),
        (["--data", "{file}"], "cannot be read"),
    ],
)
def test_bad_input_is_named(tmp_path: Path, arguments: list[str], said: str) -> None:
    file = write(tmp_path / "file.jsonl", [{"ID": "1", "sparql": "SELECT nothing"}])
    empty = write(tmp_path / "empty.jsonl", [])
    with pytest.raises(InspiredError, match=said):
        main(["simulate", *(each.format(file=file, empty=empty) for each in arguments)])
