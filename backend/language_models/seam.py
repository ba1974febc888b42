"""What every language model takes and gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

Way = Literal["json_schema", "grammar", "guided_json", "guided_grammar", "structured_json", "structured_grammar"]


@dataclass(frozen=True)
class Message:
    role: str  # system, user or assistant
    content: str


@dataclass(frozen=True)
class Reply:
    """What came back. Token counts are the server's own, 0 where it gives none; `cached_tokens` are those of the prompt that
    were not computed again. `seconds` is wall time."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cached_tokens: int = 0


@dataclass(frozen=True)
class Guide:
    """What a reply is held to while it is written: `text` is a JSON schema or a grammar (GBNF), as `way` demands."""

    way: Way
    text: str

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a request that tell the server."""
        return WAYS[self.way](self.text)


def json_guide(schema: Mapping[str, Any], way: Way = "json_schema") -> Guide:
    """A guide that holds replies to a JSON schema; `way` is one of those that take one."""
    return Guide(way, json.dumps(schema))


# How servers want to be told: OpenAI, Azure, SGLang, Ollama and most others; llama.cpp; vLLM before and since version 0.11.
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
assert set(WAYS) == set(get_args(Way))


class LanguageModel(Protocol):
    """Raises LanguageModelError when no reply can be had, or none that is held to the `guide`."""

    @property
    def name(self) -> str: ...

    def chat(
        self, messages: Sequence[Message], *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None
    ) -> Reply: ...

    def complete(
        self, prompt: str, *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None
    ) -> Reply: ...
