"""Round values to compare with, as a person would choose them."""

from decimal import ROUND_CEILING, Decimal

from inspired.logical_form.forms import Literal

_MOST_DIGITS = 4
_PARTS = (Decimal(1), Decimal("0.5"))


def number_between(low: float, high: float) -> Literal | None:
    """The roundest number above `low` and below `high`; None if none is round enough."""
    least, most = Decimal(str(low)), Decimal(str(high))
    size = max(abs(least), abs(most))
    whole = least == least.to_integral_value() and most == most.to_integral_value()
    for places in range(1, _MOST_DIGITS + 1):
        for part in _PARTS:
            step = Decimal(10) ** (size.adjusted() - places + 1) * part
            value = ((least + step / 1000) / step).to_integral_value(ROUND_CEILING) * step
            # Between counts a fraction would be odd: "fewer than 3.5 seats".
            if least < value < most and (value == value.to_integral_value() or not whole):
                return _literal(value)
    return None


def year_between(low: str, high: str, after: bool) -> Literal | None:
    """The roundest year such that the date `high` is after it and `low` is not, or `low` before it and `high` not.

    "After 1960" compares with its last day, "before 1960" with its first. None if both dates are of one year.
    """
    first, last = int(low[:4]), int(high[:4])
    years = range(first, last) if after else range(first + 1, last + 1)
    if not years:
        return None
    year = min(years, key=lambda each: (each % 100 != 0, each % 10 != 0, each % 5 != 0, each))
    return Literal(f"{year:04}-12-31T00:00:00" if after else f"{year:04}-01-01T00:00:00", "dateTime")


def digits(limit: Literal) -> int:
    """How many digits of a limit tell something: one of "5000000", three of "1.25"."""
    year = limit.text[:4] if limit.datatype == "dateTime" else limit.text
    return len(year.replace("-", "").replace(".", "").strip("0"))


def _literal(value: Decimal) -> Literal:
    if value == value.to_integral_value():
        return Literal(str(int(value)), "integer")
    return Literal(format(value.normalize(), "f"), "decimal")
