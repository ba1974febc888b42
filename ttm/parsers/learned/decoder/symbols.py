"""A parse as a sequence of symbols: words of the language, and pointers to data set, message and the turn before.

Pointers let a decoder write columns, values and numbers that it has never seen (pointer networks, Vinyals et al. 2015).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ttm.language.parse import number_text, surface
from ttm.parsers.learned.encoder.schema_items import NO_VALUES, SchemaItem, SchemaItemKind
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.parsers.understanding import DialogueContext

END, LISTED = "[e]", "<listed>"  # the end of a parse; the id of a row of the list that was shown
ASKS, REFUSES, CHATS = "<ask>", "<refuse>", "<chat>"  # what stands alone where no parse is meant
VERDICTS = (ASKS, REFUSES, CHATS)
SPECIAL = (END, LISTED, *VERDICTS, "and", "or", "versus", "not", "0")  # symbols that are there whatever the corpus holds
FORMS = ("as written", "hundredth", "end of decade", "date")  # how a number of a message becomes one of a parse
ITEM_KINDS = 6  # of `item_kind`
MOST_COPIES = 16
LONGEST_VALUE = 4  # words of a value
DECADE = 9  # years from the beginning of a decade to its end
OUTCOME_WORDS = frozenset({"labelfilter", "predictionfilter", "probabilityfilter", "class"})
_JOINED = {
    "greater equal than": "greater-equal-than", "less equal than": "less-equal-than", "greater than": "greater-than",
    "less than": "less-than", "not equal to": "not-equal-to", "equal to": "equal-to", "filter id": "filter-id",
}  # fmt: skip
_PLAIN = {joined: plain for plain, joined in _JOINED.items()}


@dataclass(frozen=True)
class NumberPointer:
    """The number of a token of the message as text of the parse language, and how it was made, an index in FORMS."""

    token: int
    form: int
    text: str


@dataclass(frozen=True)
class SymbolTable:
    """Everything that can be written about one message. Symbols are numbered: words, items, numbers, copies."""

    words: tuple[str, ...]
    items: tuple[SchemaItem, ...]
    numbers: tuple[NumberPointer, ...] = ()
    copies: tuple[str, ...] = ()

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What each symbol writes."""
        words = (_PLAIN.get(word, word) for word in self.words)
        items = (item.key.replace("=", " ", 1) if item.value else item.key.removeprefix("class ") for item in self.items)
        return (*words, *items, *(one.text for one in self.numbers), *self.copies)

    def surface(self, symbols: Sequence[int]) -> str:
        """The text of some symbols. `not` stands before a value in symbols, behind its column in the language."""
        texts = [self.texts[symbol] for symbol in symbols]
        for at in range(1, len(texts)):
            if texts[at - 1] == "not" and self._is_value(symbols[at]):
                column, value = texts[at].split(" ", 1)
                texts[at - 1 : at + 1] = [column, f"not {value}"]
        return " ".join(texts)

    def symbols(self, items: Sequence[str], joiners: Sequence[str]) -> list[int] | None:
        """The symbols of the items of a parse with the `joiners` between them; None where something cannot be written."""
        collected: list[int] = []
        for at, text in enumerate(items):
            own = self._of_item(text)
            if own is None:
                return None
            collected += [self._word[joiners[at - 1]], *own] if at else own
        return [*collected, self._word[END]]

    def verdict(self, name: str) -> list[int]:
        return [self._word[name], self._word[END]]

    def unknown(self, text: str) -> list[str]:
        """Words of an item of a parse that no symbol writes."""
        return [word for word, symbol in self._parts(_with_joined(text).split()) if symbol is None]

    @cached_property
    def copied(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """Of each copy the words and the items in it, as indexes among the words and among the items."""
        plain = SymbolTable(self.words, self.items)
        parts = []
        for text in self.copies:
            own = [symbol for symbol in plain._spelled(_with_joined(text).split()) if symbol is not None]
            first = len(self.words)
            parts.append((tuple(one for one in own if one < first), tuple(one - first for one in own if one >= first)))
        return tuple(parts)

    @cached_property
    def _word(self) -> dict[str, int]:
        return {word: at for at, word in enumerate(self.words)}

    @cached_property
    def _item(self) -> dict[str, int]:
        return {item.key: len(self.words) + at for at, item in reversed(list(enumerate(self.items)))}

    @cached_property
    def _number(self) -> dict[str, int]:
        first = len(self.words) + len(self.items)
        return {one.text: first + at for at, one in reversed(list(enumerate(self.numbers)))}

    @cached_property
    def _copy(self) -> dict[str, int]:
        first = len(self.words) + len(self.items) + len(self.numbers)
        return {text: first + at for at, text in enumerate(self.copies)}

    @cached_property
    def _columns(self) -> frozenset[str]:
        return frozenset(item.feature.token for item in self.items if item.feature is not None)

    def _is_value(self, symbol: int) -> bool:
        at = symbol - len(self.words)
        return 0 <= at < len(self.items) and bool(self.items[at].value)

    def _of_item(self, text: str) -> list[int] | None:
        """As it was before, unless the message has a number of it."""
        spelled = self._spelled(_with_joined(text).split())
        own = [symbol for symbol in spelled if symbol is not None]
        spelt = len(own) == len(spelled) and any(symbol in self._number.values() for symbol in own)
        if text in self._copy and not spelt:
            return [self._copy[text]]
        return own if len(own) == len(spelled) else None

    def _spelled(self, words: Sequence[str]) -> list[int | None]:
        return [symbol for _, symbol in self._parts(words)]

    def _parts(self, words: Sequence[str]) -> list[tuple[str, int | None]]:
        """The symbols that write some words, each with the first of its words."""
        collected: list[tuple[str, int | None]] = []
        at = 0
        while at < len(words):
            word, before = words[at], words[at - 1] if at else ""
            taken = 1
            if word in self._columns:
                denied = words[at + 1 : at + 2] == ["not"]
                value, length = self._value(word, words[at + 1 + denied :])
                if value is not None:
                    collected += [("not", self._word.get("not")), (word, value)] if denied else [(word, value)]
                    taken = 1 + denied + length
                else:
                    collected.append((word, self._item.get(word)))
            elif before in OUTCOME_WORDS and f"class {word}" in self._item:
                collected.append((word, self._item[f"class {word}"]))
            else:
                collected.append((word, self._number.get(word, self._word.get(word))))
            at += taken
        return collected

    def _value(self, column: str, words: Sequence[str]) -> tuple[int | None, int]:
        """The value of a column with which some words begin, and of how many words it is."""
        for length in range(min(len(words), LONGEST_VALUE), 0, -1):
            item = self._item.get(f"{column}={' '.join(words[:length])}")
            if item is not None:
                return item, length
        return None, 0


def _with_joined(text: str) -> str:
    padded = f" {text} "
    for plain, joined in _JOINED.items():
        padded = padded.replace(f" {plain} ", f" {joined} ")
    return padded.strip()


def written_items(items: Sequence[SchemaItem]) -> tuple[SchemaItem, ...]:
    """The items that are pointed at; the target and its probability are words of the language."""
    return tuple(item for item in items if item.kind not in (SchemaItemKind.TARGET, SchemaItemKind.PROBABILITY))


def item_kind(item: SchemaItem) -> int:
    """The kind of an item: quantity, date, other column, value, value that says no, class."""
    if item.kind is SchemaItemKind.COLUMN and item.feature is not None:
        return {"numeric": 0, "date": 1}.get(str(item.feature.kind), 2)
    if item.kind is SchemaItemKind.VALUE:
        return 4 if item.value in NO_VALUES | {"n", "f", "0"} else 3
    return 5


def numbers_of(tokens: Sequence[UtteranceToken]) -> Iterator[NumberPointer]:
    """The numbers and dates of a message, in each form that they may take."""
    for at, token in enumerate(tokens):
        if token.kind is TokenKind.DATE:
            yield NumberPointer(at, FORMS.index("date"), token.text)
        elif token.kind is TokenKind.NUMBER:
            yield NumberPointer(at, FORMS.index("as written"), number_text(abs(token.value)))
            yield NumberPointer(at, FORMS.index("hundredth"), number_text(round(token.value / 100, 6)))
            if token.form == "decade":
                yield NumberPointer(at, FORMS.index("end of decade"), number_text(token.value + DECADE))


def copies_of(context: DialogueContext) -> tuple[str, ...]:
    """Conditions, changes and case of the rows before and the last requests, as they can be repeated."""
    rows = context.rows
    parts = [surface(one) for one in (*rows.conditions, *rows.changes)] if rows is not None else []
    if rows is not None and rows.instance is not None:
        parts.append(surface(rows.instance))
    parts += [surface(one) for one in context.operations]
    return tuple(dict.fromkeys(parts))[:MOST_COPIES]


def symbol_table(
    words: tuple[str, ...], items: tuple[SchemaItem, ...], tokens: Sequence[UtteranceToken], context: DialogueContext
) -> SymbolTable:
    return SymbolTable(words, items, tuple(numbers_of(tokens)), copies_of(context))
