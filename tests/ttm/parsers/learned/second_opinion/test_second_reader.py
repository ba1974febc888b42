"""The packaged language model with the adapter that is shipped: what it thinks of readings, and what it writes."""

import json

import pytest

from backend.models.language_models.packaged import packaged_is_installed
from ttm import parsers
from ttm.__main__ import main
from ttm.language.grammar import grammar_of
from ttm.parsers import LearnedParser
from ttm.parsers.learned.encoder.network import LEARNED
from ttm.parsers.learned.second_opinion.second_reader import SecondReader, adapter_file, second_reader
from ttm.parsers.understanding import ALONE, DialogueContext
from ttm.tabular.data.dataset import load_dataset

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not packaged_is_installed(), reason="the packaged language model is not installed"),
]

OLDER = "filter age greater than 50 and countdata [e]"
OLDER_SHORT = "filter age greater than 50 [e]"
SLIDE = "I need three numbers for a slide: total cases, share with diabetes, accuracy of the model."
THREE_NUMBERS = "countdata and label and score accuracy [e]"
YOUNGER = "filter age less than 50 and countdata [e]"


@pytest.fixture(scope="module")
def reader() -> SecondReader:
    return SecondReader(load_dataset("diabetes").schema)


@pytest.fixture(scope="module")
def parser(reader: SecondReader) -> LearnedParser:
    return LearnedParser(load_dataset("diabetes").schema, second=reader)


def test_the_reading_that_was_meant_is_the_likelier_one(reader: SecondReader) -> None:
    opinion = reader.opinion("how many patients are older than 50?", ALONE, [[OLDER, OLDER_SHORT], [YOUNGER]])
    assert opinion is not None
    assert opinion.readings[0] > opinion.readings[1] + 3
    assert opinion.readings[0] > max(opinion.verdicts.values())


def test_a_reading_counts_as_much_alone_as_beside_others(reader: SecondReader) -> None:
    both = reader.opinion("how many patients are older than 50?", ALONE, [[OLDER], [YOUNGER]])
    alone = reader.opinion("how many patients are older than 50?", ALONE, [[YOUNGER]])
    assert both is not None
    assert alone is not None
    assert both.readings[1] == pytest.approx(alone.readings[0], abs=0.02)


def test_what_it_writes_has_the_probability_that_it_would_have_if_asked(reader: SecondReader) -> None:
    wrote = reader.opinion("how many patients are older than 50?", ALONE, [[YOUNGER]])
    assert wrote is not None
    assert wrote.written in (OLDER, OLDER_SHORT)
    asked = reader.opinion("how many patients are older than 50?", ALONE, [[wrote.written]])
    assert asked is not None
    assert asked.written is None
    assert asked.readings[0] == pytest.approx(wrote.written_log_probability, abs=0.02)


@pytest.mark.parametrize(
    "message", ["how many patients are older than 50?", "why was 57 flagged", "typical mistakes of the old"]
)
def test_it_writes_the_same_without_drafts(reader: SecondReader, message: str, monkeypatch) -> None:
    with_drafts = reader.opinion(message, ALONE, [[YOUNGER], ["filter id 3 and explain features [e]"]])
    monkeypatch.setattr("ttm.parsers.learned.second_opinion.read_ahead.DRAFT", 0)
    without = reader.opinion(message, ALONE, [[YOUNGER], ["filter id 3 and explain features [e]"]])
    assert with_drafts is not None
    assert without is not None
    assert with_drafts.written == without.written is not None
    assert with_drafts.written_log_probability == pytest.approx(without.written_log_probability, abs=0.02)


def test_a_follow_up_is_read_with_the_turn_before(reader: SecondReader) -> None:
    parse = grammar_of(load_dataset("diabetes").schema).read("filter id 57 and explain features [e]")
    context = DialogueContext(parse=parse, utterance="why was 57 predicted to be ill?", operations=())
    why, predicts = (["filter id 33 and explain features [e]"], ["filter id 33 and predict [e]"])
    opinion = reader.opinion("and 33?", context, [why, predicts])
    assert opinion is not None
    assert opinion.readings[0] > opinion.readings[1]


def test_thanks_ask_for_nothing(reader: SecondReader) -> None:
    opinion = reader.opinion("thanks a lot", ALONE, [["countdata [e]"]])
    assert opinion is not None
    assert opinion.verdicts["<chat>"] > -0.5


def test_a_reading_that_the_ranking_alone_misses(parser: LearnedParser) -> None:
    alone = LearnedParser(parser.schema).understand(SLIDE).best
    both = parser.understand(SLIDE).best
    assert alone is not None
    assert both is not None
    assert "countdata" not in str(alone.parse)
    assert str(both.parse) == THREE_NUMBERS


def test_the_command_line_asks_for_it_by_default(monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.setattr(parsers, "second_reader", second_reader)
    monkeypatch.delenv("PARLEY_PARSER")
    main(["answer", "--json", "--data-dir", str(tmp_path), SLIDE])
    assert json.loads(capsys.readouterr().out)["parse"] == THREE_NUMBERS


def test_text_of_any_kind_is_read(parser: LearnedParser) -> None:
    for message in ("", "   ", "🙂" * 50, "a" * 5000, "\x00\n", "SELECT * FROM patients; --", "年齢が50以上の人は?"):
        parser.understand(message)


def test_there_is_no_reader_where_the_adapter_is_missing(tmp_path) -> None:
    assert adapter_file(LEARNED).is_file()
    assert second_reader(load_dataset("diabetes").schema, tmp_path / "weights.safetensors") is None


def test_without_a_model_the_ranking_alone_decides(monkeypatch) -> None:
    monkeypatch.setattr("ttm.parsers.learned.second_opinion.second_reader._loaded", _no_model)
    schema = load_dataset("diabetes").schema
    alone = LearnedParser(schema).understand("how many patients are older than 50?")
    assert LearnedParser(schema, second=SecondReader(schema)).understand("how many patients are older than 50?") == alone


def _no_model(*_: object) -> None:
    from backend.errors import LanguageModelError

    raise LanguageModelError("There is none.")
