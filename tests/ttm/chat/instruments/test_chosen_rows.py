"""Points that are chosen name just their rows, one by one or by the frame around them."""

from collections.abc import Mapping, Sequence

import pytest

from backend.errors import ExecutionError
from tests.ttm.conftest import Asker, awkward_engine
from ttm.chat.conversation import Conversation
from ttm.chat.instruments import chosen_rows
from ttm.chat.instruments.chosen_rows import ChosenMark, ChosenRows, chosen_question, mark_question
from ttm.operations.scatter.run import RowPoints


def _chosen(ids: tuple[str, ...], asks: str, frames: Sequence[Mapping[str, object]] = ()) -> ChosenRows:
    return ChosenRows.model_validate({"ids": ids, "asks": asks, "frames": frames})


def _frames(result: RowPoints, columns: tuple[str, str]) -> list[dict[str, object]]:
    sides = ((columns[0], result.x), (columns[1], result.y))
    return [{"column": column, "low": min(values), "high": max(values)} for column, values in sides]


@pytest.mark.parametrize("kind", ["binary", "regression", "tiny"])
def test_few_rows_are_named_by_their_ids(kind: str) -> None:
    ask = Asker(awkward_engine(kind))
    ids = tuple(str(one) for one in ask.engine.subject.dataset.frame.index[1:4])
    question = chosen_question(_chosen(ids, "predict"), ask.schema)
    result = ask(question.parse)
    assert tuple(map(str, result.group.ids)) == ids
    assert question.utterance.startswith("What does the model predict for the instances with ids ")


@pytest.mark.parametrize(("kind", "up"), [("binary", "probability"), ("regression", "probability"), ("regression", "target"),
                                          ("binary", "bodymass"), ("binary", "since")])  # fmt: skip
def test_many_rows_are_named_by_the_frame_around_them(kind: str, up: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chosen_rows, "MOST_IDS", 2)
    ask = Asker(awkward_engine(kind))
    points = ask(f"filter age greater than 40 and filter age less than 70 and scatter age {up}")
    chosen = _chosen(tuple(map(str, points.ids)), "show", _frames(points, ("age", up)))
    result = ask(chosen_question(chosen, ask.schema).parse)
    assert result.group.rows == len(points.ids)


def test_many_rows_without_an_order_and_unknown_questions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chosen_rows, "MOST_IDS", 2)
    schema = awkward_engine("binary").schema
    frame = {"column": "loanpurpose", "low": "car", "high": "new car"}
    with pytest.raises(ExecutionError, match="3 rows are too many"):
        chosen_question(_chosen(("101", "102", "103"), "show", [frame]), schema)
    with pytest.raises(ExecutionError, match="Nothing is known by"):
        chosen_question(_chosen(("101",), "dance"), schema)


def _talk(*parses: str) -> Conversation:
    conversation = Conversation(ask := awkward_engine("binary"), None)  # type: ignore[arg-type]  # asked by parses alone
    for parse in parses:
        conversation.ask_parse(Asker(ask).parse(parse))
    return conversation


def test_a_bar_is_asked_about_among_the_rows_of_its_own_answer() -> None:
    """Also when other questions came after it, and where its rows are alternatives or groups side by side."""
    talk = _talk(
        "filter age greater than 70 or filter smoker true and countdata by ismember", "filter age less than 30 and show"
    )
    schema = talk.engine.schema
    question = mark_question(ChosenMark(turn=1, mark="filter ismember true", asks="show"), talk.turns, schema)
    frame = talk.engine.subject.dataset.frame
    wanted = ((frame["Age"] > 70) | (frame["smoker"] == "yes")) & (frame["Is_Member"] == 1)
    assert Asker(talk.engine)(question.parse).group.rows == wanted.sum()
    assert "with age above 70 and with is member = yes, or with smoker = yes" in question.utterance
    of_all = mark_question(ChosenMark(turn=0, mark="filter ismember true", asks="predict"), talk.turns, schema)
    assert Asker(talk.engine)(of_all.parse).group.rows == (frame["Is_Member"] == 1).sum()


def test_a_bar_of_a_feature_asks_what_it_does_for_these_rows_and_what_it_means_for_all() -> None:
    talk = _talk("filter age greater than 70 and important all")
    schema = talk.engine.schema
    effect, define = (
        mark_question(ChosenMark(turn=1, mark="bodymass", asks=asks), talk.turns, schema) for asks in ("effect", "define")
    )
    assert (effect.parse, define.parse) == ("filter age greater than 70 and effect bodymass [e]", "define bodymass [e]")
    assert "for people with age above 70" in effect.utterance


@pytest.mark.parametrize(
    ("mark", "asks"), [("age and show", "effect"), ("countdata", "show"), ("filter ismember true", "guess")]
)
def test_what_is_no_bar_is_refused(mark: str, asks: str) -> None:
    with pytest.raises(ExecutionError):
        mark_question(ChosenMark(turn=0, mark=mark, asks=asks), [], awkward_engine("binary").schema)
