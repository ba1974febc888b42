"""Read SPARQL as it is found in ComplexWebQuestions files, in the paper's compact form, or as standard SPARQL 1.1.

Tolerated besides the standard: `OR`, `AND` and `NOT` as words; comments anywhere, `#MANUAL SPARQL` among them;
`xsd:datetime`; the usual prefixes without a declaration; `#entity1#` in place of an entity. What lies outside the part
of SPARQL in `inspired.logical_form.forms` is refused with its name and its place. The syntax is a small one and is read here
by recursive descent, because such errors, and 3,000 queries in a few seconds, are what general parsers do not give.
"""

from collections.abc import Iterable
from dataclasses import replace

from inspired.logical_form.expressions import read_condition, read_operand, read_single, read_term
from inspired.logical_form.forms import (
    AllOf,
    AnyOf,
    Entity,
    Exists,
    Filter,
    FunctionCall,
    Literal,
    LogicalForm,
    Not,
    Order,
    Pattern,
    RelationalExpression,
    Triple,
    Union,
    Variable,
    lexicalise,
    triples,
    variables,
    walk,
)
from inspired.logical_form.query_limits import check_patterns
from inspired.logical_form.tokens import Reader

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
ANSWER = Variable("x")
OUTSIDE = {
    "ask": "ASK",
    "base": "BASE",
    "bind": "BIND",
    "construct": "CONSTRUCT",
    "describe": "DESCRIBE",
    "from": "FROM",
    "graph": "GRAPH",
    "group": "GROUP BY",
    "having": "HAVING",
    "minus": "MINUS",
    "optional": "OPTIONAL",
    "select": "a query inside the query",
    "service": "SERVICE",
    "values": "VALUES",
}


def header(excluded: Variable | Entity) -> tuple[Filter, Filter]:
    """The two filters that open nearly every query of the data: not `excluded`, and text only in English."""
    language = AnyOf(
        (
            Not(FunctionCall("isliteral", (ANSWER,))),
            RelationalExpression(FunctionCall("lang", (ANSWER,)), "=", Literal("")),
            FunctionCall("langmatches", (FunctionCall("lang", (ANSWER,)), Literal("en"))),
        )
    )
    return Filter(RelationalExpression(ANSWER, "!=", excluded)), Filter(language)


HEADERS: dict[str, Variable | Entity] = {"sparql-header-1": Variable("c"), "sparql-header-2": Entity("#entity1#")}


def read_sparql(text: str) -> LogicalForm:
    """The logical form of a whole SPARQL query.

    Raises LogicalFormError naming the construct that cannot be read, and its line and column.
    """
    reader = Reader(text)
    reader.prologue()
    reader.expect_word("select", "a query starts with SELECT")
    distinct = reader.word("distinct") or reader.word("reduced")
    answer = _answer(reader)
    reader.word("where")
    patterns = _group(reader)
    form = _with_modifiers(reader, LogicalForm(answer, patterns, distinct=distinct))
    reader.expect_end()
    check_patterns(patterns)
    return form


def read_compact(text: str, entities: tuple[str, ...] = (), spellings: Iterable[str] = ()) -> LogicalForm:
    """The logical form of a query in the paper's compact form (appendix A.2).

    `entities` are put in place of `#entity1#`, ... The compact form is all in lower case; `spellings` holds strings
    and names that have capitals, and gives them back. Raises LogicalFormError as `read_sparql` does.
    """
    reader = Reader(text, compact=True, spellings=spellings)
    patterns = tuple(_patterns(reader))
    reader.take("}")
    form = _with_modifiers(reader, LogicalForm(ANSWER, patterns))
    reader.expect_end()
    check_patterns(patterns)
    return lexicalise(form, entities)


def spellings_of(form: LogicalForm) -> tuple[str, ...]:
    """The strings and names of `form` that the compact form would write without their capitals."""
    written = [each.text for each in walk(form) if isinstance(each, Literal)]
    written += [each.predicate for each in triples(form)]
    written += [each.id for each in walk(form) if isinstance(each, Entity)]
    return tuple(dict.fromkeys(each for each in written if each != each.lower()))


def read_fragment(text: str, spellings: Iterable[str] = ()) -> tuple[tuple[Pattern, ...], Order | None]:
    """The patterns and the order of a sub-logical form, standard or compact, without SELECT and outer braces.

    Raises LogicalFormError as `read_sparql` does, and for a fragment that says nothing.
    """
    reader = Reader(text, compact="``" in text, spellings=spellings)
    patterns = tuple(_patterns(reader))
    form = _with_modifiers(reader, LogicalForm(ANSWER, patterns))
    reader.expect_end()
    if not patterns and form.order is None:
        raise reader.error("A step needs at least one triple, or an ORDER BY")
    check_patterns(patterns)
    return patterns, form.order


def _answer(reader: Reader) -> Variable:
    if reader.take("*"):
        raise reader.error("SELECT * is not covered: name the one variable that is the answer", back=1)
    if reader.kind == "punctuation" and reader.text == "(":
        raise reader.error("An expression after SELECT (COUNT and the like) is not covered: name one variable")
    answer = reader.variable("the answer's variable")
    if reader.kind == "variable":
        raise reader.error("Several answer variables are not covered: name one")
    return answer


def _with_modifiers(reader: Reader, form: LogicalForm) -> LogicalForm:
    order = None
    if reader.word("order"):
        reader.expect_word("by", "ORDER is followed by BY")
        order = _order_key(reader)
        if reader.kind == "variable" or reader.is_word("asc", "desc"):
            raise reader.error("A second key of ORDER BY is not covered: sort by one")
    limit, offset = None, 0
    while reader.is_word("limit", "offset"):
        if reader.word("limit"):
            limit = reader.whole_number("LIMIT")
        else:
            reader.word("offset")
            offset = reader.whole_number("OFFSET")
    _refuse_outside(reader)
    if order is None:
        return replace(form, limit=limit, offset=offset)
    return replace(form, order=replace(order, limit=limit, offset=offset))


def _order_key(reader: Reader) -> Order:
    if reader.is_word("asc", "desc"):
        descending = reader.word("desc") or not reader.word("asc")
        bracketed = reader.take("(")
        key = read_operand(reader)
        if bracketed:
            reader.expect(")")
        return Order(key, descending)
    return Order(read_operand(reader))


def _group(reader: Reader) -> tuple[Pattern, ...]:
    reader.expect("{")
    patterns = tuple(_patterns(reader))
    reader.expect("}")
    return patterns


def _patterns(reader: Reader) -> list[Pattern]:
    patterns: list[Pattern] = []
    while True:
        if reader.take("."):
            continue
        if reader.word("filter"):
            patterns.extend(_filters(reader))
        elif reader.at("{"):
            patterns.extend(_groups(reader))
        elif reader.kind == "header":
            patterns.extend(header(HEADERS[reader.advance().strip("<>")]))
        elif reader.kind == "end" or reader.at("}") or reader.is_word("order", "limit", "offset"):
            return patterns
        else:
            _refuse_outside(reader)
            patterns.extend(_same_subject(reader))


def _refuse_outside(reader: Reader) -> None:
    if reader.kind == "word" and (name := OUTSIDE.get(reader.text.lower())):
        raise reader.error(f"{name[0].upper()}{name[1:]} is not covered; triples, FILTER, UNION and ORDER BY are")


def _groups(reader: Reader) -> list[Pattern]:
    branches = [_group(reader)]
    while reader.word("union"):
        branches.append(_group(reader))
    if len(branches) > 1:
        return [Union(tuple(branches))]
    # Braces of their own only matter to a filter that looks at a variable from outside them.
    inside = set(variables([each for each in branches[0] if not isinstance(each, Filter)]))
    for each in branches[0]:
        if isinstance(each, Filter) and not isinstance(each.condition, Exists) and set(variables(each)) - inside:
            raise reader.error("A FILTER in braces of its own, about a variable from outside them, is not covered")
    return list(branches[0])


def _filters(reader: Reader) -> list[Filter]:
    if reader.at("("):
        reader.take("(")
        condition = read_condition(reader, _group)
        reader.expect(")")
    else:
        condition = read_single(reader, _group)
    return [Filter(each) for each in (condition.parts if isinstance(condition, AllOf) else (condition,))]


def _same_subject(reader: Reader) -> list[Triple]:
    subject = read_term(reader, "a subject")
    result = []
    while True:
        predicate = _predicate(reader)
        result.append(Triple(subject, predicate, read_term(reader, "an object")))
        while reader.take(","):
            result.append(Triple(subject, predicate, read_term(reader, "an object")))
        if not reader.take(";"):
            return result
        while reader.take(";"):
            pass
        if reader.at(".") or reader.at("}") or reader.kind == "end":
            return result


def _predicate(reader: Reader) -> str:
    if reader.kind == "word" and reader.text == "a":
        reader.advance()
        return RDF_TYPE
    if reader.kind == "variable":
        raise reader.error("A variable as predicate is not covered: name the predicate")
    if reader.kind not in ("iri", "name"):
        raise reader.error("A predicate such as ns:location.country.capital is missing")
    name = reader.iri()
    if reader.kind in ("operator", "punctuation") and reader.text in ("/", "|", "*", "+", "^"):
        raise reader.error("A property path is not covered: write one triple for each of its steps")
    return name
