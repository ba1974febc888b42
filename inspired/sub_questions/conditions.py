"""Filters of a step in words: time windows, comparisons and whatever else a condition says."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from inspired.logical_form.forms import (
    AllOf,
    AnyOf,
    Blank,
    Exists,
    Expression,
    Filter,
    FunctionCall,
    Literal,
    Not,
    Operand,
    RelationalExpression,
    Term,
    Triple,
    Variable,
)
from inspired.sub_questions.expressions import computed, is_call, tested
from inspired.sub_questions.published import THING, published_template
from inspired.sub_questions.templates import property_words
from inspired.sub_questions.value_words import DATE, article, compared, date_words, is_date, on_date

MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
_DATE_SIGNS = {"<": "before", ">": "after", "<=": "not after", ">=": "not before"}
_SIGN_WORDS = {
    "=": "the same as",
    "!=": "not",
    "<": "less than",
    ">": "greater than",
    "<=": "at most",
    ">=": "at least",
}
_ENDS = ("to", "end", "end_date", "end_time", "until")

Words = Callable[[Term], str]


@dataclass(frozen=True)
class WindowBound:
    """One side of a time window: nothing is known of `predicate`, or it compares so with `date`."""

    node: Term
    predicate: str
    operator: str
    date: Literal

    @property
    def is_end(self) -> bool:
        name = self.predicate.rpartition(".")[2]
        return name in _ENDS or name.startswith("end")


def simple_comparison(condition: Filter) -> tuple[Variable, str, Literal] | None:
    """The variable, comparator and value of a filter such as `xsd:integer(?num) < 5`, whichever side they stand on."""
    inner = condition.condition
    match inner:
        case FunctionCall("contains", (FunctionCall("year", (Variable() as date,)), Literal() as year)):
            return date, "=", Literal(year.text, "gYear")
        case RelationalExpression(FunctionCall("year", (Variable() as date,)), operator, Literal() as year) if (
            year.text.isdigit()
        ):
            return date, operator, Literal(year.text, "gYear")
    if not isinstance(inner, RelationalExpression):
        return None
    for left, operator, right in (
        (inner.left, inner.operator, inner.right),
        (inner.right, MIRRORED[inner.operator], inner.left),
    ):
        left, right = _bare(left), _bare(right)
        if isinstance(left, Variable) and isinstance(right, Literal):
            return left, operator, right
    return None


def _bare(operand: Operand) -> Operand:
    """An operand without casts and STR."""
    while (
        isinstance(operand, FunctionCall)
        and len(operand.arguments) == 1
        and (operand.function == "str" or operand.function.startswith("xsd:"))
    ):
        operand = operand.arguments[0]
    return operand


def key_variable(operand: Operand) -> Variable | None:
    bare = _bare(operand)
    return bare if isinstance(bare, Variable) else None


def bound(condition: Filter) -> WindowBound | None:
    """The side of a time window that `NOT EXISTS {...} || EXISTS {... FILTER}` stands for."""
    parts = condition.condition.parts if isinstance(condition.condition, AnyOf) else ()
    # ComplexWebQuestions writes the two halves in either order; sorted, the negated one comes last.
    match sorted((each for each in parts if isinstance(each, Exists)), key=lambda each: each.negated):
        case [Exists(patterns=(Triple() as triple, Filter() as test)), Exists(patterns=(Triple() as missing,), negated=True)]:
            compares = simple_comparison(test)
        case _:
            return None
    alike = (missing.subject, missing.predicate) == (triple.subject, triple.predicate) and len(parts) == 2
    if not alike or compares is None or compares[0] != triple.object or compares[1] not in ("<", "<=", ">", ">="):
        return None
    return WindowBound(triple.subject, triple.predicate, compares[1], compares[2])


def window_words(bounds: Sequence[WindowBound]) -> str:
    """Bounds on one node in words: "in 2011" when what starts by the end of 2011 and ends after its start is meant."""
    starts = [each for each in bounds if not each.is_end]
    ends = [each for each in bounds if each.is_end]
    if len(bounds) == 2 and len(starts) == len(ends) == 1:
        start, end = starts[0], ends[0]
        if start.operator in ("<", "<=") and end.operator in (">", ">="):
            return _span(end.date.text, start.date.text)
        if start.operator in (">", ">=") and end.operator in ("<", "<="):
            return f"entirely {_span(start.date.text, end.date.text)}"
    return " and ".join(_one_bound(each) for each in bounds)


def _span(first: str, last: str) -> str:
    first_day, last_day = first.partition("T")[0], last.partition("T")[0]
    if first_day == last_day:
        return on_date(first_day)
    if first_day == f"{first_day[:4]}-01-01" and last_day == f"{first_day[:4]}-12-31":
        return f"in {first_day[:4]}"
    return f"between {date_words(first_day)} and {date_words(last_day)}"


def _one_bound(each: WindowBound) -> str:
    return f"with no {property_words(each.predicate)} or one {compared(DATE, each.operator, each.date)}"


def condition_words(condition: Expression, words: Words, known: Container[Term] = ()) -> str:
    """Any other condition, to follow a comma or "and": nothing of it is left out.

    `known` are the variables that the condition is about, as against those that stand in it alone.
    """
    match condition:
        case RelationalExpression(FunctionCall("lang") as left, "=", right):
            return f"where {tested(FunctionCall('=', (left, right)), words)}"
        case RelationalExpression(left, operator, right):
            value = _bare(right)
            if is_call(_bare(left)) and isinstance(value, Literal):
                return f"where {computed(left, words)} is {compared(None, operator, value).removeprefix('of ')}"
            if isinstance(value, Literal) and operator != "=" and (is_date(value) or operator != "!="):
                return f"with {_operand(left, words)} {compared(None, operator, value)}"
            one, other = _operand(left, words), _operand(right, words)
            sign = _DATE_SIGNS.get(operator) if "date" in f"{one} {other}".split() else None
            return f"where {one} is {sign or _SIGN_WORDS[operator]} {other}"
        case Exists(patterns, negated):
            return _exists(patterns, negated, words, known)
        case Not(FunctionCall("bound", _) as call):
            return f"where {tested(FunctionCall('!', (call,)), words)}"
        case Not(FunctionCall() as call):
            return f"where it is not so that {tested(call, words)}"
        case Not(inner):
            return f"but not {condition_words(inner, words, known)}"
        case AllOf(parts):
            return " and ".join(condition_words(each, words, known) for each in parts)
        case AnyOf(parts):
            return " or ".join(condition_words(each, words, known) for each in parts)
        case FunctionCall():
            return f"where {tested(condition, words)}"


def _exists(patterns: Sequence[object], negated: bool, words: Words, known: Container[Term]) -> str:
    facts = [each for each in patterns if isinstance(each, Triple)]
    tests, rest = _tests_inside(patterns, words)
    # What leads to the thing in question, as against what leads on from it.
    others = (each.subject for each in facts if each.object in known and each.subject not in known)
    from_others = {each for each in others if isinstance(each, Variable)}
    about_others = [_of_another(each, words, known, tests) for each in facts if each.subject in from_others]
    phrases = [f"{'nothing' if negated else 'something'} {_listed(about_others)}"] if about_others else []
    for fact in (each for each in facts if each.subject not in from_others):
        phrases.append(_that_it_has(fact, negated and not phrases, words, tests))
    return " ".join([f"with {_listed(phrases)}", *rest])


def _tests_inside(patterns: Sequence[object], words: Words) -> tuple[dict[Variable, list[str]], list[str]]:
    """The comparisons with values, by the variable that is compared, and the words of all other conditions."""
    tests: dict[Variable, list[str]] = {}
    rest = []
    for each in patterns:
        if not isinstance(each, Filter):
            continue
        if (compares := simple_comparison(each)) is None:
            rest.append(condition_words(each.condition, words))
        else:
            tests.setdefault(compares[0], []).append(compared(None, compares[1], compares[2]))
    return tests, rest


def _that_it_has(fact: Triple, denied: bool, words: Words, tests: Mapping[Variable, list[str]]) -> str:
    """A fact of the thing itself: "a style", "no style stout", "nothing that it is brewed by"."""
    noun, template = property_words(fact.predicate), published_template((fact.predicate,), {})
    compares = tests.get(fact.object) if isinstance(fact.object, Variable) else None
    if compares:
        noun = f"{noun} {' and '.join(compares)}"
    elif not isinstance(fact.object, Variable | Blank):
        noun = f"{noun} {words(fact.object)}"
    elif template.object == THING and "://" in fact.predicate:  # "brewed by" is no noun
        return f"{'nothing' if denied else 'something'} that it {template.has.removesuffix(' {o}')}"
    return f"no {noun}" if denied else article(noun)


def _of_another(fact: Triple, words: Words, known: Container[Term], tests: Mapping[Variable, list[str]]) -> str:
    """A fact of something else: "that is brewed by it", "whose head brewer it is", "that has the style stout"."""
    template = published_template((fact.predicate,), {})
    compares = tests.get(fact.object) if isinstance(fact.object, Variable) else None
    if compares:
        return f"that has {article(property_words(fact.predicate))} {' and '.join(compares)}"
    end = words(fact.object)
    end = "it" if fact.object in known and end == "something" else end
    if fact.object in known and template.object != THING:
        return f"whose {template.object} {end} is"
    return f"that {template.has.format(o=end)}"


def _operand(operand: Operand, words: Words) -> str:
    return computed(_bare(operand), words)


def _listed(items: Iterable[str]) -> str:
    return " and ".join(items)
