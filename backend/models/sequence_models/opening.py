"""Which model a name means. Loading one takes seconds and brings torch; nothing is loaded before."""

from collections.abc import Sequence
from pathlib import Path

from backend.models.sequence_models.seam import SequenceModel, TextPair
from backend.program.extras import require

LIBRARIES = ("torch", "transformers")
OWN_KINDS = ("lstm", "transformer")
OWN_DESCRIPTION = "sequence_model.json"


def load(name_or_folder: str | Path) -> SequenceModel:
    """A model that was saved to a folder, or one of the hub. Raises LanguageModelError when it cannot be had, and SettingsError
    where torch is not installed."""
    require(*LIBRARIES)
    folder = Path(name_or_folder)
    if (folder / OWN_DESCRIPTION).is_file():
        from backend.models.sequence_models.own import load_own_model

        return load_own_model(folder)
    from backend.models.sequence_models.hugging_face import load_hugging_face

    return load_hugging_face(str(name_or_folder))


def to_train(name: str, pairs: Sequence[TextPair], seed: int = 0) -> SequenceModel:
    """The model to fit to `pairs`: a new one of our own kinds, `lstm` or `transformer`, or else what `load` finds."""
    require(*LIBRARIES)
    if name in OWN_KINDS:
        from backend.models.sequence_models.own import new_own_model

        return new_own_model(name, pairs, seed)
    return load(name)
