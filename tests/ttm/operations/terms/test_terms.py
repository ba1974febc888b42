"""Terms are explained with the class of the data set, and lead to a parse that shows what they name."""

import pytest

from tests.ttm.conftest import KINDS, Asker, awkward_engine
from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.language.terms import terms
from ttm.operations.registry import RENDERERS
from ttm.operations.terms.run import TermMeaning
from ttm.parsers import LearnedParser
from ttm.tabular.data.dataset import load_dataset


@pytest.mark.parametrize("kind", KINDS)
def test_every_term_of_a_data_set_is_explained_and_shown(kind: str) -> None:
    asker = Asker(awkward_engine(kind))
    for name, term in terms().items():
        if not term.fits(asker.schema):
            continue
        result = asker(f"meaning {name}")
        assert isinstance(result, TermMeaning)
        answer = RENDERERS[TermMeaning](result, asker.schema)
        assert "{" not in answer.text
        for parse in answer.next_parses:
            grammar_of(asker.schema).read(parse)


def test_scores_of_classes_are_no_terms_where_a_number_is_predicted() -> None:
    fitting = {kind: {name for name, term in terms().items() if term.fits(awkward_engine(kind).schema)} for kind in KINDS}
    assert "rmse" in fitting["regression"] - fitting["binary"]
    assert "recall" in fitting["binary"] - fitting["regression"]


def test_no_two_terms_have_a_name_in_common() -> None:
    called = [name for term in terms().values() for name in term.called]
    assert len(called) == len(set(called))


@pytest.fixture(scope="module")
def parser() -> LearnedParser:
    return LearnedParser(load_dataset("diabetes").schema)


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        ("what does precision mean?", "meaning precision"),
        ("What is a false positive?", "meaning false_positive"),
        ("ok and what's a confusion matrix, please?", "meaning confusion_matrix"),
        ("explain what the F1 score means", "meaning f1"),
        ("what is the difference between precision and recall?", "meaning precision and meaning recall"),
        ("how do I read a p-value?", "meaning p_value"),
        ("what is SHAP?", "meaning shap"),
        ("can you define demographic parity", "meaning demographic_parity"),
        ("what is a type 1 error?", "meaning false_positive"),
    ],
)
def test_a_question_after_a_meaning_is_one(parser: LearnedParser, message: str, parse: str) -> None:
    understanding = parser.understand(message)
    assert understanding.best is not None
    assert (str(understanding.best.parse), understanding.question, understanding.unused) == (f"{parse} [e]", None, ())


@pytest.mark.parametrize(
    "message",
    ["what is the recall?", "what is the recall for people older than 40?", "what are the false positives?", "what is glucose?",
     "what does a BMI of 40 mean for the prediction?", "what is a good threshold for glucose?"],
)  # fmt: skip
def test_what_asks_for_a_figure_is_no_question_after_a_meaning(parser: LearnedParser, message: str) -> None:
    best = parser.understand(message).best
    assert best is None or "meaning" not in str(best.parse)


def test_a_column_of_that_name_is_what_is_meant() -> None:
    schema = next(schema for schema in SCHEMAS.values() if "age" in schema.by_token)
    best = LearnedParser(schema).understand("what does age mean?").best
    assert best is not None
    assert str(best.parse) == "define age [e]"


@pytest.mark.parametrize("message", ["what does overfitting mean?", "what does heteroscedastic mean here"])
def test_no_other_column_is_defined_for_a_word_that_is_unknown(parser: LearnedParser, message: str) -> None:
    understanding = parser.understand(message)
    assert understanding.question is not None or "define" not in str(understanding.best and understanding.best.parse)
