"""Reading what servers with the OpenAI interface reply: plain completions, chat completions and responses."""

from collections.abc import Iterable
from typing import Any

from backend.models.language_models.reasoning import without_reasoning
from backend.models.language_models.seam import Reply

Tokens = tuple[tuple[str, float], ...]


def read_completion(response: Any, seconds: float) -> Reply:
    """Read a chat or plain completion. Raises AttributeError, IndexError or TypeError for anything else."""
    choice, usage = response.choices[0], response.usage
    message = getattr(choice, "message", None)
    text, reasoned = without_reasoning((choice.text if message is None else message.content) or "")
    apart = any(getattr(message, name, None) for name in ("reasoning_content", "reasoning"))
    refusal = bool(getattr(message, "refusal", None)) and not text
    in_usage = usage.completion_tokens_details if usage else None
    details = usage.prompt_tokens_details if usage else None
    tokens = _tokens(choice)
    return Reply(
        text,
        usage.prompt_tokens if usage else 0,
        usage.completion_tokens if usage else 0,
        seconds,
        (details.cached_tokens or 0) if details else 0,
        _sum(tokens),
        finish="refusal" if refusal else str(choice.finish_reason or ""),
        reasoned=reasoned or apart or bool(in_usage and in_usage.reasoning_tokens),
        tokens=tokens,
    )


def read_response(response: Any, seconds: float, stop: Iterable[str] = ()) -> Reply:
    """Read a reply of the responses endpoint, which takes no stop texts: what stands from one of them on is left out.

    Raises AttributeError or TypeError for anything else.
    """
    parts = [part for item in response.output if item.type == "message" for part in item.content]
    written = [part for part in parts if part.type == "output_text"]
    text, reasoned = without_reasoning("".join(part.text for part in written))
    for mark in stop:
        text = text.split(mark)[0]
    usage = response.usage
    details = usage.output_tokens_details if usage else None
    tokens = tuple((each.token, float(each.logprob)) for part in written for each in part.logprobs or ())
    return Reply(
        text,
        usage.input_tokens if usage else 0,
        usage.output_tokens if usage else 0,
        seconds,
        (usage.input_tokens_details.cached_tokens or 0) if usage and usage.input_tokens_details else 0,
        _sum(tokens),
        finish=_finish(response, refused=not written and any(part.type == "refusal" for part in parts)),
        reasoned=reasoned or bool(details and details.reasoning_tokens),
        tokens=tokens,
    )


def _finish(response: Any, refused: bool) -> str:
    """Why the model stopped, in the words of chat completions."""
    if response.status == "incomplete":
        reason = getattr(response.incomplete_details, "reason", "") or ""
        return "length" if reason == "max_output_tokens" else str(reason)
    return "refusal" if refused else "stop"


def _tokens(choice: Any) -> Tokens:
    """The tokens of a reply with their log-probabilities, where the server was asked for them and gives them, in one form or
    the other."""
    returned = getattr(choice, "logprobs", None)
    if returned is None:
        return ()
    numbers = getattr(returned, "token_logprobs", None)
    if numbers is not None:
        texts = getattr(returned, "tokens", None) or [""] * len(numbers)
        return tuple((str(text), float(number or 0.0)) for text, number in zip(texts, numbers, strict=True))
    content = getattr(returned, "content", None) or []
    facts = [each if isinstance(each, dict) else {"token": each.token, "logprob": each.logprob} for each in content]
    return tuple((str(each.get("token", "")), float(each["logprob"] or 0.0)) for each in facts)


def _sum(tokens: Tokens) -> float | None:
    return sum(number for _, number in tokens) if tokens else None
