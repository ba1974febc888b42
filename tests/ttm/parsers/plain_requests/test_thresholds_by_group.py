"""A threshold for each group is heard by its structure; one threshold, or several for the same rows, is something else."""

import pytest

from ttm.language.parse import Parse
from ttm.parsers import LearnedParser, LinkingParser
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.plain_requests.thresholds_by_group import thresholds_by_group
from ttm.tabular.data.dataset import load_dataset


def _heard(message: str, dataset: str) -> Parse | None:
    schema = load_dataset(dataset).schema
    return thresholds_by_group(tokenise(message), schema, LinkingParser(schema))


@pytest.mark.parametrize(
    ("dataset", "message", "parse"),
    [
        ("compas", "what if the threshold was 0.3 for men and 0.6 for women?",
         "filter man true versus filter woman true and threshold 0.3 0.6"),
        ("compas", "what if women had a threshold of 0.4 and men one of 0.55?",
         "filter woman true versus filter man true and threshold 0.4 0.55"),
        ("compas", "use a cutoff of 30% for those with more than 5 priors and 60 percent for everybody else",
         "filter numberofpriorcrimes greater than 5 versus filter numberofpriorcrimes less equal than 5 and threshold 0.3 0.6"),
        ("diabetes", "threshold of 0.3 for people with a diabetes pedigree function below 0.5 and 0.6 for all others",
         "filter diabetespedigreefunction less than 0.5 versus filter diabetespedigreefunction greater equal than 0.5 and "
         "threshold 0.3 0.6"),
    ],
)  # fmt: skip
def test_each_number_goes_with_its_group(dataset: str, message: str, parse: str) -> None:
    assert str(_heard(message, dataset)) == f"{parse} [e]"


@pytest.mark.parametrize(
    "message",
    [
        "what would a threshold of 0.3 do for women?", "compare accuracy at threshold 0.3 and 0.6 for men",
        "what is the best threshold for men and for women?", "men against women at a threshold of 0.4",
        "how many men have a probability above 0.6 at threshold 0.3?", "what do 0.3 for men and 0.6 for women mean?",
        "which threshold costs least if a miss is 0.3 for men and 0.6 for women?",
    ],
)  # fmt: skip
def test_what_names_no_threshold_for_each_group_is_left_alone(message: str) -> None:
    assert _heard(message, "compas") is None


@pytest.mark.slow
def test_the_parser_answers_it_and_leaves_no_number() -> None:
    understanding = LearnedParser(load_dataset("compas").schema).understand("threshold 0.3 for men and 0.6 for women?")
    assert understanding.best is not None
    assert str(understanding.best.parse) == "filter man true versus filter woman true and threshold 0.3 0.6 [e]"
    assert (understanding.question, understanding.unused) == (None, ())
