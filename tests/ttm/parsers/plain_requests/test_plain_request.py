"""Operations without lines in the corpus are reached by plain words, and other questions are left alone."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.parse import surface
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.plain_requests.plain_request import plain_request

SCHEMA = SCHEMAS["titanic"]
LINKER = Linker(SCHEMA)


def requested(message: str) -> list[str]:
    tokens = tokenise(message)
    request = plain_request(tokens, LINKER.mentions(tokens), SCHEMA)
    return [] if request is None else [surface(step) for step in request.steps]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("average age by sex", "statistic age by sex"),
        ("which columns have missing values", "gaps"),
        ("how complete is the table", "gaps"),
        ("mean fare for each class", "statistic fare by target"),
        ("avg age per predicted class", "statistic age by prediction"),
        ("accuracy by sex", "score accuracy by sex"),
        ("false alarm rate across sex", "score fpr by sex"),
        ("how many per class", "countdata by target"),
        ("crosstab sex and fare", "countdata by sex fare"),
        ("could that gap be mere chance", "significant"),
        ("how does 12 differ from the rest", "contrast"),
        ("all pairwise correlations", "correlate all"),
        ("scatter age against fare", "scatter fare age"),
        ("scatter plot of age and fare", "scatter age fare"),
        ("scatter plot of age and fare with a trend line", "regress age fare"),
        ("plot age against fare", "regress age fare"),
        ("the 7 worst predictions", "residuals 7"),
        ("top 4 drivers of the prediction", "important topk 4"),
        ("what is the rank of age for 12", "important age"),
        ("how does fare rank in importance, compared with all the other features, for 12", "important fare"),
        ("which 3 columns have the biggest say", "important topk 3"),
        ("sort the passengers by age", "highest 5 age"),
        ("sort the passengers by fare ascending", "lowest 5 fare"),
        ("cheapest cutoff if a missed one is 4 times as bad as an alarm", "threshold cost 4"),
        ("best cutoff if missing one costs as much as 8 false alarms", "threshold cost 8"),
        ("best threshold if 5 false alarms are as bad as one miss", "threshold cost 5"),
        ("cumulative gain", "gain"),
        ("how many do we reach if we contact the 40 riskiest", "gain 40"),
        ("lift of the top 15%", "gain 15 percent"),
        ("cheapest cutoff if an alarm costs 4 times a miss", "threshold cost 0.25"),
        ("could it be sheer luck", "significant"),
        ("might that be an accident", "significant"),
        ("could the gap be a coincidence", "significant"),
        ("what sets 12 apart", "contrast"),
        ("does recall vary across sex", "score recall by sex"),
        ("how much worse is it once fare is removed", "without fare"),
        ("f1 if we dropped fare", "without fare"),
        ("individual curves for age", "ice age"),
        ("plot shap values against age", "dependence age"),
        ("compare the model with a logistic regression", "models linear"),
        ("would a random forest do better?", "models forest"),
        ("set it against one small decision tree", "models tree"),
        ("compare both models", "models brought"),
        ("compare the models", "models brought"),
        ("which of the two models is more accurate?", "models brought"),
        ("what does the other model say about 12?", "models brought"),
        ("scatter plot of age and fare, coloured by error", "scatter age fare by error"),
        ("plot age against fare colored by prediction", "scatter age fare by prediction"),
    ],
)
def test_operations_are_named(message: str, expected: str) -> None:
    assert requested(message) == [expected]


@pytest.mark.parametrize(
    "message",
    [
        "how many women are there?", "what is the average age of men over 30?", "accuracy", "why was number 5 predicted so",
        "how likely is number 5 to survive?", "show me those whose chance of survival is over 60 percent",
        "what if she were older",
        "what does the model say of those with more than two", "how many of the 2008 models",
        "which model is this?", "what kind of model is it",
        "show 5 rows", "how is the data distributed", "hello", "how many missing values does age have",
    ],
)  # fmt: skip
def test_other_questions_are_left_alone(message: str) -> None:
    assert requested(message) == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("which 4 flats have the highest true price", "highest 4 target"),
        ("rows with the lowest actual price", "lowest 5 target"),
        ("the 7 largest observed prices", "highest 7 target"),
        ("whose real price is the smallest", "lowest 5 target"),
        ("which flats have the highest price", None),
        ("highest predicted price", None),
    ],
)
def test_true_values_of_a_quantity_are_not_predictions(message: str, expected: str | None) -> None:
    schema, tokens = SCHEMAS["flats"], tokenise(message)
    request = plain_request(tokens, Linker(schema).mentions(tokens), schema)
    assert (None if request is None else surface(request.steps[0])) == expected
