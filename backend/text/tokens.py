"""Tokens of a text, and the words among them: counted one way by every part."""

import re

# A word keeps what is inside it (U.S., doesn't, 1,000, well-known); a mark of punctuation is a token of its own.
_TOKEN = re.compile(r"#\w+#|\w+(?:[.,'’/&-]\w+)*|[^\w\s]")


def tokens(text: str) -> tuple[str, ...]:
    """Words and punctuation marks in lower case; a placeholder such as `#entity#` is one token."""
    return tuple(_TOKEN.findall(text.lower()))


def words(text: str) -> tuple[str, ...]:
    """The tokens that are no punctuation."""
    return tuple(each for each in tokens(text) if any(sign.isalnum() for sign in each))
