"""The words of published properties: their labels, or the ends of their IRIs, made into verbs and nouns."""

import re
from collections.abc import Callable, Mapping

from inspired.logical_form.schema import is_kind
from inspired.logical_form.vocabularies import WIKIDATA, names_in
from inspired.sub_questions.templates import PredicateTemplate, Value, property_words
from inspired.sub_questions.value_words import AMOUNT, article

THING = "thing"
_PARTICIPLE = re.compile(
    r"(?P<verb>(?:\w+ed|made|found|part|member|present|student|said to be) "
    r"(?:in|on|of|by|from|at|to|with|next to|after|the same as)) (?:the )?(?P<noun>\w.*)"
)
_DONE = re.compile(r"(?P<noun>\w.*) (?P<verb>held|received|played)")
_DOES = re.compile(
    r"(?P<verb>contains|shares|cites|depicts|encodes|follows|replaces|statement describes)(?: (?:the )?(?P<noun>\w.*))?"
)
_STATEMENT_VALUE = f"{WIKIDATA}prop/statement/"
_VALUE = f"{WIKIDATA}prop/direct/"
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
    if len(predicates) == 2 and predicates[1].startswith(_STATEMENT_VALUE):
        return published_template((predicates[1].replace(_STATEMENT_VALUE, _VALUE),), names, comparing)
    if len(predicates) == 2:
        return _joined(_called(predicates[0], names), words)
    if comparing:
        return _value(words, comparing)
    return _verb(words) or _role(words) or _noun(words)


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
    noun = _noun(words)
    kind: Value = "amount" if comparing == AMOUNT and not _DATES & set(noun.object.split()) else "date"
    return noun.model_copy(update={"value": kind})


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


def _role(words: str) -> PredicateTemplate | None:
    """ "located in time zone", "member of sports team", "award received", "contains the part"; None for any other."""
    if match := _PARTICIPLE.fullmatch(words):
        verb, noun = match["verb"], match["noun"]
        has = f"is {article(verb) if verb.startswith(('member', 'student')) else verb}"
        return PredicateTemplate(
            subject=THING, has=f"{has} the {noun} {{o}}", object=noun, of=f"is the {noun} that {{s}} {has}"
        )
    if match := _DONE.fullmatch(words):
        verb, noun = match["verb"], match["noun"]
        return PredicateTemplate(
            subject=THING, has=f"{verb} the {noun} {{o}}", object=noun, of=f"is the {noun} that {{s}} {verb}"
        )
    if match := _DOES.fullmatch(words):
        verb, noun = match["verb"], match["noun"] or THING
        named = f" the {noun}" if match["noun"] else ""
        return PredicateTemplate(subject=THING, has=f"{verb}{named} {{o}}", object=noun, of=f"is the {noun} that {{s}} {verb}")
    return None


def _noun(words: str) -> PredicateTemplate:
    noun = words.removeprefix("has ")
    return PredicateTemplate(
        subject=THING,
        has=f"has the {noun} {{o}}",
        object=noun,
        of=f"is the {noun} of {{s}}",
        ask=f"What is the {noun} of {{s}}?",
    )


def chained_path(first: PredicateTemplate, second: PredicateTemplate) -> PredicateTemplate:
    """The words of two predicates of which one repeats or excludes, joined by a node without a name.

    `has a style that is lager itself or has the broader lager, directly or through others`
    """
    on_the_way = f"{article(first.object)} that {second.has}"
    return PredicateTemplate(
        subject=first.subject,
        has=first.has.replace(f"the {first.object} {{o}}", "{o}").replace("{o}", on_the_way),
        object=THING,
        of=second.of.replace("{s}", first.of.removeprefix("is ")),
    )


def path_template(path: str, template_of: Callable[[str], PredicateTemplate]) -> PredicateTemplate:
    """The words of a path that repeats, of one that excludes predicates, or of a predicate that is asked for."""
    names = names_in(path)
    if not names or path.startswith("!"):
        nouns = [noun if (noun := template_of(each).object) != THING else f"“{property_words(each)}”" for each in names]
        but = f" by anything but {' and '.join(nouns)}" if names else " in some way"
        return PredicateTemplate(
            subject=THING, has=f"is related{but} to {{o}}", object=THING, of=f"is what {{s}} is related to{but}"
        )
    parts = [template_of(each) for each in dict.fromkeys(names)]
    has, of = " or ".join(each.has for each in parts), " or ".join(each.of for each in parts)
    if "^" in path:
        has, of = of.replace("{s}", "{o}"), has.replace("{o}", "{s}")
    first = parts[0]
    far = "" if path.endswith("?") else ", directly or through others"
    itself = path.endswith(("*", "?", "*)", "?)"))
    return PredicateTemplate(
        subject=first.subject,
        has=f"is {{o}} itself or {has}{far}" if itself else f"{has}{far}",
        object=first.object if len(parts) == 1 else THING,
        of=f"is {{s}} itself or {of}{far}" if itself else f"{of}{far}",
    )
