"""The answers of every step: those to its very question, in the light of the steps before it."""

import io
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import inspired.dialogue.intermediate_answers
from backend.errors import KnowledgeBaseError, QueryTimeoutError
from backend.program.command_line import run
from inspired.__main__ import main
from inspired.decomposition.decompose import decompose, read_steps
from inspired.decomposition.steps import Decomposition
from inspired.dialogue.intermediate_answers import (
    IntermediateAnswer,
    Limits,
    StepAnswer,
    final_answer,
    step_answers,
    words_of_node,
)
from inspired.knowledge_base.engine import KnowledgeBase, Node, QueryResult, open_knowledge_base
from inspired.knowledge_base.graph import embedded_graph
from inspired.knowledge_base.names import NAMING
from inspired.knowledge_base.remembered import Remembered
from inspired.lab.questions.generator import generate
from inspired.logical_form.forms import FREEBASE, XSD, Entity, Literal
from inspired.logical_form.sparql_reader import read_sparql
from inspired.sub_questions.verbalise import verbalise
from tests.inspired.conftest import Query
from tests.inspired.knowledge_base.world_queries import FEATURES, world_query
from tests.inspired.standard_sparql import answers as answers_of_oracle
from tests.inspired.standard_sparql import cleaned, graph_for
from tests.inspired.standard_sparql import with_full_dates as dates_in_full

COUNTRIES = """@prefix ns: <http://rdf.freebase.com/ns/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ns:m.paris ns:type.object.name "Paris"@en . ns:m.french ns:type.object.name "French"@en .
ns:m.euro ns:type.object.name "Euro"@en . ns:m.europe ns:type.object.name "Europe"@en .
ns:m.fr ns:type.object.name "France"@en ; ns:location.country.capital ns:m.paris ; ns:location.location.area 551500 ;
  ns:location.country.official_language ns:m.french ; ns:location.country.currency_used ns:m.euro .
ns:m.be ns:type.object.name "Belgium"@en ; ns:location.country.official_language ns:m.french, ns:m.dutch ;
  ns:location.country.currency_used ns:m.euro ; ns:location.location.area 30689 .
ns:m.ch ns:type.object.name "Switzerland"@en ; ns:location.country.official_language ns:m.french ;
  ns:location.location.area 41291 .
ns:m.lu ns:type.object.name "Luxembourg"@en ; ns:location.country.official_language ns:m.french ;
  ns:location.country.currency_used ns:m.euro .
ns:m.europe ns:location.location.contains ns:m.fr, ns:m.be, ns:m.ch, ns:m.lu .
"""
FRENCH = "?x ns:location.country.official_language ns:m.french ."
EURO = "?x ns:location.country.currency_used ns:m.euro ."


class HandClock:
    """Stands in for the module `time`: it goes on when a query takes its time, and only then."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> HandClock:
    clock = HandClock()
    monkeypatch.setattr(inspired.dialogue.intermediate_answers, "time", clock)
    return clock


class Recorded:
    """Another knowledge base, with what it was asked; names do not count. What holds `late` takes all its time on `clock`."""

    def __init__(self, kb: KnowledgeBase, late: str = "", clock: HandClock | None = None) -> None:
        self.label, self._kb, self._late, self._clock = kb.label, kb, late, clock
        self.asked: list[str] = []

    def select(self, sparql: str, limit: int = 1000, seconds: float = 10.0) -> QueryResult:
        if NAMING[1] in sparql:
            return self._kb.select(sparql, limit, seconds)
        self.asked.append(sparql)
        if self._clock is not None and self._late in sparql:
            self._clock.now += seconds
            raise QueryTimeoutError("The query took more than its time and was stopped.")
        return self._kb.select(sparql, limit, seconds)

    def close(self) -> None:
        self._kb.close()


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    path = tmp_path_factory.mktemp("countries") / "countries.ttl"
    path.write_text(COUNTRIES, "utf-8")
    opened = open_knowledge_base(path)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def world() -> Iterator[KnowledgeBase]:
    opened = open_knowledge_base()
    yield opened
    opened.close()


def steps(patterns: str, modifiers: str = "") -> Decomposition:
    return decompose(read_sparql(f"SELECT DISTINCT ?x WHERE {{ {patterns} }} {modifiers}"))


def named(answer: StepAnswer) -> list[str]:
    assert answer.problem is None
    return [f"{each.name}: {each.value_name}" if each.value_name else each.name for each in answer.answers]


def told(decomposition: Decomposition, kb: KnowledgeBase, **limits: Any) -> list[list[str]]:
    return [named(each) for each in step_answers(decomposition, kb, {}, Limits(**limits))]


def test_numbers_and_dates_come_in_their_own_order(tmp_path: Path) -> None:
    sizes = ", ".join(f'"{size}"^^<{XSD}decimal>' for size in ("108", "13", "9.5", "-2", "1000"))
    days = ", ".join(f'"{day}"^^<{XSD}date>' for day in ("1999-12-01", "1999-02-11", "2001-01-03"))
    path = tmp_path / "values.ttl"
    path.write_text(f"@prefix ns: <{FREEBASE}> .\nns:m.a ns:a.b.size {sizes} ; ns:a.b.day {days} .\n", "utf-8")
    kb = open_knowledge_base(path)
    (sized,) = step_answers(steps("ns:m.a ns:a.b.size ?x ."), kb, {}, Limits())
    (dated,) = step_answers(steps("ns:m.a ns:a.b.day ?x ."), kb, {}, Limits())
    assert [float(each.node.text) for each in sized.answers if isinstance(each.node, Literal)] == [-2, 9.5, 13, 108, 1000]
    assert [each.node.text for each in dated.answers if isinstance(each.node, Literal)] == [
        "1999-02-11",
        "1999-12-01",
        "2001-01-03",
    ]
    kb.close()


def test_a_composition_finds_what_lies_on_the_way(kb: KnowledgeBase) -> None:
    found = steps("?c ns:location.country.capital ns:m.paris . ?c ns:location.country.official_language ?x .")
    assert told(found, kb) == [["France"], ["French"]]


def test_a_conjunction_narrows_down(kb: KnowledgeBase) -> None:
    found = steps(f"{FRENCH} {EURO}")
    assert told(found, kb) == [["Belgium", "France", "Luxembourg", "Switzerland"], ["Belgium", "France", "Luxembourg"]]


def test_a_superlative_pairs_things_with_values_and_gives_the_one(kb: KnowledgeBase) -> None:
    found = steps(f"{FRENCH} ?x ns:location.location.area ?num .", "ORDER BY ?num LIMIT 1")
    (things, pairs, one) = step_answers(found, kb, {})
    assert named(things) == ["Belgium", "France", "Luxembourg", "Switzerland"]
    assert named(pairs) == ["Belgium: 30,689", "Switzerland: 41,291", "France: 551,500"]  # in the order asked for
    assert pairs.answers[0] == IntermediateAnswer(Entity("m.be"), "Belgium", Literal("30689", "integer"), "30,689")
    assert named(one) == ["Belgium"]
    largest = steps(f"{FRENCH} ?x ns:location.location.area ?num .", "ORDER BY DESC(?num) LIMIT 1 OFFSET 1")
    assert told(largest, kb)[1:] == [["France: 551,500", "Switzerland: 41,291", "Belgium: 30,689"], ["Switzerland"]]


def test_a_comparison_is_its_own_step(kb: KnowledgeBase) -> None:
    found = steps(f"{FRENCH} ?x ns:location.location.area ?num . FILTER (?num < 50000)")
    assert told(found, kb)[-1] == ["Belgium", "Switzerland"]


def test_alternatives_and_exclusions(kb: KnowledgeBase) -> None:
    either = f"{{ {EURO} }} UNION {{ ?x ns:location.location.area 41291 }}"
    found = steps(f"FILTER (?x != ns:m.fr) {either} ns:m.europe ns:location.location.contains ?x .")
    assert told(found, kb)[-1] == ["Belgium", "Luxembourg", "Switzerland"]


def test_yes_or_no(kb: KnowledgeBase) -> None:
    for country, answer in [("fr", "yes"), ("ch", "no")]:
        fact = f"ns:m.{country} ns:location.country.currency_used ns:m.euro ."
        whole = steps(FRENCH)
        both = Decomposition(whole.frame, (*read_steps(fact), *whole.steps))
        assert verbalise(both, {}).asked[0] is None
        # A fact that shares no variable with the rest cannot bear on it, so the question as a whole is not answered.
        first, second = step_answers(both, kb, {})
        assert first.problem is not None
        assert second.problem is not None
        alone = Decomposition(whole.frame, read_steps(fact))
        assert verbalise(alone, {}).asked == (None,)
        (only,) = step_answers(alone, kb, {})
        assert named(only) == [answer]
        assert isinstance(only.answers[0].node, Literal)


def test_no_answer_is_none_and_no_problem(kb: KnowledgeBase) -> None:
    found = steps(f"{FRENCH} ?x ns:location.country.capital ns:m.rome .")
    assert step_answers(found, kb, {})[-1].answers == ()
    assert step_answers(found, kb, {})[-1].problem is None


def test_steps_that_nothing_links_are_not_multiplied(kb: KnowledgeBase) -> None:
    whole = steps(FRENCH)
    loose = Decomposition(whole.frame, (*whole.steps, *read_steps("?a ns:location.country.currency_used ?b .")))
    recorded = Recorded(kb)
    first, second = step_answers(loose, recorded, {})
    assert named(first)[0] == "Belgium"
    assert second.problem is not None
    assert second.problem.startswith("Nothing links this step to the answer")
    assert "Nothing links the answer to step 2" in (final_answer(loose, recorded, {}).problem or "")
    assert not any("currency_used" in each for each in recorded.asked)
    nothing = Decomposition(whole.frame, ())
    assert step_answers(nothing, kb, {}) == ()
    assert "No step finds ?x" in (final_answer(nothing, kb, {}).problem or "")
    twice = Decomposition(whole.frame, (*whole.steps, *2 * read_steps("ORDER BY ?x LIMIT 1")))
    assert "Two steps sort" in (final_answer(twice, kb, {}).problem or "")


def test_parts_that_only_a_later_step_links_are_answered_apart(kb: KnowledgeBase) -> None:
    whole = steps(FRENCH)
    parts = (*read_steps("ns:m.europe ns:location.location.contains ?a ."), *whole.steps, *read_steps("?a ns:p.q.r ?x ."))
    recorded = Recorded(kb)
    first, second, _ = step_answers(Decomposition(whole.frame, parts), recorded, {})
    assert len(first.answers) == len(second.answers) == 4
    assert "contains" not in recorded.asked[1]  # no cross product


def test_answers_beyond_the_limit_are_said_to_be_there(kb: KnowledgeBase) -> None:
    first, second = step_answers(steps(f"{FRENCH} {EURO}"), kb, {}, Limits(answers=3))
    assert (len(first.answers), first.truncated) == (3, True)
    assert (len(second.answers), second.truncated) == (3, False)


def test_a_step_that_takes_too_long_says_so_and_the_others_are_answered(kb: KnowledgeBase, clock: HandClock) -> None:
    slow = Recorded(kb, "currency_used", clock)
    found = steps("ns:m.europe ns:location.location.contains ?x . " + FRENCH + EURO)
    answers = step_answers(found, slow, {}, Limits(step=0.3))
    late = ["currency_used" in step.compact() for step in found.steps]
    for number, each in enumerate(answers):
        if any(late[: number + 1]):
            assert each.problem == "The query took more than its time and was stopped."
            assert each.seconds == pytest.approx(0.3)
        else:
            assert each.problem is None
            assert each.answers


def test_all_steps_together_have_a_limit(kb: KnowledgeBase, clock: HandClock) -> None:
    slow = Recorded(kb, "SELECT", clock)
    found = steps("ns:m.europe ns:location.location.contains ?x . " + FRENCH + EURO)
    answers = step_answers(found, slow, {}, Limits(step=3, total=5))
    assert [each.seconds for each in answers] == pytest.approx([3, 2, 0])
    assert answers[-1].problem == "Not asked: the steps before it took all the time there was."


def test_names_that_cannot_be_had_leave_the_answers(kb: KnowledgeBase) -> None:
    class Nameless(Recorded):
        def select(self, sparql: str, limit: int = 1000, seconds: float = 10.0) -> QueryResult:
            if NAMING[1] in sparql:
                raise KnowledgeBaseError("No.")
            return super().select(sparql, limit, seconds)

    (answer,) = step_answers(steps(EURO), Nameless(kb), {"m.fr": "France"})
    assert [each.name for each in answer.answers] == ["France", "m.be", "m.lu"] or len(answer.answers) == 3
    assert answer.problem == "The names of the answers are missing. No."


def test_a_correction_asks_again_only_what_it_changed(kb: KnowledgeBase) -> None:
    recorded = Recorded(kb)
    remembered = Remembered(recorded)
    before = steps(f"{FRENCH} {EURO}")
    step_answers(before, remembered, {})
    final_answer(before, remembered, {})
    assert len(recorded.asked) == 2
    other = read_steps("?x ns:location.country.capital ns:m.paris .")
    step_answers(before.with_steps((before.steps[0], *other)), remembered, {})
    assert len(recorded.asked) == 3


def test_a_knowledge_base_sorts_once_for_values_answer_and_ties(kb: KnowledgeBase) -> None:
    recorded = Recorded(kb)
    remembered = Remembered(recorded)
    sorted_ = steps(f"{FRENCH} ?x ns:location.location.area ?num .", "ORDER BY ?num LIMIT 1")
    assert named(step_answers(sorted_, remembered, {})[-1]) == named(final_answer(sorted_, remembered, {})) == ["Belgium"]
    assert sum("ORDER BY" in each for each in recorded.asked) == 1


def test_more_of_what_is_sorted_than_is_listed_is_asked_for_itself(kb: KnowledgeBase) -> None:
    second = steps(f"{FRENCH} ?x ns:location.location.area ?num .", "ORDER BY ?num LIMIT 1 OFFSET 1")
    assert named(final_answer(second, kb, {}, Limits(answers=1))) == ["Switzerland"]


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (Literal("2025-01-01T00:00:00", "dateTime"), "1 January 2025"),
        (Literal("2025-03-02T10:30:00", "dateTime"), "2 March 2025 at 10:30:00"),
        (Literal("1899", "gYear"), "1899"),
        (Literal("68512806", "integer"), "68,512,806"),
        (Literal("551500.5", "decimal"), "551,500.5"),
        (Literal("6.9E7", "double"), "69,000,000"),
        (Literal("1e-3", "double"), "0.001"),
        (Literal("1e400", "double"), "inf"),
        (Literal("12345678"), "12345678"),  # a code
        (Literal("true", "boolean"), "yes"),
        (Literal("0", "boolean"), "no"),
        (Literal("x", "http://example.org/shape"), "x"),
        (Entity("http://example.org/prop/flows_into"), "flows into"),
        (Entity("m.fr"), "France"),
    ],
)
@pytest.mark.slow
def test_nodes_as_people_write_them(node: Entity | Literal, words: str) -> None:
    assert words_of_node(node, {"m.fr": "France"}) == (node.text if words == "inf" and isinstance(node, Literal) else words)


@pytest.mark.parametrize("feature", FEATURES)
def test_the_last_step_answers_the_query_and_steps_only_narrow(world: KnowledgeBase, feature: str) -> None:
    answered = 0
    for seed in range(15):
        sparql = world_query(embedded_graph(), feature, seed)
        found = decompose(read_sparql(sparql))
        expected = [row[0] for row in world.select(dates_in_full(cleaned(sparql))).rows]
        answers = step_answers(found, world, {}, Limits(answers=5000))
        assert not any(each.problem or each.truncated for each in answers)
        for last in (answers[-1], final_answer(found, world, {}, Limits(answers=5000))):
            assert {each.node for each in last.answers} == set(expected), sparql
        asked = verbalise(found, {}).asked
        known: dict[object, set[object]] = {}
        for variable, answer in zip(asked, answers, strict=True):
            nodes: set[object] = {each.node for each in answer.answers}
            if not any(each.value for each in answer.answers):
                assert nodes <= known.get(variable, nodes)
                known[variable] = nodes
        answered += bool(expected)
    assert answered >= 3


@pytest.mark.slow
def test_generated_questions_get_the_answers_that_a_walk_through_the_graph_finds(world: KnowledgeBase) -> None:
    types = set()
    for question in generate(embedded_graph(), seed=3, count=100, wording="train"):
        found = decompose(question.form)
        answers = step_answers(found, world, question.names, Limits(answers=5000))
        assert not any(each.problem for each in answers), question.question
        assert all(each.answers for each in answers), question.question
        assert {_value(each.node) for each in answers[-1].answers} == {_value(each) for each in question.answers}
        types.add(question.type)
    assert types == {"composition", "conjunction", "comparative", "superlative", "simple"}


def _value(node: Node) -> str | float:
    """Numbers by their value: engines write `1.50` as `1.5`."""
    if isinstance(node, Entity):
        return node.id
    return float(node.text) if node.datatype in ("integer", "decimal", "double") else node.text


def test_own_queries_on_graphs_made_for_them(query: Query, tmp_path: Path) -> None:
    store = graph_for(query.sparql, 1)
    path = tmp_path / "graph.nt"
    path.write_text("".join(f"{quad.subject} {quad.predicate} {quad.object} .\n" for quad in store), "utf-8")
    kb = open_knowledge_base(path)
    found = decompose(read_sparql(query.sparql))
    answers = step_answers(found, kb, query.names, Limits(answers=1000))
    assert [each.problem for each in answers] == [None] * query.steps
    expected = set(answers_of_oracle(store, dates_in_full(cleaned(query.sparql))))
    found_terms = {_as_term(each.node) for each in answers[-1].answers}
    # Where rows are cut off without a full order, engines may keep different ones.
    assert found_terms == expected or ("LIMIT" in query.sparql and len(found_terms) == len(expected))
    kb.close()


def _as_term(node: Node) -> str:
    if isinstance(node, Entity):
        return f"<{node.id if '://' in node.id else FREEBASE + node.id}>"
    mark = f"@{node.language}" if node.language else f"^^<{XSD}{node.datatype}>" if node.datatype else ""
    return f'"{node.text}"{mark}'


@pytest.mark.slow
def test_many_people_ask_at_once(world: KnowledgeBase) -> None:
    queries = [decompose(read_sparql(world_query(embedded_graph(), "mediating node", seed))) for seed in range(6)]
    expected = [[named(each) for each in step_answers(query, world, {})] for query in queries]
    fresh = open_knowledge_base()
    found: dict[int, tuple[StepAnswer, ...]] = {}

    def ask(number: int) -> None:
        found[number] = step_answers(queries[number], fresh, {}, Limits(step=600, total=600))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    fresh.close()
    assert [[named(each) for each in found[number]] for number in range(6)] == expected


def called(*arguments: Path | str) -> int:
    return run("python -m inspired", main, [str(each) for each in arguments])


@pytest.fixture
def question(tmp_path: Path) -> Path:
    path = tmp_path / "query.rq"
    path.write_text(f"SELECT DISTINCT ?x WHERE {{ {FRENCH} ?x ns:location.location.area ?n . }} ORDER BY ?n LIMIT 1", "utf-8")
    return path


def test_the_command_gives_json_or_text(tmp_path: Path, question: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = tmp_path / "countries.ttl"
    graph.write_text(COUNTRIES, "utf-8")
    assert called("load-kb", "--in", graph, "--out", tmp_path / "store") == 0
    assert "19 triples" not in capsys.readouterr().err
    outputs = []
    for kb in (graph, tmp_path / "store"):
        assert called("answer", "--sparql", question, "--kb", kb, "--json", "--limit", "2", "--seconds", "5") == 0
        outputs.append(json.loads(capsys.readouterr().out))
    first, second = outputs
    assert list(first) == ["question_type", "steps", "answers", "truncated", "problem", "seconds", "names"]
    assert first["question_type"] == "superlative"
    assert list(first["steps"][0]) == ["question", "sub_lf", "answers", "truncated", "problem", "seconds"]
    assert [each["truncated"] for each in first["steps"]] == [True, True, False]
    assert first["steps"][1]["answers"][0] == {"id": "m.be", "name": "Belgium", "value": "30689", "value_name": "30,689"}
    assert first["answers"] == second["answers"] == [{"id": "m.be", "name": "Belgium"}]
    assert first["names"] == {"m.french": "French"}
    assert called("answer", "--sparql", question, "--kb", graph) == 0
    text = capsys.readouterr().out
    assert "2  " in text
    assert "   Switzerland: 41,291\n" in text
    assert text.endswith("Answer\n   Belgium\n")


@pytest.mark.slow
def test_the_command_reads_stdin_and_asks_the_graph_that_ships(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT ?x { ns:m.country_fr ns:location.country.capital ?x }"))
    assert called("answer", "--sparql", "-", "--json") == 0
    told = capsys.readouterr()
    assert [each["name"] for each in json.loads(told.out)["answers"]] == ["Paris"]
    assert told.err == ""


def test_bad_input_is_one_line_and_exit_code_two(tmp_path: Path, question: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken, bad = tmp_path / "broken.ttl", tmp_path / "bad.rq"
    broken.write_text("<a> <b> .\n", "utf-8")
    bad.write_text("SELECT ?x { GRAPH ?g { ?x ?p ?o } }", "utf-8")
    for arguments, says in [
        (["--sparql", tmp_path / "none.rq"], "No such file"),
        (["--sparql", tmp_path], "Is a directory"),
        (["--sparql", bad], "GRAPH"),
        (["--sparql", question, "--kb", tmp_path / "none.ttl"], "no such file"),
        (["--sparql", question, "--kb", broken], "line 1"),
        (["--sparql", question, "--kb", "http://127.0.0.1:9/sparql"], "cannot be reached"),
        (["--sparql", question, "--limit", "0"], "--limit"),
        (["--sparql", question, "--seconds", "nan"], "--seconds"),
        ([], "--sparql"),
    ]:
        assert called("answer", *arguments) == 2
        told = capsys.readouterr()
        assert says in told.err
        assert told.err.count("\n") == 1
        assert told.out == ""
