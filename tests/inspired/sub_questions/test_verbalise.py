"""Questions: nothing of a query goes unsaid, and what is said reads as a question."""

from typing import Any

import pytest
from hypothesis import given, settings

from inspired.decomposition.decompose import decompose
from inspired.lab.reference_corpus import read_reference_corpus
from inspired.logical_form.forms import LogicalForm
from inspired.logical_form.sparql_reader import read_sparql
from inspired.sub_questions.templates import own_corpus
from inspired.sub_questions.verbalise import verbalise
from tests.inspired import meaning
from tests.inspired.conftest import Query
from tests.inspired.logical_forms import logical_forms


def questions(sparql: str, names: dict[str, str]) -> tuple[str, ...]:
    return verbalise(decompose(read_sparql(sparql)), names).questions


def test_own_queries_keep_their_meaning(query: Query) -> None:
    said = questions(query.sparql, query.names)
    assert len(said) == query.steps
    assert meaning.lost(query.sparql, query.names, list(said)) == []
    assert all(words in " ".join(said) for words in query.says)


def test_own_queries_read_as_questions(query: Query) -> None:
    for question in questions(query.sparql, query.names):
        assert question[0].isupper()
        assert question.endswith("?")
        assert "  " not in question
        assert not meaning.has_artefact(question.replace("http://example.org/item/9", ""))


@pytest.mark.slow
@given(logical_forms())
@settings(max_examples=400)
def test_every_form_has_a_question_for_each_step(form: LogicalForm) -> None:
    steps = decompose(form)
    said = verbalise(steps, {"m.0a": "Alpha", "g.1c": "Gamma"}).questions
    assert len(said) == len(steps.steps)
    assert all(question.endswith("?") and len(question) > 8 for question in said)
    assert not any(slot in question for question in said for slot in ("{o}", "{s}", "{kind}"))


def test_the_papers_examples() -> None:
    """Table 19: the same steps, in the same order, asking for the same things."""
    said = questions(
        "SELECT DISTINCT ?x { ?c ns:organization.organization.leadership ?k . ?k ns:organization.leadership.person ns:m.1 . "
        "?c ns:education.educational_institution.mascot ?x }",
        {"m.1": "Nicholas S. Zeppos"},
    )
    assert said == (
        "Which organization has Nicholas S. Zeppos among its leaders?",
        "What is the mascot of that organization?",
    )
    said = questions(
        "SELECT DISTINCT ?x { ns:m.1 ns:people.person.places_lived ?y . ?y ns:people.place_lived.location ?x . "
        "?x ns:location.country.capital ns:m.2 }",
        {"m.1": "Sam Shepard", "m.2": "Hagåtña"},
    )
    assert said == ("Where did Sam Shepard live?", "Which of these has the capital Hagåtña?")


def test_the_second_step_speaks_of_what_the_first_found() -> None:
    said = questions(
        "SELECT ?x { ?c ns:location.country.capital ns:m.1 . ?c ns:location.country.currency_used ?x }", {"m.1": "Lima"}
    )
    assert said == ("Which country has the capital Lima?", "Which currency is used in that country?")


def test_names_stay_as_they_are() -> None:
    name = "Heard\u00a0& McDonald <b>Islands</b> “x” {o}"
    said = questions(
        "SELECT ?x { ns:m.1 ns:location.location.contains ?x . ?x ns:location.country.capital ns:m.1 }", {"m.1": name}
    )
    assert all(name in question for question in said)


def test_dates_and_numbers_in_words() -> None:
    query = "SELECT ?x {{ ns:m.1 ns:film.producer.film ?x . ?x ns:{0} ?num FILTER(?num {1}) }}"
    cases = {
        ("film.film.initial_release_date", '< "1999-05-02"^^xsd:dateTime'): "before 2 May 1999",
        ("film.film.initial_release_date", '>= "1999-05"^^xsd:dateTime'): "in or after May 1999",
        ("film.film.initial_release_date", '<= "1999"^^xsd:dateTime'): "in or before 1999",
        ("film.film.netflix_id", "> 70012345"): "greater than 70,012,345",
        ("film.film.netflix_id", "!= 5"): "other than 5",
        ("architecture.building.floors", ">= 30"): "has 30 or more floors",
        ("architecture.building.floors", "< 056"): "has fewer than 056 floors",
    }
    for (predicate, comparison), words in cases.items():
        assert words in questions(query.format(predicate, comparison), {})[1]


@pytest.mark.slow
def test_records_of_others(cwq: list[dict[str, Any]], cwq_forms: list[LogicalForm]) -> None:
    lengths, artefacts, damaged = [], 0, []
    for record, form in zip(cwq, cwq_forms, strict=True):
        steps = decompose(form)
        said = list(verbalise(steps, record["topic_entity"]).questions)
        told = {predicate for step in steps.steps for predicate in step.predicates}
        if meaning.lost(record["sparql"], record["topic_entity"], said) or not meaning.predicates(record["sparql"]) <= told:
            damaged.append(record["ID"])
        lengths += [len(question.split()) for question in said]
        artefacts += sum(map(meaning.has_artefact, said))
    assert len(damaged) <= 0.01 * len(cwq), damaged[:5]
    assert artefacts <= 0.05 * len(lengths)
    assert sum(lengths) <= 11 * len(lengths)


@pytest.mark.slow
def test_records_of_others_in_the_papers_words(
    cwq: list[dict[str, Any]], cwq_forms: list[LogicalForm], papers_templates: Any
) -> None:
    corpus = read_reference_corpus(papers_templates)
    damaged = 0
    for record, form in zip(cwq, cwq_forms, strict=True):
        said = verbalise(decompose(form), record["topic_entity"], corpus).questions
        damaged += bool(meaning.lost(record["sparql"], record["topic_entity"], list(said)))
    assert damaged <= 0.01 * len(cwq)


def test_our_words_are_our_own(papers_templates: Any) -> None:
    theirs = read_reference_corpus(papers_templates).templates
    shared = [key for key, template in own_corpus().templates.items() if key in theirs and len(template.has.split()) > 4]
    assert sum(theirs[key].has == own_corpus().templates[key].has for key in shared) < 0.05 * len(shared)
