"""Back from each question to a template, by a model that has not seen the dialogue (appendix A.5, cross-validation)."""

import random
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from backend.errors import InspiredError
from backend.models.sequence_models.opening import to_train
from backend.models.sequence_models.seam import Allowed, BeamSearch, Epoch, GeneratedText, Progress, TextPair, Training
from backend.storage.cache import Cache
from backend.storage.content_key import content_key
from inspired.lab.cleaning.nearest import NearestTemplates
from inspired.lab.cleaning.pairs import QuestionPair

NEAREST = "nearest"
# The paper states only the name of its fine-tuned model; beams are as elsewhere in the paper.
SEARCH = BeamSearch(beams=10)
TRAINING = Training()


class CycleModel(Protocol):
    """What is asked of a model: a part of `backend.models.sequence_models.seam.SequenceModel`."""

    def fit(
        self,
        pairs: Sequence[TextPair],
        validation: Sequence[TextPair] = (),
        training: Training = TRAINING,
        checkpoints: Path | None = None,
        progress: Progress | None = None,
    ) -> tuple[Epoch, ...]: ...

    def generate(
        self, sources: Sequence[str], n: int = 1, search: BeamSearch = SEARCH, allowed: Allowed | None = None
    ) -> list[tuple[GeneratedText, ...]]: ...

    def log_likelihood(self, source: str, target: str) -> float: ...


@dataclass(frozen=True)
class CycleReading:
    """What a model makes of a question. Both scores are S of equation 1, in nats: of `template`, and of the one given."""

    template: str
    score: float
    stated_score: float


@dataclass(frozen=True)
class CrossValidation:
    """How the pairs are read. `folder` keeps each finished fold and the epochs of the one begun, to go on from there."""

    model: str = NEAREST
    folds: int = 10
    training: Training = TRAINING
    folder: Path | None = None


def model_for(name: str, pairs: Sequence[TextPair], seed: int) -> CycleModel:
    """`nearest`, or what `backend.models.sequence_models.opening.to_train` finds. Raises LanguageModelError as that does."""
    return NearestTemplates() if name == NEAREST else to_train(name, pairs, seed)


def read_questions(
    pairs: Sequence[QuestionPair],
    how: CrossValidation,
    make: Callable[[str, Sequence[TextPair], int], CycleModel] = model_for,
    done: Callable[[int], None] | None = None,
) -> tuple[CycleReading, ...]:
    """A reading of each question, by a model fitted to the other folds; all pairs of a dialogue are in one fold.

    `done` receives the number of each fold (from 1) once it is read. Raises InspiredError for too few dialogues.
    """
    places = _folds(pairs, how)
    cache = Cache(how.folder) if how.folder else None
    result: dict[int, CycleReading] = {}
    for number in range(how.folds):
        here = [index for index, fold in enumerate(places) if fold == number]
        known = [TextPair(each.source, each.target) for each, fold in zip(pairs, places, strict=True) if fold != number]
        asked = [TextPair(pairs[index].source, pairs[index].target) for index in here]
        key = content_key(how.model, SEARCH, how.training, known, asked) if cache else ""
        readings = _kept(cache, key)
        if readings is None:
            checkpoints = how.folder / f"checkpoints-{key[:12]}" if how.folder else None
            readings = _read_fold(known, asked, make(how.model, known, how.training.seed), how.training, checkpoints)
            if cache:
                cache.put(key, [[each.template, each.score, each.stated_score] for each in readings])
            if checkpoints:
                shutil.rmtree(checkpoints, ignore_errors=True)
        result |= dict(zip(here, readings, strict=True))
        if done:
            done(number + 1)
    return tuple(result[index] for index in range(len(pairs)))


def _folds(pairs: Sequence[QuestionPair], how: CrossValidation) -> list[int]:
    """The fold of each pair: dialogues are shuffled by the seed and dealt out."""
    dialogues = list(dict.fromkeys(each.dialogue for each in pairs))
    if how.folds < 2:
        raise InspiredError(f"With --folds {how.folds} there is nothing to learn from; there must be 2 or more.")
    if len(dialogues) < how.folds:
        raise InspiredError(
            f"There are {len(dialogues)} dialogues with sub-questions and templates, too few for {how.folds} folds."
        )
    random.Random(how.training.seed).shuffle(dialogues)
    dealt = {dialogue: index % how.folds for index, dialogue in enumerate(dialogues)}
    return [dealt[each.dialogue] for each in pairs]


def _kept(cache: Cache | None, key: str) -> list[CycleReading] | None:
    if cache is not None:
        with suppress(KeyError):
            return [CycleReading(*each) for each in cache.get(key)]
    return None


def _read_fold(
    known: Sequence[TextPair], asked: Sequence[TextPair], model: CycleModel, training: Training, checkpoints: Path | None
) -> list[CycleReading]:
    model.fit(known, training=training, checkpoints=checkpoints)
    best = model.generate([each.source for each in asked], search=SEARCH)
    readings = []
    for each, candidates in zip(asked, best, strict=True):
        # A model may give nothing; then it reads the question as saying nothing.
        top = candidates[0] if candidates else GeneratedText("", model.log_likelihood(each.source, ""))
        readings.append(CycleReading(top.text, -top.log_probability, -model.log_likelihood(each.source, each.target)))
    return readings
