"""The four cells of two classes, by name and by contrast; what only looks like one is left to the other readings."""

from dataclasses import replace

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.parsers import LearnedParser
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.plain_requests.confused_cells import confused_cell
from ttm.tabular.data.dataset import load_dataset
from ttm.tabular.data.schema import Feature, FeatureKind

FALSE_POSITIVE, FALSE_NEGATIVE = "predictionfilter 1 and labelfilter 0", "predictionfilter 0 and labelfilter 1"
TRUE_NEGATIVE = "predictionfilter 0 and labelfilter 0"


@pytest.fixture(scope="module")
def parser() -> LearnedParser:
    return LearnedParser(load_dataset("diabetes").schema)


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        # Two of the ten questions of the paper's user study (TalkToModel, Table 7).
        (
            "How many individuals in the dataset are predicted to be likely to have diabetes "
            "but are not actually likely to have it?",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        (
            "How many individuals in the dataset are predicted not likely to have diabetes but actually are likely to have it?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "The model predicts that one is likely to have diabetes when they are not. For how many people does this happen?",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        (
            "how many are predicted to have diabetes when they do not?",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        (
            "how many are predicted to have diabetes when they are not over 30?",
            "predictionfilter 1 and filter age less equal than 30 and countdata [e]",
        ),
        (
            "how many were put down as not likely to have diabetes by the model but really are likely to have it?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "total number of people who are actually likely to have diabetes although the model put them down as not likely",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "what's the number of people the model gets wrong by saying likely diabetes when the real answer is not likely?",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        (
            "the quantity of patients for whom the prediction is positive for diabetes while the actual outcome is negative",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        (
            "for everyone who's not yet 23, what three features does the model lean on the most when predicting?",
            "filter age less than 23 and important topk 3 [e]",
        ),
        (
            "how many are of true class likely to have diabetes but assigned by the model to not likely to have diabetes?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "how often does the model wrongly say someone is likely to have diabetes when they really are not?",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        (
            "how many get classified as unlikely to be diabetic while the ground truth puts them in the likely group?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "the total of those actually likely to have diabetes yet receiving a prediction of not likely to have diabetes",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "total people predicted unlikely to have diabetes but actually likely to have it",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        ("how many does it incorrectly predict to be unlikely to have diabetes?", f"{FALSE_NEGATIVE} and countdata [e]"),
        (
            "in how many cases does the model predict that diabetes is unlikely while the label says it is likely?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "in how many cases is diabetes predicted to be unlikely although the person has it?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        ("how many cases does it predict as likely when diabetes is in truth unlikely?", f"{FALSE_POSITIVE} and countdata [e]"),
        (
            "how many were mistakenly classified as unlikely to have diabetes, meaning their real label is likely to have it?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "how often does the model say diabetes is likely when the true label says it's not?",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        ("how many are wrongly predicted not likely to have diabetes?", f"{FALSE_NEGATIVE} and countdata [e]"),
        ("how many false positives are there?", f"{FALSE_POSITIVE} and countdata [e]"),
        ("what are the false positives?", f"{FALSE_POSITIVE} and show [e]"),
        ("show me a false positive", f"{FALSE_POSITIVE} and show [e]"),
        ("false negatives with age less than 40", f"filter age less than 40 and {FALSE_NEGATIVE} and show [e]"),
        ("list the false negatives", f"{FALSE_NEGATIVE} and show [e]"),
        ("number of true negatives above the age of 50?", f"filter age greater than 50 and {TRUE_NEGATIVE} and countdata [e]"),
        ("most important features for the false positives?", f"{FALSE_POSITIVE} and important all [e]"),
        ("how many does the model flag as diabetic although they don't have it?", f"{FALSE_POSITIVE} and countdata [e]"),
        ("show people who don't have diabetes but the model says they do", f"{FALSE_POSITIVE} and show [e]"),
        ("how many were wrongly predicted to have diabetes?", f"{FALSE_POSITIVE} and countdata [e]"),
        (
            "actually likely to have diabetes, predicted unlikely to have diabetes: how many?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "what is the total number whose prediction is likely to have diabetes but the truth is unlikely to have it?",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        ("count where pred = likely and ground truth = unlikely", f"{FALSE_POSITIVE} and countdata [e]"),
        ("count rows with prediction = unlikely, label = likely", f"{FALSE_NEGATIVE} and countdata [e]"),
        ("how many are likely diabetics in reality yet were classed as unlikely?", f"{FALSE_NEGATIVE} and countdata [e]"),
        (
            "number of cases that the model called unlikely but the correct answer was likely",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        ("how many does the model predict to have diabetes when they actually aren't?", f"{FALSE_POSITIVE} and countdata [e]"),
        ("count those who are mistakenly predicted as not likely to have diabetes", f"{FALSE_NEGATIVE} and countdata [e]"),
        ("for how many does the model wrongly rule out diabetes?", f"{FALSE_NEGATIVE} and countdata [e]"),
        ("how many cases of actual diabetes get predicted as non-diabetic?", f"{FALSE_NEGATIVE} and countdata [e]"),
        ("FN for glucose < 100: count", f"filter glucose less than 100 and {FALSE_NEGATIVE} and countdata [e]"),
        ("what do the false alarms have in common?", f"{FALSE_POSITIVE} and mistake typical [e]"),
        (
            "how many patients with diabetes does the model miss by saying they're unlikely to have it?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        ("how many false alarms does it raise?", f"{FALSE_POSITIVE} and countdata [e]"),
        ("which cases did the model miss?", f"{FALSE_NEGATIVE} and show [e]"),
        (
            "number of patients older than 50 that were missed",
            f"filter age greater than 50 and {FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "how many patients, I mean predicted unlikely to have diabetes but in truth likely to have diabetes?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        ("of all without diabetes, how many got a positive prediction?", f"{FALSE_POSITIVE} and countdata [e]"),
        ("how many of those who truly have diabetes were given a negative verdict?", f"{FALSE_NEGATIVE} and countdata [e]"),
        ("count those who don't really have diabetes and are predicted to have it", f"{FALSE_POSITIVE} and countdata [e]"),
        ("number of people predicted likely, actual outcome unlikely", f"{FALSE_POSITIVE} and countdata [e]"),
        ("how many are thought to be unlikely to have diabetes but in reality have it?", f"{FALSE_NEGATIVE} and countdata [e]"),
        ("in how many cases is diabetes predicted while the person does not have it?", f"{FALSE_POSITIVE} and countdata [e]"),
        ("how many persons without diabetes does the model think have diabetes?", f"{FALSE_POSITIVE} and countdata [e]"),
        (
            "Tell me the number of patients whom the model incorrectly identifies as likely to have diabetes, when they're "
            "actually unlikely to have it.",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        ("how many with diabetes slipped through?", f"{FALSE_NEGATIVE} and countdata [e]"),
        (
            "The model clears some people as unlikely to have diabetes even though the data says they are likely to have it; "
            "how many of these mistakes are there in total?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "for how many is the prediction positive for diabetes while the actual label is negative?",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        (
            "how often did the model fail to identify somebody with diabetes, predicting the negative class instead?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        ("how many who truly have diabetes were mistakenly judged unlikely to have it?", f"{FALSE_NEGATIVE} and countdata [e]"),
        ("how many persons without diabetes get misclassified as having diabetes?", f"{FALSE_POSITIVE} and countdata [e]"),
        (
            "how many does the model label as likely to have diabetes even though they actually are not?",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        (
            "how often does the classifier say somebody has diabetes and the real outcome is that they probably don't?",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        (
            "in how many cases does the model assume that diabetes is unlikely although it is likely?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "in how many cases did the model announce that diabetes is likely while the real class is unlikely to have it?",
            f"{FALSE_POSITIVE} and countdata [e]",
        ),
        ("how many should have been predicted likely but were predicted unlikely?", f"{FALSE_NEGATIVE} and countdata [e]"),
        ("how many cases of diabetes are missed by the classifier?", f"{FALSE_NEGATIVE} and countdata [e]"),
        (
            "What's the count of false negatives in the dataset, where positive means likely to have diabetes?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
        (
            "How many false negatives are there, where a positive means likely to have diabetes?",
            f"{FALSE_NEGATIVE} and countdata [e]",
        ),
    ],
)
def test_a_cell_is_predicted_and_true_class(parser: LearnedParser, message: str, parse: str) -> None:
    understanding = parser.understand(message)
    assert understanding.best is not None
    assert (str(understanding.best.parse), understanding.question, understanding.unused) == (parse, None, ())


@pytest.mark.parametrize(
    "message",
    [
        "what is the false positive rate?",
        "how many people are not predicted to have diabetes but are older than 50?",
        "how many are predicted to have diabetes although their glucose is below 100?",
        "what is a false positive?",
        "what does true negative mean?",
        "what's a false negative",
        "can you define false positives?",
        "explain false positives to me",
        "is 5 a false positive?",
        "why are there so many false negatives?",
        "how can we avoid false negatives?",
        "I care more about false negatives",
        "what would give fewer false positives?",
        "how many people with diabetes are predicted to have diabetes?",
        "what share of those with diabetes does the model fail to detect?",
        "how likely is diabetes for those without a positive prediction?",
        "which threshold if a missed case is worth 5 false alarms?",
    ],
)
def test_what_is_no_cell_gets_no_true_class(parser: LearnedParser, message: str) -> None:
    understanding = parser.understand(message)
    assert understanding.question is not None or "labelfilter" not in str(understanding.best and understanding.best.parse)


@pytest.mark.slow
def test_a_column_of_missed_payments_is_no_cell() -> None:
    best = LearnedParser(load_dataset("german").schema).understand("how many missed payments are there?").best
    assert best is not None
    assert str(best.parse) == "filter missedpayments true and countdata [e]"


def test_letters_that_name_a_value_are_no_cell() -> None:
    state = Feature("state", "state", FeatureKind.CATEGORICAL, ("NY", "TN"))
    schema = replace(SCHEMAS["titanic"], features=(*SCHEMAS["titanic"].features, state))
    for message, cell in (("how many in TN?", None), ("how many fn?", (0, 1))):
        tokens = tokenise(message)
        read = confused_cell(" ".join(token.text for token in tokens), Linker(schema).mentions(tokens), schema)
        assert (None if read is None else (read.predicted, read.true)) == cell


@pytest.mark.parametrize(
    ("message", "cell"),
    [
        ("how many have a negative prediction and a positive ground truth?", (0, 1)),
        ("the prediction is positive and the true label is negative: how many?", (1, 0)),
        ("how many have a positive prediction and a positive ground truth?", None),
        ("prediction neg, reality pos: how many?", (0, 1)),
        ("how many does it tell that they have diabetes, and that is wrong?", (1, 0)),
        ("how many are told they do not have diabetes and it simply isn't true?", (0, 1)),
        ("what number did it predict not to have diabetes, yet they have got it?", (0, 1)),
        ("how many fn", (0, 1)),
        ("how many have a higher glucose fn", None),
        ("how many does it predict to be clear of diabetes, and in fact they have it?", (0, 1)),
        ("how many are predicted to be free of diabetes and turn out to have it?", (0, 1)),
        ("the size of the group that is predicted to have diabetes but does not have it", (1, 0)),
    ],
)
def test_cells_by_signs_and_what_one_is_free_of(message: str, cell: tuple[int, int] | None) -> None:
    schema, tokens = SCHEMAS["clinic"], tokenise(message)
    read = confused_cell(" ".join(token.text for token in tokens), Linker(schema).mentions(tokens), schema)
    assert (None if read is None else (read.predicted, read.true)) == cell
    assert read is None or read.counts


@pytest.mark.parametrize(
    ("message", "cell"),
    [
        ("false negatives for bad", (1, 0)), ("how many bads are among the false negatives", (1, 0)),
        ("false positives for good", (1, 0)), ("false negatives", (0, 1)), ("false negatives, not for bad", (0, 1)),
    ],
)  # fmt: skip
def test_negative_and_positive_are_of_the_class_that_is_named(message: str, cell: tuple[int, int]) -> None:
    schema = SCHEMAS["credit"]
    found = confused_cell(message, Linker(schema).mentions(tokenise(message)), schema)
    assert found is not None
    assert (found.predicted, found.true) == cell


def test_three_classes_have_no_such_cells() -> None:
    several = next(schema for schema in SCHEMAS.values() if len(schema.target.classes) > 2)
    best = LearnedParser(several).understand("how many false positives are there?").best
    assert best is None or "labelfilter" not in str(best.parse)
