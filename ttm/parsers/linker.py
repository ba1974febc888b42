"""The default parser: links the words of an utterance to the data set and reads its structure by rules kept in data files.

It needs no training and no model, so a new data set can be asked at once. An utterance is cut into tokens, typing errors are
corrected, names linked, ids, numbers and properties read as conditions or changes, and cue phrases as operations; what comes
out is written in the parse language and read back through the grammar, so every candidate is valid.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from backend.errors import ParseError
from ttm.grammar import Grammar, grammar_of
from ttm.parse import Parse
from ttm.parsers.analysis import Analysis, analyse
from ttm.parsers.arguments import Builder
from ttm.parsers.composition import compose, selection_surface
from ttm.parsers.confidence import Evidence, confidence_of
from ttm.parsers.dates import with_dates
from ttm.parsers.grounding import Ground, Part
from ttm.parsers.lexicon import lexicon
from ttm.parsers.linking import Linker
from ttm.parsers.operations import Call, cue_vocabulary
from ttm.parsers.phrases import settled
from ttm.parsers.references import is_elliptical, speaks_of_persons
from ttm.parsers.scope import content_share, question_back, scope_of
from ttm.parsers.spelling import Speller
from ttm.parsers.tokens import Token, tokenise, with_codes
from ttm.parsers.understanding import ALONE, Candidate, DialogueContext, Understanding
from ttm.parsers.unused import Unused
from ttm.schema import Kind, Schema

MOST_CANDIDATES = 5
TWINS = {  # operations that the same words often ask for
    "mistake sample": ("mistake typical",), "mistake typical": ("mistake sample",), "predict": ("likelihood",),
    "likelihood": ("predict",), "explain features": ("important all",), "important all": ("explain features",),
    "score default": ("score accuracy",), "show": ("data",), "data": ("show",), "countdata": ("show",),
}  # fmt: skip
WITHOUT_ROWS = frozenset({"model", "function", "self", "followup", "define"})


@dataclass(frozen=True)
class _Draft:
    """A surface before it is read by the grammar, with what makes it doubtful."""

    surface: str
    doubt: float
    guessed: bool


@dataclass(frozen=True)
class _Reading:
    """The parts of one draft; `either` joins the filters by the other word than the utterance seems to say."""

    filters: tuple[Part, ...]
    changes: tuple[Part, ...]
    operations: tuple[Part, ...]
    back: tuple[str, ...]
    guessed: bool
    either: bool = False


class LinkingParser:
    """Parses utterances about one data set. Build once per schema; may be used from several threads."""

    def __init__(self, schema: Schema) -> None:
        self._ground = Ground(schema)
        self._linker = Linker(schema)
        self._grammar: Grammar = grammar_of(schema)
        self._values = frozenset(str(value).lower() for feature in schema.features for value in feature.values)
        self._has_dates = any(feature.kind is Kind.DATE for feature in schema.features)
        texts = [text for feature in schema.features for text in (feature.label, feature.token, *feature.synonyms)]
        names = {token.text for text in texts for token in tokenise(text)} | self._linker.vocabulary
        self._speller = Speller(lexicon().vocabulary | cue_vocabulary() | names, names)

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding:
        """Up to five readings of an utterance, best first. Never raises; text without sense is out of scope."""
        tokens = self._tokens(utterance)
        analysis = analyse(tokens, self._linker, self._ground)
        unused = Unused(analysis, self._ground)
        candidates = self._candidates(analysis, context, unused)
        scope = scope_of(analysis, candidates, unused)
        question = question_back(analysis, candidates, scope, self._ground.schema, unused, utterance)
        return Understanding(utterance, tuple(candidates), scope.is_in, question, unused.words(utterance))

    def _tokens(self, utterance: str) -> list[Token]:
        tokens = tokenise(utterance)
        if self._ground.schema.id_name is not None:
            tokens = with_codes(tokens, utterance, self._values)
        if self._has_dates:
            tokens = with_dates(tokens)
        return settled(self._speller.correct(tokens), self._linker.compounds)

    def _candidates(self, analysis: Analysis, context: DialogueContext, unused: Unused) -> list[Candidate]:
        strange = content_share(analysis)
        weak = any(call.cue.weak for call in analysis.calls)
        candidates: list[Candidate] = []
        for draft in self._drafts(analysis, context, unused):
            parse = self._read(draft.surface)
            if parse is None or not parse.steps or any(str(parse) == str(other.parse) for other in candidates):
                continue
            evidence = Evidence(
                doubt=draft.doubt,
                weak=weak,
                guessed=draft.guessed,
                strange=strange,
                leftover=_leftover(analysis, draft.surface),
                contested=_is_contested(analysis),
                unresolved=len(analysis.questions),
                rank=len(candidates),
                lost=len(unused.lost) + 4 * unused.must_be_asked,
            )
            least = candidates[-1].confidence if candidates else 1.0
            candidates.append(Candidate(parse, min(confidence_of(evidence), least)))
            if len(candidates) == MOST_CANDIDATES:
                break
        return candidates

    def _read(self, surface: str) -> Parse | None:
        try:
            return self._grammar.read(surface)
        except ParseError:
            return None

    def _drafts(self, analysis: Analysis, context: DialogueContext, unused: Unused) -> Iterator[_Draft]:
        """Surfaces from the likeliest on: as analysed, then with one thing read in another way."""
        operations, guessed = self._operations(analysis)
        back = self._back(analysis, operations, context)
        whole = _Reading(analysis.filters, analysis.changes, tuple(operations), tuple(back), guessed)
        yield self._draft(analysis, whole)
        if unused.vague:  # what "old people" may mean
            bounded = Part(0, 1, unused.bounded, 0.5)
            yield self._draft(analysis, replace(whole, filters=(*analysis.filters, bounded)))
            yield self._draft(analysis, replace(whole, operations=(Part(0, 1, f"compare {unused.vague[0][1].token}", 0.5),)))
        for place, part in enumerate(analysis.filters):
            for other in part.others:
                filters = (*analysis.filters[:place], replace(part, text=other), *analysis.filters[place + 1 :])
                yield self._draft(analysis, replace(whole, filters=filters))
        for rival in _rivals(analysis):
            parts = tuple(part for part in Builder(analysis.folded, self._ground).build(rival) if part.text)
            if parts:
                yield self._draft(analysis, replace(whole, operations=parts, guessed=False))
        for place, part in enumerate(operations):
            for twin in TWINS.get(part.text, ()):
                turned = (*operations[:place], replace(part, text=twin), *operations[place + 1 :])
                yield self._draft(analysis, replace(whole, operations=turned))
        if len(analysis.filters) > 1:
            yield self._draft(analysis, replace(whole, either=True))
        if operations and not analysis.filters:
            yield self._draft(analysis, replace(whole, back=() if back else ("previousfilter",)))

    def _draft(self, analysis: Analysis, whole: "_Reading") -> _Draft:
        selection = selection_surface(whole.filters, analysis.reading, analysis.versus, whole.either)
        if analysis.instance is not None:
            selection = [("and", analysis.instance.text), *selection]
        doubt = sum(part.doubt for part in [*whole.filters, *whole.changes, *whole.operations])
        return _Draft(compose(whole.back, selection, whole.changes, whole.operations), doubt, whole.guessed)

    def _operations(self, analysis: Analysis) -> tuple[list[Part], bool]:
        """What is asked; if no cue says it, the question before, or what is natural for what was said. True if guessed."""
        operations = [part for part in analysis.operations if part.text]
        again = any(call.cue.family == "previousoperation" for call in (*analysis.calls, *analysis.rivals))
        guessable = {"predict", "show", "previousoperation"}
        bare = all(call.cue.family in guessable and (call.cue.weak or call.cue.gives == "predict") for call in analysis.calls)
        if again and bare and not _asks_prediction(analysis):
            return [Part(0, 1, "previousoperation")], False
        if operations:
            return operations, False
        words = analysis.folded.words
        if analysis.versus or analysis.instance is not None:
            return [Part(0, 1, "likelihood" if self._ground.is_classification else "predict")], True
        if analysis.changes:
            return [Part(0, 1, "predict")], True
        if any(part.text for part in analysis.filters):
            return [Part(0, 1, "show")], True
        features = [item.feature for item in analysis.folded.items if item.word in ("<f>", "<g>", "<b>") and item.feature]
        if features and not analysis.filters:
            return [Part(0, 1, f"statistic {features[0].token}", 0.5)], True
        if "<c>" in words or "<t>" in words:
            return [Part(0, 1, "likelihood" if self._ground.is_classification else "predict")], True
        return [], True

    def _back(self, analysis: Analysis, operations: Sequence[Part], context: DialogueContext) -> list[str]:
        if any(part.text in WITHOUT_ROWS or part.text.startswith("define") for part in operations):
            return []
        again = any(part.text == "previousoperation" for part in operations)
        named = any(part.text for part in analysis.filters) or analysis.instance is not None
        if again:
            wanted = context.has_previous_filter and not named and speaks_of_persons(analysis.reading)
            return ["previousfilter"] if wanted or (analysis.back and not named and _points_plainly(analysis)) else []
        if analysis.back or (context.has_previous_filter and not named and speaks_of_persons(analysis.reading)):
            return ["previousfilter"]
        if context.has_previous_filter and not named and is_elliptical(analysis.folded, [part.text for part in operations]):
            return ["previousfilter"]
        return []


def _points_plainly(analysis: Analysis) -> bool:
    words = analysis.reading.words
    return any(word in ("these", "those") for word in words)


def _asks_prediction(analysis: Analysis) -> bool:
    """Whether the prediction is asked for in so many words, not only `what happens`."""
    groups = lexicon().groups
    return any(word in groups["prediction"] or word.startswith("predict") for word in analysis.folded.words)


def _rivals(analysis: Analysis) -> list[Call]:
    """The most telling silenced cue of each family, at most three."""
    best: dict[str, Call] = {}
    for call in analysis.rivals:
        known = best.get(call.cue.family)
        if known is None or call.weight > known.weight:
            best[call.cue.family] = call
    return sorted(best.values(), key=lambda call: (call.cue.weak, -call.weight))[:3]


def _is_contested(analysis: Analysis) -> bool:
    """Whether another operation was named as tellingly as the ones that were heard."""
    heard = max((call.weight for call in analysis.calls), default=0)
    return any(not call.cue.weak and call.weight >= max(heard, 2) for call in analysis.rivals)


def _leftover(analysis: Analysis, surface: str) -> int:
    """Features and numbers that were said but have no place in the surface."""
    words = set(surface.split())
    count = 0
    for item in analysis.reading.items:
        if item.is_number and item.word == "<n>":
            count += item.token.text not in words and item.token.form not in ("percent", "decade")
        elif item.feature is not None and item.mention is not None:
            count += all(name.feature is None or name.feature.token not in words for name in item.mention.names)
    return count
