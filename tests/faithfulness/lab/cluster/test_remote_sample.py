"""A sample in another process: it is handed what is known of it, tells of the rest, and comes to the same."""

import pickle
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import FaithfulnessError
from backend.models.language_models import Reply, ScriptedModel
from faithfulness.lab.cluster.ray_cluster import shares
from faithfulness.lab.cluster.remote_sample import Broken, Errand, Event, Made, News, SampleWorker, errand, kept
from faithfulness.method.correctness import CorrectnessVerdict, Metric
from faithfulness.method.explain import Plan
from faithfulness.runs.call_store import CallStore, Counter, RememberingModel
from faithfulness.runs.profiles import Profile, profile_of
from faithfulness.runs.rows import Row, read_rows
from faithfulness.runs.runner import Failed, Finished, Setup, in_threads
from tests.faithfulness.planted import Endpoint, reply_to

CALLS_A_SAMPLE = 10


@pytest.fixture
def row(rows_file: Path) -> Row:
    found = next(read_rows(str(rows_file)))
    assert isinstance(found, Row)
    return found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CallStore]:
    made = CallStore(tmp_path / "calls.sqlite")
    yield made
    made.close()


def setup_with(store: CallStore, profile: Profile, plan: Plan) -> Setup:
    model = ScriptedModel(lambda prompt: str(reply_to(prompt)["choices"][0]["text"]), profile.name)
    return Setup(RememberingModel(model, store, profile.identity(), Counter()), profile.open_protocol(), Metric(), plan)


def told_by(worker: SampleWorker, row: Row, known: Mapping[str, Reply]) -> list[Event]:
    news = worker.begin(row, known)
    return [*news.events, *rest_of(worker, news)]


def rest_of(worker: SampleWorker, news: News) -> Iterator[Event]:
    while not news.over:
        news = worker.more()
        yield from news.events


def planted(endpoint: Endpoint) -> Profile:
    return profile_of("planted", endpoint.url, protocol="continuation")


@pytest.mark.parametrize("plan", [Plan(), Plan(repeats=2), Plan(closed_book=False)], ids=["once", "twice", "open book"])
def test_all_that_is_kept_goes_along_and_nothing_else(plan: Plan, row: Row, store: CallStore, endpoint: Endpoint) -> None:
    setup = setup_with(store, planted(endpoint), plan)
    assert kept(row, setup) == {}
    [whole] = in_threads([row], setup, lambda: False)
    handed = kept(row, setup)
    assert len(handed) == len(store) == plan.repeats * (CALLS_A_SAMPLE - (not plan.closed_book))
    assert all(store.get(key) == reply for key, reply in handed.items())
    worker = SampleWorker(errand(planted(endpoint), setup, 2))
    assert told_by(worker, row, handed) == [whole]
    assert endpoint.requests == 0


@pytest.mark.parametrize("known", range(CALLS_A_SAMPLE))
def test_only_the_rest_is_asked_and_told_of(known: int, row: Row, store: CallStore, endpoint: Endpoint) -> None:
    setup = setup_with(store, planted(endpoint), Plan())
    list(in_threads([row], setup, lambda: False))
    handed = dict(sorted(kept(row, setup).items())[:known])
    *told, last = told_by(SampleWorker(errand(planted(endpoint), setup, 3)), row, handed)
    assert isinstance(last, Finished)
    assert {event.key for event in told if isinstance(event, Made)} == kept(row, setup).keys() - handed.keys()
    assert len(told) == endpoint.requests == CALLS_A_SAMPLE - known


def test_a_call_that_fails_is_told_of_and_its_sample_is_not_lost(row: Row, store: CallStore, endpoint: Endpoint) -> None:
    endpoint.trouble = lambda number: "garbage" if number == 4 else ""
    setup = setup_with(store, planted(endpoint), Plan())
    worker = SampleWorker(errand(planted(endpoint), setup, 1))
    events = told_by(worker, row, {})
    reason = "planted sent a reply that is not of the OpenAI kind."
    assert [event for event in events if not isinstance(event, Made)] == [Broken(reason), Failed(row, reason)]
    known = {event.key: event.reply for event in events if isinstance(event, Made)}
    assert isinstance(told_by(worker, row, known)[-1], Finished)
    assert set(endpoint.prompts.values()) == {1}


def test_a_worker_that_is_stopped_begins_nothing(row: Row, store: CallStore, endpoint: Endpoint) -> None:
    worker = SampleWorker(errand(planted(endpoint), setup_with(store, planted(endpoint), Plan()), 1))
    endpoint.delay = 0.1
    news = worker.begin(row, {})
    worker.stop()
    events = [*news.events, *rest_of(worker, news)]
    assert endpoint.requests == len(events) <= 2  # the second may have been on its way
    assert all(isinstance(event, Made) for event in events)
    assert worker.begin(row, {}) == News((), over=True)


def test_a_defect_does_not_pass_for_an_answer(row: Row, endpoint: Endpoint) -> None:
    worker = SampleWorker(Errand(planted(endpoint), Plan(), Defective(), at_once=1))
    with pytest.raises(ZeroDivisionError):
        told_by(worker, row, {})


class Defective(Metric):
    def judge(self, golds: Sequence[str], answer: str) -> CorrectnessVerdict:
        raise ZeroDivisionError


def test_the_key_travels_but_is_never_shown(
    row: Row, store: CallStore, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    sent = errand(planted(endpoint), setup_with(store, planted(endpoint), Plan()), 1)
    assert "sk-secret" not in repr(sent)
    assert pickle.loads(pickle.dumps(sent)).key == "sk-secret"
    event = Made("key", Reply("text", 3, 4, 0.5))
    assert pickle.loads(pickle.dumps(event)) == event


@given(st.integers(1, 256), st.lists(st.floats(1, 128), min_size=1, max_size=20))
def test_no_more_calls_are_in_flight_than_were_allowed(in_flight: int, nodes: list[float]) -> None:
    count, cpus, at_once = shares(profile_of("m", "http://x/v1", in_flight=in_flight), nodes)
    assert 1 <= count * at_once <= in_flight
    assert count * cpus <= sum(nodes)
    assert count == in_flight or in_flight - count * at_once < count  # and hardly fewer


@given(st.lists(st.floats(1, 128), min_size=1, max_size=20))
def test_a_model_that_runs_in_the_worker_has_each_node_to_itself(nodes: list[float]) -> None:
    count, cpus, at_once = shares(profile_of("SmolLM2-135M-Instruct"), nodes)
    assert (count, at_once) == (len(nodes), 1)
    assert all(cpus <= node for node in nodes)


def test_a_cluster_without_cpus_is_refused() -> None:
    with pytest.raises(FaithfulnessError, match="no node with a whole CPU"):
        shares(profile_of("m", "http://x/v1"), [])
