"""All rows as points by two columns, coloured by what is true, predicted or wrong. Ours."""

from dataclasses import dataclass

from ttm.language.describe_group import feature_words
from ttm.language.operation_form import OperationForm, OperationNode, OperationRule, word
from ttm.tabular.data.schema import Schema

COLOURS = ("label", "prediction", "error")
COLOUR_WORDS = {"label": "the true outcome", "prediction": "the prediction", "error": "where the prediction is wrong"}


@dataclass(frozen=True)
class Scatter(OperationNode):
    """`scatter age bmi`, `scatter age probability by error`: each row as a point, the first column across and the second up.

    A column is a feature token, "target" or "probability" for the model's output. `by` is one of COLOURS; without it, points
    are coloured by their true outcome, or by the prediction where none is known.
    """

    across: str
    up: str
    by: str | None = None


def _surface(step: Scatter) -> str:
    return f"scatter {step.across} {step.up}{f' by {step.by}' if step.by else ''}"


def _words(step: Scatter, schema: Schema) -> str:
    coloured = f", coloured by {COLOUR_WORDS[step.by]}" if step.by else ""
    return f"all rows as points, {feature_words(step.up, schema)} against {feature_words(step.across, schema)}{coloured}"


COLUMN = "(feature_or_target | PROBABILITY)"

FORMS = (
    OperationForm(
        Scatter,
        rules={
            "scatter": OperationRule(
                f'"scatter " {COLUMN} {COLUMN} ("by " POINT_COLOUR)?', lambda children: Scatter(*map(word, children))
            )
        },
        terminals=lambda schema: {"POINT_COLOUR": " | ".join(f'"{colour} "' for colour in COLOURS)},
        surface=_surface,
        words=_words,
        shapes=(),  # no templates: it is reached from the screen and by its code; "plot A against B" asks for `regress`
        examples=lambda names: {"Data: rows as points": f"scatter {names.some} probability"},
    ),
)
