"""Figures in words, spelt one way on every screen and in every table."""


def percent(share: float | None, digits: int = 0, none: str = "–") -> str:
    """A share from 0 to 1 as "55%"; `none` where there is no figure."""
    return none if share is None else f"{share:.{digits}%}"


def decimal(value: float | None, digits: int = 3, none: str = "–") -> str:
    """A figure with so many digits after the point; `none` where there is no figure."""
    return none if value is None else f"{value:.{digits}f}"
