"""What a reading has to hold: rows called by their ids, predictions, classes; and what is not asked of one row."""

from dataclasses import replace

import numpy as np
import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.language.parse import IdCondition, Parse, Selection
from ttm.language.row_state import rows_after
from ttm.parsers.learned.composition.named_columns import leaves_out
from ttm.parsers.learned.constraints import MessageConstraints
from ttm.parsers.learned.learned_parser import LearnedParser
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.understanding import ALONE, DialogueContext
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

SCHEMA = SCHEMAS["titanic"]
GRAMMAR = grammar_of(SCHEMA)


def after(parse: str) -> DialogueContext:
    before = GRAMMAR.read(parse)
    return DialogueContext(parse=before, utterance="x", rows=rows_after(before, None))


AFTER_ONE_ROW = after("filter id 17 and explain features [e]")
AFTER_WOMEN = after("filter sex female and predict [e]")


def meant(message: str, context: DialogueContext, *called: str, **readings: float) -> dict[str, float]:
    """What is made of readings, written with `__` for a blank; in order of their probability."""
    tokens = tokenise(message)
    parses = [GRAMMAR.read(f"{text.replace('__', ' ')} [e]") for text in readings]
    probabilities = np.array(list(readings.values()))
    mentions = Linker(SCHEMA).mentions(tokens)
    constraints = MessageConstraints(tokens, mentions, frozenset(called), context, SCHEMA, GRAMMAR.read_if_valid)
    result = constraints.meant(parses, probabilities)
    pairs = sorted(zip(map(str, result[0]), result[1].tolist(), strict=True), key=lambda pair: -pair[1])
    return {text.removesuffix(" [e]"): pytest.approx(probability) for text, probability in pairs if probability}


def test_what_takes_many_rows_is_not_asked_of_the_one_before() -> None:
    readings = {"previousfilter__and__countdata": 0.5, "filter__id__17__and__countdata": 0.2, "countdata": 0.1, "show": 0.05}
    assert meant("how many are there?", AFTER_ONE_ROW, **readings) == {"countdata": 0.8, "show": 0.05}


def test_what_is_asked_about_somebody_is_no_question_about_all_rows() -> None:
    readings = {"likelihood": 0.8, "previousfilter__and__likelihood": 0.1}
    assert meant("what is her risk?", ALONE, **readings) == {"likelihood": 0.24, "previousfilter and likelihood": 0.03}
    assert meant("what is her risk?", AFTER_ONE_ROW, **readings) == {"likelihood": 0.24, "previousfilter and likelihood": 0.1}
    assert meant("what is the risk?", ALONE, **readings) == {"likelihood": 0.8, "previousfilter and likelihood": 0.1}
    assert meant("what tipped it for her most?", ALONE, important__all=0.8) == {"important all": 0.24}
    assert meant("is he right about age?", ALONE, effect__age=0.8) == {"effect age": 0.8}


def test_what_is_held_likely_of_the_other_way_goes_to_what_is_said() -> None:
    readings = {"change__age__decrease__3__and__predict": 0.6, "change__age__increase__3__and__predict": 0.3}
    assert meant("increase the age by 3", ALONE, **readings) == {"change age increase 3 and predict": 0.9}


def test_a_number_beside_the_name_of_a_column_is_of_that_column() -> None:
    right, other = "instance__age__40__fare__9__and__predict", "instance__fare__40__age__9__and__predict"
    without = "instance__age__40__and__predict"
    kept = {right.replace("__", " "): 0.9}
    assert meant("someone with age 40, fare 9", ALONE, **{other: 0.6, without: 0.2, right: 0.1}) == kept
    assert meant("someone with 40, a fare of 9", ALONE, **{other: 0.5, right: 0.4}) == kept
    assert len(meant("someone with 40 and 9", ALONE, **{other: 0.6, right: 0.3})) == 2
    assert len(meant("someone with 9 age 40 fare 9", ALONE, **{other: 0.6, right: 0.3})) == 2  # 40 stands between both
    assert meant("those with age 40, fare 9", ALONE, filter__age__equal__to__9__and__show=0.4)


def test_what_is_asked_of_those_with_a_value_is_not_asked_of_others() -> None:
    readings = {"previousfilter__and__predict": 0.6, "filter__embarked__southampton__and__predict": 0.2}
    assert meant("and for the Southampton group?", AFTER_WOMEN, **readings) == {"filter embarked southampton and predict": 0.8}
    assert len(meant("and for row 17, from Southampton?", AFTER_WOMEN, "17", **readings)) == 2
    assert meant("and for the Southampton group?", AFTER_WOMEN, predict=0.6) == {"predict": 0.6}


def test_a_value_is_no_id() -> None:
    values = {"southampton": "embarked"}
    assert leaves_out(GRAMMAR.read("filter id 17 and predict [e]"), values)
    assert leaves_out(Parse((Selection((((IdCondition("southampton"),),),)),)), values)
    assert not leaves_out(GRAMMAR.read("filter embarked southampton and predict [e]"), values)


def test_what_is_asked_of_a_column_is_asked_of_the_one_that_is_named() -> None:
    assert meant("how good would it be without the fare?", AFTER_ONE_ROW, without__age=0.4) == {"without fare": 0.4}
    assert meant("and the fare?", AFTER_ONE_ROW, effect__age=0.4, effect__fare=0.2) == {"effect fare": 0.6}
    assert meant("how good without it?", AFTER_ONE_ROW, without__age=0.4) == {"without age": 0.4}
    assert meant("fare or sex?", AFTER_ONE_ROW, effect__age=0.4) == {"effect age": 0.4}
    both = {"interact": 0.2, "interact__fare__ticketclass": 0.2, "interact__fare__age": 0.1}
    assert meant("do fare and age play off each other?", AFTER_ONE_ROW, **both) == {"interact fare age": 0.5}
    assert meant("which play off each other?", AFTER_ONE_ROW, interact=0.2) == {"interact": 0.2}
    women = {"filter__sex__female__and__effect__age": 0.4}
    assert meant("and for the women by sex?", AFTER_ONE_ROW, **women) == {"filter sex female and effect age": 0.4}


def test_an_average_is_of_a_number_where_no_class_is_named() -> None:
    readings = {"statistic__target__by__sex": 0.6, "statistic__fare__by__sex": 0.2, "countdata": 0.1}
    assert meant("avg amount by sex", ALONE, **readings) == {"statistic fare by sex": 0.6, "countdata": 0.3}
    kept = {"statistic target by sex": 0.6, "statistic fare by sex": 0.2, "countdata": 0.1}
    assert meant("I mean the amount by sex", ALONE, **readings) == kept
    assert meant("average rate of the survived by sex", ALONE, **readings) == kept
    assert meant("avg amount by sex", ALONE, statistic__target__by__sex=0.6) == {"statistic target by sex": 0.6}


@pytest.mark.parametrize(("message", "asked"), [
    ("when you say they survive, how often are you right?", "precision"),
    ("and whenever the model cries survived how often is it true", "precision"),
    ("how often are you right when you say they survive?", "precision"),
    ("how often are you right about the women when it rains?", "accuracy"),
    ("when you say they survive by 80 percent, how often are you right?", "accuracy"),
    ("how often are you right?", "accuracy"),
])  # fmt: skip
def test_how_often_it_is_right_when_it_predicts_is_the_precision(message: str, asked: str) -> None:
    assert meant(message, ALONE, score__accuracy=0.8) == {f"score {asked}": 0.8}


def test_the_chance_of_the_positive_class_is_one_reading() -> None:
    readings = {"likelihood__class__1": 0.4, "likelihood": 0.3, "likelihood__class__0": 0.1}
    assert meant("the probability of survived", ALONE, **readings) == {"likelihood": 0.7, "likelihood class 0": 0.1}


def test_it_is_asked_of_a_group_before() -> None:
    readings = {"previousfilter__and__countdata": 0.5, "countdata": 0.1}
    assert meant("how many are there?", AFTER_WOMEN, **readings) == {"previousfilter and countdata": 0.5, "countdata": 0.1}


def test_it_is_asked_of_a_row_with_a_further_condition_or_request() -> None:
    readings = {"previousfilter__and__show__and__countdata": 0.5, "previousfilter__and__predict": 0.3}
    expected = {"previousfilter and show and countdata": 0.5, "previousfilter and predict": 0.3}
    assert meant("show and count", AFTER_ONE_ROW, **readings) == expected


@pytest.mark.parametrize(("message", "expected"), [("what is the accuracy?", "score accuracy"),
                                                   ("was it right?", "previousfilter and score accuracy")])  # fmt: skip
def test_a_score_by_its_name_is_one_of_many_rows(message: str, expected: str) -> None:
    assert meant(message, AFTER_ONE_ROW, previousfilter__and__score__accuracy=0.6) == {expected: 0.6}


def test_a_row_that_is_called_by_its_id_takes_what_is_held_likely_of_other_rows() -> None:
    readings = {"filter__id__2__and__predict": 0.3, "predict": 0.3, "filter__id__2__and__label": 0.1, "label": 0.2}
    expected = {"filter id 2 and predict": 0.675, "filter id 2 and label": 0.225}
    assert meant("what does it say of passenger 2?", ALONE, "2", **readings) == expected


def test_what_is_kept_becomes_no_less_likely() -> None:
    """Readings that mean the same are each as likely as that."""
    readings = {"previousfilter__and__predict": 0.9, "filter__sex__female__and__predict": 0.85, "countdata": 0.1}
    expected = {"previousfilter and predict": 0.9, "filter sex female and predict": 0.85}
    assert meant("what does it predict for them?", AFTER_WOMEN, **readings) == expected


def test_readings_of_no_rows_are_about_the_row_where_none_is() -> None:
    readings = {"predict": 0.3, "filter__sex__female__and__label": 0.2}
    assert meant("passenger 2?", ALONE, "2", **readings) == {"filter id 2 and predict": 0.3, "filter sex female and label": 0.2}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("what would have to change for passenger 2?", {"filter id 2 and explain cfe": 0.8}),
        ("what would have to change for passenger 2 to be survived?",
         {"filter id 2 and explain cfe class 1": 0.5, "filter id 2 and explain cfe": 0.3}),
    ],
)  # fmt: skip
def test_a_counterfactual_has_the_class_that_was_named(message: str, expected: dict[str, float]) -> None:
    readings = {"filter__id__2__and__explain__cfe__class__1": 0.5, "filter__id__2__and__explain__cfe": 0.3}
    assert meant(message, ALONE, "2", **readings) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("what is the average predicted outcome?", {"predict": 0.8}),
        ("the average outcome?", {"statistic target": 0.7, "predict": 0.1}),
        ("the actual average, not the predicted one", {"statistic target": 0.7, "predict": 0.1}),
        ("which predictors?", {"statistic target": 0.7, "predict": 0.1}),
    ],
)
def test_what_is_predicted_is_not_what_is_true(message: str, expected: dict[str, float]) -> None:
    assert meant(message, ALONE, statistic__target=0.7, predict=0.1) == expected


def test_true_values_of_rows_that_were_picked_by_a_prediction() -> None:
    readings = {"predictionfilter__1__and__statistic__age": 0.5, "predict": 0.2}
    expected = {"predictionfilter 1 and statistic age": 0.5, "predict": 0.2}
    assert meant("average age of those predicted to survive", ALONE, **readings) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("what is the average fare per class?", "statistic fare"),  # the class of a passenger is a column
        ("what is the average fare for each outcome?", "statistic fare by target"),
        ("what is the average fare?", "statistic fare"),
    ],
)
def test_what_is_asked_for_each_class_is_not_asked_of_all(message: str, expected: str) -> None:
    assert meant(message, ALONE, statistic__fare=0.6) == {expected: 0.6}


@pytest.mark.parametrize(
    ("message", "reading", "expected"),
    [
        ("is the model fair with respect to sex?", "compare__sex", "fairness sex"),
        ("compare the sexes", "compare__sex", "compare sex"),
        ("what is the survival rate per sex?", "score__accuracy__by__sex", "statistic target by sex"),
        ("what is the accuracy, or survived rate, per sex?", "score__accuracy__by__sex", "score accuracy by sex"),
    ],
)
def test_fairness_and_rates_of_classes_are_what_they_are_called(message: str, reading: str, expected: str) -> None:
    assert meant(message, ALONE, **{reading: 0.6}) == {expected: 0.6}


@pytest.mark.parametrize(
    ("message", "reading", "expected"),
    [
        ("which rows is it most unsure about?", "highest__5__probability", "lowest 5 certainty"),
        ("for which is it least certain?", "lowest__5__probability", "lowest 5 certainty"),
        ("the 3 that it is most confident about", "highest__3__probability", "highest 3 certainty"),
        ("the 3 that it is most confident have survived", "highest__3__probability", "highest 3 probability"),
        ("the 3 most likely", "highest__3__probability", "highest 3 probability"),
        ("i'm not really sure, the 3 most likely?", "highest__3__probability", "highest 3 probability"),
        ("im unsure. the 3 most likely?", "highest__3__probability", "highest 3 probability"),
        ("sure, the 3 most likely", "highest__3__probability", "highest 3 probability"),
        ("just to be sure: the 3 most likely", "highest__3__probability", "highest 3 probability"),
        ("what is the balanced accuracy?", "score__accuracy", "score balanced"),
        ("what threshold gives a recall of 90%?", "threshold__0.9__and__score__recall", "threshold recall 0.9"),
        ("from which threshold is precision at least 0.8?", "threshold__0.8", "threshold precision 0.8"),
        ("what is the recall at a threshold of 0.9?", "threshold__0.9__and__score__recall", "threshold 0.9 and score recall"),
        ("recall @ .9", "threshold__0.9__and__score__recall", "threshold 0.9 and score recall"),
    ],
)
def test_what_the_corpus_had_no_words_for(message: str, reading: str, expected: str) -> None:
    assert meant(message, ALONE, **{reading: 0.6}) == {expected: 0.6}


def test_no_reading_is_listed_twice_and_together_they_are_at_most_sure(parser: LearnedParser) -> None:
    context = ALONE
    for message in (
        "how many survived?",
        "why does it predict that for passenger 2?",
        "what would have to change for passenger 2?",
    ):
        understanding = parser.understand(message, context)
        texts = [str(one.parse) for one in understanding.candidates]
        assert len(set(texts)) == len(texts)
        assert sum(one.confidence for one in understanding.candidates) <= 1 + 1e-9
        best = understanding.best
        assert best is not None
        context = DialogueContext(
            utterance=message,
            question="Which do you mean?",
            candidates=(best.parse,),
            likeliest=best.parse,
            trust=best.confidence,
        )


@pytest.fixture(scope="module")
def parser() -> LearnedParser:
    return LearnedParser(SCHEMA)


@pytest.mark.parametrize(
    ("message", "reading", "expected"),
    [
        ("what are the odds for 2 at age 30?", "filter__id__2__and__change__age__set__30__and__predict",
         "filter id 2 and change age set 30 and likelihood"),
        ("i am 30, what is my risk?", "instance__age__30__and__predict", "instance age 30 and likelihood"),
        ("if a chance of 0.3 counts as yes, how many are out?", "threshold__0.3__and__predict", "threshold 0.3 and predict"),
        ("what are the odds and what does it say?", "predict__and__likelihood", "predict and likelihood"),
        ("what does it say for 2 at age 30?", "filter__id__2__and__change__age__set__30__and__predict",
         "filter id 2 and change age set 30 and predict"),
        ("how does age rank for 2?", "filter__id__2__and__effect__age", "filter id 2 and important age"),
        ("what place does age take?", "ice__age", "important age"),
        ("how does age matter?", "effect__age", "effect age"),
        ("what drives it? the 3 key features", "explain__features__and__important__topk__3", "important topk 3"),
        ("who has not yet turned 23", "filter__age__less__equal__than__23__and__show", "filter age less than 23 and show"),
        ("acc f1 auc", "score__f1__and__score__roc", "score f1 and score roc and score accuracy"),
        ("precision and recall by sex", "score__precision__by__sex", "score precision by sex and score recall by sex"),
        ("precision, not recall", "score__precision", "score precision"),
        ("recall and sensitivity", "score__recall", "score recall"),
        ("at most 23", "filter__age__less__equal__than__23__and__show", "filter age less equal than 23 and show"),
        ("when ranked for 2, how high up is age?", "filter__id__2__and__explain__features", "filter id 2 and important age"),
        ("the ranking of all for those with an age over 30", "filter__age__greater__than__30__and__explain__features",
         "filter age greater than 30 and explain features"),
        ("compared to fare, how important is age for 2?", "filter__id__2__and__compare__fare__and__important__age",
         "filter id 2 and important fare and important age"),
        ("age versus fare: how important is the first?", "explain__features", "important age and important fare"),
        ("which of age and fare is more important?", "score__accuracy", "score accuracy"),
        ("age versus fare", "compare__fare", "compare fare"),
        ("does age matter more than fare for those over 30?", "filter__age__greater__than__30__and__effect__fare",
         "filter age greater than 30 and effect fare"),
        ("is age the 1st, 2nd, 3rd most important?", "explain__features", "important age"),
        ("what spot does age take, from most to least important?", "important__bottomk__1", "important age"),
        ("lined up from most important to least, where is age?", "ice age", "important age"),
        ("counting down from the most important, at what number is age?", "crossing__age", "important age"),
        ("at what number of age does it tip?", "crossing__age", "crossing age"),
        ("the most important question: at what number of age does it tip?", "crossing__age", "crossing age"),
        ("do age and fare count for more together?", "interact__age__fare", "interact age fare"),
        ("the top 3 drivers of the predictions", "highest__3__probability", "important topk 3"),
        ("the 3 people with the highest probability", "highest__3__probability", "highest 3 probability"),
        ("my youngest: the 3 features that matter most", "lowest__5__age__and__important__topk__3", "important topk 3"),
        ("show them and the 3 features that matter most", "show__and__important__topk__3", "show and important topk 3"),
        ("what would the chance look like for 2?", "filter__id__2__and__likelihood__and__similar__5",
         "filter id 2 and likelihood"),
        ("what drives it for people like that?", "similar__5__and__important__all", "important all"),
        ("what do his odds look like, and who else is like him?", "filter__id__2__and__likelihood__and__similar__5",
         "filter id 2 and likelihood and similar 5"),
        ("who looks like 2, and why?", "filter__id__2__and__explain__features__and__similar__5",
         "filter id 2 and explain features and similar 5"),
        ("what does 2 look like, who looks like anyone?", "filter__id__2__and__similar__5", "filter id 2 and similar 5"),
        ("what number is age when all are ordered by importance?", "effect__age", "important age"),
        ("is age the most important, the 2 most important, or lower?", "important__topk__2", "important age"),
        ("age as opposed to fare: how much does it rely on each?", "explain__features", "important age and important fare"),
        ("at what place in the list of what matters is age?", "crossing__age", "important age"),
        ("which three inputs does it depend on most?", "important__all", "important topk 3"),
        ("order all seven inputs", "important__all", "important all"),
        ("how strong a factor is age next to fare for 2?", "filter__id__2__and__effect__fare",
         "filter id 2 and important age and important fare"),
        ("does it care more about age than about fare?", "explain features", "important age and important fare"),
        ("does it go by age as opposed to fare?", "explain features", "important age and important fare"),
        ("does age outweigh fare?", "explain features", "important age and important fare"),
        ("does age outrank fare in importance?", "ice__fare", "important age and important fare"),
        ("has age a bigger impact than fare?", "effect__fare", "important age and important fare"),
        ("how much did age weigh in the prediction for 2?", "filter__id__2__and__crossing__age",
         "filter id 2 and important age"),
        ("the contribution of age to what is predicted for 2", "filter__id__2__and__explain__features",
         "filter id 2 and important age"),
        ("to what extent does it rest on age for 2?", "filter__id__2__and__predict__and__ice__age",
         "filter id 2 and predict and important age"),
        ("how does the prediction for 2 go with age?", "filter__id__2__and__effect__age", "filter id 2 and effect age"),
        ("how much would age have to weigh for 2?", "filter__id__2__and__crossing__age", "filter id 2 and crossing age"),
        ("how much does age come into it for 2?", "filter__id__2__and__crossing__age", "filter id 2 and important age"),
        ("is the prediction for 2 governed more by age than by fare?", "filter__id__2__and__explain__features",
         "filter id 2 and important age and important fare"),
        ("which contribution does age make for all, and for 2?", "filter__id__2__and__effect__age",
         "filter id 2 and effect age"),
        ("how much does age matter?", "effect__age", "effect age"),
        ("does the prediction for 2 hang more on age than on fare?", "filter__id__2__and__explain__features",
         "filter id 2 and important age and important fare"),
        ("is the attribution of age larger than that of fare?", "explain__features", "important age and important fare"),
        ("the 3 features that matter most, list them", "show__and__important__topk__3", "important topk 3"),
        ("not yet 23 years old", "filter__age__equal__to__23__and__show", "filter age less than 23 and show"),
    ],
)  # fmt: skip
def test_probabilities_ranks_and_what_is_not_reached(message: str, reading: str, expected: str) -> None:
    assert meant(message, ALONE, **{reading: 0.6}) == {expected: 0.6}


def test_the_name_of_the_target_before_rate_asks_for_true_classes() -> None:
    """Also where what is named plainly, a score by a column, would say otherwise."""
    best = LearnedParser(SCHEMAS["churn"]).understand("What is the churn rate per contract?").best
    assert best is not None
    assert str(best.parse) == "statistic target by contract [e]"


def test_a_column_called_risk_is_no_chance() -> None:
    schema = replace(SCHEMA, features=(*SCHEMA.features, Feature("risk", "risk", FeatureKind.NUMERIC, low=0, high=9)))
    grammar, tokens = grammar_of(schema), tokenise("what does it say where the risk is above 5?")
    parse = grammar.read("filter risk greater than 5 and predict [e]")
    constraints = MessageConstraints(tokens, Linker(schema).mentions(tokens), frozenset(), ALONE, schema, grammar.read_if_valid)
    assert constraints.in_place_of(parse) == parse


def test_what_if_every_row_had_it_is_not_asked_of_the_row_before() -> None:
    readings = {"filter__id__17__and__change__age__increase__1__and__predict": 0.6}
    changed = "change age increase 1 and predict"
    assert meant("if every passenger were a year older?", AFTER_ONE_ROW, **readings) == {changed: 0.6}
    assert meant("if he were a year older?", AFTER_ONE_ROW, **readings) == {f"filter id 17 and {changed}": 0.6}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("what is the predicted class of 17?", {"filter id 17 and predict": 0.9}),
        (
            "what would change the predicted class of 17?",
            {"filter id 17 and explain cfe": 0.6, "filter id 17 and predict": 0.3},
        ),
    ],
)
def test_a_prediction_is_no_counterfactual(message: str, expected: dict[str, float]) -> None:
    readings = {"filter__id__17__and__explain__cfe": 0.6, "filter__id__17__and__predict": 0.3}
    assert meant(message, after("filter id 12 and explain cfe [e]"), **readings) == expected


@pytest.mark.parametrize(
    ("message", "reading", "expected"),
    [
        ("explain passenger 17", "filter__id__17__and__explain__cfe__keep__age", "filter id 17 and explain features"),
        ("explain what would change 17", "filter__id__17__and__explain__cfe", "filter id 17 and explain cfe"),
        ("who looks most like 17", "filter__id__17__and__similar__17", "filter id 17 and similar 5"),
        ("the 17 most like 17", "filter__id__17__and__similar__17", "filter id 17 and similar 17"),
        ("ways out for 17", "filter__id__17__and__explain__cfe__17", "filter id 17 and explain cfe"),
        ("which of these matter most", "important__topk__1", "important all"),
        ("which feature matters most", "important__topk__1", "important topk 1"),
    ],
)
def test_rows_are_no_counts_and_several_features_more_than_one(message: str, reading: str, expected: str) -> None:
    assert meant(message, ALONE, **{reading: 0.6}) == {expected: 0.6}


def test_a_quantity_that_the_message_names_is_the_one_to_reach() -> None:
    schema = SCHEMAS["houses"] if "houses" in SCHEMAS else next(one for one in SCHEMAS.values() if not one.target.classes)
    grammar, tokens = grammar_of(schema), tokenise("and how would I bring it below 20?")
    texts = ("filter id 3 and explain cfe greater than 50 [e]", "filter id 3 and explain cfe less than 20 [e]")
    constraints = MessageConstraints(
        tokens, Linker(schema).mentions(tokens), frozenset(), ALONE, schema, grammar.read_if_valid
    )  # fmt: skip
    parses, probabilities = constraints.meant([grammar.read(text) for text in texts], np.array([0.6, 0.3]))
    assert dict(zip(map(str, parses), probabilities.tolist(), strict=True)) == {texts[0]: 0.0, texts[1]: pytest.approx(0.9)}


CREDIT = SCHEMAS["credit"]


@pytest.mark.parametrize(
    ("message", "reading", "expected"),
    [
        (
            "precision and recall on the bads",
            "labelfilter 0 and score precision and score recall",
            "score npv and score specificity",
        ),
        ("false positive rate for bad by single", "score fpr by single", "score fnr by single"),
        ("recall for bad at a cutoff of 0.2", "threshold 0.2 and score recall", "threshold 0.8 and score specificity"),
        ("recall of good and of bad", "score recall", "score recall"),
        ("recall, not for bad", "score recall", "score recall"),
        ("recall", "score recall", "score recall"),
        ("accuracy for bad", "labelfilter 0 and score accuracy", "labelfilter 0 and score accuracy"),
    ],
)
def test_rates_of_the_first_class_are_others_of_the_last(message: str, reading: str, expected: str) -> None:
    assert of_class(message, reading, ALONE) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("when you say no, how often is that right?", "score npv"),
        ("when you say no how often is it really a no", "score npv"),
        ("precision where it predicts a no", "score npv"),
        ("when you say yes, how often is that right?", "score precision"),
        ("you say no mistakes: what is the precision?", "score precision"),
        ("precision, and no recall", "score precision"),
        ("when you say no or yes, and not maybe, what is the precision?", "score precision"),
    ],
)
def test_a_class_called_no_is_named_where_it_is_said(message: str, expected: str) -> None:
    schema = replace(CREDIT, target=replace(CREDIT.target, classes=("no", "yes")))
    assert of_class(message, "score precision", ALONE, schema) == expected


def test_what_cost_more_before_costs_more_again() -> None:
    grammar = grammar_of(CREDIT)
    before = DialogueContext(parse=grammar.read("threshold cost 0.2 [e]"), utterance="x")
    assert of_class("and at 10 to 1?", "threshold cost 10", before) == "threshold cost 0.1"
    assert of_class("and at 10 to 1?", "threshold cost 10", ALONE) == "threshold cost 10"


def of_class(message: str, reading: str, context: DialogueContext, schema: Schema = CREDIT) -> str:
    grammar, tokens = grammar_of(schema), tokenise(message)
    mentions = Linker(schema).mentions(tokens)
    constraints = MessageConstraints(tokens, mentions, frozenset(), context, schema, grammar.read_if_valid)
    return str(constraints.of_class(grammar.read(f"{reading} [e]"))).removesuffix(" [e]")
