"""How decided spans become conditions, changes, groups and operations; the encoder is not asked here."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.contrary import contrary
from ttm.language.grammar import grammar_of
from ttm.language.row_state import rows_after
from ttm.parsers.learned.composition.compose import Composer
from ttm.parsers.learned.decisions.comparisons import said_operations, said_relation
from ttm.parsers.learned.decisions.span_decisions import Decisions, ReadingChoice, SpanDecision
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.understanding import ALONE, DialogueContext

SCHEMA = SCHEMAS["titanic"]
COMPOSER = Composer(SCHEMA)
ITEMS = {item.key: item for item in COMPOSER.items}


def span(text: str, role: str, key: str | None, relation: str = "is", outcome: str = "column") -> SpanDecision:
    tokens = tuple(tokenise(text))
    links = ((ITEMS[key] if key else None, -0.1),)
    return SpanDecision(0, len(tokens), role, 0.1, tokens, links, ((relation, -0.1),), ((outcome, -0.1),))


def composed(*spans: SpanDecision, ingredients: str, context: DialogueContext = ALONE) -> str:
    names = frozenset(ingredients.split(", "))
    made = COMPOSER.compose(Decisions("", (), dict.fromkeys(names, 3.0), spans), ReadingChoice(names), context)
    assert made.parse is not None
    return str(grammar_of(SCHEMA).read(str(made.parse))).removesuffix(" [e]")


NUMERIC = next(feature for feature in SCHEMA.features if feature.kind == "numeric").token
CATEGORY = next(feature for feature in SCHEMA.features if feature.kind == "categorical")
FIRST, SECOND = (CATEGORY.value_token(value) for value in CATEGORY.values[:2])


@pytest.mark.parametrize(
    ("text", "relation", "wanted"),
    [
        ("over 5", "greater", f"filter {NUMERIC} greater than 5"),
        ("5 or more", "at least", f"filter {NUMERIC} greater equal than 5"),
        ("between 2 and 5", "between", f"filter {NUMERIC} greater equal than 2 and filter {NUMERIC} less equal than 5"),
        ("unknown", "missing", f"filter {NUMERIC} missing"),
    ],
)
def test_a_number_is_compared(text: str, relation: str, wanted: str) -> None:
    assert composed(span(text, "condition", NUMERIC, relation), ingredients="count") == f"{wanted} and countdata"


def test_two_values_of_a_column_are_alternatives() -> None:
    spans = [span(value, "condition", f"{CATEGORY.token}={value}") for value in (FIRST, SECOND)]
    name = CATEGORY.token
    assert composed(*spans, ingredients="count") == f"filter {name} {FIRST} or filter {name} {SECOND} and countdata"


def test_compared_groups_stand_side_by_side() -> None:
    spans = [span(value, "compared", f"{CATEGORY.token}={value}") for value in (FIRST, SECOND)]
    name = CATEGORY.token
    wanted = f"filter {name} {FIRST} versus filter {name} {SECOND} and predict"
    assert composed(*spans, ingredients="versus, predict") == wanted


@pytest.mark.parametrize(
    ("text", "relation", "wanted"),
    [
        ("5 more", "increase", "increase 5"),
        ("double", "increase percent", "increase 100 percent"),
        ("by 10%", "decrease percent", "decrease 10 percent"),
        ("to 7", "set", "set 7"),
        ("none", "set", "set 0"),
    ],
)
def test_a_what_if_changes_a_number(text: str, relation: str, wanted: str) -> None:
    one = span(text, "change", NUMERIC, relation)
    assert composed(one, ingredients="change, predict") == f"change {NUMERIC} {wanted} and predict"


def test_a_condition_of_the_same_column_replaces_that_of_before() -> None:
    before = grammar_of(SCHEMA).read(f"filter {NUMERIC} greater than 3 and filter {CATEGORY.token} {FIRST} and countdata")
    context = DialogueContext(parse=before, utterance="x", rows=rows_after(before, None))
    kept = composed(span("over 9", "condition", NUMERIC, "greater"), ingredients="keep, count", context=context)
    assert kept == f"filter {CATEGORY.token} {FIRST} and filter {NUMERIC} greater than 9 and countdata"
    referred = composed(ingredients="previous rows, count", context=context)
    assert referred == "previousfilter and countdata"


def test_the_second_one_is_the_second_row_that_was_shown() -> None:
    context = DialogueContext(utterance="x", listed=("7", "9"))
    one = span("the second one", "reference", None, "listed row")
    assert composed(one, ingredients="explain features", context=context) == "filter id 9 and explain features"


def test_a_span_that_fits_nothing_is_asked_about() -> None:
    one = span("thingummy", "condition", None)
    made = COMPOSER.compose(Decisions("", (), {}, (one,)), ReadingChoice(frozenset({"count"})), ALONE)
    assert "thingummy" in made.problems[0].question


@pytest.mark.parametrize(
    "text",
    [
        f"filter {NUMERIC} greater than 4",
        f"filter {NUMERIC} less equal than 4",
        f"filter {CATEGORY.token} {FIRST}",
        "labelfilter 1",
    ],
)
def test_no_row_fits_a_condition_and_its_contrary(text: str) -> None:
    condition = grammar_of(SCHEMA).read(text).steps[0].groups[0][0][0]  # type: ignore[union-attr]
    other = contrary(condition, SCHEMA)
    assert other is not None
    again = contrary(other, SCHEMA)
    assert again == condition


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("y > 160", "greater"), ("pay below 400", "less"), ("at least 7", "at least"), ("no more than 5", "at most"),
        ("20-30", "between"), ("60 or older", "at least"), ("!= 3", "not equal"), ("women", None),
    ],
)  # fmt: skip
def test_plain_comparisons_are_read(text: str, relation: str | None) -> None:
    assert said_relation(tokenise(text)) == relation


def test_a_technical_term_names_its_operation() -> None:
    assert said_operations(tokenise("auc and f1, by shap")) == {"score roc", "score f1", "explain shap"}


def test_a_name_with_a_digit_is_one_word() -> None:
    texts = {name: [token.text for token in tokenise(f"does {name} matter")] for name in ("V1", "v12", "s6", "x2b")}
    assert texts == {name: ["does", name.lower(), "matter"] for name in texts}


def test_a_number_that_touches_a_noun_for_rows_stays_a_number() -> None:
    assert [token.text for token in tokenise("id12 and row7")] == ["id", "12", "and", "row", "7"]
