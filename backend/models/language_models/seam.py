"""What every language model takes and gives."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

from backend.errors import LanguageModelError

Way = Literal["json_schema", "grammar", "guided_json", "guided_grammar", "structured_json", "structured_grammar", "lark"]


@dataclass(frozen=True)
class Message:
    role: str  # system, user or assistant
    content: str


@dataclass(frozen=True)
class Reply:
    """What came back. Token counts are the server's own, 0 where it gives none; `cached_tokens` are those of the prompt that
    were not computed again. `seconds` is wall time. `log_probability` is that of the reply given the prompt, natural logarithm,
    None where the server does not report it. `finish` is why the model stopped ("stop", "length", ...), empty where it is not
    known; `reasoned` says that it also wrote or paid for reasoning, which is not part of `text`. `tokens` are those of the
    whole reply, reasoning included, each with its log-probability; empty where the server does not report them."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cached_tokens: int = 0
    log_probability: float | None = None
    finish: str = ""
    reasoned: bool = False
    tokens: tuple[tuple[str, float], ...] = ()

    @property
    def cut(self) -> bool:
        """Whether the limit of tokens ended the reply."""
        return self.finish == "length"

    @property
    def empty(self) -> bool:
        return not self.text.strip()


@dataclass(frozen=True)
class Guide:
    """What a reply is held to while it is written: `text` is a JSON schema or a grammar, as `way` demands; a grammar in GBNF
    for servers, and in Lark for models that run in this process ("lark")."""

    way: Way
    text: str

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a request that tell the server. Raises LanguageModelError for a way that servers do not know."""
        if self.way not in WAYS:
            raise LanguageModelError(f'A server takes no guide = "{self.way}"; valid are {", ".join(WAYS)}, or none.')
        return WAYS[self.way](self.text)

    @property
    def response_fields(self) -> dict[str, Any]:
        """The fields of a request to the responses endpoint, which names the form of a reply otherwise.

        Raises LanguageModelError for a way that this endpoint does not know.
        """
        if self.way != "json_schema":
            raise LanguageModelError(f'The responses endpoint takes no guide = "{self.way}"; valid are json_schema or none.')
        schema = self.fields["response_format"]["json_schema"]
        return {"text": {"format": {"type": "json_schema", **schema}}}


def grammar_guide(lark: str, way: Way) -> Guide:
    """A guide that holds replies to a Lark grammar, written as `way`, which must be one of GRAMMAR_WAYS, wants it.

    Raises LanguageModelError for another way, and for a grammar that cannot be written so.
    """
    if way not in GRAMMAR_WAYS:
        raise LanguageModelError(f'guide = "{way}" takes no grammar; valid are {", ".join(GRAMMAR_WAYS)}.')
    from backend.models.guided_decoding.gbnf import gbnf

    return Guide(way, lark if way == "lark" else gbnf(lark))


def json_guide(schema: Mapping[str, Any], way: Way = "json_schema") -> Guide:
    """A guide that holds replies to a JSON schema; `way` is one of those that take one."""
    return Guide(way, json.dumps(schema))


# What servers expect: OpenAI, Azure, SGLang, Ollama and most others; llama.cpp; vLLM before and since version 0.11.
WAYS: dict[Way, Callable[[str], dict[str, Any]]] = {
    "json_schema": lambda text: {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": json.loads(text), "strict": True},
        }
    },
    "grammar": lambda text: {"grammar": text},
    "guided_json": lambda text: {"guided_json": json.loads(text)},
    "guided_grammar": lambda text: {"guided_grammar": text},
    "structured_json": lambda text: {"structured_outputs": {"json": json.loads(text)}},
    "structured_grammar": lambda text: {"structured_outputs": {"grammar": text}},
}
assert {*WAYS, "lark"} == set(get_args(Way))
GRAMMAR_WAYS: tuple[Way, ...] = ("lark", "grammar", "guided_grammar", "structured_grammar")


class LanguageModel(Protocol):
    """Raises LanguageModelError when no reply can be had, or none that is held to the `guide`."""

    @property
    def name(self) -> str: ...

    def chat(
        self, messages: Sequence[Message], *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None
    ) -> Reply: ...

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None) -> Reply: ...
