"""Reading what servers with the OpenAI interface reply: plain completions, chat completions and responses."""

from collections.abc import Iterable
from typing import Any

from backend.models.language_models.reasoning import without_reasoning
from backend.models.language_models.seam import Reply

Tokens = tuple[tuple[str, float], ...]


def read_completion(response: Any, seconds: float) -> Reply:
    """Read a chat or plain completion. Raises AttributeError, IndexError or TypeError for anything else."""
    choice = response.choices[0]
    message = getattr(choice, "message", None)
    text, reasoned = without_reasoning((choice.text if message is None else message.content) or "")
    apart = any(getattr(message, name, None) for name in ("reasoning_content", "reasoning"))
    refusal = bool(getattr(message, "refusal", None)) and not text
    asked, written, cached, reasoning = _counts(response.usage, "prompt_tokens", "completion_tokens")
    tokens = _tokens(choice)
    return Reply(
        text,
        asked,
        written,
        seconds,
        cached,
        _sum(tokens),
        finish="refusal" if refusal else str(choice.finish_reason or ""),
        reasoned=reasoned or apart or reasoning > 0,
        tokens=tokens,
    )


def read_response(response: Any, seconds: float, stop: Iterable[str] = ()) -> Reply:
    """Read a reply of the responses endpoint, which takes no stop texts: what stands from one of them on is left out.

    Raises AttributeError or TypeError for anything else.
    """
    parts = [part for item in response.output if item.type == "message" for part in item.content]
    texts = [part for part in parts if part.type == "output_text"]
    text, reasoned = without_reasoning("".join(part.text for part in texts))
    for mark in stop:
        text = text.split(mark)[0]
    asked, written, cached, reasoning = _counts(response.usage, "input_tokens", "output_tokens")
    tokens = tuple((each.token, float(each.logprob)) for part in texts for each in part.logprobs or ())
    return Reply(
        text,
        asked,
        written,
        seconds,
        cached,
        _sum(tokens),
        finish=_finish(response, refused=not texts and any(part.type == "refusal" for part in parts)),
        reasoned=reasoned or reasoning > 0,
        tokens=tokens,
    )


def _counts(usage: Any, asked: str, written: str) -> tuple[int, int, int, int]:
    """Tokens of the prompt, of the reply, of the prompt from a cache, and of reasoning; 0 for what the server does not count.

    The two interfaces have other names for the same counts: `asked` and `written` are theirs for the first two.
    """
    if not usage:
        return 0, 0, 0, 0
    before, behind = getattr(usage, f"{asked}_details"), getattr(usage, f"{written}_details")
    cached, reasoning = before and before.cached_tokens, behind and behind.reasoning_tokens
    return getattr(usage, asked), getattr(usage, written), cached or 0, reasoning or 0


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
