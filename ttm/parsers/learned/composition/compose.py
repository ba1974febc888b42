"""Putting decisions together into a parse: spans become rows and arguments, ingredients become operations."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ttm.language.parse import (
    CategoricalCondition,
    Comparator,
    IdCondition,
    LabelCondition,
    Operation,
    Parse,
    PredictionCondition,
    PreviousFilter,
    Ranked,
    Selection,
    Step,
)
from ttm.parsers.learned.composition.conditions import COMPARATORS, DENIED, ConditionMaker, OpenQuestion, in_unit
from ttm.parsers.learned.composition.contradictions import either_value
from ttm.parsers.learned.composition.requests import SHOWN, Arguments, items_of_operations, make_operation
from ttm.parsers.learned.composition.rows_of_reading import (
    Alternatives,
    RowParts,
    earlier_groups,
    expression,
    steps_of,
    subjects_of,
)
from ttm.parsers.learned.decisions.comparisons import said_relation
from ttm.parsers.learned.decisions.span_decisions import Decisions, ReadingChoice, SpanDecision, in_roles
from ttm.parsers.learned.encoder.roles import OPERATIONS
from ttm.parsers.learned.encoder.schema_items import SchemaItem, SchemaItemKind, items_of
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.parsers.understanding import DialogueContext
from ttm.tabular.data.schema import FeatureKind, Schema

SEVERAL = -1.6  # log-probability from which a further value of the same column is meant as well
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
MOST_GROUPS = 5
PLURALS = frozenset("people them those these they ones men women children list top".split())
NO_PLURALS = frozenset("does has was is this less whats who's always perhaps his hers its yours".split())
SEVERAL_ROWS = frozenset({"those", "these", "both", "them", "they"})
LAST = frozenset({"last", "final", "bottom"})
JOINING = frozenset({"and", "or", "nor", ",", "/", "&", "+", "plus", "n", "as", "either"})
# A group that is only what another one leaves over: `smokers against the rest`.
REST = frozenset("not no without others other rest the those ones everyone everybody else all remaining remainder them".split())
SAYS_REST = frozenset("not without others other rest else remaining remainder".split())
ID_WORDS = frozenset("row rows id ids number numbers no nr case cases person people and or the #".split())
EXACT = frozenset({"is", "equal", "set", "not", "not equal"})


@dataclass
class Composition:
    """A reading put together; `problems` are questions that stay open, `used` the tokens that it rests on."""

    steps: list[Step] = field(default_factory=list)
    problems: list[OpenQuestion] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)

    @property
    def parse(self) -> Parse | None:
        return Parse(tuple(self.steps)) if self.steps else None


class Composer:
    """Composes readings about one data set; holds no state of a conversation."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.items = items_of(schema)
        self._conditions = ConditionMaker(SchemaGrounding(schema))

    def compose(self, decisions: Decisions, choice: ReadingChoice, context: DialogueContext) -> Composition:
        made, parts = Composition(), RowParts()
        decisions = in_roles(decisions, choice.roles)
        self._read_rows(decisions, choice, context, parts, made)
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

    # --- rows ------------------------------------------------------------------------------------------------------------

    def _read_rows(
        self, decisions: Decisions, choice: ReadingChoice, context: DialogueContext, parts: RowParts, made: Composition
    ) -> None:
        """Put each span where the chosen ingredients say it belongs.

        The same words (`aged 40`) pick rows, describe a made-up case or change one. The encoder tells roles of spans and
        ingredients of the whole; where the two disagree (a case span, but no case among the ingredients) the whole decides, as
        it saw more.
        """
        versus = "versus" in choice.ingredients
        compared = sum(span.role == "compared" for span in decisions.spans)
        as_change = "change" in choice.ingredients and "case" not in choice.ingredients
        as_case = "case" in choice.ingredients and "change" not in choice.ingredients and context.rows is None
        origins: list[SpanDecision] = []  # the span of each factor so far
        only_case = as_case and "where" not in choice.ingredients
        only_rows = "where" in choice.ingredients and not {"case", "change"} & choice.ingredients
        for number, span in enumerate(decisions.spans):
            if versus and span.role in ("condition", "compared") and is_rest(span):
                made.used |= set(range(span.start, span.end))
            elif only_case and span.role == "condition" and self._can_be_case(number, span, choice):
                self._read_case(number, span, choice, parts, made, to_case=True)
            elif span.role in ("condition", "compared") or (span.role == "case" and only_rows):
                alternatives = self._alternatives(number, span, choice, made)
                if alternatives:
                    grouped = versus and (span.role == "compared" or compared == 0)
                    (parts.groups if grouped else parts.factors).append(alternatives)
                    origins += [] if grouped else [span]
            elif span.role == "id":
                self._read_ids(decisions, span, parts, versus, made)
            elif span.role == "change" or (span.role == "case" and as_change):
                self._read_case(number, span, choice, parts, made, to_case=span.role == "change" and as_case)
            elif span.role == "case":
                self._read_case(number, span, choice, parts, made, to_case=True)
            elif span.role == "reference" and self._relation(number, span, choice) == "listed row":
                self._read_listed(span, context, parts, made)
        if "either" in choice.ingredients:
            parts.factors = self._either(decisions, origins, parts.factors)
        parts.factors = either_value(parts.factors)
        if {"label condition", "prediction condition"} <= choice.ingredients:
            parts.factors += self._mistaken(parts)
        self._arrange_groups(decisions, choice, context, parts)

    def _arrange_groups(self, decisions: Decisions, choice: ReadingChoice, context: DialogueContext, parts: RowParts) -> None:
        """Put groups beside each other: those of a column, of before, or the contrary of the only one."""
        versus = "versus" in choice.ingredients
        if versus and not parts.groups:
            parts.groups = self._by_column(decisions, choice)
        parts.set_apart()
        beside = earlier_groups(context.rows) if versus and "keep" in choice.ingredients else []
        if len(parts.groups) == 1 and beside:
            parts.take_beside(beside)
        elif len(parts.groups) == 1:
            parts.groups = self._with_contrary(parts, versus)
        elif len(parts.groups) > 1:
            parts.groups = self._distinct(parts.groups)

    def _either(self, decisions: Decisions, origins: Sequence[SpanDecision], factors: list[Alternatives]) -> list[Alternatives]:
        """Conditions on both sides of an "or" as alternatives: those next to it, or all, where each side has several."""
        if len(origins) < 2 or len(origins) != len(factors):
            return factors
        texts = [token.text for token in decisions.tokens]
        parted = [at for at in range(1, len(origins)) if "or" in texts[origins[at - 1].end : origins[at].start + 1]]
        if not parted:
            return factors
        if len(parted) == 1 and subjects_of(factors[parted[0] - 1]) == subjects_of(factors[parted[0]]):
            at = parted[0]
            return [*factors[: at - 1], [*factors[at - 1], *factors[at]], *factors[at + 1 :]]
        sides = [factors[start:end] for start, end in zip([0, *parted], [*parted, len(factors)], strict=True)]
        return [[part for side in sides for part in expression(side)]]

    def _mistaken(self, parts: RowParts) -> list[Alternatives]:
        """The other half of `false alarms`: what is said of one outcome, prediction or truth, is denied of the other."""
        stated = [one for part in parts.factors if len(part) == 1 and len(part[0]) == 1 for one in part[0]]
        outcomes = [one for one in stated if isinstance(one, LabelCondition | PredictionCondition) and one.comparator is None]
        if len(outcomes) != 1 or len(self.schema.target.classes) != 2:
            return []
        other = PredictionCondition if isinstance(outcomes[0], LabelCondition) else LabelCondition
        return [[(other(1 - int(outcomes[0].value)),)]]

    def _can_be_case(self, number: int, span: SpanDecision, choice: ReadingChoice) -> bool:
        """Whether a condition can be part of a made-up case: one value of a column."""
        item = self._item(number, span, choice)
        return item is not None and item.feature is not None and self._relation(number, span, choice) in EXACT

    def _item(self, number: int, span: SpanDecision, choice: ReadingChoice) -> SchemaItem | None:
        rank = choice.links.get(number, 0)
        return span.links[rank][0] if rank < len(span.links) else None

    def _relation(self, number: int, span: SpanDecision, choice: ReadingChoice) -> str:
        return span.relations[choice.relations.get(number, 0)][0] if span.relations else "is"

    def _alternatives(self, number: int, span: SpanDecision, choice: ReadingChoice, made: Composition) -> Alternatives:
        item, relation = self._item(number, span, choice), self._relation(number, span, choice)
        outcome = span.outcomes[choice.outcomes.get(number, 0)][0] if span.outcomes else "column"
        if item is None and span.role == "compared" and says_only_ids(span):
            made.used |= set(range(span.start, span.end))
            return [(IdCondition(token.text),) for token in span.numbers]
        if item is None:
            made.problems.append(OpenQuestion(span, f'What does "{span.text}" stand for?'))
            return []
        if item.kind is SchemaItemKind.CLASS and relation in DENIED and len(self.schema.target.classes) > 2:
            return self._other_classes(span, item, outcome, made)
        alternatives: Alternatives = []
        for one in [item, *self._further(number, span, item, choice)]:
            result = self._conditions.conditions(span, one, relation, outcome)
            if isinstance(result, OpenQuestion):
                made.problems.append(result)
                return []
            alternatives.append(tuple(result))
        made.used |= set(range(span.start, span.end))
        if relation in ("not", "not equal") and len(alternatives) > 1:
            return [tuple(one for part in alternatives for one in part)]
        return alternatives

    def _other_classes(self, span: SpanDecision, item: SchemaItem, outcome: str, made: Composition) -> Alternatives:
        """Any class but one, which the language says by naming the others."""
        kind = PredictionCondition if outcome == "prediction" else LabelCondition
        made.used |= set(range(span.start, span.end))
        return [(kind(number),) for number in range(len(self.schema.target.classes)) if number != item.class_number]

    def _further(self, number: int, span: SpanDecision, item: SchemaItem, choice: ReadingChoice) -> list[SchemaItem]:
        """Other values of the same column that the span names as well: `reds and whites`. All classes together are no group."""
        joined = any(token.text in JOINING for token in span.tokens[1:-1])
        if number in choice.links or item.kind not in (SchemaItemKind.VALUE, SchemaItemKind.CLASS) or not joined:
            return []
        others = [
            other
            for other, score in span.links[1:4]
            if other is not None and other.kind is item.kind and other.feature is item.feature and score > SEVERAL
        ]
        is_everything = item.kind is SchemaItemKind.CLASS and len(others) + 1 == len(self.schema.target.classes)
        return [] if is_everything else others

    def _read_ids(self, decisions: Decisions, span: SpanDecision, parts: RowParts, versus: bool, made: Composition) -> None:
        texts = [token.text for token in span.tokens if token.kind is TokenKind.NUMBER or token.form == "code"]
        if not texts and not any(one.numbers for one in decisions.of_role("id")):
            texts = [token.text for token in span.tokens if token.kind is TokenKind.WORD][-1:]
        if not texts:
            return
        alternatives: Alternatives = [(IdCondition(text),) for text in dict.fromkeys(texts)]
        made.used |= set(range(span.start, span.end))
        if versus:
            parts.groups += [[one] for one in alternatives]
        else:
            parts.factors.append(alternatives)

    def _read_listed(self, span: SpanDecision, context: DialogueContext, parts: RowParts, made: Composition) -> None:
        """`the second one`: a row of the list that was shown."""
        shown = context.listed
        if (
            SEVERAL_ROWS & set(span.words)
            and context.rows is not None
            and not any(one.form == "ordinal" for one in span.numbers)
        ):
            parts.factors.append([(PreviousFilter(),)])
            return
        ordinals = [int(token.value) for token in span.numbers if token.form == "ordinal"]
        numbers = ordinals or [int(token.value) for token in span.numbers if token.value <= len(shown)]
        if LAST & set(span.words):
            numbers = [len(shown)]
        numbers = numbers or [1]
        ids = [shown[number - 1] for number in numbers if 0 < number <= len(shown)]
        if not ids:
            made.problems.append(OpenQuestion(span, f'Which row is "{span.text}"? Give its id.'))
            return
        made.used |= set(range(span.start, span.end))
        parts.factors.append([(IdCondition(str(one)),) for one in ids])

    def _read_case(
        self, number: int, span: SpanDecision, choice: ReadingChoice, parts: RowParts, made: Composition, to_case: bool
    ) -> None:
        item, relation = self._item(number, span, choice), self._relation(number, span, choice)
        if item is None:
            made.problems.append(OpenQuestion(span, f'Which column does "{span.text}" belong to?'))
            return
        if to_case:
            assignment = self._conditions.assignment(span, item, relation)
            if isinstance(assignment, OpenQuestion):
                made.problems.append(assignment)
                return
            parts.case[assignment[0]] = assignment[1]
        else:
            change = self._conditions.change(span, item, relation)
            if isinstance(change, OpenQuestion):
                made.problems.append(change)
                return
            parts.changes.append(change)
        made.used |= set(range(span.start, span.end))

    def _with_contrary(self, parts: RowParts, versus: bool) -> list[Alternatives]:
        """One group beside another: the rest, where a single condition has a contrary."""
        from ttm.parsers.learned.composition.contrary import contrary

        group = parts.groups[0]
        if len(group) > 1 and all(len(one) == 1 for one in group):
            return [[one] for one in group]
        other = contrary(group[0][0], self.schema) if len(group) == 1 and len(group[0]) == 1 else None
        if other is not None:
            return [group, [(other,)]]
        parts.factors.append(group)
        return []

    def _by_column(self, decisions: Decisions, choice: ReadingChoice) -> list[Alternatives]:
        """`accuracy per region`: a group for each value of the first column of few values that is named."""
        for number, span in enumerate(decisions.spans):
            item = self._item(number, span, choice) if span.role in ("argument", "compared") else None
            feature = item.feature if item is not None and item.kind is SchemaItemKind.COLUMN else None
            if feature is not None and feature.kind is FeatureKind.BOOLEAN:
                return [[(CategoricalCondition(feature.token, value),)] for value in ("true", "false")]
            if feature is not None and feature.kind is FeatureKind.CATEGORICAL and len(feature.values) <= MOST_GROUPS:
                return [[(CategoricalCondition(feature.token, feature.value_token(one)),)] for one in feature.values]
        return []

    def _distinct(self, groups: list[Alternatives]) -> list[Alternatives]:
        """Groups side by side that came out the same: the second is the contrary of the first, `black and white`."""
        from ttm.parsers.learned.composition.contrary import contrary

        distinct: list[Alternatives] = []
        for group in groups:
            single = group[0][0] if len(group) == 1 and len(group[0]) == 1 else None
            other = contrary(single, self.schema) if group in distinct and single is not None else None
            group = [(other,)] if other is not None else group
            if group not in distinct:
                distinct.append(group)
        return distinct

    def _wanted(self, decisions: Decisions, made: Composition) -> tuple[Comparator, float] | None:
        """The amount that the prediction should reach, where the message compares the only number that is left: `under 80`."""
        numbers = _unclaimed(decisions, made) or [one for span in decisions.of_role("argument") for one in span.numbers]
        relation = said_relation(decisions.tokens) if len(numbers) == 1 else None
        if relation not in ("greater", "less", "at least", "at most"):
            return None
        made.used |= {at for at, token in enumerate(decisions.tokens) if token in numbers}
        return COMPARATORS[relation], in_unit(numbers[0].value, self.schema.target.low, self.schema.target.high)

    # --- arguments -------------------------------------------------------------------------------------------------------

    def _arguments(self, decisions: Decisions, choice: ReadingChoice, context: DialogueContext, made: Composition) -> Arguments:
        """What operations take: columns, classes, counts, a goal, a threshold.

        They are gathered for the message and not for each operation, since people name them once for several (`top 5 by age and
        income`); `make_operation` takes what fits.
        """
        items: list[SchemaItem] = []
        classes: list[int] = []
        counts: list[int] = []
        wanted: tuple[Comparator, float] | None = None
        share: float | None = None
        for number, span in enumerate(decisions.spans):
            item = self._item(number, span, choice)
            if span.role == "count":
                counts += _counts(span)
            elif span.role == "class" or (span.role == "argument" and item is not None and item.kind is SchemaItemKind.CLASS):
                if item is not None and item.class_number is not None:
                    classes.append(item.class_number)
                if span.numbers and not self.schema.target.is_classification:
                    relation = self._relation(number, span, choice)
                    wanted = (COMPARATORS.get(relation, Comparator.GREATER), span.numbers[0].value)
            elif span.role == "argument":
                items += [item] if item is not None else []
                share = _first_share(span.numbers) if share is None and "threshold" in choice.ingredients else share
            else:
                continue
            made.used |= set(range(span.start, span.end))
        if share is None and "threshold" in choice.ingredients:
            share = _first_share([token for token in decisions.tokens if token.kind is TokenKind.NUMBER])
        if wanted is None and "counterfactual" in choice.ingredients and not self.schema.target.is_classification:
            wanted = self._wanted(decisions, made)
        earlier = items_of_operations(context.operations, self.items)
        counted = tuple(one.count for one in context.operations if isinstance(one, Ranked))
        shown = SHOWN if speaks_of_several(decisions.tokens) else 1
        return Arguments(tuple(items), tuple(classes), wanted, tuple(counts), share, earlier, counted, shown)


def says_only_ids(span: SpanDecision) -> bool:
    """Whether a span has numbers and no words but those that announce an id: `300`, `row 5`."""
    return bool(span.numbers) and {token.text for token in span.tokens if token not in span.numbers} <= ID_WORDS


def is_rest(span: SpanDecision) -> bool:
    """Whether a span only names what another group leaves over."""
    words = {token.text for token in span.tokens}
    return words <= REST and bool(words & SAYS_REST)


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
