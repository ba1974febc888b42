"""What each kind of wildcard can stand for, given what the others of its template are bound to."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from ttm.language.parse import number_text
from ttm.parsers.templates.draw import VALUES_PER_FEATURE, Bound, Draw, Offer, WildcardBinding, others
from ttm.parsers.templates.number_words import FORMS
from ttm.parsers.templates.template import WILDCARDS, UtteranceTemplate, Wildcard, filter_clauses
from ttm.parsers.templates.values import categories, days, decade_ends, decades, deltas, larger, numbered, values
from ttm.parsers.templates.vocabulary import WildcardVocabulary, sample

SHARES = (5, 10, 15, 20, 25, 30, 40, 50)
CHANCES = (10, 20, 25, 30, 40, 60, 70, 75, 80, 90, 95)
FEATURE_KINDS = ("num", "age", "cat", "flag", "date", "feature")
# A row is chosen by features first, as values depend on them, and each feature is to occur before values are varied.
ORDER = (*FEATURE_KINDS, "filter", "class", "id", *(kind for kind in WILDCARDS if kind not in FEATURE_KINDS))


def offers(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    """At most `most` things that a wildcard can stand for, in random order; none where the data set has no such thing."""
    choices = OFFERS[slot.kind](slot, template, draw, bound, most)
    if slot in template.whole:
        choices = [choice for choice in choices if choice.number is not None and choice.number >= 0 and choice.number % 1 == 0]
    return choices


def spelled(choice: WildcardBinding, form: str) -> str:
    """How an utterance says a choice in the form that its wildcard asks for."""
    return FORMS[form](choice.number) if form and choice.number is not None else choice.text


def _features(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    taken = {token for choice in bound.values() for token in choice.features}
    drawn = sample(draw.random, draw.vocabulary.of_kind[slot.kind], most + len(taken))
    free = [feature for feature in drawn if feature.token not in taken][:most]
    names = draw.vocabulary.names
    return [
        WildcardBinding(draw.random.choice(names[feature.token]), feature.token, feature, features=frozenset({feature.token}))
        for feature in free
    ]


def _classes(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    taken = {choice.text for choice in others(slot, template, bound)}
    named = [WildcardBinding(name, str(number)) for number, name in enumerate(draw.vocabulary.schema.target.classes)]
    return sample(draw.random, [choice for choice in named if choice.text not in taken], most)


def _goals(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    """A wanted class is written only where there are more than two: of two, a counterfactual is the other one anyway."""
    several = len(draw.vocabulary.schema.target.classes) > 2
    choices = _classes(slot, template, draw, bound, most)
    return [replace(choice, written=f"class {choice.written}" if several else "") for choice in choices]


def _positives(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    """The last class of two, by whose probability rows are ranked; of more classes it would be the most probable one."""
    classes = draw.vocabulary.schema.target.classes
    if len(classes) != 2:
        return []
    return [
        WildcardBinding(
            classes[1].removeprefix("likely ") if classes[1].startswith("likely to ") else f"to be {classes[1]}", ""
        )
    ]


def _ids(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    taken = {choice.text for choice in others(slot, template, bound)}
    drawn = [id for id in sample(draw.random, draw.vocabulary.ids, most + len(taken)) if id not in taken]
    return [WildcardBinding(id, _id_token(id), number=float(id) if id.isdecimal() else None) for id in drawn[:most]]


def _id_token(id: str) -> str:
    return f'"{id.lower()}"' if " " in id else id.lower()


def _from(numbers: Callable[[WildcardVocabulary], list[float]]) -> "Offer":
    def offer(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
        taken = {choice.number for choice in others(slot, template, bound)}
        free = [number for number in numbers(draw.vocabulary) if number not in taken]
        return [numbered(number, draw) for number in sample(draw.random, free, min(most, VALUES_PER_FEATURE))]

    return offer


def _chances(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    if not draw.vocabulary.schema.target.is_classification:
        return []
    chosen = sample(draw.random, CHANCES, min(most, VALUES_PER_FEATURE))
    spellings = (f"{{}}{draw.random.choice(('%', ' %', ' percent'))}".format, lambda percent: number_text(percent / 100))
    return [WildcardBinding(draw.random.choice(spellings)(percent), number_text(percent / 100)) for percent in chosen]


def _methods(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    taken = {choice.written for choice in others(slot, template, bound)}
    named = [WildcardBinding(name.upper(), name) for name in ("lime", "shap") if name not in taken]
    return sample(draw.random, named, most)


def _words(say: Callable[[Draw], str]) -> "Offer":
    return lambda slot, template, draw, bound, most: [WildcardBinding(say(draw), "")]


def _filters(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    """Clauses, each filled once, about features that the template does not name otherwise. Where the template has another
    filter, `and` would bind it to the last part only of a clause with `or`, so such clauses are left out."""
    outside = {other: choice for other, choice in bound.items() if choice.features}
    alone = template.parse.count("filter") == 1
    clauses = draw.clauses if alone else [clause for clause in draw.clauses if " or filter" not in clause.parse]
    choices = []
    for clause in sample(draw.random, clauses, most):
        filled = fill_once(clause, draw, {Wildcard("outer", n): c for n, c in enumerate(outside.values())})
        if filled is not None:
            spoken, written, features = filled
            choices.append(WildcardBinding(spoken, written, features=features))
    return choices


def fill_once(template: UtteranceTemplate, draw: Draw, outside: Bound) -> tuple[str, str, frozenset[str]] | None:
    """One random filling of a template: utterance, parse and the features in it; None where the data set lacks something."""
    bound = dict(outside)
    for slot in in_order(template):
        choices = offers(slot, template, draw, bound, 1)
        if not choices:
            return None
        bound[slot] = choices[0]
    own = {slot: bound[slot] for slot in template.slots}
    features = frozenset(token for choice in own.values() for token in choice.features)
    return (*rendered(template, own), features)


def rendered(template: UtteranceTemplate, bound: Bound) -> tuple[str, str]:
    """Utterance and parse of a template whose wildcards are all bound."""
    spoken = (piece if isinstance(piece, str) else spelled(bound[piece.slot], piece.form) for piece in template.spoken)
    written = (piece if isinstance(piece, str) else bound[piece.slot].written for piece in template.written)
    return "".join(spoken), " ".join("".join(written).split())  # a {goal} can leave nothing between two spaces


def in_order(template: UtteranceTemplate) -> list[Wildcard]:
    """The wildcards in the order in which they are bound."""
    return sorted(template.slots, key=lambda slot: ORDER.index(slot.kind))


def fitting_clauses(vocabulary: WildcardVocabulary) -> Iterator[UtteranceTemplate]:
    """The clauses of `{filter}` whose features the data set has."""
    for clause in filter_clauses():
        draw = Draw(vocabulary, random.Random(0))
        if fill_once(clause, draw, {}) is not None:
            yield clause


OFFERS: dict[str, Offer] = {
    **dict.fromkeys(FEATURE_KINDS, _features),
    "val": values,
    "high": larger,
    "delta": deltas,
    "years": values,
    "olderyears": larger,
    "decade": decades,
    "nextdecade": decade_ends,
    "catval": categories,
    "day": days,
    "lateday": days,
    "class": _classes,
    "goal": _goals,
    "positive": _positives,
    "quantity": _from(lambda vocabulary: vocabulary.quantities),
    "id": _ids,
    "count": _from(lambda vocabulary: [float(count) for count in range(2, 11)]),
    "percent": _from(lambda vocabulary: [float(share) for share in SHARES]),
    "chance": _chances,
    "method": _methods,
    "filter": _filters,
    "entities": _words(lambda draw: draw.random.choice(draw.vocabulary.row_nouns)[1]),
    "entity": _words(lambda draw: draw.random.choice(draw.vocabulary.row_nouns)[0]),
    "outcome": _words(lambda draw: draw.vocabulary.schema.objective),
}
