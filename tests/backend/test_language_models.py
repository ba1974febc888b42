"""The seam to language models: the packaged model's file, and what an endpoint's failures become."""

import httpx
import openai
import pytest

from backend import language_models
from backend.errors import LanguageModelError
from backend.language_models import Message, OpenAIEndpoint, ScriptedModel, packaged_weights

KEY = "sk-secret-of-mine"


def endpoint(handler) -> OpenAIEndpoint:
    """An endpoint whose server is a function from request to response."""
    made = OpenAIEndpoint("http://localhost:1/v1", "some-model", KEY, retries=0)
    transport = httpx.Client(transport=httpx.MockTransport(handler))
    made._made = openai.OpenAI(base_url="http://localhost:1/v1", api_key=KEY, max_retries=0, http_client=transport)
    return made


def test_reads_text_and_token_counts():
    reply = {
        "id": "1", "object": "chat.completion", "created": 0, "model": "some-model",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "yes"}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 1, "total_tokens": 8},
    }  # fmt: skip
    found = endpoint(lambda request: httpx.Response(200, json=reply)).chat([Message("user", "?")], max_tokens=5)
    assert (found.text, found.prompt_tokens, found.completion_tokens) == ("yes", 7, 1)


@pytest.mark.parametrize(
    ("status", "words"), [(401, "key is missing or wrong"), (404, "no such model"), (429, "too many"), (503, "failed")]
)
def test_a_refusal_is_told_in_words_without_the_key(status, words):
    model = endpoint(lambda request: httpx.Response(status, json={"error": {"message": f"bad key {KEY}"}}))
    with pytest.raises(LanguageModelError, match=words) as caught:
        model.complete("?", max_tokens=5)
    assert KEY not in caught.value.message


def test_garbage_and_silence_are_told_in_words():
    garbage = endpoint(lambda request: httpx.Response(200, text="<html>hello</html>"))
    with pytest.raises(LanguageModelError, match="not of the OpenAI kind"):
        garbage.complete("?", max_tokens=5)

    def silent(request):
        raise httpx.ConnectError("refused")

    with pytest.raises(LanguageModelError, match="Nothing answers at"):
        endpoint(silent).complete("?", max_tokens=5)


def test_without_its_package_the_model_comes_from_the_hub_or_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(language_models.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(LanguageModelError, match="make install"):
        packaged_weights()  # tests are offline
    asked = []

    def download(repository, file, revision):
        asked.append((repository, file, revision))
        return str(tmp_path / file)

    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    assert packaged_weights().name == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert asked[0][0] == language_models.HUB_REPOSITORY


def test_a_scripted_model_stops_where_it_is_told_and_keeps_its_prompts():
    model = ScriptedModel(lambda prompt: "one\ntwo")
    assert model.complete("?", max_tokens=5, stop=["\n"]).text == "one"
    assert model.prompts == ["?"]
