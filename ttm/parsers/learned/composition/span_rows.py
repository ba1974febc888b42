"""From spans to rows: conditions, ids, groups side by side, changes and made-up cases."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ttm.language.contrary import contrary
from ttm.language.parse import (
    CategoricalCondition,
    IdCondition,
    LabelCondition,
    Parse,
    PredictionCondition,
    PreviousFilter,
    Step,
)
from ttm.parsers.learned.composition.conditions import DENIED, ConditionMaker, OpenQuestion
from ttm.parsers.learned.composition.contradictions import either_value
from ttm.parsers.learned.composition.rows_of_reading import (
    Alternatives,
    RowParts,
    earlier_groups,
    expression,
    subjects_of,
)
from ttm.parsers.learned.decisions.span_decisions import Decisions, ReadingChoice, SpanDecision
from ttm.parsers.learned.encoder.schema_items import SchemaItem, SchemaItemKind
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding
from ttm.parsers.linker.words.tokens import TokenKind
from ttm.parsers.understanding import DialogueContext
from ttm.tabular.data.schema import FeatureKind, Schema

SEVERAL = -1.6  # log-probability from which a further value of the same column is meant as well
MOST_GROUPS = 5
SEVERAL_ROWS = frozenset({"those", "these", "both", "them", "they"})
LAST = frozenset({"last", "final", "bottom"})
JOINING = frozenset({"and", "or", "nor", ",", "/", "&", "+", "plus", "n", "as", "either"})
# A group that is only what another one leaves over: `smokers against the rest`.
REST = frozenset("not no without others other rest the those ones everyone everybody else all remaining remainder them".split())
SAYS_REST = frozenset("not without others other rest else remaining remainder".split())
ID_WORDS = frozenset(
    "row rows id ids number numbers no nr case cases person people patient patients instance record sample customer client "
    "point data and or the #".split()
)
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


class RowComposer:
    """Composes the rows of readings about one data set."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._conditions = ConditionMaker(SchemaGrounding(schema))

    def read(
        self, decisions: Decisions, choice: ReadingChoice, context: DialogueContext, parts: RowParts, made: Composition
    ) -> None:
        """Put each span where the chosen ingredients say it belongs.

        The same words (`aged 40`) pick rows, describe a made-up case or change one. The encoder tells roles of spans and
        ingredients of the whole; where the two disagree (a case span, but no case among the ingredients) the whole decides, as
        it saw more.
        """
        versus = "versus" in choice.ingredients
        compared = sum(span.role == "compared" for span in decisions.spans)
        origins: list[SpanDecision] = []  # the span of each factor so far
        only_case = context.rows is None and {"case", "change", "where"} & choice.ingredients == {"case"}
        for number, span in enumerate(decisions.spans):
            role = _part_of(span, choice.ingredients, context)
            if versus and span.role in ("condition", "compared") and is_rest(span):
                made.used |= set(range(span.start, span.end))
            elif only_case and span.role == "condition" and self._can_be_case(number, span, choice):
                self._read_case(number, span, choice, parts, made, to_case=True)
            elif role in ("condition", "compared"):
                alternatives = self._alternatives(number, span, choice, made)
                if alternatives and versus and (role == "compared" or compared == 0):
                    parts.groups.append(alternatives)
                elif alternatives:
                    parts.factors.append(alternatives)
                    origins.append(span)
            elif span.role == "id":
                self._read_ids(decisions, span, parts, versus, made)
            elif role in ("case", "change"):
                self._read_case(number, span, choice, parts, made, to_case=role == "case")
            elif span.role == "reference" and choice.relation(number, span) == "listed row":
                self._read_listed(span, context, parts, made)
        self._arrange_factors(decisions, origins, choice, parts)
        self._arrange_groups(decisions, choice, context, parts)

    def _arrange_factors(
        self, decisions: Decisions, origins: Sequence[SpanDecision], choice: ReadingChoice, parts: RowParts
    ) -> None:
        """Turn conditions that cannot all hold, or that an "or" joins, into alternatives."""
        if "either" in choice.ingredients:
            parts.factors = self._either(decisions, origins, parts.factors)
        parts.factors = either_value(parts.factors)
        if {"label condition", "prediction condition"} <= choice.ingredients:
            parts.factors += self._mistaken(parts)

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
        item = choice.item(number, span)
        return item is not None and item.feature is not None and choice.relation(number, span) in EXACT

    def _alternatives(self, number: int, span: SpanDecision, choice: ReadingChoice, made: Composition) -> Alternatives:
        item, relation = choice.item(number, span), choice.relation(number, span)
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
            words = [token.text for token in span.tokens if token.kind is TokenKind.WORD][-1:]
            texts = [word for word in words if word not in ID_WORDS]  # "in patient 49's case" names no row "patient"
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
        item, relation = choice.item(number, span), choice.relation(number, span)
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
            # "When loan duration is increased by 6 months" may be two spans: the amount of the one is that of the other.
            made.problems = [one for one in made.problems if one.span.role != "change" or not _is_about(one.span, item)]
        made.used |= set(range(span.start, span.end))

    def _with_contrary(self, parts: RowParts, versus: bool) -> list[Alternatives]:
        """One group beside another: the rest, where a single condition has a contrary."""
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
            item = choice.item(number, span) if span.role in ("argument", "compared") else None
            feature = item.feature if item is not None and item.kind is SchemaItemKind.COLUMN else None
            if feature is not None and feature.kind is FeatureKind.BOOLEAN:
                return [[(CategoricalCondition(feature.token, value),)] for value in ("true", "false")]
            if feature is not None and feature.kind is FeatureKind.CATEGORICAL and len(feature.values) <= MOST_GROUPS:
                return [[(CategoricalCondition(feature.token, feature.value_token(one)),)] for one in feature.values]
        return []

    def _distinct(self, groups: list[Alternatives]) -> list[Alternatives]:
        """Groups side by side that came out the same: the second is the contrary of the first, `black and white`."""
        distinct: list[Alternatives] = []
        for group in groups:
            single = group[0][0] if len(group) == 1 and len(group[0]) == 1 else None
            other = contrary(single, self.schema) if group in distinct and single is not None else None
            group = [(other,)] if other is not None else group
            if group not in distinct:
                distinct.append(group)
        return distinct


def _part_of(span: SpanDecision, ingredients: frozenset[str], context: DialogueContext) -> str:
    """What a span is part of: its role, or what the whole asks for, where that has no use for such a role."""
    asked = ingredients & {"case", "change", "where"}
    if span.role == "case" and asked == {"where"}:
        return "condition"
    if span.role == "case" and asked & {"case", "change"} == {"change"}:
        return "change"
    if span.role == "change" and asked & {"case", "change"} == {"case"} and context.rows is None:
        return "case"
    return span.role


def says_only_ids(span: SpanDecision) -> bool:
    """Whether a span has numbers and no words but those that announce an id: `300`, `row 5`."""
    return bool(span.numbers) and {token.text for token in span.tokens if token not in span.numbers} <= ID_WORDS


def is_rest(span: SpanDecision) -> bool:
    """Whether a span only names what another group leaves over."""
    words = {token.text for token in span.tokens}
    return words <= REST and bool(words & SAYS_REST)


def _is_about(span: SpanDecision, item: SchemaItem) -> bool:
    """Whether a span most likely means an item."""
    return bool(span.links) and span.links[0][0] == item
