"""The terms and conditions of SPARQL: what stands in triples, in FILTER and after ORDER BY."""

from collections.abc import Callable

from inspired.logical_form.forms import (
    AllOf,
    AnyOf,
    Blank,
    Entity,
    Exists,
    Expression,
    FunctionCall,
    Literal,
    Not,
    Operand,
    Pattern,
    RelationalExpression,
    Term,
    Variable,
)
from inspired.logical_form.tokens import Reader, name_of_iri

Group = Callable[[Reader], tuple[Pattern, ...]]

CASTS = {
    "boolean": "boolean",
    "date": "date",
    "datetime": "dateTime",
    "decimal": "decimal",
    "double": "double",
    "float": "float",
    "int": "integer",
    "integer": "integer",
    "string": "string",
}
FUNCTIONS = ("str", "lang", "langmatches", "isliteral", "isiri", "isuri", "year", "month", "day")
COMPARATORS = ("=", "!=", "<=", ">=", "<", ">")


def read_term(reader: Reader, role: str) -> Term:
    """A node of a triple; `role` says which, for the error if there is none."""
    if reader.take("["):
        reader.expect("]", "only the empty [] is covered")
        return Blank()
    term = _simple_term(reader)
    if term is None:
        raise reader.error(f"{role[0].upper()}{role[1:]} is missing: a ?variable, an entity such as ns:m.0f8l9c or a value")
    return term


def _simple_term(reader: Reader) -> Variable | Entity | Literal | None:
    match reader.kind:
        case "variable":
            return reader.variable("a variable")
        case "iri" | "name":
            return Entity(reader.iri())
        case "entity":
            return Entity(reader.advance())
        case "number":
            text = reader.advance()
            kind = "double" if "e" in text.lower() else "decimal" if "." in text else "integer"
            return Literal(text, kind)
        case "string":
            return _literal(reader)
        case "word" if reader.text.lower() in ("true", "false"):
            return Literal(reader.advance().lower(), "boolean")
        case _:
            return None


def _literal(reader: Reader) -> Literal:
    text = reader.string()
    if reader.kind == "language":
        return Literal(text, language=reader.advance()[1:].lower())
    if not reader.take("^^"):
        return Literal(text)
    datatype = name_of_iri(reader.iri())
    return Literal(text, None if datatype == "string" else CASTS.get(datatype.lower(), datatype))


def read_condition(reader: Reader, group: Group) -> Expression:
    """What stands inside the parentheses of a FILTER; `group` reads the braces after EXISTS."""
    parts = [_both(reader, group)]
    while reader.take("||") or reader.word("or"):
        parts.append(_both(reader, group))
    return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))


def _both(reader: Reader, group: Group) -> Expression:
    parts = [read_single(reader, group)]
    while reader.take("&&") or reader.word("and"):
        parts.append(read_single(reader, group))
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, AllOf) else (part,))]
    return flat[0] if len(flat) == 1 else AllOf(tuple(flat))


def read_single(reader: Reader, group: Group) -> Expression:
    """A condition without AND and OR outside parentheses."""
    if reader.take("!") or (reader.is_word("not") and not reader.is_next_word("exists") and reader.word("not")):
        inner = read_single(reader, group)
        return Exists(inner.patterns, not inner.negated) if isinstance(inner, Exists) else Not(inner)
    if reader.is_word("not", "exists"):
        negated = reader.word("not")
        reader.expect_word("exists", "NOT is followed by EXISTS here")
        return Exists(group(reader), negated)
    if reader.take("("):
        inner = read_condition(reader, group)
        reader.expect(")")
        return inner
    left = read_operand(reader)
    if reader.kind == "operator" and reader.text in COMPARATORS:
        return RelationalExpression(left, reader.advance(), read_operand(reader))
    if isinstance(left, FunctionCall):
        return left
    raise reader.error(f"A comparison is missing here: one of {' '.join(COMPARATORS)}")


def read_operand(reader: Reader) -> Operand:
    """A variable, a value or a call."""
    if reader.take("("):
        inner = read_operand(reader)
        reader.expect(")")
        return inner
    if reader.kind in ("word", "name", "iri") and reader.is_next("("):
        return _call(reader)
    term = _simple_term(reader)
    if term is None:
        raise reader.error("A ?variable, a value or a function is missing here")
    if reader.kind == "operator" and reader.text in ("+", "-", "*", "/"):
        raise reader.error("Arithmetic is not covered")
    return term


def _call(reader: Reader) -> FunctionCall:
    if reader.kind == "word":
        name = reader.text.lower()
        known = name in FUNCTIONS
    else:
        cast = CASTS.get(name_of_iri(reader.iri(peek=True)).lower())
        name, known = f"xsd:{cast}", cast is not None
    if not known:
        listed = ", ".join(each.upper() for each in FUNCTIONS)
        raise reader.error(f"The function {reader.text} is not covered; {listed} and casts to xsd types are")
    reader.advance()
    reader.expect("(")
    arguments = [] if reader.at(")") else [read_operand(reader)]
    while reader.take(","):
        arguments.append(read_operand(reader))
    reader.expect(")")
    return FunctionCall(name, tuple(arguments))
