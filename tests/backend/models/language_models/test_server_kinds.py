"""Every kind of server can be asked: what it does not take is learned, thoughts are not read, refusals keep its own words."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from backend.errors import Blame, LanguageModelError, RequestRefused
from backend.models.language_models import Guide, Message, OpenAIEndpoint, json_guide
from backend.models.language_models.endpoint import Interface
from backend.models.language_models.reasoning import without_reasoning
from tests.backend.models.language_models import recorded_servers as recorded
from tests.backend.models.language_models.recorded_servers import (
    KEY,
    KINDS,
    RecordedServer,
    Rules,
    Served,
    chat_reply,
    responses_reply,
)


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


def test_a_model_behind_responses_is_moved_there_once_and_asked_in_its_words() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
    with served(KINDS["OpenAI, a reasoning model behind responses"](lambda asked: "yes\n\nand more")) as (server, model):
        reply = model.chat([Message("user", "?")], max_tokens=800, stop=["\n"], guide=json_guide(schema))
        short = model.chat([Message("user", "?")], max_tokens=5)
        with pytest.raises(LanguageModelError, match='takes no guide = "grammar"'):
            model.chat([Message("user", "?")], max_tokens=5, guide=Guide("grammar", "x"))
    assert (reply.text, reply.finish, reply.reasoned) == ("yes", "stop", True)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens) == (11, 327, 4)
    assert (short.text, short.cut) == ("", True)
    assert ["messages" in asked for asked in server.asked] == [True, False, False, False]
    last = server.asked[2]
    assert last["input"] == [{"role": "user", "content": "?"}]
    assert last["text"]["format"] == {"type": "json_schema", "name": "reply", "schema": schema, "strict": True}
    assert last["store"] is False
    assert model.adjustments[0].startswith("this model is asked by the responses endpoint. The server: “This model is only")


# The same two tokens as each kind of server tells of them.
PROBABLE = [("Lake", -0.25), (" Quill", -0.5)]
CHAT = chat_reply("Lake Quill")
CHAT[1]["choices"][0]["logprobs"] = {"content": [{"token": text, "logprob": number} for text, number in PROBABLE]}
PLAIN: Served = (
    200,
    {"id": "1", "object": "text_completion", "created": 0, "model": "m",
     "choices": [{"index": 0, "text": "Lake Quill", "finish_reason": "stop",
                  "logprobs": {"tokens": ["Lake", " Quill"], "token_logprobs": [-0.25, -0.5]}}]},
)  # fmt: skip


@pytest.mark.parametrize(
    ("answered", "interface", "sent"),
    [
        (CHAT, "chat", {"logprobs": True}),
        (responses_reply("Lake Quill", PROBABLE), "responses", {"include": ["message.output_text.logprobs"]}),
        (PLAIN, "plain", {"logprobs": 1}),
    ],
)
def test_log_probabilities_are_asked_for_and_read(answered: Served, interface: str, sent: dict[str, object]) -> None:
    server = RecordedServer(lambda asked: answered)
    try:
        for wanted in (True, False):
            of_chat: Interface = "responses" if interface == "responses" else "chat"
            model = OpenAIEndpoint(server.url, "m", retries=0, interface=of_chat, log_probabilities=wanted)
            asked = (
                model.complete("?", max_tokens=5) if interface == "plain" else model.chat([Message("user", "?")], max_tokens=5)
            )
            assert asked.tokens == tuple(PROBABLE)
            assert asked.log_probability == pytest.approx(-0.75)
    finally:
        server.close()
    assert {name: server.asked[0][name] for name in sent} == sent
    assert not sent.keys() & server.asked[1].keys()


def test_a_model_that_gives_no_log_probabilities_is_asked_without_them() -> None:
    refusal = recorded.openai_error(403, "You are not allowed to request logprobs from this model.")
    server = RecordedServer(lambda asked: refusal if "logprobs" in asked else chat_reply("yes"))
    try:
        model = OpenAIEndpoint(server.url, "m", retries=0, log_probabilities=True)
        assert [model.chat([Message("user", "?")], max_tokens=5).text for _ in range(2)] == ["yes", "yes"]
    finally:
        server.close()
    assert len(server.asked) == 3
    assert model.adjustments[0].startswith("logprobs is not taken by this model, so it is left out.")


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
