"""Parsers over sequence models: what they are given, and which outputs they keep."""

import math

import pytest

from backend.errors import InspiredError
from backend.models.sequence_models.scripted import ScriptedSequenceModel
from backend.models.sequence_models.seam import BeamSearch, GeneratedText, TextPair, Training
from inspired.decomposition.decompose import decompose
from inspired.decomposition.steps import Decomposition
from inspired.knowledge_base.graph import Graph
from inspired.lab.training.examples import TrainingRecord, correction_examples, subquestion_examples
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import Entity, Literal, Variable
from inspired.logical_form.sparql_reader import read_sparql
from inspired.parsers.linking.entities import EntityLinker
from inspired.parsers.reading import History
from inspired.parsers.sequence import SequenceParseCorrector, SequenceQuestionParser, SubQuestionWriter, entities_of, linked

QUESTION = "What is spoken in the country whose capital is Paris?"
SOURCE = "What is spoken in the country whose capital is #entity1#?"
RIGHT = "<sparql-header-1> ?c ns:location.country.capital #entity1# . ?c ns:location.country.official_language ?x ."
SPARQL = """SELECT DISTINCT ?x { FILTER (?x != ?c)
  FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))
  ?c ns:location.country.capital ns:m.paris . ?c ns:location.country.official_language ?x }"""
PREDICATES = {"location.country.capital", "location.country.official_language"}
PARIS = {"m.paris": "Paris"}


def model(source, *texts):
    return ScriptedSequenceModel({source: [GeneratedText(text, -0.5 * (place + 1)) for place, text in enumerate(texts)]})


def test_entities_go_out_as_placeholders_and_come_back_as_ids():
    (reading,) = SequenceQuestionParser(model(SOURCE, RIGHT), entities_of(PARIS), PREDICATES).parse(QUESTION)
    assert equivalent(reading.form, read_sparql(SPARQL))
    assert reading.names == PARIS
    assert reading.confidence == pytest.approx(math.exp(-0.5))


def test_what_does_not_read_is_unknown_or_says_the_same_is_left_out():
    again = "<sparql-header-1> ?k ns:location.country.official_language ?x . ?k ns:location.country.capital #entity1# ."
    outputs = (
        RIGHT.replace("?c ns", "?c (", 1),
        RIGHT.replace("official_language", "language_official"),
        RIGHT.replace("#entity1#", "#entity2#"),
        RIGHT,
        again.replace("<sparql-header-1>", "").replace("?k", "?c"),
        RIGHT.replace("?c ns:location.country.capital", "?c ns:location.country.capital"),
    )
    fake = model(SOURCE, *outputs)
    readings = SequenceQuestionParser(fake, entities_of(PARIS), PREDICATES).parse(QUESTION)
    assert len(readings) == 2
    assert [each.confidence for each in readings] == sorted((each.confidence for each in readings), reverse=True)
    assert len(SequenceQuestionParser(fake, entities_of(PARIS), PREDICATES).parse(QUESTION, n=1)) == 1
    assert len(SequenceQuestionParser(fake, entities_of(PARIS)).parse(QUESTION)) == 3


def test_without_a_reading_it_says_what_was_recognised():
    with pytest.raises(InspiredError, match="Recognised: Paris"):
        SequenceQuestionParser(model(SOURCE, "nonsense"), entities_of(PARIS)).parse(QUESTION)


def test_capitals_of_predicates_and_strings_come_back():
    written = "?x ns:p36 #entity1# . ?x ns:p297 '' grand est `` ."
    parser = SequenceQuestionParser(model("Is #entity1# in Grand Est?", written), entities_of(PARIS), {"P36", "P297"})
    (reading,) = parser.parse("Is Paris in Grand Est?")
    assert [each.predicate for each in reading.form.patterns] == ["P36", "P297"]
    assert reading.form.patterns[1].object == Literal("Grand Est")


def test_kinds_stay_words_and_get_their_names_from_the_graph():
    output = RIGHT + " ?x ns:common.topic.notable_types ns:m.type_language ."
    names = {"m.type_language": "Language"}
    entities = entities_of({**PARIS, "m.type_language": "spoken"})
    parser = SequenceQuestionParser(model(SOURCE, output), entities, None, names, ["m.type_language"])
    assert parser.parse(QUESTION)[0].names == {**PARIS, **names}


def graph():
    return Graph(
        [
            (f"m.{key}", "type.object.name", Literal(name, None, "en"))
            for key, name in (("paris", "Paris"), ("york", "York"), ("new_york", "New York City"))
        ]
        + [("m.new_york", "common.topic.alias", Literal("New York", None, "en")), ("m.paris", "a.b.c", Entity("m.york"))]
    )


def test_a_linker_finds_the_longest_name_and_keeps_how_it_was_said():
    named = linked(EntityLinker(graph()))("Is new  york larger than York or Paris?")
    assert [(each.id, each.text, each.name) for each in named] == [
        ("m.new_york", "new  york", "New York City"),
        ("m.york", "York", "York"),
        ("m.paris", "Paris", "Paris"),
    ]


def record():
    questions = [{"sub_question": "which country has Paris as its capital?"}, {"sub_question": "what is spoken there?"}]
    forms = ["?c ns:location.country.capital #entity1# .", "?c ns:location.country.official_language ?x ."]
    return TrainingRecord(
        id="a", question=QUESTION, sparql=SPARQL, gold_sub_lfs=forms, gold_sub_qs=questions, topic_entity=PARIS
    )


def test_a_correction_is_asked_for_as_it_was_learnt():
    steps = decompose(read_sparql(SPARQL)).steps
    fake = model("", "")
    history = History(QUESTION, (), Variable("x"))
    parser = SequenceParseCorrector(fake, entities_of(PARIS), names=PARIS)
    for number, example in enumerate(correction_examples(record())):
        fake.answers[example.pair.source] = (GeneratedText(example.pair.target, -0.1),)
        if number == 0:
            (reading,) = parser.correct("which country has Paris as its capital?", history)
            assert (reading.step, reading.names) == (steps[0], PARIS)
    told = "what is spoken there? | Which country has the capital #entity1#? = ?c ns:location.country.capital #entity1# ."
    with pytest.raises(InspiredError, match="no other reading"):
        parser.correct("what is spoken there?", History(QUESTION, steps[:1], Variable("x")))
    said = fake.sources[-1]
    assert said.split(" = ")[1] == told.split(" = ")[1]
    fake.answers[said] = (GeneratedText("?c ns:location.country.official_language ?x .", -0.2),)
    (reading,) = parser.correct("what is spoken there?", History(QUESTION, steps[:1], Variable("x")))
    assert reading.step == steps[1]


def test_a_refused_step_is_not_offered_again_nor_more_than_one_step():
    steps = decompose(read_sparql(SPARQL)).steps
    feedback = "Paris!"
    refused, other = (f"?{name} ns:location.country.capital #entity1# ." for name in "cx")
    fake = model("#entity1#!", refused, RIGHT.removeprefix("<sparql-header-1> "), other)
    parser = SequenceParseCorrector(fake, entities_of(PARIS), PREDICATES, PARIS)
    readings = parser.correct(feedback, History(QUESTION, (), Variable("x"), rejected=steps[:1]))
    assert [each.step.main[0].subject for each in readings] == [Variable("x")]


def test_the_writer_keeps_only_wordings_that_say_the_entities():
    steps = decompose(read_sparql(SPARQL))
    plain = SubQuestionWriter().write(steps, PARIS, QUESTION)
    assert {each.by for each in plain} == {"template"}
    data = record()
    for question, templated in zip(data.gold_sub_qs, plain, strict=True):
        question.temp_sub_question = templated.text
    first, second = (each.pair for each in subquestion_examples(data))
    fake = model(first.source, "so which country's capital is #entity1#?")
    fake.answers[second.source] = (GeneratedText("and what is spoken in #entity7#?", -1.0),)
    worded = SubQuestionWriter(fake).write(steps, PARIS, QUESTION)
    assert [(each.text, each.by) for each in worded] == [
        ("so which country's capital is Paris?", "model"),
        (plain[1].text, "template"),
    ]
    fake.answers[first.source] = (GeneratedText("so which country is it?", -1.0),)
    assert SubQuestionWriter(fake).write(steps, PARIS, QUESTION) == plain


@pytest.mark.slow
def test_a_model_that_has_learnt_answers_for_entities_it_never_saw():
    """The whole way: pairs, training, search and reading back, with a name that no example had."""
    from backend.models.sequence_models.own import TransformerSizes, new_own_model

    words = {"capital": "capital", "money": "currency_used", "anthem": "national_anthem", "language": "official_language"}
    pairs = [TextPair(f"What is the {word} of #entity1#{mark}", f"#entity1# ns:location.country.{predicate} ?x .")
             for word, predicate in words.items() for mark in ("?", "", " ?", "!")]  # fmt: skip
    network = new_own_model("transformer", pairs, 0, TransformerSizes(width=32, heads=2, layers=1, inner=64))
    network.fit(pairs, (), Training(epochs=40, batch_size=8, learning_rate=1e-2))
    parser = SequenceQuestionParser(network, entities_of({"m.oz": "The Land of Oz"}), search=BeamSearch(beams=4, max_tokens=20))
    best = parser.parse("What is the money of the land of Oz?")[0]
    (triple,) = best.form.patterns
    assert (triple.subject, triple.predicate) == (Entity("m.oz"), "location.country.currency_used")
    assert isinstance(decompose(best.form), Decomposition)
