"""The corpora: ours is in order, those of others can be loaded, and the generator leaves nothing without words."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import LogicalFormError
from inspired.lab.reference_corpus import is_reference_corpus, read_reference_corpus, settled
from inspired.sub_questions.templates import FOLDER, generated, own_corpus, property_words, read_corpus
from tests.inspired import meaning

names = st.from_regex(r"[a-z]{1,8}(_[a-z]{1,8}){0,3}", fullmatch=True)
some_predicates = st.builds("{}.{}.{}".format, names, names, names)


def test_every_template_makes_questions_without_artefacts() -> None:
    for key, template in own_corpus().templates.items():
        filled = [template.has.format(o="X"), template.of.format(s="Y"), template.subject, template.object]
        filled += [template.ask.format(s="Y")] if template.ask else []
        assert not any(meaning.has_artefact(words) for words in filled), key
        assert key.count(" > ") <= 1


def test_every_restriction_has_one_way_of_speaking() -> None:
    for key, restriction in own_corpus().restrictions.items():
        given = [words for words in (restriction.noun, restriction.before, restriction.after) if words]
        assert len(given) == 1, key
        assert "{o}" in given[0] or "{kind}" in given[0], key


@given(
    st.one_of(st.tuples(some_predicates), st.tuples(some_predicates, some_predicates)),
    st.sampled_from([None, "date", "amount"]),
)
@pytest.mark.slow
def test_predicates_without_a_template_get_words_from_their_names(predicates: tuple[str, ...], comparing: str | None) -> None:
    template = generated(predicates, comparing)
    assert "Alpha" in template.has.format(o="Alpha")
    assert "Beta" in template.of.format(s="Beta")
    assert not meaning.has_artefact(template.has)


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        ("people.person.spouse_s", "spouse"),
        ("travel.travel_destination.tourist_attractions", "tourist attraction"),
        ("location.country.second_level_divisions", "second level division"),
        ("people.person.places", "place"),
        ("biology.species", "species"),
        ("location.statistical_region.cities", "city"),
        ("people.marriage.from", "start date"),
        ("http://example.org/prop/flowsInto", "flows into"),
    ],
)
def test_predicates_as_nouns(predicate: str, words: str) -> None:
    assert property_words(predicate) == words


def test_a_folder_in_our_format_can_take_the_place_of_ours(tmp_path: Path) -> None:
    (tmp_path / "predicates.toml").write_text(
        '["a.b.c"]\nsubject = "ship"\nhas = "sails to {o}"\nobject = "port"\nof = "is called at by {s}"\n', "utf-8"
    )
    (tmp_path / "restrictions.toml").write_text('["a.b.d"]\nafter = "under {o}"\n', "utf-8")
    corpus = read_corpus(tmp_path)
    assert corpus.template(("a.b.c",)).has == "sails to {o}"
    assert corpus.restriction("a.b.d").after == "under {o}"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('["a.b.c"]\nsubject = "ship"\nhas = "sails"\nobject = "port"\nof = "is used by {s}"\n', "a.b.c / has"),
        ('["a.b.c"]\nsubject = "ship"\nhas = "sails to {o}"\nobject = "port"\n', "a.b.c / of"),
        ('["a.b.c"]\nsubject = "ship"\nhas = "to {o}"\nobject = "port"\nof = "by {s}"\nasks = "?"\n', "a.b.c / asks"),
        ("not toml", "Cannot read the templates"),
    ],
)
def test_a_wrong_template_is_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "predicates.toml").write_text(text, "utf-8")
    (tmp_path / "restrictions.toml").write_text("", "utf-8")
    with pytest.raises(LogicalFormError, match=told):
        read_corpus(tmp_path)


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A corpus in the format of the paper's authors."""
    templates = {
        "['sport.team.won']": ["the team(s) that won <PLD> trophy(s)"],
        "['sport.team.staff', 'sport.job.person']": ["the club/clubs whose staff <RSTR> is/are <PLD>"],
    }
    (tmp_path / "template_corpus.json").write_text(json.dumps(templates), "utf-8")
    (tmp_path / "mini_template_corpus.json").write_text(json.dumps({"sport.job.title": "(<MINI_PLD>)"}), "utf-8")
    (tmp_path / "multi_restriction_corpus.json").write_text(
        json.dumps({"['sport.team.staff', 'sport.job.person']": ["sport.job.title"]}), "utf-8"
    )
    return tmp_path


def test_the_papers_format_is_loaded_and_settled(foreign: Path) -> None:
    corpus = read_reference_corpus(foreign)
    won = corpus.template(("sport.team.won",))
    assert won.subject == "team"
    assert won.has == "won {o} trophy"
    assert won.ask == "{s} is the team that won what trophy?"
    assert corpus.template(("sport.team.staff", "sport.job.person")).has == "is the club whose staff is {o}"
    assert corpus.restriction("sport.job.title").after == "({o})"
    assert is_reference_corpus(foreign)
    assert not is_reference_corpus(FOLDER)


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("template_corpus.json", "{", "Cannot read the template corpus"),
        ("template_corpus.json", "[]", "one JSON object"),
        ("template_corpus.json", '{"a.b.c": ["the <PLD>"]}', "not a list of predicates"),
        ("template_corpus.json", "{\"['a.b.c']\": []}", "holds <PLD>"),
        ("multi_restriction_corpus.json", '{"x y": []}', "not a list of predicates"),
    ],
)
def test_what_is_wrong_in_the_papers_format_is_named(foreign: Path, file: str, content: str, told: str) -> None:
    (foreign / file).write_text(content, "utf-8")
    with pytest.raises(LogicalFormError, match=told):
        read_reference_corpus(foreign)


def test_alternatives_are_settled() -> None:
    assert settled("the country/countries that is/are near <PLD> ``x''") == "the country that is near <PLD> “x”"
    assert settled("the person(s) with (a) bus(es)") == "the person with (a) bus"
