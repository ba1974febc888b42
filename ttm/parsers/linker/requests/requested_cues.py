"""Which of the cues of an utterance are requests, and which only introduce, name or illustrate what is asked."""

from collections.abc import Sequence

from ttm.parsers.linker.requests.operation_cues import CueMatch, cue_book
from ttm.parsers.linker.schema_linking.grounding import SurfacePart
from ttm.parsers.linker.schema_linking.reading import UtteranceReading
from ttm.parsers.linker.words.lexicon import lexicon

LISTING = frozenset({"important", "define", "distribution", "effect", "correlate", "interact"})
INTRODUCING = frozenset(
    "check consider considering look looking take taking focus focusing given regarding concerning among when".split()
)


def brief_sentences(folded: UtteranceReading) -> frozenset[int]:
    """Sentences of a word or two, such as "Why?" after a question."""
    return frozenset(number for number, (first, last) in enumerate(folded.bounds)
                     if last - first <= 2 and number and folded.bounds[number - 1][1] < first)  # fmt: skip


def without_examples(heard: list[CueMatch], folded: UtteranceReading) -> list[CueMatch]:
    """ "Can you show examples" after a clause about mistakes asks for examples of those."""
    asking = [call for call in heard if not _is_occasion(folded, call.clause)]
    heard = asking or heard
    if len(heard) > 1:
        heard = [call for call in heard if call.cue.family != "show" or not _introduces(folded, call.clause)]
    if not any(call.cue.family == "mistake" for call in heard):
        return heard
    return [call for call in heard if call.cue.family != "show" or not _asks_examples(folded, call.clause)]


def _introduces(folded: UtteranceReading, clause: int) -> bool:
    """`Looking at those with ..., what ...`: says which rows are meant and asks for nothing; a single row is shown."""
    words = folded.words[slice(*folded.bounds[clause])]
    return "<i>" not in words and bool(INTRODUCING & set(words[:4]))


def without_names(heard: list[CueMatch], folded: UtteranceReading) -> list[CueMatch]:
    """The `average` of a column such as `average_glucose` asks for no average where something else is asked about the column;
    the "top 4" of a ranking asks for no features."""
    items = folded.items
    about = {call.clause for call in heard if call.cue.family in LISTING}
    inside = [
        call
        for call in heard
        if call.cue.family == "statistic"
        and call.clause in about
        and call.start + 1 < len(items)
        and items[call.start].token is items[call.start + 1].token
    ]
    if any(call.cue.family == "ranked" for call in heard):
        features = lexicon().groups["feature"]
        inside += [
            call
            for call in heard
            if call.cue.gives == "topk" and not any(word in features for word in folded.words[call.start : call.end])
        ]
    return [call for call in heard if call not in inside]


def _is_occasion(folded: UtteranceReading, clause: int) -> bool:
    """`When it comes to predicting ..., how often ...`: says what the question is about."""
    words = folded.words[slice(*folded.bounds[clause])]
    return words[:1] == ["when"] and words[1:2] != [] and words[1] not in lexicon().groups["auxiliary"]


def _asks_examples(folded: UtteranceReading, clause: int) -> bool:
    words = folded.words[slice(*folded.bounds[clause])]
    return "<i>" not in words and bool({"example", "examples", "instances", "some"} & set(words))


def requests(folded: UtteranceReading, changes: Sequence[SurfacePart]) -> list[CueMatch]:
    """The cues of a reading. Where a change is supposed, "what would happen" asks for its effect, not for another change."""
    features = lexicon().groups["feature"]
    calls = [
        call
        for call in cue_book().calls(folded)
        if call.cue.family != "ranked" or not any(word in features for word in folded.words[call.start + 1 : call.start + 2])
    ]
    if not changes:
        return calls
    return [
        call
        for call in calls
        if (call.cue.family != "cfe" or _asks_changes(folded.words[call.start : call.end]))
        and not (call.cue.family == "compare" and call.phrase == "differently")
    ]


def _asks_changes(words: Sequence[str]) -> bool:
    asked = ("counterfactual", "cfe", "need", "must", "take", "should")
    return any(word.startswith(asked) for word in words) or list(words[-2:]) in (["do", "differently"], ["done", "differently"])
