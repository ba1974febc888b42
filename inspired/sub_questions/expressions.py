"""Computed values and tests in words: "the year of the date of birth", "the name begins with “A”"."""

import re
from collections.abc import Callable, Sequence

from backend.text.words import listed
from inspired.logical_form.forms import FunctionCall, Literal, Operand, Term, Variable
from inspired.sub_questions.value_words import plural

Words = Callable[[Term], str]
INFIX = {
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "divided by",
    "=": "is",
    "!=": "is not",
    "<": "is less than",
    ">": "is greater than",
    "<=": "is at most",
    ">=": "is at least",
    "&&": "and",
    "||": "or",
}
_OF = {
    "year": "the year of {}",
    "month": "the month of {}",
    "day": "the day of {}",
    "hours": "the hour of {}",
    "strlen": "the length of {}",
    "lang": "the language of {}",
    "datatype": "the datatype of {}",
    "abs": "{} without its sign",
    "round": "{} in round numbers",
    "ceil": "{} rounded up",
    "floor": "{} rounded down",
    "str": "{}",
    "lcase": "{}",
    "ucase": "{}",
    "iri": "the address {}",
    "uri": "the address {}",
    "rand": "a random number",
    "now": "today",
    "substr": "the part of {0} from character {1} on",
    "strbefore": "the part of {0} before {1}",
    "strafter": "the part of {0} after {1}",
    "replace": "{0} with {2} in place of {1}",
    "concat": "{0} followed by {1}",
    "count": "the number of results",
    "sum": "the total of {}",
    "avg": "the average of {}",
    "min": "the smallest of {}",
    "max": "the largest of {}",
    "sample": "one of {}",
    "group_concat": "all of {}",
}
_TESTS = {
    "contains": "{0} contains {1}",
    "strstarts": "{0} begins with {1}",
    "strends": "{0} ends with {1}",
    "langmatches": "{0} is {1}",
    "isliteral": "{0} is a value",
    "isnumeric": "{0} is a number",
    "isiri": "{0} is a thing",
    "isuri": "{0} is a thing",
    "isblank": "{0} has no name",
    "sameterm": "{0} is the same as {1}",
}
_PLAIN = re.compile(r"\^?[\w\s\-']+\$?")


def computed(operand: Operand, words: Words) -> str:
    """What an expression gives, as a noun phrase."""
    if not isinstance(operand, FunctionCall):
        return words(operand)
    name, arguments = operand.function.removesuffix(" distinct"), operand.arguments
    if name == "if":
        return f"{computed(arguments[1], words)} where {tested(arguments[0], words)}, else {computed(arguments[2], words)}"
    if name == "coalesce":
        return listed((computed(each, words) for each in arguments), None, "or, where there is none,")
    parts = [computed(each, words) for each in arguments]
    if name in INFIX and len(parts) == 2:
        return f"{parts[0]} {INFIX[name]} {parts[1]}"
    if name.startswith("xsd:") and parts:
        return parts[0]
    if name == "count" and parts:
        return f"the number of {plural(parts[0].removeprefix('that ').removeprefix('the '))}"
    if name == "concat":
        return " followed by ".join(parts)
    if name in _OF and (parts or "{" not in _OF[name]):
        needed = len(re.findall(r"\{\d?\}", _OF[name]))
        return _OF[name].format(*parts) if len(parts) >= needed else listed(parts, None)
    if name in _TESTS or name in ("bound", "regex", "in", "not in", "!"):
        return f"whether {tested(operand, words)}"
    return f"{_function(name)} of {listed(parts, None)}" if parts else _function(name)


def _function(name: str) -> str:
    """A function of others by the end of its IRI: "the distance"."""
    return f"the {re.split(r'[/#:]', name)[-1].replace('_', ' ').lower()}"


def tested(operand: Operand, words: Words) -> str:
    """What a test says, as a clause: "the name contains “river”"."""
    if not isinstance(operand, FunctionCall):
        return f"{words(operand)} is so"
    name, arguments = operand.function, operand.arguments
    if name == "bound":
        return f"{_noun(arguments, words)} is known"
    if name == "!" and isinstance(arguments[0], FunctionCall) and arguments[0].function == "bound":
        return f"{_noun(arguments[0].arguments, words)} is not known"
    if name == "!":
        return f"it is not so that {tested(arguments[0], words)}"
    if name in ("&&", "||"):
        return f" {INFIX[name]} ".join(tested(each, words) for each in arguments)
    if name in ("in", "not in"):
        options = listed((computed(each, words) for each in arguments[1:]), None, "or")
        return f"{computed(arguments[0], words)} is {'not ' if name == 'not in' else ''}{options}"
    if name == "regex":
        return _matching(arguments, words)
    if name == "langmatches" or (name == "=" and _asks_language(arguments[0])):
        return _in_language(arguments, words)
    parts = [computed(each, words) for each in arguments]
    if name in _TESTS:
        return _TESTS[name].format(*parts)
    if name in INFIX and len(parts) == 2:
        return f"{parts[0]} {INFIX[name]} {parts[1]}"
    return f"{computed(operand, words)} is so"


def _noun(arguments: Sequence[Operand], words: Words) -> str:
    return computed(arguments[0], words) if arguments else "it"


def _asks_language(operand: Operand) -> bool:
    return isinstance(operand, FunctionCall) and operand.function == "lang"


def _in_language(arguments: Sequence[Operand], words: Words) -> str:
    asked, code = arguments
    inner = asked.arguments[0] if isinstance(asked, FunctionCall) and asked.arguments else asked
    text = code.text if isinstance(code, Literal) else computed(code, words)
    return f"{computed(inner, words)} is in {LANGUAGES.get(text.lower(), f'the language “{text}”')}"


def _matching(arguments: Sequence[Operand], words: Words) -> str:
    text, pattern = computed(arguments[0], words), arguments[1]
    if not isinstance(pattern, Literal) or not _PLAIN.fullmatch(pattern.text):
        return f"{text} fits the pattern {computed(pattern, words)}"
    plain = f"“{pattern.text.strip('^$')}”"
    if pattern.text.startswith("^"):
        return f"{text} is {plain}" if pattern.text.endswith("$") else f"{text} begins with {plain}"
    return f"{text} ends with {plain}" if pattern.text.endswith("$") else f"{text} contains {plain}"


LANGUAGES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "ru": "Russian",
    "zh": "Chinese",
    "ja": "Japanese",
    "ar": "Arabic",
    "pl": "Polish",
    "sv": "Swedish",
    "el": "Greek",
    "la": "Latin",
    "": "no language",
}


def is_call(operand: object) -> bool:
    """Whether an expression computes something, and is no variable or value with a cast around it."""
    return isinstance(operand, FunctionCall) and not operand.function.startswith("xsd:") and operand.function != "str"


def names_of_variables(operand: Operand) -> list[Variable]:
    """The variables that an expression is computed from, in order."""
    if isinstance(operand, FunctionCall):
        return list(dict.fromkeys(each for part in operand.arguments for each in names_of_variables(part)))
    return [operand] if isinstance(operand, Variable) else []
