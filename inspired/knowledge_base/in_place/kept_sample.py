"""The sample of a large knowledge base, taken once and kept in a file."""

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from inspired.knowledge_base.in_place.facts import Fact, InPlaceFacts
from inspired.logical_form.forms import Entity, Literal

FOLDER = Path.home() / ".cache" / "parley" / "knowledge-bases"


def kept_sample(where: str, facts: InPlaceFacts) -> list[Fact]:
    """Some facts of each property and class of the knowledge base at `where`: read from a folder, or taken and kept there.

    A store that has changed since is sampled again.
    """
    path = FOLDER / f"{hashlib.blake2b(_stamp(where).encode(), digest_size=12).hexdigest()}.jsonl"
    if path.is_file():
        with suppress(ValueError, OSError, LookupError):
            return [_read(line) for line in path.read_text(encoding="utf-8").splitlines()]
    sample = list(facts.sample())
    if sample:
        _write(path, sample)
    return sample


def _stamp(where: str) -> str:
    path = Path(where)
    if "://" in where or not path.exists():
        return where
    return f"{path.resolve()} {path.stat().st_mtime_ns}"


def _write(path: Path, sample: Iterable[Fact]) -> None:
    with suppress(OSError):  # a folder that cannot be written to only costs the time of another sample
        path.parent.mkdir(parents=True, exist_ok=True)
        made = path.with_suffix(".new")
        made.write_text("".join(f"{json.dumps(_fields(each))}\n" for each in sample), encoding="utf-8")
        made.replace(path)


def _fields(fact: Fact) -> list[str | None]:
    subject, predicate, node = fact
    end = [node.id] if isinstance(node, Entity) else [node.text, node.datatype, node.language]
    return [subject, predicate, *end]


def _read(line: str) -> Fact:
    subject, predicate, *end = json.loads(line)
    return subject, predicate, Entity(end[0]) if len(end) == 1 else Literal(*end)
