"""Every kind of server can be asked: what it does not take is learned, thoughts are not read, refusals keep its own words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from backend.errors import Blame, LanguageModelError, RequestRefused
from backend.models.language_models import Message, OpenAIEndpoint
from backend.models.language_models.reasoning import without_reasoning
from tests.backend.models.language_models import recorded_servers as recorded
from tests.backend.models.language_models.recorded_servers import KEY, KINDS, RecordedServer, Rules, Served


@contextmanager
def served(rules: Rules) -> Iterator[tuple[RecordedServer, OpenAIEndpoint]]:
    server = RecordedServer(rules)
    try:
        yield server, OpenAIEndpoint(server.url, "gpt-9", KEY, retries=0)
    finally:
        server.close()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_answers_and_only_the_answer_is_read(kind: str) -> None:
    with served(KINDS[kind](lambda asked: "Lake Quill")) as (server, model):
        replies = [model.chat([Message("user", "?")], max_tokens=800, stop=["\n\n\n"]) for _ in range(3)]
    assert [reply.text for reply in replies] == ["Lake Quill"] * 3
    assert [reply.finish for reply in replies] == ["stop"] * 3
    assert len(server.asked) == 3 + len(model.adjustments)  # each thing is learned once
    assert all(reply.reasoned for reply in replies) == any(word in kind for word in ("reasoning", "vLLM", "llama", "Ollama"))


def test_what_a_reasoning_model_refuses_is_renamed_or_left_out_once() -> None:
    with served(KINDS["OpenAI, a reasoning model"](lambda asked: "yes")) as (server, model):
        for _ in range(2):
            model.chat([Message("user", "?")], max_tokens=800, stop=["\n"])
    sent = [sorted(asked.keys() - {"model", "messages"}) for asked in server.asked]
    assert sent == [
        ["max_tokens", "stop", "temperature"],
        ["max_completion_tokens", "stop", "temperature"],
        ["max_completion_tokens", "stop"],
        ["max_completion_tokens"],
        ["max_completion_tokens"],
    ]
    assert server.asked[-1]["max_completion_tokens"] == 800
    assert model.adjustments[0].startswith("max_tokens is not taken by this model, so max_completion_tokens is sent instead.")
    assert "“Unsupported value: 'temperature' does not support 0" in model.adjustments[1]


@pytest.mark.parametrize("kind", ["OpenAI, a reasoning model", "Google, compatible", "llama.cpp"])
def test_a_reply_that_the_limit_cut_is_said_to_be_cut(kind: str) -> None:
    with served(KINDS[kind](lambda asked: "yes")) as (_, model):
        reply = model.chat([Message("user", "?")], max_tokens=320)
    assert reply.cut
    assert reply.empty


@pytest.mark.parametrize(
    ("name", "blame", "words"),
    [
        ("WRONG_KEY", Blame.SETUP, r"key is missing or wrong \(401\)\. The server: “Incorrect API key provided: \(key\)\."),
        ("WRONG_NAME", Blame.SETUP, "The model `gpt-9` does not exist or you do not have access to it"),
        ("WRONG_NAME_OLLAMA", Blame.SETUP, "try pulling it first"),
        ("WRONG_NAME_VLLM", Blame.SETUP, r"no such model or address \(404\)\. The server: “The model `gpt-9` does not exist"),
        ("WRONG_KEY_GOOGLE", Blame.SETUP, "API key not valid"),
        ("NO_MONEY", Blame.SETUP, "exceeded your current quota"),
        ("TOO_FAST", Blame.MOMENT, "Rate limit reached"),
        ("WRONG_PARAMETER", Blame.UNCLEAR, "Value must be 'text'"),
        ("TOO_LONG_VLLM", Blame.TEXT, "maximum context length is 4096"),
        ("TOO_LONG_LLAMA", Blame.TEXT, "exceeds the available context size"),
        ("FILTERED_AZURE", Blame.TEXT, "content management policy"),
    ],
)
def test_a_refusal_keeps_the_words_of_the_server_and_says_what_it_is_about(name: str, blame: Blame, words: str) -> None:
    answered: Served = getattr(recorded, name)
    with served(lambda asked: answered) as (server, model), pytest.raises(RequestRefused, match=words) as caught:
        model.chat([Message("user", "?")], max_tokens=5)
    assert caught.value.blame is blame
    assert KEY not in caught.value.message
    assert len(server.asked) == 1  # no parameter is learned from it
    assert model.adjustments == ()


def test_a_page_of_html_is_not_shown_and_a_long_sentence_is_cut() -> None:
    with (
        served(lambda asked: (404, "<html><body>Not here</body></html>")) as (_, model),
        pytest.raises(LanguageModelError) as page,
    ):
        model.chat([Message("user", "?")], max_tokens=5)
    assert page.value.message == "gpt-9 refused: the server knows no such model or address (404)."
    with (
        served(lambda asked: recorded.openai_error(500, "x" * 8_000_000)) as (_, model),
        pytest.raises(LanguageModelError) as long,
    ):
        model.chat([Message("user", "?")], max_tokens=5)
    assert len(long.value.message) < 500


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("<think>a</think>b", ("b", True)),
        ("a\n</think>\n\nb", ("b", True)),
        ("<think>a</think>b</think>c", ("c", True)),
        ("[THINK]a[/THINK]b", ("b", True)),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b", ("b", True)),
        ("<thinking>a", ("", True)),
        (" I think <b> ", (" I think <b> ", False)),
    ],
)
def test_a_reply_is_read_after_its_reasoning(text: str, read: tuple[str, bool]) -> None:
    assert without_reasoning(text) == read
