"""Causal language models through transformers: a batch, the cache and the stops change nothing of greedy decoding."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from backend.errors import LanguageModelError, SettingsError
from backend.models.language_models import Guide, Message, PackagedModel, packaged_is_installed, packaged_through_transformers
from backend.models.language_models.hugging_face import TransformersModel, open_transformers
from backend.models.language_models.prompt_cache import PromptCache, shared_length

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch and its libraries, while they are imported

WORDS = "the river ends in a lake and starts on hill one two three four five six seven eight nine ten so what".split()
SHARED = "the river ends in a lake and starts on hill"
PROMPTS = [f"{SHARED} {tail}" for tail in ("one two three", "four", "five six seven eight nine ten so", "two")]


@pytest.fixture(scope="module")
def parts():
    """A Llama of random weights and a tokenizer of whole words, both in memory."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(0)
    torch.set_num_threads(1)
    vocabulary = {word: place for place, word in enumerate(["<unk>", "<end>", *WORDS])}
    plain = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, unk_token="<unk>", eos_token="<end>")
    config = LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=64, eos_token_id=1, initializer_range=0.4,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    model.train(False)
    return model, tokenizer


def greedy(parts, prompt, count):
    """What transformers itself gives for one prompt alone."""
    model, tokenizer = parts
    given = tokenizer(prompt, return_tensors="pt")
    told = model.generate(
        input_ids=given.input_ids, attention_mask=given.attention_mask, max_new_tokens=count, do_sample=False, pad_token_id=0
    )
    return tokenizer.decode(told[0, given.input_ids.shape[1] :], skip_special_tokens=True)


def test_alone_it_is_the_greedy_decoding_of_the_library(parts):
    model = TransformersModel("tiny", lambda: parts)
    for prompt in PROMPTS:
        reply = model.complete(prompt, max_tokens=8)
        assert reply.text == greedy(parts, prompt, 8)
        assert reply.prompt_tokens == len(prompt.split())
        assert (reply.cached_tokens >= len(SHARED.split())) == (prompt != PROMPTS[0])  # they begin like the first


def test_calls_that_wait_together_are_answered_together_and_equal(parts):
    model = TransformersModel("tiny", lambda: parts)
    model.complete(PROMPTS[0], max_tokens=1)
    asked = [PROMPTS[i % 4] for i in range(12)]
    started = threading.Barrier(12)

    def ask(prompt):
        started.wait()
        return model.complete(prompt, max_tokens=8).text

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(ask, asked)) == [greedy(parts, prompt, 8) for prompt in asked]
    assert model.batches < 1 + 12  # some were answered in one go


def test_deterministic_means_alone_and_anew(parts):
    model = TransformersModel("tiny", lambda: parts, deterministic=True)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda p: model.complete(p, max_tokens=5).text, PROMPTS)) == [
            greedy(parts, prompt, 5) for prompt in PROMPTS
        ]
    assert model.batches == 4


def test_stops_before_the_first_of_the_stop_texts(parts):
    whole = greedy(parts, PROMPTS[0], 8)
    third = whole.split()[2]
    reply = TransformersModel("tiny", lambda: parts).complete(PROMPTS[0], max_tokens=8, stop=[third, "never"])
    assert reply.text == whole[: whole.index(third)]
    assert reply.completion_tokens <= 3


def test_says_what_it_cannot_do(parts, tmp_path):
    model = TransformersModel("tiny", lambda: parts)
    with pytest.raises(LanguageModelError, match="no chat template"):
        model.chat([Message("user", "what")], max_tokens=2)
    with pytest.raises(LanguageModelError, match="takes 1 to 64 tokens"):
        model.complete("one " * 60, max_tokens=8)
    with pytest.raises(LanguageModelError, match="cannot hold replies to a guide"):
        model.complete("one", max_tokens=2, guide=Guide("grammar", "root ::= [a-z]+"))
    with pytest.raises(LanguageModelError, match="this folder does not hold a causal language model"):
        open_transformers(str(tmp_path)).complete("one", max_tokens=2)
    assert model.complete("one", max_tokens=2).prompt_tokens == 1  # a refusal leaves nothing behind


def test_a_folder_is_read_and_a_chat_template_is_used(parts, tmp_path):
    model, tokenizer = parts
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    saved = open_transformers(str(tmp_path))
    assert saved.complete(PROMPTS[0], max_tokens=8).text == greedy(parts, PROMPTS[0], 8)
    _, read = saved._load()
    read.chat_template = "{% for m in messages %}{{ m.content }} {% endfor %}so"
    chatting = TransformersModel("tiny", lambda: (model, read))
    assert chatting.chat([Message("system", "the"), Message("user", "river")], max_tokens=6).text == greedy(
        parts, "the river so", 6
    )


def test_a_cache_always_leaves_a_token_to_compute():
    assert shared_length((1, 2, 3), (1, 2, 4), (1, 2)) == 2
    assert PromptCache().start([(1, 2)]) == (0, None)


@pytest.mark.slow
@pytest.mark.skipif(not packaged_is_installed(), reason="the packaged model is not installed")
def test_the_packaged_weights_say_the_same_through_both_engines():
    pytest.importorskip("gguf")
    pytest.importorskip("accelerate")
    prompt = "Question: What is the capital of France?\nAnswer: Paris\n\nQuestion: What is the capital of Italy?\nAnswer:"
    through = packaged_through_transformers()
    assert through.complete(prompt, max_tokens=8, stop=["\n"]).text.strip() == "Rome"
    served = PackagedModel(deterministic=True, threads=1).complete(prompt, max_tokens=8, stop=["\n"])
    assert served.text.strip() == "Rome"
    assert through.complete(prompt, max_tokens=8, stop=["\n"]).prompt_tokens == served.prompt_tokens


def test_without_the_reader_of_its_file_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"not installed: pip install 'parley\[local\]'"):
        packaged_through_transformers()
