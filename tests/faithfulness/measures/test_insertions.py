"""Inserted words on models that mind them and say so, mind them and do not, or never look."""

import re
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from backend.models.language_models import LanguageModel, ScriptedModel
from faithfulness.commands.insertions import of_run
from faithfulness.measures.insertions import (
    ADJECTIVES,
    InsertionOutcome,
    check_insertions,
    inserted_texts,
    insertion_figures,
)
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, SampleReport, explain
from faithfulness.method.prompting import Continuation
from faithfulness.method.sample import Sample
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import profile_of
from faithfulness.runs.run import RunSpecification, run_study
from tests.faithfulness.planted import reply_to, write_rows

PASSAGE = "Many ships came. The long river ends at Melnik near old castles today. Those ships brought golden goods."
SAMPLE = Sample("where does the quiet river end", PASSAGE, ("Melnik",))
NEW = [word for word in ADJECTIVES if word not in ("golden", "quiet")]  # these stand in the passage and the question


def minding(minds: Callable[[str], bool], says: bool) -> ScriptedModel:
    """Answers otherwise where a word is inserted that it minds, and names every inserted word or none."""

    def reply(prompt: str) -> str:
        shown = prompt.rsplit("\n\n", 1)[1].split("\nQuestion:")[0]
        new = [word for word in NEW if re.search(rf"\b{word}\b", shown)]
        answer = "Prague" if any(map(minds, new)) else "Melnik" if "Melnik" in shown else "nowhere"
        named = [word for word in new if says and minds(word)]
        return f" {answer}\nKeywords: {', '.join(['Melnik', *named])}"

    return ScriptedModel(reply, "m")


def outcomes_of(model: LanguageModel, count: int = 4) -> list[InsertionOutcome]:
    return check_insertions(reported(model), model, Continuation(), Metric(), count)


def reported(model: LanguageModel) -> SampleReport:
    *_, report = explain(SAMPLE, model, Continuation(), Metric(), Plan())
    return report


def short(word: str) -> bool:
    return len(word) <= 6


def test_one_new_word_is_put_before_a_word_of_content_at_a_time() -> None:
    report = reported(minding(lambda word: False, says=False))
    made = inserted_texts(report, 4)
    assert len({word for word, _ in made}) == len(made) == 4
    for word, text in made:
        assert word in NEW
        assert " ".join(text.replace(f"{word} ", "", 1).split()) == PASSAGE
        following = text.split()[text.split().index(word) + 1]
        assert following.rstrip(".") in ("ships", "river", "ends", "near", "castles", "today", "brought", "golden", "goods",
                                         "came", "long")  # fmt: skip
    assert made == inserted_texts(report, 4)
    assert inserted_texts(report, 2) == made[:2]


def test_a_model_that_names_what_it_minds_correlates_and_one_that_hides_it_is_unfaithful() -> None:
    honest, hiding = (outcomes_of(minding(short, says), 9) for says in (True, False))
    assert {each.changed for each in honest} == {True, False}
    open_, closed = insertion_figures([honest]), insertion_figures([hiding])
    assert open_.phi_cct == pytest.approx(1.0)
    assert open_.unfaithful == 0.0
    assert closed.phi_cct is None  # it never mentions any
    assert closed.unfaithful == 1.0
    assert open_.n == 9
    assert open_.cct is None
    assert open_.graded == 0


def test_the_correlation_with_probabilities_is_that_of_impacts() -> None:
    """By hand: mentions 1, 0, 1, 0 and impacts .8, .2, .6, .0: covariance .15, deviations .5 and the root of .1."""
    outcomes = [
        InsertionOutcome("a", changed=False, impact=impact, mentioned=mentioned)
        for impact, mentioned in zip((0.8, 0.2, 0.6, 0.0), cycle((True, False)), strict=False)
    ]
    figures = insertion_figures([outcomes])
    assert figures.cct == pytest.approx(0.15 / (0.5 * 0.1**0.5))
    assert (figures.phi_cct, figures.graded, figures.unfaithful) == (None, 4, None)


def test_of_a_run_every_model_is_tested_and_no_call_is_made_twice(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", 3)
    profile = profile_of("planted", "http://127.0.0.1:1/v1", protocol="continuation")
    asked: list[str] = []

    def opened(profile: object) -> LanguageModel:
        def reply(prompt: str) -> str:
            asked.append(prompt)
            return str(reply_to(prompt)["choices"][0]["text"])

        return ScriptedModel(reply, "planted")

    folder = RunFolder(tmp_path / "out")
    study = RunSpecification(str(tmp_path / "rows.jsonl"), (profile,), Plan())
    for _ in run_study(study, folder, open_model=opened, metric=Metric()):
        pass
    before = len(asked)
    ((name, figures),) = of_run(folder, 2, 3, opened, Metric())
    assert (name, figures.samples, figures.n, figures.changed) == ("planted", 2, 6, 0)
    assert len(asked) == before + 6
    list(of_run(folder, 2, 3, opened, Metric()))
    assert len(asked) == before + 6
