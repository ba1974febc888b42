"""How people ask for operations that were added: phrases with gaps, looked for before any other reading."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from backend.errors import ParseError
from ttm.language.grammar import grammar_of
from ttm.parsers.understanding import ALONE, DialogueContext, ParseCandidate, Parser, Understanding
from ttm.tabular.data.schema import Schema

# Phrase -> parse, both with {feature} where a column is named. Filled before the start.
PHRASES: dict[str, str] = {}
GAP = "{feature}"


@dataclass(frozen=True)
class AddedPhrasesParser:
    """Reads the added phrases, and leaves everything else to another parser."""

    schema: Schema
    parser: Parser

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding:
        text = " ".join(re.sub(r"[^\w\s]", " ", utterance.lower()).split())
        for phrase, parse in PHRASES.items():
            read = self._read(text, phrase, parse)
            if read is not None:
                return Understanding(utterance, (read,), True)
        return self.parser.understand(utterance, context)

    def _read(self, text: str, phrase: str, parse: str) -> ParseCandidate | None:
        words = " ".join(re.sub(r"[^\w\s{}]", " ", phrase.lower()).split())
        match = re.fullmatch(re.escape(words).replace(re.escape(GAP), "(?P<feature>.+)"), text)
        token = _tokens(self.schema).get(match["feature"]) if match and GAP in words else ""
        if match is None or token is None:
            return None
        try:
            return ParseCandidate(grammar_of(self.schema).read(parse.replace(GAP, token)), 1.0)
        except ParseError:  # not for this data set
            return None


def _tokens(schema: Schema) -> Mapping[str, str]:
    """Columns by all that they are called."""
    return {
        " ".join(name.lower().split()): feature.token
        for feature in schema.features
        for name in (*feature.synonyms, feature.token, feature.name, feature.label)
    }


def with_added_phrases(parser: Parser, schema: Schema) -> Parser:
    """The parser itself where nothing was added."""
    return AddedPhrasesParser(schema, parser) if PHRASES else parser
