"""What the ranking is fitted on: turns after fair readings, and turns after what the parser itself made of the ones before."""

from pathlib import Path

from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn
from ttm.lab.learning.ranking.fitting import WeighedTurn, of_fair_readings, of_own_readings
from ttm.lab.learning.schema_files import read_schemas
from ttm.parsers.learned.encoder.network import LEARNED

TITANIC = read_schemas(Path(__file__).parents[4] / "corpus/tables")["titanic"]


def turn(message: str, *patterns: str) -> CorpusTurn:
    return CorpusTurn(message, patterns, False, False, False, (), ())


# What the parser surely answers about all passengers was meant of the women.
MISLED = CorpusDialogue(
    "x1-d1",
    "titanic",
    (
        turn("how many passengers are there in all?", "filter gender female and countdata"),
        turn("what does the model predict for them?", "previousfilter and predict"),
    ),
)


def fair(turns: list[WeighedTurn]) -> list[bool]:
    return [bool(one.fair.any()) for one in turns]


def test_a_reading_that_rests_on_a_turn_that_was_not_understood_is_not_fair() -> None:
    forced = of_fair_readings([MISLED], TITANIC, LEARNED, calibrating={"x1"})
    own = of_own_readings([MISLED], TITANIC, LEARNED, calibrating={"x1"})
    assert [len(forced), len(own)] == [2, 1], "the first turn has no other context"
    assert (fair(forced)[1], fair(own)) == (True, [False])
    assert {one.author for one in (*forced, *own)} == {"x1"}
    assert of_own_readings([MISLED], TITANIC, LEARNED, calibrating=set())[0].author == ""
