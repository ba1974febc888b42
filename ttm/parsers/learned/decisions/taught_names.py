"""Names that people's corrections taught for one data set: `sugar level` for its column `glucose`.

They lie beside the weights, by the columns of the data set, and are read again when the file has changed.
"""

import hashlib
import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ttm.parsers.linker.words.lexicon import lexicon, stem
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Schema

TaughtNames = Mapping[tuple[str, ...], str]  # stems of the words, and the key of the item that they mean

_LOCK = threading.Lock()
_KNOWN: dict[tuple[Path, int], dict[str, dict[tuple[str, ...], str]]] = {}


def names_file(weights: Path) -> Path:
    return weights.with_name(f"{weights.stem}_names.json")


def schema_key(schema: Schema) -> str:
    """The same for every load of a data set with these columns and classes."""
    text = "|".join([*(feature.token for feature in schema.features), *map(str, schema.target.classes)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def phrase_of(tokens: Iterable[UtteranceToken]) -> tuple[str, ...]:
    """The words of a span that can be a name, as stems."""
    stop = lexicon().groups["linking.stop"]
    return tuple(stem(token.text) for token in tokens if token.kind is TokenKind.WORD and token.text not in stop)


def taught_columns(tokens: Sequence[UtteranceToken], names: TaughtNames) -> frozenset[str]:
    """The columns of which a message speaks by a name that was taught, for a column or one of its values."""
    words = phrase_of(tokens)
    taught = {key for phrase, key in names.items() if any(words[at : at + len(phrase)] == phrase for at in range(len(words)))}
    return frozenset(key.partition("=")[0] for key in taught if not key.startswith("class "))


def taught_names(weights: Path, schema: Schema) -> TaughtNames:
    """What was taught about a data set; nothing, where nothing was."""
    path = names_file(weights)
    if not path.is_file():
        return {}
    key = (path, path.stat().st_mtime_ns)
    with _LOCK:
        if key not in _KNOWN:
            _KNOWN.clear()
            stored = json.loads(path.read_text(encoding="utf-8"))
            _KNOWN[key] = {
                name: {tuple(phrase.split()): item for phrase, item in names.items()} for name, names in stored.items()
            }
        return _KNOWN[key].get(schema_key(schema), {})


def write_taught_names(weights: Path, schema: Schema, names: TaughtNames) -> None:
    """Keep the names of one data set; those of others stay."""
    path = names_file(weights)
    stored = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    stored[schema_key(schema)] = {" ".join(phrase): item for phrase, item in sorted(names.items())}
    path.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", encoding="utf-8")
