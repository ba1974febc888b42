"""Predictions against models whose outputs are known, and files that a kill leaves behind."""

import json
from dataclasses import replace

import pytest

from backend.errors import InspiredError
from backend.models.sequence_models.scripted import ScriptedSequenceModel
from backend.models.sequence_models.seam import BeamSearch, GeneratedText
from inspired.lab.json_lines import LeftOut
from inspired.lab.training.predicting import PREPARE, PredictionSetting, predicted, prepared_records
from inspired.lab.training.prediction_files import PredictionFile, read_predicted
from inspired.lab.training.records import TrainingRecord
from inspired.lab.training.turns import dialogue_turns
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.sparql_reader import read_sparql
from inspired.parsers.sequence import Named

CAPITAL, LANGUAGE = "?c ns:location.country.capital #entity1# .", "?c ns:location.country.official_language ?x ."
ANTHEM = "?c ns:location.country.national_anthem ?x ."
SPARQL = "SELECT DISTINCT ?x { ?c ns:location.country.capital ns:m.1 . ?c ns:location.country.official_language ?x }"
RECORD = TrainingRecord(
    id="a", question="Which tongue has the country of Oslo?", sparql=SPARQL, topic_entity={"m.1": "Oslo"},
    predicted_parse=SPARQL.replace("official_language", "national_anthem"),
    gold_sub_lfs=[CAPITAL, LANGUAGE], pred_sub_lfs=[CAPITAL, ANTHEM],
    gold_sub_qs=[{"sub_question": "Oslo is where?", "temp_sub_question": "the country of Oslo"},
                 {"sub_question": "what is spoken?", "temp_sub_question": "that country's tongue"}],
)  # fmt: skip
PREDICATES = tuple(f"location.country.{each}" for each in ("capital", "official_language", "national_anthem"))
SETTING = PredictionSetting("correction", "none", (), PREDICATES, search=BeamSearch(beams=3))


def outputs(*texts):
    return tuple(GeneratedText(text, -float(number)) for number, text in enumerate(texts))


def test_a_mistake_is_not_repeated_and_what_does_not_read_is_passed_over():
    prepared = PREPARE["correction"](RECORD, SETTING)
    assert prepared.sources == ("#entity1# is where?", "what is spoken?")
    unknown = CAPITAL.replace("capital", "invented")
    line = prepared.finish([outputs("nonsense (", unknown, CAPITAL), outputs(ANTHEM, LANGUAGE)])
    assert line == {"sub_lfs": [CAPITAL, LANGUAGE]}
    # The first step was right: there is no mistake of the initial parser that it could repeat.
    assert prepared.finish([outputs(ANTHEM.replace("?x", "#entity1#")), outputs(ANTHEM)])["sub_lfs"][1] is None
    assert prepared.finish([outputs(CAPITAL.replace("1", "7")), ()])["sub_lfs"] == [None, None]


def test_linked_entities_take_the_place_of_those_that_are_known():
    setting = replace(SETTING, linked=lambda text: [Named("m.9", "Oslo", "Oslo, Minnesota")], context="h_lf", names={})
    prepared = PREPARE["correction"](RECORD, setting)
    assert prepared.sources[0] == "#entity1# is where?"
    (first, _) = prepared.finish([outputs(CAPITAL), outputs(LANGUAGE)])["sub_lfs"]
    assert first == CAPITAL.replace("#entity1#", "ns:m.9")
    assert not dialogue_turns(RECORD).right(0, first)


def test_the_parser_writes_queries_of_gold_or_linked_entities():
    setting = replace(SETTING, task="parser", context="")
    target = f"<sparql-header-1> {CAPITAL} {LANGUAGE}"
    for id_, linked in (("m.1", None), ("m.9", lambda text: [Named("m.9", "Oslo", "Oslo, Minnesota")])):
        prepared = PREPARE["parser"](RECORD, replace(setting, linked=linked))
        assert prepared.sources == ("Which tongue has the country of #entity1#?",)
        model = ScriptedSequenceModel({prepared.sources[0]: outputs("nonsense (", target)})
        (line,) = predicted(model, [prepared], setting)
        assert line["ID"] == "a"
        header = "FILTER (?x != ?c) FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))"
        gold = SPARQL.replace("{", f"{{ {header}").replace("m.1", id_)
        assert equivalent(read_sparql(line["sparql"]), read_sparql(gold))
    assert prepared.finish([()])["sparql"] is None


def test_sub_questions_have_the_names_of_entities():
    prepared = PREPARE["subquestion"](RECORD, replace(SETTING, task="subquestion", context="none"))
    assert prepared.sources[0] == f"{CAPITAL} | the country of #entity1#"
    assert prepared.finish([outputs("where is #entity1#?"), ()]) == {"sub_questions": ["where is Oslo?", ""]}


def test_what_cannot_be_asked_is_left_out_by_name():
    pairs = [(LeftOut("f", 4, "", "b"), RECORD.model_copy(update={"sparql": ""}))]
    left = []
    assert list(prepared_records(iter(pairs), SETTING, left.append)) == []
    assert str(left[0]) == "f, line 4, record b: sparql (or gold_parse) is empty."
    with pytest.raises(InspiredError, match="line 4, record b"):
        list(prepared_records(iter(pairs), SETTING, None))


def test_turns_are_compared_by_meaning_and_a_dialogue_is_right_once_its_wrong_steps_are():
    dialogue = dialogue_turns(RECORD)
    assert [each.kind for each in dialogue.turns] == ["keep", "replace"]
    assert not dialogue.exact
    assert dialogue.right(0, CAPITAL.replace("?c", "?k"))
    assert dialogue.right(1, LANGUAGE)
    assert dialogue.right(1, LANGUAGE.replace("?x", "?y"))
    assert not dialogue.right(1, LANGUAGE.replace("?c", "?k"))
    assert not dialogue.right(1, "?x ns:location.country.official_language ?c .")
    assert not dialogue.right(1, None)
    assert dialogue.put_right([None, LANGUAGE])
    assert not dialogue.put_right([CAPITAL, ANTHEM])
    exact = dialogue_turns(RECORD.model_copy(update={"predicted_parse": SPARQL}))
    assert exact.exact
    assert exact.put_right([None, None])


def test_steps_that_are_not_listed_are_those_of_the_initial_query():
    assert [each.kind for each in dialogue_turns(RECORD.model_copy(update={"pred_sub_lfs": []})).turns] == ["keep", "replace"]
    none = dialogue_turns(RECORD.model_copy(update={"pred_sub_lfs": [], "predicted_parse": "no query"}))
    assert [each.kind for each in none.turns] == ["insert", "insert"]


def test_a_file_goes_on_after_its_last_whole_line_and_with_the_same_run_only(tmp_path):
    file = PredictionFile(tmp_path / "p.jsonl", {"task": "parser", "model": "lstm"})
    assert file.done(resume=False) == set()
    file.append([{"ID": "a", "sparql": "q"}, {"ID": "b", "sparql": None}])
    whole = file.path.read_bytes()
    file.path.write_bytes(whole + b'{"ID": "c", "spar')
    with pytest.raises(InspiredError, match="is there already; give --resume"):
        file.done(resume=False)
    assert file.done(resume=True) == {"a", "b"}
    assert file.path.read_bytes() == whole
    assert read_predicted(file.path)["b"].sparql == ""
    with pytest.raises(InspiredError, match="line 1 is of a run with another model"):
        PredictionFile(file.path, {"task": "parser", "model": "bart"}).done(resume=True)
    file.path.write_text(json.dumps({"text": "no prediction"}) + "\n")
    with pytest.raises(InspiredError, match="line 1 is no prediction"):
        file.done(resume=True)
    assert "no prediction" in file.path.read_text()
    with pytest.raises(InspiredError, match="there is no folder"):
        PredictionFile(tmp_path / "missing" / "p.jsonl", {}).done(resume=False)


def test_a_file_of_predictions_has_each_id_once(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"ID": 1, "sparql": "q"}\n{"id": "1", "sparql": "q"}\n')
    with pytest.raises(InspiredError, match="the id '1' comes twice"):
        read_predicted(path)
    path.write_text("")
    with pytest.raises(InspiredError, match="holds no prediction"):
        read_predicted(path)
