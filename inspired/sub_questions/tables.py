"""The words of steps that group, compute, look further where they can, list pairs, or ask a question of their own."""

from collections.abc import Callable, Collection

from backend.text.words import listed
from inspired.decomposition.decompose import decompose, group
from inspired.decomposition.steps import Step
from inspired.logical_form.forms import (
    Bind,
    Entity,
    Filter,
    FunctionCall,
    Not,
    Operand,
    OptionalGroup,
    SubQuery,
    Table,
    Triple,
    ValueRows,
    Variable,
    variables,
)
from inspired.sub_questions.clauses import Clause, condition_phrases
from inspired.sub_questions.conditions import condition_words
from inspired.sub_questions.expressions import computed, names_of_variables
from inspired.sub_questions.naming import Naming
from inspired.sub_questions.value_words import COUNT, DATE, plural

Clauses = Callable[[Step, Naming], Clause]
_DATED = frozenset("date year time inception start end birth death".split())
_NOUNS = {"count": "number of {}", "sum": "total {}", "avg": "average {}", "sample": "{}", "group_concat": "list of {}"}


def optionally(optional: OptionalGroup, naming: Naming, clause_of: Clauses) -> tuple[str, Variable | None]:
    """Ask for all that is optional: "What is the date of death of each of these, where there is one?"

    All that is optional is asked in one question, since the rows stay whether it is known or not; a chain of predicates in it
    that only leads on is no question of its own.
    """
    new = [each for each in variables(optional.patterns) if each not in naming.nouns]
    nouns: dict[Variable, str] = {}
    latest = naming.latest
    for step in group(optional.patterns):
        if step.main or step.union is not None:
            _name_end(step, new, naming, clause_of)
            nouns |= {name: naming.nouns[name] for name in new if name in naming.nouns and name not in nouns}
    naming.latest = latest
    naming.kinds |= {name: DATE for name, noun in nouns.items() if _DATED & set(noun.split())}
    if not nouns:
        return "What more is known of each of these", None
    named = listed((f"the {noun}" for noun in nouns.values()), None)
    return f"What {'is' if len(nouns) == 1 else 'are'} {named} of each of these, where there is one", next(iter(nouns))


def lacking(step: Step, optional: OptionalGroup, naming: Naming, clause_of: Clauses) -> tuple[str, Variable] | None:
    """ "Which of these have no bitterness on record?": what is optional and then asked to be missing. None for any other."""
    things = [each for each in variables(optional.patterns) if each in naming.nouns]
    missing = [name for each in step.conditions if (name := _unbound(each)) in variables(optional.patterns)]
    plain = all(isinstance(each, Triple | Filter) for each in optional.patterns)
    if not things or not missing or set(missing) & set(things) or not plain:
        return None
    thing = things[0]
    these = "these" if thing == naming.latest else f"those {plural(naming.nouns[thing])}"
    optionally(optional, naming, clause_of)
    inner = tuple(each for each in optional.patterns if isinstance(each, Filter))
    others = tuple(each for each in step.conditions if _unbound(each) not in missing)
    tests = [condition_phrases(Step(conditions=each), naming) for each in (inner, others) if each]
    nouns = listed((naming.nouns.get(each, "thing") for each in missing), None, "or")
    return f"Which of {these} have no {nouns} on record{''.join(f', {each}' for each in tests)}", thing


def _unbound(condition: Filter) -> Variable | None:
    """What a filter asks to have no value."""
    match condition.condition:
        case Not(FunctionCall("bound", (Variable() as name,))):
            return name
        case _:
            return None


def _name_end(step: Step, new: Collection[Variable], naming: Naming, clause_of: Clauses) -> None:
    """Give the end of an optional chain the noun of its template; where it has none, that of the step's own question."""
    end = step.main[-1].object if step.main else None
    if isinstance(end, Variable) and end in new and end not in naming.nouns:
        template = naming.template(tuple(each.predicate for each in step.main))
        titles = [naming.words(each.object) for each in step.restrictions if isinstance(each.object, Entity)]
        naming.nouns[end] = f"{template.object} ({', '.join(titles)})" if titles else template.object
        naming.kinds[end] = template.value
        return
    clause = clause_of(step, naming)
    if clause.asked is not None and clause.asked in new:
        naming.nouns.setdefault(clause.asked, clause.noun)


def computing(step: Step, naming: Naming) -> tuple[str, Variable | None]:
    """ "What is the year of the date of birth of each of these?" """
    bind = step.group
    assert isinstance(bind, Bind)
    words = computed(bind.expression, _bare(naming))
    known = bool(names_of_variables(bind.expression))
    naming.nouns[bind.variable] = _short(bind, words)
    tests = condition_phrases(step, naming)
    of = " for each of these" if known else ""
    return f"What is {words}{of}{f', {tests}' if tests else ''}", bind.variable


def _bare(naming: Naming) -> Callable[..., str]:
    """Nouns with "the" in place of "that": they stand for one thing at a time."""
    return lambda term: f"the {naming.nouns[term]}" if term in naming.nouns else naming.words(term)


def _short(bind: Bind, words: str) -> str:
    """What a computed value is called later: by its own name if that is a word, else by how it is computed."""
    name = bind.variable.name.replace("_", " ")
    return name.lower() if name.isalpha() and len(name) > 2 and not name.startswith("node") else words.removeprefix("the ")


def pairs(values: ValueRows, naming: Naming) -> tuple[str, Variable | None]:
    """ "Which of these go together: Paris with France, or Rome with Italy?" """
    for name in values.columns:
        naming.nouns.setdefault(name, "thing")
    rows = [" with ".join("anything" if cell is None else naming.words(cell) for cell in row) for row in values.rows]
    return f"Which of these go together: {listed(rows, None, 'or')}", values.columns[0]


def inner_question(query: SubQuery, naming: Naming, say: Callable[..., str]) -> tuple[str, Variable | None]:
    """A query inside the query: its own questions, one after the other, in one step."""
    steps = decompose(query.form)
    naming.latest = None
    questions = [say(step, naming, steps.frame.answer).removesuffix("?") for step in steps.steps]
    first, *rest = questions
    return "; and then: ".join([first, *(each[:1].lower() + each[1:] for each in rest)]), _returned(query)


def _returned(query: SubQuery) -> Variable:
    table = query.form.returns
    if not isinstance(table, Table):
        return query.form.answer
    first = table.columns[0]
    return first if isinstance(first, Variable) else first.variable


def tabulated(table: Table, naming: Naming) -> str:
    """What is counted or computed of all, or of each group."""
    made = [each for each in table.columns if isinstance(each, Bind)]
    for bind in made:
        naming.nouns[bind.variable], kind = column_noun(bind.expression, naming)
        if kind:
            naming.kinds[bind.variable] = kind
    having = [condition_words(each, lambda term: _having(term, naming)) for each in table.having]
    nouns = listed((f"the {naming.nouns[each.variable]}" for each in made), None)
    verb = "are" if len(made) > 1 else "is"
    groups = [naming.nouns.get(each, "") for each in table.by if isinstance(each, Variable)]
    groups = [each for each in groups if each] or ["thing"] * bool(table.by)
    kept = f", {' and '.join(having)}" if having else ""
    if not table.by:
        return f"What {verb} {nouns} of these{kept}"
    each_of = listed((f"each {noun}" for noun in dict.fromkeys(groups)), None)
    if not made and having:
        return f"Which {plural(groups[0])} are left{kept}"
    if not made:
        return f"What are these, {each_of} once"
    return f"For {each_of}, what {verb} {nouns}{kept}"


def _having(term: object, naming: Naming) -> str:
    return f"the {naming.nouns[term]}" if isinstance(term, Variable) and term in naming.nouns else "something"


def column_noun(expression: Operand, naming: Naming) -> tuple[str, str | None]:
    """What an aggregate is called, and what kind of value it is."""
    if not isinstance(expression, FunctionCall):
        return computed(expression, naming.words), None
    function, _, distinct = expression.function.partition(" ")
    inner = expression.arguments[0] if expression.arguments else None
    noun = naming.nouns.get(inner, "") if isinstance(inner, Variable) else ""
    noun = noun or (computed(inner, _bare(naming)).removeprefix("the ") if isinstance(inner, FunctionCall) else "result")
    if function in ("min", "max"):
        kind = naming.kinds.get(inner) if isinstance(inner, Variable) else None
        dated = kind == DATE or bool(_DATED & set(noun.split()))
        most = ("earliest", "latest") if dated else ("smallest", "largest")
        return f"{most[function == 'max']} {noun}", DATE if dated else None
    if function not in _NOUNS:
        return computed(expression, _bare(naming)).removeprefix("the "), None
    words = f"{'different ' if distinct else ''}{plural(noun)}" if function in ("count", "group_concat") else noun
    return _NOUNS[function].format(words), COUNT if function == "count" else None
