"""The model in NumPy beside transformers, and a tree of tokens beside each of its paths alone."""

from functools import partial

import numpy as np
import pytest

from backend.errors import LanguageModelError
from backend.jobs import side_by_side
from backend.models.small_llama.llama import Llama
from backend.models.small_llama.weights import GROUP, HEADS, KEY_HEADS, LlamaWeights, Matrix8, packed, read_adapter

WIDTH, INNER, WORDS, LAYERS = 4 * HEADS, 64, 50, 3
SHAPES = {
    "q": (WIDTH, WIDTH), "k": (4 * KEY_HEADS, WIDTH), "v": (4 * KEY_HEADS, WIDTH), "o": (WIDTH, WIDTH),
    "gate": (INNER, WIDTH), "up": (INNER, WIDTH), "down": (WIDTH, INNER),
}  # fmt: skip
# The names of transformers.
NAMES = {
    "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj", "o": "self_attn.o_proj",
    "gate": "mlp.gate_proj", "up": "mlp.up_proj", "down": "mlp.down_proj",
}  # fmt: skip


def matrix(rng: np.random.Generator, shape: tuple[int, int]) -> Matrix8:
    return Matrix8(rng.integers(-127, 128, shape).astype(np.int8), rng.uniform(0.001, 0.004, shape[0]).astype(np.float32))


@pytest.fixture(scope="module")
def weights() -> LlamaWeights:
    rng = np.random.default_rng(0)
    layers = tuple({name: matrix(rng, shape) for name, shape in SHAPES.items()} for _ in range(LAYERS))
    norms = tuple(rng.uniform(0.5, 1.5, (2, WIDTH)).astype(np.float32) for _ in range(LAYERS))
    return LlamaWeights(matrix(rng, (WORDS, WIDTH)), layers, norms, rng.uniform(0.5, 1.5, WIDTH).astype(np.float32))


def whole(matrix: Matrix8) -> np.ndarray:
    return matrix.rows(np.arange(len(matrix.values)))


def test_states_are_those_of_transformers(weights: LlamaWeights) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        vocab_size=WORDS, hidden_size=WIDTH, intermediate_size=INNER, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS, rms_norm_eps=1e-5, rope_parameters={"rope_type": "default", "rope_theta": 100_000.0},
    )  # fmt: skip
    model = transformers.LlamaModel(config).eval()
    state = {"embed_tokens.weight": whole(weights.embedding), "norm.weight": weights.last}
    for at, (matrices, norms) in enumerate(zip(weights.layers, weights.norms, strict=True)):
        state |= {f"layers.{at}.{NAMES[name]}.weight": whole(one) for name, one in matrices.items()}
        state |= {f"layers.{at}.input_layernorm.weight": norms[0], f"layers.{at}.post_attention_layernorm.weight": norms[1]}
    model.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    tokens = [3, 14, 15, 9, 26, 5]
    llama = Llama(weights)
    states, _ = llama.read(llama.start(), tokens)
    with torch.no_grad():
        expected = model(torch.tensor([tokens])).last_hidden_state[0].numpy()
    np.testing.assert_allclose(states, expected, atol=2e-4)


def test_a_tree_is_read_as_each_of_its_paths_alone(weights: LlamaWeights) -> None:
    llama = Llama(weights)
    _, before = llama.read(llama.start(), [1, 2, 3])
    #  7 - 8 - 9
    #    \ 10 - 11
    #  12
    states, _ = llama.read(before, [7, 8, 9, 10, 11, 12], [-1, 0, 1, 0, 3, -1])
    for path, tokens in (([0, 1, 2], [7, 8, 9]), ([0, 3, 4], [7, 10, 11]), ([5], [12])):
        alone, _ = llama.read(llama.start(), [1, 2, 3, *tokens])
        np.testing.assert_allclose(states[path], alone[3:], atol=1e-4)


def test_what_was_read_can_be_taken_up_at_any_token(weights: LlamaWeights) -> None:
    llama = Llama(weights)
    _, first = llama.read(llama.start(), [1, 2])
    _, branches = llama.read(first, [7, 8], [-1, -1])
    both = first.with_(branches)
    states, _ = llama.read(both.of(np.array([0, 1, 3])), [9])
    alone, _ = llama.read(llama.start(), [1, 2, 8, 9])
    np.testing.assert_allclose(states[0], alone[-1], atol=1e-4)


def test_several_cores_read_as_one_also_for_many_at_once(weights: LlamaWeights) -> None:
    alone = Llama(weights, cores=1)
    texts = [[*range(at, at + 4 + at % 5)] for at in range(12)]
    expected = [alone.read(alone.start(), text)[0] for text in texts]
    shared = Llama(weights, cores=3)
    for text, states in zip(texts, expected, strict=True):  # by three threads each
        np.testing.assert_allclose(shared.read(shared.start(), text)[0], states, atol=1e-4)
    for states in side_by_side([partial(shared.read, shared.start(), text) for text in texts], 4):
        np.testing.assert_allclose(states[0], expected.pop(0), atol=1e-4)


def test_an_adapter_in_four_bits_is_near_what_was_packed(tmp_path) -> None:
    from safetensors.numpy import save_file

    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(40, GROUP * 3)).astype(np.float32)
    norm = rng.uniform(0.5, 1.5, 8).astype(np.float16)
    save_file(dict(packed("layers.0.q.a", matrix)) | {"norm.weight": norm}, tmp_path / "adapter.safetensors")
    read = read_adapter(tmp_path / "adapter.safetensors")
    largest = np.abs(matrix.reshape(-1, GROUP)).max(axis=1)
    worst = np.abs(read["layers.0.q.a"] - matrix).reshape(-1, GROUP).max(axis=1)
    assert (worst <= largest / 7 * 0.51).all()  # half a step of each group
    np.testing.assert_array_equal(read["norm.weight"], norm.astype(np.float32))


def test_a_file_that_is_no_adapter_is_named(tmp_path) -> None:
    broken = tmp_path / "adapter.safetensors"
    broken.write_bytes(b"no adapter")
    with pytest.raises(LanguageModelError, match=r"adapter\.safetensors"):
        read_adapter(broken)
