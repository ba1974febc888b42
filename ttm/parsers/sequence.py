"""A parser over a sequence-to-sequence model: T5, BART or one of our own, fine-tuned for a data set (section 3, appendix A.1).

The model sees the utterance and nothing else, unless the folder that it was saved to names a text to put before it. Which
text the models that the authors published were trained with is not said in the paper; they get the bare utterance.
Decoding is held to the grammar of the data set and to the numbers of the utterance, whatever the model was trained for.
"""

import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.errors import LanguageModelError
from backend.models.sequence_models.seam import Allowed, BeamSearch, SequenceModel
from ttm.parsers.calibration import AS_IS, Calibration, calibration_from
from ttm.parsers.proposals import LONGEST, Proposals
from ttm.parsers.understanding import ALONE, DialogueContext, Understanding
from ttm.parsers.utterance_grammar import spoken_grammar
from ttm.tabular.data.schema import Schema

if TYPE_CHECKING:
    from ttm.parsers.materials import Materials

ABOUT = "parser.json"
SEARCH = BeamSearch(beams=5, max_tokens=128)


@dataclass(frozen=True)
class Guided:
    """What may be generated for an utterance; `spelt` gives an output as the grammar spells it, whatever decoding made."""

    allowed: Allowed
    spelt: Callable[[str], str]


Guide = Callable[[str], Guided]


@dataclass(frozen=True)
class Trained:
    """What a folder says of the model in it: the features of the data set it was trained for, in the parse language."""

    features: tuple[str, ...]
    prefix: str = ""
    calibration: Calibration = AS_IS


class SequenceParser:
    """A Parser; `guide` None lets the model write what it will, of which only what the grammar reads is taken."""

    def __init__(
        self,
        model: SequenceModel,
        schema: Schema,
        guide: Guide | None = None,
        prefix: str = "",
        calibration: Calibration = AS_IS,
        search: BeamSearch = SEARCH,
    ) -> None:
        self.model, self.prefix, self.search = model, prefix, search
        self._guide = guide
        self._proposals = Proposals(schema, calibration)

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding:
        """Up to five readings; their raw score is the probability of each among all that the search found."""
        prompt = source(utterance, self.prefix)
        guided = self._guide(utterance[:LONGEST]) if self._guide else None
        beams = self.model.generate([prompt], self.search.beams, self.search, guided.allowed if guided else None)[0]
        best = max((each.log_probability for each in beams), default=0.0)  # all may be too improbable for a float
        chances = [math.exp(each.log_probability - best) for each in beams]
        texts = [guided.spelt(each.text) if guided else each.text for each in beams]
        scored = [(text, chance / math.fsum(chances)) for text, chance in zip(texts, chances, strict=True)]
        return self._proposals.understanding(utterance, scored, context)


def source(utterance: str, prefix: str = "") -> str:
    """What a model is shown of an utterance, in training as in use."""
    return prefix + " ".join(utterance[:LONGEST].split())


def sequence_parser(materials: "Materials") -> SequenceParser:
    """The model of `materials.choice`, a hub name or a folder, for a data set.

    Raises LanguageModelError if it cannot be had, or was trained for other features.
    """
    from backend.models.sequence_models.opening import load

    schema, choice = materials.schema, materials.choice
    trained = read_trained(Path(choice))
    if trained is not None and set(trained.features) != set(schema.by_token):
        known, wanted = ", ".join(trained.features[:8]), ", ".join(list(schema.by_token)[:8])
        raise LanguageModelError(f"{choice} was trained for a data set with the features {known}; this one has {wanted}.")
    model = load(choice)
    calibration = materials.calibration("seq2seq") if trained is None or materials.raw else trained.calibration
    return SequenceParser(model, schema, guide_of(schema, model), trained.prefix if trained else "", calibration)


def guide_of(schema: Schema, model: SequenceModel) -> Guide | None:
    """What holds a model to the grammar of a data set and the numbers of an utterance; None if its tokens are not known."""
    coder = getattr(model, "coder", None)
    if coder is None:
        return None
    from backend.models.guided_decoding import GuidedVocabulary, allowed_by, of_tokenizer, of_vocabulary
    from backend.models.sequence_models.vocabulary import ModelVocabulary

    known = of_vocabulary(coder) if isinstance(coder, ModelVocabulary) else of_tokenizer(coder.tokenizer, (coder.end,), True)
    vocabulary = GuidedVocabulary(known)
    opening = tuple(coder.encode_target(""))[:-1]  # BART and BERT write a mark of their own before any word

    def guide(utterance: str) -> Guided:
        guidance = vocabulary.guidance(spoken_grammar(schema, utterance))
        following = allowed_by([guidance])

        def allowed(number: int, prefix: tuple[int, ...]) -> Collection[int] | None:
            if len(prefix) < len(opening):
                return (opening[len(prefix)],)
            return following(number, prefix[len(opening) :])

        return Guided(allowed, lambda text: guidance.text(coder.encode_target(text)) or text)

    return guide


def write_trained(folder: Path, trained: Trained, more: Mapping[str, Any]) -> None:
    """What `read_trained` reads, with `more` for who looks into the file."""
    settings = {"features": trained.features, "prefix": trained.prefix, "calibration": trained.calibration.as_table()}
    (folder / ABOUT).write_text(json.dumps(settings | dict(more), indent=1), "utf-8")


def read_trained(folder: Path) -> Trained | None:
    """What `python -m ttm finetune` wrote beside a model, None if it did not. Raises LanguageModelError if it is damaged."""
    path = folder / ABOUT
    if not path.is_file():
        return None
    try:
        read = json.loads(path.read_text("utf-8"))
        return Trained(tuple(read["features"]), str(read["prefix"]), calibration_from(read["calibration"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LanguageModelError(f"{path} is damaged: {error!r}. Train the model again, or remove this file.") from error
