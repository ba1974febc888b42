"""Correcting how a question was understood, step by step: replace, delete or insert a filter or an operation."""

from dataclasses import dataclass, replace

from backend.errors import ParseError
from ttm.language.describe_parse import condition_words, operation_words, parse_words
from ttm.language.grammar import grammar_of
from ttm.language.operation_form import example_names
from ttm.language.operations.registry import FORMS
from ttm.language.parse import Condition, Joiner, Parse, text_of
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

Item = tuple[Joiner, str]
MOVE = "Put it before the step that it is meant for."


@dataclass(frozen=True)
class CorrectionDraft:
    """The parse of turn `number` while it is being corrected; `selected` is the place of a step, None when there are none."""

    number: int
    items: tuple[Item, ...]
    selected: int | None = None

    @property
    def text(self) -> str:
        return text_of(list(self.items))

    def at(self, index: int) -> "CorrectionDraft":
        """The same draft with another step selected."""
        return replace(self, selected=index)


def begin(number: int, parse: Parse | None) -> CorrectionDraft:
    items = tuple(parse.items()) if parse is not None else ()
    return CorrectionDraft(number, items, 0 if items else None)


def replace_step(draft: CorrectionDraft, joiner: Joiner, text: str) -> CorrectionDraft:
    """Put `text` in the place of the selected step, or make it the first step."""
    if draft.selected is None:
        return insert_step(draft, joiner, text)
    items = list(draft.items)
    items[draft.selected] = (joiner, _one(text))
    return replace(draft, items=tuple(items))


def insert_step(draft: CorrectionDraft, joiner: Joiner, text: str, before: bool = False) -> CorrectionDraft:
    """Put `text` after the selected step, or before it, and select it."""
    index = 0 if draft.selected is None else draft.selected + (not before)
    items = [*draft.items[:index], (joiner, _one(text)), *draft.items[index:]]
    return replace(draft, items=tuple(items), selected=index)


def delete_step(draft: CorrectionDraft) -> CorrectionDraft:
    """Take the selected step away."""
    if draft.selected is None:
        return draft
    items = [*draft.items[: draft.selected], *draft.items[draft.selected + 1 :]]
    return replace(draft, items=tuple(items), selected=min(draft.selected, len(items) - 1) if items else None)


def reworded(draft: CorrectionDraft, parse: Parse, words: str) -> CorrectionDraft:
    """The draft as `parse` says, which is how `words` were understood after it: what it refers back to is written out.

    Where it names rows only, the operations of the draft stay; after "only", its conditions on other features stay as well.
    """
    rows, operations = _split(draft.items)
    items: list[Item] = []
    for joiner, text in parse.items():
        meant = {"previousfilter": rows, "previousoperation": operations}.get(text, ((joiner, text),))
        items += [(joiner, meant[0][1]), *meant[1:]] if meant else []
    if not _split(tuple(items))[1]:
        items += operations
    if words.lower().split()[:1] in (["only"], ["just"]):
        about = {_subject(text) for _, text in _split(tuple(items))[0]}
        items = [item for item in rows if _subject(item[1]) not in about] + items
    earlier = [{text for _, text in items[:index]} for index in range(len(items))]
    once = [item for item, before in zip(items, earlier, strict=True) if _chooses_rows(item[1]) or item[1] not in before]
    return CorrectionDraft(draft.number, tuple(once), 0 if once else None)


def _split(items: tuple[Item, ...]) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """The items that choose rows, and the others."""
    chosen = tuple(item for item in items if _chooses_rows(item[1]))
    return chosen, tuple(item for item in items if item not in chosen)


def _subject(text: str) -> str:
    """What a condition is on: a feature, or the prediction."""
    words = text.split()
    return words[1] if words[0] == "filter" and len(words) > 1 else words[0]


def _chooses_rows(text: str) -> bool:
    return text.split()[0].endswith("filter") or text.startswith("instance ")


def _one(text: str) -> str:
    return " ".join(text.lower().removesuffix("[e]").split())


def check(draft: CorrectionDraft, schema: Schema) -> tuple[str, bool]:
    """What the draft would mean in words, or what is wrong with it; and whether it is valid."""
    try:
        parse = grammar_of(schema).read(draft.text)
    except ParseError as error:
        return error.message, False
    idle = _idle(parse)
    if idle:
        return f"Nothing would be done with “{step_words(idle, schema)}”: it stands after all that is computed. {MOVE}", False
    return parse_words(parse, schema), True


def _idle(parse: Parse) -> str:
    """The first step after the last operation, if there is any operation: no result comes of it."""
    items = parse.items()
    computing = [index for index, (_, text) in enumerate(items) if not _chooses_rows(text) and not text.startswith("change ")]
    rest = items[computing[-1] + 1 :] if computing else []
    return rest[0][1] if rest else ""


def step_words(text: str, schema: Schema) -> str:
    """One step in words, or its own text while it is not valid."""
    parse = grammar_of(schema).read_if_valid(text)
    if parse is None or len(parse.items()) != 1:
        return text
    step = parse.steps[0]
    groups = getattr(step, "groups", None)
    if groups is None:
        return operation_words(step, schema)  # type: ignore[arg-type]
    condition: Condition = groups[0][0][0]
    return f"only those {condition_words(condition, schema)}"


def templates(schema: Schema) -> dict[str, str]:
    """Steps to choose from: what each does, and its text with the data set's own names to start from."""
    numeric, named, flag = (
        _first(schema, kind) for kind in (FeatureKind.NUMERIC, FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN)
    )
    texts = {"Keep rows: one by its id": "filter id 1", "Keep rows: the group before": "previousfilter"}
    if numeric:
        texts["Keep rows: a number"] = f"filter {numeric.token} greater than {_middle(numeric)}"
        texts["What if: a number"] = f"change {numeric.token} increase {_step(numeric)}"
        texts["A made-up case"] = f"instance {numeric.token} {_middle(numeric)}"
    for feature in (named, flag):
        if feature:
            value = feature.value_token(feature.values[-1])
            kind = "a name" if feature is named else "yes or no"
            texts[f"Keep rows: {kind}"] = f"filter {feature.token} {value}"
            texts[f"What if: {kind}"] = f"change {feature.token} {value}"
    if schema.target.is_classification:
        texts["Keep rows: by predicted class"] = "predictionfilter 1"
        texts["Keep rows: by true class"] = "labelfilter 1"
        texts["Keep rows: by probability"] = "probabilityfilter 1 greater than 0.7"
    names = example_names(schema)
    return texts | {label: text for form in FORMS.values() for label, text in form.examples(names).items()}


def _first(schema: Schema, kind: FeatureKind) -> Feature | None:
    return next((feature for feature in schema.features if feature.kind is kind), None)


def _middle(feature: Feature) -> str:
    low, high = feature.low or 0.0, feature.high or 1.0
    return f"{(low + high) / 2:.{feature.precision}f}"


def _step(feature: Feature) -> str:
    low, high = feature.low or 0.0, feature.high or 1.0
    return f"{max((high - low) / 10, 10.0**-feature.precision):.{feature.precision}f}"
