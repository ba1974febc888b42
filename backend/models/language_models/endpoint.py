"""Any server with the OpenAI interface."""

import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from backend.errors import AddressError, LanguageModelError
from backend.models.language_models.seam import Guide, Message, Reply

if TYPE_CHECKING:
    import httpx
    import openai


class OpenAIEndpoint:
    """OpenAI, Azure, vLLM, SGLang, llama.cpp, Ollama and others.

    `api_key` stays in this object: it is never logged, and no error message repeats it. 429 and 5xx replies are retried
    `retries` times with back-off by the client library. `fields` are sent with every request beside the usual ones. `client`
    makes the HTTP client, for addresses that need one of their own: `visitor_client` for those that a visitor named.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str = "",
        timeout: float = 60.0,
        retries: int = 3,
        fields: Mapping[str, Any] | None = None,
        client: "Callable[[], httpx.Client] | None" = None,
    ) -> None:
        self.name = model
        self._address = (base_url, api_key or "none", timeout, retries)
        self._fields = dict(fields or {})
        self._http = client
        self._lock = threading.Lock()
        self._made: openai.OpenAI | None = None

    def chat(
        self, messages: Sequence[Message], *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None
    ) -> Reply:
        turns = [{"role": message.role, "content": message.content} for message in messages]
        return self._ask(
            lambda client: client.chat.completions.create(messages=turns, **self._request(max_tokens, stop, guide)),
            lambda choice: choice.message.content,
            guide,
        )

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None) -> Reply:
        return self._ask(
            lambda client: client.completions.create(prompt=prompt, **self._request(max_tokens, stop, guide)),
            lambda choice: choice.text,
            guide,
        )

    def _request(self, max_tokens: int, stop: Sequence[str], guide: Guide | None) -> dict[str, Any]:
        beside = {**self._fields, **(guide.fields if guide else {})}
        usual = {"model": self.name, "max_tokens": max_tokens, "temperature": 0, "stop": list(stop) or None}
        return {**usual, "extra_body": beside} if beside else usual

    def _ask(self, call: Callable[[Any], Any], text_of: Callable[[Any], str | None], guide: Guide | None) -> Reply:
        import openai

        started = time.perf_counter()
        try:
            response = call(self._client())
            text = text_of(response.choices[0])
        except openai.APIStatusError as error:
            raise LanguageModelError(f"{self.name} refused: {_refusal(error.status_code, guide)}.") from error
        except AddressError as error:
            raise LanguageModelError(error.message) from error
        except openai.APITimeoutError as error:
            raise LanguageModelError(f"{self.name} did not answer within {self._address[2]:.0f} s.") from error
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, AddressError):
                raise LanguageModelError(error.__cause__.message) from error
            raise LanguageModelError(f"Nothing answers at {self._address[0]}; is the server running?") from error
        except (openai.OpenAIError, AttributeError, IndexError, TypeError, ValueError) as error:
            raise LanguageModelError(f"{self.name} sent a reply that is not of the OpenAI kind.") from error
        usage = response.usage
        details = usage.prompt_tokens_details if usage else None
        return Reply(
            text or "",
            usage.prompt_tokens if usage else 0,
            usage.completion_tokens if usage else 0,
            time.perf_counter() - started,
            (details.cached_tokens or 0) if details else 0,
            _log_probability(response.choices[0]),
        )

    def _client(self) -> "openai.OpenAI":
        import openai

        with self._lock:
            if self._made is None:
                base_url, key, timeout, retries = self._address
                self._made = openai.OpenAI(
                    base_url=base_url,
                    api_key=key,
                    timeout=timeout,
                    max_retries=retries,
                    http_client=self._http() if self._http else None,  # type: ignore[arg-type]  # httpx's is taken as well
                )
                weakref.finalize(self, self._made.close)  # its connections would else stay open until noticed
            return self._made


def _log_probability(choice: Any) -> float | None:
    """The sum over the tokens of a reply, where the server was asked to tell them and does, in one form or the other."""
    returned = getattr(choice, "logprobs", None)
    if returned is None:
        return None
    listed = getattr(returned, "token_logprobs", None)
    if listed is None:
        content = getattr(returned, "content", None) or []
        listed = [each["logprob"] if isinstance(each, dict) else each.logprob for each in content]
    return float(sum(each or 0.0 for each in listed)) if listed else None


def _refusal(status: int, guide: Guide | None) -> str:
    reasons = {
        400: "the request was not accepted (400); the text may be too long for the model",
        401: "the key is missing or wrong (401)",
        403: "this key may not use the model (403)",
        404: "the server knows no such model (404)",
        429: "too many requests, also after waiting (429)",
    }
    if guide is not None and status in (400, 422):
        return (
            f'the request was not accepted ({status}), perhaps because this server does not take guide = "{guide.way}" '
            "(choose another, or none), or because the text is too long for the model"
        )
    return reasons.get(status, f"the server failed ({status})")
