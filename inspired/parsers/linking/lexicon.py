"""What words have to do with which relation and which kind of thing: from names and templates, and learnt from questions.

A strength runs from 0 (no tie) to 1 (the word means it and hardly anything else).
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import islice

from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.published import OWL, RDF, RDFS, WORDS
from inspired.knowledge_base.vocabulary import NOTABLE
from inspired.logical_form.forms import Entity
from inspired.parsers.linking.asked_words import near
from inspired.parsers.linking.label_grammar import related
from inspired.parsers.linking.named_ends import NamedEnds
from inspired.parsers.linking.relations import Relation, Relations
from inspired.parsers.linking.words import content_stems, plural, stem, stop_words, table, tokens_of
from inspired.sub_questions.templates import Corpus, property_words, type_words

# Words at the heart of a relation's name, words around it, and words about what it leads from.
HEART, AROUND, START = 1.0, 0.6, 0.3
# What a word with nearly the same meaning counts for, and one for the other end of the same fact.
_RELATED = {"synonyms": 0.8, "near_synonyms": 0.6, "converses": 0.6}
_PLACEHOLDERS = re.compile(r"\{[a-z]\}")
_UNIT = re.compile(r"\(.*?\)")
_PER = re.compile(r"\bper\s+\w+")
# Names for other names are made of words that mean nothing else: "also known as".
_OTHER_NAMES = re.compile(
    r"\b(?:alt(?:ernate|ernative)?|other) (?:names?|labels?)\b|\balso (?:known|called)(?: as)?\b|\bknown as\b", re.I
)
_WEAKEST = 0.08
_PLACING = 0.4
# A strength from which on a word tells of a relation, and what it counts at most for those that are called by another one.
_TELLING, _AT_MOST_ELSEWHERE = 0.9, 0.3
_SAMPLE = 20
# Behind these, what a class is called before them tells the things: a "dog breed" is a sort of dogs.
_SORTS = frozenset("breed species variety model item entry record object".split())
_BY_FAR = 0.8  # of all things of classes that share a noun
_SORTING = frozenset(("type", "subtype", "kind", "category", "class"))
_FEWEST = 5  # letters of a word that slips of the pen are mended to


@dataclass(frozen=True, slots=True)
class EntityKind:
    """A kind of thing that a question can ask for: `triple` is the predicate and object by which a query says so.

    It is None where several classes share a noun ("languages" of programming and of markup): no query says so at once,
    but the noun is explained by things of any of them. `by_synonym`: by another word than the graph has for it.
    """

    name: str
    triple: tuple[str, Entity] | None
    members: frozenset[str]
    by_synonym: bool = field(default=False, compare=False)

    @property
    def id(self) -> str | None:
        """The id of the class; None where there are several."""
        return self.triple[1].id if self.triple is not None else None


class RelationLexicon:
    """`learnt` holds, by key or sense of a relation, the strength of stems (`inspired.lab.parser_fitting`)."""

    def __init__(self, relations: Relations, corpus: Corpus, learnt: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self.relations = relations
        self.graph: Graph = relations.graph
        self.corpus = corpus
        self.learnt = learnt or {}
        self.ends = NamedEnds(relations)

    @cached_property
    def _named(self) -> Mapping[Relation, Mapping[str, float]]:
        """The stems in the names and templates of each relation, weighed by how few relations share them."""
        raw = {each: self._stems_of(each) for each in self.relations.all}
        senses: dict[str, set[str]] = defaultdict(set)
        for relation, stems in raw.items():
            for each in stems:
                senses[each].add(relation.sense)
        most = math.log1p(len({each.sense for each in raw}))
        rarity = {each: 1 - math.log(len(relations)) / most if most else 1.0 for each, relations in senses.items()}
        return {relation: {each: counts * rarity[each] for each, counts in stems.items()} for relation, stems in raw.items()}

    @cached_property
    def titles(self) -> Mapping[str, tuple[frozenset[str], ...]]:
        """What each sense is called, each name as its stems."""
        result: dict[str, set[frozenset[str]]] = defaultdict(set)
        for relation in self.relations.all:
            back = self.relations.reverses.get(relation.path, relation.path)
            for path in (relation.path, back):
                telling = path[:1] if len(path) == 2 and not _is_thing(relation) else path
                for predicate in telling:
                    name = _UNIT.sub("", self.graph.names.get(predicate, ""))
                    result[relation.sense] |= {frozenset(content_stems(each)) for each in (name, property_words(predicate))}
                if self.corpus.covers(path):
                    template = self.corpus.template(path)
                    result[relation.sense].add(frozenset(content_stems(template.object)))
        return {sense: tuple(each for each in names if each) for sense, names in result.items()}

    @cached_property
    def named_in_full(self) -> Mapping[str, tuple[tuple[tuple[str, ...], frozenset[Relation]], ...]]:
        """The names of several words, as their stems, with all relations that are called so; by the first stem, the longest
        first."""
        called: dict[tuple[str, ...], set[Relation]] = defaultdict(set)
        for relation in self.relations.all:
            for path in (relation.path, self.relations.reverses.get(relation.path, ())):
                for predicate in path:
                    words = tokens_of(_UNIT.sub("", self.graph.names.get(predicate, "")))
                    if len(words) > 1 and not words[-1].is_stop:  # "capital of" is half of what one may say
                        called[tuple(each.stem for each in words)].add(relation)
        result: dict[str, list[tuple[tuple[str, ...], frozenset[Relation]]]] = defaultdict(list)
        for name in sorted(called, key=lambda each: (-len(each), each)):
            result[name[0]].append((name, frozenset(called[name])))
        return {first: tuple(names) for first, names in result.items()}

    def _stems_of(self, relation: Relation) -> dict[str, float]:
        result: dict[str, float] = {}

        def add(text: str, counts: float) -> None:
            # A figure "per person" is not about people.
            for each in content_stems(_PER.sub(" ", _OTHER_NAMES.sub("alias", _PLACEHOLDERS.sub(" ", text)))):
                result[each] = max(result.get(each, 0), counts)
            for unit in _PER.findall(text):
                for each in content_stems(unit):
                    result.setdefault(each, START)

        known = WORDS.get(relation.path[-1], ("", "")) if len(relation.path) == 1 else ("", "")
        add(known[relation.outward], HEART)
        for path in (relation.path, *((back,) if (back := self.relations.reverses.get(relation.path)) else ())):
            for index, predicate in enumerate(path):
                declared = self.graph.schema.properties.get(predicate)
                heart = HEART if len(path) == 1 or index == 1 else AROUND if _is_thing(relation) else HEART
                add(self.graph.names.get(predicate, ""), heart)
                add(property_words(predicate), heart)
                add(declared.name if declared else "", heart)
                add(_initials(self.graph.names.get(predicate, "")), heart)
            if self.corpus.covers(path):
                template = self.corpus.template(path)
                ahead = (relation.outward, path == relation.path).count(True) == 1
                add(template.object, HEART if ahead else START)
                add(template.subject, START if ahead else HEART)
                for phrase in (template.has, template.of, template.ask or ""):
                    add(phrase, AROUND)
        return result

    def _with_others(self, stems: Mapping[str, float], tables: Iterable[str] = tuple(_RELATED)) -> dict[str, float]:
        """The stems and, weaker, other words for them: "money" for "currency", "timezone" for "time zone"."""
        result = dict(stems)
        for each, strength in stems.items():
            for name in tables:
                for other in (near("near_synonyms") if name == "near_synonyms" else related(name)).get(each, ()):
                    result[other] = max(result.get(other, 0.0), _RELATED[name] * strength)
        return result

    @cached_property
    def _by_stem(self) -> Mapping[str, tuple[tuple[Relation, float], ...]]:
        result: dict[str, dict[Relation, float]] = defaultdict(dict)
        telling = {each for stems in self._named.values() for each, strength in stems.items() if strength >= _TELLING}
        for relation in self.relations.all:
            learnt = self._learnt(relation)
            named = self._with_others(self._named[relation])
            for each in {*named, *learnt}:
                most = 1.0 if each in self._named[relation] or each not in telling else _AT_MOST_ELSEWHERE
                strength = max(min(most, named.get(each, 0)), learnt.get(each, 0))
                if strength >= _WEAKEST:
                    result[each][relation] = min(1.0, strength)
        return {each: tuple(sorted(row.items(), key=lambda one: -one[1])) for each, row in result.items()}

    def _learnt(self, relation: Relation) -> Mapping[str, float]:
        either = self.learnt.get(relation.sense, {})
        this = self.learnt.get(relation.key, {})
        units = self._units(relation)
        return {
            each: min(START if each in units else 1.0, max(0.85 * either.get(each, 0), this.get(each, 0)))
            for each in {*either, *this} - _generic()
        }

    def _units(self, relation: Relation) -> frozenset[str]:
        """What a figure is told per: people, of "consumption per person"."""
        names = [name for each in relation.path for name in (self.graph.names.get(each, ""), property_words(each))]
        if self.corpus.covers(relation.path):
            names.append(self.corpus.template(relation.path).object)
        return frozenset(each for name in names for unit in _PER.findall(name.lower()) for each in content_stems(unit))

    def relations_called(self, stems: Sequence[str]) -> Iterator[tuple[Relation, float]]:
        """The relations that each of some stems has to do with, and how strongly the weakest does."""
        rows = [dict(self.relations_of(each)) for each in stems]
        for relation in rows[0]:
            if all(relation in row for row in rows):
                yield relation, min(row[relation] for row in rows)

    def relations_of(self, stem_: str) -> tuple[tuple[Relation, float], ...]:
        """The relations that a stem has to do with, the strongest first."""
        return self._by_stem.get(stem_, ())

    @cached_property
    def people(self) -> frozenset[str]:
        return frozenset(id_ for kind in self.kinds.get(stem("person"), ()) for id_ in kind.members)

    @cached_property
    def placing(self) -> frozenset[Relation]:
        """The relations that say where something is, whose words people leave out: "rivers in Africa"."""
        stems = {stem(each) for each in str(table("framing")["placing"]).split()}
        where = {each for each in self.relations.all if each.leads_to == "thing" and self._speak_for(stems, each) >= _PLACING}
        return frozenset(where | {each for each in self.relations.all if each.outward and self._is_called_as_its_ends(each)})

    def _speak_for(self, stems: Collection[str], relation: Relation) -> float:
        """How much the strongest of `stems` counts by the names of a relation, their close synonyms, and as it was learnt."""
        named, learnt = self._with_others(self._named[relation], ("synonyms", "converses")), self._learnt(relation)
        return max((max(named.get(each, 0.0), learnt.get(each, 0.0)) for each in stems), default=0.0)

    def _is_called_as_its_ends(self, relation: Relation) -> bool:
        """Whether a relation is called as the class of what it leads to: "in Antwerp" says the province of what is in it."""
        if len(relation.path) > 1 or not (name := _stems(self.graph.names.get(relation.path[0], ""))):
            return False
        some = [each for _, each in islice(self.graph.pairs(relation.path[0]), _SAMPLE)]
        types = [self.graph.types.get(each.id, frozenset()) if isinstance(each, Entity) else frozenset() for each in some]
        return bool(types) and any(
            _stems(self.graph.names.get(each, "")) == name for each in frozenset[str].intersection(*types)
        )

    @cached_property
    def stems(self) -> frozenset[str]:
        """Every stem that means something here."""
        return frozenset({*self._by_stem, *(each for key in self.kinds for each in key.split())})

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """The words by which relations and kinds are called, as people write them; kinds also in the plural."""
        relations = [self.graph.names.get(each, "") for relation in self.relations.all for each in relation.path]
        kinds = [kind.name for row in self.kinds.values() for kind in row]
        words = {each.plain for name in (*relations, *kinds) for each in tokens_of(name)}
        words |= {plural(each.plain) for name in kinds for each in tokens_of(name)[-1:]}
        return tuple(sorted(each for each in words if len(each) >= _FEWEST and each.isalpha()))

    @cached_property
    def kinds(self) -> Mapping[str, tuple[EntityKind, ...]]:
        """The kinds of things by the stems of what they are called; notable types before types of the schema.

        A graph has many more classes than people have words for. A kind that several classes share a word for has to be told
        apart, and a class that only holds facts together (a mediator) is no kind at all.
        """
        matches: dict[str, list[EntityKind]] = defaultdict(list)
        for kind in self._notable_kinds():
            matches[_stems(kind.name)].append(kind)
        notable = frozenset(matches)
        for kind in self._classes():
            for called in self._called(kind) if _stems(kind.name) not in notable else ():
                matches[_stems(called)].append(kind)
        self._add_heads(matches)
        by_id = {kind.id: kind for kinds in matches.values() for kind in kinds if kind.id is not None}
        for noun, types in self._nouns.items():
            if (key := _stems(noun)) not in matches:
                known = [id_ for id_ in by_id if id_ in types]
                matches[key] = [by_id[id_] for id_ in sorted(known, key=lambda id_: -types[id_])[:2]]
        named = {key: tuple(kinds) for key, kinds in matches.items() if key and kinds}
        return {**_by_other_nouns(named), **named}

    def _add_heads(self, matches: dict[str, list[EntityKind]]) -> None:
        """Also by the nouns at the heads of names, and by the relations that sort things."""
        heads = _by_head(matches)
        for key in [each for each, kinds in matches.items() if each in heads and all(map(_is_of_language, kinds))]:
            del matches[key]  # "classes" are those of the things, where there are any, before those of OWL
        others = _by_other_nouns({key: tuple(kinds) for key, kinds in matches.items()})
        # "States" are countries where there are any, before they are those of a class of "US states".
        matches.update({head: kinds for head, kinds in heads.items() if head not in matches and head not in others})
        for stem_, kind in self._by_category(matches).items():
            matches.setdefault(stem_, []).append(kind)

    def _by_category(self, matches: Mapping[str, list[EntityKind]]) -> dict[str, EntityKind]:
        """What things are by the name of the relation that sorts them: those with a "creature type" are creatures."""
        result: dict[str, EntityKind] = {}
        known = sorted({kind for kinds in matches.values() for kind in kinds}, key=lambda each: len(each.members))
        for path in self.relations.forward:
            name = [each.plain for each in tokens_of(self.graph.names.get(path[0], ""))]
            if len(path) == 1 and len(name) == 2 and name[1] in _SORTING and stem(name[0]) not in matches:
                starts = self._starts(path)
                kind = next((each for each in known if all(one in each.members for one in starts)), None)
                if starts and kind is not None:
                    result.setdefault(stem(name[0]), kind)
        return result

    def _called(self, kind: EntityKind) -> Iterator[str]:
        """What a class is called. "ElementSeries" is its name again; as one word its stem would be that of "elements"."""
        yield kind.name
        squashed = "".join(kind.name.split())
        yield from (each for each in self.graph.aliases.get(kind.id or "", ()) if each != squashed)

    _schema_types = frozenset(("type.property", "type.type"))

    def _classes(self) -> Iterator[EntityKind]:
        """The types of the schema that are kinds of things."""
        for type_ in self.graph.classes:
            members = self.graph.members(type_)
            if type_ not in self._schema_types and not (self.relations.mediators & set(members[:5])):
                name = self.graph.names.get(type_) or type_words(type_)
                yield EntityKind(name, (self.graph.type_predicate(type_), Entity(type_)), frozenset(members))

    def _notable_kinds(self) -> list[EntityKind]:
        members: dict[Entity, set[str]] = defaultdict(set)
        for id_, kind in self.graph.pairs(NOTABLE):
            if isinstance(kind, Entity):
                members[kind].add(id_)
        return [
            EntityKind(self.graph.names.get(kind.id, kind.id), (NOTABLE, kind), frozenset(ids))
            for kind, ids in sorted(members.items(), key=lambda each: each[0].id)
        ]

    @cached_property
    def _nouns(self) -> Mapping[str, Counter[str]]:
        """What templates call the things at either end of a relation, and the notable types of those things."""
        result: dict[str, Counter[str]] = defaultdict(Counter)
        kind_of = {id_: kind.id for id_, kind in self.graph.pairs(NOTABLE) if isinstance(kind, Entity)}
        for path in self.relations.forward:
            if not self.corpus.covers(path):
                continue
            template = self.corpus.template(path)
            for noun, ends in ((template.subject, self._starts(path)), (template.object, self._ends(path))):
                result[noun].update(kind_of[each] for each in ends if each in kind_of)
        return result

    def _starts(self, path: tuple[str, ...]) -> list[str]:
        return [start for start, _ in self.graph.pairs(path[0])][:100]

    def _ends(self, path: tuple[str, ...]) -> list[str]:
        return [end.id for _, end in self.graph.pairs(path[-1]) if isinstance(end, Entity)][:100]


def _by_other_nouns(kinds: Mapping[str, tuple[EntityKind, ...]]) -> dict[str, tuple[EntityKind, ...]]:
    """The kinds by nouns that people use for them, which are not what the graph calls them."""
    tables = (near("kinds"), related("kinds"))
    others = {other: row for table_ in tables for key, row in kinds.items() for other in table_.get(key, ())}
    return {key: tuple(replace(each, by_synonym=True) for each in row) for key, row in others.items()}


def _is_of_language(kind: EntityKind) -> bool:
    """Whether a kind is of the language in which graphs are written, as rdfs:Class is."""
    return (kind.id or "").startswith((OWL, RDFS, RDF))


def _by_head(matches: Mapping[str, list[EntityKind]]) -> dict[str, list[EntityKind]]:
    """Kinds by the noun at the head of their name; that of several ("port" of input and output ports) means things of any."""
    heads: dict[str, list[EntityKind]] = defaultdict(list)
    for kind in dict.fromkeys(each for kinds in matches.values() for each in kinds if not _is_of_language(each)):
        heads[_stems(_head(kind.name))].append(kind)
        before, _, last = kind.name.rpartition(" ")
        if last.lower() in _SORTS and before:
            heads[_stems(before)].append(kind)
    return {head: kinds if len(kinds) == 1 else [_any_of(kinds)] for head, kinds in heads.items()}


def _any_of(kinds: Sequence[EntityKind]) -> EntityKind:
    """The kind that nearly all things of `kinds` are of, else all of them together."""
    members = frozenset[str]().union(*(each.members for each in kinds))
    most = max(kinds, key=lambda each: len(each.members))
    return most if len(most.members) >= _BY_FAR * len(members) else EntityKind(_head(kinds[0].name), None, members)


@cache
def _generic() -> frozenset[str]:
    """Words that any figure may be called by; that some figures were learnt with them tells nothing."""
    return frozenset(map(stem, str(table("framing")["generic"]).split()))


def _initials(name: str) -> str:
    """ "cr" of "challenge rating", as people shorten names; nothing that is a small word."""
    letters = "".join(each.plain[0] for each in tokens_of(_UNIT.sub("", name)) if not each.is_stop)
    return letters if len(letters) > 1 and letters.isalpha() and letters not in stop_words() else ""


def _head(name: str) -> str:
    """The noun of a name: "work" of "work of art", "pump" of "water pump"."""
    return name.partition(" of ")[0].rpartition(" ")[2]


def _is_thing(relation: Relation) -> bool:
    return relation.leads_to == "thing"


def _stems(text: str) -> str:
    return " ".join(each.stem for each in tokens_of(text))


def strengths(counts: Mapping[str, Mapping[str, float]], everywhere: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Learnt strengths: how much likelier a stem is beside a component than anywhere, as a logarithm cut to 0..1.

    `counts` are expected counts of stems by component, `everywhere` those of all words together.
    """
    total = sum(everywhere.values())
    result: dict[str, dict[str, float]] = {}
    for key, row in counts.items():
        size = sum(row.values())
        kept = {}
        for each, count in row.items():
            likely, usual = count / (size + 2), (everywhere[each] + 1) / (total + 1)
            strength = min(1.0, math.log(likely / usual) / 4) if likely > usual else 0.0
            if strength >= 0.15 and count >= 1.5:
                kept[each] = round(strength, 2)
        if kept:
            result[key] = kept
    return result
