"""Parses and groups in plain words."""

import pytest

from ttm.language.describe_parse import group_words, operation_words, parse_words
from ttm.language.grammar import grammar_of
from ttm.language.parse import Selection
from ttm.tabular.data.schema import Feature, FeatureKind, Schema, Target

SCHEMA = Schema(
    "t",
    "the risk",
    (
        Feature("Age", "age", FeatureKind.NUMERIC, low=18, high=90, unit="years"),
        Feature("loan_purpose", "loanpurpose", FeatureKind.CATEGORICAL, ("New Car", "TV")),
        Feature("Felony", "felony", FeatureKind.BOOLEAN, (0, 1)),
        Feature("BoughtOn", "boughton", FeatureKind.DATE),
    ),
    Target("y", ("bad risk", "good risk"), (0, 1)),
    entity="people",
)
PRICES = Schema("t", "the price", SCHEMA.features, Target("sale_price", low=0, high=9), entity="houses")


def words(text: str, schema: Schema = SCHEMA) -> str:
    return parse_words(grammar_of(schema).read(text), schema)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("predict", "You asked: the predictions."),
        ("", "You asked: how many there are."),
        ("filter age greater than 30 and likelihood",
         'You asked: the predicted probability of "good risk" for people with age above 30 years.'),
        ("filter id 7 and explain features", "You asked: why the model predicts what it does for the instance with id 7."),
        ("filter id 7 or filter id 9 and show", "You asked: the data themselves for the instances with ids 7 and 9."),
        ("filter loanpurpose new car and countdata", "You asked: how many there are for people with loan purpose = New Car."),
        ("filter boughton greater equal than 2021-03-04 and countdata",
         "You asked: how many there are for people with bought on on or after 2021-03-04."),
        ("filter felony false and change age increase 5 and predict",
         "You asked: the predictions for people with felony = no, if age were increased by 5 years."),
        ("change age decrease 10 percent and change felony true and predict",
         "You asked: the predictions, if age were decreased by 10% and if felony were yes."),
        ("filter felony true versus filter felony false and score accuracy",
         "You asked: the model's accuracy for people with felony = yes compared with people with felony = no."),
        ("instance age 45 felony true", "You asked: the predictions for a made-up case with age 45 years and felony = yes."),
        ("previousfilter and filter age less than 30 and predict",
         "You asked: the predictions for the group before, of these only those with age below 30 years."),
        ("threshold 0.3 and predict", "You asked: the predictions, with a decision threshold of 0.3."),
        ("filter id 7 and explain cfe 2 class 1 keep age only felony only loanpurpose most 1 dice",
         'You asked: 2 ways for the prediction to be "good risk", by felony and loan purpose only, without changing age, by at '
         "most 1 change, asking DiCE too for the instance with id 7."),
        ("lowest 3 probability", 'You asked: the 3 with the lowest predicted probability of "good risk".'),
        ("labelfilter 0 and predictionfilter 1 and countdata",
         'You asked: how many there are for people that are truly "bad risk" and predicted to be "good risk".'),
        ("filter age greater than 30 and predict and filter felony true and predict",
         "You asked: the predictions for people with age above 30 years; then the predictions for people with age above 30 "
         "years, and among these people with felony = yes."),
    ],
)  # fmt: skip
def test_how_an_utterance_was_understood(text: str, sentence: str) -> None:
    assert words(text) == sentence


def test_regression_is_spoken_of_as_values() -> None:
    assert words("filter felony true and likelihood", PRICES) == "You asked: the predicted value for houses with felony = yes."
    assert words("predictionfilter less than 20 and countdata", PRICES) == (
        "You asked: how many there are for houses with a predicted sale price below 20."
    )


def test_either_or_is_unambiguous() -> None:
    parse = grammar_of(SCHEMA).read("filter age less than 20 or filter age greater than 60 and filter felony true")
    selection = parse.steps[0]
    assert isinstance(selection, Selection)
    assert group_words(selection.groups[0], SCHEMA) == (
        "people either with age below 20 years, or with age above 60 years and with felony = yes"
    )


def test_every_operation_has_words() -> None:
    texts = ("explain cfe 3 class 1", "important age", "important bottomk 2", "interact age felony", "correlate age target",
             "similar 4", "effect age", "threshold", "define target", "mistake typical", "fairness felony",
             "fairness felony class 0")  # fmt: skip
    for text in texts:
        (step,) = grammar_of(SCHEMA).read(text).steps
        assert not isinstance(step, Selection)
        assert not operation_words(step, SCHEMA)[0].isupper()
