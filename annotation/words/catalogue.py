"""The words of the screens of workers and leads in other languages: a TOML file for each, English before its translation.

A study says its language; calls are answered in it. `[pages]` has what the server writes, `[scripts]` what the browser does.
What names of items, texts of a study and people's own words are is never translated.
"""

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

ENGLISH = "en"
FOLDER = Path(__file__).parent
LANGUAGES: Mapping[str, str] = {"en": "English", "de": "Deutsch", "es": "Español"}
_spoken: ContextVar[str] = ContextVar("language of a study", default=ENGLISH)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Translate into this language meanwhile."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


def translate(message: str, /, **values: Any) -> str:
    """An English sentence in the language that is spoken, its `{name}` filled in; itself where there is no translation.

    With a value that is HTML, it is HTML as well: Markup, in which all else is escaped.
    """
    text = catalogue(_spoken.get(), "pages").get(message, message)
    if any(isinstance(value, Markup) for value in values.values()):
        text = Markup.escape(text)
    return text.format(**values) if values else text


def translate_count(one: str, many: str, /, count: int, **values: Any) -> str:
    """The sentence for one thing or for `count` of them, in the language that is spoken."""
    return translate(one if count == 1 else many, count=count, **values)


def spoken() -> str:
    """The language that is spoken."""
    return _spoken.get()


def translate_all(*messages: str) -> tuple[str, ...]:
    """Each in the language that is spoken, such as the heads of a table."""
    return tuple(translate(message) for message in messages)


def in_browser() -> dict[str, Any]:
    """What the browser needs to speak the same language."""
    language = _spoken.get()
    return {"language": language, "words": dict(catalogue(language, "scripts"))}


def to_translate(message: str) -> str:
    """Mark a sentence that stands in a table and is translated when it is shown."""
    return message


@lru_cache(maxsize=16)
def catalogue(language: str, table: str) -> Mapping[str, str]:
    """English sentences with their translations; empty for English itself."""
    path = FOLDER / f"{language}.toml"
    if language == ENGLISH or not path.is_file():
        return {}
    words: Mapping[str, str] = tomllib.loads(path.read_text("utf-8"))[table]
    return words
