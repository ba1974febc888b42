"""A word that stands for several columns at once: `race`, where each race is a yes/no column of its own.

A figure by such a word sets the rows of its columns side by side; of other operations each column is offered.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ttm.language.operations.breakdowns import CountBy, ScoreBy, StatisticBy
from ttm.language.parse import CategoricalCondition, CountData, Instance, Parse, Score, Selection, Statistic, Step
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import UtteranceToken
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

NAMED = 0.95  # share of a name from which one column is meant
FEWEST = 3  # columns that a word has to be about


@dataclass(frozen=True)
class SharedName:
    """A mention that names a part of one column only, and the columns that are defined by the same word."""

    mention: SchemaMention
    columns: tuple[Feature, ...]

    @property
    def taken_for(self) -> str:
        """The token of the column that the mention was linked to."""
        feature = self.mention.name.feature
        return "" if feature is None else feature.token

    def mentions_of(self, mentions: Sequence[SchemaMention], column: Feature) -> list[SchemaMention]:
        """The mentions of a message as if it had named this column."""
        own = replace(self.mention, names=(replace(self.mention.name, feature=column),), coverage=1.0)
        return [own if mention is self.mention else mention for mention in mentions]


def shared_name(tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], schema: Schema) -> SharedName | None:
    """The first word of a message that is about several yes/no columns and names none of them in full, or None."""
    booleans = [feature for feature in schema.features if feature.kind is FeatureKind.BOOLEAN]
    for mention in mentions:
        feature = mention.name.feature
        if feature not in booleans or mention.coverage >= NAMED or mention.end - mention.start > 1:
            continue
        word = tokens[mention.start].text
        columns = tuple(one for one in booleans if word in re.findall(r"\w+", one.definition.lower()))
        if len(columns) >= FEWEST and feature in columns:
            return SharedName(mention, columns)
    return None


def side_by_side(parse: Parse, columns: Sequence[Feature]) -> Parse | None:
    """A figure by one column (the last step) as one of the rows of each column, side by side; None where there is none."""
    rows, operation = list(parse.steps[:-1]), _of_groups(parse.steps[-1])
    if operation is None or len(rows) > 1 or any(isinstance(step, Instance) for step in rows):
        return None
    first = rows[0] if rows else Selection((((),),))
    if not isinstance(first, Selection) or len(first.groups) > 1 or len(first.groups[0]) > 1:
        return None
    conditions = first.groups[0][0]
    groups = tuple(((*conditions, CategoricalCondition(column.token, "true")),) for column in columns)
    return Parse((replace(first, groups=groups), operation))


def _of_groups(step: Step) -> Step | None:
    """The operation that a figure by a column is for each of its groups."""
    match step:
        case ScoreBy():
            return Score(step.metric)
        case StatisticBy():
            return Statistic(step.feature)
        case CountBy(across=None):
            return CountData()
        case _:
            return None
