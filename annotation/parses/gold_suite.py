"""The file format of gold parses (TalkToModel): an utterance, a line with its parse, an empty line; UTF-8.

Each utterance stands in a suite once. Here is only the format; what goes into a suite is decided in `export.py`.
"""

from collections.abc import Callable, Iterable, Iterator

from annotation.parses.pairs import Imported
from backend.errors import AnnotationError, ParleyError
from backend.text.storable import storable

LARGEST_FILE = 20_000_000  # bytes; a hundred thousand pairs
NAMED_AT_ONCE = 5


def suite_text(pairs: Iterable[tuple[str, str]]) -> str:
    """Pairs of an utterance and a parse as the text of a file. A line break inside an utterance becomes a space."""
    return "".join(f"{one_line(utterance)}\n{_closed(parse)}\n\n" for utterance, parse in pairs)


def one_line(utterance: str) -> str:
    """An utterance as it stands in a suite."""
    return " ".join(line.strip() for line in utterance.splitlines() if line.strip())


def read_suite(content: bytes, check: Callable[[str], object]) -> list[Imported]:
    """The pairs in a file; `check` raises a ParleyError for a parse that is not valid. A pair given twice counts once.

    Raises AnnotationError naming the bad lines and what would be valid there.
    """
    if len(content) > LARGEST_FILE:
        raise AnnotationError(f"The file has {len(content):,} bytes; a suite may have at most {LARGEST_FILE:,}.")
    pairs: dict[str, Imported] = {}
    wrong: list[str] = []
    for block in _blocks(_decoded(content)):
        try:
            pair = _pair(block, check)
            _compare(pair, pairs.setdefault(pair.utterance, pair))
        except ParleyError as error:
            wrong.append(error.message)
    if wrong:
        more = [f"And {len(wrong) - NAMED_AT_ONCE} more."] if len(wrong) > NAMED_AT_ONCE else []
        raise AnnotationError("\n".join(["Nothing was imported.", *wrong[:NAMED_AT_ONCE], *more]))
    if not pairs:
        raise AnnotationError("The file is empty; it should hold an utterance, its parse on the next line, an empty line, ...")
    return list(pairs.values())


Line = tuple[int, str]


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise AnnotationError(f"Line {line} is not UTF-8 text; save the file as UTF-8.") from error


def _blocks(text: str) -> Iterator[list[Line]]:
    """Runs of lines that are not empty, with their numbers."""
    block: list[Line] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.strip():
            block.append((number, line.strip()))
        elif block:
            yield block
            block = []


def _pair(block: list[Line], check: Callable[[str], object]) -> Imported:
    number, utterance = block[0]
    if len(block) == 1:
        raise AnnotationError(f"Line {number} stands alone; an utterance needs its parse on the next line.")
    if len(block) > 2:
        raise AnnotationError(f"Line {block[2][0]}: after an utterance and its parse there must be an empty line.")
    try:
        check(block[1][1])
    except ParleyError as error:
        raise AnnotationError(f"Line {block[1][0]}: {error.message}") from error
    try:
        return Imported(storable(utterance, "utterance"), block[1][1], number)
    except AnnotationError as error:
        raise AnnotationError(f"Line {number}: {error.message}") from error


def _compare(pair: Imported, first: Imported) -> None:
    if _bare(pair.parse) != _bare(first.parse):
        raise AnnotationError(
            f"Line {pair.line}: the utterance of line {first.line} again, with another parse; give each utterance once."
        )


def _bare(parse: str) -> str:
    """A parse as exact match compares it: no spaces, lower case."""
    return "".join(parse.split()).lower()


def _closed(parse: str) -> str:
    bare = parse.strip()
    return f"{bare[:-3].rstrip() if bare.lower().endswith('[e]') else bare} [E]"
