"""Parsers: from what a person says to the parse language. All stand behind one seam, `Parser.understand`."""

from collections.abc import Callable

from ttm.parsers.linker import LinkingParser
from ttm.parsers.understanding import ALONE, Candidate, DialogueContext, Parser, Understanding
from ttm.schema import Schema

DEFAULT = "linker"

PARSERS: dict[str, Callable[[Schema], Parser]] = {
    "linker": LinkingParser,
}


def default_parser(schema: Schema) -> Parser:
    """The parser that works at once and offline for any data set."""
    return PARSERS[DEFAULT](schema)


__all__ = [
    "ALONE", "DEFAULT", "PARSERS", "Candidate", "DialogueContext", "LinkingParser", "Parser", "Understanding", "default_parser",
]  # fmt: skip
