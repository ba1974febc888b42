"""The one seam to language models: an OpenAI-compatible endpoint, the packaged SmolLM2 behind one, any model of the Hugging
Face hub, or a scripted fake.

A model is two methods: `chat` for instruction-following models and `complete` for plain continuation. Both decode greedily.
Nothing here knows what is asked: prompts and the reading of replies stand in the packages.
"""

from backend.models.language_models.endpoint import OpenAIEndpoint
from backend.models.language_models.packaged import (
    PACKAGED_CONTEXT,
    PACKAGED_MODEL,
    PackagedModel,
    packaged_is_installed,
    packaged_through_transformers,
    packaged_weights,
)
from backend.models.language_models.scripted import ScriptedModel
from backend.models.language_models.seam import (
    GRAMMAR_WAYS,
    WAYS,
    Guide,
    LanguageModel,
    Message,
    Reply,
    Way,
    grammar_guide,
    json_guide,
)

__all__ = [
    "GRAMMAR_WAYS",
    "PACKAGED_CONTEXT",
    "PACKAGED_MODEL",
    "WAYS",
    "Guide",
    "LanguageModel",
    "Message",
    "OpenAIEndpoint",
    "PackagedModel",
    "Reply",
    "ScriptedModel",
    "Way",
    "grammar_guide",
    "json_guide",
    "packaged_is_installed",
    "packaged_through_transformers",
    "packaged_weights",
]
