"""Cleaning: planted errors come out on top, a stopped run goes on, and the scores are those of appendix A.5."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from math import exp, inf
from pathlib import Path
from typing import Any

import pytest

from backend.errors import InspiredError
from backend.models.sequence_models.scripted import ScriptedSequenceModel
from backend.models.sequence_models.seam import GeneratedText, TextPair, Training
from backend.program.command_line import run
from inspired.__main__ import main
from inspired.lab.cleaning.cycle import CrossValidation, CycleReading, read_questions
from inspired.lab.cleaning.nearest import NearestTemplates
from inspired.lab.cleaning.pairs import QuestionPair, question_pairs
from inspired.lab.cleaning.ranking import BLEND, EDITS, LIKELIHOOD, draw, rankings, recovery, score
from inspired.lab.metrics import dialogues
from inspired.lab.metrics.dialogues import MeasuredDialogue, MeasuredSubQuestion, read_split
from tests.inspired.conftest import Query
from tests.inspired.dialogue_files import made_records, plant_errors, write_lines


def pair(number: int, source: str = "q", target: str = "t") -> QuestionPair:
    return QuestionPair(((f"d{number}", "gold", "1"),), source, target, source, target, ())


def called(*arguments: Path | str) -> int:
    return run("python -m inspired", main, ["clean", *[str(each) for each in arguments]])


def read_json(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module", autouse=True)
def _each_query_read_once() -> Iterator[None]:
    """The dialogues of all files here are about the same few queries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dialogues, "read_query", cache(dialogues.read_query))
        yield


@pytest.fixture(scope="module")
def planted(queries: list[Query], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[dict[str, Any]]]:
    """400 dialogues of all queries with 4.4 % of wrong questions, their labels as a file and as values."""
    folder = tmp_path_factory.mktemp("planted")
    records = made_records(queries, 400)
    labels = plant_errors(records, 0.044)
    return write_lines(folder / "dialogues.jsonl", records), write_lines(folder / "labels.jsonl", labels), labels


@pytest.fixture(scope="module")
def small(queries: list[Query], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """30 dialogues of all queries."""
    return write_lines(tmp_path_factory.mktemp("small") / "dialogues.jsonl", made_records(queries, 30))


def test_names_are_numbered_as_in_the_template() -> None:
    names = ("Oslo", "Oslo Central", "Bergen")
    step = MeasuredSubQuestion("1", "Is bergen nearer to OSLO?", "Is Oslo Central or Oslo near?", "")
    (found,) = question_pairs([MeasuredDialogue("d", "simple", "", gold=(step,), names=names)])
    assert found.target == "Is #entity1# or #entity2# near?"
    assert found.source == "Is #entity3# nearer to #entity2#?"
    assert found.in_names(found.target) == step.template
    assert found.in_names("#entity9#") == "#entity9#"


def test_a_pair_stands_wherever_its_step_does() -> None:
    kept, wrong = MeasuredSubQuestion("1", "q", "t"), MeasuredSubQuestion("2", "", "t")
    pairs = question_pairs(
        [MeasuredDialogue("d", "simple", "", gold=(kept, wrong), predicted=(kept, MeasuredSubQuestion("9", "p", "t")))]
    )
    assert [each.places for each in pairs] == [(("d", "gold", "1"), ("d", "predicted", "1")), (("d", "predicted", "9"),)]


def test_scores_are_those_of_the_equations() -> None:
    """D = |S(y*) - S(t)|, and how many characters apart y* and t are."""
    pairs = [pair(1, target="which land"), pair(2, target="Kitten")]
    one, other = score(pairs, [CycleReading("which band", 1.5, 4.0), CycleReading("sitting", 0.5, inf)])
    assert (one.difference, one.edits) == (2.5, 1)
    assert (other.difference, other.edits) == (inf, 3)  # the k, the e, and a g more


def test_the_two_rankings_are_drawn_from_in_turn() -> None:
    """Four pairs; by likelihood a b c d, by edit distance c a d b."""
    readings = [CycleReading("t" * edits, 0.0, float(d)) for d, edits in ((9, 6), (8, 2), (3, 8), (1, 3))]
    scored = score([pair(number) for number in range(4)], readings)
    a, b, c, d = scored
    assert rankings(scored) == {LIKELIHOOD: (a, b, c, d), EDITS: (c, a, d, b), BLEND: (a, c, b, d)}
    first = draw(scored, 3)
    assert [(each.scored, each.by, each.likelihood_rank, each.edits_rank) for each in first] == [
        (a, LIKELIHOOD, 1, 2),
        (c, EDITS, 3, 1),
        (b, LIKELIHOOD, 2, 4),
    ]
    wrong = {a.pair: False, b.pair: True, c.pair: True, d.pair: False}
    found = recovery(scored, wrong.get)
    assert (found.labelled, found.errors, found.chance) == (4, 2, 0.5)
    assert found.hits == {LIKELIHOOD: 1, EDITS: 1, BLEND: 1}
    assert recovery(scored, {b.pair: True, d.pair: False}.get).hits == {LIKELIHOOD: 1, EDITS: 0, BLEND: 1}


def test_equal_scores_keep_every_pair() -> None:
    scored = score([pair(number) for number in range(5)], [CycleReading("t", 0.0, 0.0)] * 5)
    assert len({id(each) for each in rankings(scored)[BLEND]}) == 5


class Recording(ScriptedSequenceModel):
    """Remembers by which pairs it was fitted; stops at a fold if told to."""

    def __init__(self, seen: list[tuple[frozenset[str], tuple[str, ...]]], stop: int | None = None) -> None:
        super().__init__()
        self.seen, self.stop, self.known = seen, stop, frozenset[str]()

    def fit(self, pairs: Sequence[TextPair], *rest: Any, **more: Any) -> Any:
        if self.stop == len(self.seen):
            raise KeyboardInterrupt
        self.known = frozenset(each.target for each in pairs)
        return super().fit(pairs)

    def generate(self, sources: Sequence[str], *rest: Any, **more: Any) -> list[tuple[GeneratedText, ...]]:
        self.seen.append((self.known, tuple(sources)))
        return [(GeneratedText(f"read {each}", -1.0),) for each in sources]

    def log_likelihood(self, source: str, target: str) -> float:
        return -float(len(target))


PAIRS = [pair(number // 3, f"q{number}", f"t{number}") for number in range(60)]


def test_no_model_has_seen_the_dialogue_that_it_reads() -> None:
    seen: list[tuple[frozenset[str], tuple[str, ...]]] = []
    readings = read_questions(PAIRS, CrossValidation("fake", 10), lambda *_: Recording(seen))
    assert [each.template for each in readings] == [f"read {each.source}" for each in PAIRS]
    assert {(each.score, each.stated_score) for each in readings} == {(1.0, 2.0), (1.0, 3.0)}
    assert len(seen) == 10
    dialogue = {each.target: each.dialogue for each in PAIRS}
    for known, sources in seen:
        read = {each.dialogue for each in PAIRS if each.source in sources}
        assert not read & {dialogue[target] for target in known}
        assert len(known) == 54  # a series of 90 % training, 10 % testing


def test_folds_depend_on_the_seed_alone() -> None:
    def folds(seed: int) -> list[tuple[str, ...]]:
        seen: list[tuple[frozenset[str], tuple[str, ...]]] = []
        read_questions(PAIRS, CrossValidation("fake", 5, Training(seed=seed)), lambda *_: Recording(seen))
        return [sources for _, sources in seen]

    assert folds(1) == folds(1) != folds(2)


def test_a_stopped_run_goes_on_with_the_fold_it_was_in(tmp_path: Path) -> None:
    how = CrossValidation("fake", 6, folder=tmp_path / "folds")
    seen: list[tuple[frozenset[str], tuple[str, ...]]] = []
    with pytest.raises(KeyboardInterrupt):
        read_questions(PAIRS, how, lambda *_: Recording(seen, stop=4))
    assert len(seen) == 4
    finished: list[int] = []
    again = read_questions(PAIRS, how, lambda *_: Recording(seen), finished.append)
    assert (len(seen), finished) == (6, [1, 2, 3, 4, 5, 6])
    assert again == read_questions(PAIRS, CrossValidation("fake", 6), lambda *_: Recording([]))
    # Other pairs, or another model, are another run.
    read_questions(PAIRS[3:], how, lambda *_: Recording(seen))
    assert len(seen) == 12


def test_a_model_that_says_nothing_reads_nothing() -> None:
    class Silent(Recording):
        def generate(self, sources: Sequence[str], *rest: Any, **more: Any) -> list[tuple[GeneratedText, ...]]:
            return [() for _ in sources]

    assert set(read_questions(PAIRS, CrossValidation("fake", 2), lambda *_: Silent([]))) == {
        CycleReading("", 0.0, 2.0),
        CycleReading("", 0.0, 3.0),
    }


def test_too_few_dialogues_or_folds_are_said() -> None:
    with pytest.raises(InspiredError, match=r"20 dialogues.*21 folds"):
        read_questions(PAIRS, CrossValidation(folds=21))
    with pytest.raises(InspiredError, match="folds 1 there is nothing"):
        read_questions(PAIRS, CrossValidation(folds=1))


def test_nearest_templates() -> None:
    model = NearestTemplates()
    known = [("where was #entity1# born", "the birthplace of #entity1#"), ("what town was #entity1# born in",) * 2]
    known += [("who leads #entity1#", "the leader of #entity1#")] * 3
    model.fit([TextPair(*each) for each in known])
    (candidates,) = model.generate(["where was #entity1# born ?"], n=5)
    assert candidates[0].text == "the birthplace of #entity1#"
    assert list(candidates) == sorted(candidates, key=lambda each: -each.log_probability)
    for each in candidates:
        assert each.log_probability == model.log_likelihood("where was #entity1# born ?", each.text) < 0
    asked = "where was #entity1# born"
    near, far = model.log_likelihood(asked, "the birthplace of #entity2#"), model.log_likelihood(asked, "quite another thing")
    assert candidates[0].log_probability > near > far
    # Templates that are alike but for a word are not counted twice: shares of all that can be said stay below 1.
    texts = {"the birthplace of #entity1#", "the leader of #entity1#", "the leader", "of", "", "the the leader of #entity1#"}
    assert sum(exp(model.log_likelihood(asked, text)) for text in texts) < 1
    with pytest.raises(InspiredError, match="no other questions"):
        model.fit([])


@pytest.mark.slow
def test_planted_errors_come_out_on_top(
    planted: tuple[Path, Path, list[dict[str, Any]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, labelled, labels = planted
    review = tmp_path / "review.jsonl"
    assert called(source, "--out", review, "--labels", labelled) == 0
    errors = {(each["id"], str(each["sub_id"])) for each in labels if each["error"]}
    lines = read_json(review)
    assert [line["rank"] for line in lines] == list(range(1, len(lines) + 1))
    found = sum((line["id"], line["sub_id"]) in errors and line["side"] == "gold" for line in lines)
    # The paper's cleaning found 32 % of errors, seven times as many as chance; ours are plainer than those of people.
    assert found / len(errors) > 0.5
    said = capsys.readouterr().out
    assert f"{len(errors)} are errors" in said
    assert "by chance" in said
    first = lines[0]
    assert first["error"] is None
    assert first["reason"].startswith("Number 1 by likelihood")
    assert not any("#entity1#" in line["temp_sub_question"] for line in lines)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["review.jsonl"]


@pytest.mark.slow
def test_a_review_that_was_filled_in_is_a_file_of_labels(
    planted: tuple[Path, Path, list[dict[str, Any]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, _, labels = planted
    errors = {(each["id"], str(each["sub_id"])) for each in labels if each["error"]}
    review, again = tmp_path / "review.jsonl", tmp_path / "again.jsonl"
    assert called(source, "--out", review, "--top", "9") == 0
    lines = read_json(review)
    assert len(lines) == 9
    for line in lines[:8]:
        line["error"] = (line["id"], line["sub_id"]) in errors
    write_lines(review, lines)
    assert called(source, "--out", again, "--labels", review) == 0
    assert "Of 8 labelled sub-questions" in capsys.readouterr().out
    before = again.read_text("utf-8")
    assert called(source, "--out", again) == 0
    assert again.read_text("utf-8") == before


@pytest.mark.slow
def test_an_own_model_finds_planted_errors(queries: list[Query], tmp_path: Path) -> None:
    """The real seam: an LSTM of 64 units, trained from nothing on questions of three queries, in some seconds."""
    from backend.models.sequence_models.attention_lstm import LstmSizes
    from backend.models.sequence_models.own import new_own_model

    records = made_records(queries[:3], 150)
    wrong = {(each["id"], str(each["sub_id"])) for each in plant_errors(records, 0.06) if each["error"]}
    pairs = question_pairs(read_split(write_lines(tmp_path / "dialogues.jsonl", records)))
    how = CrossValidation("lstm", 2, Training(epochs=12, batch_size=16, learning_rate=1e-2))
    readings = read_questions(pairs, how, lambda kind, known, seed: new_own_model(kind, known, seed, LstmSizes(width=64)))
    found = recovery(score(pairs, readings), lambda each: any((id_, sub) in wrong for id_, _, sub in each.places))
    assert found.hits[BLEND] / found.errors > 5 * found.chance


@pytest.mark.slow
def test_an_own_model_on_the_command_line_keeps_its_folds(
    queries: list[Query], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from backend.models.sequence_models import own
    from backend.models.sequence_models.attention_lstm import LstmSizes

    monkeypatch.setitem(own.SIZES, "lstm", lambda: LstmSizes(width=16))
    source, review = write_lines(tmp_path / "dialogues.jsonl", made_records(queries[:2], 6)), tmp_path / "review.jsonl"
    arguments = (source, "--out", review, "--model", "lstm", "--folds", "2", "--epochs", "1", "--top", "3")
    assert called(*arguments) == 0
    assert "review.jsonl.folds" in capsys.readouterr().out
    before = review.read_text("utf-8")
    assert not list((tmp_path / "review.jsonl.folds").rglob("*.safetensors"))  # weights go once their fold is read
    monkeypatch.delattr("inspired.lab.cleaning.cycle.to_train")
    assert called(*arguments) == 0
    assert review.read_text("utf-8") == before


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ('{"id": "made-0", "sub_id": 9, "error": true}', "no gold sub-question '9'"),
        ('{"id": "made-0", "sub_id": 1, "error": false}', "nothing to recover"),
        ('{"id": "made-0", "sub_id": 1, "error": true}\n{"id": "made-0", "sub_id": 1, "error": false}', "labelled both ways"),
        ('{"id": "made-0", "sub_id": 1}', "line 1: error"),
        ('{"id": "made-0", "sub_id": 1, "side": "left", "error": true}', "line 1: side"),
    ],
)
@pytest.mark.slow
def test_labels_that_fit_nothing(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], labels: str, told: str
) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(labels, "utf-8")
    assert called(small, "--out", tmp_path / "review.jsonl", "--labels", path) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert not (tmp_path / "review.jsonl").exists()


@pytest.mark.slow
def test_wrong_arguments_are_one_line_and_exit_code_two(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, review = small, tmp_path / "review.jsonl"
    few = write_lines(tmp_path / "few.jsonl", [{"gold_sub_lfs": ["?x ns:a.b ?y"]}])
    for arguments in (
        [source],
        [tmp_path / "none.jsonl", "--out", review],
        [source, "--out", source],
        [source, "--out", review, "--labels", review],
        [few, "--out", review],
        [source, "--out", review, "--top", "0"],
        [source, "--out", review, "--epochs", "0"],
        [source, "--out", review, "--folds", "1"],
        [source, "--out", review, "--folds", "31"],
        [source, "--out", review, "--model", str(tmp_path / "no model"), "--folds", "2"],
    ):
        assert called(*arguments) == 2, arguments
        assert capsys.readouterr().err.count("\n") == 1
    assert not review.exists()
