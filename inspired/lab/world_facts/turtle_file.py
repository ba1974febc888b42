"""Writes triples as one sorted Turtle file, the same bytes for the same triples."""

import gzip
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from inspired.lab.world_facts.facts import Triple
from inspired.logical_form.forms import FREEBASE, XSD

PREFIXES = f"@prefix ns: <{FREEBASE}> .\n@prefix xsd: <{XSD}> .\n"


def turtle(triples: Iterable[Triple]) -> str:
    """A block a subject, a line a predicate, all in the order of their ids."""
    blocks = [PREFIXES]
    for subject, about in groupby(sorted(triples), key=lambda triple: triple[0]):
        lines = [
            f" ns:{predicate} {', '.join(object_ for _, _, object_ in same)}"
            for predicate, same in groupby(about, key=lambda triple: triple[1])
        ]
        blocks.append(f"ns:{subject}" + ";\n".join(lines) + " .\n")
    return "".join(blocks)


def write(path: Path, triples: Iterable[Triple]) -> None:
    """Compressed without a time stamp, so that two builds are alike to the byte. Raises OSError."""
    path.write_bytes(gzip.compress(turtle(triples).encode(), compresslevel=9, mtime=0))
