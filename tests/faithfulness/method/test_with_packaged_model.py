"""The real thing, offline: SmolLM2 behind the in-process server, and the packaged sentence embeddings."""

import pytest

from backend.models.embeddings import SentenceEmbedder
from backend.models.language_models import PackagedModel, packaged_is_installed
from faithfulness.method.correctness import Metric, MetricClause
from faithfulness.method.explain import Plan, explain
from faithfulness.method.prompting import Continuation
from faithfulness.method.sample import read_examples

pytestmark = pytest.mark.skipif(not packaged_is_installed(), reason="the packaged model is not installed")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch and its libraries, while they are imported
def test_embeddings_accept_what_the_words_do_not():
    metric = Metric(SentenceEmbedder())
    assert metric.judge(["2026"], "the year 2026").clause is MetricClause.EMBED
    assert not metric.judge(["Copernicus"], "Nicolaus Copernicus").correct  # cosine .880


@pytest.mark.slow
def test_takes_an_answer_of_a_real_model_apart():
    sample = next(sample for sample in read_examples() if sample.title == "Coffee")
    report = list(explain(sample, PackagedModel(threads=1), Continuation(), Metric(), Plan()))[-1]
    assert report.full.exchange.reading.answer
    assert report.full.exchange.reply.prompt_tokens > 300
    assert 2 <= len(report.calls) <= Plan().most_calls()
    assert report.done
