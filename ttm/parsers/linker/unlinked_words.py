"""Words that were said but link to nothing, so that no answer is given as if they had not been said.

A word that names a group ("how many *vegetarians*", "*unhappy* customers") must be asked about where nothing else narrows the
rows; beside other conditions it is reported as not used. An adjective of quantity without a number ("old people") is asked for
its bound.
"""

from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import process

from ttm.language.parse import Comparator
from ttm.parsers.linker.analysis import UtteranceAnalysis
from ttm.parsers.linker.requests.operation_cues import explains
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding
from ttm.parsers.linker.schema_linking.reading import UtteranceItem
from ttm.parsers.linker.words.lexicon import kin, lexicon, stem
from ttm.parsers.linker.words.tokens import TokenKind
from ttm.tabular.data.schema import Feature

BEFORE_GROUP = frozenset(
    "many show me list count for of among amongst with on in to are were predicted compare all the".split()
)
SMALL = frozenset(
    "a an the be being have having has had actually really truly not no very also only other our your as or and but".split()
)
SUPERLATIVES = ("est",)
NEAR = 78  # similarity of spelling, 0 to 100, from which a name is offered
ASKED_ANYWAY = frozenset({"statistic", "ranked", "effect", "define", "correlate"})
TURNS = frozenset(
    "future terms opinion view end addition fact mind eyes particular detail details short advance "
    "specifics regards assigned".split()
)
SHOWN = 6
SHORT = 3  # letters up to which an unknown word is taken for a slip
KIN = 0.85  # from which a word says something of a column, value or class, even if it was not linked


@dataclass(frozen=True)
class Unused:
    """What an analysis leaves unused: `lost` words, and `vague` adjectives with the feature that they speak of."""

    analysis: UtteranceAnalysis
    ground: SchemaGrounding

    @cached_property
    def vague(self) -> list[tuple[UtteranceItem, Feature]]:
        """Adjectives that stand before the noun of the rows, or after `who are`, with no number to bound them."""
        vague = []
        for at, item in enumerate(self.analysis.folded.items):
            if item.word in lexicon().dimensions and self._says_which(at):
                feature = self.ground.by_adjective(item.word)
                vague += [(item, feature)] if feature is not None else []
        return vague

    @cached_property
    def lost(self) -> list[int]:
        """Items of the folded reading that nothing explains; what follows `to` in a wish for change is its aim."""
        lost = []
        vague = [item for item, _ in self.vague]
        for at, item in enumerate(self.analysis.folded.items):
            if item.word == "<f>" and self._is_adjective(at):
                lost.append(at)
            if item.token.kind is not TokenKind.WORD or item.mention is not None or item.word.startswith("<"):
                continue
            if item.word in lexicon().dimensions:
                if self._says_which(at) and item not in vague:
                    lost.append(at)
            elif self._is_strange(item.word) and not self._is_aim(at) and self._names_rows(at, lost):
                lost.append(at)
        return lost

    def _is_adjective(self, at: int) -> bool:
        """`pregnant women`: names a numeric column before the noun of the rows, and no condition was made of it."""
        words, feature = self.analysis.folded.words, self.analysis.folded.items[at].feature
        after = words[at + 1] if at + 1 < len(words) else ""
        parts = [*self.analysis.filters, *self.analysis.changes, *self.analysis.operations]
        used = any(feature is not None and feature.token in part.text.split() for part in parts)
        return not used and (after in lexicon().groups["reference.noun"] or after in self.ground.nouns)

    def _is_strange(self, word: str) -> bool:
        if len(word) <= SHORT or word in TURNS or word in self.ground.nouns or explains(word):
            return False
        return all(kin(stem(word), other) < KIN for other in self.ground.vocabulary)

    def words(self, utterance: str) -> tuple[str, ...]:
        """The lost words as they were typed, each once."""
        items = [self.analysis.folded.items[at] for at in self.lost]
        texts = [utterance[item.token.start : item.token.end].strip() or item.word for item in items]
        return tuple(dict.fromkeys(texts))

    @property
    def must_be_asked(self) -> bool:
        """Whether an answer would be about all rows although the utterance named some of them."""
        if any(part.text for part in self.analysis.filters) or self.analysis.instance or self.analysis.back:
            return False
        return bool(self.vague) or any(not self._is_foretold(at) for at in self.lost)

    def question(self, utterance: str) -> str:
        """What to ask back: the bound of a vague adjective, or what the lost words mean, with what they could mean."""
        if self.vague:
            return self._bound(utterance)
        lost = " and ".join(f'"{word}"' for word in self.words(utterance))
        near = self._near()
        if near:
            return f"I do not know {lost} in this data. Did you mean {near}?"
        return f"I do not know {lost} in this data. {self._known()}"

    @property
    def bounded(self) -> str:
        """A condition that a vague adjective may stand for: the upper or lower half of what its feature holds."""
        item, feature = self.vague[0]
        up = lexicon().dimensions[item.word][1] == "+"
        comparator = Comparator.GREATER if up else Comparator.LESS
        return self.ground.condition(feature, comparator, str(_middle(feature)))

    def _bound(self, utterance: str) -> str:
        item, feature = self.vague[0]
        text = utterance[item.token.start : item.token.end]
        up = lexicon().dimensions[item.word][1] == "+"
        question = (
            f'From which {feature.label} on do you mean "{text}"?'
            if up
            else (f'Up to which {feature.label} do you mean "{text}"?')
        )
        if feature.low is None or feature.high is None:
            return question
        return f'{question} For example: "{feature.label} {"over" if up else "under"} {_middle(feature):,}".'

    def _near(self) -> str:
        """A column, value or class that is spelt much like a lost word."""
        schema = self.ground.schema
        names = [feature.label for feature in schema.features] + list(schema.target.classes)
        names += [str(value) for feature in schema.features for value in feature.values[:50]]
        for at in self.lost:
            best = process.extractOne(self.analysis.folded.items[at].word, names, score_cutoff=NEAR, processor=str.lower)
            if best:
                return f'"{best[0]}"'
        return ""

    def _known(self) -> str:
        schema = self.ground.schema
        columns = ", ".join(feature.label for feature in schema.features[:SHOWN])
        classes = ", ".join(schema.target.classes[:SHOWN])
        foretold = f" I can also group by what is predicted: {classes}." if classes else ""
        return f"The columns that I can use are: {columns}{', ...' if len(schema.features) > SHOWN else ''}.{foretold}"

    def _says_which(self, at: int) -> bool:
        """`old people`, `people who are old`: not `how old`, and not the object of a question of its own."""
        words = self.analysis.folded.words
        before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
        if before in ("how", "as") or words[at].endswith(SUPERLATIVES):
            return False
        if any(call.start <= at < call.end and call.cue.family in ASKED_ANYWAY for call in self.analysis.calls):
            return False
        groups = lexicon().groups
        is_noun = after in groups["entity"] or after in self.ground.nouns
        return is_noun or (before in ("are", "very") and words[max(0, at - 3) : at].count("who") > 0)

    def _is_aim(self, at: int) -> bool:
        if not any(part.text.startswith("explain cfe") for part in self.analysis.operations):
            return False
        return "to" in self.analysis.folded.words[max(0, at - 4) : at]

    def _is_foretold(self, at: int) -> bool:
        """`most likely to leave`: says what is predicted, in other words than the data set."""
        before = self.analysis.folded.words[max(0, at - 3) : at]
        return before[-1:] == ["to"] and bool({"likely", "unlikely", "prone", "going", "about"} & set(before))

    def _names_rows(self, at: int, lost: list[int]) -> bool:
        """Whether the word at an item stands where a group is named: before the noun of the rows, after `how many`, `who`,
        `for` and the like. A verb whose object is linked (`who asked for ...`) only leads there."""
        words, entity = self.analysis.folded.words, lexicon().groups["entity"]
        after = words[at + 1] if at + 1 < len(words) else ""
        if after in entity or after in self.ground.nouns:
            return not words[at].endswith("ing")
        before = at - 1
        while before >= 0 and (words[before] in SMALL or before in lost) and at - before < 5:
            before -= 1
        previous = words[before] if before >= 0 else ""
        relative = previous == "who" or (previous == "that" and words[before - 1] in entity)
        listed = previous == "<q>" and words[before + 1] in ("and", "or", "but")  # "over 40 and obese"
        if not relative and not listed and previous not in BEFORE_GROUP:
            return False
        is_verb = relative or previous == "to" or words[at].endswith(("ing", "ed"))
        return not is_verb or not any(word.startswith("<") and word != "<n>" for word in words[at + 1 : at + 5])


def _middle(feature: Feature) -> int:
    """The middle of what a numeric feature holds, 0 where that is not known."""
    return round(((feature.low or 0.0) + (feature.high or 0.0)) / 2)
