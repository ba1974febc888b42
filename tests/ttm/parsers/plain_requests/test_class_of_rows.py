"""A class that a message picks rows by is used, or named under the answer, or asked about; it is never left out in silence."""

from functools import cache
from pathlib import Path

import pytest

from ttm.language.grammar import grammar_of
from ttm.language.parse import Parse
from ttm.parsers import LearnedParser
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.plain_requests.class_of_rows import class_left, class_of_rows
from ttm.tabular.data.dataset import load_dataset
from ttm.tabular.data.schema import Schema

pytestmark = pytest.mark.slow

# Data set, wording and parse; a fourth column says what keeps the class from being understood. Written before any was asked.
WORDINGS = [line.split("\t") for line in Path(__file__).with_name("class_wordings.tsv").read_text("utf-8").splitlines()]
UNDERSTOOD = [(one[0], one[1], one[2]) for one in WORDINGS if len(one) == 3]


@cache
def schema_of(name: str) -> Schema:
    return load_dataset(name).schema


@cache
def parser_of(name: str) -> LearnedParser:
    return LearnedParser(schema_of(name))


def parts(parse: str) -> list[str]:
    return sorted(parse.removesuffix(" [e]").split(" and "))


def classless(name: str, parse: str) -> Parse:
    kept = [part for part in parse.split(" and ") if not part.startswith(("predictionfilter", "labelfilter"))]
    return grammar_of(schema_of(name)).read(" and ".join(kept))


def of_message(name: str, message: str, parse: Parse) -> tuple[Parse, range]:
    schema, tokens = schema_of(name), tokenise(message)
    mentions = Linker(schema).mentions(tokens)
    picked = class_of_rows(tokens, mentions, schema)
    return (parse if picked is None else picked.of(parse)), class_left(tokens, mentions, schema, parse)


@pytest.mark.parametrize(("name", "message", "parse"), UNDERSTOOD)
def test_class_is_put_into_a_parse_without_it_whatever_the_weights(name: str, message: str, parse: str) -> None:
    with_class, left = of_message(name, message, classless(name, parse))
    assert parts(str(with_class)) == parts(parse)
    assert left or "important" in parse or "score" in parse  # words that the classless parse would leave out


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        ("why is 12 predicted to be diabetic?", "filter id 12 and explain features"),
        ("why are people over 50 predicted diabetic?", "filter age greater than 50 and explain features"),
        ("what is the chance that people over 50 are diabetic", "filter age greater than 50 and likelihood"),
        ("would people over 50 be flagged as diabetic?", "filter age greater than 50 and predict"),
        ("mean age of those flagged as diabetic or over a BMI of 40", "filter bmi greater than 40 and statistic age"),
        ("mean age of those flagged as diabetic and of those flagged as not diabetic", "statistic age"),
        ("predict a 40 year old with a BMI of 31 who is flagged as diabetic", "instance age 40 bmi 31 and predict"),
        ("most important features for predicting diabetes above 50", "filter age greater than 50 and important all"),
    ],
)
def test_what_is_asked_is_no_condition(message: str, parse: str) -> None:
    read = grammar_of(schema_of("diabetes")).read(parse)
    assert of_message("diabetes", message, read)[0] == read


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        ("mean age of those it says have it, over a glucose of 150", "filter glucose greater than 150 and statistic age"),
        ("count diabetics over 50", "filter age greater than 50 and countdata"),
        ("mean age of those flagged as diabetic or over a BMI of 40", "filter bmi greater than 40 and statistic age"),
        ("how sure is it about people over 50 flagged as diabetic or not", "filter age greater than 50 and likelihood"),
        ("what is most important for those with diabetes", "important all"),
        ("which features matter most for diabetic patients over 50?", "filter age greater than 50 and important all"),
        ("how accurate is the model among people who are diabetic", "score accuracy"),
    ],
)
def test_class_that_cannot_be_used_is_named(message: str, parse: str) -> None:
    assert of_message("diabetes", message, grammar_of(schema_of("diabetes")).read(parse))[1]


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        ("show me the diabetes data of people over 50", "filter age greater than 50 and show"),
        ("distribution of diabetes among those over 50", "filter age greater than 50 and distribution target"),
        ("why is 12 predicted to be diabetic?", "filter id 12 and explain features"),
        ("mean age by predicted diabetes", "statistic age by prediction"),
        ("how important is glucose for diabetes?", "important glucose"),
        ("what is the risk of diabetes for people over 50", "filter age greater than 50 and likelihood"),
        ("reasons for people having diabetes", "important all"),
        ("the chance of having diabetes for women with many pregnancies", "likelihood"),
        ("how accurate is it in predicting diabetes in people over 50", "filter age greater than 50 and score accuracy"),
    ],
)
def test_nothing_is_named_where_no_class_is_missing(message: str, parse: str) -> None:
    assert not of_message("diabetes", message, grammar_of(schema_of("diabetes")).read(parse))[1]


@pytest.mark.parametrize("wording", WORDINGS, ids=lambda one: one[1][:40])
def test_no_class_is_left_out_in_silence(wording: list[str]) -> None:
    name, message, parse, *reason = wording
    understanding = parser_of(name).understand(message)
    assert understanding.best is not None
    right = parts(str(understanding.best.parse)) == parts(parse)
    assert right or understanding.question or understanding.unused or "unmarked" in reason
