"""Asks the language model about one message: how likely each reading is, and which one it would write itself.

The model is SmolLM2-135M, which comes with Parley, with an adapter that was trained on the corpus. Schema and message are read
once; the readings, which begin alike, are read as a tree. Where the model would go on in another way than all of them, it
writes that way to its end, token by token.
"""

import hashlib
import logging
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from backend.errors import LanguageModelError
from backend.models.language_models.packaged import WEIGHTS, packaged_weights
from backend.models.small_llama.kept_weights import Merged, kept
from backend.models.small_llama.llama import Floats, Llama, ReadTokens
from backend.models.small_llama.weights import open_base, read_llama
from ttm.parsers.learned.decoder.decoder_file import read_words
from ttm.parsers.learned.decoder.symbols import LISTED, VERDICTS
from ttm.parsers.learned.encoder.network import LEARNED
from ttm.parsers.learned.second_opinion.prompt import message_text, schema_text, state_text
from ttm.parsers.learned.second_opinion.read_ahead import ReadAhead, draft_of
from ttm.parsers.learned.second_opinion.token_tree import ROOT, tree_of
from ttm.parsers.understanding import DialogueContext
from ttm.tabular.data.schema import Schema

if TYPE_CHECKING:
    from tokenizers import Tokenizer

END = 0  # the token that ends a text
LONGEST = 48  # tokens of a reading that the model writes
LONGEST_SCHEMA = 640  # tokens; what follows is cut off
SIGNS = " 0123456789.-_<>/:,+"  # what names and numbers are made of, beside words
END_OF_PARSE = " [e]"


@dataclass(frozen=True)
class SecondOpinion:
    """Log-probabilities of the readings that were asked about and of each of VERDICTS, and the text of the reading that the
    model itself would write, if it is none of these, with its log-probability."""

    readings: tuple[float, ...]
    verdicts: dict[str, float]
    written: str | None = None
    written_log_probability: float = 0.0

    def merged(self, same: Sequence[bool]) -> "SecondOpinion":
        """The opinion without what the model wrote where it means the `same` as readings, which then count as written."""
        if not any(same):
            return self
        pairs = zip(self.readings, same, strict=True)
        own = tuple(float(np.logaddexp(one, self.written_log_probability)) if is_same else one for one, is_same in pairs)
        return SecondOpinion(own, self.verdicts)


@dataclass(frozen=True)
class ParseWriter:
    """The language model with its tokenizer."""

    llama: Llama
    tokenizer: "Tokenizer"

    def tokens(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)


def adapter_file(weights: Path) -> Path:
    return weights.with_name(f"{weights.stem}_adapter.safetensors")


def second_reader(schema: Schema, weights: Path = LEARNED) -> "SecondReader | None":
    """The reader for a data set, which gets ready beside what follows; None where its language model is not at hand."""
    if not (WEIGHTS.is_at_hand and adapter_file(weights).is_file()):
        return None
    reader = SecondReader(schema, weights)
    threading.Thread(target=reader.get_ready, daemon=True).start()
    return reader


class SecondReader:
    """Gives second opinions about one data set. Safe in threads; the model is loaded when it is needed, once a process."""

    def __init__(self, schema: Schema, weights: Path = LEARNED) -> None:
        self._schema = schema
        self._weights = weights
        self._lock = threading.Lock()

    def get_ready(self) -> bool:
        """Load the model and read the schema; whether that could be done."""
        try:
            with self._lock:
                self._read_schema  # noqa: B018
        except (LanguageModelError, ImportError) as error:
            logging.getLogger(__name__).warning("There is no second opinion on what was asked: %s", error)
            return False
        return True

    def opinion(self, utterance: str, context: DialogueContext, readings: Sequence[Sequence[str]]) -> SecondOpinion | None:
        """What the model thinks of some readings, each in one or more texts of the parse language that mean the same; None
        where it cannot be loaded."""
        if not self._is_ready:
            return None
        writer = self._writer
        stated = [_with_listed_open(one, context, utterance) for forms in readings for one in forms]
        texts = [[*writer.tokens(f" {text}"), END] for text in (*stated, *VERDICTS)]
        prompt = writer.tokens(state_text(context) + message_text(utterance))
        tree = tree_of(texts)
        count = len(prompt)
        parents = [*range(-1, count - 1), *(at + count if at != ROOT else count - 1 for at in tree.parents)]
        start = self._read_schema
        states, read = writer.llama.read(start, [*prompt, *tree.tokens], parents)
        choice = np.unique([*self._vocabulary, *prompt, *(token for text in texts for token in text)])
        rows = writer.llama.rows(choice)
        column = {int(token): at for at, token in enumerate(choice)}
        following = _log_softmax(states[count - 1 :] @ rows.T)  # row 0: after the prompt; then after each token of the tree
        scores = [
            sum(float(following[at + 1, column[token]]) for at, token in zip([ROOT, *path], text, strict=True))
            for path, text in zip(tree.paths, texts, strict=True)
        ]
        own = iter(scores)
        of_readings = tuple(float(np.logaddexp.reduce([next(own) for _ in forms])) for forms in readings)
        opinion = SecondOpinion(of_readings, dict(zip(VERDICTS, own, strict=True)))
        ahead = ReadAhead(tree, following, start.with_(read), len(start.positions) + count)
        written = self._written(ahead, texts, choice, rows, max(scores))
        if written is None:
            return opinion
        text, score = written
        return SecondOpinion(opinion.readings, opinion.verdicts, f"{text.strip()}{END_OF_PARSE}", score)

    def _written(
        self, ahead: ReadAhead, texts: Sequence[Sequence[int]], choice: npt.NDArray[np.int64], rows: Floats, least: float
    ) -> tuple[str, float] | None:
        """What the model writes, always the likeliest token, with its log-probability; None if that is one of `texts`, or
        becomes less likely than `least`."""
        writer = self._writer
        tokens, total = list[int](), 0.0
        while len(tokens) < LONGEST:
            best = int(ahead.scores.argmax())
            token, total = int(choice[best]), total + float(ahead.scores[best])
            if total < least:
                return None
            if token == END:
                return None if [*tokens, END] in texts else (writer.tokenizer.decode(tokens), total)
            tokens.append(token)
            if not ahead.goes_on_with(token):
                before = ahead.written()
                draft = tree_of([[token, *draft_of(tokens, texts), END]])
                states, read = writer.llama.read(before, draft.tokens)
                following = _log_softmax(states[[0, *range(len(states))]] @ rows.T)  # row 0 is for nothing: it is past that
                ahead = ReadAhead(draft, following, before.with_(read), len(before.positions), [0])
        return None

    @cached_property
    def _is_ready(self) -> bool:
        return self.get_ready()

    @cached_property
    def _writer(self) -> ParseWriter:
        return parse_writer(adapter_file(self._weights))

    @cached_property
    def _read_schema(self) -> ReadTokens:
        tokens = self._writer.tokens(schema_text(self._schema))[:LONGEST_SCHEMA]
        return self._writer.llama.read(self._writer.llama.start(), tokens)[1]

    @cached_property
    def _vocabulary(self) -> tuple[int, ...]:
        """The tokens that a reading may be made of: words of the language, names and values of the data set, signs."""
        words = (part for word in read_words(self._weights) for part in (word, *word.split("-")))
        texts = [*words, LISTED, *SIGNS, *schema_text(self._schema).split(), *self._values()]
        encode = self._writer.tokens
        return tuple({END, *(token for text in texts for form in (text, f" {text}") for token in encode(form))})

    def _values(self) -> Iterable[str]:
        return (feature.value_token(value) for feature in self._schema.features for value in feature.values)


def parse_writer(adapter: Path) -> ParseWriter:
    """The packaged model with an adapter, loaded once. Raises LanguageModelError."""
    with _LOADING:
        return _loaded(adapter, adapter.stat().st_mtime_ns)


_LOADING = threading.Lock()


@lru_cache(maxsize=1)
def _loaded(adapter: Path, modified: int) -> ParseWriter:
    """`modified` is only there to tell a later version apart."""
    file = packaged_weights()

    def merged() -> Merged:
        base = open_base(file)
        return read_llama(base, adapter), base.tokenizer

    weights, tokenizer = kept(hashlib.sha256(WEIGHTS.sha256.encode() + adapter.read_bytes()).hexdigest(), merged)
    return ParseWriter(Llama(weights), tokenizer)


def _with_listed_open(text: str, context: DialogueContext, utterance: str) -> str:
    """A reading without its end; ids of rows that were shown and that the message does not state stand open."""
    for row in context.listed:
        if row not in utterance:
            text = f"{text} ".replace(f"filter id {row} ", f"filter id {LISTED} ").rstrip()
    return text.removesuffix(END_OF_PARSE)


def _log_softmax(scores: Floats) -> Floats:
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), np.float32)
