"""Few-shot prompting: what is asked, what is read back, and one call to a real model."""

import json

import pytest

from backend.errors import InspiredError
from backend.models.language_models import Message, PackagedModel, ScriptedModel, json_guide, packaged_is_installed
from inspired.knowledge_base.vocabulary import Property
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import Entity, triples, walk
from inspired.logical_form.sparql_reader import read_sparql
from inspired.parsers.prompted import PromptedParser, _prompt, messages, read_reply, reply_schema
from inspired.parsers.sequence import entities_of

OFFERED = (
    Property("location.country.capital", "Capital", "location.country", "location.citytown"),
    Property("location.statistical_region.population", "Population", "location.country", "type.int"),
)
IDS = {each.id for each in OFFERED}
QUESTION = "Which country has the capital Paris and over 5,000 people?"
REPLY = {
    "conditions": [
        {"subject": "?x", "predicate": "location.country.capital", "object": "#entity1#"},
        {"subject": "?x", "predicate": "location.statistical_region.population", "object": "?num"},
    ],
    "filters": [{"variable": "?num", "comparator": ">", "value": "5,000", "type": "number"}],
    "order": None,
}
MEANT = """SELECT DISTINCT ?x { FILTER (?x != ns:m.paris)
  FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))
  ?x ns:location.country.capital ns:m.paris . ?x ns:location.statistical_region.population ?num . FILTER (?num > 5000) }"""


def parser(model):
    return PromptedParser(model, entities_of({"m.paris": "Paris"}), lambda question: OFFERED)


def changed(**parts):
    return json.dumps({**REPLY, **parts})


def test_a_reply_becomes_the_canonical_form_and_the_prompt_holds_what_was_offered():
    model = ScriptedModel(lambda prompt: json.dumps(REPLY))
    (reading,) = parser(model).parse(QUESTION)
    assert equivalent(reading.form, read_sparql(MEANT))
    assert reading.names == {"m.paris": "Paris"}
    (prompt,) = model.prompts
    assert prompt.endswith("Question: Which country has the capital #entity1# and over 5,000 people?")
    assert "location.country.capital: capital (location.country -> location.citytown)" in prompt


def test_sorting_dates_and_texts_are_read():
    order = {"variable": "?num", "descending": True}
    form = read_reply(changed(filters=[], order=order), ["m.paris"], IDS)
    assert (form.order.descending, form.order.limit) == (True, 1)
    for value, kind, text in (("1990", "date", "1990-01-01T00:00:00"), ("1.5", "number", "1.5"), ("big", "text", "big")):
        filters = [{"variable": "?num", "comparator": "<", "value": value, "type": kind}]
        form = read_reply(changed(filters=filters), ["m.paris"], IDS)
        assert text in {getattr(each, "text", None) for each in walk(form)}


@pytest.mark.parametrize(
    "reply",
    [
        "Sure! Here it is.",
        "[]",
        json.dumps({**REPLY, "why": "because"}),
        changed(conditions=[]),
        changed(conditions=[{**REPLY["conditions"][0], "predicate": "location.country.anthem"}]),
        changed(conditions=[{**REPLY["conditions"][0], "object": "#entity2#"}], filters=[]),
        changed(conditions=[{**REPLY["conditions"][0], "subject": "Paris"}], filters=[]),
        changed(conditions=[{**REPLY["conditions"][0], "subject": "?c"}], filters=[]),
        changed(conditions=REPLY["conditions"][:1]),
        changed(order={"variable": "?k", "descending": False}),
        changed(filters=[{"variable": "?num", "comparator": ">", "value": "many", "type": "number"}]),
        changed(filters=[{"variable": "?num", "comparator": ">", "value": "soon", "type": "date"}]),
    ],
)
def test_what_is_no_query_is_dropped(reply):
    assert read_reply(reply, ["m.paris"], IDS) is None
    with pytest.raises(InspiredError, match="Recognised: Paris"):
        parser(ScriptedModel(lambda prompt: reply)).parse(QUESTION)


def test_without_predicates_nothing_is_asked():
    model = ScriptedModel(lambda prompt: json.dumps(REPLY))
    with pytest.raises(InspiredError, match="No predicate"):
        PromptedParser(model, entities_of({}), lambda question: ()).parse(QUESTION)
    assert model.prompts == []


def test_the_examples_that_are_shown_follow_the_rules_themselves():
    for each in _prompt()["example"]:
        form = read_reply(each["reply"], ["m.a"], {line.split(":")[0] for line in each["predicates"]})
        assert form is not None
        assert any(isinstance(node, Entity) for node in walk(triples(form)))


@pytest.mark.slow
@pytest.mark.skipif(not packaged_is_installed(), reason="the small model is not installed")
def test_a_real_model_held_to_the_schema_gives_a_reply_that_reads():
    """Its quality is poor, and what it says need not be a query; that it can only say what the schema has, counts."""
    *_, asked = messages("Which country has the capital #entity1#?", OFFERED)
    shown = {"conditions": [{"subject": "?x", "predicate": "a.b.c", "object": "#entity1#"}], "filters": [], "order": None}
    told = Message("system", f"Reply with JSON on one line, such as {json.dumps(shown)}")
    schema = reply_schema(["?x", "#entity1#"], sorted(IDS), most=1, most_filters=0)
    reply = PackagedModel(threads=1).chat([told, asked], max_tokens=160, guide=json_guide(schema))
    told = json.loads(reply.text)
    assert list(told) == ["conditions", "filters", "order"]
    (condition,) = told["conditions"]
    assert condition["predicate"] in IDS
    assert {condition["subject"], condition["object"]} <= {"?x", "#entity1#"}
    form = read_reply(reply.text, ["m.paris"], IDS)
    speaks_of_x = "?x" in (condition["subject"], condition["object"])
    sorts_by_something_else = told["order"] is not None and not speaks_of_x
    assert (form is not None) == (speaks_of_x and not sorts_by_something_else)
