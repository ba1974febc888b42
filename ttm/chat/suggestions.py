"""Questions to propose: fresh ones by category, a few to begin with, and what one may want to know after an answer.

A proposed question comes with the parse that it stands for, so it is always valid for the data set at hand. The wordings
lie in `suggestions.toml`.

Source: TalkToModel, appendix C.1 (help with generating a question of a category).
"""

import random
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from backend.errors import DatasetError
from backend.text.words import capitalised
from ttm.language.describe_parse import parse_words
from ttm.language.grammar import grammar_of
from ttm.language.parse import Instance, Parse, PreviousFilter, Selection, number_text, surface
from ttm.tabular.data.dataset import Dataset
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

QUESTIONS_FILE = Path(__file__).with_name("suggestions.toml")
STARTERS = "starters"
NEXT = "next"  # in the file, what may be asked after an answer
NEXT_AT_MOST = 3
LONGEST_GROUP = 48
THE_GROUP_BEFORE = "the group before"


@dataclass(frozen=True)
class SuggestedQuestion:
    """A question in words, and the parse (surface) that it stands for."""

    utterance: str
    parse: str


class SuggestionWording(BaseModel):
    """One question of `suggestions.toml`; `positive` fills `{class}` with the class that likelihoods speak of."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ask: str
    parse: str
    only: Literal["classification", "regression"] | None = None
    labels: bool = False
    positive: bool = False


class Category(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    questions: tuple[SuggestionWording, ...]


@lru_cache(maxsize=1)
def _categories() -> dict[str, Category]:
    content = tomllib.loads(QUESTIONS_FILE.read_text("utf-8"))
    return {name: Category.model_validate(category) for name, category in content.items() if name != NEXT}


def category_titles() -> dict[str, str]:
    """All categories of questions with their titles, whatever the data set."""
    return {name: category.title for name, category in _categories().items() if name != STARTERS}


def categories(dataset: Dataset) -> dict[str, str]:
    """The categories that have a question for this data set, with their titles."""
    return {
        name: category.title
        for name, category in _categories().items()
        if name != STARTERS and any(_fits(wording, dataset) for wording in category.questions)
    }


def fresh_question(category: str, dataset: Dataset, random_: random.Random) -> SuggestedQuestion:
    """A question of a category with gaps filled at random. Raises DatasetError for an unknown category."""
    known = categories(dataset)
    if category not in known:
        raise DatasetError(f"There is no category {category!r} of questions; there are {', '.join(known)}.")
    fitting = [wording for wording in _categories()[category].questions if _fits(wording, dataset)]
    return _filled(random_.choice(fitting), dataset, random_)


def starters(dataset: Dataset, random_: random.Random, count: int = 3) -> list[SuggestedQuestion]:
    """What a newcomer may ask first."""
    fitting = [wording for wording in _categories()[STARTERS].questions if _fits(wording, dataset)]
    return [_filled(wording, dataset, random_) for wording in fitting[:count]]


def next_questions(
    parses: Iterable[str], schema: Schema, asked: Iterable[str] = (), before: str = ""
) -> list[SuggestedQuestion]:
    """At most three parses, as an answer proposes them, in words; none that was just asked.

    `before` are the words for the group that the answer spoke of; a long group is called "the group before".
    """
    questions: dict[str, SuggestedQuestion] = {}
    seen = set(asked)
    for text in parses:
        parse = grammar_of(schema).read_if_valid(text)  # None for a group that cannot be written down; there are others
        if parse is not None and parse.steps and str(parse) not in seen:
            words = _as_asked(parse, schema) or as_request(parse_words(parse, schema))
            if 0 < len(before) <= LONGEST_GROUP:
                words = words.replace(THE_GROUP_BEFORE, before)
            questions.setdefault(words, SuggestedQuestion(words, str(parse)))
    return list(questions.values())[:NEXT_AT_MOST]


def _as_asked(parse: Parse, schema: Schema) -> str:
    """A question for an operation on all rows or on those before, in the words of people; "" where there are none for it."""
    *rows, step = parse.steps
    of_before = (Selection((((PreviousFilter(),),),)),)
    if isinstance(step, Selection | Instance) or tuple(rows) not in ((), of_before):
        return ""
    asked, feature = surface(step), ""
    for token in asked.split():
        if token in schema.by_token:
            asked, feature = asked.replace(f" {token}", " {feature}"), schema.by_token[token].label
    about = f" for {THE_GROUP_BEFORE}" if rows else ""
    return _next_wordings().get(asked, "").replace("{rows}", about).replace("{feature}", feature)


@lru_cache(maxsize=1)
def _next_wordings() -> dict[str, str]:
    content = tomllib.loads(QUESTIONS_FILE.read_text("utf-8"))
    return {str(operation): str(words) for operation, words in content[NEXT].items()}


def as_request(words: str) -> str:
    """ "You asked: the predictions for people ..." as it can stand on a button: "The predictions for people ..."."""
    return capitalised(words.removeprefix("You asked: ").rstrip("."))


# --- filling gaps --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Filling:
    """What goes into a gap: as people say it and as the parse language writes it."""

    words: str
    surface: str


def _gaps(wording: SuggestionWording) -> set[str]:
    return set(re.findall(r"{(\w+)}", wording.ask + wording.parse))


def _fits(wording: SuggestionWording, dataset: Dataset) -> bool:
    target = dataset.schema.target
    if wording.only is not None and target.is_classification != (wording.only == "classification"):
        return False
    if wording.labels and dataset.labels is None:
        return False
    kinds = {feature.kind for feature in dataset.schema.features}
    needs = {"number": FeatureKind.NUMERIC, "category": FeatureKind.CATEGORICAL, "flag": FeatureKind.BOOLEAN}
    lacking = any(gap in _gaps(wording) and kind not in kinds for gap, kind in needs.items())
    return not lacking and not ("other" in _gaps(wording) and len(dataset.schema.features) < 2)


def _filled(wording: SuggestionWording, dataset: Dataset, random_: random.Random) -> SuggestedQuestion:
    fillings = _fillings(wording, dataset, random_)
    ask = wording.ask.format_map({gap: filling.words for gap, filling in fillings.items()})
    parse = wording.parse.format_map({gap: filling.surface for gap, filling in fillings.items()})
    return SuggestedQuestion(ask, str(grammar_of(dataset.schema).read(parse)))


def _fillings(wording: SuggestionWording, dataset: Dataset, random_: random.Random) -> dict[str, _Filling]:
    gaps, schema = _gaps(wording), dataset.schema
    fillings = {"entity": _Filling(schema.entity, schema.entity), "count": _same(str(random_.randint(3, 8)))}
    features = list(schema.features)
    random_.shuffle(features)
    fillings |= {gap: _named(feature) for gap, feature in zip(("feature", "other"), features, strict=False)}
    if "id" in gaps:
        fillings["id"] = _id(random_.choice(dataset.frame.index.tolist()))
    if gaps & {"number", "value", "step"}:
        fillings |= _numeric(_of(features, FeatureKind.NUMERIC), dataset, random_)
    if gaps & {"category", "choice"}:
        fillings |= _categorical(_of(features, FeatureKind.CATEGORICAL), random_)
    if "flag" in gaps:
        fillings["flag"] = _named(_of(features, FeatureKind.BOOLEAN))
    if "class" in gaps:
        number = schema.target.positive if wording.positive else random_.randrange(len(schema.target.classes))
        fillings["class"] = _Filling(f'"{schema.target.classes[number]}"', str(number))
    return fillings


def _of(features: list[Feature], kind: FeatureKind) -> Feature:
    return next(feature for feature in features if feature.kind is kind)


def _named(feature: Feature) -> _Filling:
    return _Filling(feature.label, feature.token)


def _same(text: str) -> _Filling:
    return _Filling(text, text)


def _id(value: Any) -> _Filling:
    text = str(value)
    return _same(f'"{text}"' if " " in text else text)


def _numeric(feature: Feature, dataset: Dataset, random_: random.Random) -> dict[str, _Filling]:
    """A feature with a value strictly inside its range, so that groups on both sides of it have rows."""
    column = dataset.frame[feature.name].dropna()
    low, high = (float(column.quantile(share)) for share in (0.25, 0.75)) if len(column) else (0.0, 1.0)
    value = _rounded(random_.uniform(low, high), feature)
    step = max(_rounded((high - low) / random_.choice((2, 4)), feature), 10.0**-feature.precision)
    return {"number": _named(feature), "value": _same(number_text(value)), "step": _same(number_text(step))}


def _rounded(value: float, feature: Feature) -> float:
    return float(round(value, feature.precision))


def _categorical(feature: Feature, random_: random.Random) -> dict[str, _Filling]:
    value = random_.choice(feature.values)
    return {"category": _named(feature), "choice": _Filling(str(value), feature.value_token(value))}
