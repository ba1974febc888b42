"""Reading parses: against the grammar of a data set that is at hand, else by their form."""

from pathlib import Path

import pytest

from annotation.parses.parse_reader import FIRST_WORDS, ParseReader
from backend.errors import ParseError
from backend.program.settings import Settings
from ttm.language.grammar import grammar_of
from ttm.tabular.data.dataset import DEMOS, load_dataset


@pytest.mark.parametrize("name", DEMOS)
def test_the_words_a_parse_can_begin_with_are_those_of_the_grammar(name: str) -> None:
    with pytest.raises(ParseError) as caught:
        grammar_of(load_dataset(name).schema).read("nonsense")
    beginnings = {phrase.split()[0] for phrase in caught.value.expected if phrase != "the end"}
    assert beginnings <= set(FIRST_WORDS)
    assert set(FIRST_WORDS) - beginnings == set()


def test_a_parse_of_a_demo_is_read_in_words(reader: ParseReader) -> None:
    reading = reader.read("filter age greater than 50 and likelihood [E]", "diabetes")
    assert "age above 50" in reading.words
    assert reading.problem == ""
    assert "wage" in reader.read("filter wage greater than 50 [E]", "diabetes").problem


def test_a_parse_of_an_unknown_data_set_is_checked_by_its_form(reader: ParseReader) -> None:
    assert reader.check("Filter  Size greater than 3", "boxes") == "filter size greater than 3 [e]"
    assert "boxes is not at hand" in reader.known("boxes").why_not
    for wrong in ("", "[e]", "flter size 3", "show and", "show and or label", "show\nlabel"):
        with pytest.raises(ParseError):
            reader.check(wrong, "boxes")


def _csv(folder: Path) -> Path:
    path = folder / "boxes.csv"
    path.write_text("size,colour,big\n" + "".join(f"{n / 7:.2f},{'red' if n % 3 else 'blue'},{n % 2}\n" for n in range(40)))
    return path


@pytest.mark.slow
def test_ones_own_table_is_known_by_the_name_of_its_file(tmp_path: Path) -> None:
    reader = ParseReader(Settings(data=_csv(tmp_path), target="big"))
    assert reader.check("filter colour red and predict", "boxes") == "filter colour red and predict [e]"
    with pytest.raises(ParseError, match="colour"):
        reader.check("filter weight greater than 3", "boxes")
    assert reader.known("diabetes").grammar is not None


def test_ones_own_folder_is_known_by_its_name(tmp_path: Path) -> None:
    _csv(tmp_path)
    (tmp_path / "dataset.toml").write_text('data = "boxes.csv"\ntarget = "big"\n')
    reader = ParseReader(Settings(dataset=str(tmp_path)))
    assert reader.known(tmp_path.name).grammar is not None


def test_a_data_set_that_does_not_load_is_no_reason_to_stop(tmp_path: Path) -> None:
    reader = ParseReader(Settings(data=tmp_path / "boxes.csv", target="big"))
    assert reader.check("show", "boxes") == "show [e]"
    assert "does not load" in reader.known("boxes").why_not
