"""Ids such as H0480 and dates in figures are read like ids and dates that the parser was taught."""

from dataclasses import replace

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.parsers import LearnedParser
from ttm.parsers.learned.decisions.plain_form import plain_form
from ttm.parsers.understanding import ParseCandidate, Understanding
from ttm.tabular.data.schema import Feature, FeatureKind

SCHEMA = replace(SCHEMAS["clinic"], id_name="Patient ID")


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        ("explain H0480", "explain id 7013"),
        ("H0012 against H-0013, and H0012 alone", "id 7013 against id 7014, and id 7013 alone"),
        ("patient id H0480, 7013 of them", "patient id 7014, 7013 of them"),
        ("top-10 features of the over-50s", "top-10 features of the over-50s"),
        ("before 2025-01-31", "before 31 January 2025"),
        ("since 2025-13-31", "since 2025-13-31"),
        ("the 3 most significant features", "the 3 most important features"),
        ("how significant is the difference", "how significant is the difference"),
        ("who haven't yet turned 23", "who are not yet 23"),
        ("who has not reached 23 yet", "who are not yet 23"),
        ("an increment of 100 in dose", "an increase of 100 in dose"),
        ("a dose that has risen by 100 or had gone down by 3", "a dose that increased by 100 or decreased by 3"),
        ("which trio of features, the same trio?", "which three features, the same trio?"),
        ("set dose = dose - 5 or let age=age + 2.5", "decrease dose by 5 or let increase age by 2.5"),
        ("dose = 5 - 3, dose = age - 3", "dose = 5 - 3, dose = age - 3"),
        ("add 100 to dose and 3 to age", "add 100 to dose and add 3 to age"),
        ("it predicts that death is unlikely", "it predicts that death is not likely"),
        ("who are unlikely to survive", "who are unlikely to survive"),
        ("who gained 3 in age and 100 in dose", "who gained 3 in age and gained 100 in dose"),
        ("in the riskiest fifth of them, the fifth row", "in the riskiest 20 percent of them, the fifth row"),
        ("get it up to 80 grand", "get it up to 80k"),
        (
            "number 4 on there, number 12 of these and number 49 in your list",
            "the 4th one on there, the 12th one of these and number 49 in your list",
        ),
        ("number 4 is in there", "number 4 is in there"),
        ("what would you put it at?", "what would you put it at?"),
        ("a 2x2 table, a four-box grid, a 2x2 room", "a confusion matrix, a confusion matrix, a 2x2 room"),
        ("the whole 2x2 of right and wrong", "the whole confusion matrix of right and wrong"),
        ("what if she werent so old", "what if she weren't so old"),
        ("add 100 to dose, then 3 to 5 years", "add 100 to dose, then 3 to 5 years"),
    ],
)
def test_plain_form(message: str, plain: str) -> None:
    assert plain_form(message, SCHEMA).utterance == plain


@pytest.mark.parametrize(("message", "plain"), [
    ("what would you put it at?", "what do you predict for it?"),
    ("what'd you list that one for", "what do you predict for that one"),
    ("how many of them did you put at 5?", "how many of them did you put at 5?"),
])  # fmt: skip
def test_a_price_that_is_put_on_it_is_a_prediction_of_a_quantity(message: str, plain: str) -> None:
    assert plain_form(message, SCHEMAS["flats"]).utterance == plain


@pytest.mark.parametrize(("message", "plain"), [
    ("is the lot size more than 5000?", "is the lotsize more than 5000?"),
    ("Lot-Sizes and hours per week", "lotsize and hoursperweek"),
    ("a parking lot size", "a parking lotsize"),
    ("a slot size, the lot of size", "a slot size, the lot of size"),
    ("base ment, full base", "base ment, full base"),
    ("body mass index", "body mass index"),  # known by its words anyway
])  # fmt: skip
def test_a_name_in_one_word_is_typed_in_several(message: str, plain: str) -> None:
    columns = [Feature(name, name, FeatureKind.NUMERIC) for name in ("lotsize", "hoursperweek", "full", "fullbase", "base")]
    columns.append(Feature("BodyMassIndex", "bodymassindex", FeatureKind.NUMERIC))
    form = plain_form(message, replace(SCHEMA, features=tuple(columns)))
    assert form.utterance == plain
    unused = Understanding(form.utterance, (), True, None, ("lotsize",))
    restored = form.restored(unused, lambda text: None)
    assert restored is not None
    if form.names:
        assert restored.unused[0].lower().startswith("lot")


@pytest.mark.parametrize(("least", "message", "plain"), [
    (14, "how many of the teenagers smoke?", "how many of the under 20s smoke?"),
    (14, "teenage mums against thirty-somethings", "the under 20s against people in their 30s"),
    (5, "how many of the teenagers smoke?", "how many of the teenagers smoke?"),
])  # fmt: skip
def test_ages_in_words_where_no_children_are_in_the_table(least: float, message: str, plain: str) -> None:
    age = Feature("age", "age", FeatureKind.NUMERIC, low=least, high=60)
    assert plain_form(message, replace(SCHEMA, features=(age,))).utterance == plain


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        ("how many before March 2024?", "how many before 1 March 2024?"),
        ("how many between March and June 2024?", "how many between 1 March 2024 and 30 June 2024?"),
        ("from dec 2023 to feb 2024", "from 1 dec 2023 to 29 feb 2024"),
        ("in March 2024", "in March 2024"),
        ("since 2024", "since 2024"),
        ("before 2024", "before 1 January 2024"),
        ("average length of stay", "average LOS"),
        ("a list of surgeons", "a list of surgeons"),
    ],
)
def test_months_and_initials(message: str, plain: str) -> None:
    features = (Feature("Admitted", "admitted", FeatureKind.DATE), Feature("LOS (days)", "losdays", FeatureKind.NUMERIC))
    form = plain_form(message, replace(SCHEMA, features=features))
    assert form.utterance == plain
    understanding = Understanding(plain, (), True, None, ("LOS",))
    restored = form.restored(understanding, lambda text: None)
    assert restored is not None
    assert restored.unused == (("length of stay",) if "stay" in message else ("LOS",))


def test_an_id_that_the_likeliest_reading_takes_for_something_else_is_read_as_it_was_typed() -> None:
    grammar = grammar_of(SCHEMA)
    form = plain_form("H0480", SCHEMA)
    as_value = ParseCandidate(grammar.read("filter age equal to 7013 and show [e]"), 0.5)
    as_id = ParseCandidate(grammar.read("filter id 7013 and show [e]"), 0.4)
    assert form.restored(Understanding(form.utterance, (as_value, as_id), True), grammar.read_if_valid) is None
    restored = form.restored(Understanding(form.utterance, (as_id, as_value), True), grammar.read_if_valid)
    assert restored is not None
    assert [str(one.parse) for one in restored.candidates] == ["filter id h0480 and show [e]"]
    assert LearnedParser(SCHEMA).understand("H0480").utterance == "H0480"


def test_what_is_no_id_stays() -> None:
    assert plain_form("explain H0480", SCHEMAS["clinic"]).utterance == "explain H0480"


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        ("explain the prediction for H0480", "filter id h0480 and explain features [e]"),
        ("what would it take to flip H0007?", "filter id h0007 and explain cfe [e]"),
    ],
)
def test_questions_about_rows_with_codes_for_ids(message: str, parse: str) -> None:
    understanding = LearnedParser(SCHEMA).understand(message)
    assert understanding.utterance == message
    assert [str(one.parse) for one in understanding.candidates[:1]] == [parse]
    assert "7013" not in str(understanding)


def test_a_column_whose_name_asks_for_a_statistic_is_one_word() -> None:
    features = (
        Feature("mean radius", "meanradius", FeatureKind.NUMERIC),
        Feature("total calls", "totalcalls", FeatureKind.NUMERIC),
    )
    plain = plain_form("Mean Radius by total calls", replace(SCHEMA, features=features))
    assert plain.utterance == "meanradius by total calls"
    unused = Understanding(plain.utterance, (), True, 'what "meanradius" stands for', ("meanradius",))
    restored = plain.restored(unused, grammar_of(SCHEMA).read_if_valid)
    assert restored == Understanding("Mean Radius by total calls", (), True, 'what "Mean Radius" stands for', ("Mean Radius",))
