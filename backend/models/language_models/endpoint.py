"""Any server with the OpenAI interface."""

import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from backend.errors import AddressError, Blame, LanguageModelError, RequestRefused
from backend.jobs import within
from backend.models.language_models.endpoint_replies import read_completion, read_response
from backend.models.language_models.refusals import (
    SUCCESSORS,
    blame_of,
    is_out_of_money,
    refused_parameter,
    server_sentence,
    wants_responses,
)
from backend.models.language_models.seam import Guide, Message, Reply

if TYPE_CHECKING:
    import httpx
    import openai

LONGEST_PAUSE = 60.0  # seconds between two tries
Interface = Literal["chat", "responses"]
LOG_PROBABILITIES = "message.output_text.logprobs"  # as the responses endpoint names them
_LEFT_OUT = {"temperature": "it is left out and the server's own holds, which may draw replies by chance"}


class OpenAIEndpoint:
    """OpenAI, Azure, vLLM, SGLang, llama.cpp, Ollama and others.

    `api_key` stays in this object: it is never logged, and no error message repeats it. A request has `timeout` seconds as a
    whole, and is not repeated after that, since the server may still be at work on it; 429, 5xx and broken connections are
    retried `retries` times with back-off. `fields` are sent with every request beside the usual ones. Of the
    usual ones, those that the server names as not taken by its model are renamed or left out from then on. `client`
    makes the HTTP client, for addresses that need one of their own: `visitor_client` for those that a visitor named.
    `interface` is which endpoint answers a chat: chat completions, or responses, to which a model that is only there is moved
    by itself. With `log_probabilities` replies have those of their tokens, if the server gives them.
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
        temperature: float = 0,
        interface: Interface = "chat",
        log_probabilities: bool = False,
    ) -> None:
        self.name = model
        self._address = (base_url, api_key or "none", timeout, retries)
        self._fields = dict(fields or {})
        self._http = client
        self._temperature = temperature
        self._interface: Interface = interface
        self._log_probabilities = log_probabilities
        self._lock = threading.Lock()
        self._made: openai.OpenAI | None = None
        self._instead: dict[str, str | None] = {}  # parameter -> its new name, or None where it is left out
        self._adjustments: list[str] = []

    @property
    def adjustments(self) -> tuple[str, ...]:
        """What was changed in the requests because the server refused it, a sentence each."""
        with self._lock:
            return tuple(self._adjustments)

    def chat(
        self, messages: Sequence[Message], *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None
    ) -> Reply:
        turns = [{"role": message.role, "content": message.content} for message in messages]
        if self._interface == "responses":
            return self._respond(turns, max_tokens, stop, guide)
        usual = self._usual_fields(max_tokens, stop, {"logprobs": True})
        try:
            return self._ask(lambda client, options: client.chat.completions.create(messages=turns, **options), usual, guide)
        except _OnlyResponses as moved:
            self._interface = "responses"
            self._adjust(f"this model is asked by the responses endpoint. The server: “{moved}”")
            return self._respond(turns, max_tokens, stop, guide)

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None) -> Reply:
        usual = self._usual_fields(max_tokens, stop, {"logprobs": 1})
        return self._ask(lambda client, options: client.completions.create(prompt=prompt, **options), usual, guide)

    def _usual_fields(self, max_tokens: int, stop: Sequence[str], tell: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that a server may refuse."""
        ends = {"stop": list(stop)} if stop else {}
        return {"max_tokens": max_tokens, "temperature": self._temperature, **ends, **self._probabilities(tell)}

    def _respond(self, turns: list[dict[str, str]], max_tokens: int, stop: Sequence[str], guide: Guide | None) -> Reply:
        usual = {"max_output_tokens": max_tokens, "temperature": self._temperature}
        usual |= self._probabilities({"include": [LOG_PROBABILITIES]})

        def call(client: Any, options: Any) -> Any:
            return client.responses.create(input=turns, store=False, **options)

        return self._ask(call, usual, guide, partial(read_response, stop=stop))

    def _probabilities(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        return fields if self._log_probabilities else {}

    def _taken(self, usual: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters under the names that the server takes, without those that it refused."""
        taken = dict(usual)
        with self._lock:
            for name, instead in self._instead.items():
                if name in taken and instead:
                    taken[instead] = taken[name]
                taken.pop(name, None)
        return taken

    def _ask(
        self, call: Callable[[Any, Any], Any], usual: Mapping[str, Any], guide: Guide | None,
        read: Callable[[Any, float], Reply] = read_completion,
    ) -> Reply:  # fmt: skip
        import openai

        guided = (guide.response_fields if read is not read_completion else guide.fields) if guide else {}
        beside = {**self._fields, **guided}
        started = time.perf_counter()
        while True:
            taken = self._taken(usual)
            options = {"model": self.name, **taken, **({"extra_body": beside} if beside else {})}
            try:
                response = self._patiently(partial(call, self._client(), options))
                return read(response, time.perf_counter() - started)
            except openai.APIStatusError as error:
                if read is read_completion and wants_responses(error.body):
                    raise _OnlyResponses(self._words(error.body)) from error
                if error.status_code in (400, 403, 422) and self._learns(error.body, taken):
                    continue
                raise self._refused(error, guide) from error
            except (openai.APITimeoutError, TimeoutError) as error:
                raise LanguageModelError(f"{self.name} did not answer within {self._address[2]:.0f} s.") from error
            except AddressError as error:
                raise LanguageModelError(error.message) from error
            except openai.APIConnectionError as error:
                if isinstance(error.__cause__, AddressError):
                    raise LanguageModelError(error.__cause__.message) from error
                raise LanguageModelError(f"Nothing answers at {self._address[0]}; is the server running?") from error
            except (openai.OpenAIError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                raise LanguageModelError(f"{self.name} sent a reply that is not of the OpenAI kind.") from error

    def _patiently(self, call: Callable[[], Any]) -> Any:
        """Make a request, and again after what may pass, waiting as the server asks or longer each time."""
        import openai

        _, _, timeout, retries = self._address
        for attempt in range(retries):
            try:
                return within(timeout, call)
            except (openai.APIStatusError, openai.APIConnectionError) as error:
                if not _may_pass(error):
                    raise
                time.sleep(_pause(error, attempt))
        return within(timeout, call)

    def _learns(self, body: object, usual: Mapping[str, Any]) -> bool:
        """Whether the refusal names a parameter, which the next try then sends under another name or not at all."""
        name = refused_parameter(body, usual)
        if name is None:
            return False
        instead = SUCCESSORS.get(name)
        with self._lock:
            known = name in self._instead
            self._instead[name] = instead
        if not known:
            done = f"{instead} is sent instead" if instead else _LEFT_OUT.get(name, "it is left out")
            self._adjust(f"{name} is not taken by this model, so {done}. The server: “{self._words(body)}”")
        return True

    def _adjust(self, what: str) -> None:
        with self._lock:
            if what not in self._adjustments:
                self._adjustments.append(what)

    def _refused(self, error: "openai.APIStatusError", guide: Guide | None) -> RequestRefused:
        words = self._words(error.body)
        out_of_money = error.status_code == 429 and is_out_of_money(error.body)
        reason = _reason(402 if out_of_money else error.status_code, guide, bool(words))
        shown = f" The server: “{words}”" if words else ""
        return RequestRefused(f"{self.name} refused: {reason}.{shown}", blame_of(error.status_code, error.body))

    def _words(self, body: object) -> str:
        """The server's own sentence; some repeat the key in it."""
        return server_sentence(body).replace(self._address[1], "(key)") if body else ""

    def _client(self) -> "openai.OpenAI":
        import httpx
        import openai

        with self._lock:
            if self._made is None:
                base_url, key, timeout, _ = self._address
                try:
                    httpx.URL(base_url)
                except (httpx.InvalidURL, ValueError) as error:
                    raise LanguageModelError(f"{base_url!r:.200} is no address of a server: {error}.") from error
                self._made = openai.OpenAI(
                    base_url=base_url,
                    api_key=key,
                    timeout=timeout,
                    max_retries=0,
                    http_client=self._http() if self._http else None,  # httpx's is taken as well
                )
                weakref.finalize(self, self._made.close)  # its connections would else stay open until noticed
            return self._made


class _OnlyResponses(Exception):
    """The model is not behind chat completions; the message is the server's own."""


def _may_pass(error: "openai.APIError") -> bool:
    import openai

    if isinstance(error, openai.APIStatusError):
        return blame_of(error.status_code, error.body) is Blame.MOMENT
    # An address that is not allowed stays so.
    return not isinstance(error, openai.APITimeoutError) and not isinstance(error.__cause__, AddressError)


def _pause(error: "openai.APIError", attempt: int) -> float:
    """Seconds before the next try: what the server asks for, within reason, or twice as long each time."""
    import openai

    wanted = error.response.headers.get("retry-after", "") if isinstance(error, openai.APIStatusError) else ""
    seconds = float(wanted) if wanted.replace(".", "", 1).isdigit() else 0.5 * 2**attempt
    return min(seconds, LONGEST_PAUSE)


def _reason(status: int, guide: Guide | None, explained: bool) -> str:
    """What a status means; a guess at the cause stands only where the server gives none."""
    if status in (400, 422):
        blamed = f'this server does not take guide = "{guide.way}" (choose another, or none)' if guide else ""
        guess = "the text may be too long for the model"
        if guide:
            return f"the request was not accepted ({status}), perhaps because {blamed}, or {guess}"
        return f"the request was not accepted ({status})" + ("" if explained else f"; {guess}")
    reasons = {
        401: "the key is missing or wrong (401)",
        402: "the account must be paid for",
        403: "this key may not use the model (403)",
        404: "the server knows no such model or address (404)",
        429: "too many requests, also after waiting (429)",
    }
    return reasons.get(status, f"the server failed ({status})")
