"""What of a query must be heard in its questions: found in the text of the SPARQL alone, apart from the code under test."""

import re

_LESS = r"less|fewer|before|earlier"
_MORE = r"greater|more|after|later"
_EXTREME = r"\b(?:earliest|latest|smallest|largest)\b"
_ARTEFACT = re.compile(r"is/are|was/were|\(s\)|\(es\)|/")


def lost(sparql: str, names: dict[str, str], questions: list[str]) -> list[str]:
    """What the questions do not say, or say that no query should."""
    body = without_comments(sparql)
    body = re.sub(r"(?is)FILTER\s*\(\s*!\s*isLiteral.*?\)\)\s*", " ", body)
    said = " | ".join(questions).lower().replace(",", "")
    found = [f"entity {name}" for id_, name in names.items() if _asked(id_, body) and name.lower().replace(",", "") not in said]
    for operator, value in re.findall(r"(?i)\?num\s*\)?\s*([<>])=?\s*\"?([\d.-]+)", body):
        if not re.search(_LESS if operator == "<" else _MORE, said):
            found.append(f"comparator {operator}")
        if value.split("-")[0] not in said:
            found.append(f"value {value}")
    years = re.findall(r'"(\d{4})-[^"]*"\^\^', body) if "EXISTS" in body else []
    if years and not any(year in said for year in years):
        found.append(f"window {years}")
    for literal in re.findall(r'ns:[\w.]+\s+"([^"\\]+)"', body):
        if literal.split("T")[0][:4].lower() not in said:
            found.append(f"literal {literal}")
    if bool(re.search(r"(?i)ORDER\s+BY", body)) != bool(re.search(_EXTREME, questions[-1].lower())):
        found.append("superlative")
    if re.search(r"<(?:PLD|PH|RSTR|MINI_PLD|NUM)>|\?\w|[{}]|\bns:|#entity", " ".join(questions)):
        found.append("placeholder left")
    return found


def has_artefact(question: str) -> bool:
    return bool(_ARTEFACT.search(question.replace("http://", "")))


def without_comments(sparql: str) -> str:
    """The text without comments; the mark of one inside an IRI or a string is no comment."""
    sparql = re.sub(r"#MANUAL SPARQL\b", " ", sparql)
    return re.sub(r"""(<[^<>\s]*>|"(?:[^"\\]|\\.)*"|'[^'\n]*')|#[^\n]*""", lambda match: match[1] or " ", sparql)


def _asked(id_: str, body: str) -> bool:
    """Whether the query speaks of the entity beyond saying that the answer is another."""
    mentions = re.sub(r"(?i)\?x\s*!=\s*ns:[mg]\.\w+", " ", body)
    return re.search(rf"(?:ns:|/ns/|item:){re.escape(id_.rpartition('/')[2])}(?!\w)", mentions) is not None


def predicates(sparql: str) -> set[str]:
    """Every predicate that stands in the query with the prefix ns:."""
    return set(re.findall(r"\bns:((?![mg]\.)[a-z]\w*(?:\.\w+)+)(?=\s+(?:\?|ns:|\"|\[))", without_comments(sparql)))
