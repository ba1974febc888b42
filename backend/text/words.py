"""Figures and errors in words, spelt one way on every screen and in every table."""

from pydantic import ValidationError


def percent(share: float | None, digits: int = 0, none: str = "–") -> str:
    """A share from 0 to 1 as "55%"; `none` where there is no figure."""
    return none if share is None else f"{share:.{digits}%}"


def decimal(value: float | None, digits: int = 3, none: str = "–") -> str:
    """A figure with so many digits after the point; `none` where there is no figure."""
    return none if value is None else f"{value:.{digits}f}"


def first_problem(error: ValidationError, separator: str = ".") -> tuple[str, str]:
    """Return where the first wrong value stands, as "answers.0" or "" for the whole, and what is wrong with it."""
    first = error.errors(include_url=False, include_context=False)[0]
    return separator.join(str(part) for part in first["loc"]), first["msg"].removeprefix("Value error, ")
