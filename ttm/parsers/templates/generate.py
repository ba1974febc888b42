"""Training pairs from templates: wildcards are enumerated recursively, lazily, and so that no template dominates.

Source: TalkToModel, appendix A.3 (two values a numeric feature, two choices for each wildcard after the first) and B.3 (a
fraction of the templates). The number of pairs is bounded by templates times `most_per_template` whatever the data set.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import pandas as pd

from ttm.parsers.templates.draw import Draw, WildcardBinding
from ttm.parsers.templates.template import UtteranceTemplate, Wildcard, load_templates
from ttm.parsers.templates.vocabulary import WildcardVocabulary
from ttm.parsers.templates.wildcards import fitting_clauses, in_order, offers, rendered
from ttm.tabular.data.schema import Schema

MOST_PER_TEMPLATE = 50
CHOICES_PER_WILDCARD = 2  # after the first
# Words of the parse language that only classes, or only a quantity, can answer.
OF_QUANTITY = re.compile(r"score (mae|rmse|r2)|(labelfilter|predictionfilter|explain cfe( \S+)?) (greater|less|equal|not) ")
OF_CLASSES = re.compile(
    r"score (accuracy|f1|roc|precision|recall|sensitivity|specificity|ppv|npv|balanced|confusion|calibration)"
    r"|(label|prediction)filter (\d|\{class)|probabilityfilter|threshold| class (\d|\{class)|\{goal"
    r"|\b(likelihood|probability)\b"
)


@dataclass(frozen=True)
class TrainingPair:
    """A training pair. `parse` is canonical and ends in ` [e]`; `template` is the utterance of the template it came from."""

    utterance: str
    parse: str
    template: str


class Filler:
    """Fills templates for one data set; made once, as it finds out which filter clauses fit."""

    def __init__(self, vocabulary: WildcardVocabulary) -> None:
        self.vocabulary = vocabulary

    @cached_property
    def clauses(self) -> list[UtteranceTemplate]:
        return list(fitting_clauses(self.vocabulary))

    def examples(self, template: UtteranceTemplate, most: int = MOST_PER_TEMPLATE) -> Iterator[TrainingPair]:
        """At most `most` different fillings of a template; none where the data set lacks what it speaks of."""
        if not fits_target(template, self.vocabulary.schema):
            return
        draw = Draw(self.vocabulary, random.Random(f"{self.vocabulary.seed}|{template.utterance}"), self.clauses)
        seen: set[str] = set()
        for bound in islice(_fillings(template, draw, most), most):
            utterance, parse = rendered(template, bound)
            if utterance not in seen:
                seen.add(utterance)
                yield TrainingPair(utterance, f"{parse} [e]", template.utterance)


def generate(
    schema: Schema,
    seed: int = 0,
    *,
    frame: pd.DataFrame | None = None,
    fraction: float = 1.0,
    most_per_template: int = MOST_PER_TEMPLATE,
    templates: Sequence[UtteranceTemplate] | None = None,
) -> list[TrainingPair]:
    """Training pairs for a data set, in the order of the templates, no utterance twice.

    `frame` (n, features), with ids as index, gives observed values and ids; without it, values lie between each feature's
    bounds. `fraction` takes that share of the templates at random; a smaller one is part of a larger one of the same seed.
    The same arguments give the same pairs in every process.
    """
    chosen = sampled_templates(load_templates() if templates is None else templates, fraction, seed)
    filler = Filler(WildcardVocabulary(schema, seed, frame))
    pairs: dict[str, TrainingPair] = {}
    for template in chosen:
        for example in filler.examples(template, most_per_template):
            pairs.setdefault(example.utterance.lower(), example)
    return list(pairs.values())


def sampled_templates(templates: Sequence[UtteranceTemplate], fraction: float, seed: int) -> list[UtteranceTemplate]:
    """A share of the templates, at least one, in their own order (appendix B.3)."""
    if fraction >= 1:
        return list(templates)
    order = random.Random(f"{seed}|fraction").sample(range(len(templates)), len(templates))
    return [templates[index] for index in sorted(order[: max(1, round(fraction * len(templates)))])]


def fits_target(template: UtteranceTemplate, schema: Schema) -> bool:
    """Whether the target has what a template's parse speaks of: classes, or a quantity."""
    foreign = OF_QUANTITY if schema.target.is_classification else OF_CLASSES
    return foreign.search(template.parse) is None


def _fillings(template: UtteranceTemplate, draw: Draw, most: int) -> Iterator[dict[Wildcard, WildcardBinding]]:
    """Bound wildcards: each choice of the first wildcard in turn, so that all of them occur before the others vary."""
    slots = in_order(template)
    if not slots:
        yield {}
        return
    first = offers(slots[0], template, draw, {}, most)
    branches = [_branch(slots[1:], template, draw, {slots[0]: choice}) for choice in first]
    while branches:
        going = []
        for branch in branches:
            filling = next(branch, None)
            if filling is not None:
                going.append(branch)
                yield filling
        branches = going


def _branch(
    slots: Sequence[Wildcard], template: UtteranceTemplate, draw: Draw, bound: dict[Wildcard, WildcardBinding]
) -> Iterator[dict[Wildcard, WildcardBinding]]:
    if not slots:
        yield bound
        return
    for choice in offers(slots[0], template, draw, bound, CHOICES_PER_WILDCARD):
        yield from _branch(slots[1:], template, draw, bound | {slots[0]: choice})
