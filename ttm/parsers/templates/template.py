"""Templates: an utterance and its parse with typed wildcards, read from tab-separated files that a person can edit.

What a wildcard stands for is listed in WILDCARDS; how it is filled is in `wildcards.py`. Source: TalkToModel, appendix A.3.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from backend.errors import DatasetError
from ttm.parsers.templates.number_words import FORMS, WHOLE_ONLY

FOLDER = Path(__file__).parent
CLAUSES = FOLDER / "clauses" / "filter.tsv"
PATTERN = re.compile(r"\{([^{}]*)\}")
AGE_WORDS = frozenset("old older oldest young younger youngest".split())
NAME = re.compile(r"([a-z]+?)(\d*)(?::([a-z]+))?")


@dataclass(frozen=True)
class WildcardKind:
    """A kind of wildcard. `of`: the kinds of feature whose value it is; `forms`: it is a number that can be spelled in other
    ways; `unwritten`: it may stand in an utterance whose parse does not hold it; `implied_by`: wildcards said instead of it
    ("over {years} years old" speaks of {age}); `spoken_of`: words that do the same ("the oldest")."""

    about: str
    of: tuple[str, ...] = ()
    forms: bool = False
    unwritten: bool = False
    implied_by: tuple[str, ...] = ()
    spoken_of: frozenset[str] = frozenset()


WILDCARDS: dict[str, WildcardKind] = {
    "num": WildcardKind("a numeric feature"),
    "age": WildcardKind("a numeric feature that is an age", implied_by=("years", "decade"), spoken_of=AGE_WORDS),
    "cat": WildcardKind("a categorical feature with named values", implied_by=("catval",)),
    "flag": WildcardKind("a 0/1 feature; write true or false after it"),
    "date": WildcardKind("a date feature", implied_by=("day",)),
    "feature": WildcardKind("any feature"),
    "val": WildcardKind("a value of {num}", of=("num",), forms=True),
    "high": WildcardKind("a value of {num} larger than {val}", of=("num",), forms=True),
    "delta": WildcardKind("an amount to change {num} or {age} by", of=("num", "age"), forms=True),
    "years": WildcardKind("a value of {age}", of=("age",), forms=True),
    "olderyears": WildcardKind("a value of {age} larger than {years}", of=("age",), forms=True),
    "decade": WildcardKind("ten years of {age}: said as 30s or thirties, in the parse the first of them", of=("age",)),
    "nextdecade": WildcardKind("where {decade} ends", of=("age",), implied_by=("decade",)),
    "catval": WildcardKind("a value of {cat}", of=("cat",)),
    "day": WildcardKind("a day of {date}", of=("date",)),
    "lateday": WildcardKind("a day of {date} later than {day}", of=("date",)),
    "class": WildcardKind("a class: its name, in the parse its number", unwritten=True),
    "goal": WildcardKind(
        "a class that is wanted: its name, after `explain cfe` nothing for two classes, else `class` and its number"
    ),
    "positive": WildcardKind("the last of two classes, as it follows 'likely': to be a good risk", unwritten=True),
    "quantity": WildcardKind("a value of a numeric target", forms=True),
    "id": WildcardKind("the id of a row", forms=True),
    "count": WildcardKind("a count from 2 to 10", forms=True),
    "percent": WildcardKind("a number of percent", forms=True),
    "chance": WildcardKind("a probability: said in percent, in the parse from 0 to 1"),
    "method": WildcardKind("lime or shap"),
    "filter": WildcardKind("a clause after a noun, in the parse one or more filters"),
    "entities": WildcardKind("what the data set calls its rows", unwritten=True),
    "entity": WildcardKind("what the data set calls one row", unwritten=True),
    "outcome": WildcardKind("what is predicted", unwritten=True),
}


@dataclass(frozen=True)
class Wildcard:
    """`{val2:words}` is Wildcard("val", 2, "words"). The form only says how the utterance spells it."""

    kind: str
    number: int = 1
    form: str = ""

    @cached_property
    def slot(self) -> "Wildcard":
        """The wildcard without its form: what is bound to a value."""
        return Wildcard(self.kind, self.number) if self.form else self

    def __str__(self) -> str:
        return "{" + self.kind + (str(self.number) if self.number > 1 else "") + (f":{self.form}" if self.form else "") + "}"


Piece = str | Wildcard


@dataclass(frozen=True)
class UtteranceTemplate:
    """One line: `utterance` and `parse` as they are written, and where. The utterance names the template."""

    utterance: str
    parse: str
    file: str = ""
    line: int = 0

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"

    @cached_property
    def spoken(self) -> tuple[Piece, ...]:
        """The utterance in pieces."""
        return tuple(_pieces(self.utterance))

    @cached_property
    def written(self) -> tuple[Piece, ...]:
        """The parse in pieces."""
        return tuple(_pieces(self.parse))

    @cached_property
    def slots(self) -> tuple[Wildcard, ...]:
        """What is to be filled, each once, in the order in which it first stands."""
        slots = (piece.slot for piece in (*self.spoken, *self.written) if isinstance(piece, Wildcard))
        return tuple(dict.fromkeys(slots))

    @cached_property
    def named(self) -> frozenset[Wildcard]:
        """Slots that the utterance says."""
        return frozenset(piece.slot for piece in self.spoken if isinstance(piece, Wildcard))

    @cached_property
    def whole(self) -> frozenset[Wildcard]:
        """Slots that take whole numbers only, as the utterance spells them so."""
        return frozenset(piece.slot for piece in self.spoken if isinstance(piece, Wildcard) and piece.form in WHOLE_ONLY)

    def owner(self, slot: Wildcard) -> Wildcard | None:
        """The feature wildcard whose value `slot` is: of the same number, else the one without a number."""
        for kind in WILDCARDS[slot.kind].of:
            for owner in (Wildcard(kind, slot.number), Wildcard(kind)):
                if owner in self.slots:
                    return owner
        return None


def read_templates(path: Path) -> list[UtteranceTemplate]:
    """The templates of one file: `utterance<TAB>parse` a line, `#` begins a comment, blank lines are skipped.

    Raises DatasetError for the first bad line: file, line, what is wrong and what would be valid.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"Cannot read {path}: {error}.") from error
    return list(read_lines(lines, path.name))


def read_lines(lines: Iterable[str], file: str) -> Iterator[UtteranceTemplate]:
    """Templates from lines of text; raises DatasetError as `read_templates` does."""
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [" ".join(part.split()) for part in line.split("\t")]
        if len(parts) != 2 or not all(parts):
            raise DatasetError(f"{file}, line {number}: a template is an utterance, one tab and a parse; not {line[:60]!r}.")
        try:
            template = UtteranceTemplate(parts[0], parts[1], file, number)
            _check(template)
        except ValueError as error:
            raise DatasetError(f"{file}, line {number}: {error}.") from None
        yield template


@lru_cache(maxsize=1)
def load_templates() -> tuple[UtteranceTemplate, ...]:
    """All templates of the project, by file name and line. Raises DatasetError for a bad line."""
    return tuple(template for path in sorted(FOLDER.glob("*.tsv")) for template in read_templates(path))


@lru_cache(maxsize=1)
def filter_clauses() -> tuple[UtteranceTemplate, ...]:
    """What `{filter}` stands for."""
    return tuple(read_templates(CLAUSES))


def _pieces(text: str) -> Iterator[Piece]:
    end = 0
    for match in PATTERN.finditer(text):
        if match.start() > end:
            yield text[end : match.start()]
        yield _wildcard(match[1])
        end = match.end()
    if end < len(text):
        yield text[end:]


def _wildcard(text: str) -> Wildcard:
    match = NAME.fullmatch(text)
    if match is None or match[1] not in WILDCARDS:
        raise ValueError(f"there is no wildcard {{{text}}}; known are {', '.join(WILDCARDS)}")
    kind, number, form = match[1], int(match[2] or 1), match[3] or ""
    if form and not WILDCARDS[kind].forms:
        raise ValueError(f"{{{text}}} has a form, but {kind} is no number")
    if form and form not in FORMS:
        raise ValueError(f"{{{text}}} has the form {form!r}; known are {', '.join(FORMS)}")
    return Wildcard(kind, number, form)


def _check(template: UtteranceTemplate) -> None:
    """Raises ValueError for wildcards that cannot be filled, or that stand on one side only."""
    for side in (template.utterance, template.parse):
        if re.search(r"[{}]", PATTERN.sub("", side)):
            raise ValueError(f"a brace without its partner in {side!r}; a wildcard is written {{num}}")
    if template.parse.endswith("[e]"):
        raise ValueError("the parse ends in [e]; leave that out")
    written = {piece.slot for piece in template.written if isinstance(piece, Wildcard)}
    words = set(re.findall(r"\w+", PATTERN.sub("", template.utterance.lower())))
    for slot in template.slots:
        kind = WILDCARDS[slot.kind]
        implied = words & kind.spoken_of or {other.kind for other in template.named} & set(kind.implied_by)
        if slot not in template.named and not implied:
            raise ValueError(f"{slot} stands in the parse, but not in the utterance")
        if slot not in written and not kind.unwritten:
            raise ValueError(f"{slot} stands in the utterance, but not in the parse")
        if kind.of and template.owner(slot) is None:
            owners = " or ".join(f"{{{owner}}}" for owner in kind.of)
            raise ValueError(f"{slot} is a value of {owners}, which is missing in the parse")
    for piece in template.written:
        if isinstance(piece, Wildcard) and (piece.form or piece.kind in ("entities", "entity", "outcome", "positive")):
            raise ValueError(f"{piece} cannot stand in a parse")
