"""Logical forms of every shape, for hypothesis: sensible ones and such as only a confused person would write."""

from hypothesis import strategies as st

from inspired.logical_form.forms import (
    COMPARATORS,
    AllOf,
    AnyOf,
    Blank,
    Entity,
    Exists,
    Expression,
    Filter,
    FunctionCall,
    Literal,
    LogicalForm,
    Not,
    Operand,
    Order,
    Pattern,
    RelationalExpression,
    Triple,
    Union,
    Variable,
)
from inspired.logical_form.sparql_reader import header

variables = st.sampled_from([Variable(name) for name in ("x", "c", "y", "k", "num", "sk0")])
entities = st.sampled_from([Entity("m.0a"), Entity("m.0b_1"), Entity("g.1c"), Entity("location.country")])
texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=8)
literals = st.one_of(
    st.builds(Literal, texts),
    st.builds(Literal, texts, st.none(), st.sampled_from(["en", "pt-br"])),
    st.integers(-99999, 99999).map(lambda number: Literal(str(number), "integer")),
    st.sampled_from(
        [Literal("1899", "dateTime"), Literal("2011-01-31", "dateTime"), Literal("-1.5", "decimal"), Literal("4-1")]
    ),
    st.sampled_from([Literal("true", "boolean"), Literal("7", "http://example.org/unit")]),
)
predicates = st.sampled_from(
    [
        "location.country.capital",
        "location.location.contains",
        "film.actor.film",
        "film.performance.film",
        "film.performance.character",
        "people.person.gender",
        "common.topic.notable_types",
        "topic_server.population_number",
        "time.event.end_date",
        "base.made.up.thing_s",
        "http://example.org/prop/flowsInto",
    ]
)
triples: st.SearchStrategy[Triple] = st.builds(
    Triple, st.one_of(variables, variables, entities), predicates, st.one_of(variables, entities, literals, st.just(Blank()))
)
calls = st.builds(
    FunctionCall,
    st.sampled_from(["str", "xsd:integer", "xsd:dateTime", "year"]),
    st.tuples(st.one_of(variables, variables, literals)),
)
operands: st.SearchStrategy[Operand] = st.one_of(variables, literals, entities, calls)
comparisons = st.builds(RelationalExpression, operands, st.sampled_from(COMPARATORS), operands)


def _flat_and(parts: list[Expression]) -> AllOf:
    inner = [each for part in parts for each in (part.parts if isinstance(part, AllOf) else (part,))]
    return AllOf(tuple(inner))


def _conditions(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(_flat_and),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
        inner.filter(lambda part: not isinstance(part, Exists)).map(Not),
    )


exists: st.SearchStrategy[Expression] = st.builds(
    Exists,
    st.lists(st.one_of(triples, comparisons.map(Filter)), min_size=1, max_size=3).map(tuple),
    st.booleans(),
)
conditions = st.recursive(st.one_of(comparisons, comparisons, exists, calls), _conditions, max_leaves=4)
# The reader takes AND at the top of a filter for two filters.
filters = conditions.filter(lambda part: not isinstance(part, AllOf)).map(Filter)
unions = st.lists(
    st.lists(triples, min_size=1, max_size=3).map(lambda found: tuple[Pattern, ...](found)), min_size=2, max_size=3
).map(lambda branches: Union(tuple(branches)))
orders = st.builds(
    Order,
    st.one_of(variables, st.builds(FunctionCall, st.just("xsd:integer"), st.tuples(variables))),
    st.booleans(),
    st.one_of(st.none(), st.integers(1, 3)),
    st.integers(0, 2),
)


@st.composite
def logical_forms(draw: st.DrawFn) -> LogicalForm:
    """Any form that the reader could give."""
    patterns: list[Pattern] = list(draw(st.lists(triples, min_size=1, max_size=6)))
    patterns += draw(st.lists(filters, max_size=2))
    patterns += draw(st.lists(unions, max_size=1))
    if draw(st.booleans()):
        patterns = [*header(draw(st.sampled_from([Variable("c"), Entity("m.0a")]))), *patterns]
    order = draw(st.one_of(st.none(), orders))
    limit = draw(st.one_of(st.none(), st.integers(1, 9))) if order is None else None
    return LogicalForm(Variable("x"), tuple(patterns), order, draw(st.booleans()), limit)
