"""Servers with the OpenAI interface on loopback, which answer and refuse in the words and wrappings of the real ones."""

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Asked = dict[str, Any]
Answer = Callable[[Asked], str]
Served = tuple[int, Any]
Rules = Callable[[Asked], Served]
KEY = "sk-secret-of-mine"
LOOK = 0.02  # seconds between two looks at whether the server is closed; half a second by default


class RecordedServer:
    """Serves `rules`, from the fields of a request to a status and a body; keeps every request in `asked`."""

    def __init__(self, rules: Rules) -> None:
        self.asked: list[Asked] = []
        server, lock = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                fields = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    server.asked.append(fields)
                with suppress(BrokenPipeError, ConnectionResetError):  # the client may have given up
                    server.send(self, *rules(fields))

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(LOOK,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def send(self, handler: BaseHTTPRequestHandler, status: int, body: Any) -> None:
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "text/html" if isinstance(body, str) else "application/json")
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def chat_reply(content: str | None, finish: str = "stop", message: Asked | None = None, usage: Asked | None = None) -> Served:
    """A chat completion; `message` and `usage` are what a kind of server adds to them."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **(message or {})}}
    counts = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18, **(usage or {})}
    return 200, {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": counts}


def openai_error(status: int, message: str, param: str | None = None, code: str | None = None, kind: str = "") -> Served:
    return status, {
        "error": {"message": message, "type": kind or "invalid_request_error", "param": param, "code": code},
    }


def openai_reasoning(answer: Answer) -> Rules:
    """A model that takes no `max_tokens`, `temperature` or `stop`, and spends tokens on thoughts that it does not show."""

    def rules(asked: Asked) -> Served:
        if "max_tokens" in asked:
            message = (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
            )
            return openai_error(400, message, "max_tokens", "unsupported_parameter")
        if asked.get("temperature", 1) != 1:
            message = (
                "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
            )
            return openai_error(400, message, "temperature", "unsupported_value")
        if "stop" in asked:
            message = "Unsupported parameter: 'stop' is not supported with this model."
            return openai_error(400, message, "stop", "unsupported_parameter")
        thoughts = {"completion_tokens_details": {"reasoning_tokens": 640, "accepted_prediction_tokens": 0}}
        if asked["max_completion_tokens"] < 700:
            return chat_reply("", "length", {"refusal": None}, thoughts)
        return chat_reply(answer(asked), "stop", {"refusal": None, "annotations": []}, thoughts)

    return rules


def responses_reply(text: str, tokens: list[tuple[str, float]] | None = None, thoughts: int = 0) -> Served:
    """What the responses endpoint returns; a reply that the thoughts left no room for has no message."""
    facts = [{"token": token, "logprob": number, "bytes": [], "top_logprobs": []} for token, number in tokens or []]
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": facts}
    message = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [part]}
    output: list[Asked] = [{"type": "reasoning", "id": "rs_1", "summary": []}] if thoughts else []
    usage = {
        "input_tokens": 11, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 7 + thoughts,
        "output_tokens_details": {"reasoning_tokens": thoughts}, "total_tokens": 18 + thoughts,
    }  # fmt: skip
    return 200, {
        "id": "resp_1", "object": "response", "created_at": 0, "model": "m", "error": None, "instructions": None,
        "status": "completed" if text else "incomplete",
        "incomplete_details": None if text else {"reason": "max_output_tokens"},
        "output": [*output, *([message] if text else [])], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "temperature": 1.0, "top_p": 1.0, "metadata": {}, "usage": usage, "text": {"format": {"type": "text"}},
    }  # fmt: skip


def openai_responses(answer: Answer) -> Rules:
    """A reasoning model that is behind the responses endpoint only."""

    def rules(asked: Asked) -> Served:
        if "messages" in asked:
            message = "This model is only supported in v1/responses and not in v1/chat/completions."
            return openai_error(404, message, "model")
        if "temperature" in asked:
            message = "Unsupported parameter: 'temperature' is not supported with this model."
            return openai_error(400, message, "temperature")
        if asked["max_output_tokens"] < 700:
            return responses_reply("", thoughts=320)
        return responses_reply(answer({**asked, "messages": asked["input"]}), thoughts=320)

    return rules


def anthropic_compatible(answer: Answer) -> Rules:
    """A model that no longer takes a temperature; the error names no parameter but in its sentence."""

    def rules(asked: Asked) -> Served:
        if "temperature" in asked:
            message = "`temperature` is deprecated for this model."
            return openai_error(400, message, code="invalid_request_error")
        return chat_reply(answer(asked))

    return rules


def google_compatible(answer: Answer) -> Rules:
    """Thoughts are counted in none of the usage's fields, and a reply that they leave no room for has no content."""

    def rules(asked: Asked) -> Served:
        if asked["max_tokens"] < 700:
            return chat_reply(None, "length")
        return chat_reply(answer(asked))

    return rules


def vllm_without_parser(answer: Answer) -> Rules:
    """DeepSeek R1 and its like: the chat template has begun the thoughts, so that only their end is in the reply."""
    return lambda asked: chat_reply(f"Okay, what is asked?\nKeywords: none yet.\n</think>\n\n{answer(asked)}")


def vllm_with_parser(answer: Answer) -> Rules:
    return lambda asked: chat_reply(answer(asked), message={"reasoning_content": "Okay, what is asked?", "tool_calls": []})


def vllm_strict(answer: Answer) -> Rules:
    """As servers that check each field with pydantic refuse one that they do not know."""

    def rules(asked: Asked) -> Served:
        if "stop" in asked:
            refusal = {"type": "extra_forbidden", "loc": ["body", "stop"], "msg": "Extra inputs are not permitted"}
            return 422, {"detail": [refusal]}
        return chat_reply(answer(asked))

    return rules


def llama_cpp(answer: Answer) -> Rules:
    """Thoughts in the reply, within their marks, and cut where the limit is small."""

    def rules(asked: Asked) -> Served:
        if asked["max_tokens"] < 700:
            return chat_reply("<think>\nThe text says", "length", usage={"prompt_tokens_details": {"cached_tokens": 4}})
        return chat_reply(f"<think>\nThe text says so.\n</think>\n\n{answer(asked)}")

    return rules


def ollama(answer: Answer) -> Rules:
    return lambda asked: chat_reply(answer(asked), message={"reasoning": "Okay, what is asked?"})


KINDS: dict[str, Callable[[Answer], Rules]] = {
    "OpenAI, a reasoning model": openai_reasoning,
    "OpenAI, a reasoning model behind responses": openai_responses,
    "Anthropic, compatible": anthropic_compatible,
    "Google, compatible": google_compatible,
    "vLLM without a parser": vllm_without_parser,
    "vLLM with a parser": vllm_with_parser,
    "a strict server": vllm_strict,
    "llama.cpp": llama_cpp,
    "Ollama": ollama,
}

# What they answer to a request that no other would mend, or that is about one text.
WRONG_KEY = openai_error(401, f"Incorrect API key provided: {KEY}. You can find your API key there.", code="invalid_api_key")
WRONG_NAME = openai_error(404, "The model `gpt-9` does not exist or you do not have access to it.", code="model_not_found")
WRONG_NAME_OLLAMA = openai_error(404, 'model "gpt-9" not found, try pulling it first', kind="api_error")
WRONG_NAME_VLLM: Served = (
    404,
    {"object": "error", "message": "The model `gpt-9` does not exist.", "type": "NotFoundError", "param": None, "code": 404},
)
WRONG_KEY_GOOGLE: Served = (
    400,
    [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}}],
)
NO_MONEY = openai_error(
    429, "You exceeded your current quota, please check your plan.", code="insufficient_quota", kind="insufficient_quota"
)
TOO_FAST = openai_error(429, "Rate limit reached for requests per min (RPM): Limit 3, Used 3.", code="rate_limit_exceeded")
TOO_LONG_VLLM = openai_error(
    400,
    "'max_tokens' or 'max_completion_tokens' is too large: 6144. This model's maximum context length is 4096 tokens and your "
    "request has 3001 input tokens (6144 > 4096 - 3001). (parameter=max_tokens, value=6144)",
    "max_tokens",
)
TOO_LONG_LLAMA: Served = (
    400,
    {
        "error": {
            "code": 400,
            "message": "request (5014 tokens) exceeds the available context size (4096 tokens), try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 5014,
            "n_ctx": 4096,
        }
    },
)
FILTERED_AZURE = openai_error(
    400,
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    "prompt",
    "content_filter",
)
# A parameter that nothing is known of here, which each request would send again.
WRONG_PARAMETER = openai_error(400, "Invalid value: 'reply'. Value must be 'text'.", "response_format.type", "invalid_value")
