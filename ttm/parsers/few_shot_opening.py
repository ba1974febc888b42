"""Which language model a few-shot parser asks, and how, from what stands after the colon of its name.

few-shot                                                      the packaged SmolLM2
few-shot:k=5,guide=none                                       with five examples, and not held to the grammar
few-shot:transformers:NAME_OR_FOLDER                          a causal model of the Hugging Face hub
few-shot:MODEL,url=http://localhost:8000/v1,guide=structured_grammar      a model on a server, here vLLM
"""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from backend.errors import SettingsError
from backend.models.language_models import (
    GRAMMAR_WAYS,
    PACKAGED_MODEL,
    LanguageModel,
    OpenAIEndpoint,
    PackagedModel,
    Way,
    packaged_through_transformers,
)
from ttm.parsers.few_shot import USUAL, FewShotParser, Form, Prompting

if TYPE_CHECKING:
    from ttm.parsers.materials import Materials

TRANSFORMERS = "transformers:"
OPTIONS = ("k", "url", "key", "guide", "form")


@dataclass(frozen=True)
class FewShotOptions:
    """`key` names the environment variable that holds a server's key, and is never the key itself."""

    model: str = PACKAGED_MODEL
    url: str = ""
    key: str = "OPENAI_API_KEY"
    prompting: Prompting = USUAL

    def open(self) -> LanguageModel:
        """The model; nothing is loaded or asked yet."""
        if self.url:
            return OpenAIEndpoint(self.url, self.model, os.environ.get(self.key, ""))
        if self.model == PACKAGED_MODEL:
            return PackagedModel(log_probabilities=True)
        name = self.model.removeprefix(TRANSFORMERS)
        if name == PACKAGED_MODEL:
            return packaged_through_transformers()
        from backend.models.language_models.hugging_face import open_transformers

        return open_transformers(name)


def choice_of(text: str) -> FewShotOptions:
    """A model by its name, then options as `name=value`, separated by commas; what is left out has its usual value.

    Raises SettingsError that says which part is wrong, and what would be valid.
    """
    first, *rest = text.split(",")
    model = "" if "=" in first else first
    args: dict[str, str] = {}
    for part in rest if model else [first, *rest]:
        name, _, value = part.strip().partition("=")
        if part.strip() and (name not in OPTIONS or not value):
            raise SettingsError(f"few-shot takes {', '.join(f'{each}=...' for each in OPTIONS)} after a model, not {part!r}.")
        args |= {name: value} if value else {}
    if model and not args.get("url") and model != PACKAGED_MODEL and not model.startswith(TRANSFORMERS):
        raise SettingsError(
            f"few-shot:{model} needs the address of the server, as in few-shot:{model},url=http://localhost:8000/v1; models "
            f"on this computer are {PACKAGED_MODEL} and {TRANSFORMERS}NAME_OR_FOLDER."
        )
    return FewShotOptions(
        model or PACKAGED_MODEL,
        args.get("url", ""),
        args.get("key", FewShotOptions.key),
        _prompting(args, bool(args.get("url"))),
    )


def _prompting(args: dict[str, str], served: bool) -> Prompting:
    k = args.get("k", str(Prompting.k))
    if not (k.isdecimal() and 1 <= int(k) <= 50):
        raise SettingsError(f"few-shot: k is the number of examples, 1 to 50, not {k!r}.")
    ways: dict[str, Way | None] = {"none": None, **{way: way for way in GRAMMAR_WAYS if (way == "lark") is not served}}
    way = args.get("guide", "none" if served else "lark")
    if way not in ways:
        raise SettingsError(f"few-shot: guide is one of {', '.join(ways)} {'on a server' if served else 'here'}, not {way!r}.")
    forms: dict[str, Form] = {form: form for form in get_args(Form)}
    form = args.get("form", "chat" if served else "continuation")
    if form not in forms:
        raise SettingsError(f"few-shot: form is one of {', '.join(forms)}, not {form!r}.")
    return Prompting(int(k), ways[way], forms[form])


def few_shot_parser(materials: "Materials") -> FewShotParser:
    """Generates and embeds the examples of a data set, unless that was done before; the model starts at the first question.

    Raises SettingsError for a choice that says nothing.
    """
    from ttm.parsers.examples import examples_of

    choice, dataset = choice_of(materials.choice), materials.dataset
    examples = examples_of(dataset.schema, dataset.frame, materials.cache, materials.seed)
    return FewShotParser(dataset.schema, examples, choice.open(), choice.prompting, materials.calibration("few-shot"))
