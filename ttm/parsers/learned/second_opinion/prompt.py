"""What the language model reads: the data set, the turn before, and the message. It was trained on exactly this form."""

from ttm.language.parse import surface
from ttm.parsers.understanding import DialogueContext
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

MOST_VALUES = 6  # of a column
MOST_NAMES = 2  # beside that of the language
MOST_BEFORE, MOST_LETTERS = 160, 400  # of the message or question before, and of the message


def schema_text(schema: Schema) -> str:
    """The columns with ranges, values and other names, and the target with its classes."""
    target = schema.target
    classes = ", ".join(f"{at} {name}" for at, name in enumerate(target.classes)) if target.is_classification else "a number"
    return f"{'; '.join(map(_column_text, schema.features))}\nTarget {target.name}: {classes}\n"


def _column_text(feature: Feature) -> str:
    text = feature.token
    if feature.kind is FeatureKind.NUMERIC and feature.low is not None:
        text += f" {feature.low:g} to {feature.high:g}"
    elif feature.kind is FeatureKind.DATE:
        text += " date"
    elif feature.values:
        values = " | ".join(feature.value_token(value) for value in feature.values[:MOST_VALUES])
        text += f": {values}{' ...' if len(feature.values) > MOST_VALUES else ''}"
    others = [name for name in (feature.label, *feature.synonyms[:MOST_NAMES]) if _is_other(name, feature.token)]
    return f"{text} ({', '.join(others[:MOST_NAMES])})" if others else text


def _is_other(name: str, token: str) -> bool:
    return token.lower() not in (name.lower(), name.lower().replace(" ", "_"))


def state_text(context: DialogueContext) -> str:
    """The message before and its parse, the rows that it left, and a question that is open."""
    text = f"Before: {_short(context.utterance, MOST_BEFORE)}\n" if context.utterance else ""
    if context.parse is not None:
        text += f"Read: {context.parse}\n"
    rows = context.rows
    if rows is not None:
        case = () if rows.instance is None else (rows.instance,)
        parts = [surface(one) for one in (*rows.conditions, *rows.changes, *case)]
        text += f"Rows: {', '.join(parts)}\n" if parts else ""
    return text + (f"Asked: {context.question[:MOST_BEFORE]}\n" if context.question else "")


def message_text(utterance: str) -> str:
    return f"Say: {_short(utterance, MOST_LETTERS)}\nRead:"


def _short(text: str, most: int) -> str:
    return " ".join(text.split())[:most]
