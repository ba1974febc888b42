"""Any model in memory can be talked to, and what is said of it is what it does."""

import asyncio
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ttm
from backend.errors import DatasetError, ExecutionError, ModelError, ParleyError, SettingsError

ROWS = 160


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    draws = np.random.default_rng(0)
    made = pd.DataFrame({"age": draws.integers(18, 80, ROWS), "income": draws.normal(3000, 800, ROWS).round()})
    made["plan"] = pd.Categorical(draws.choice(["basic", "full", "trial"], ROWS))
    made["sex"] = draws.choice(["f", "m"], ROWS)
    wrong = draws.random(ROWS) < 0.15
    made["churn"] = np.where(((made["age"] < 40) & (made["income"] < 3300)) ^ wrong, "yes", "no")
    return made


def rule(rows: pd.DataFrame) -> np.ndarray:
    """A model without randomness whose answers can be computed by hand: the probability of "yes"."""
    return np.where((rows["age"] < 40) & (rows["income"] < 3300), 0.9, 0.1)


@pytest.fixture(scope="module")
def chat(frame: pd.DataFrame) -> ttm.ModelChat:
    return ttm.talk(rule, frame, target="churn", parser="linker")


def forest(frame: pd.DataFrame) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(11, random_state=0).fit(frame[["age", "income"]], frame["churn"])


def test_importing_the_parts_imports_nothing_heavy() -> None:
    script = "import sys, ttm, inspired, annotation, faithfulness; print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert [name for name in ("numpy", "pandas", "torch", "gradio", "sklearn", "pydantic") if f"'{name}'" in loaded] == []


def test_what_is_said_of_errors_is_what_the_model_does(chat: ttm.ModelChat, frame: pd.DataFrame) -> None:
    wrong = (rule(frame) > 0.5) != (frame["churn"] == "yes")
    answer = chat.parse("mistake count")
    assert answer.result is not None
    assert answer.result["wrong"] == int(wrong.sum())
    by_sex = chat.errors(by="sex").table
    assert by_sex is not None
    expected = wrong.groupby(frame["sex"]).mean()
    assert by_sex["error_rate"].to_dict() == pytest.approx(expected.to_dict())
    assert (by_sex["low"] < by_sex["error_rate"]).all()
    assert (by_sex["error_rate"] < by_sex["high"]).all()


def test_a_counterfactual_is_predicted_as_wanted_and_keeps_what_is_kept(chat: ttm.ModelChat, frame: pd.DataFrame) -> None:
    row = int(np.flatnonzero(rule(frame) > 0.5)[0])
    nothing = chat.counterfactuals(row, keep=["income"]).table  # age is no advice, and the model reads nothing else
    assert nothing is not None
    assert len(nothing) == 0
    table = chat.counterfactuals(row, keep=["plan", "sex"], wanted="no").table
    assert table is not None
    assert len(table)
    assert (table["sex"] == frame["sex"][row]).all()
    assert (rule(table) < 0.5).all()
    assert table["p(no)"].to_numpy() == pytest.approx(1 - rule(table))


def test_an_explanation_adds_up_and_leaves_out_what_the_model_does_not_read(chat: ttm.ModelChat) -> None:
    answer = chat.explain(row=12, method="shap")
    assert answer.table is not None
    assert answer.result is not None
    weights = answer.table["weight"]
    assert weights[["plan", "sex"]].abs().max() == pytest.approx(0, abs=1e-9)
    assert weights.sum() + answer.result["chosen"]["base"] == pytest.approx(answer.result["output"])
    importance = chat.importance().table
    assert importance is not None
    assert set(importance.index[:2]) == {"age", "income"}


@pytest.mark.parametrize("kind", ["named", "array", "light", "light array", "labels", "two columns", "regression"])
@pytest.mark.slow
def test_models_of_many_kinds_predict_as_they_do(kind: str, frame: pd.DataFrame) -> None:
    import lightgbm
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    numbers, target = frame[["age", "income"]], frame["churn"]
    data, outcome, model = frame[["age", "income", "churn"]], "churn", None
    if kind == "named":
        model, expected = (made := forest(frame)), made.predict(numbers)
    elif kind == "array":
        model = RandomForestClassifier(11, random_state=0).fit(numbers.to_numpy(), target)
        expected = model.predict(numbers.to_numpy())
    elif kind == "light":
        data = frame.astype({"sex": "category"})
        model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1).fit(data.drop(columns="churn"), target)
        expected = model.predict(data.drop(columns="churn"))
    elif kind == "light array":
        model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1).fit(numbers.to_numpy(), target)
        expected = model.predict(numbers.to_numpy())
    elif kind == "labels":
        model, expected = (lambda rows: np.where(rows["age"] < 40, "yes", "no")), np.where(frame["age"] < 40, "yes", "no")
    elif kind == "two columns":
        model = lambda rows: np.column_stack([1 - rule(rows), rule(rows)])  # noqa: E731
        expected = np.where(rule(frame) > 0.5, "yes", "no")
    else:
        data, outcome = frame[["age", "income"]], "income"
        model = RandomForestRegressor(5, random_state=0).fit(frame[["age"]], frame["income"])
        expected = model.predict(frame[["age"]])
    chat = ttm.talk(model, data, target=outcome, parser="linker")
    assert chat.predictions.tolist() == pytest.approx(expected.tolist()) if kind == "regression" else expected.tolist()
    assert list(chat.predictions) == list(expected) or kind == "regression"
    assert chat.explain(3).table is not None
    assert chat.errors(by="age").table is not None


def test_groups_are_made_by_a_column_that_the_model_does_not_read(frame: pd.DataFrame) -> None:
    model = forest(frame)
    with pytest.raises(ExecutionError, match=r"no column 'sex'.*columns=\[\.\.\.\]"):
        ttm.talk(model, frame, target="churn", parser="linker").errors(by="sex")
    chat = ttm.talk(model, frame, target="churn", columns=["age", "income", "sex"], parser="linker")
    table, reasons = chat.errors(by="sex").table, chat.explain(3, "shap").table
    assert table is not None
    assert reasons is not None
    wrong = model.predict(frame[["age", "income"]]) != frame["churn"]
    assert table["error_rate"].to_dict() == pytest.approx(wrong.groupby(frame["sex"]).mean().to_dict())
    assert reasons["weight"]["sex"] == 0


@pytest.mark.slow
def test_a_torch_module_in_a_function_is_a_model_and_alone_is_none(frame: pd.DataFrame) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    read = lambda rows: torch.tensor((rows / [80, 4000]).to_numpy(dtype="float32"))  # noqa: E731
    data = frame[["age", "income", "churn"]]
    chat = ttm.talk(lambda rows: network(read(rows)).softmax(-1), data, target="churn", parser="linker")
    expected = network(read(frame[["age", "income"]])).argmax(-1).numpy()
    assert chat.predictions.map({"no": 0, "yes": 1}).tolist() == expected.tolist()
    with pytest.raises(ModelError, match="Wrap it in a function"):
        ttm.talk(network, data, target="churn")
    with pytest.raises(ModelError, match="softmax"):
        ttm.talk(lambda rows: 9 * network(read(rows)), data, target="churn")


def test_an_index_becomes_the_ids_and_the_frame_stays_as_it_was(frame: pd.DataFrame) -> None:
    named = frame.set_index(pd.Index([f"c{number}" for number in range(ROWS)], name="customer"))
    before = named.copy()
    chat = ttm.talk(rule, named, target="churn", parser="linker")
    assert chat.explain("c7").result is not None
    assert list(chat.frame.index[:2]) == ["c0", "c1"]
    pd.testing.assert_frame_equal(named, before)


def test_a_target_may_be_values_and_the_frame_a_dataset(frame: pd.DataFrame) -> None:
    datasets = pytest.importorskip("datasets")
    rows = datasets.Dataset.from_pandas(frame[["age", "income"]], preserve_index=False)
    chat = ttm.talk(rule, rows, target=frame["churn"], parser="linker")
    assert chat.schema.target.name == "churn"
    assert chat.predictions.tolist() == np.where(rule(frame) > 0.5, "yes", "no").tolist()
    again = chat.to_dataset()
    assert again["churn"][:] == frame["churn"].tolist()
    assert again["predicted"][:] == chat.predictions.tolist()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda frame: ttm.talk(rule, frame), DatasetError, "target='churn'"),
        (lambda frame: ttm.talk(rule, frame, target="left"), DatasetError, "no column 'left'"),
        (lambda frame: ttm.talk(7, frame, target="churn"), ModelError, "no model"),
        (lambda frame: ttm.talk(rule), DatasetError, r"ttm\.talk\('german'\)"),
        (lambda frame: ttm.talk("nothing"), DatasetError, "diabetes, german, compas"),
        (lambda frame: ttm.talk(rule, [[1]], target="x"), DatasetError, "pandas DataFrame"),
        (lambda frame: ttm.talk(rule, frame.head(0), target="churn"), DatasetError, "no rows"),
        (lambda frame: ttm.talk(lambda rows: [0.5], frame, target="churn"), ModelError, "one entry a row"),
        (lambda frame: ttm.talk(rule, frame, target="churn", features={"age": {"units": "y"}}), DatasetError, "`unit`"),
        (lambda frame: ttm.talk(rule, frame, target="churn", parser="psychic"), SettingsError, "learned"),
        (lambda frame: ttm.talk(rule, frame, target=[1, 2]), DatasetError, rf"\({ROWS},\)"),
    ],
)
def test_a_mistake_is_said_in_a_sentence(call: Any, error: type[ParleyError], words: str, frame: pd.DataFrame) -> None:
    with pytest.raises(error, match=words):
        call(frame)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda chat: chat.explain("nobody"), "There is no row 'nobody'"),
        (lambda chat: chat.explain(3, "magic"), "There is no method"),
        (lambda chat: chat.errors(by="height"), "There is no column 'height'"),
        (lambda chat: chat.counterfactuals(3, wanted="maybe"), "There is no class 'maybe'"),
        (lambda chat: chat.ask(None), "A question is a text, not None"),
        (lambda chat: chat.readings(5), "A question is a text, not 5"),
        (lambda chat: chat.counterfactuals(3, count=0), "count is from 1 to 10"),
        (lambda chat: chat.counterfactuals(3, most=0), "most from 1"),
        (lambda chat: chat.ask("  "), "no question"),
        (lambda chat: chat.export("chat.pdf"), r"\.html"),
        (lambda chat: chat.importance().choose(0), "no part of a conversation"),
    ],
)
def test_what_cannot_be_asked_is_said_in_a_sentence(call: Any, words: str, chat: ttm.ModelChat) -> None:
    with pytest.raises(ExecutionError, match=words):
        call(chat)


def test_questions_refer_to_each_other_and_calls_leave_the_conversation_alone(frame: pd.DataFrame) -> None:
    chat = ttm.talk(rule, frame, target="churn", parser="linker")
    first = chat.ask("how many instances have age above 50?")
    chat.importance()
    second = chat.ask("what does the model predict for them?")
    assert (first.number, second.number) == (1, 2)
    assert second.result is not None
    assert second.result["group"]["rows"] == int((frame["age"] > 50).sum())
    corrected = chat.correct(2, "previousfilter and countdata")
    assert corrected.parse == "previousfilter and countdata [e]"
    assert [answer.parse for answer in chat.answers] == [first.parse, corrected.parse]
    assert chat.undo() is not None
    assert len(chat.answers) == 1
    chat.restart()
    assert chat.answers == ()


def test_an_event_loop_goes_on_meanwhile(frame: pd.DataFrame) -> None:
    chat = ttm.talk(rule, frame, target="churn", parser="linker")

    async def asked() -> list[ttm.ChatAnswer]:
        return list(await asyncio.gather(*(chat.ask_async("how many are there?") for _ in range(3))))

    answers = asyncio.run(asked())
    assert sorted(answer.number or 0 for answer in answers) == [1, 2, 3]
    assert {answer.text for answer in answers} == {chat.ask("how many are there?").text}


def test_a_reading_can_be_chosen(chat: ttm.ModelChat) -> None:
    answer = chat.ask("how important is age?")
    assert len(answer.readings) > 1
    other = answer.choose(1)
    assert (other.number, other.parse) == (answer.number, answer.readings[1].parse)
    assert chat.readings("how important is age?")[0].parse == answer.readings[0].parse


@pytest.mark.slow
def test_threads_get_what_one_thread_gets(frame: pd.DataFrame) -> None:
    chat = ttm.talk(forest(frame), frame[["age", "income", "churn"]], target="churn", parser="linker")
    alone = [chat.explain(row).table for row in range(8)]
    other = ttm.talk(forest(frame), frame[["age", "income", "churn"]], target="churn", parser="linker")
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda row: other.explain(row).table, range(8)))
        asked = list(pool.map(lambda _: other.ask("how many are there?").number, range(8)))
    for one, two in zip(alone, together, strict=True):
        pd.testing.assert_frame_equal(one, two)
    assert sorted(asked) == list(range(1, 9))


def test_a_chat_is_saved_and_loaded_and_never_pickled(frame: pd.DataFrame, tmp_path: Path) -> None:
    chat = ttm.talk(forest(frame), frame, target="churn", parser="linker", title="Who leaves", entity="customers",
                    features={"age": {"unit": "years"}})  # fmt: skip
    chat.ask("how accurate is the model?")
    folder = chat.save(tmp_path / "kept")
    for kept in (chat, chat.answers[0]):
        with pytest.raises(TypeError, match="not pickled"):
            pickle.dumps(kept)
    with pytest.raises(ModelError, match=r"trusted_types=\['sklearn\.tree\._tree\.Tree'\]"):
        ttm.load(folder)
    with pytest.raises(ModelError, match=r"trusted_types=\['sklearn\.tree\._tree\.Tree'\]"):
        ttm.talk(folder / "model.skops", frame, target="churn")
    again = ttm.load(folder, trusted_types=["sklearn.tree._tree.Tree"], parser="linker")
    assert [answer.text for answer in again.answers] == [answer.text for answer in chat.answers]
    assert again.schema.by_name["age"].unit == "years"
    pd.testing.assert_frame_equal(again.explain(5).table, chat.explain(5).table)
    other = ttm.load(folder, model=rule, parser="linker")
    assert other.predictions.tolist() == np.where(rule(frame) > 0.5, "yes", "no").tolist()
    with pytest.raises(ModelError, match="no code runs"):
        other.save(tmp_path / "other")
    with pytest.raises(DatasetError, match="holds no dataset"):
        ttm.load(tmp_path)
