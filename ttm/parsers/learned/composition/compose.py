"""Putting decisions together into a parse: spans become rows and arguments, ingredients become operations."""

from collections.abc import Sequence

from ttm.language.parse import Comparator, Operation, PreviousFilter, Ranked, Selection
from ttm.parsers.learned.composition.conditions import COMPARATORS, in_unit
from ttm.parsers.learned.composition.requests import SHOWN, Arguments, items_of_operations, make_operation
from ttm.parsers.learned.composition.rows_of_reading import RowParts, steps_of
from ttm.parsers.learned.composition.span_rows import Composition, RowComposer
from ttm.parsers.learned.decisions.comparisons import said_relation
from ttm.parsers.learned.decisions.span_decisions import Decisions, ReadingChoice, SpanDecision, in_roles
from ttm.parsers.learned.encoder.roles import OPERATIONS
from ttm.parsers.learned.encoder.schema_items import SchemaItem, SchemaItemKind, items_of
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.parsers.understanding import DialogueContext
from ttm.tabular.data.schema import Schema

COUNT_WORDS = {
    "most": 1,
    "least": 1,
    "single": 1,
    "couple": 2,
    "pair": 2,
    "few": 3,
    "one": 1,
    "handful": 5,
    "several": 5,
    "some": 5,
}
MOST_COUNTED = 1_000
PLURALS = frozenset("people them those these they ones men women children list top".split())
NO_PLURALS = frozenset("does has was is this less whats who's always perhaps his hers its yours".split())


class Composer:
    """Composes readings about one data set; holds no state of a conversation."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.items = items_of(schema)
        self._rows = RowComposer(schema)

    def compose(self, decisions: Decisions, choice: ReadingChoice, context: DialogueContext) -> Composition:
        made, parts = Composition(), RowParts()
        decisions = in_roles(decisions, choice.roles)
        self._rows.read(decisions, choice, context, parts, made)
        refers = "previous rows" in choice.ingredients
        rows = steps_of(parts, context.rows, refers, "keep" in choice.ingredients)
        if refers and context.rows is None and parts.is_empty():
            rows = [Selection(((((PreviousFilter(),),)),))]
        arguments = self._arguments(decisions, choice, context, made)
        operations: list[Operation] = []
        side_by_side = len(parts.groups) > 1
        for name in OPERATIONS:
            if name in choice.ingredients:
                result = make_operation(name, arguments, self.schema, side_by_side)
                if isinstance(result, str):
                    made.questions.append(result)
                else:
                    operations += result
        made.steps = [*rows, *operations]
        return made

    def _wanted(self, decisions: Decisions, made: Composition) -> tuple[Comparator, float] | None:
        """The amount that the prediction should reach, where the message compares the only number that is left: `under 80`."""
        numbers = _unclaimed(decisions, made) or [one for span in decisions.of_role("argument") for one in span.numbers]
        relation = said_relation(decisions.tokens) if len(numbers) == 1 else None
        if relation not in ("greater", "less", "at least", "at most"):
            return None
        made.used |= {at for at, token in enumerate(decisions.tokens) if token in numbers}
        return COMPARATORS[relation], in_unit(numbers[0].value, self.schema.target.low, self.schema.target.high)

    def _arguments(self, decisions: Decisions, choice: ReadingChoice, context: DialogueContext, made: Composition) -> Arguments:
        """What operations take: columns, classes, counts, a goal, a threshold.

        They are gathered for the message and not for each operation, since people name them once for several (`top 5 by age and
        income`); `make_operation` takes what fits.
        """
        items: list[SchemaItem] = []
        classes: list[int] = []
        counts: list[int] = []
        wanted: tuple[Comparator, float] | None = None
        arguments: list[SpanDecision] = []
        for number, span in enumerate(decisions.spans):
            item = choice.item(number, span)
            if span.role == "count":
                counts += _counts(span)
            elif _names_class(span, item):
                if item is not None and item.class_number is not None:
                    classes.append(item.class_number)
                if span.numbers and not self.schema.target.is_classification:
                    relation = choice.relation(number, span)
                    wanted = (COMPARATORS.get(relation, Comparator.GREATER), span.numbers[0].value)
            elif span.role == "argument":
                items += [item] if item is not None else []
                arguments.append(span)
            else:
                continue
            made.used |= set(range(span.start, span.end))
        share = _share(arguments, decisions) if "threshold" in choice.ingredients else None
        if wanted is None and "counterfactual" in choice.ingredients and not self.schema.target.is_classification:
            wanted = self._wanted(decisions, made)
        earlier = items_of_operations(context.operations, self.items)
        counted = tuple(one.count for one in context.operations if isinstance(one, Ranked))
        shown = SHOWN if speaks_of_several(decisions.tokens) else 1
        return Arguments(tuple(items), tuple(classes), wanted, tuple(counts), share, earlier, counted, shown)


def _names_class(span: SpanDecision, item: SchemaItem | None) -> bool:
    return span.role == "class" or (span.role == "argument" and item is not None and item.kind is SchemaItemKind.CLASS)


def _share(arguments: Sequence[SpanDecision], decisions: Decisions) -> float | None:
    """The first share that arguments have, else the first of the message."""
    numbers = [token for token in decisions.tokens if token.kind is TokenKind.NUMBER]
    shares = (_first_share(each) for each in (*(span.numbers for span in arguments), numbers))
    return next((share for share in shares if share is not None), None)


def _unclaimed(decisions: Decisions, made: Composition) -> list[UtteranceToken]:
    """Numbers on which nothing of the reading rests yet."""
    taken = {at for span in decisions.of_role("id", "count") for at in range(span.start, span.end)} | made.used
    return [token for at, token in enumerate(decisions.tokens) if token.kind is TokenKind.NUMBER and at not in taken]


def speaks_of_several(tokens: Sequence[UtteranceToken]) -> bool:
    """Whether a message has a word in the plural; `the oldest player` is one row."""
    return any(
        token.text in PLURALS
        or (len(token.text) > 3 and token.text.endswith("s") and not token.text.endswith(("ss", "us", "is")))
        for token in tokens
        if token.kind is TokenKind.WORD and token.text not in NO_PLURALS
    )


def _counts(span: SpanDecision) -> list[int]:
    numbers = [int(token.value) for token in span.numbers if token.kind is TokenKind.NUMBER and 0 < token.value <= MOST_COUNTED]
    numbers = [6] if numbers == [12] and "half" in span.words else numbers
    return numbers or [COUNT_WORDS[word] for word in span.words if word in COUNT_WORDS][:1]


def _first_share(numbers: Sequence[UtteranceToken]) -> float | None:
    """The first number that can be a probability, also in percent: `at 60` is 0.6."""
    values = [token.value / 100 if token.form == "percent" or token.value >= 2 else token.value for token in numbers]
    return next((value for value in values if 0 < value < 1), None)
