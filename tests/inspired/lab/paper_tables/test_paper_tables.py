"""Tables 8 to 13 from files whose figures can be counted by hand, and what does not belong into them."""

import json

import pytest

from backend.errors import InspiredError
from inspired.__main__ import main
from inspired.lab.paper_tables.published import TABLES
from tests.inspired.dialogue_files import write_lines

PREFIX = "PREFIX : <http://example.org/> SELECT DISTINCT ?x WHERE "
GRAPH = "@prefix : <http://example.org/> . :oslo :in :norway . :bergen :in :norway . :norway :speaks :norwegian, :sami ."
HERE = "http://rdf.freebase.com/ns/"
CAPITAL, LANGUAGE = "?c ns:location.country.capital #entity1# .", "?c ns:location.country.official_language ?x ."
ANTHEM = "?c ns:location.country.national_anthem ?x ."
SPARQL = "SELECT DISTINCT ?x { ?c ns:location.country.capital ns:m.1 . ?c ns:location.country.official_language ?x }"


def dialogue(id_, predicted):
    return {
        "id": id_, "question": "Tongue of Oslo?", "gold_parse": SPARQL, "gold_sub_lfs": [CAPITAL, LANGUAGE],
        "pred_sub_lfs": predicted, "predicted_parse": SPARQL if predicted[-1] == LANGUAGE else "",
        "gold_sub_qs": [{"sub_question": "where is Oslo?", "temp_sub_question": "the country of Oslo"},
                        {"sub_question": "what is spoken there?", "temp_sub_question": "that country's tongue"}],
    }  # fmt: skip


@pytest.fixture
def dialogues(tmp_path):
    return write_lines(tmp_path / "gold.jsonl", [dialogue("a", [CAPITAL, LANGUAGE]), dialogue("b", [CAPITAL, ANTHEM])])


def predictions(path, field, values, **about):
    about = {"task": "correction", "model": "facebook/bart-large", "context": "none", "entities": "gold", **about}
    return str(write_lines(path, [{"id": id_, field: value, **about} for id_, value in values.items()]))


def table(number, *arguments, capsys):
    assert main(["table", str(number), *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def row(result, name):
    (one,) = [each for each in result["rows"] if each["row"] == name]
    return {column: figure and figure["value"] for column, figure in one["figures"].items()}, one["paper"]


def test_table_8_counts_queries_that_mean_the_same_and_answers_that_are_shared(tmp_path, capsys):
    (tmp_path / "kb.ttl").write_text(GRAPH)
    asked = {"a": "{ ?x :in :norway }", "b": "{ :norway :speaks ?x }", "c": "{ :oslo :speaks ?x }", "d": "{ :norway :in ?x }"}
    gold = write_lines(
        tmp_path / "q.jsonl", [{"ID": id_, "question": "?", "sparql": PREFIX + text} for id_, text in asked.items()]
    )
    made = {
        "a": "{ ?x :in ?c . :oslo :in ?c }",
        "b": "{ :norway :speaks ?x . FILTER(?x != :sami) }",
        "c": "{ :oslo :speaks ?x }",
    }
    values = {id_: PREFIX + text for id_, text in made.items()} | {"d": None}
    path = predictions(tmp_path / "p.jsonl", "sparql", values, task="parser", model="transformer", context="")
    result = table(8, path, "--data", gold, "--kb", tmp_path / "kb.ttl", capsys=capsys)
    figures, paper = row(result, "Transformers")
    # Exact: c. Answers: a has both of 2, b one of 2, so F1 of 1 and of 2/3; the gold queries of c and d have none.
    assert figures == {"EM": 25.0, "F1": pytest.approx(100 * (1 + 2 / 3) / 2)}
    assert paper == {"EM": 52.3, "F1": 58.6}
    remarks = " ".join(next(each["remarks"] for each in result["rows"] if each["row"] == "Transformers"))
    assert "1 of 4 questions have no parse" in remarks
    assert "F1 over 2 questions; the gold query of 2 has no answer" in remarks


def test_tables_9_and_10_count_turns_and_whole_dialogues(dialogues, tmp_path, capsys):
    right = predictions(tmp_path / "r.jsonl", "sub_lfs", {"a": [None, ANTHEM], "b": [CAPITAL, LANGUAGE]})
    wrong = predictions(tmp_path / "w.jsonl", "sub_lfs", {"a": [CAPITAL, LANGUAGE], "b": [CAPITAL, None]}, context="h_q")
    nine = table(9, right, "--data", dialogues, capsys=capsys)
    # The first dialogue was right before: what is said of its kept steps does not matter to it.
    assert row(nine, "BART-large") == (
        {"Turn-level EM": 50.0, "Dialog-level EM": 100.0}, {"Turn-level EM": 82.9, "Dialog-level EM": 71.3},
    )  # fmt: skip
    assert row(nine, "w/o Correction")[0] == {"Turn-level EM": None, "Dialog-level EM": 50.0}
    ten = table(10, right, wrong, "--data", dialogues, capsys=capsys)
    assert row(ten, "w/o Context")[0] == {
        "Dialog-level EM": 100.0,
        "Turn-1": 50.0,
        "Turn-2": 50.0,
        "Turn-3": None,
        "Turn-4": None,
    }
    assert row(ten, "+ h_q") == (
        {"Dialog-level EM": 50.0, "Turn-1": 100.0, "Turn-2": 50.0, "Turn-3": None, "Turn-4": None},
        {"Dialog-level EM": 72.2, "Turn-1": 84.7, "Turn-2": 82.2, "Turn-3": 89.3, "Turn-4": 100.0},
    )
    assert row(ten, "+ h_lf")[0] == dict.fromkeys(ten["rows"][0]["figures"])


def test_tables_12_and_13_score_sub_questions_by_model_and_context(dialogues, tmp_path, capsys):
    human = {id_: ["where is Oslo?", "what is spoken there?"] for id_ in "ab"}
    other = {id_: ["where is it?", "what is spoken there?"] for id_ in "ab"}
    task = {"task": "subquestion"}
    plain = predictions(tmp_path / "p.jsonl", "sub_questions", other, **task, model="lstm", context="p")
    same = predictions(tmp_path / "t.jsonl", "sub_questions", human, **task, model="lstm")
    twelve = table(12, plain, same, "--data", dialogues, capsys=capsys)
    assert row(twelve, "Seq2Seq(LSTM) ^t")[0]["BLEU-4"] == pytest.approx(100)
    assert 0 < row(twelve, "Seq2Seq(LSTM)")[0]["BLEU-4"] < 100
    assert row(twelve, "BART-large")[1] == {"BLEU-2": 31.5, "BLEU-4": 15.4, "BERTScore": 94.0}
    thirteen = table(13, same, f"ours={plain}", "--data", dialogues, capsys=capsys)
    assert row(thirteen, "w/o Context")[0]["BLEU-2"] == pytest.approx(100)
    assert row(thirteen, "ours")[1] == {"BLEU-2": None, "BLEU-4": None, "BERTScore": None}
    assert any("no BERTScore" in each for each in thirteen["rows"][0]["remarks"])


def test_a_file_of_others_takes_the_row_that_is_named(tmp_path, capsys):
    gold = write_lines(tmp_path / "q.jsonl", [{"ID": "a", "question": "?", "sparql": SPARQL}])
    path = write_lines(tmp_path / "qgg.jsonl", [{"ID": "a", "sparql": SPARQL}, {"ID": "b", "sparql": SPARQL}])
    assert main(["table", "8", f"QGG={path}", "--data", str(gold)]) == 0
    text = capsys.readouterr().out
    assert "| QGG | qgg.jsonl | 100.0 (100.0 to 100.0) | – | – | 49.0 |" in text
    assert "- QGG: 1 predictions are for records that the data lack" in text


def test_what_does_not_belong_into_a_table_is_refused(dialogues, tmp_path, capsys):
    both = {"a": [CAPITAL, LANGUAGE], "b": [CAPITAL, LANGUAGE]}
    whole = predictions(tmp_path / "w.jsonl", "sub_lfs", both)
    for name, arguments in {
        "lacks 1 of 2 records, the first 'b'": [predictions(tmp_path / "1.jsonl", "sub_lfs", {"a": [CAPITAL, LANGUAGE]})],
        "has 1 sub_lfs; its dialogue has 2": [predictions(tmp_path / "2.jsonl", "sub_lfs", {"a": [None], "b": [None]})],
        "has no sub_lfs": [predictions(tmp_path / "3.jsonl", "sparql", {"a": "", "b": ""})],
        "holds predictions for parser; Table 9 is of correction": [
            predictions(tmp_path / "4.jsonl", "sub_lfs", both, task="parser")
        ],
        "are both of the row BART-large; name one": [whole, predictions(tmp_path / "5.jsonl", "sub_lfs", both)],
        "--kb is for the answers of Table 8": [whole, "--kb", "x.ttl"],
        "--bert-score is for Tables 12 and 13": [whole, "--bert-score", "roberta-large"],
        "--limit 0 is too small": [whole, "--limit", "0"],
        "Cannot read": [str(tmp_path / "missing.jsonl")],
    }.items():
        with pytest.raises(InspiredError, match=name):
            main(["table", "9", *arguments, "--data", str(dialogues)])


def test_records_that_cannot_be_compared_are_named(dialogues, tmp_path, capsys):
    with dialogues.open("a") as file:
        file.write(json.dumps({**dialogue("c", [CAPITAL]), "gold_sub_lfs": ["no form", LANGUAGE]}) + "\n")
    path = predictions(tmp_path / "p.jsonl", "sub_lfs", {"a": [CAPITAL, LANGUAGE], "b": [CAPITAL, LANGUAGE]})
    assert main(["table", "9", path, "--data", str(dialogues)]) == 0
    written = capsys.readouterr()
    assert "2 records." in written.out
    assert f"{dialogues}, line 3, record c: " in written.err
    assert "Left out: 1 records" in written.err
    with pytest.raises(InspiredError, match="line 3, record c"):
        main(["table", "9", path, "--data", str(dialogues), "--strict"])


def test_every_row_has_a_figure_for_each_column():
    for each in TABLES.values():
        assert {len(line.figures) for line in each.rows} == {len(each.columns)}
        assert len({(line.model, line.context) for line in each.rows}) == len(each.rows)
