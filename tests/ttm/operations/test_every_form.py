"""Every form of the parse language, on every kind of data set, is carried out without an exception and answered in words."""

import itertools
from collections.abc import Callable, Iterator

import pytest

from tests.ttm.conftest import KINDS, Asker, awkward_subject
from tests.ttm.oracle.steps_written import kinds_of_steps, written_steps
from tests.ttm.oracle.words import check_words
from ttm.language.describe_parse import parse_words
from ttm.language.grammar import grammar_of
from ttm.language.operations.registry import FORMS
from ttm.language.parse import METRICS, Change, Comparator, Parse
from ttm.operations.render import Answer, render_turn
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

NUMBERS = ("-3", "0", "41.25", "400", "100000000000000000000")
CLASSIFICATION_ONLY = {"mae", "rmse", "r2"}


def conditions(schema: Schema) -> Iterator[str]:
    for feature in schema.features:
        token = feature.token
        yield from (f"filter {token} missing", f"filter {token} present")
        if feature.kind is FeatureKind.NUMERIC:
            yield from (
                f"filter {token} {comparator} {number}" for comparator, number in zip(Comparator, NUMBERS * 2, strict=False)
            )
        elif feature.kind is FeatureKind.DATE:
            yield from (f"filter {token} {comparator} 2021-02-03" for comparator in Comparator)
            yield f"filter {token} equal to 2021-13-45"
        else:
            yield from (f"filter {token} {feature.value_token(value)}" for value in feature.values)
            yield f"filter {token} not {feature.value_token(feature.values[0])}"
    yield from ("filter id 101", "filter id 5", "filter id no-such", 'filter id "P 101"', "previousfilter")
    if schema.target.is_classification:
        yield from (f"{word} {number}" for word in ("labelfilter", "predictionfilter")
                    for number in range(len(schema.target.classes)))  # fmt: skip
        yield from ("probabilityfilter 1 greater than 0.7", "probabilityfilter 0 less equal than 0.5")
    else:
        yield from ("labelfilter greater than 45", "predictionfilter less than 30", "predictionfilter not equal to 2")


def changes(feature: Feature) -> Iterator[str]:
    if feature.kind in (FeatureKind.BOOLEAN, FeatureKind.CATEGORICAL):
        yield from (f"change {feature.token} {feature.value_token(value)}" for value in feature.values)
        return
    yield from (f"change {feature.token} {kind} 3" for kind in ("increase", "decrease"))
    if feature.kind is FeatureKind.NUMERIC:
        yield from (f"change {feature.token} set 400", f"change {feature.token} increase 10 percent")
    else:
        yield from (f"change {feature.token} set 2022-01-31", f"change {feature.token} increase 999999999")


def instances(schema: Schema) -> Iterator[str]:
    def value(feature: Feature) -> str:
        if feature.kind is FeatureKind.NUMERIC:
            return "400"
        return "2021-05-05" if feature.kind is FeatureKind.DATE else feature.value_token(feature.values[-1])

    pairs = [f"{feature.token} {value(feature)}" for feature in schema.features]
    yield from (f"instance {pair}" for pair in pairs)
    yield f"instance {' '.join(pairs)}"


def operations(schema: Schema) -> Iterator[str]:
    yield from "predict likelihood show label countdata gaps data model function self previousoperation followup".split()
    yield "meaning feature"
    yield from (
        "explain features",
        "explain lime",
        "explain shap",
        "explain compare",
        "explain paper",
        "explain cfe",
        "explain cfe 2",
        "explain cfe keep age most 2",
        "explain cfe 2 only age only smoker",
        "explain cfe within age less than 50 within bodymass greater equal than 20",
        "explain cfe dice",
        "interact",
        "dependence age",
    )
    yield from (
        "important all",
        "important topk 2",
        "important bottomk 99",
        "mistake sample",
        "mistake typical",
        "mistake count",
    )
    metrics = {"default"} | (set(METRICS) - CLASSIFICATION_ONLY if schema.target.is_classification else CLASSIFICATION_ONLY)
    yield from (f"score {metric}" for metric in METRICS if metric in metrics)
    yield from ("statistic target", "define target", "distribution target", "distribution probability")
    yield from (
        "highest 3 probability",
        "lowest 99 probability",
        *(["lowest 3 certainty", "highest 99 certainty"] if schema.target.is_classification else []),
        "highest 3 target",
        "lowest 2 target",
        "similar 3",
        "similar 500",
    )
    yield from ("threshold", "threshold 0.3", "threshold 30", "threshold 0", "threshold 1", "threshold 0.3 0.6")
    if schema.target.is_classification:
        yield from (f"explain cfe class {number}" for number in range(len(schema.target.classes)))
        yield from (f"contrast class {number}" for number in range(len(schema.target.classes)))
        yield from (f"likelihood class {number}" for number in range(len(schema.target.classes)))
        yield from (f"fairness age class {number}" for number in range(len(schema.target.classes)))
    else:
        yield from ("explain cfe greater than 50", "explain cfe 2 less than 20", "residuals 2 over", "residuals 2 under")
    for feature in schema.features:
        token = feature.token
        forms = (
            "important {0}|statistic {0}|define {0}|compare {0}|fairness {0}|highest 2 {0}|lowest 2 {0}|correlate {0}|"
            "correlate {0} target"
        )
        yield from forms.format(token).split("|")
        yield from (f"distribution {token}", f"effect {token}", f"crossing {token}")
    for token in (feature.token for feature in schema.features[:3]):
        yield from (f"contrast {token}", f"regress target {token}", f"without {token}", f"ice {token}", f"otherwise {token}")
        yield from (f"statistic {token} by target", f"statistic target by {token}", f"score default by {token}")
    yield from (
        "significant",
        "contrast",
        "correlate all",
        "residuals",
        "residuals 2",
        "gain",
        "gain 5",
        "threshold cost 3",
        "threshold recall 0.9",
        "threshold precision 0.5",
        "threshold specificity 1",
    )
    yield from ("models tree", "models brought", 'name "some of them"')
    yield from ("drift", "outliers", "outliers 3")
    yield from ("countdata by target", "countdata by prediction", "score default by prediction")
    for one, other in itertools.pairwise(schema.features):
        yield from (f"correlate {one.token} {other.token}", f"interact {one.token} {other.token}")

    for one, other in itertools.pairwise(schema.features[:4]):
        yield f"regress {one.token} {other.token}"
        yield from (f"scatter {one.token} {other.token}{by}" for by in ("", " by label", " by prediction", " by error"))
        yield from (f"statistic {one.token} by {other.token}", f"countdata by {one.token} {other.token}")


def selections(schema: Schema) -> tuple[str, ...]:
    """All rows, several, one, none, made up, changed, compared."""
    return (
        "", "filter age greater than 40", "filter id 101", 'filter id "p 101"', "filter age greater than 1000",
        "filter bodymass missing or filter ismember true and filter smoker true", "instance age 45 loanpurpose a and b",
        "filter age greater than 30 and change age increase 5 and change loanpurpose new car", "change since increase 40",
        "filter smoker true versus filter smoker false", "filter id 101 and change bodymass set 30",
        "filter age less than 40 versus filter age greater than 1000", "filter age less than 60 and change age set 60",
    )  # fmt: skip


def texts(asker: Asker, text: str) -> list[Answer]:
    """The answers to a parse, after holding what every one of them must hold."""
    parse = asker.parse(text)
    assert asker.parse(str(parse)) == parse, "the canonical surface of a parse reads as the same parse"
    results = asker.all(text)
    answers = render_turn(results, asker.schema)
    check_words(text, results, answers, grammar_of(asker.schema))
    return answers


SLOW = ("explain", "interact", "important", "mistake", "without", "dependence")
FEWER = ("", "filter id 101", "filter age greater than 1000", "instance age 45 loanpurpose a and b",
         "filter age greater than 30 and change age increase 5", "filter smoker true versus filter smoker false")  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_operation_on_every_kind_of_group(kind: str, asker: Callable[[str], Asker]) -> None:
    """On few rows each with each, elsewhere on some; on several classes and on a quantity what `oracle/test_oracle` does not
    ask on the same rows."""
    schema = awkward_subject(kind).schema
    asked = [operation for operation in operations(schema) if not operation.startswith(SLOW)]
    if kind in ("several", "regression"):
        asked = [each for each in asked if not kinds_of_steps(asker(kind).parse(each), schema) <= written_steps(kind)]
    assert len(asked) >= 10
    for selection in selections(schema) if kind == "tiny" else (FEWER[0], FEWER[1], FEWER[-1]):
        for operation in asked:
            texts(asker(kind), f"{selection} and {operation}" if selection else operation)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_explanation(kind: str, asker: Callable[[str], Asker]) -> None:
    schema = awkward_subject(kind).schema
    for selection in FEWER if kind == "tiny" else ("filter id 101", "filter age greater than 1000"):
        for operation in operations(schema):
            if operation.startswith(SLOW):
                texts(asker(kind), f"{selection} and {operation}" if selection else operation)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_condition_change_and_made_up_case(kind: str, asker: Callable[[str], Asker]) -> None:
    schema = awkward_subject(kind).schema
    for form in conditions(schema):
        texts(asker(kind), f"{form} and countdata and predict")
    for form in (change for feature in schema.features for change in changes(feature)):
        texts(asker(kind), f"{form} and predict")
        texts(asker(kind), f"filter id 101 and {form} and show and likelihood")
    for form in instances(schema):
        texts(asker(kind), f"{form} and predict and show")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_followup_to_everything_is_answered(kind: str, asker: Callable[[str], Asker]) -> None:
    schema = awkward_subject(kind).schema
    for operation in operations(schema):
        if not operation.startswith(SLOW) and "predict" not in operation and "likelihood" not in operation:
            conversation = asker(kind)
            texts(conversation, f"filter age greater than 30 and {operation}")
            if not any(type(op).__name__ in ("Score", "Mistake", "Effect", "Define") for op in conversation.memory.operations):
                texts(conversation, "followup")


def test_a_parse_is_described_in_one_sentence(asker: Callable[[str], Asker]) -> None:
    for kind in KINDS:
        schema = awkward_subject(kind).schema
        for form in (*conditions(schema), *operations(schema), *instances(schema)):
            parse = grammar_of(schema).read(form)
            words = parse_words(parse, schema)
            assert words.startswith("You asked: ")
            assert words.endswith(".")
            assert "the the" not in words
            assert "None" not in words


def test_the_list_of_forms_is_complete() -> None:
    """An operation that is added to the language has to be added to these tests."""
    schemas = [awkward_subject(kind).schema for kind in KINDS]
    parses: list[Parse] = [grammar_of(schema).read(form) for schema in schemas for form in operations(schema)]
    parses += [grammar_of(schema).read(change) for schema in schemas for f in schema.features for change in changes(f)]
    covered = {type(step) for parse in parses for step in parse.steps}
    assert {*FORMS, Change} <= covered
