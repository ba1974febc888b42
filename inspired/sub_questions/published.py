"""The words of published properties: their labels, or the ends of their IRIs, made into verbs and nouns."""

from collections.abc import Mapping

from inspired.logical_form.schema import is_kind
from inspired.sub_questions.templates import PredicateTemplate, Value, property_words
from inspired.sub_questions.value_words import AMOUNT, article

THING = "thing"
_PREPOSITIONS = frozenset(
    "in at on of for to from with by through into onto under over about near during within as than".split()
)
_VERBS = ("is", "was", "are", "were")
_DATES = frozenset("date year time day created born died founded opened closed issued modified published start end".split())


def published_template(
    predicates: tuple[str, ...], names: Mapping[str, str], comparing: str | None = None
) -> PredicateTemplate:
    """The template of one property, or of two joined by a node without a name."""
    if len(predicates) == 1 and is_kind(predicates[0]):
        return PredicateTemplate(subject=THING, has="is of the kind {o}", object="kind", of="is the kind of {s}")
    words = _called(predicates[-1], names)
    if len(predicates) == 2:
        return _joined(_called(predicates[0], names), words)
    if comparing:
        return _value(words, comparing)
    return _verb(words) or _noun(words)


def _called(predicate: str, names: Mapping[str, str]) -> str:
    label = names.get(predicate) or property_words(predicate)
    plain = label.partition(" (")[0].strip() or label
    return plain[0].lower() + plain[1:] if not plain[1:2].isupper() else plain


def _joined(first: str, second: str) -> PredicateTemplate:
    noun = first.removeprefix("has ")
    role = second.removeprefix("has ")
    return PredicateTemplate(
        subject=THING,
        has=f"has {article(noun)} with the {role} {{o}}",
        object=role,
        of=f"is the {role} in the {noun} of {{s}}",
        ask=f"What is the {role} in the {noun} of {{s}}?",
    )


def _value(words: str, comparing: str) -> PredicateTemplate:
    noun = words.removeprefix("has ")
    kind: Value = "amount" if comparing == AMOUNT and not _DATES & set(noun.split()) else "date"
    return PredicateTemplate(
        subject=THING,
        has=f"has the {noun} {{o}}",
        object=noun,
        of=f"is the {noun} of {{s}}",
        ask=f"What is the {noun} of {{s}}?",
        value=kind,
    )


def _verb(words: str) -> PredicateTemplate | None:
    """ "shown in", "painted by", "flows through", "is part of"; None for a noun."""
    first, last = words.split()[0], words.split()[-1]
    if first == "has":
        return None
    if first in _VERBS and len(words.split()) > 1:
        rest = words.partition(" ")[2]
        return PredicateTemplate(
            subject=THING,
            has=f"{words} {{o}}",
            object=THING,
            of=f"{first} what {{s}} {words}",
            ask=f"What {first} {{s}} {rest}?",
        )
    if last not in _PREPOSITIONS or len(words.split()) == 1:
        return None
    if first.endswith("s") and not first.endswith("ss"):
        return PredicateTemplate(
            subject=THING,
            has=f"{words} {{o}}",
            object=THING,
            of=f"is what {{s}} {words}",
            ask=f"What is it that {{s}} {words}?",
        )
    asked = "Who or what" if last == "by" else "What"
    return PredicateTemplate(
        subject=THING, has=f"is {words} {{o}}", object=THING, of=f"is what {{s}} is {words}", ask=f"{asked} is {{s}} {words}?"
    )


def _noun(words: str) -> PredicateTemplate:
    noun = words.removeprefix("has ")
    return PredicateTemplate(
        subject=THING,
        has=f"has the {noun} {{o}}",
        object=noun,
        of=f"is the {noun} of {{s}}",
        ask=f"What is the {noun} of {{s}}?",
    )
