"""Linking: which words of an utterance name a feature, a value or a class of the data set.

A name need not be said in full: `prior crimes` is enough for `number_of_prior_crimes` where no other column fits as well.
Mentions that fit several columns equally keep all of them, so that the person can be asked.
"""

from collections import defaultdict
from collections.abc import Iterator

from ttm.parsers.linker.schema_linking.mentions import Hit, SchemaMention, best_disjoint, by_context, mention_of, merged
from ttm.parsers.linker.schema_linking.names import NameRole, names_of, words_in
from ttm.parsers.linker.words.lexicon import abbreviates, kin, lexicon, stem
from ttm.parsers.linker.words.spelling import english
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Schema

SHORTENED = 0.8  # how near an abbreviation is to its word
FULL = 0.95  # share from which a name counts as said in full
ENOUGH = 0.6  # share of a name's weight from which it counts as said
LEAST_AMBIGUOUS = 0.45  # the same for words that several names have
LEAST = 0.34  # share that at least must be said, and only if no other name fits
BESIDE = 0.15  # share that is enough right beside a value of the feature: `first class` of `TicketClass`
LONGEST_GAP = 3


class Linker:
    """Finds mentions of one data set. Build once per schema."""

    def __init__(self, schema: Schema) -> None:
        self.names = names_of(schema)
        self._by_stem: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._by_beginning: dict[str, list[str]] = defaultdict(list)
        for number, name in enumerate(self.names):
            for index, word in enumerate(name.stems):
                self._by_stem[word].append((number, index))
        for word in self._by_stem:
            self._by_beginning[word[:5]].append(word)
        self._by_group: dict[int, list[str]] = defaultdict(list)
        for word in self._by_stem:
            for group in lexicon().synonyms.get(word, ()):
                self._by_group[group].append(word)
        noun = schema.entity.lower().split()[-1:] or ["instances"]
        self._entity = {stem(noun[0]), noun[0]}
        known = lexicon().vocabulary | english() | frozenset(lexicon().synonyms)
        company = {word for name in self.names if name.feature and len(name.stems) > 1 for word in name.stems}
        self._short = [word for word in company if word.isalpha() and len(word) < 5 and word not in known]
        self._related: dict[str, list[tuple[str, float]]] = {}
        self._owners = {
            word: len({self.names[number].feature for number, _ in places}) for word, places in self._by_stem.items()
        }

    @property
    def vocabulary(self) -> frozenset[str]:
        """Words of the names, for the correction of typing errors."""
        return frozenset(word for name in self.names for word in name.stems if word.isalpha() and len(word) > 3)

    @property
    def compounds(self) -> frozenset[str]:
        """Long single words of column names and synonyms, which people may write as two."""
        return frozenset(word for name in self.names if name.feature for word in name.stems if word.isalpha() and len(word) > 7)

    def mentions(self, tokens: list[UtteranceToken]) -> list[SchemaMention]:
        """Non-overlapping mentions in the order of the utterance: the set that explains most of its words."""
        candidates = merged(
            [mention for name, hits in self._hits(tokens).items() for mention in self._runs(name, hits, tokens)]
        )
        chosen = best_disjoint(_outermost([mention for mention in candidates if self._is_said(mention, candidates, tokens)]))
        stems = {stem(token.text) for token in tokens}
        return [by_context(mention, stems) for mention in chosen]

    def _hits(self, tokens: list[UtteranceToken]) -> dict[int, list[Hit]]:
        hits: dict[int, list[Hit]] = defaultdict(list)
        stop = lexicon().groups["linking.stop"]
        for position, token in enumerate(tokens):
            if token.kind is TokenKind.MARK or token.text in stop:
                continue
            relatives = self._relatives(stem(token.text)) + (self._relatives(stem(token.raw)) if token.raw else [])
            if not relatives and token.text.endswith("s"):  # the plural of an abbreviation
                relatives = self._relatives(token.text[:-1])
            for word, nearness in relatives:
                for number, index in self._by_stem[word]:
                    hits[number].append(Hit(position, index, nearness))
            for word in self._opposites(stem(token.text)):
                for number, index in self._by_stem[word]:
                    if self.names[number].role is NameRole.PROPERTY:  # `employed` denies `Employment_Unemployed`
                        hits[number] = [hit for hit in hits[number] if hit.position != position or hit.nearness == 1]
                        hits[number].append(Hit(position, index, 0.9, contrary=True))
        return hits

    def _opposites(self, word: str) -> set[str]:
        """Words of names that deny a stem: `unemploy` for `employ`, `man` for `woman`, unless a name is the stem itself."""
        if len(word) < 3 or any(len(self.names[number].stems) == 1 for number, _ in self._by_stem.get(word, ())):
            return set()
        others = {*lexicon().opposites.get(word, ()), f"un{word}", f"non{word}", f"in{word}"}
        others |= {word.removeprefix(prefix) for prefix in ("un", "non") if word.startswith(prefix)}
        return {other for other in others if other in self._by_stem and other != word}

    def _relatives(self, word: str) -> list[tuple[str, float]]:
        """Words of names that a stem may stand for. A name's own word counts more than its synonym."""
        if word not in self._related:
            if len(self._related) > 20_000:
                self._related.clear()
            near = {word, *self._by_beginning.get(word[:5], ())}
            for group in lexicon().synonyms.get(word, ()):
                near.update(self._by_group.get(group, ()))
            scored = [(other, kin(word, other)) for other in near if other in self._by_stem]
            scored += [(other, SHORTENED) for other in self._short if other not in near and abbreviates(other, word)]
            self._related[word] = [(other, nearness) for other, nearness in scored if nearness > 0]
        return self._related[word]

    def _is_said(self, mention: SchemaMention, others: list[SchemaMention], tokens: list[UtteranceToken]) -> bool:
        """Whether enough of a name was said to take it as meant.

        One word of a long name is often all that people say, and one such word stands in many messages by chance. How much must
        be said depends on the kind of name: the values of a flag are words such as `yes`, a class has to be said nearly to the
        letter.
        """
        name, first = mention.name, tokens[mention.start]
        telling = self._telling(mention, tokens)
        if name.whole and mention.coverage < FULL:
            return False
        if name.needs_feature and name.role is NameRole.CLASS:
            return _is_foretold(mention, tokens)
        if name.needs_feature and not _is_beside_its_feature(mention, others):
            return False
        if name.role in (NameRole.CLASS, NameRole.OUTCOME):
            return mention.coverage >= ENOUGH and _is_to_the_letter(mention, tokens)
        if mention.coverage >= FULL and (telling or len(name.stems) > 1 or stem(first.raw or first.text) == name.stems[0]):
            return not (name.negative and len(name.stems) == 1) or self._owners[name.stems[0]] <= 2
        if not telling or mention.coverage < LEAST or not self._is_distinctive(mention, telling):
            return False
        return not mention.is_ambiguous or mention.coverage >= LEAST_AMBIGUOUS

    def _telling(self, mention: SchemaMention, tokens: list[UtteranceToken]) -> list[str]:
        """The words of a mention that could name a column alone: no numbers, no words such as `number` or `rate`, and no
        everyday synonyms; nouns for rows only if the name is said in full."""
        groups = lexicon().groups
        weak, shy, telling = groups["linking.weak"], groups["linking.shy"], []
        for position, meant in mention.matched:
            word = tokens[position].raw or tokens[position].text
            root = stem(word)
            common = word[:1].isdigit() or word in weak or root in weak or meant in weak or _is_small(tokens[position])
            synonym = root not in mention.name.stems and (word in shy or root in shy) and not abbreviates(meant, word)
            row = mention.coverage < FULL and (word in groups["entity"] or root in self._entity)
            if not (common or synonym or row):
                telling.append(word)
        return telling

    def _is_distinctive(self, mention: SchemaMention, stems: list[str]) -> bool:
        """A name said in part needs a word that few other names share: `loan` alone does not name `LoanDuration`."""
        relatives = {word for text in stems for word, _ in self._relatives(stem(text))} | {
            word for text in stems for word in self._opposites(stem(text))
        }
        return any(word in relatives and self._owners[word] <= 2 for word in mention.name.stems)

    def _runs(self, number: int, hits: list[Hit], tokens: list[UtteranceToken]) -> Iterator[SchemaMention]:
        """Neighbouring hits of one name, each of its words used once."""
        name, run = self.names[number], list[Hit]()
        places: dict[int, list[Hit]] = defaultdict(list)
        for hit in hits:
            places[hit.position].append(hit)
        for position in sorted(places):
            if run and not _is_glued(tokens, run[-1].position, position, name.role):
                yield mention_of(name, run)
                run = []
            last = (
                run[-1].word if run and name.role in (NameRole.CLASS, NameRole.OUTCOME) else -1
            )  # what is predicted is said in order
            used = {hit.word for hit in run}
            fresh = [hit for hit in places[position] if hit.word not in used and hit.word > last]
            if not fresh:
                yield mention_of(name, run)
                run, fresh = [], places[position]
            run.append(max(fresh, key=lambda hit: (hit.nearness, -hit.word)))
        if run:
            yield mention_of(name, run)


def _is_to_the_letter(mention: SchemaMention, tokens: list[UtteranceToken]) -> bool:
    return any(stem(tokens[position].text)[:5] == meant[:5] for position, meant in mention.matched)


def _is_small(token: UtteranceToken) -> bool:
    """Words that questions are made of whatever they are about: `many`, `some`, `less`, `than`, `one`."""
    groups = lexicon().groups
    word = token.raw or token.text
    spoken_number = token.kind is TokenKind.NUMBER and not token.raw.endswith(("st", "nd", "rd", "th"))
    return (
        spoken_number
        or word in groups["scope.function"]
        or word in groups["comparisons.up"]
        or word in groups["comparisons.down"]
    )


def _is_glued(tokens: list[UtteranceToken], last: int, position: int, role: NameRole) -> bool:
    groups, between = lexicon().groups, tokens[last + 1 : position]
    more = groups["linking.property_glue"] if role is NameRole.PROPERTY else frozenset[str]()
    return len(between) <= LONGEST_GAP and all(
        token.text in groups["linking.glue"] or token.text in more or token.text == "/" for token in between
    )


def _is_beside_its_feature(mention: SchemaMention, others: list[SchemaMention]) -> bool:
    feature = mention.name.feature
    if feature is None:
        return False
    return any(
        other.name.feature is feature and other.name.role is NameRole.CATEGORY
        and ((other.coverage >= ENOUGH and (0 <= mention.start - other.end <= 3 or 0 <= other.start - mention.end <= 2))
             or (other.coverage >= BESIDE and (mention.start == other.end or other.start == mention.end)))
        for other in others
    )  # fmt: skip


def _is_foretold(mention: SchemaMention, tokens: list[UtteranceToken]) -> bool:
    """Whether a class name out of everyday speech (`yes`, `good`) stands after a word of predicting: `flagged as no`."""
    before = [token.text for token in tokens[max(0, mention.start - 3) : mention.start]]
    foretelling = lexicon().groups["linking.foretelling"]
    while before and before[-1] in ("be", "to", "as", "a", "an", "is", "of", "are", "the", "for"):
        before.pop()
    return mention.coverage >= FULL and bool(before) and before[-1] in foretelling


def _outermost(mentions: list[SchemaMention]) -> list[SchemaMention]:
    """Without what lies inside a longer name that was said word for word: `rate` in `installment rate`."""
    whole = [each for each in mentions if each.coverage >= FULL and len(each.matched) == each.end - each.start]
    return [
        mention
        for mention in mentions
        if not any(
            other.start <= mention.start and mention.end <= other.end and other.end - other.start > mention.end - mention.start
            for other in whole
        )
    ]


__all__ = ["Linker", "SchemaMention", "words_in"]
