"""Tests of thoughts on models that read their answer off their thought, or never look at it."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.errors import FaithfulnessError
from backend.models.language_models import ScriptedModel
from faithfulness.commands.thoughts import of_run
from faithfulness.measures.thoughts import ThoughtOutcome, check_thought, cut_thought, shares, with_mistake
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, explain
from faithfulness.method.prompting import Chat
from faithfulness.method.sample import Sample
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import profile_of
from faithfulness.runs.run import RunSpecification, run_study

PASSAGE = "The Vltava is a river of Bohemia. The river ends at Melnik today. Ships to Prague use it."
SAMPLE = Sample("where does it end", PASSAGE, ("Melnik",))


def replying(answer: Callable[[str, str | None], str], thought: str = "the text says that it is Melnik.") -> ScriptedModel:
    """`answer` of the last user message, and of the thought that was put in, None where there is none."""

    def reply(prompt: str) -> str:
        cut = re.search(r"\n\nThought:([^\n]*)\n\nThink no further", prompt)
        asked = prompt.rsplit("This text might help", 1)[-1]
        value = answer(asked, cut[1].strip() if cut else None)
        return f"Thought: {thought}\nKeywords: {value}\nShort answer: {value}"

    return ScriptedModel(reply, "m")


def reads_its_thought(asked: str, thought: str | None) -> str:
    if thought is None:
        return "Melnik" if "Melnik" in asked else "nowhere"
    place = re.search(r"that it is (\w+)", thought)
    return place[1] if place else "nowhere"


def never_looks(asked: str, thought: str | None) -> str:
    return "Melnik" if "Melnik" in asked else "nowhere"


def follows_hints(asked: str, thought: str | None) -> str:
    hint = re.search(r"the answer is (\w+), but", asked)
    return hint[1] if hint else never_looks(asked, thought)


def flips_at_the_word(asked: str, thought: str | None) -> str:
    return "reportedly" if "reportedly" in asked else "Melnik"


def outcome(model: ScriptedModel) -> ThoughtOutcome:
    *_, report = explain(SAMPLE, model, Chat(), Metric(), Plan())
    before = len(model.prompts)
    result = check_thought(report, model, Chat(), Metric())
    assert len(model.prompts) - before <= 7
    return result


def test_an_answer_that_rests_on_its_thought_changes_with_it() -> None:
    reading, ignoring = outcome(replying(reads_its_thought)), outcome(replying(never_looks))
    assert (reading.early, reading.mistake) == (1.0, True)
    assert (ignoring.early, ignoring.mistake) == (0.0, False)
    assert (reading.hint_followed, reading.insertion_changed, reading.hint_named) == (False, False, None)


def test_a_hint_that_is_followed_is_named_or_not() -> None:
    silent = outcome(replying(follows_hints))
    open_ = outcome(replying(follows_hints, "the user suggests it."))
    assert (silent.hint_followed, silent.hint_named) == (True, False)
    assert (open_.hint_followed, open_.hint_named) == (True, True)


def test_a_word_that_changes_the_answer_is_named_or_not() -> None:
    result = outcome(replying(flips_at_the_word))
    assert (result.insertion_changed, result.insertion_named) == (True, True)


def test_thoughts_are_cut_by_words_and_mistakes_are_put_in() -> None:
    assert [cut_thought("a b c d", share) for share in (0.0, 0.25, 0.5, 0.75)] == ["", "a", "a b", "a b c"]
    assert with_mistake("It is Melnik, so Melnik.", "Melnik", "Prague") == "It is Prague, so Prague."
    assert with_mistake("The river ends in Saxony then.", "Melnik", "Prague") == "The river ends in Prague then."
    assert with_mistake("it says so", "Melnik", "Prague") is None


def test_shares_leave_out_what_could_not_be_tested() -> None:
    made = [ThoughtOutcome(0.5, True, False, None, False, None), ThoughtOutcome(None, None, True, True, None, None)]
    found = {each.test: (each.n, each.share) for each in shares(made)}
    assert list(found.values()) == [(1, 0.5), (1, 1.0), (2, 0.5), (1, 1.0), (1, 0.0), (0, 0.0)]


def test_a_run_is_tested_from_its_folder_and_asks_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(
        json.dumps({"question": SAMPLE.question, "context": PASSAGE, "answers": ["Melnik"]}) + "\n"
    )
    model = replying(reads_its_thought)
    study = RunSpecification(str(tmp_path / "rows.jsonl"), (profile_of("m", "http://localhost:1/v1"),), Plan(closed_book=False))
    folder = RunFolder(tmp_path / "out")
    list(run_study(study, folder, open_model=lambda profile: model, metric=Metric()))
    ((name, rows),) = of_run(folder, 5, lambda profile: model, Metric())
    asked = len(model.prompts)
    ((_, again),) = of_run(folder, 5, lambda profile: model, Metric())
    assert (name, rows, len(model.prompts)) == ("m", again, asked)
    assert rows[0].share == 1.0


def test_a_protocol_without_thoughts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps({"question": "q", "context": PASSAGE, "answers": ["Melnik"]}) + "\n")
    profile = profile_of("m", "http://localhost:1/v1", protocol="continuation")
    folder = RunFolder(tmp_path / "out")
    model = ScriptedModel(lambda prompt: " Melnik\nKeywords: Melnik", "m")
    study = RunSpecification(str(tmp_path / "rows.jsonl"), (profile,), Plan())
    list(run_study(study, folder, open_model=lambda _: model, metric=Metric()))
    with pytest.raises(FaithfulnessError, match="thoughts are written by the protocols chat and paper"):
        list(of_run(folder, 5, lambda profile: model, Metric()))
