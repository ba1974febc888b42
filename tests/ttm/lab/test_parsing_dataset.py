"""Generated data sets: a folder that Hugging Face's library reads, and a split by its definition."""

from pathlib import Path

import pytest

from backend.program.command_line import run
from ttm.__main__ import main
from ttm.lab.evaluate import COMPOSITIONAL, IID, GoldPair, read_split, read_suite
from ttm.lab.parsing_dataset import CARD, DATA, SPLIT, Portions, divide, split_of_suite, split_table
from ttm.parsers.templates.generate import TrainingPair

SHARED = Path(__file__).parents[4] / "shared" / "data" / "ttm"


def examples(*parses: str) -> list[TrainingPair]:
    return [TrainingPair(f"question {number}", parse, f"question {number}") for number, parse in enumerate(parses)]


def split(gold: str, *trained: str) -> str:
    (found,) = split_of_suite([GoldPair("?", gold)], examples(*trained)).values()
    return found


# --- IID and compositional -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gold", "trained", "expected"),
    [
        ("filter age greater than 30 and predict [E]", "filter age greater than 52.5 and predict [e]", IID),
        ("filter age greater than -3 and predict [e]", "filter age greater than 4 and predict [e]", IID),
        ("filter woman true and show [e]", "filter woman false and show [e]", IID),
        ("predictionfilter 0 and important topk 3 [e]", "predictionfilter 1 and important topk 10 [e]", IID),
        ("filter age greater than 30 and predict [e]", "filter bmi greater than 30 and predict [e]", COMPOSITIONAL),
        ("filter age greater than 30 and predict [e]", "filter age greater equal than 30 and predict [e]", COMPOSITIONAL),
        ("filter age greater than 30 and predict [e]", "filter age greater than 30 [e]", COMPOSITIONAL),
        ("predict and filter age greater than 30 [e]", "filter age greater than 30 and predict [e]", COMPOSITIONAL),
        ("filter x2 greater than 3 [e]", "filter x3 greater than 3 [e]", COMPOSITIONAL),
    ],
)
def test_a_parse_is_iid_if_its_like_was_trained_on(gold: str, trained: str, expected: str) -> None:
    """Source: appendix A.5 of the paper: numbers and true/false do not count, feature names do."""
    assert split(gold, "self [e]", trained) == expected


def test_each_distinct_parse_of_a_suite_is_split_once() -> None:
    suite = [GoldPair("a", "predict [E]"), GoldPair("b", "predict  [e]"), GoldPair("c", "show [E]")]
    assert split_of_suite(suite, examples("predict [e]")) == {"predict [e]": IID, "show [e]": COMPOSITIONAL}


def test_evaluate_reads_what_is_written(tmp_path: Path) -> None:
    suite = [GoldPair("a", "filter id 3 and show [E]"), GoldPair("b", "label [E]")]
    found = split_of_suite(suite, examples("filter id 9 and show [e]"))
    (tmp_path / SPLIT).write_text(split_table(found), "utf-8")
    read = read_split(tmp_path / SPLIT)
    assert [read(parse) for parse in ("filter id 3 and show [E]", "label [e]", "self [e]")] == [IID, COMPOSITIONAL, None]


# --- train and validation ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "share", "held"), [(100, 0.1, 10), (7, 0.1, 1), (2, 0.9, 1), (1, 0.5, 0), (50, 0.0, 0)])
def test_a_share_is_held_out_and_nothing_is_lost(n: int, share: float, held: int) -> None:
    everything = examples(*["self [e]"] * n)
    portions = divide(everything, share, seed=3)
    assert len(portions.validation) == held
    assert sorted(portions.train + portions.validation, key=everything.index) == everything
    assert portions == divide(everything, share, seed=3)


def test_what_is_held_out_is_drawn_at_random() -> None:
    everything = examples(*["self [e]"] * 1000)
    places = [everything.index(example) for example in divide(everything, 0.1, seed=0).validation]
    assert 300 < sum(places) / len(places) < 700
    assert divide(everything, 0.1, seed=1) != divide(everything, 0.1, seed=0)


# --- the command ---------------------------------------------------------------------------------------------------------

FEW = ("--most-per-template", "2", "--template-fraction", "0.1")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pyarrow and its libraries, while they are imported
def test_the_folder_is_read_by_the_library_it_is_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import datasets

    suite = tmp_path / "suite.txt"
    suite.write_text("how many are there\ncountdata [E]\n\nwho\ninteract bmi age and interact [E]\n", "utf-8")
    out = tmp_path / "made"
    assert not main(["generate", "--dataset", "diabetes", "--out", str(out), "--seed", "5", "--split", str(suite), *FEW])
    told = capsys.readouterr()
    assert told.err == ""
    loaded = datasets.load_dataset(str(out), cache_dir=str(tmp_path / "cache"))
    train, validation = loaded["train"], loaded["validation"]
    assert train.column_names == ["utterance", "parse", "template"]
    assert validation.num_rows == round(0.1 * (train.num_rows + validation.num_rows))
    assert not set(train["utterance"]) & set(validation["utterance"])
    assert f"{train.num_rows:,} pairs to train on and {validation.num_rows:,} to validate" in told.out
    card = (out / CARD).read_text("utf-8")
    assert "--dataset diabetes --out FOLDER --seed 5 --template-fraction 0.1" in card
    lines = (out / SPLIT).read_text("utf-8").splitlines()
    assert lines[0] == "parse\tsplit"
    assert lines[2] == "interact bmi age and interact [e]\tcompositional"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_same_seed_writes_the_same_files_and_leaves_nothing_of_earlier_ones(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for out in (one, other):
        main(["generate", "--dataset", "compas", "--out", str(out), *FEW])
    assert all((one / path).read_bytes() == (other / path).read_bytes() for path in DATA.values())
    (one / SPLIT).write_text("stale")
    main(["generate", "--dataset", "compas", "--out", str(one), "--validation-share", "0", *FEW])
    assert [path.name for path in sorted(one.rglob("*")) if path.is_file()] == [CARD, "train.parquet"]


def test_somebody_elses_table_is_enough(tmp_path: Path) -> None:
    """A CSV and the two required lines; the columns have whatever names they have."""
    rows = "".join(f"{20 + n % 50},{n % 3},{'ab'[n % 2]},{n % 2}\n" for n in range(60))
    (tmp_path / "rows.csv").write_text(f"Age (yrs),N° of Things!,Some-Kind,out\n{rows}", "utf-8")
    (tmp_path / "dataset.toml").write_text('data = "rows.csv"\ntarget = "out"\n', "utf-8")
    assert not main(["generate", "--dataset", str(tmp_path), "--out", str(tmp_path / "made"), *FEW])
    card = (tmp_path / "made" / CARD).read_text("utf-8")
    assert str(tmp_path.parent) not in card


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--dataset", "nowhere", "--out", "made"), "There is no data set 'nowhere'"),
        (("--dataset", "diabetes", "--out", "made", "--template-fraction", "1.5"), "'1.5' is not a share above 0, up to 1"),
        (("--dataset", "diabetes", "--out", "made", "--validation-share", "1"), "'1' is not a share from 0 to below 1"),
        (("--dataset", "diabetes", "--out", "made", "--validation-share", "few"), "'few' is not a share"),
        (("--dataset", "diabetes", "--out", "made", "--most-per-template", "0"), "'0' is not a whole number above 0"),
        (("--dataset", "diabetes", "--out", "made", "--split", "absent.txt"), "Cannot read absent.txt"),
        (("--dataset", "diabetes", "--out", "file", *FEW), "The data set cannot be written to file"),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_is_wrong_is_told_in_one_line(
    arguments: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("not a folder")
    assert run("ttm", main, ["generate", *arguments]) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published suite is not here")
def test_a_split_of_the_published_suite_has_all_its_parses(tmp_path: Path) -> None:
    """Which ones are IID depends on the training data; that they are the same parses does not."""
    suite = read_suite(SHARED / "diabetes_test_suite.txt")
    published = {line.split("\t")[0] for line in (SHARED / "diabetes_split.tsv").read_text("utf-8").splitlines()[1:]}
    assert set(split_of_suite(suite, examples("predict [e]"))) == published


def test_nothing_is_divided_into_nothing() -> None:
    assert divide([], 0.1, 0) == Portions([], [])
