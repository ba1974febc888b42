"""Decisions: who may become gold, what is refused, that nothing is ever overwritten, and that races lose nothing."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from annotation.parses.pairs import Key, PairOrigin, ReviewItem, ReviewState, find_item, list_items
from annotation.parses.parse_reader import ParseReader
from annotation.parses.review import DecidedMeanwhile, accept, put_back, reject
from backend.errors import AnnotationError, ParseError
from backend.program.settings import Settings
from backend.storage.collected import Correction, add_correction
from backend.storage.database import Database, parse_reviews

pytestmark = pytest.mark.every_database


def _rows(database: Database) -> list[tuple[object, ...]]:
    with database.reading() as connection:
        return [tuple(row) for row in connection.execute(select(parse_reviews).order_by(parse_reviews.c.id))]


def test_what_is_accepted_as_it_is_becomes_gold(database: Database, reader: ParseReader, corrected: list[ReviewItem]) -> None:
    item = accept(database, reader, corrected[0].key, 0, " Anna  B. ", corrected[0].proposed)
    assert (item.state, item.gold, item.history[0].reviewer) == (ReviewState.ACCEPTED, corrected[0].proposed, "Anna B.")
    assert item.history[0].created.utcoffset() is not None


def test_an_edit_is_kept_in_its_usual_spelling_beside_what_was_proposed(
    database: Database, reader: ParseReader, corrected: list[ReviewItem]
) -> None:
    item = accept(database, reader, corrected[0].key, 0, "Anna", "Filter  ID 5 and   likelihood and show", "show it too")
    assert (item.state, item.gold) == (ReviewState.EDITED, "filter id 5 and likelihood and show [e]")
    assert item.proposed == corrected[0].proposed
    assert item.history[0].reason == "show it too"


@pytest.mark.parametrize(
    "parse", ["", " [e] ", "filter wage greater than 5 and predict", "predict and", "predict\nshow", "\ud800"]
)
def test_an_invalid_edit_is_refused_and_nothing_is_written(
    database: Database, reader: ParseReader, corrected: list[ReviewItem], parse: str
) -> None:
    with pytest.raises((ParseError, AnnotationError)):
        accept(database, reader, corrected[0].key, 0, "Anna", parse)
    assert _rows(database) == []


def test_a_refusal_says_what_would_be_valid(database: Database, reader: ParseReader, corrected: list[ReviewItem]) -> None:
    with pytest.raises(ParseError, match=r"Here could stand: age, .*glucose"):
        accept(database, reader, corrected[0].key, 0, "Anna", "filter wage greater than 5 and predict")


def test_a_proposal_that_is_not_valid_cannot_become_gold(database: Database, reader: ParseReader) -> None:
    add_correction(database, Correction("q", "predict [e]", "filter wage greater than 5 [e]", "diabetes"))
    item = list_items(database)[0]
    with pytest.raises(ParseError, match="wage"):
        accept(database, reader, item.key, 0, "Anna", item.proposed)
    assert reject(database, item.key, 0, "Anna", "no such feature").state is ReviewState.REJECTED


def test_where_the_data_set_is_not_at_hand_the_form_is_checked(
    database: Database, reader: ParseReader, corrected: list[ReviewItem]
) -> None:
    with pytest.raises(ParseError, match="did you mean filter"):
        accept(database, reader, corrected[2].key, 0, "Anna", "fliter size greater than 4 and show")
    item = accept(database, reader, corrected[2].key, 0, "Anna", "filter size greater than 4 and show")
    assert item.gold == "filter size greater than 4 and show [e]"


@pytest.mark.parametrize("reason", ["", " \n "])
def test_a_rejection_needs_a_reason(database: Database, corrected: list[ReviewItem], reason: str) -> None:
    with pytest.raises(AnnotationError, match="reason"):
        reject(database, corrected[0].key, 0, "Anna", reason)
    assert _rows(database) == []


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "A\0"])
def test_a_reviewer_has_a_name(database: Database, corrected: list[ReviewItem], name: str) -> None:
    with pytest.raises(AnnotationError, match="name"):
        reject(database, corrected[0].key, 0, name, "no")
    assert _rows(database) == []


def test_a_change_of_mind_is_a_new_event_and_the_last_one_counts(
    database: Database, reader: ParseReader, corrected: list[ReviewItem]
) -> None:
    key = corrected[0].key
    accept(database, reader, key, 0, "Anna", corrected[0].proposed)
    put_back(database, key, 1, "Anna")
    assert find_item(database, key).state is ReviewState.PENDING  # type: ignore[union-attr]
    item = reject(database, key, 2, "Ben", "unclear question")
    assert [review.state for review in item.history] == [ReviewState.ACCEPTED, ReviewState.PENDING, ReviewState.REJECTED]
    assert [review.number for review in item.history] == [1, 2, 3]
    assert (item.state, item.gold) == (ReviewState.REJECTED, "")


@pytest.mark.slow
@settings(max_examples=25)
@given(acts=st.lists(st.sampled_from(["accept", "edit", "reject", "back"]), max_size=8))
def test_no_decision_is_ever_changed_or_removed(tmp_path_factory: pytest.TempPathFactory, acts: list[str]) -> None:
    database = Database(f"sqlite:///{tmp_path_factory.mktemp('parley') / 'parley.sqlite'}")
    reader = ParseReader(Settings())
    add_correction(database, Correction("q", "show [e]", "label [e]", "boxes"))
    key = list_items(database)[0].key
    before: list[tuple[object, ...]] = []
    for act in acts:
        item = find_item(database, key)
        assert item is not None
        try:
            if act == "reject":
                reject(database, key, len(item.history), "Anna", "no")
            elif act == "back":
                put_back(database, key, len(item.history), "Anna")
            else:
                accept(database, reader, key, len(item.history), "Anna", "label [e]" if act == "accept" else "predict")
        except AnnotationError:
            assert _rows(database) == before
        after = _rows(database)
        assert after[: len(before)] == before
        before = after
    database.close()


def test_what_is_decided_already_is_not_decided_the_same_way_again(
    database: Database, reader: ParseReader, corrected: list[ReviewItem]
) -> None:
    accept(database, reader, corrected[0].key, 0, "Anna", corrected[0].proposed)
    with pytest.raises(AnnotationError, match="already"):
        accept(database, reader, corrected[0].key, 1, "Anna", corrected[0].proposed)
    with pytest.raises(AnnotationError, match="pending already"):
        put_back(database, corrected[1].key, 0, "Anna")


def test_who_did_not_see_the_last_decision_does_not_overwrite_it(
    database: Database, reader: ParseReader, corrected: list[ReviewItem]
) -> None:
    key = corrected[0].key
    reject(database, key, 0, "Ben", "twice the same")
    with pytest.raises(DecidedMeanwhile, match=r"Ben rejected it .* not saved") as caught:
        accept(database, reader, key, 0, "Anna", corrected[0].proposed)
    assert caught.value.item.history[-1].reason == "twice the same"
    assert len(_rows(database)) == 1
    assert accept(database, reader, key, 1, "Anna", corrected[0].proposed).state is ReviewState.ACCEPTED


def test_of_many_who_decide_at_once_exactly_one_is_saved_and_the_others_are_told(
    database: Database, reader: ParseReader, corrected: list[ReviewItem]
) -> None:
    others = [Database(str(database)) for _ in range(2)]
    barrier = Barrier(12)

    def decide(number: int) -> str:
        mine = (database, *others)[number % 3]
        barrier.wait()
        try:
            if number % 2:
                reject(mine, corrected[0].key, 0, f"reviewer {number}", "no")
            else:
                accept(mine, reader, corrected[0].key, 0, f"reviewer {number}", corrected[0].proposed)
        except DecidedMeanwhile as error:
            return error.item.history[0].reviewer
        return f"reviewer {number}"

    with ThreadPoolExecutor(12) as pool:
        winners = set(pool.map(decide, range(12)))
    assert winners == {find_item(database, corrected[0].key).history[0].reviewer}  # type: ignore[union-attr]
    assert len(_rows(database)) == 1
    for other in others:
        other.close()


def test_an_item_that_does_not_exist_is_refused(database: Database) -> None:
    with pytest.raises(AnnotationError, match="no import number 9"):
        reject(database, Key(PairOrigin.IMPORT, 9), 0, "Anna", "no")
