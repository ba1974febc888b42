"""The parsers of the dialogue engine: from an utterance to the parse language. All stand behind one seam, `Parser.understand`.

`opening.py` opens any of them by name; here is the one that needs nothing but a schema.
"""

import logging

from backend.errors import LanguageModelError
from ttm.parsers.learned.answering import POLICY, POLICY_OF_TWO, AskingPolicy
from ttm.parsers.learned.learned_parser import LearnedParser
from ttm.parsers.learned.second_opinion.second_reader import second_reader
from ttm.parsers.linker.linking_parser import LinkingParser
from ttm.parsers.understanding import ALONE, DialogueContext, ParseCandidate, Parser, Understanding
from ttm.tabular.data.schema import Schema

DEFAULT = "learned"


def default_parser(schema: Schema, policy: AskingPolicy | None = None, second: bool = True) -> Parser:
    """The parser that works at once for any data set: the learned one, or rules alone where its word vectors are not to be had
    (they come with `make install`, or from the hub). `second`: ask the packaged language model as well, where it is there."""
    try:
        reader = second_reader(schema) if second else None
        return LearnedParser(schema, policy=policy or (POLICY if reader is None else POLICY_OF_TWO), second=reader)
    except LanguageModelError as error:
        logging.getLogger(__name__).warning("Questions are understood by rules alone: %s", error.message)
        return LinkingParser(schema)


__all__ = [
    "ALONE",
    "DEFAULT",
    "DialogueContext",
    "LearnedParser",
    "LinkingParser",
    "ParseCandidate",
    "Parser",
    "Understanding",
    "default_parser",
]
