"""Figures and errors in words, spelt one way on every screen and in every table."""

from collections.abc import Iterable

from pydantic import ValidationError


def listed(items: Iterable[str], most: int | None = 20, last: str = "and", others: str = "other") -> str:
    """Write "a, b and c"; of more than `most` (None: any number) only the first, and how many `others` there are."""
    words = list(items)
    if most is not None and len(words) > most:
        rest = len(words) - most
        return f"{', '.join(words[:most])} and {rest} {others}{'' if rest == 1 else 's'}"
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def in_quotes(words: Iterable[str]) -> str:
    """Words in quotation marks, separated by commas: “stout”, “bock”."""
    return ", ".join(f"“{each}”" for each in words)


def percent(share: float | None, digits: int = 0, none: str = "–") -> str:
    """A share from 0 to 1 as "55%"; `none` where there is no figure."""
    return none if share is None else f"{share:.{digits}%}"


def decimal(value: float | None, digits: int = 3, none: str = "–") -> str:
    """A figure with so many digits after the point; `none` where there is no figure."""
    return none if value is None else f"{value:.{digits}f}"


def shortened(text: str, longest: int) -> str:
    """The text, cut to so many characters with … as the last of them if it is longer."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def capitalised(text: str) -> str:
    """The text with its first letter as a capital; the others stay as they are."""
    return text[:1].upper() + text[1:]


def double_quoted(text: str) -> str:
    """The text on one line in double quotes, as YAML reads it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{" ".join(escaped.split())}"'


def first_problem(error: ValidationError, separator: str = ".") -> tuple[str, str]:
    """Return where the first wrong value stands, as "answers.0" or "" for the whole, and what is wrong with it."""
    first = error.errors(include_url=False, include_context=False)[0]
    return separator.join(str(part) for part in first["loc"]), first["msg"].removeprefix("Value error, ")


def why_unreadable(error: OSError | ValueError) -> str:
    """The end of a sentence on a text file that could not be read: what the system says of it, or that it is not UTF-8."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return getattr(error, "strerror", None) or str(error)
