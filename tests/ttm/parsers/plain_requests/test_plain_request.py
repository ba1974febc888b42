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
        ("how does the average fare differ, split by sex", "statistic fare by sex"),
        ("per value of sex give me the mean fare", "statistic fare by sex"),
        ("recall separately for each value of sex", "score recall by sex"),
        ("a table of sex against ticket class with counts", "countdata by sex ticketclass"),
        ("how many per combination of sex and ticket class", "countdata by sex ticketclass"),
        ("is the fare of women significantly higher than that of men", "significant"),
        ("test whether the accuracy is different for women and men", "significant"),
        ("contrast 100 with those who survived", "contrast class 1"),
        ("accuracy if it could not see the fare", "without fare"),
        ("did the distribution of the columns shift since the training", "drift"),
        ("list the 7 strangest cases", "outliers 7"),
        ("plot age and fare as dots", "scatter age fare"),
        ("show how age and fare lie together in a scatter diagram", "scatter age fare"),
        ("where is the tipping point in age for number 20", "crossing age"),
        ("what age makes the model switch for passenger 33", "crossing age"),
        ("fit a linear trend to age and fare", "regress age fare"),
        ("one curve per person for age", "ice age"),
        ("show the 4 most unusual people", "outliers 4"),
        ("any unusual people", "outliers"),
        ("the threshold where one miss equals four alarms", "threshold cost 4"),
        ("how much does it trust its answer for 100", "likelihood"),
        ("a point cloud of age and fare", "scatter age fare"),
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
        ("give me the first ten listings so I see what it is about", "show 10"),
        ("do age and fare go hand in hand", "correlate age fare"),
        ("when age goes up does the fare move alongside", "correlate age fare"),
        ("does age go hand in hand with the outcome", "correlate age target"),
        ("do age and fare feed off each other", "interact age fare"),
        ("which two features play off each other most", "interact"),
        ("scatter age against fare", "scatter fare age"),
        ("scatter plot of age and fare", "scatter age fare"),
        ("scatter plot of age and fare with a trend line", "regress age fare"),
        ("plot age against fare", "scatter age fare"),
        ("plot age against fare with a trend line", "regress age fare"),
        ("from which age on does it say survived?", "crossing age"),
        ("show me the first 5 rows", "show 5"),
        ("first three passengers", "show 3"),
        ("list the first ten of them", "show 10"),
        ("when you say survived how often is it true", "score precision"),
        ("how often is it right when it predicts survived?", "score precision"),
        ("how are the ages distributed", "distribution age"),
        ("show me the distribution of fare values", "distribution fare"),
        ("can I have a 2 by 2 table", "score confusion"),
        ("the 2x2 table of truth vs your call", "score confusion"),
        ("the 4 cell table", "score confusion"),
        ("a table of predicted vs actual", "score confusion"),
        ("make me a table of sex against survived", "countdata by sex target"),
        ("shap of age across the book", "dependence age"),
        ("lift", "gain"),
        ("the 7 worst predictions", "residuals 7"),
        ("top 4 drivers of the prediction", "important topk 4"),
        ("what is the rank of age for 12", "important age"),
        ("in order of importance, where does age come for 12", "important age"),
        ("how high up does age sit among the factors for 12", "important age"),
        ("how does age stack up against all other features for 12", "important age"),
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
        ("which sex has the largest errors?", "score accuracy by sex"),
        ("which of the two models is more accurate?", "models brought"),
        ("what does the other model say about 12?", "models brought"),
        ("scatter plot of age and fare, coloured by error", "scatter age fare by error"),
        ("plot age against fare colored by prediction", "scatter age fare by prediction"),
    ],
)
def test_operations_are_named(message: str, expected: str) -> None:
    assert requested(message) == [expected]


@pytest.mark.parametrize(
    ("message", "whole"),
    [
        ("lift", True), ("show me the correlation matrix please", True), ("scatter plot of age and fare", True),
        ("lift of the top 15 women", False), ("is the scatter plot of age and fare any use to you", False),
    ],
)  # fmt: skip
def test_a_message_that_says_nothing_else_is_whole(message: str, whole: bool) -> None:
    tokens = tokenise(message)
    request = plain_request(tokens, LINKER.mentions(tokens), SCHEMA)
    assert request is not None
    assert request.whole == whole


@pytest.mark.parametrize(
    "message",
    [
        "how many women are there?", "what is the average age of men over 30?", "accuracy", "why was number 5 predicted so",
        "how likely is number 5 to survive?", "show me those whose chance of survival is over 60 percent",
        "what if she were older",
        "what does the model say of those with more than two", "how many of the 2008 models",
        "which model is this?", "what kind of model is it",
        "show 5 rows", "what share do we catch and when it says survived how often is it true", "the first 5 by fare",
        "how is the data distributed", "hello", "how many missing values does age have",
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


@pytest.mark.parametrize(
    "message",
    [
        "does it lean more on age than on fare for passenger 33?",
        "relative to age, how much does fare matter?",
        "compare the importances of age and fare",
        "what weight does age have versus fare?",
        "did age carry more weight than fare did?",
    ],
)
def test_two_columns_are_compared_by_their_importance(message: str) -> None:
    assert requested(message) == ["important age", "important fare"]
