"""Updates of several batches, shares of processes and half precision: what they change, and what they must not."""

import random

import pytest
import torch
from torch import nn

from backend.errors import LanguageModelError
from backend.models.sequence_models.learning import fitting
from backend.models.sequence_models.learning.batches import batches_of
from backend.models.sequence_models.learning.checkpoint import fingerprint
from backend.models.sequence_models.learning.hardware import Hardware, own_share
from backend.models.sequence_models.own import LstmSizes, TransformerSizes, new_own_model
from backend.models.sequence_models.seam import TextPair, Training

PAIRS = [
    TextPair(f"what is the {word} of {number}", f"?x {word} {number}") for word in ("river", "lake") for number in range(9)
]
SMALL = {"lstm": LstmSizes(width=12, dropout=0.0), "transformer": TransformerSizes(12, 2, 1, 12, dropout=0.0)}


def small(kind="transformer"):
    return new_own_model(kind, PAIRS, 0, SMALL[kind])


def weights(model):
    return torch.cat([each.detach().flatten() for each in model.network.parameters()])


def gradients(model):
    return torch.cat([each.grad.flatten() for each in model.network.parameters()])


@pytest.mark.parametrize(("batches", "processes"), [(4, 2), (5, 2), (1, 3), (3, 1), (7, 4)])
def test_every_batch_counts_once_and_every_process_has_as_many(batches, processes):
    shares = [own_share(range(batches), processes, rank) for rank in range(processes)]
    assert sorted(batch for share in shares for batch, counts in share if counts) == list(range(batches))
    assert len({len(share) for share in shares}) == 1


class OneOf(Hardware):
    """A process of several, whose gradients are not exchanged: the test averages them."""

    def __init__(self, processes, rank):
        super().__init__("float32")
        self.processes, self.rank = processes, rank

    def holding_back(self, network, last):
        return torch.enable_grad()


def test_the_mean_of_the_gradients_of_all_processes_is_that_of_one(monkeypatch):
    monkeypatch.setattr(nn.utils, "clip_grad_norm_", lambda *_: None)
    rows = batches_of(PAIRS, small().coder, 4, random.Random(0))[:3]

    def gradient(hardware):
        model = small()
        still = torch.optim.SGD(model.network.parameters(), lr=0.0)
        run = fitting._Run(model.network, model.network, model.coder, still, Training(), hardware, None)
        losses = fitting._update(run, rows)
        return gradients(model), sum(map(float, losses))

    whole, loss = gradient(Hardware("float32"))
    parts = [gradient(OneOf(2, rank)) for rank in range(2)]
    torch.testing.assert_close((parts[0][0] + parts[1][0]) / 2, whole)
    assert parts[0][1] + parts[1][1] == pytest.approx(loss)


def test_two_batches_to_an_update_have_the_gradient_of_one_of_twice_the_size():
    """Adam turns the last bit of a gradient near 0 into a step, so that gradients are compared and not weights."""
    halves, whole = small(), small()
    (one,) = halves.fit(PAIRS, (), Training(epochs=1, batch_size=9, accumulate=2))
    (other,) = whole.fit(PAIRS, (), Training(epochs=1, batch_size=18))
    torch.testing.assert_close(gradients(halves), gradients(whole))
    assert one.training_loss == pytest.approx(other.training_loss)


def test_on_a_processor_auto_is_float32_to_the_last_bit():
    if torch.cuda.is_available():
        pytest.skip("there is a graphics card")
    usual, plain = small("lstm"), small("lstm")
    usual.fit(PAIRS, PAIRS[:4], Training(epochs=1))
    plain.fit(PAIRS, PAIRS[:4], Training(epochs=1, precision="float32"))
    assert torch.equal(weights(usual), weights(plain))


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_half_precision_learns_and_leaves_weights_and_outputs_in_float32(kind):
    model = small(kind)
    epochs = model.fit(PAIRS, PAIRS[:4], Training(epochs=4, batch_size=6, learning_rate=1e-2, precision="bfloat16"))
    assert epochs[-1].training_loss < epochs[0].training_loss
    assert {each.dtype for each in model.network.parameters()} == {torch.float32}
    source, before = torch.tensor([[4, 5]]), torch.tensor([[model.coder.start]])
    assert model.network(source, before).dtype == torch.float32


def test_an_unknown_precision_is_refused():
    with pytest.raises(LanguageModelError, match="no precision int8; valid are auto, float32 and bfloat16"):
        small().fit(PAIRS, (), Training(epochs=1, precision="int8"))


def test_a_run_begun_before_there_were_these_settings_is_the_same_run():
    """A run with other settings is another."""
    assert fingerprint([TextPair("a", "b")], (), Training()) == "1ebe901d82a4bff44b6723c1"  # by the code of then
    usual = fingerprint(PAIRS, (), Training())
    assert usual == fingerprint(PAIRS, (), Training(accumulate=1, precision="auto"))
    assert usual != fingerprint(PAIRS, (), Training(accumulate=2))
    assert usual != fingerprint(PAIRS, (), Training(precision="bfloat16"))
