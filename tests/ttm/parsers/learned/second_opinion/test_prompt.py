"""What the language model reads; it was trained on exactly this form."""

from tests.ttm.parsers.schemas import schema
from ttm.language.grammar import grammar_of
from ttm.language.row_state import rows_after
from ttm.parsers.learned.second_opinion.prompt import message_text, schema_text, state_text
from ttm.parsers.understanding import ALONE, DialogueContext

WINE = schema(
    "fixed_acidity alcohol:15", "organic", {"colour": tuple("abcdefgh")}, classes=("poor", "excellent"), target="taste"
)


def test_a_schema_has_ranges_other_names_values_and_classes() -> None:
    assert schema_text(WINE) == (
        "fixedacidity 0 to 100 (fixed acidity); alcohol 0 to 15; organic: false | true; colour: a | b | c | d | e | f ...\n"
        "Target taste: 0 poor, 1 excellent\n"
    )


def test_a_quantity_has_no_classes() -> None:
    assert schema_text(schema("age", target="price")) == "age 0 to 100\nTarget price: a number\n"


def test_nothing_stands_before_a_first_message() -> None:
    assert state_text(ALONE) == ""
    assert message_text("  how\n many?") == "Say: how many?\nRead:"


def test_the_turn_before_with_its_rows_and_an_open_question() -> None:
    parse = grammar_of(WINE).read("filter alcohol greater than 12 and countdata [e]")
    context = DialogueContext(parse=parse, utterance="strong ones", rows=rows_after(parse, None), question="Which do you mean?")
    assert state_text(context) == (
        "Before: strong ones\nRead: filter alcohol greater than 12 and countdata [e]\nRows: filter alcohol greater than 12\n"
        "Asked: Which do you mean?\n"
    )
