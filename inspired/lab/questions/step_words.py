"""The steps of a question in the words of a wording, each worded after those before it, as a person would correct them."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inspired.decomposition.decompose import group
from inspired.decomposition.steps import Decomposition, Step
from inspired.knowledge_base.vocabulary import NOTABLE
from inspired.lab.questions.speech import FOR_EACH, Speaker, conjugated, sentence
from inspired.lab.questions.wording import WordingLexicon
from inspired.logical_form.forms import Entity, Literal, Triple, Variable
from inspired.parsers.query_graphs.query_graph import Attribute, Bound, Either, Extreme, Thing, Tie
from inspired.sub_questions.conditions import bound, key_variable, simple_comparison
from inspired.sub_questions.value_words import plural


def say_steps(
    decomposition: Decomposition, names: Mapping[str, str], lexicon: WordingLexicon, rng: random.Random
) -> tuple[str | None, ...]:
    """One sub-question a step; None for a step that the wording has no words for."""
    return tuple(_StepWording(decomposition, Speaker(lexicon, names, rng)).questions())


@dataclass
class _StepWording:
    decomposition: Decomposition
    speaker: Speaker
    nouns: dict[Variable, str] = field(default_factory=dict)

    def questions(self) -> Iterator[str | None]:
        for step in self.decomposition.steps:
            self.speaker.known = dict(self.nouns)
            yield self._choice(step) if step.order is not None else self._question(step)

    def _question(self, step: Step) -> str | None:
        if step.main and step.main[0].predicate == NOTABLE:
            return self._of_kind(step.main[0])
        read = self._read(step)
        if read is None or not self._can_say(read[1]):
            return None
        asked, tie = read
        kind = _kind(step, asked)
        if asked in self.nouns:
            return self._narrowing(asked, tie)
        if isinstance(tie.other, Extreme):
            return self._figure(asked, tie)
        thing = Thing((tie,), kind)
        question = self._also_figure(self.speaker.question(thing), step)
        self.nouns[asked] = self.speaker.noun(thing)
        return question

    def _also_figure(self, question: str, step: Step) -> str:
        """`question`, asking too for a figure of the relation that a later step sorts by."""
        wording, rng = self.speaker.lexicon.wording, self.speaker.rng
        for triple in step.restrictions:
            if triple.object in self._sorted_by() and (asides := wording.attributes.get(triple.predicate)):
                return f"{question[:-1]}, {rng.choice(asides)}{question[-1]}"
        return question

    def _narrowing(self, asked: Variable, tie: Tie) -> str | None:
        """Which of those found before are so."""
        if isinstance(tie.other, Extreme):
            return self._figure(asked, tie)
        return self._of_these("which_of", asked, self.speaker.verb_phrase(tie))

    def _of_kind(self, triple: Triple) -> str | None:
        """The step that says only what kind of thing the answers are."""
        if not isinstance(triple.subject, Variable) or not isinstance(triple.object, Entity):
            return None
        self.nouns[triple.subject] = self.speaker.kind_noun(triple.object.id)
        return self._of_these("of_kind", triple.subject, "")

    def _figure(self, asked: Variable, tie: Tie) -> str | None:
        """The value of each of those found before, to choose by later."""
        kinds = [each.main[0].object for each in self.decomposition.steps if _tells_kind(each, asked)]
        first = next((self.speaker.kind_noun(each.id) for each in kinds if isinstance(each, Entity)), "")
        self.speaker.known = {} if asked in self.nouns else {FOR_EACH: first}
        phrase = self.speaker.asking(Tie(tie.path, FOR_EACH))
        return sentence(phrase) if phrase else None

    def _choice(self, step: Step) -> str | None:
        """The step that sorts, in the words of the figure that it sorts by."""
        key = key_variable(step.order.key) if step.order else None
        if step.order is None or key is None or step.order.limit != 1 or step.order.offset:
            return None
        for other in self.decomposition.steps:
            read = self._sorted_tie(other, key, Extreme(step.order.descending))
            if read is not None and self._can_say(read[1]):
                return self._of_these("most_of", read[0], self.speaker.verb_phrase(read[1]))
        return None

    def _sorted_tie(self, step: Step, key: Variable, extreme: Extreme) -> tuple[Variable, Tie] | None:
        if step.main and step.main[-1].object == key and isinstance(step.main[0].subject, Variable):
            return step.main[0].subject, Tie(_path(step.main), extreme, outward=True)
        for triple in step.restrictions:
            if triple.object == key and (read := self._read(step)) is not None:
                asked, tie = read
                return asked, replace(tie, attributes=(*tie.attributes, Attribute(triple.predicate, extreme)))
        return None

    def _of_these(self, construction: str, asked: Variable, phrase: str) -> str:
        noun = self.nouns.get(asked, "one")
        template = self.speaker.rng.choice(self.speaker.lexicon.wording.sentences[construction])
        return sentence(template.format(noun=noun, nouns=plural(noun), vp=phrase, vps=conjugated(phrase)))

    def _can_say(self, tie: Tie) -> bool:
        figures = tuple(each.predicate for each in tie.attributes if isinstance(each.value, Bound | Extreme))
        return all(self.speaker.lexicon.knows(tie.path, each) for each in figures or (None,))

    def _read(self, step: Step) -> tuple[Variable, Tie] | None:
        """The variable that a step asks for, and the tie that leads to it."""
        if step.union is not None:
            return self._read_union(step)
        if not step.main:
            return None
        first, last = step.main[0].subject, step.main[-1].object
        tests = [test for each in step.conditions if (test := simple_comparison(each)) and test[0] == last]
        attributes = tuple(self._attributes(step))
        tie = Tie(_path(step.main), Extreme(True), True, attributes, _year(step))
        if isinstance(first, Variable) and len(tests) == 1:
            return first, replace(tie, other=Bound(tests[0][1], tests[0][2]))
        if isinstance(first, Variable) and isinstance(last, Variable) and last in self._sorted_by():
            return first, tie
        new = isinstance(last, Variable) and (last not in self.nouns or not isinstance(first, Variable))
        asked, other = (last, first) if new or not isinstance(first, Variable) else (first, last)
        if not isinstance(asked, Variable) or not isinstance(other, Entity | Literal | Variable):
            return None
        return asked, replace(tie, other=other, outward=asked == first)

    def _read_union(self, step: Step) -> tuple[Variable, Tie] | None:
        branches = [group(branch) for branch in step.union.branches] if step.union else []
        if len(branches) != 2 or any(len(branch) != 1 for branch in branches):
            return None
        one, other = (self._read(branch[0]) for branch in branches)
        if one is None or other is None or one[0] != other[0] or one[1].path != other[1].path:
            return None
        if not isinstance(one[1].other, Entity) or not isinstance(other[1].other, Entity):
            return None
        return one[0], replace(one[1], other=Either((one[1].other, other[1].other)))

    def _attributes(self, step: Step) -> Iterator[Attribute]:
        for triple in step.restrictions:
            if triple.subject != step.joint:
                continue
            if isinstance(triple.object, Entity | Literal):
                yield Attribute(triple.predicate, triple.object)
            for condition in step.conditions:
                test = simple_comparison(condition)
                if test is not None and test[0] == triple.object:
                    yield Attribute(triple.predicate, Bound(test[1], test[2]))

    def _sorted_by(self) -> set[Variable | None]:
        return {key_variable(step.order.key) for step in self.decomposition.steps if step.order is not None}


def _path(main: Sequence[Triple]) -> tuple[str, ...]:
    return tuple(each.predicate for each in main)


def _kind(step: Step, asked: Variable) -> str | None:
    kinds = [each.object for each in step.restrictions if each.predicate == NOTABLE and each.subject == asked]
    return next((each.id for each in kinds if isinstance(each, Entity)), None)


def _tells_kind(step: Step, node: Variable) -> bool:
    return bool(step.main) and step.main[0].predicate == NOTABLE and step.main[0].subject == node


def _year(step: Step) -> int | None:
    """The year that a pair of time filters is about."""
    days = [each.date.text for condition in step.conditions if (each := bound(condition)) is not None]
    return int(days[0][:4]) if days and days[0][:4].isdigit() else None
