"""What a model may be when it is named in Python: a name, a function from prompt to reply, or what speaks like our models."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backend.errors import FaithfulnessError
from backend.models.language_models import PACKAGED_MODEL, LanguageModel, ScriptedModel
from faithfulness.method.explain import Plan
from faithfulness.method.prompting import PROTOCOLS, Protocol
from faithfulness.method.regions import Splitter
from faithfulness.runs.profiles import Profile, profile_of

Model = str | Callable[[str], str] | LanguageModel


@dataclass(frozen=True)
class ChosenModel:
    """A profile, which says how it is asked, and the model itself where it was brought."""

    profile: Profile
    brought: LanguageModel | None

    def open(self) -> LanguageModel:
        return self.brought or self.profile.open()

    def open_protocol(self) -> Protocol:
        if self.brought is None:
            return self.profile.open_protocol()
        return PROTOCOLS[self.profile.protocol](None, self.profile.reply_tokens)


def chosen_model(model: Model, base_url: str | None, key: str | None, protocol: str | None) -> ChosenModel:
    """Raises FaithfulnessError if it is not known where the model is.

    `key` names an environment variable, and is never the key itself.
    """
    if isinstance(model, str):
        profile = profile_of(model, base_url, key=key, protocol=protocol)
        if not profile.here and not profile.base_url:
            raise FaithfulnessError(
                f"It is not known where {model} is: give base_url='http://localhost:8000/v1', or {PACKAGED_MODEL!r} for the "
                "model that runs on this computer."
            )
        return ChosenModel(profile, None)
    if base_url or key:
        raise FaithfulnessError("base_url and key are for a model that is named; this one was brought.")
    brought: Any = model
    if not hasattr(model, "chat") or not hasattr(model, "complete"):
        if not callable(model):
            raise FaithfulnessError(
                f"A model is a name, a function from prompt to reply, or has chat and complete; not {model!r}."
            )
        brought = ScriptedModel(model, getattr(model, "__name__", "function").strip("<>"))
    return ChosenModel(profile_of(brought.name, "brought", protocol=protocol), brought)


def plan_of(parts: int, groups: int, splitter: str, seed: int, paper: bool) -> Plan:
    """How a passage is taken apart; by the letter of the paper, at equal numbers of words and with keywords as strings."""
    cut = Splitter.WORDS if paper else Splitter(splitter)
    return Plan(parts=parts, groups=groups, splitter=cut, seed=seed, literal=paper)
