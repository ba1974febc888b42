"""Which text a database and a text file can hold."""

from backend.errors import AnnotationError


def storable(text: str, what: str) -> str:
    """Return `text` if a database and a text file can hold it; raise AnnotationError for a NUL or half a surrogate pair."""
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise AnnotationError(f"The {what} holds characters that are no text (NUL or half a surrogate pair); remove them.")
    return text
