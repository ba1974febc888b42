"""Models of random weights, which would write nonsense, write sentences of a grammar when they are held to it."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest
from lark import Lark

from backend.errors import LanguageModelError
from backend.models.guided_decoding import GuidedVocabulary, allowed_by, of_vocabulary
from backend.models.language_models import Guide, PackagedModel, packaged_is_installed
from backend.models.language_models.hugging_face import TransformersModel
from backend.models.sequence_models.seam import BeamSearch, TextPair
from benchmarks.guiding_overhead import measure_language_model, measure_sequence_model
from tests.backend.models.guided_decoding import vocabularies
from ttm.language.grammar import grammar_text
from ttm.tabular.data.schema import Feature, FeatureKind, Schema, Target

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch and its libraries, while they are imported

SCHEMA = Schema(
    "t", "o",
    (Feature("age", "age", FeatureKind.NUMERIC, low=0, high=99), Feature("agent", "agent", FeatureKind.NUMERIC, low=0, high=9),
     Feature("purpose", "purpose", FeatureKind.CATEGORICAL, ("new car", "car"))),
    Target("y", ("bad", "good"), (0, 1)),
)  # fmt: skip
TEXT = grammar_text(SCHEMA, numbers=("30",), identifiers=("7",))
LARK = Lark(TEXT, parser="lalr", lexer="contextual")
# As short as can be, so that a model without sense comes to an end.
SHORT = TEXT.replace("(item (JOINER item)*)? END", "item END").replace("(assignment)+", "assignment")
PROMPTS = ["filter age", "explain", "filter age greater than 30 and"]


@pytest.fixture(scope="module")
def llama():
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    torch.set_num_threads(1)
    tokenizer = vocabularies.byte_level()
    config = LlamaConfig(
        vocab_size=len(tokenizer) + 7, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=256, eos_token_id=tokenizer.eos_token_id, initializer_range=0.4,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    model.train(False)
    return model, tokenizer


def test_a_causal_model_writes_sentences_alone_and_in_batches(llama):
    model = TransformersModel("tiny", lambda: llama)
    alone = TransformersModel("tiny", lambda: llama, deterministic=True)
    wanted = [alone.complete(prompt, max_tokens=100, guide=Guide("lark", SHORT)) for prompt in PROMPTS]
    for reply in wanted:
        LARK.parse(reply.text)
        assert reply.log_probability < 0
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(lambda p: model.complete(p, max_tokens=100, guide=Guide("lark", SHORT)), PROMPTS))
    assert [reply.text for reply in together] == [reply.text for reply in wanted]
    for one, other in zip(together, wanted, strict=True):
        assert math.isclose(one.log_probability, other.log_probability, rel_tol=1e-3)
    free = alone.complete(PROMPTS[0], max_tokens=5)
    assert free.text != wanted[0].text[: len(free.text)]  # it would not have written that by itself


def test_a_model_that_can_write_but_one_thing_is_sure_of_it(llama):
    model = TransformersModel("tiny", lambda: llama)
    reply = model.complete("age", max_tokens=50, guide=Guide("lark", 'start: "x"\n'))
    assert reply.text == "x"
    assert reply.log_probability == pytest.approx(0, abs=1e-5)  # a letter has one token, and the end must follow


def test_a_model_in_this_process_takes_lark_only(llama):
    model = TransformersModel("tiny", lambda: llama)
    with pytest.raises(LanguageModelError, match="cannot hold replies to a guide of the kind grammar; valid is lark"):
        model.complete("age", max_tokens=2, guide=Guide("grammar", "root ::= [a-z]+"))
    with pytest.raises(LanguageModelError, match="cannot guide"):
        model.complete("age", max_tokens=2, guide=Guide("lark", "start: nothing\n"))
    assert model.complete("age", max_tokens=2).completion_tokens == 2


@pytest.fixture(scope="module")
def transformer():
    from backend.models.sequence_models.own import new_own_model
    from backend.models.sequence_models.small_transformer import TransformerSizes

    words = "filter age greater than 30 and predict [e] purpose new car agent explain features 7 id".split()
    pairs = [TextPair("a question of some words", " ".join(words))] * 2
    return new_own_model("transformer", pairs, sizes=TransformerSizes(width=32, heads=2, layers=1, inner=32))


@pytest.mark.slow
def test_every_output_of_a_beam_is_a_sentence(transformer):
    vocabulary = GuidedVocabulary(of_vocabulary(transformer.coder))
    texts = (SHORT, SHORT.replace('"30 "', '"7 "'))
    guides = [vocabulary.guidance(text) for text in texts]
    search = BeamSearch(beams=6, max_tokens=60)
    found = transformer.generate(["a question", "some words"], n=6, search=search, allowed=allowed_by(guides))
    for number, candidates in enumerate(found):
        assert len(candidates) > 1
        for each in candidates:
            Lark(texts[number], parser="lalr", lexer="contextual").parse(each.text)


def test_overhead_is_measured_against_the_same_work_without_a_guide(llama, transformer):
    for measured in (
        measure_language_model(TransformersModel("tiny", lambda: llama), [SHORT, TEXT], PROMPTS[:2], most_tokens=60),
        measure_sequence_model(transformer, [SHORT], ["a question"]),
    ):
        assert measured.masks > 5
        assert 0 < measured.compiling < measured.generating
        assert 0 < measured.masking < measured.generating
        assert measured.share == pytest.approx((measured.compiling + measured.masking) / measured.generating)


@pytest.mark.slow
@pytest.mark.skipif(not packaged_is_installed(), reason="the packaged model is not installed")
def test_the_packaged_model_writes_a_sentence():
    prompt = "Question: who is older than 30\nCommand: filter age greater than 30 and show [e]\n\nQuestion: new cars\nCommand:"
    guide = Guide("lark", 'start: " " sentence "\\n\\n"\n' + TEXT.replace("start:", "sentence:", 1))
    reply = PackagedModel(threads=1, log_probabilities=True).complete(prompt, max_tokens=60, stop=["\n"], guide=guide)
    LARK.parse(reply.text.strip())
    assert reply.log_probability < 0
