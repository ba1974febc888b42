"""What a browser asks for, which may be anything: each value is read from it with its type made sure of."""

import math
from collections.abc import Mapping
from typing import Any

from annotation.studies.refusals import CallRefusedError, Reason
from annotation.words.catalogue import translate
from backend.text.storable import whole

Asked = Mapping[str, Any]
Reply = dict[str, Any]


def mapping(asked: Any) -> Asked:
    """What came as `asked`, without halves of surrogate pairs; None stands for nothing asked.

    Raises Refused (ANSWER) if it is no mapping.
    """
    if asked is None:
        return {}
    if not isinstance(asked, Mapping):
        raise CallRefusedError(Reason.ANSWER, translate("What is asked should be an object with a value for each name."))
    wholly: Asked = whole(asked)
    return wholly


def text(asked: Asked, name: str, default: str = "") -> str:
    """Raises Refused (ANSWER) if what stands there is no text."""
    value = asked.get(name, default)
    if not isinstance(value, str):
        raise CallRefusedError(Reason.ANSWER, translate("“{name}” should be a text.", name=name))
    return value


def number(asked: Asked, name: str) -> int:
    """A whole number, also as its digits. Raises Refused (ANSWER) if there is none."""
    value = asked.get(name)
    if type(value) is int:
        return value
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 20:
        return int(value)
    raise CallRefusedError(Reason.ANSWER, translate("“{name}” should be a whole number.", name=name))


def optional_number(asked: Asked, name: str) -> int | None:
    return None if asked.get(name) in (None, "") else number(asked, name)


def optional_seconds(asked: Asked, name: str) -> float | None:
    """Seconds from 0 on, None where none are sent. Raises Refused (ANSWER) for anything else."""
    value = asked.get(name)
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 <= value < math.inf:
        raise CallRefusedError(Reason.ANSWER, translate("“{name}” should be a number of seconds.", name=name))
    return float(value)


def answer(asked: Asked, name: str = "answer") -> dict[str, Any]:
    """A mapping from names of parts to values. Raises Refused (ANSWER) if it is none."""
    value = asked.get(name)
    if not isinstance(value, Mapping):
        raise CallRefusedError(Reason.ANSWER, translate("“{name}” should hold a value for each field.", name=name))
    return {str(key): each for key, each in value.items()}
