"""The parser over sequence-to-sequence models: what they are shown, which outputs it takes, and what guides them."""

import json
import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from backend.errors import LanguageModelError
from backend.models.sequence_models.scripted import ScriptedSequenceModel
from backend.models.sequence_models.seam import GeneratedText, TextPair, Training
from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.parsers.calibration import Calibration, Scaling
from ttm.parsers.sequence import (
    ABOUT,
    SequenceParser,
    Trained,
    guide_of,
    read_trained,
    source,
    write_trained,
)

pytestmark = pytest.mark.slow

SCHEMA = SCHEMAS["recidivism"]
QUESTION = "How many women are there?"
RIGHT = "filter woman true and countdata [e]"
PAIRS = [
    TextPair(f"{ask} {group}", f"filter {token} true and {operation} [e]")
    for ask, operation in (("how many", "countdata"), ("what do you predict for", "predict"), ("show me", "show"))
    for group, token in (("women", "woman"), ("men", "man"), ("black people", "black"))
] + [TextPair(f"people older than {age}", f"filter age greater than {age} and show [e]") for age in (20, 31, 45, 60)]


def parser(*outputs: tuple[str, float], **options: Any) -> SequenceParser:
    candidates = [GeneratedText(text, math.log(chance)) for text, chance in outputs]
    return SequenceParser(ScriptedSequenceModel({source(QUESTION): candidates}), SCHEMA, **options)


def test_readings_are_normalised_over_the_beams() -> None:
    found = parser((RIGHT, 0.3), ("filter woman false and countdata [e]", 0.1)).understand(QUESTION)
    assert [str(each.parse) for each in found.candidates] == [RIGHT, "filter woman false and countdata [e]"]
    assert [each.confidence for each in found.candidates] == pytest.approx([0.75, 0.25])
    assert found.question is None


def test_what_the_grammar_cannot_read_is_left_out_and_the_same_stands_once() -> None:
    outputs = [("filter women true [e]", 0.4), ("", 0.2), (RIGHT, 0.2), (RIGHT.replace(" [e]", ""), 0.1)]
    found = parser(*outputs).understand(QUESTION)
    assert [str(each.parse) for each in found.candidates] == [RIGHT]


def test_a_doubtful_reading_is_asked_back() -> None:
    calibration = Calibration(Scaling(1.0, -3.0), Scaling(1.0, -3.0))
    found = parser((RIGHT, 0.6), ("countdata [e]", 0.4), calibration=calibration).understand(QUESTION)
    assert found.candidates[0].confidence < 0.5
    assert found.question
    assert parser().understand(QUESTION).question


def test_the_model_is_shown_the_utterance_on_one_line() -> None:
    model = ScriptedSequenceModel()
    SequenceParser(model, SCHEMA, prefix="parse: ").understand("  How many\n women? ")
    assert model.sources == ["parse: How many women?"]
    SequenceParser(model, SCHEMA).understand("a" * 100_000)
    assert len(model.sources[1]) < 2_000


@pytest.fixture(scope="module")
def small() -> Any:
    import torch

    from backend.models.sequence_models.own import TransformerSizes, new_own_model

    torch.set_num_threads(1)
    sizes = TransformerSizes(width=48, heads=4, layers=1, inner=96, dropout=0.0)
    model = new_own_model("transformer", PAIRS, 0, sizes)
    model.fit(PAIRS, (), Training(60, 8, 3e-3, patience=None))
    return model


def test_what_was_learnt_is_understood(small: Any) -> None:
    learnt = SequenceParser(small, SCHEMA, guide_of(SCHEMA, small))
    right = [str(best.parse) == each.target for each in PAIRS if (best := learnt.understand(each.source).best)]
    assert sum(right) >= 0.9 * len(PAIRS)


@pytest.mark.parametrize("utterance", ["people older than 57", "show what nobody ever asked 3 or 812", "", "qwerty 1.5%"])
@pytest.mark.slow
def test_a_guided_model_writes_the_grammar_and_the_numbers_of_the_utterance(small: Any, utterance: str) -> None:
    guide = guide_of(SCHEMA, small)
    assert guide is not None
    outputs = small.generate([source(utterance)], 5, SequenceParser(small, SCHEMA).search, guide(utterance).allowed)[0]
    assert outputs
    read = [grammar_of(SCHEMA).read(each.text) for each in outputs if each.text.endswith("[e]")]
    assert read
    said = {*re.findall(r"[\d.]+", utterance), "0", "0.015"}
    for parse in read:
        words = str(parse).split()
        numbers = [word for before, word in pairwise(words) if before in ("than", "increase", "decrease")]
        assert all(number in said for number in numbers)


@pytest.mark.slow
def test_an_untrained_hub_model_is_guided_too(tmp_path: Path) -> None:
    import torch

    from backend.models.sequence_models.opening import load
    from tests.backend.models.sequence_models.test_sequence_models import tiny_hub_model

    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = load(tiny_hub_model(tmp_path / "hub", "bart"))
    model._prepare(PAIRS)  # type: ignore[attr-defined]  # its tokenizer has no word of ours
    guide = guide_of(SCHEMA, model)
    assert guide is not None
    first = guide("how many women?").allowed(0, ())
    assert first is not None
    assert list(first) == [model.coder.encode_target("")[0]]  # type: ignore[attr-defined]
    found = SequenceParser(model, SCHEMA, guide).understand("how many women?")
    assert all(grammar_of(SCHEMA).read(str(each.parse)) == each.parse for each in found.candidates)


def test_what_a_folder_says_is_read_again(tmp_path: Path) -> None:
    trained = Trained(("age", "woman"), "parse: ", Calibration(Scaling(0.5, -1.0), Scaling(2.0, 0.25)))
    write_trained(tmp_path, trained, {"model": "transformer"})
    assert read_trained(tmp_path) == trained
    assert json.loads((tmp_path / ABOUT).read_text())["model"] == "transformer"
    assert read_trained(tmp_path / "elsewhere") is None
    (tmp_path / ABOUT).write_text("{}")
    with pytest.raises(LanguageModelError, match="damaged"):
        read_trained(tmp_path)
