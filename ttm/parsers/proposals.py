"""From the texts that a model proposes to an Understanding: read by the grammar, calibrated, and held against the question.

What a model proposes for words that are not about the data is worth nothing, however sure the model is; the default parser,
which takes a millisecond, says whether they are.
"""

from collections.abc import Iterable

from ttm.language.grammar import grammar_of
from ttm.language.parse import Parse
from ttm.parsers.calibration import AS_IS, Calibration
from ttm.parsers.linker.linking_parser import LinkingParser
from ttm.parsers.linker.scope import SURE, UNSURE, offer
from ttm.parsers.understanding import ALONE, DialogueContext, ParseCandidate, Understanding
from ttm.tabular.data.schema import Schema

MOST_CANDIDATES = 5
LONGEST = 1_000  # characters that a model is shown; nobody's question is longer, and time grows with the length


class Proposals:
    """Reads what a model proposes for utterances about one data set."""

    def __init__(self, schema: Schema, calibration: Calibration = AS_IS) -> None:
        self._schema, self.calibration = schema, calibration
        self._grammar = grammar_of(schema)
        self._scope = LinkingParser(schema)

    def understanding(
        self, utterance: str, proposed: Iterable[tuple[str, float]], context: DialogueContext = ALONE
    ) -> Understanding:
        """`proposed` are texts of parses with raw scores 0 to 1, best first; what the grammar cannot read is left out."""
        read: dict[str, tuple[Parse, float]] = {}
        for text, score in proposed:
            parse = self._read(text)
            if parse is not None and len(read) < MOST_CANDIDATES:
                read.setdefault(str(parse), (parse, score))
        confidences = self.calibration.confidences([score for _, score in read.values()])
        candidates = tuple(ParseCandidate(parse, sure) for (parse, _), sure in zip(read.values(), confidences, strict=True))
        judged = self._scope.understand(utterance, context)
        if not judged.in_scope:
            return Understanding(utterance, candidates, False, judged.question)
        return Understanding(utterance, candidates, True, self._question(candidates))

    def _question(self, candidates: tuple[ParseCandidate, ...]) -> str | None:
        if not candidates:
            return f"I did not understand that. {offer(self._schema)}"
        return None if candidates[0].confidence >= SURE else UNSURE

    def _read(self, text: str) -> Parse | None:
        parse = self._grammar.read_if_valid(text)
        return parse if parse is not None and parse.steps else None
