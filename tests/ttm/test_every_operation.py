"""Each operation stands in the help and on the page of the parse language, is reached by words and has a test of its truth."""

import re
from pathlib import Path

import pytest

from ttm.language.grammar import grammar_of
from ttm.parsers import LearnedParser
from ttm.tabular.data.dataset import load_dataset
from ttm.ui.help_panel import WHAT_CAN_BE_ASKED

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/parse-language.md").read_text("utf-8")
HELP = " ".join(WHAT_CAN_BE_ASKED.split())
SINGLE, OF_ROWS = "operations/single_rows/test_single_rows.py", "operations/test_exploration.py"

# What is asked, its parse, words of the help, the form on the page of the language, and the test with its oracle.
OPERATIONS = (
    ("how many false positives are there?", "predictionfilter 1 and labelfilter 0 and countdata",
     "false positives and negatives",
     "labelfilter C", "oracle/test_oracle.py"),
    ("what is the false positive rate?", "score fpr", "error rates", "fpr", "oracle/test_oracle.py"),
    ("is the model fair by age?", "fairness age", "fairness by group", "fairness F", "operations/fairness/test_fairness.py"),
    ("threshold 0.3 for people over 50 and 0.6 for the others",
     "filter age greater than 50 versus filter age less equal than 50 and threshold 0.3 0.6", "one for each group",
     "threshold N N", "operations/thresholds_by_group/test_thresholds_by_group.py"),
    ("show me the first 5 rows", "show 5", "rows", "show K", "oracle/test_oracle.py"),
    ("average glucose by age", "statistic glucose by age", "by a column", "statistic F by G",
     "operations/breakdowns/test_breakdowns.py"),
    ("accuracy by age", "score accuracy by age", "by a column", "score METRIC by G",
     "operations/breakdowns/test_breakdowns.py"),
    ("cross-tabulate age and pregnancies", "countdata by age pregnancies", "cross-tables", "countdata by G G",
     "operations/breakdowns/test_breakdowns.py"),
    ("is the accuracy for people over 50 against the others significant?",
     "filter age greater than 50 versus filter age less equal than 50 and score accuracy and significant",
     "whether that is significant", "significant", "operations/significance/test_significance.py"),
    ("scatter plot of glucose and bmi", "scatter glucose bmi", "scatter plots", "scatter F F",
     "operations/scatter/test_scatter.py"),
    ("correlation matrix", "correlate all", "correlations", "correlate all", "operations/regression/test_regression.py"),
    ("how does 5 differ from all others?", "filter id 5 and contrast", "one row beside all others", "contrast",
     "operations/contrast/test_contrast.py"),
    ("how good would the model be without glucose?", "without glucose", "the score without a feature", "without F",
     "operations/left_out/test_left_out.py"),
    ("which are the 3 largest errors?", "residuals 3", "largest errors", "residuals K",
     "operations/residuals/test_residuals.py"),
    ("from what glucose would 5 be predicted otherwise?", "filter id 5 and crossing glucose", "from which value on it changes",
     "crossing F", "operations/crossing/test_crossing.py"),
    ("best threshold if a miss costs five times a false alarm?", "threshold cost 5", "cheapest threshold", "threshold cost N",
     "operations/decisions/test_decisions.py"),
    ("lift curve", "gain", "lift and gain", "gain", "operations/decisions/test_decisions.py"),
    ("regression line of glucose on bmi", "regress glucose bmi", "lines through points", "regress F F",
     "operations/regression/test_regression.py"),
    ("ice plot of glucose", "ice glucose", "single rows too (ICE)", "ice F", SINGLE),
    ("shap dependence of glucose", "dependence glucose", "SHAP values", "dependence F", SINGLE),
    ("what has drifted?", "drift", "what has drifted in a second table", "drift",
     "operations/second_table/test_second_table.py"),
    ("are there outliers?", "outliers", "outliers", "outliers", "operations/second_table/test_second_table.py"),
    ("how likely is 5 not to have diabetes?", "filter id 5 and likelihood class 0", "how likely each class is",
     "likelihood class C",
     "operations/test_predictions.py"),
    ("how sure is the model about 5?", "filter id 5 and likelihood", "how sure that is", "likelihood", "oracle/test_oracle.py"),
    ("what if 5 did not have that glucose?", "filter id 5 and otherwise glucose", "every other value", "otherwise F", SINGLE),
    ("how could 5 flip by changing glucose only?", "filter id 5 and explain cfe only glucose", "by one alone",
     "only F", "explain/counterfactuals/test_counterfactuals.py"),
    ("where is the model typically wrong?", "mistake typical", "typical mistakes", "mistake typical",
     "explain/mistakes/test_typical_mistakes.py"),
    ("compare this model with a logistic regression", "models linear", "other models on the same rows", "models linear",
     "operations/models/test_models.py"),
)  # fmt: skip


@pytest.fixture(scope="module")
def parser() -> LearnedParser:
    return LearnedParser(load_dataset("diabetes").schema)


@pytest.mark.parametrize(("question", "parse", "in_help", "form", "oracle"), OPERATIONS)
def test_an_operation_is_described_reached_and_tested(
    parser: LearnedParser, question: str, parse: str, in_help: str, form: str, oracle: str
) -> None:
    understanding = parser.understand(question)
    assert understanding.best is not None
    assert (understanding.best.parse, understanding.question) == (grammar_of(parser.schema).read(parse), None)
    assert in_help in HELP
    assert re.search(rf"`(?:[\w ]*, )?{re.escape(form)}\b", PAGE)
    assert (ROOT / "tests/ttm" / oracle).is_file()
