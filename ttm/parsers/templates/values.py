"""What stands for a value of a feature: numbers, ages, days and categories."""

import re
from datetime import date

from ttm.language.parse import number_text
from ttm.parsers.templates.draw import DECADES, Bound, Draw, WildcardBinding, feature_of, others
from ttm.parsers.templates.number_words import grouped
from ttm.parsers.templates.template import WILDCARDS, UtteranceTemplate, Wildcard
from ttm.parsers.templates.vocabulary import sample

# A kind of wildcard, and the one than which its value is larger.
LARGER = {"high": "val", "olderyears": "years", "lateday": "day"}
# Values that say nothing without their feature: "the Yes ones", "12 people", "M applicants".
SAYS_NOTHING = re.compile(r"yes|no|true|false|none|other|unknown|[\W\d_]*|\w", re.IGNORECASE)


def values(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    taken = {choice.number for choice in others(slot, template, bound)}
    numbers = draw.numbers(feature_of(slot, template, bound))
    if any(
        WILDCARDS[other.kind].of == WILDCARDS[slot.kind].of and other.kind in LARGER and other.number == slot.number
        for other in template.slots
    ):
        numbers = numbers[:1]  # leaves a larger one
    return [numbered(number, draw) for number in sample(draw.random, [n for n in numbers if n not in taken], most)]


def larger(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    least = bound.get(Wildcard(LARGER[slot.kind], slot.number))
    numbers = draw.numbers(feature_of(slot, template, bound))[1:]
    return [numbered(number, draw) for number in numbers if least is None or number > (least.number or 0.0)][:most]


def deltas(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    return [numbered(n, draw) for n in sample(draw.random, draw.deltas(feature_of(slot, template, bound)), most)]


def numbered(number: float, draw: Draw) -> WildcardBinding:
    text = number_text(number)
    spoken = grouped(number) if abs(number) >= 1000 and draw.random.random() < 0.5 else text
    return WildcardBinding(spoken, text, number=number)


def decades(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    start = draw.decade(feature_of(slot, template, bound))
    return (
        [] if start is None else [WildcardBinding(draw.random.choice((f"{start}s", DECADES[start])), str(start), number=start)]
    )


def decade_ends(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    start = bound[Wildcard("decade", slot.number)].number or 0.0
    return [WildcardBinding("", number_text(start + 10), number=start + 10)]


def days(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    numbers = larger if slot.kind in LARGER else values
    choices = numbers(slot, template, draw, bound, most)
    return [_day(choice.number or 1.0, draw) for choice in choices]


def _day(number: float, draw: Draw) -> WildcardBinding:
    day = date.fromordinal(int(number))
    spoken = draw.random.choice((day.isoformat(), f"{day.day} {day:%B %Y}", f"{day:%B} {day.day}, {day.year}"))
    return WildcardBinding(spoken, day.isoformat(), number=number)


def categories(slot: Wildcard, template: UtteranceTemplate, draw: Draw, bound: Bound, most: int) -> list[WildcardBinding]:
    feature = feature_of(slot, template, bound)
    taken = {choice.written for choice in others(slot, template, bound)}
    named = template.owner(slot) in template.named
    telling = [value for value in feature.values if named or not SAYS_NOTHING.fullmatch(str(value))]
    drawn = sample(draw.random, telling, most + len(taken))
    made = [WildcardBinding(str(value), feature.value_token(value)) for value in drawn]
    return [choice for choice in made if choice.written not in taken][:most]
