"""What the words of a question may stand for, each taken by itself: things, kinds, values, superlatives, relations."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import Entity
from inspired.parsers.linking.asked_words import phrases_in
from inspired.parsers.linking.entities import ONE_WORD, EntityLinker, EntityMention, Linking
from inspired.parsers.linking.framing import QuestionFrame, frame_of
from inspired.parsers.linking.lexicon import EntityKind, RelationLexicon
from inspired.parsers.linking.named_ends import NamedEnds
from inspired.parsers.linking.relations import DATE, NUMBER, Relation
from inspired.parsers.linking.rewriting import core, rewritten, with_claim, without_world
from inspired.parsers.linking.values import ComparisonMention, SuperlativeMention, comparisons_in, extremes_in, values_in
from inspired.parsers.linking.words import QuestionToken, stem, table

_LONGEST_KIND = 4
# What the words behind a superlative ("largest", for area) count for, next to the word itself.
_ABOUT = 0.75
# What a phrase of `phrases.txt` counts for, next to the word that it stands for.
_PHRASE = 0.7
# What the words of a relation's whole name count for, for relations that are called otherwise.
_SHARED = 0.5
# What "where" counts for, as a word of the relations that tell of places.
_WHERE = 0.5
# A match from which on words are a name, and a strength from which on a word has its relation.
_SURE, _CLEAR = 0.85, 0.4
WHICH = frozenset(("which", "what"))
_MODALS = frozenset("can can't cannot could couldn't".split())


@dataclass(frozen=True, slots=True)
class KindMention:
    start: int
    end: int
    kind: EntityKind


@dataclass(frozen=True, eq=False)
class QuestionAnalysis:
    """`evidence` gives, for each relation, the tokens that speak for it and how strongly (0 to 1).

    `people` are those that "who" may ask for, and the relations in `placing` say where something is. `ends` knows of which end
    of a fact the name of a relation speaks. `sought` are the things that are alike to what a claim is about. `text` is the
    question as it was read (`rewritten`): the places of tokens are places in it.
    """

    tokens: tuple[QuestionToken, ...]
    linking: Linking
    kinds: tuple[KindMention, ...]
    comparisons: tuple[ComparisonMention, ...]
    extremes: tuple[SuperlativeMention, ...]
    evidence: Mapping[Relation, Mapping[int, float]]
    asked: tuple[KindMention, ...] = field(default=())
    title_shares: Mapping[str, float] = field(default_factory=dict)
    frame: QuestionFrame = field(default_factory=QuestionFrame)
    passed: frozenset[int] = frozenset()
    people: frozenset[str] = frozenset()
    placing: frozenset[Relation] = frozenset()
    ends: NamedEnds | None = None
    text: str = ""
    sought: frozenset[str] = frozenset()

    @property
    def mentions(self) -> tuple[EntityMention, ...]:
        return self.linking.mentions

    @cached_property
    def behind_which(self) -> tuple[KindMention, ...]:
        """The kinds that the noun behind "which" or "what" stands for; names may stand between, as in "which EU country"."""
        named = {index for each in self.mentions for index in range(each.start, each.end)}
        first = next((each for each in self.kinds if self._asks_before(each.start, named)), None)
        return tuple(each for each in self.kinds if first is not None and (each.start, each.end) == (first.start, first.end))

    def _asks_before(self, start: int, named: Collection[int]) -> bool:
        before = next((index for index in range(start - 1, -1, -1) if index not in named), None)
        return before is not None and self.tokens[before].plain in WHICH

    def restricted(self, places: Collection[int], weaker: float = 0.0) -> "QuestionAnalysis":
        """What the tokens at `places` alone may stand for; of the words of relations the others count `weaker` times."""

        def inside(part: EntityMention | KindMention | ComparisonMention | SuperlativeMention) -> bool:
            return all(index in places for index in range(part.start, part.end))

        evidence = {
            relation: {index: each * (1 if index in places else weaker) for index, each in row.items()}
            for relation, row in self.evidence.items()
        }
        kept = {relation: {index: each for index, each in row.items() if each} for relation, row in evidence.items()}
        return replace(
            self,
            linking=replace(self.linking, mentions=tuple(filter(inside, self.mentions))),
            kinds=tuple(filter(inside, self.kinds)),
            comparisons=tuple(filter(inside, self.comparisons)),
            extremes=tuple(filter(inside, self.extremes)),
            evidence={relation: row for relation, row in kept.items() if row},
            asked=tuple(filter(inside, self.asked)),
            passed=self.passed | (frozenset(range(len(self.tokens))) - frozenset(places)),
        )

    def speaks_for(self, relation: Relation, without: frozenset[int] = frozenset()) -> float:
        """How strongly the tokens, but for `without`, speak for a relation: 1 if none of them could mean anything else."""
        missing = 1.0
        for index, strength in self.evidence.get(relation, {}).items():
            if index not in without:
                missing *= 1 - strength
        return 1 - missing


def analyse(question: str, linker: EntityLinker, lexicon: RelationLexicon) -> QuestionAnalysis:
    asking = core(question)
    text, linking, kinds = _named_in(asking, linker, lexicon)
    if asking != question and not kinds and not any(each.match >= _SURE for each in linking.mentions):
        whole = _named_in(question, linker, lexicon)
        # "We still use the fax here; what replaces it?": what is asked for names nothing by itself.
        if any(each.match >= _SURE for each in whole[1].mentions):
            text, linking, kinds = whole
    tokens = linking.tokens
    extremes = extremes_in(tokens)
    rows = [range(each.start, each.end) for each in extremes if each.many > 1]
    values = [each for each in values_in(tokens) if not any(each.start in row for row in rows)]
    comparisons = comparisons_in(tokens, values)
    frame = frame_of(tokens)
    evidence = _either_way(_evidence(tokens, lexicon, extremes), lexicon)
    linking = _without_chance_names(linking, [*extremes, *comparisons], evidence)
    return QuestionAnalysis(
        tokens,
        linking,
        kinds,
        comparisons,
        extremes,
        evidence,
        _asked(tokens, kinds, extremes, frame.cues),
        _title_shares(tokens, extremes, evidence, lexicon),
        frame,
        frame.cues,
        lexicon.people if frame.asks_who or _opens_with_title(linking, lexicon) else frozenset(),
        lexicon.placing,
        lexicon.ends,
        text,
    )


def _named_in(question: str, linker: EntityLinker, lexicon: RelationLexicon) -> tuple[str, Linking, tuple[KindMention, ...]]:
    """A question, or a part of it, in the words that are read, with what it names."""
    text = rewritten(
        with_claim(without_world(question, linker.names), linker.names),
        lambda words: linker.knows(words) or stem(words) in lexicon.stems,
        lexicon.vocabulary,
    )
    linking = linker.link(text, lexicon.stems)
    kinds = _kinds(linking.tokens, lexicon)
    return text, linking, tuple(each for each in kinds if not (each.kind.by_synonym and _is_named(each, linking)))


def _is_named(mention: KindMention, linking: Linking) -> bool:
    """Whether the words are the name of a thing: "beasts" are a sort of monster here, and not the animals."""
    return any(each.start <= mention.start and mention.end <= each.end and each.match >= ONE_WORD for each in linking.mentions)


def _without_chance_names(
    linking: Linking,
    compares: Sequence[SuperlativeMention | ComparisonMention],
    evidence: Mapping[Relation, Mapping[int, float]],
) -> Linking:
    """The mentions without those by one word that compares ("older" for Maria Olde), that is one of several of a relation
    ("isolation room available" for the Recovery Room), or what something can do ("can fly" for a spell of that name)."""
    comparing = {index for each in compares for index in range(each.start, each.end)}
    spoken = [{index for index, strength in row.items() if strength >= _CLEAR} for row in evidence.values()]
    chance = comparing | {index for row in spoken for index in row if {index - 1, index + 1} & row}
    verbs = _behind_modals(spoken, linking.tokens)

    def by_chance(mention: EntityMention) -> bool:
        if mention.end > mention.start + 1 or not linking.tokens[mention.start].text.islower():
            return False
        return mention.start in verbs or (mention.match <= ONE_WORD and mention.start in chance)

    return replace(linking, mentions=tuple(each for each in linking.mentions if not by_chance(each)))


def _opens_with_title(linking: Linking, lexicon: RelationLexicon) -> bool:
    """Whether a title is all that is asked for, and so who has it: "prime minister of India"."""
    tokens = linking.tokens
    opening = next((index for index, each in enumerate(tokens) if not each.is_stop), len(tokens))
    named = [each for each in linking.mentions if each.start == opening and each.end < len(tokens)]
    return any(tokens[each.end].plain in ("of", "in") and _is_title(each.node, lexicon) for each in named)


def _is_title(node: Node, lexicon: RelationLexicon) -> bool:
    """Whether something is said of what links people to others, as a title is of who holds an office where."""
    relations, graph = lexicon.relations, lexicon.graph
    for predicate in (each for each in graph.predicates_to(node) if relations.is_attribute(each)):
        holding = next((each for each in graph.subjects(predicate, node) if each in relations.mediators), None)
        ends = [end for each in graph.predicates_from(holding) for end in graph.objects(holding, each)] if holding else []
        if any(isinstance(end, Entity) and end.id in lexicon.people for end in ends):
            return True
    return False


def _behind_modals(spoken: Sequence[Collection[int]], tokens: Sequence[QuestionToken]) -> set[int]:
    """The words of relations that say what something can do."""
    return {index for row in spoken for index in row if index and tokens[index - 1].plain in _MODALS}


def _either_way(
    evidence: Mapping[Relation, Mapping[int, float]], lexicon: RelationLexicon
) -> Mapping[Relation, Mapping[int, float]]:
    """Words for one end of a fact speak for both directions ("has X as a subclass"); which is meant is told by their order."""
    result = {relation: dict(row) for relation, row in evidence.items()}
    for relation, row in evidence.items():
        other = lexicon.relations.by_way.get((relation.path, not relation.outward))
        if other is not None and lexicon.ends.is_open(relation):
            mine = result.setdefault(other, {})
            mine.update({index: max(strength, mine.get(index, 0.0)) for index, strength in row.items()})
    return result


def _title_shares(
    tokens: Sequence[QuestionToken],
    extremes: Sequence[SuperlativeMention],
    evidence: Mapping[Relation, object],
    lexicon: RelationLexicon,
) -> Mapping[str, float]:
    here = {each.stem for each in tokens} | {stem(about) for each in tokens for about in _dimension(each.plain)}
    here |= {stem(about) for extreme in extremes for about in extreme.about}
    return {
        relation.sense: max((len(name & here) / len(name) for name in lexicon.titles.get(relation.sense, ())), default=0.0)
        for relation in evidence
    }


def _kinds(tokens: Sequence[QuestionToken], lexicon: RelationLexicon) -> tuple[KindMention, ...]:
    mentions, index = [], 0
    while index < len(tokens):
        for end in range(min(len(tokens), index + _LONGEST_KIND), index, -1):
            key = " ".join(each.stem for each in tokens[index:end])
            if kinds := lexicon.kinds.get(key, ()):
                mentions += [KindMention(index, end, kind) for kind in kinds[:3]]
                index = end - 1
                break
        index += 1
    return tuple(mentions)


def _evidence(
    tokens: Sequence[QuestionToken], lexicon: RelationLexicon, extremes: Sequence[SuperlativeMention]
) -> Mapping[Relation, Mapping[int, float]]:
    evidence: dict[Relation, dict[int, float]] = {}

    def add(index: int, stem_: str, counts: float) -> None:
        for relation, strength in lexicon.relations_of(stem_):
            row = evidence.setdefault(relation, {})
            row[index] = max(row.get(index, 0.0), strength * counts)

    for index, token in enumerate(tokens):
        add(index, token.stem, 1.0)
    # "The highest GDP" is no rate, nor "a higher life expectancy" an elevation.
    by_figure = _say_for_figures(evidence, extremes)
    for index, token in enumerate(tokens):
        for about in _dimension(token.plain) if index not in by_figure else ():
            add(index, stem(about), _ABOUT)
    for index in (each for each, token in enumerate(tokens[:2]) if token.plain == "where"):
        for about in str(table("framing")["where"]).split():
            add(index, stem(about), _WHERE)
    for extreme in extremes:
        for about in extreme.about if extreme.start not in by_figure else ():
            add(extreme.end - 1, stem(about), _ABOUT)
    for places, called in phrases_in([each.stem for each in tokens]):
        telling = [index for index in places if not tokens[index].is_stop] or [places[-1]]
        for relation, strength in lexicon.relations_called(called):
            row = evidence.setdefault(relation, {})
            row.update({index: max(row.get(index, 0.0), strength * _PHRASE) for index in telling})
    _say_units(evidence, tokens)
    return _without_shared(evidence, tokens, lexicon)


def _say_units(evidence: Mapping[Relation, dict[int, float]], tokens: Sequence[QuestionToken]) -> None:
    """Who says "per person" of a figure that is told per person speaks of no other: both words speak for it."""
    for per in (index for index, each in enumerate(tokens) if each.plain == "per"):
        for row in evidence.values():
            if row.get(per, 0.0) >= _SURE and row.get(per + 1, 0.0):
                row[per + 1] = max(row[per + 1], row[per])


def _without_shared(
    evidence: Mapping[Relation, dict[int, float]], tokens: Sequence[QuestionToken], lexicon: RelationLexicon
) -> Mapping[Relation, Mapping[int, float]]:
    """Where a relation is called by its whole name, that says little for those which share a word of it: "voting age" is no
    median age."""
    stems = [each.stem for each in tokens]
    for start in range(len(stems)):
        for name, called in lexicon.named_in_full.get(stems[start], ()):
            if tuple(stems[start : start + len(name)]) == name:
                for relation in evidence.keys() - called:
                    row = evidence[relation]
                    row.update({index: row[index] * _SHARED for index in range(start, start + len(name)) if index in row})
                break  # the longest comes first
    return evidence


def _say_for_figures(evidence: Mapping[Relation, dict[int, float]], extremes: Sequence[SuperlativeMention]) -> set[int]:
    """The places of the adjectives behind which the name of a figure stands, for which they now speak as well."""
    places = set[int]()
    for extreme in (each for each in extremes if each.about):
        for relation, row in evidence.items():
            if relation.leads_to in (NUMBER, DATE) and row.get(extreme.end, 0.0) >= _SURE:
                row[extreme.end - 1] = max(row.get(extreme.end - 1, 0.0), _ABOUT * row[extreme.end])
                places |= {*range(extreme.start, extreme.end)}
    return places


def _dimension(word: str) -> tuple[str, ...]:
    """What "larger", "large" and "largest" are about; nothing for words that are no such adjectives."""
    known = table("superlatives")
    forms = (
        word,
        f"{word}est",
        f"{word}st",
        f"{word}{word[-1:]}est",
        f"{word.removesuffix('er')}est",
        f"{word[:-1]}st",
        f"{word[:-1]}iest",
    )
    form = next((each for each in forms if each.endswith("est") and each in known), None)
    return tuple(known[form]["about"].split()) if form else ()


def _asked(
    tokens: Sequence[QuestionToken],
    kinds: Sequence[KindMention],
    extremes: Sequence[SuperlativeMention],
    cues: frozenset[int],
) -> tuple[KindMention, ...]:
    """The kind that the question asks for by a noun: the first meaningful word, as in "Which cities ...?"."""
    passed = {index for each in extremes for index in range(each.start, each.end)} | cues
    for index, token in enumerate(tokens):
        # "people of which religion"
        behind = tuple(each for each in kinds if each.start == index + 1)
        if token.plain in WHICH and behind:
            return behind
    for index, token in enumerate(tokens):
        here = tuple(each for each in kinds if each.start == index)
        if here:
            return here
        if not token.is_stop and index not in passed:
            return ()
    return ()
