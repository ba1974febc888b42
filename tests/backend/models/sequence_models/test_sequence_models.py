"""The seam to sequence-to-sequence models: search against brute force, training, and what lies on disk."""

import itertools
import json
import math
import shutil
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.errors import LanguageModelError
from backend.models.sequence_models.decoding import beam_search
from backend.models.sequence_models.opening import load, to_train
from backend.models.sequence_models.scripted import ScriptedSequenceModel
from backend.models.sequence_models.seam import BeamSearch, GeneratedText, TextPair, Training
from backend.models.sequence_models.vocabulary import read_vocabulary, vocabulary_of

pytestmark = pytest.mark.slow

WORDS = "capital currency river mayor anthem lake".split()
PAIRS = [
    TextPair(f"What is the {word} of #entity1# in {year}?", f"#entity1# ns:location.country.{word} ?x . ?x > '' {year} ``")
    for word in WORDS
    for year in range(1990, 2000)
]
QUICK = Training(epochs=3, batch_size=16, learning_rate=3e-3)


class TableModel:
    """What follows depends on the source and the last two tokens alone, by a table drawn at random."""

    start, end = 0, 1

    def __init__(self, seed: int, vocabulary: int = 4) -> None:
        logits = np.random.default_rng(seed).normal(size=(2, vocabulary, vocabulary, vocabulary)) * 2
        logits[..., self.start] = -np.inf
        self.table = logits - np.log(np.exp(logits).sum(-1, keepdims=True))

    def encode(self, sources):
        return [(int(each), ()) for each in sources]

    def step(self, state, parents, tokens):
        after = [(state[p][0], (*state[p][1], int(t))) for p, t in zip(parents, tokens, strict=True)]
        return np.stack([self.after(source, prefix[1:]) for source, prefix in after]), after

    def after(self, source, prefix):
        before, last = (self.start, self.start, *prefix)[-2:]
        return self.table[source, before, last]

    def probability(self, source, tokens):
        whole = [*tokens, self.end]
        return sum(self.after(source, whole[:place])[token] for place, token in enumerate(whole))


def every_sequence(model, source, length):
    words = [t for t in range(model.table.shape[-1]) if t not in (model.start, model.end)]
    found = [t for size in range(length) for t in itertools.product(words, repeat=size)]
    return sorted(found, key=lambda t: -model.probability(source, t))


def diverse_by_definition(model, source, search):
    """Diverse beam search of one source as the paper writes it, a list of prefixes at a time."""
    width = search.beams // search.groups
    alive, done = [[((), 0.0)] for _ in range(search.groups)], [[] for _ in range(search.groups)]
    for _ in range(search.max_tokens):
        earlier = Counter()
        for group in range(search.groups):
            if len(done[group]) == width and alive[group] and done[group][-1][1] >= max(s for _, s in alive[group]):
                alive[group] = []
            options = [
                ((*prefix, token), score + logp - search.penalty * earlier[token])
                for prefix, score in alive[group]
                for token, logp in enumerate(model.after(source, prefix))
                if np.isfinite(logp)
            ]
            options = sorted(options, key=lambda option: -option[1])[: 2 * width]
            done[group] += [(p[:-1], s) for rank, (p, s) in enumerate(options) if p[-1] == model.end and rank < width]
            done[group] = sorted(done[group], key=lambda option: -option[1])[:width]
            alive[group] = [(p, s) for p, s in options if p[-1] != model.end][:width]
            earlier.update(prefix[-1] for prefix, _ in alive[group])
    return [ended or sorted(cut, key=lambda option: -option[1]) for ended, cut in zip(done, alive, strict=True)]


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_a_beam_wide_enough_for_all_finds_what_brute_force_finds(seed):
    model = TableModel(seed)
    found = beam_search(model, ["0", "1"], 12, BeamSearch(beams=64, max_tokens=4))
    for source in (0, 1):
        best = every_sequence(model, source, 4)[:12]
        assert [each.tokens for each in found[source]] == best
        expected = [model.probability(source, each) for each in best]
        assert [each.log_probability for each in found[source]] == pytest.approx(expected)


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.sampled_from([(4, 2), (6, 3), (4, 1), (3, 3)]), st.sampled_from([0.0, 0.7, 1.5]))
def test_diverse_search_chooses_as_the_definition_says(seed, shape, penalty):
    model, search = TableModel(seed, 6), BeamSearch(*shape, penalty=penalty, max_tokens=6)
    done = diverse_by_definition(model, 0, search)
    found = beam_search(model, ["0"], 99, search)[0]
    assert {each.tokens for each in found} == {tokens for group in done for tokens, _ in group}
    firsts = list(dict.fromkeys(group[0][0] for group in done if group))
    assert [each.tokens for each in found[: len(firsts)]] == firsts


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_without_a_penalty_every_group_is_a_plain_beam(seed):
    model = TableModel(seed, 6)
    plain = beam_search(model, ["0"], 9, BeamSearch(beams=3, max_tokens=6))
    groups = beam_search(model, ["0"], 9, BeamSearch(beams=9, groups=3, penalty=0.0, max_tokens=6))
    assert [each.tokens for each in groups[0]] == [each.tokens for each in plain[0]]
    assert beam_search(model, ["0"], 9, BeamSearch(beams=3, groups=1, penalty=1.5, max_tokens=6)) == plain


def test_sources_in_one_batch_do_not_touch_each_other():
    model, search = TableModel(3, 6), BeamSearch(beams=4, groups=2, penalty=1.5, max_tokens=6)
    together = beam_search(model, ["0", "1", "0"], 9, search)
    alone = [beam_search(model, [each], 9, search)[0] for each in "010"]
    assert [[h.tokens for h in each] for each in together] == [[h.tokens for h in each] for each in alone]


def test_a_constraint_leaves_only_what_it_allows():
    model = TableModel(5, 6)
    found = beam_search(model, ["0"], 20, BeamSearch(beams=40, max_tokens=4), lambda source, prefix: {1, 2 + len(prefix) % 2})[
        0
    ]
    assert {each.tokens for each in found} == {(), (2,), (2, 3), (2, 3, 2)}
    assert beam_search(model, ["0"], 3, BeamSearch(beams=2, max_tokens=4), lambda source, prefix: ()) == [[]]


def test_length_power_ranks_by_the_mean():
    model = TableModel(11)
    found = beam_search(model, ["0"], 30, BeamSearch(beams=64, max_tokens=4, length_power=1.0))[0]
    means = [each.log_probability / (len(each.tokens) + 1) for each in found]
    assert means == sorted(means, reverse=True)


def test_beams_must_divide_among_groups():
    with pytest.raises(ValueError, match="evenly"):
        BeamSearch(beams=10, groups=3)


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=40))
def test_a_vocabulary_gives_every_text_back_that_has_only_letters_it_knows(text):
    vocabulary = vocabulary_of([], [text, "?x ns:a.b.c #entity1# . ?x ns:a.b.c '' 1990 ``^^xsd:datetime ##"])
    tokens = vocabulary.encode_target(text)
    assert tokens[-1] == vocabulary.end
    assert vocabulary.decode(tokens[:-1]) == " ".join(text.split())


def test_unseen_words_and_numbers_are_spelt_and_predicates_are_whole(tmp_path):
    vocabulary = vocabulary_of([p.source for p in PAIRS], [p.target for p in PAIRS])
    assert len(vocabulary.encode_target("ns:location.country.river")) == 2
    for text in ("'' 7105 ``", "a nice tie"):
        assert vocabulary.decode(vocabulary.encode_target(text)) == text
    assert "\ufffd" in vocabulary.decode(vocabulary.encode_source("żółw"))
    vocabulary.save(tmp_path / "v.json")
    assert read_vocabulary(tmp_path / "v.json") == vocabulary


def small(kind, seed=0):
    """A model of our own, small enough for a test."""
    from backend.models.sequence_models.own import LstmSizes, TransformerSizes, new_own_model

    sizes = {"lstm": LstmSizes(width=32), "transformer": TransformerSizes(width=32, heads=2, layers=2, inner=64)}
    return new_own_model(kind, PAIRS, seed, sizes[kind])


def tiny_hub_model(folder, kind="bart"):
    """An untrained BART or T5 with a tokenizer that has words but, as T5's, no mark such as < or `."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast, T5Config
    from transformers import T5ForConditionalGeneration as T5

    texts = " ".join(f"{pair.source} {pair.target}" for pair in PAIRS)
    words = sorted({word for word in texts.split() if "`" not in word and word != ">"})
    index = {word: number for number, word in enumerate(["<s>", "<pad>", "</s>", "<unk>", *words])}
    raw = Tokenizer(models.WordLevel(index, unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    single = "<s> $A </s>" if kind == "bart" else "$A </s>"
    raw.post_processor = processors.TemplateProcessing(single=single, special_tokens=[("<s>", 0), ("</s>", 2)])
    names = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, **names)
    if kind == "bart":
        sizes = {f"{side}_{name}": n for side in ("encoder", "decoder") for name, n in
                 (("layers", 1), ("attention_heads", 2), ("ffn_dim", 32))}  # fmt: skip
        special = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}
        model = BartForConditionalGeneration(BartConfig(vocab_size=len(index), d_model=32, **sizes, **special))
    else:
        special = {"pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
        model = T5(T5Config(vocab_size=len(index), d_model=32, d_kv=16, d_ff=32, num_layers=1, num_heads=2, **special))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(params=["lstm", "transformer", "bart", "t5"])
def model(request, tmp_path):
    import torch

    if request.param in ("lstm", "transformer"):
        return small(request.param)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return load(tiny_hub_model(tmp_path / "hub", request.param))


def test_token_by_token_and_all_at_once_agree(model):
    """Caches, masks and reordered beams are right if step by step gives the likelihood of the whole."""
    import torch

    from backend.models.sequence_models.torch_model import _Steps

    model.fit(PAIRS, (), QUICK)
    sources = ["What is the river of #entity1# in 1995?", "lake", "What is the what is the what is the mayor of #entity1# ?"]
    coder, search = model.coder, BeamSearch(beams=6, groups=2, penalty=1.0, max_tokens=15)
    with torch.inference_mode():
        going_on = range(5, 25)
        found = beam_search(
            _Steps(model.network, coder), sources, 5, search, lambda _, prefix: None if len(prefix) > 9 else going_on
        )
        for source, hypotheses in zip(sources, found, strict=True):
            assert max(len(each.tokens) for each in hypotheses) > 9
            for each in hypotheses:
                tokens = [*each.tokens, coder.end] if len(each.tokens) < 15 else list(each.tokens)
                told = torch.tensor([coder.encode_source(source)]), torch.tensor([[coder.start, *tokens[:-1]]])
                whole = model.network(*told)[0].log_softmax(-1)[torch.arange(len(tokens)), tokens].sum()
                assert float(whole) == pytest.approx(each.log_probability, abs=2e-3)


def test_a_model_learns_and_is_the_same_after_saving(model, tmp_path):
    before = model.log_likelihood(PAIRS[0].source, PAIRS[0].target)
    epochs = model.fit(PAIRS, PAIRS[::7], Training(epochs=20, batch_size=8, learning_rate=1e-2, patience=None))
    assert epochs[-1].validation_loss < epochs[0].validation_loss / 2
    right = model.log_likelihood(PAIRS[0].source, PAIRS[0].target)
    assert right > before / 2
    model.save(tmp_path / "saved")
    assert {each.suffix for each in (tmp_path / "saved").iterdir()} <= {".json", ".safetensors"}
    again = load(tmp_path / "saved")
    assert again.log_likelihood(PAIRS[0].source, PAIRS[0].target) == pytest.approx(right, abs=1e-5)
    # Weights read from a file lie at other addresses, and the kernels of a CPU may round the last bit by the alignment.
    [read], [kept] = (each.generate([PAIRS[3].source], 3) for each in (again, model))
    assert [each.text for each in read] == [each.text for each in kept]
    assert [each.log_probability for each in read] == pytest.approx([each.log_probability for each in kept], abs=1e-5)


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_an_interrupted_run_ends_as_an_uninterrupted_one(kind, tmp_path):
    def stop(epoch, share, result):
        if epoch == 3 and share > 0.3:
            raise KeyboardInterrupt

    training = Training(epochs=4, batch_size=16, learning_rate=3e-3, patience=None)
    whole = small(kind)
    epochs = whole.fit(PAIRS, PAIRS[:6], training, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        small(kind).fit(PAIRS, PAIRS[:6], training, tmp_path / "cut", stop)
    seen = []
    resumed = small(kind)
    again = resumed.fit(PAIRS, PAIRS[:6], training, tmp_path / "cut", lambda epoch, share, result: seen.append(epoch))
    assert min(seen) == 3
    assert [each.training_loss for each in again] == [each.training_loss for each in epochs]
    assert resumed.log_likelihood("lake", "?x") == whole.log_likelihood("lake", "?x")


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    small("lstm").fit(PAIRS, (), QUICK, tmp_path)
    with pytest.raises(LanguageModelError, match="other data or settings"):
        small("lstm").fit(PAIRS[1:], (), QUICK, tmp_path)
    (next(tmp_path.glob("epoch-*")) / "optimizer.safetensors").write_bytes(b"nothing")
    with pytest.raises(LanguageModelError, match="cannot be used"):
        small("lstm").fit(PAIRS, (), QUICK, tmp_path)


def test_training_stops_when_validation_gets_no_better_and_keeps_the_best():
    model = small("transformer")
    strange = [TextPair("what ?", "mayor mayor mayor")]
    epochs = model.fit(PAIRS, strange, Training(epochs=50, batch_size=8, learning_rate=1e-2, patience=2))
    best = min(epochs, key=lambda each: each.validation_loss)
    assert len(epochs) == best.number + 2 < 50
    tokens = len(model.coder.encode_target(strange[0].target))
    assert -model.log_likelihood("what ?", "mayor mayor mayor") / tokens == pytest.approx(best.validation_loss, abs=1e-4)


def test_the_seed_decides_everything_and_leaves_the_global_generator_alone():
    import torch

    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    one, same, other = (small("transformer", seed).fit(PAIRS, (), Training(epochs=1, seed=seed)) for seed in (4, 4, 5))
    assert one[0].training_loss == same[0].training_loss != other[0].training_loss
    assert torch.equal(before, torch.random.get_rng_state())


def test_nothing_to_learn_from_is_refused():
    with pytest.raises(LanguageModelError, match="nothing to learn"):
        small("lstm").fit([])


def test_marks_that_a_tokenizer_lacks_are_added_before_training(tmp_path):
    model = load(tiny_hub_model(tmp_path / "hub", "t5"))
    target = "?x . '' ` >"
    assert "`" not in model.coder.decode(model.coder.encode_target(target))
    model.fit([TextPair("?", target)], (), Training(epochs=1))
    assert model.coder.decode(model.coder.encode_target(target)) == target


def test_what_is_no_model_is_told_in_one_sentence(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(LanguageModelError, match="this folder does not hold"):
        load(tmp_path / "empty")
    with pytest.raises(LanguageModelError, match="neither on this computer nor"):
        load("nobody/has-such-a-model")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "sequence_model.json").write_text('{"kind": "gru"}')
    with pytest.raises(LanguageModelError, match="not a whole sequence model"):
        load(tmp_path / "broken")
    small("lstm").save(tmp_path / "cut")
    weights = tmp_path / "cut" / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(LanguageModelError, match="not a whole sequence model"):
        load(tmp_path / "cut")


def test_a_decoder_alone_is_refused(tmp_path):
    from transformers import GPT2Config

    GPT2Config(n_layer=1, n_head=1, n_embd=8).save_pretrained(tmp_path)
    with pytest.raises(LanguageModelError, match="no encoder-decoder"):
        load(tmp_path)


def test_a_kind_of_ours_is_made_new_and_a_folder_is_gone_on_with(tmp_path):
    small("lstm").save(tmp_path / "model")
    assert to_train(str(tmp_path / "model"), PAIRS).name == "lstm"
    shutil.rmtree(tmp_path / "model")
    with pytest.raises(LanguageModelError):
        to_train(str(tmp_path / "model"), PAIRS)


def test_the_fake_says_what_it_was_told_and_remembers(tmp_path):
    fake = ScriptedSequenceModel({"a": [GeneratedText("b", -0.5), GeneratedText("c", -1.0)]})
    assert fake.generate(["a", "z"], 1) == [(GeneratedText("b", -0.5),), ()]
    assert (fake.log_likelihood("a", "c"), fake.log_likelihood("a", "d"), fake.sources) == (-1.0, -math.inf, ["a", "z"])
    fake.fit([TextPair("z", "y")])
    fake.save(tmp_path)
    assert json.loads((tmp_path / "scripted.json").read_text())["z"] == [["y", 0.0]]
