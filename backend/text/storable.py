"""Which text a database and a text file can hold."""

from collections.abc import Mapping
from typing import Any

from backend.errors import AnnotationError


def storable(text: str, what: str) -> str:
    """Return `text` if a database and a text file can hold it; raise AnnotationError for a NUL or half a surrogate pair."""
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise AnnotationError(f"The {what} holds characters that are no text (NUL or half a surrogate pair); remove them.")
    return text


def whole(value: Any) -> Any:
    """Return a value of JSON with U+FFFD in place of each half of a surrogate pair, also in keys.

    JSON can carry such halves and UTF-8 cannot: one of them in a stored text would break every page and file that shows it.
    """
    match value:
        case str() if any("\ud800" <= letter <= "\udfff" for letter in value):
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case Mapping():
            return {whole(key): whole(inner) for key, inner in value.items()}
        case list() | tuple():
            return [whole(inner) for inner in value]
    return value
