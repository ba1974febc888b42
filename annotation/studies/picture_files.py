"""Pictures that items name: a file beside the items, or an address, read once when the items are.

What a study keeps is the picture itself. The browser of a worker gets it from the study and from nowhere else, so that no other
server learns who looks at what, and a picture stays what it was when the study began.
"""

import base64
import hashlib
import io
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from sqlalchemy import Connection, select

from annotation.studies.tables import study_pictures
from annotation.words.catalogue import translate
from backend.errors import AddressError, AnnotationError
from backend.network.visitor_transport import visitor_client

# As Pillow calls them; no SVG, which may hold scripts and addresses.
MEDIA: Mapping[str, str] = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
LARGEST = 2_000_000  # bytes of one picture
MOST_PIXELS = 40_000_000  # a small file can unpack to gigabytes
AT_ONCE = 20  # rows that are written together


@dataclass(frozen=True)
class Picture:
    """`digest`: SHA-256 of the bytes, by which a page names it; `data`: a data: address."""

    digest: str
    data: str


def read_picture(named: Any, folder: Path) -> Picture:
    """A picture by the name of a file in `folder` or below, or by an address of the public internet.

    Raises AnnotationError if it is missing, too large, elsewhere, or no picture that every browser shows.
    """
    if not isinstance(named, str) or not named.strip():
        raise AnnotationError(translate("a picture is named by its file beside the items, or by an address"))
    content = _fetched(named) if urlsplit(named).scheme in ("http", "https") else _from_file(named, folder)
    return checked_picture(content, named)


def checked_picture(content: bytes, named: str) -> Picture:
    """The bytes as a picture. Raises AnnotationError if they are none."""
    from PIL import Image, UnidentifiedImageError

    if len(content) > LARGEST:
        raise _too_large(named, len(content))
    try:
        with warnings.catch_warnings(action="error"), Image.open(io.BytesIO(content), formats=tuple(MEDIA)) as image:
            media, pixels = MEDIA[str(image.format)], image.width * image.height
            if pixels > MOST_PIXELS:
                raise AnnotationError(
                    translate(
                        "the picture {name} has {count:,} pixels; at most {most:,} are taken",
                        name=f"{named!r:.200}",
                        count=pixels,
                        most=MOST_PIXELS,
                    )
                )
            image.load()  # to its end: a file that was cut off is none
    except AnnotationError:
        raise
    # Whatever Pillow's readers meet in a broken file.
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Warning, Image.DecompressionBombError) as error:
        message = translate("{name} is no picture that can be shown; PNG, JPEG, GIF and WebP are taken", name=f"{named!r:.200}")
        raise AnnotationError(message) from error
    data = base64.b64encode(content).decode("ascii")
    return Picture(hashlib.sha256(content).hexdigest(), f"data:{media};base64,{data}")


def _from_file(named: str, folder: Path) -> bytes:
    path = (folder / named).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise AnnotationError(
            translate("the picture {name} lies outside of the folder of the items; put it there", name=f"{named!r:.200}")
        )
    try:
        if path.stat().st_size > LARGEST:
            raise _too_large(named, path.stat().st_size)
        return path.read_bytes()
    except (OSError, ValueError) as error:
        message = translate("there is no picture {name} beside the items; put the file there", name=f"{named!r:.200}")
        raise AnnotationError(message) from error


def _too_large(named: str, size: int) -> AnnotationError:
    return AnnotationError(
        translate(
            "the picture {name} has {count:,} bytes; at most {most:,} are taken",
            name=f"{named!r:.200}",
            count=size,
            most=LARGEST,
        )
    )


def _fetched(address: str) -> bytes:
    """Only from the public internet, and without redirects, so that an address in an item reaches nothing else."""
    try:
        with visitor_client() as client:
            reply = client.get(address)
    except (AddressError, httpx.HTTPError, httpx.InvalidURL) as error:
        raise _not_fetched(address, translate("its server cannot be reached, or is none of the public internet")) from error
    if reply.status_code != httpx.codes.OK:
        moved = reply.headers.get("location", "")
        raise _not_fetched(
            address, translate("its server answered {status}", status=f"{reply.status_code} {moved:.200}".strip())
        )
    return reply.content


def _not_fetched(address: str, why: str) -> AnnotationError:
    return AnnotationError(
        translate(
            "the picture at {address} cannot be fetched ({why}); save it as a file beside the items",
            address=f"{address:.200}",
            why=why,
        )
    )


def keep_pictures(connection: Connection, study: int, pictures: Mapping[str, Picture]) -> None:
    """Keep those that are not there yet."""
    table = study_pictures
    there = set(connection.execute(select(table.c.digest).where(table.c.study == study)).scalars())
    rows = [
        {"study": study, "digest": each.digest, "data": each.data} for each in pictures.values() if each.digest not in there
    ]
    for start in range(0, len(rows), AT_ONCE):
        connection.execute(table.insert(), rows[start : start + AT_ONCE])


def kept_picture(connection: Connection, study: int, digest: str) -> str | None:
    """The data: address of a picture of a study, None if it has none of this digest."""
    query = select(study_pictures.c.data).where(study_pictures.c.study == study, study_pictures.c.digest == digest)
    return connection.execute(query).scalar()
