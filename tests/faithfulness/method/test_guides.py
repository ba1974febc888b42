"""Replies that are held to a form: what the server is told, how it is read, and one real server that keeps to it."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import FaithfulnessError
from backend.models.language_models import WAYS, PackagedModel, Reply, ScriptedModel, packaged_is_installed
from faithfulness.method.prompting import (
    ANSWER_GRAMMAR,
    GRAMMAR_WAYS,
    PARTS_SCHEMA,
    PROTOCOLS,
    Chat,
    Continuation,
    read_shots,
)
from faithfulness.method.reading import read_json_parts
from faithfulness.runs.call_store import CallStore, Counter, RememberingModel
from faithfulness.runs.profiles import Profile, profile_of

PASSAGE = "The riots lasted from August 11 to 16, 1965, in Watts."
GOOD = {"thought": "so it says", "keywords": ["August 11 to 16, 1965", "Watts."], "short_answer": "Watts"}


class Keeping(ScriptedModel):
    """Keeps the guides that it is given."""

    def __init__(self, answer):
        super().__init__(answer)
        self.guides = []

    def chat(self, messages, *, guide=None, **options):
        self.guides.append(guide)
        return super().chat(messages, **options)

    def complete(self, prompt, *, guide=None, **options):
        self.guides.append(guide)
        return super().complete(prompt, **options)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_is_a_request_and_fits_the_chat_protocol(way):
    model = Keeping(lambda prompt: json.dumps(GOOD))
    exchange = Chat(way).explain(model, "where", PASSAGE)
    assert exchange.reading.keywords == ("August 11 to 16, 1965", "Watts")  # a list is taken as it stands
    assert not exchange.reading.malformed
    told = next(guide for guide in model.guides if guide is not None)
    assert told.way == way
    assert json.loads(json.dumps(told.fields)) == told.fields
    assert ("grammar" in json.dumps(told.fields)) == (way in GRAMMAR_WAYS)


def test_the_schema_goes_where_openai_wants_it():
    told = Chat("json_schema").guide.fields["response_format"]["json_schema"]
    assert told["schema"] == PARTS_SCHEMA
    assert told["strict"] is True
    assert set(PARTS_SCHEMA["required"]) == set(PARTS_SCHEMA["properties"])  # strict mode demands it


@pytest.mark.parametrize(
    "reply",
    [
        "Thought: a\nKeywords: b\nShort answer: c",
        json.dumps({**GOOD, "short_answer": " "}),
        json.dumps({**GOOD, "short_answer": None}),
        json.dumps({"short_answer": "Watts"}),
        json.dumps(GOOD)[:-3],
    ],
)
def test_json_without_its_parts_is_malformed(reply):
    reading = read_json_parts(reply)
    assert reading.malformed
    assert reading.answer == ""


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (f"Sure! {json.dumps(GOOD)}", "Watts"),
        (json.dumps([GOOD]), "Watts"),
        (json.dumps({**GOOD, "more": 1}), "Watts"),
        (json.dumps({**GOOD, "keywords": "Watts"}), "Watts"),
        (json.dumps({**GOOD, "short_answer": 1965}), "1965"),
    ],
)
def test_json_of_nearly_the_form_is_read_and_counted(reply, answer):
    reading = read_json_parts(reply)
    assert (reading.answer, reading.lenient) == (answer, True)
    assert "Watts" in reading.keywords or "Watts." in reading.keywords
    assert not read_json_parts(json.dumps(GOOD)).lenient


@given(
    thought=st.text(),
    keywords=st.lists(st.text()),
    answer=st.from_regex(r"\w[\w .]*\w", fullmatch=True).filter(str.isprintable),
)
def test_whatever_stands_in_the_fields_is_read(thought, keywords, answer):
    reading = read_json_parts(json.dumps({"thought": thought, "keywords": keywords, "short_answer": answer}))
    assert reading.answer == answer
    assert len(reading.keywords) <= len(keywords)


def test_the_worked_examples_keep_the_form_that_is_asked_for():
    for shot in read_shots():
        assert read_json_parts(Chat("json_schema").example(shot)).keywords == shot.keywords
        assert Continuation().example(shot).splitlines()[1].startswith("Keywords: ")


def test_continuation_takes_grammars_only():
    with pytest.raises(FaithfulnessError, match='guide = "json_schema" is for the chat protocol; continuation takes'):
        profile_of("some", protocol="continuation", guide="json_schema").open_protocol()
    model = Keeping(lambda prompt: " Watts\nKeywords: Watts")
    Continuation("grammar").explain(model, "where", PASSAGE)
    Continuation("grammar").answer(model, "where", None)
    first, second = model.guides
    assert first.fields.keys() == {"grammar"}
    assert second.text == ANSWER_GRAMMAR


def test_the_name_of_a_protocol_says_its_guide():
    for name, protocol in PROTOCOLS.items():
        assert protocol("grammar").name == f"{protocol().name}, replies guided by grammar", name


def test_a_guide_is_part_of_what_was_asked(tmp_path):
    store = CallStore(tmp_path / "calls.sqlite")
    inner = Keeping(lambda prompt: f" {len(inner.prompts)}")
    model = RememberingModel(inner, store, ("scripted",), Counter())
    asked = [Continuation(way).answer(model, "where", PASSAGE) for way in (None, "grammar", "guided_grammar", None, "grammar")]
    assert [each.reply.text for each in asked] == [" 1", " 2", " 3", " 1", " 2"]
    assert isinstance(asked[0].reply, Reply)
    store.close()


def test_profiles_say_how_a_model_is_run():
    packaged, through = profile_of("SmolLM2-135M-Instruct"), profile_of("transformers:SmolLM2-135M-Instruct")
    assert (through.protocol, through.in_flight) == ("continuation", 4)
    assert "deterministic" in profile_of("SmolLM2-135M-Instruct", deterministic=True).engine
    assert through.engine.startswith("transformers, float32")
    assert profile_of("transformers:/some/folder").protocol == "chat"
    different = [packaged, through, packaged.model_copy(update={"deterministic": True}),
                 profile_of("transformers:SmolLM2-135M-Instruct", dtype="bfloat16"),
                 profile_of("SmolLM2-135M-Instruct", "http://localhost:1/v1")]  # fmt: skip
    assert len({each.identity() for each in different}) == len(different)
    assert profile_of("x", guide="json_schema").guide == "json_schema"
    assert profile_of("x", guide="none").guide is None
    for bad, words in (({"guide": "wish"}, "guide cannot be 'wish'"), ({"dtype": "int4"}, "dtype cannot be")):
        with pytest.raises(FaithfulnessError, match=words):
            profile_of("x", **bad)
    with pytest.raises(FaithfulnessError, match="transformers takes none"):
        profile_of("transformers:x", guide="grammar").open_protocol()


def test_a_run_that_was_stored_before_there_were_guides_is_still_read():
    old = {"protocol": "continuation", "base_url": None, "key": "K", "packaged": True, "in_flight": 1,
           "prompt_price": 0.0, "completion_price": 0.0}  # fmt: skip
    assert Profile.model_validate({"name": "SmolLM2-135M-Instruct", **old}).identity() == ("SmolLM2-135M-Instruct", "packaged")


@pytest.mark.slow
@pytest.mark.skipif(not packaged_is_installed(), reason="the packaged model is not installed")
def test_a_real_server_keeps_to_the_grammars():
    model, guided = PackagedModel(threads=1), Continuation("grammar")
    prompt = "Question: capital of France?\nAnswer: Paris\n\nQuestion: capital of Italy?\nAnswer:"
    free, held = (model.complete(prompt, max_tokens=24, stop=["\n\n"], guide=each) for each in (None, guided._lines))
    assert "Keywords:" not in free.text
    assert re.fullmatch(r" ?\S[^\n]*\nKeywords:[^\n]*\n*", held.text)
    assert held.text.splitlines()[0] == free.text.splitlines()[0]  # what fits anyway stays
    parts = model.complete("Say hello.", max_tokens=10, guide=Chat("grammar").guide)
    assert parts.text.startswith('{"thought": "')
