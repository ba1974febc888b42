"""Comparisons that a span says in so many words; they add to what the encoder thinks of its relation."""

import re
from collections.abc import Sequence
from functools import lru_cache

from ttm.parsers.linker.words.tokens import OWNER, UtteranceToken

SAID = 4.0  # log-odds that plain words add
SAID_CHANGE = 8.0  # of a direction beside its number, where the encoder tends to see a value that is set
SAID_BY_NAME = 3.0
# Terms that name an operation wherever they stand.
TERMS = {
    "acc": "score accuracy", "accuracy": "score accuracy", "auc": "score roc", "roc": "score roc", "auroc": "score roc",
    "f1": "score f1", "precision": "score precision", "recall": "score recall", "sensitivity": "score sensitivity",
    "sens": "score sensitivity", "specificity": "score specificity", "ppv": "score ppv", "npv": "score npv",
    "confusion": "score confusion", "calibration": "score calibration", "calibrated": "score calibration", "mae": "score mae",
    "rmse": "score rmse", "spec": "score specificity", "prec": "score precision",
    "r2": "score r2", "shap": "explain shap", "lime": "explain lime",
}  # fmt: skip
_MORE = "more|greater|higher|bigger|larger|older|longer|heavier|taller|over|above|better|wider|faster"
_LESS = "less|fewer|lower|smaller|younger|shorter|lighter|under|below|beneath|cheaper|slower"
_PATTERNS = {
    "between": r"NN <=? .*<=? NN|NN >=? .*>=? NN|\bbetween\b.*\band\b|NN (?:to|until|till|through|-) NN|\bfrom NN .*\bto NN",
    "at least": rf">=|=>|≥|\bat least\b|NN(?: \w+)? (?:or|and) (?:{_MORE}|up|upwards?)|NN(?: \w+)? (?:up|upwards?|plus)\b"
    rf"|\b(?:no|not) (?:{_LESS})\b|\bminimum\b|\bfrom NN(?: \w+)?(?: on| onwards?| up)",
    "at most": rf"<=|=<|≤|\bat most\b|NN(?: \w+)? (?:or|and) (?:{_LESS}|down)|\b(?:no|not) (?:{_MORE})\b"
    r"|\bmaximum\b|\bup to\b",
    "not equal": r"!=|<>|≠",
    "greater": rf"(?<![<=])>(?!=)|\b(?:{_MORE}|exceed\w*|beyond|past|north of|after) ",
    "less": rf"(?<![>=])<(?!=)|\b(?:{_LESS}|before) ",
}


@lru_cache(maxsize=1)
def _compiled() -> dict[str, re.Pattern[str]]:
    return {relation: re.compile(pattern) for relation, pattern in _PATTERNS.items()}


def said_relation(tokens: Sequence[UtteranceToken]) -> str | None:
    """The comparison that a span with a number states plainly; None if it states none."""
    words = [("NN" if token.kind in ("number", "date") else token.text) for token in tokens]
    if "NN" not in words:
        return None
    if any(token.form == "plus" for token in tokens):
        return "at least"
    text = f"{' '.join(words)} "
    return next((relation for relation, pattern in _compiled().items() if pattern.search(text)), None)


# By how much, or to what, a value is moved: the direction stands right before or right behind the number.
_UP = "up|higher|more|greater|bigger|larger|older|longer|heavier|raised|increased|extra|additional|added|plus"
_DOWN = "down|lower|less|fewer|smaller|younger|shorter|lighter|lowered|reduced|decreased|dropped|cut|off"
_RISES = (
    "rises?|rose|risen|raised?|raising|increas(?:e|es|ed|ing)|grows?|grew|grown|climb(?:s|ed)?|add(?:s|ed|ing)?"
    "|gain(?:s|ed|ing)?"
)
_FALLS = (
    "falls?|fell|fallen|drop(?:s|ped|ping)?|decreas(?:e|es|ed|ing)|reduc(?:e|es|ed|ing)|lower(?:s|ed|ing)?"
    "|sinks?|sank|shr(?:inks?|ank)|los(?:e|es|ing)|lost|cut(?:s|ting)?"
)
_CHANGES = {
    "increase": rf"\b(?:{_UP}) by NN|\bup NN|\b(?:{_RISES})(?: \w+){{0,3}} (?:by|with) NN"
    rf"|\bby NN(?: \w+)? (?:{_UP})\b|\bNN (?:{_UP})\b",
    "decrease": rf"\b(?:{_DOWN}) by NN|\bdown NN|\b(?:{_FALLS})(?: \w+){{0,3}} (?:by|with) NN"
    rf"|\bby NN(?: \w+)? (?:{_DOWN})\b|\bNN (?:{_DOWN})\b",
}


@lru_cache(maxsize=1)
def _compiled_changes() -> dict[str, re.Pattern[str]]:
    return {relation: re.compile(pattern) for relation, pattern in _CHANGES.items()}


def said_change(tokens: Sequence[UtteranceToken]) -> str | None:
    """Whether a span with one number plainly moves a value up or down by it: "glucose up by 100", "BMI 3 lower"."""
    tokens = [token for token in tokens if token.raw != OWNER]
    numbers = [token for token in tokens if token.kind == "number"]
    if len(numbers) != 1 or numbers[0].value < 0:
        return None
    text = " ".join("NN" if token.kind == "number" else token.text for token in tokens)
    directions = [relation for relation, pattern in _compiled_changes().items() if pattern.search(text)]
    percent = numbers[0].form == "percent" or "percent" in text.split()
    return f"{directions[0]}{' percent' if percent else ''}" if len(directions) == 1 else None


DENIALS = frozenset("not no without neither nor non except excluding excl never un".split())


# What leaves out the rows that a condition names: `reject anything under 50`.
EXCLUDING = frozenset(
    "drop exclude excluding except without reject ignore ignoring skip omit remove removing minus leave".split()
)
PASSED_OVER = frozenset("the a an any anything anyone anybody all those who people ones of out rows with from".split())
CONTRARY = {"greater": "at most", "at least": "less", "less": "at least", "at most": "greater"}


def is_excluded(tokens: Sequence[UtteranceToken], start: int) -> bool:
    """Whether what begins at `start` is to be left out."""
    at = start - 1
    while at >= 0 and tokens[at].text in PASSED_OVER:
        at -= 1
    return at >= 0 and tokens[at].text in EXCLUDING


def is_denied(tokens: Sequence[UtteranceToken], start: int, end: int) -> bool:
    """Whether a word of denial begins the span or stands right before it; `neither` and `without` reach over a list."""
    words = [token.text for token in tokens]
    if words[start] in DENIALS:
        return True
    at = start - 1
    while at >= 0 and words[at] in ("the", "a", "an", "any", "in", "of", "from"):
        at -= 1
    return at >= 0 and words[at] in DENIALS


def said_operations(tokens: Sequence[UtteranceToken]) -> set[str]:
    """Operations that the message asks for by their technical name."""
    return {TERMS[token.text] for token in tokens if token.text in TERMS}
