"""How the language model is taught: what it sees, what it is to write, and that it is the model that is used."""

import random

import numpy as np
import pytest

from backend.models.language_models.packaged import packaged_is_installed, packaged_weights
from tests.ttm.parsers.schemas import SCHEMAS
from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn
from ttm.lab.learning.second_opinion.lines import corpus_lines

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow


def turn(utterance: str, *patterns: str, chats: bool = False) -> CorpusTurn:
    return CorpusTurn(utterance, patterns, False, False, chats, (), ())


def test_lines_have_the_fair_readings_and_the_turn_before() -> None:
    talk = CorpusDialogue(
        "x01-1", "wine", (turn("strong ones?", "filter alcohol greater than {12|13} and countdata"), turn("ta!", chats=True))
    )
    first, second = corpus_lines([talk], SCHEMAS)
    assert first.prompt == "Say: strong ones?\nRead:"
    assert first.targets == ("filter alcohol greater than 12 and countdata", "filter alcohol greater than 13 and countdata")
    assert second.targets == ("<chat>",)
    assert second.prompt.startswith("Before: strong ones?\nRead: filter alcohol greater than 12")


def test_a_message_sees_the_schema_and_itself_alone() -> None:
    from ttm.lab.learning.second_opinion.adapter import visible

    seen = visible(torch.tensor([[0, 0, 1, 1, 2]]))[0, 0].int().tolist()
    assert seen == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0, 1]]


@pytest.mark.skipif(not packaged_is_installed(), reason="the packaged language model is not installed")
def test_the_model_that_is_taught_is_the_one_that_is_used(tmp_path) -> None:
    from safetensors.numpy import save_file

    from backend.models.small_llama.llama import Llama
    from backend.models.small_llama.weights import BaseWeights, open_base, packed, read_llama
    from ttm.lab.learning.second_opinion.adapter import packs_of, visible
    from ttm.lab.learning.second_opinion.lines import WriterLine
    from ttm.lab.learning.second_opinion.trained_llama import TrainedLlama

    whole = open_base(packaged_weights())
    base = BaseWeights(whole.tensors, whole.tokenizer, layers=2)
    torch.manual_seed(0)
    model = TrainedLlama(base).eval()
    with torch.no_grad():
        for layer in model.layers:
            for matrix in layer.matrices.values():
                matrix.b.normal_(std=0.02)
    stored = {}
    for name, value in model.adapter():
        stored |= dict(packed(name, value)) if value.ndim == 2 else {name: value.astype(np.float16)}
    save_file(stored, tmp_path / "adapter.safetensors")
    llama = Llama(read_llama(base, tmp_path / "adapter.safetensors"))
    lines = [WriterLine("wine", "Say: how many?\nRead:", ("countdata",)), WriterLine("wine", "Say: and why?\nRead:", ("show",))]
    schema = whole.tokenizer.encode("alcohol 0 to 100\n").ids
    (pack,) = packs_of(lines, {"wine": schema}, whole.tokenizer, random.Random(0))
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        taught = model.states(
            *(torch.tensor([one]) for one in (pack.tokens, pack.positions)), visible(torch.tensor([pack.messages]))
        )
    _, before = llama.read(llama.start(), schema)
    for number in (1, 2):
        own = [at for at, message in enumerate(pack.messages) if message == number]
        states, _ = llama.read(before, [pack.tokens[at] for at in own])
        near = torch.cosine_similarity(torch.tensor(states), taught[0, own].float(), dim=-1)
        assert near.min() > 0.99
        assert [pack.targets[at] for at in own if pack.targets[at] >= 0][-1] == 0
