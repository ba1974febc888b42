"""The default parser: links the words of an utterance to the data set and reads its structure by rules kept in data files.

It needs no training and no model, so a new data set can be asked at once. An utterance is cut into tokens, typing errors are
corrected, names linked, ids, numbers and properties read as conditions or changes, and cue phrases as operations; what comes
out is written in the parse language and read back through the grammar, so every candidate is valid.
"""

from collections.abc import Iterator, Sequence

from ttm.language.grammar import Grammar, grammar_of
from ttm.parsers.linker.alternatives import DraftSurface, Whole, drafts
from ttm.parsers.linker.analysis import UtteranceAnalysis, analyse
from ttm.parsers.linker.conditions.date_conditions import with_dates
from ttm.parsers.linker.confidence import Evidence, confidence_of
from ttm.parsers.linker.references.back_references import is_elliptical, speaks_of_persons
from ttm.parsers.linker.references.row_ids import announced_ids
from ttm.parsers.linker.requests.operation_cues import cue_vocabulary
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding, SurfacePart
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.schema_linking.reading import UtteranceItem, build_reading
from ttm.parsers.linker.scope import content_share, question_back, scope_of
from ttm.parsers.linker.unlinked_words import Unused
from ttm.parsers.linker.words.lexicon import lexicon
from ttm.parsers.linker.words.phrases import settled
from ttm.parsers.linker.words.spelling import Speller
from ttm.parsers.linker.words.tokens import UtteranceToken, tokenise, with_codes
from ttm.parsers.understanding import ALONE, DialogueContext, ParseCandidate, Understanding
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

MOST_CANDIDATES = 5
WITHOUT_ROWS = frozenset({"model", "function", "self", "followup", "define"})


def _plurals(schema: Schema) -> set[str]:
    """Classes of one word each as nouns: "how many bads?"."""
    classes = [str(name).lower() for name in schema.target.classes]
    return {f"{name}s" for name in classes if name.isalpha() and len(name) > 2}


class LinkingParser:
    """Parses utterances about one data set. Build once per schema; may be used from several threads."""

    def __init__(self, schema: Schema) -> None:
        self._ground = SchemaGrounding(schema)
        self._linker = Linker(schema)
        self._grammar: Grammar = grammar_of(schema)
        self._values = frozenset(str(value).lower() for feature in schema.features for value in feature.values)
        self._has_dates = any(feature.kind is FeatureKind.DATE for feature in schema.features)
        texts = [text for feature in schema.features for text in (feature.label, feature.token, *feature.synonyms)]
        names = {token.text for text in texts for token in tokenise(text)} | self._linker.vocabulary
        names |= _plurals(schema)
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

    def announced_ids(self, tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention]) -> frozenset[str]:
        """The ids that the tokens of an utterance, with the names in it, say to be such."""
        return announced_ids(build_reading(tokens, mentions, self._ground.nouns), self._ground.nouns)

    def spelled(self, tokens: Sequence[UtteranceToken]) -> list[UtteranceToken]:
        """The tokens without typing errors in words that matter here."""
        return self._speller.correct(list(tokens))

    def _tokens(self, utterance: str) -> list[UtteranceToken]:
        tokens = tokenise(utterance)
        if self._ground.schema.id_name is not None:
            tokens = with_codes(tokens, utterance, self._values)
        if self._has_dates:
            tokens = with_dates(tokens)
        return settled(self._speller.correct(tokens), self._linker.compounds)

    def _candidates(self, analysis: UtteranceAnalysis, context: DialogueContext, unused: Unused) -> list[ParseCandidate]:
        strange = content_share(analysis)
        weak = any(call.cue.weak for call in analysis.calls)
        candidates: list[ParseCandidate] = []
        for draft in self._drafts(analysis, context, unused):
            parse = self._grammar.read_if_valid(draft.surface)
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
            candidates.append(ParseCandidate(parse, min(confidence_of(evidence), least)))
            if len(candidates) == MOST_CANDIDATES:
                break
        return candidates

    def _drafts(self, analysis: UtteranceAnalysis, context: DialogueContext, unused: Unused) -> Iterator[DraftSurface]:
        """Surfaces from the likeliest on: as analysed, then with one thing read in another way."""
        operations, guessed = self._operations(analysis)
        back = self._back(analysis, operations, context)
        whole = Whole(analysis.filters, analysis.changes, tuple(operations), tuple(back), guessed)
        return drafts(analysis, whole, unused, self._ground)

    def _operations(self, analysis: UtteranceAnalysis) -> tuple[list[SurfacePart], bool]:
        """What is asked; if no cue says it, the question before, or what is natural for what was said. True if guessed.

        Messages such as `women over 40` ask for nothing in words. What people expect then goes by what they named: rows are
        shown, a change or a made-up case is predicted, a lone column is summed up.
        """
        operations = [part for part in analysis.operations if part.text]
        again = any(call.cue.family == "previousoperation" for call in (*analysis.calls, *analysis.rivals))
        guessable = {"predict", "show", "previousoperation"}
        bare = all(call.cue.family in guessable and (call.cue.weak or call.cue.gives == "predict") for call in analysis.calls)
        if again and bare and not _asks_prediction(analysis):
            return [SurfacePart(0, 1, "previousoperation")], False
        if operations:
            return operations, False
        guess = self._unspoken(analysis)
        return [] if guess is None else [guess], True

    def _unspoken(self, analysis: UtteranceAnalysis) -> SurfacePart | None:
        predicted = SurfacePart(0, 1, "likelihood" if self._ground.is_classification else "predict")
        named = _features(analysis, "<f>")
        if analysis.versus and len(named) == 1:  # `how do red and white wines differ in alcohol`
            return SurfacePart(0, 1, f"statistic {named[0].token}")
        if analysis.versus or analysis.instance is not None:
            return predicted
        if analysis.changes:
            return SurfacePart(0, 1, "predict")
        if any(part.text for part in analysis.filters):
            return SurfacePart(0, 1, "show")
        features = _features(analysis, "<f>", "<g>", "<b>")
        if features and not analysis.filters:
            return SurfacePart(0, 1, f"statistic {features[0].token}", 0.5)
        return predicted if {"<c>", "<t>"} & set(analysis.folded.words) else None

    def _back(self, analysis: UtteranceAnalysis, operations: Sequence[SurfacePart], context: DialogueContext) -> list[str]:
        """`previousfilter` where the rows of before are meant: by a word that points at them, or by what is left out."""
        if any(part.text in WITHOUT_ROWS or part.text.startswith("define") for part in operations):
            return []
        texts = [part.text for part in operations]
        named = any(part.text for part in analysis.filters) or analysis.instance is not None
        continues = context.has_previous_filter and not named
        back = continues and speaks_of_persons(analysis.reading)
        if "previousoperation" in texts:
            back = back or (analysis.back and not named and _points_plainly(analysis))
        else:
            back = back or analysis.back or (continues and is_elliptical(analysis.folded, texts))
        return ["previousfilter"] if back else []


def _features(analysis: UtteranceAnalysis, *kinds: str) -> list[Feature]:
    return [item.feature for item in analysis.folded.items if item.word in kinds and item.feature]


def _points_plainly(analysis: UtteranceAnalysis) -> bool:
    words = analysis.reading.words
    return any(word in ("these", "those") for word in words)


def _asks_prediction(analysis: UtteranceAnalysis) -> bool:
    """Whether the prediction is asked for in so many words, not only `what happens`."""
    groups = lexicon().groups
    asked = ("predict", "classif")
    return any(word in groups["prediction"] or word.startswith(asked) or word == "class" for word in analysis.folded.words)


def _is_contested(analysis: UtteranceAnalysis) -> bool:
    """Whether another operation was named as tellingly as the ones that were heard."""
    heard = max((call.weight for call in analysis.calls), default=0)
    return any(not call.cue.weak and call.weight >= max(heard, 2) for call in analysis.rivals)


def _counts_shown(analysis: UtteranceAnalysis, item: UtteranceItem, words: set[str]) -> bool:
    """`show me the first 5 rows`: how many to show is not part of the language."""
    at = analysis.reading.items.index(item)
    return "show" in words and any(word in lexicon().groups["entity"] for word in analysis.reading.words[at + 1 : at + 2])


def _leftover(analysis: UtteranceAnalysis, surface: str) -> int:
    """Features and numbers that were said but have no place in the surface."""
    words = set(surface.split())
    count = 0
    for item in analysis.reading.items:
        if item.is_number and item.word == "<n>" and not _counts_shown(analysis, item, words):
            count += item.token.text not in words and item.token.form not in ("percent", "decade")
        elif item.feature is not None and item.mention is not None:
            count += all(name.feature is None or name.feature.token not in words for name in item.mention.names)
    return count
