"""What people sign in with: codes and links, made here and kept only as hashes, and usernames of Hugging Face.

A code is short enough to be typed, so it is hashed with scrypt. A link holds 256 random bits, which nobody guesses, so one
SHA-256 is enough and lets it be found by an index.
"""

import hashlib
import hmac
import re
import secrets

from annotation.words.catalogue import translate
from backend.errors import AnnotationError

# Without letters and digits that are mistaken for one another when read aloud or copied by hand.
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
_CODE_LENGTH = 12
_COST, _BLOCK, _PARALLEL = 2**14, 8, 1  # 16 MB and about 50 ms a code
_LONGEST_CODE = 200
_USERNAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?")
NO_CODE = "none$$"  # stands in place of a hash for people without a code: nothing fits it


def new_code() -> str:
    """Twelve letters in groups of four: 59 random bits."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH))
    return "-".join(letters[start : start + 4] for start in range(0, _CODE_LENGTH, 4))


def new_link() -> str:
    return secrets.token_urlsafe(32)


def hash_code(code: str) -> str:
    salt = secrets.token_bytes(16)
    return f"scrypt${salt.hex()}${_scrypt(code, salt).hex()}"


def code_fits(code: str, stored: str | None) -> bool:
    """Takes equally long whether the code is right, wrong, or `stored` is None because nobody has that name."""
    kind, _, rest = (stored or f"scrypt${bytes(16).hex()}${bytes(32).hex()}").partition("$")
    salt, _, wanted = rest.partition("$")
    digest = _scrypt(code, bytes.fromhex(salt)).hex()
    return hmac.compare_digest(digest, wanted) and kind == "scrypt" and stored is not None


def hash_link(link: str) -> str:
    return hashlib.sha256(link.encode("utf-8", "replace")).hexdigest()


def plain_username(name: str) -> str:
    """In lower case, since Hugging Face tells no case apart. Raises AnnotationError if no account can be called so."""
    name = name.strip().removeprefix("@")
    if not _USERNAME.fullmatch(name):
        raise AnnotationError(
            translate(
                "{name} is no username of Hugging Face: it has up to 96 Latin letters, digits, -, _ and . and neither "
                "begins nor ends with a sign.",
                name=f"{name!r:.100}",
            )
        )
    return name.lower()


def _scrypt(code: str, salt: bytes) -> bytes:
    plain = "".join(code.split()).replace("-", "").casefold()[:_LONGEST_CODE]
    return hashlib.scrypt(plain.encode("utf-8", "replace"), salt=salt, n=_COST, r=_BLOCK, p=_PARALLEL, dklen=32)
