"""Whether an utterance is about the data set and its model at all, and what to ask or offer when it is not or is unclear."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ttm.parsers.linker.analysis import UtteranceAnalysis
from ttm.parsers.linker.requests.operation_cues import VOCABULARY, cue_words
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding
from ttm.parsers.linker.unlinked_words import Unused
from ttm.parsers.linker.words.lexicon import lexicon, stem
from ttm.parsers.linker.words.tokens import TokenKind
from ttm.parsers.understanding import ParseCandidate
from ttm.tabular.data.schema import FeatureKind, Schema

SURE = 0.5  # confidence from which a reading is taken without asking
OFFERED = 6
REFUSAL = "I cannot help with that."
UNSURE = "I am not sure what you mean. Did you mean one of these, or can you say it in other words?"
MANNERS = {"thanks": "You are welcome.", "farewell": "Goodbye.", "greeting": "Hello!"}  # by list of words.toml


@dataclass(frozen=True)
class Scope:
    is_in: bool
    unexplained: float


def content_share(analysis: UtteranceAnalysis) -> float:
    """Share of the content words that neither a name, nor a cue, nor the vocabulary of questions explains."""
    strange, known = strange_words(analysis)
    if strange + known == 0:
        return 0.0 if any(not call.cue.weak for call in analysis.calls) else 1.0
    return strange / (strange + known)


def strange_words(analysis: UtteranceAnalysis) -> tuple[int, int]:
    """How many content words are unexplained and explained; each cue counts as one that is."""
    groups, spoken = lexicon().groups, cue_words()
    strange, known = 0, sum(not call.cue.weak for call in analysis.calls)
    for item in analysis.folded.items:
        if item.word.startswith("<"):
            known += item.word != "<n>"
        elif item.token.kind is TokenKind.WORD and item.word not in groups["scope.function"]:
            explained = (
                item.word in lexicon().dimensions
                or item.word in spoken
                or any(item.word in groups[name] for name in VOCABULARY)
            )
            known, strange = known + explained, strange + (not explained)
    return strange, known


ABOUT_ANYTHING = frozenset({"show", "count", "data", "similar", "ranked", "how"})  # `how many bones has a hand`
ANCHORING = ("system", "data", "prediction", "feature", "mistake", "correct")
LOOSE = frozenset("it we your program thing things part parts right information info file element field".split())
LINKED = frozenset({"<f>", "<b>", "<v>", "<g>", "<c>", "<t>", "<i>", "<q>"})


def scope_of(analysis: UtteranceAnalysis, candidates: Sequence[ParseCandidate], unused: Unused) -> Scope:
    """In scope is what names something of the data set, or asks for an operation, without much that nothing explains.

    A guess about something else is worse than no answer, but people also speak of the data in words of their own. So the share
    of words that nothing explains may be the larger the more of the rest is sure.
    """
    share, words = content_share(analysis), set(analysis.folded.words)
    if not candidates or not any(item.word in LINKED or item.token.kind is TokenKind.WORD for item in analysis.reading.items):
        return Scope(False, share)
    if _asks_for_deeds(analysis):
        return Scope(False, share)
    if unused.vague:
        return Scope(share <= 0.5, share)
    if _is_personal(analysis) or _is_adrift(analysis, unused.ground):
        return Scope(False, share)
    strong = any(not call.cue.weak for call in analysis.calls)
    if strong and words & LINKED:
        return Scope(share <= 0.7, share)
    if words & {"<q>", "<i>"}:
        return Scope(share <= 0.5, share)
    if strong:
        return Scope(share < 0.5, share)
    if "my" in words:  # "my account balance"
        return Scope(False, share)
    lost = bool(words & {"<f>", "<g>"}) and bool(unused.lost)
    return Scope(strange_words(analysis)[0] == 0 or (lost and share <= 0.5), share)


def _is_adrift(analysis: UtteranceAnalysis, ground: SchemaGrounding) -> bool:
    """Whether strange words, none of them near the data set, come with a question that could be about anything."""
    if not strange_words(analysis)[0] or LINKED & set(analysis.folded.words) or _is_near(analysis, ground):
        return False
    return {call.cue.family for call in analysis.calls} <= ABOUT_ANYTHING or not _is_anchored(analysis)


def _is_near(analysis: UtteranceAnalysis, ground: SchemaGrounding) -> bool:
    """Whether a word is what the data set calls its rows, or part of a name in it that was not said in full (`loan`)."""
    function = lexicon().groups["scope.function"]
    own = ground.entity if ground.schema.entity != "instances" else frozenset[str]()
    return any(word in own or (word not in function and stem(word) in ground.vocabulary) for word in analysis.folded.words)


def _is_anchored(analysis: UtteranceAnalysis) -> bool:
    """Whether a word speaks of the model or its data: `what causes cancer` asks for reasons, but of nothing that is here."""
    groups, words = lexicon().groups, analysis.folded.words
    if any(call.cue.family in ("score", "mistake") for call in analysis.calls):
        return True
    anchors = any(word in groups[name] for word in words for name in ANCHORING if word not in LOOSE)
    return anchors or any(word.startswith(("predict", "classif")) for word in words[1:])


def _is_personal(analysis: UtteranceAnalysis) -> bool:
    """`your mother`, `my birthday`."""
    words = analysis.folded.words
    return any(one in ("my", "your") and two in lexicon().groups["scope.personal"] for one, two in pairwise(words))


def _asks_for_deeds(analysis: UtteranceAnalysis) -> bool:
    """A command to do something to the world: delete, send, write, buy."""
    groups = lexicon().groups
    first = [item.word for item in analysis.folded.items[:8] if item.word not in groups["scope.polite"]]
    return bool(first) and first[0] in groups["scope.deeds"]


def question_back(
    analysis: UtteranceAnalysis,
    candidates: Sequence[ParseCandidate],
    scope: Scope,
    schema: Schema,
    unused: Unused,
    utterance: str,
) -> str | None:
    """What to ask the person, or None if the best reading can stand."""
    if not scope.is_in:
        asks = any(call.cue.family in ("count", "compare", "ranked", "score", "statistic") for call in analysis.calls)
        if asks and unused.lost and not _asks_for_deeds(analysis):
            return unused.question(utterance)
        return f"{_manners(analysis)} {offer(schema)}"
    if candidates and unused.must_be_asked:
        return unused.question(utterance)
    if candidates and candidates[0].confidence >= SURE:
        return None
    if analysis.questions:
        if "For example" in analysis.questions[0]:
            return analysis.questions[0]
        return f"{analysis.questions[0]} For example: {columns(analysis, schema)}."
    if not candidates:
        return f"I did not understand that. {offer(schema)}"
    return UNSURE


def _manners(analysis: UtteranceAnalysis) -> str:
    """What to say first: words of manners alone are returned, all else that is out of scope is refused."""
    groups = lexicon().groups
    spoken = {item.word for item in analysis.reading.items if item.token.kind is TokenKind.WORD}
    meant = {group: spoken & groups[f"scope.{group}"].whole for group in MANNERS}
    if spoken - groups["scope.civil"].whole - set().union(*meant.values()):
        return REFUSAL
    return next((MANNERS[group] for group, words in meant.items() if words), REFUSAL)


def columns(analysis: UtteranceAnalysis, schema: Schema) -> str:
    """Names of a few columns, those first that the numbers of the utterance could belong to."""
    numbers = [item.token.value for item in analysis.reading.items if item.is_number]
    ground = SchemaGrounding(schema)
    numeric = [feature for feature in schema.features if feature.kind is FeatureKind.NUMERIC]
    fitting = [feature for feature in numeric if all(ground.fits(feature, number) for number in numbers)]
    named = [feature.label for feature in (fitting or numeric or schema.features)[:OFFERED]]
    return ", ".join(named)


def offer(schema: Schema) -> str:
    """The nearest things that can be asked, in the words of the data set."""
    feature = schema.features[0].label if schema.features else "a column"
    return (
        "I can answer questions about this data and the model's predictions: for instance why it predicts something, how "
        f"important {feature} is, what would change a prediction, or how often the model is right."
    )
