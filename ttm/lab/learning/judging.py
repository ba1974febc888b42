"""Whether a parse is one of the fair readings: equal in meaning, whatever the order of conditions, changes and requests.

`previousfilter` and `previousoperation` stand for what the conversation had; conditions alone are counted, changes or a case
alone predicted; a `*` in a pattern is any count, number or id.
"""

import re
from collections.abc import Iterator
from itertools import product

from ttm.lab.learning.corpus import CorpusTurn, SurfaceReader, expand
from ttm.language.parse import Change, CountData, Instance, Operation, Parse, Predict, PreviousOperation, Selection, surface
from ttm.language.row_state import RowState, rows_after
from ttm.tabular.data.schema import Schema

ANY = "5000005"  # what stands for `*` while a pattern is read
ANY_DATE = "5000-01-01"
ANY_SHARE = "0.500005"

Meaning = tuple[frozenset[tuple[frozenset[frozenset[str]], str, frozenset[str]]], tuple[str, ...]]


def meaning(parse: Parse, before: RowState | None = None, operations: tuple[Operation, ...] = ()) -> Meaning:
    """Groups of rows with case and changes, and requests, after what was before."""
    own = RowState() if not _picks(parse) else (rows_after(parse, before) or RowState())
    requests: list[Operation] = []
    for step in parse.steps:
        if isinstance(step, PreviousOperation) and operations:
            requests += operations
        elif not isinstance(step, Selection | Instance | Change):
            requests.append(step)
    if not requests:
        requests = [Predict() if own.instance or own.changes else CountData()]
    case = " ".join(sorted(f"{name} {value}" for name, value in own.instance.values)) if own.instance else ""
    changes = frozenset(surface(one) for one in own.changes)
    groups = frozenset(
        (frozenset(frozenset(surface(one) for one in part) for part in group), case, changes) for group in own.groups
    )
    texts = sorted(_tidy(surface(one)) for one in requests)
    return groups, tuple(texts)


def _picks(parse: Parse) -> bool:
    return any(isinstance(step, Selection | Instance | Change) for step in parse.steps)


def _tidy(text: str) -> str:
    match = re.fullmatch(r"(interact|correlate) (\w+) (\w+)", text)
    return f"{match[1]} {' '.join(sorted(match.groups()[1:]))}" if match and match[3] != "target" else text


def keys(collected: Meaning, opened: bool = False) -> Iterator[str]:
    """Texts of a meaning, also without a count beside other requests; `opened`: also with one number or id, or all, as `*`."""
    groups, requests = collected
    options = [requests]
    if len(requests) > 1 and "countdata" in requests:
        options.append(tuple(one for one in requests if one != "countdata"))
    if "predict" in requests and "likelihood" in requests:
        options += [tuple(one for one in requests if one != dropped) for dropped in ("predict", "likelihood")]
    text = " versus ".join(sorted(_group_text(one) for one in groups))
    rows = {text, *(_starred(text) if opened else ())}
    for option in options:
        for chosen in product(*[{one, *(_starred(one) if opened else ())} for one in option]):
            for row in rows:
                yield f"{row} => {' + '.join(sorted(chosen))}"


def _group_text(group: tuple[frozenset[frozenset[str]], str, frozenset[str]]) -> str:
    alternatives, case, changes = group
    return " | ".join(
        [" or ".join(sorted(" and ".join(sorted(part)) for part in alternatives)), case, ";".join(sorted(changes))]
    )


_OPEN = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:-\d\d-\d\d)?(?![\w.])|(?<=filter id )\S+")


def _starred(text: str) -> set[str]:
    """The text with one number or id left open, and with all of them."""
    places = [match.span() for match in _OPEN.finditer(text)]
    return {f"{text[:start]}*{text[end:]}" for start, end in places} | ({_OPEN.sub("*", text)} if len(places) > 1 else set())


def _closed(text: str) -> str:
    return re.sub(rf"{ANY}|{ANY_DATE}|{ANY_SHARE}", "*", text)


class Judge:
    """Judges the turns of one conversation in order; `before` is what the fair readings themselves leave behind."""

    def __init__(self, schema: Schema) -> None:
        self._reader = SurfaceReader(schema)
        self.restart()

    def restart(self) -> None:
        """Begin another conversation."""
        self.gold_rows: RowState | None = None
        self.gold_operations: tuple[Operation, ...] = ()

    def best(self, turn: CorpusTurn) -> Parse | None:
        """The first choice of the first pattern, with some number or id where it leaves one open."""
        return self._reader.read(expand(turn.patterns[0])[0]) if turn.patterns else None

    def is_fair(self, turn: CorpusTurn, parse: Parse, before: RowState | None, operations: tuple[Operation, ...]) -> bool:
        """Whether a parse, after what the conversation really had, is one of the fair readings."""
        own = set(keys(meaning(parse, before, operations), opened=True))
        for pattern in turn.patterns:
            for text in expand(pattern):
                wanted = self._read(text)
                if wanted is None:
                    continue
                gold = {_closed(key) for key in keys(meaning(wanted, self.gold_rows, self.gold_operations))}
                if own & gold:
                    return True
        return False

    def after(self, turn: CorpusTurn) -> None:
        """Go on to the next turn."""
        best = next((parse for pattern in turn.patterns[:1] for parse in [self._read(expand(pattern)[0])] if parse), None)
        if best is not None:
            self.gold_operations = tuple(
                one for step in best.steps for one in (self.gold_operations if isinstance(step, PreviousOperation) else [step])
                if not isinstance(one, Selection | Instance | Change)
            ) or self.gold_operations  # fmt: skip
            self.gold_rows = rows_after(best, self.gold_rows)

    def _read(self, text: str) -> Parse | None:
        return self._reader.read(text, (ANY, ANY_SHARE, ANY_DATE))
