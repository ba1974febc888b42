"""Entity linking: which things of a knowledge base a text names, by name, alias or, for a slip of the pen, nearly so."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.vocabulary import NOTABLE, Node
from inspired.logical_form.forms import Entity, Literal
from inspired.parsers.linking.words import QuestionToken, is_general, plain, plural, stem, stop_words, table, tokens_of

# How much a match counts: the name itself, another name, one without the word for its kind ("Danube" for the Danube
# River), words about the thing ("German" for Germany), a code.
NAME, ALIAS, SHORT, OWN_PART, ONE_WORD, WORD_FOR, CODE = 1.0, 0.9, 0.85, 0.8, 0.68, 0.6, 0.5
A_NAME = 0.8  # match from which on words are a name
# By how much a match counts less in the plural, and as an adjective in "-an" ("African" for Africa).
PLURAL, ADJECTIVE = 0.9, 0.92
_LONGEST = 9
_LIKE = 0.8
_NEAR = 60
_MOST_OWNERS = 3
_FEWEST_LETTERS = 4
_FEW_VALUES, _FEW_SORTS = 40, 80
# Of things with a proper name: how many may be of a class, and how many of them be called by one word ("dollar").
_FEW_NAMED, _FEW_OF_A_SORT = 400, 30
_LONGEST_SORT = 2
_TRADES = frozenset(map(stem, ("export", "exports", "import", "imports", "sell", "sells", "buy", "buys")))
_FEW_WORDS = 3
_MOST_FOR_SPAN = 8
_LANDS = frozenset(
    "country countries nation nations state states monarchy monarchies republic republics kingdom kingdoms capitals".split()
)


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A name that several things have: `ids`, the most likely first."""

    text: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntityMention:
    """The tokens from `start` to before `end` may mean `node`; `match` is 1 for its name, less for anything else.

    `weight`, from 0 to 1, says how much the graph has to tell about the node.
    """

    start: int
    end: int
    node: Node
    match: float
    weight: float = 0.0


@dataclass(frozen=True)
class Linking:
    """The mentions in `tokens`, from left to right; several may stand on the same words.

    `sorts` are the tokens, from and to before, by which several values of one class are called: "monarchies", all forms of it.
    """

    tokens: tuple[QuestionToken, ...]
    mentions: tuple[EntityMention, ...] = field(default=())
    sorts: tuple[tuple[int, int, tuple[Entity, ...]], ...] = field(default=())

    def ambiguous(self, used: Iterable[EntityMention]) -> tuple[Ambiguous, ...]:
        """The mentions in `used` whose words could as well mean other things."""
        result = []
        for one in used:
            same = [each for each in self.mentions if (each.start, each.end) == (one.start, one.end)]
            rivals = [each.node.id for each in same if isinstance(each.node, Entity) and each.match >= one.match - 0.15]
            if len(rivals) > 1 and isinstance(one.node, Entity):
                others = [each for each in rivals if each != one.node.id]
                result.append(Ambiguous(self.text(one), (one.node.id, *others)))
        return tuple(result)

    def text(self, mention: EntityMention) -> str:
        return " ".join(each.text for each in self.tokens[mention.start : mention.end])


class EntityLinker:
    """Names of the things in `graph`; those of types and properties are left to the parser."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def index(self) -> Mapping[str, tuple[tuple[Node, float], ...]]:
        """What each name means and how much that counts, the best first."""
        result: dict[str, dict[Node, float]] = defaultdict(dict)

        def add(text: str, node: Node, counts: float) -> None:
            key = name_key(text)
            if key and counts > result[key].get(node, 0):
                result[key][node] = counts

        for id_, name in self.graph.names.items():
            if id_ not in self._described:
                add(name, Entity(id_), NAME)
        for id_, aliases in self.graph.aliases.items():
            if id_ not in self._described:
                for alias in aliases:
                    add(alias, Entity(id_), ALIAS)
        for id_, kind in self.graph.pairs(NOTABLE):
            if isinstance(kind, Entity):
                add(_without_kind(self.graph.names.get(id_, ""), self.graph.names.get(kind.id, "")), Entity(id_), SHORT)
        for predicate in self.graph.predicates:
            self._add_texts(predicate, add)
        for id_, text, counts in self._by_class():
            add(text, Entity(id_), counts)
        return {key: tuple(sorted(nodes.items(), key=lambda each: -each[1])) for key, nodes in result.items()}

    def _by_class(self) -> Iterator[tuple[str, str, float]]:
        """What people call things whose names have the word for their class: Antwerp Province, the "province of Antwerp"."""
        for type_ in self.graph.classes:
            called = self.graph.names.get(type_, "")
            for id_ in self.graph.members(type_) if called and type_ not in self.graph.kinds.values() else ():
                name = self.graph.names.get(id_, "")
                for text in _calling(name, called):
                    yield id_, text, ALIAS
                if short := _own_part(name, called):
                    yield id_, short, OWN_PART

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that stands in a name."""
        return frozenset(word for key in self.index for word in key.split())

    def names(self, text: str) -> bool:
        """Whether something is called so, neither more nor less."""
        return name_key(text) in self.index

    def knows(self, text: str) -> bool:
        """Whether a word, or some words together, stand in a name."""
        key = name_key(text)
        return key in self.words if " " not in key else any(f" {key} " in f" {each} " for each in self.index)

    @cached_property
    def _described(self) -> frozenset[str]:
        schema = self.graph.schema
        kinds = {kind.id for _, kind in self.graph.pairs(NOTABLE) if isinstance(kind, Entity)}
        return frozenset({*schema.properties, *schema.types, *kinds})

    def _add_texts(self, predicate: str, add: Callable[[str, Node, float], None]) -> None:
        """Texts about few things: a word is one more name of them, a code is a value of its own, as is one of few values."""
        values = {each.text for _, each in self.graph.pairs(predicate) if isinstance(each, Literal)}
        few = 1 < len(values) <= _FEW_VALUES
        for id_, value in self.graph.pairs(predicate):
            if not isinstance(value, Literal) or value.datatype not in (None, "string", "langString"):
                continue
            if len(self.graph.subjects(predicate, value)) > _MOST_OWNERS:
                if few and len(value.text.split()) <= 2:
                    add(value.text, value, CODE)
                continue
            is_word = value.text.replace(" ", "").isalpha() and len(value.text) >= _FEWEST_LETTERS
            if is_word and id_ in self.graph.names:
                add(value.text, Entity(id_), WORD_FOR)
            elif not is_word and len(value.text.split()) <= 2:
                add(value.text, value, CODE)

    @cached_property
    def _telling(self) -> Mapping[str, tuple[Node, ...]]:
        """Words that stand in one name only, and what is called so: "Aconcagua" of Cerro Aconcagua, "Elbrus" of Gora
        El'brus."""
        owners: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for id_, name in self.graph.names.items():
            words = tokens_of(name)
            few = len(words) > 1 and sum(not each.is_stop for each in words) <= _FEW_WORDS
            for each in words if id_ in self._described or few else ():
                owners[each.plain.replace("'", "")][_key(words)].add(id_)
        alone = {word: next(iter(names.values())) for word, names in owners.items() if len(names) == 1}
        return {
            word: tuple(Entity(id_) for id_ in sorted(ids))
            for word, ids in alone.items()
            if len(word) >= _FEWEST_LETTERS and word not in self.index and not ids & self._described
        }

    @cached_property
    def _categories(self) -> Mapping[str, Node]:
        """Words that stand in the name of one thing of small classes only: "comic" of "Based on Comic/Graphic Novel"."""
        owners: dict[str, set[str]] = defaultdict(set)
        for type_ in self.graph.classes:
            members = self.graph.members(type_)
            for id_ in members if len(members) <= _FEW_VALUES else ():
                for each in tokens_of(self.graph.names.get(id_, "")):
                    if not each.is_stop and len(each.plain) >= _FEWEST_LETTERS:
                        owners[each.stem].add(id_)
        alone = {word: min(ids) for word, ids in owners.items() if len(ids) == 1}
        return {word: Entity(id_) for word, id_ in alone.items() if word not in self._words_for_classes}

    @cached_property
    def _words_for_classes(self) -> frozenset[str]:
        """The stems of the words that classes are called by, and of those that people use in place of them."""
        words = {each.stem for type_ in self.graph.classes for each in tokens_of(self.graph.names.get(type_, ""))}
        rows = ({stem(word) for word in str(row).split()} for row in table("kinds")["rows"])
        return frozenset(words.union(*(row for row in rows if row & words)))

    @cached_property
    def _sorts(self) -> Mapping[tuple[str, ...], tuple[Entity, ...]]:
        """Words at the end of several names of one small class: "monarchy" of absolute and of constitutional monarchy, and
        "constitutional monarchy" of the parliamentary one as well; "CFA franc" and "rupee" of currencies.

        None of a part of a graph, which may hold some of them only.
        """
        alike: dict[tuple[str, ...], list[Entity]] = defaultdict(list)
        for type_ in () if self.graph.partial else self.graph.classes:
            members = self.graph.members(type_)
            called: dict[tuple[str, ...], list[Entity]] = defaultdict(list)
            for id_ in members if len(members) <= _FEW_NAMED and not self._described.issuperset(members) else ():
                words = tokens_of(self.graph.names.get(id_, ""))
                for begin in range(max(len(words) - _LONGEST_SORT, 0), len(words)):
                    if self._may_be_sort(words, begin, len(members)):
                        called[tuple(each.stem for each in words[begin:])].append(Entity(id_))
            for stems, nodes in called.items():
                several = 1 < len(nodes) < len(members) and len(alike[stems]) < len(nodes) <= _FEW_OF_A_SORT
                if several and stems[-1] not in self._words_for_classes:  # no "communist states" where countries are called so
                    alike[stems] = nodes
        return {stems: tuple(nodes) for stems, nodes in alike.items() if nodes}

    def _may_be_sort(self, words: Sequence[QuestionToken], begin: int, members: int) -> bool:
        """Whether the words of a name from `begin` on may say what sort of thing it is; not the name at the end of another, as
        "of Guinea"."""
        last = words[-1]
        if last.is_stop or last.text.islower():
            return members <= _FEW_SORTS and not last.is_stop
        alone = len(last.plain) >= _FEWEST_LETTERS and not any(each.is_stop for each in words)
        return alone and last.text.isalpha() and last.text.istitle() and _key(words[begin:]) not in self.index

    @cached_property
    def _goods(self) -> Mapping[str, tuple[Entity, ...]]:
        """Words of several names of one class: "copper" of copper ore and raw copper, where none is called so alone."""
        alike: dict[str, tuple[Entity, ...]] = {}
        for type_ in () if self.graph.partial else self.graph.classes:
            members = self.graph.members(type_)
            called: dict[str, list[Entity]] = defaultdict(list)
            alone = set[str]()
            for id_ in members if len(members) <= _FEW_NAMED else ():
                words = tokens_of(self.graph.names.get(id_, ""))
                if words and words[-1].text.islower() and not words[-1].is_stop:
                    # "Raw" is no good; what comes first is one if something else is called so.
                    first = {words[0].stem} if words[0].plain in self.index else set[str]()
                    for each in first | {words[-1].stem}:
                        called[each].append(Entity(id_))
                    alone |= {words[-1].stem} if len(words) == 1 else set()
            several = {word: nodes for word, nodes in called.items() if 1 < len(nodes) <= _FEW_OF_A_SORT and word not in alone}
            alike |= {word: tuple(sorted(nodes, key=lambda each: each.id)) for word, nodes in several.items()}
        return alike

    def _goods_in(self, tokens: Sequence[QuestionToken]) -> Iterator[tuple[int, int, tuple[Entity, ...]]]:
        """What "export copper" may mean, where nothing that is exported is called so."""
        for index, token in enumerate(tokens):
            trades = any(each.stem in _TRADES for each in tokens[max(index - _FEW_WORDS, 0) : index])
            if trades and not token.is_stop and token.text.islower() and token.stem in self._goods:
                yield index, index + 1, self._goods[token.stem]

    def _sorts_in(self, tokens: Sequence[QuestionToken]) -> Iterator[tuple[int, int, tuple[Entity, ...]]]:
        """The sorts that some tokens speak of, by as many words as there are; "Union" is none in a name, "the Soviet Union"."""
        stems, written = [each.stem for each in tokens], [each.text[:1].isupper() for each in tokens]
        for end in range(1, len(stems) + 1):
            begins = range(max(end - _LONGEST_SORT, 0), end)
            begin = next((each for each in begins if tuple(stems[each:end]) in self._sorts), None)
            inside = begin is not None and begin > 0 and written[begin] and written[begin - 1]
            if begin is not None and not inside and not (written[begin] and _key(tokens[begin:end]) in self.index):
                yield begin, end, self._sorts[tuple(stems[begin:end])]  # "France" is no franc

    @cached_property
    def _by_letter(self) -> Mapping[str, list[str]]:
        result = defaultdict(list)
        for key in self.index:
            if len(key) >= _FEWEST_LETTERS:
                result[key[0]].append(key)
        return result

    @cached_property
    def _heaviest(self) -> float:
        return max((self._facts(Entity(id_)) for id_ in self.graph.names), default=1.0)

    def _facts(self, node: Node) -> float:
        predicates = self.graph.predicates_to(node)
        arriving = sum(len(self.graph.subjects(each, node)) for each in predicates[:20])
        leaving = len(self.graph.predicates_from(node.id)) if isinstance(node, Entity) else 0
        return math.log1p(arriving + leaving)

    def weight(self, node: Node) -> float:
        """From 0 to 1: how much is known about `node`, on a logarithmic scale."""
        return min(1.0, self._facts(node) / max(self._heaviest, 1.0))

    def link(self, text: str, known: frozenset[str] = frozenset()) -> Linking:
        """The mentions in `text`; words whose stem is in `known` are no slips of the pen for a name."""
        tokens = tokens_of(text)
        mentions: list[EntityMention] = []
        for start in range(len(tokens)):
            for end in range(min(len(tokens), start + _LONGEST), start, -1):
                if self._may_name(tokens[start:end]):
                    mentions += self._named(tokens, start, end)
        mentions += self._by_one_word(tokens, mentions, known)
        covered = {index for each in mentions for index in range(each.start, each.end) if each.match > CODE}
        mentions += self._slips(tokens, covered, known)
        named = _without_parts(tokens, mentions)
        ordered = sorted(named, key=lambda each: (each.start, -each.end, -each.match, -each.weight))
        return Linking(tokens, tuple(ordered), (*self._sorts_in(tokens), *self._goods_in(tokens)))

    def _named(self, tokens: Sequence[QuestionToken], start: int, end: int) -> list[EntityMention]:
        """What some words name; "Asian" before "countries" is said of Asia, and not of the Asians."""
        key = _key(tokens[start:end])
        mentions = self._matches(key, start, end, 1.0)
        lands = {node for node, _ in self._lands(key)} if end < len(tokens) and tokens[end].plain in _LANDS else set()
        named = [each for each in mentions if each.node in lands]
        return [max(named, key=lambda each: each.weight)] if named else mentions

    def _may_name(self, span: Sequence[QuestionToken]) -> bool:
        """A name does not begin with "the", nor is it one small common word such as "us" or "may"."""
        if len(span) > 1:
            return span[0].plain != "the" and span[-1].plain not in ("the", "of", "in")
        only = span[0]
        if only.plain in stop_words():
            return only.text.isupper() and len(only.text) > 1
        return len(only.plain) > 1 or only.text.isupper()

    def _lands(self, key: str) -> tuple[tuple[Node, float], ...]:
        """What an adjective is said of, "African" or "Danish", by the name of that, and how much that counts."""
        demonyms = table("demonyms")
        names = str(demonyms.get(key) or demonyms.get(key.removesuffix("s"), "")).split(" / ")
        names += [
            key.removesuffix(each) for each in ("n", "an") if key.endswith(each) and len(key) - len(each) >= _FEWEST_LETTERS
        ]
        return tuple((node, counts * ADJECTIVE) for name in names for node, counts in self.index.get(name, ()))

    def _matches(self, key: str, start: int, end: int, likeness: float) -> list[EntityMention]:
        nodes = self.index.get(key, ())
        if key.endswith("s") and all(counts <= WORD_FOR for _, counts in nodes):
            one = f"{key[:-3]}y" if key.endswith("ies") and f"{key[:-3]}y" in self.index else key[:-1]
            nodes += tuple((node, counts * PLURAL) for node, counts in self.index.get(one, ()))
        elif not nodes and len(key) >= _FEWEST_LETTERS:  # "primate" for the Primates
            nodes += tuple((node, counts * PLURAL) for node, counts in self.index.get(plural(key), ()))
        nodes += self._lands(key)
        mentions = [EntityMention(start, end, node, counts * likeness, self.weight(node)) for node, counts in nodes[:40]]
        return sorted(mentions, key=lambda each: -(each.match + each.weight))[:_MOST_FOR_SPAN]

    def _by_one_word(
        self, tokens: Sequence[QuestionToken], mentions: Sequence[EntityMention], known: frozenset[str]
    ) -> list[EntityMention]:
        """Things named by one word of theirs: "Aconcagua" for Cerro Aconcagua, "against" only where nothing else is named."""
        named = {index for each in mentions for index in range(each.start, each.end)}
        result = []
        no_capitals = not any(each.text[:1].isupper() for each in tokens[1:])
        for index, token in enumerate(tokens):
            if token.is_stop or index in named:
                continue
            nodes = self._telling.get(token.plain, ()) if token.stem not in known else ()
            written_as_name = index > 0 and token.text[:1].isupper()
            if nodes and (written_as_name or not mentions or (no_capitals and not is_general(token))):
                result += [EntityMention(index, index + 1, node, ONE_WORD, self.weight(node)) for node in nodes]
            elif (category := self._categories.get(token.stem)) is not None:
                result.append(EntityMention(index, index + 1, category, ONE_WORD, self.weight(category)))
        return result

    def _slips(self, tokens: Sequence[QuestionToken], covered: set[int], known: frozenset[str]) -> list[EntityMention]:
        """Names that some words, not understood otherwise, nearly spell."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        def strange(index: int) -> bool:
            token = tokens[index]
            known_word = token.is_stop or token.stem in known or (is_general(token) and token.text.islower())
            return index not in covered and not known_word and token.plain[0].isalpha()

        mentions: list[EntityMention] = []
        for start in range(len(tokens)):
            for end in range(min(len(tokens), start + 3), start, -1):
                key = _key(tokens[start:end])
                places = range(start, end)
                if not any(strange(each) for each in places):
                    continue
                if len(key) < _FEWEST_LETTERS or tokens[start].is_stop or tokens[end - 1].is_stop:
                    continue
                choices = self._by_letter.get(key[0], [])
                near = process.extract(key, choices, scorer=OSA.normalized_similarity, limit=3, score_cutoff=_LIKE)
                for name, likeness, _ in near:
                    if _codes(name) == _codes(key):
                        mentions += self._matches(name, start, end, 0.8 * likeness)[:2]
        return mentions

    def near(self, text: str, n: int = 3) -> tuple[str, ...]:
        """Names in the graph that look like `text`, the most alike first."""
        from rapidfuzz import fuzz, process

        similar = process.extract(name_key(text), list(self.index), scorer=fuzz.ratio, limit=n, score_cutoff=_NEAR)
        nodes = [self.index[key][0][0] for key, _, _ in similar]
        names = [self.graph.names.get(each.id, each.id) if isinstance(each, Entity) else each.text for each in nodes]
        return tuple(dict.fromkeys(names))


def _without_parts(tokens: Sequence[QuestionToken], mentions: Sequence[EntityMention]) -> list[EntityMention]:
    """The mentions without those by one word which says what part of another name is meant: of "Central Asia" and "the Middle
    East", neither the region Central nor East is, where the whole is no name here."""
    parts = frozenset(str(table("framing")["parts"]).split())
    whole = {index for each in mentions if each.end > each.start + 1 for index in range(each.start, each.end)}

    def written_as_name(index: int) -> bool:
        return 0 < index < len(tokens) and tokens[index].text[:1].isupper()

    def is_part(mention: EntityMention) -> bool:
        start, alone = mention.start, mention.end == mention.start + 1 and mention.start not in whole
        beside = written_as_name(start + 1) or (written_as_name(start - 1) and tokens[start - 1].plain in parts)
        return alone and tokens[start].plain in parts and written_as_name(start) and beside

    # "America" is the United States where nothing says that a part of it is meant.
    parted = {each.end for each in mentions if is_part(each)}
    return [each for each in mentions if not is_part(each) and (each.start not in parted or each.match >= NAME)]


def _without_kind(name: str, kind: str) -> str:
    """ "Danube River", a river, as "Danube"; nothing if the kind is no part of the name."""
    words = name.split()
    if len(words) > 1 and kind and plain(kind) in (plain(words[0]), plain(words[-1])):
        return " ".join(words[1:] if plain(words[0]) == plain(kind) else words[:-1])
    # "natural" for natural heritage, a category of heritage sites.
    if len(words) > 1 and plain(words[-1]) in plain(kind).split() and words[0].islower():
        return " ".join(words[:-1])
    return ""


def _own_part(name: str, kind: str) -> str:
    """ "Antwerp Province", a province, and "Canton of Spa", a judicial canton, as "Antwerp" and "Spa"."""
    words, called = [plain(each) for each in name.split()], [plain(each) for each in kind.split()]
    for known in (called, called[-1:]):
        size = len(known)
        if size >= len(words) or not known:
            continue
        if words[:size] == known and words[size] == "of":
            own = name.split()[size + 1 :]
        elif words[-size:] == known and len(words) - size <= _FEW_WORDS:
            own = name.split()[:-size]
        else:
            continue
        return " ".join(own) if any(each[:1].isupper() and each.isalpha() for each in own) else ""
    return ""


def _calling(name: str, kind: str) -> Iterator[str]:
    if own := _own_part(name, kind):
        for known in {kind, kind.split()[-1]}:
            yield from (f"{known} of {own}", f"{known} {own}", f"{own} {known}")


def _codes(key: str) -> list[str]:
    """The digits and single letters of a name: Ward D2 is no slip of the pen for Ward C2."""
    return [word for word in key.split() if len(word) == 1 or any(letter.isdigit() for letter in word)]


def name_key(text: str) -> str:
    """What spellings of one name share: no case, diacritics, punctuation or leading article."""
    return _key(tokens_of(text))


def _key(tokens: Sequence[QuestionToken]) -> str:
    words = [each.plain for each in tokens]
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words).replace(".", "")
