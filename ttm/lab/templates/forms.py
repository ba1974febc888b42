"""Which forms of the parse language the templates cover, and how many operations they compose."""

import re
from collections import Counter
from collections.abc import Iterable

from ttm.language.operations.registry import FORMS as OPERATION_FORMS
from ttm.language.parse import Comparator
from ttm.parsers.templates.template import UtteranceTemplate, Wildcard

FEATURE, NUMBER, VALUE = "F", "N", "VALUE"
AS = {
    **dict.fromkeys(("num", "age", "cat", "flag", "date", "feature"), FEATURE),
    "catval": VALUE, "filter": "filter ...", "method": "METHOD", "goal": "WANTED",
}  # fmt: skip
# Wildcards that are written in one of several forms.
EITHER = {"METHOD": ("lime", "shap"), "WANTED": ("", "class N")}
COMPARATORS = "|".join(Comparator)
JOINERS = (" or ", " versus ")

# Every form of docs/parse-language.md, with F for a feature, N for a number, a class, a date or an id.
FORMS: tuple[str, ...] = (
    *(f"filter F {comparator} N" for comparator in Comparator),
    "filter F VALUE", "filter F not VALUE", "filter F missing", "filter F present", "filter id N",
    "labelfilter N", "predictionfilter N", "labelfilter CMP N", "predictionfilter CMP N", "probabilityfilter N CMP N",
    "previousfilter", "instance F ...",
    "change F increase N", "change F decrease N", "change F set N", "change F VALUE", "change F increase N percent",
    "change F decrease N percent",
    *(shape for form in OPERATION_FORMS.values() for shape in form.shapes),
    *(joiner.strip() for joiner in JOINERS),
)  # fmt: skip


def forms(template: UtteranceTemplate) -> set[str]:
    """The forms that a template's parse holds; `{filter}` counts as none of its own, as its clauses are counted apart."""
    joiners = {joiner.strip() for joiner in JOINERS if joiner in template.parse}
    return joiners | {_form(way) for item in items(template) for way in _ways(item)} - {AS["filter"]}


def items(template: UtteranceTemplate) -> list[str]:
    """The filters and operations of a template's parse, with F, N and VALUE for what its wildcards stand for."""
    pieces = (piece if isinstance(piece, str) else _letter(piece) for piece in template.written)
    return re.split(r" (?:and|or|versus) ", "".join(pieces))


def _letter(wildcard: Wildcard) -> str:
    return AS.get(wildcard.kind, NUMBER)


def _ways(item: str) -> list[str]:
    word = next((word for word in EITHER if word in item.split()), "")
    return [item.replace(word, way).strip() for way in EITHER[word]] if word else [item]


def _form(item: str) -> str:
    text = re.sub(r"(?<= )-?\d+(\.\d+)?\b", NUMBER, item)
    if text.startswith("instance "):
        return "instance F ..."
    if text.startswith(("filter F ", "change F ")):
        return re.sub(r"\b(true|false)$", VALUE, text)
    text = re.sub(r"^explain cfe N (?=\w)", "explain cfe ", text)  # how many, and which outcome is wanted
    return text if text.startswith("filter ") else re.sub(COMPARATORS, "CMP", text)


def by_form(templates: Iterable[UtteranceTemplate]) -> Counter[str]:
    """In how many templates each form occurs."""
    return Counter(form for template in templates for form in forms(template))


def by_length(templates: Iterable[UtteranceTemplate]) -> Counter[int]:
    """How many templates compose how many filters and operations; `{filter}` counts as one."""
    return Counter(len(items(template)) for template in templates)
