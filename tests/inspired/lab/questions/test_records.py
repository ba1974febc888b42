"""The file that `generate` writes, and the words for single steps."""

import json
import random
from pathlib import Path

import pytest

from backend.errors import InspiredError
from inspired.__main__ import main
from inspired.decomposition.decompose import decompose
from inspired.knowledge_base.graph import Graph
from inspired.lab.cwq import decomposed, read_records
from inspired.lab.questions.generator import generate
from inspired.lab.questions.links import Links
from inspired.lab.questions.step_words import say_steps
from inspired.lab.questions.ties import attributes
from inspired.lab.questions.wording import WordingLexicon, read_wording
from inspired.logical_form.forms import Entity, walk
from inspired.logical_form.sparql_reader import read_sparql
from tests.inspired.conftest import Query


@pytest.mark.slow
def test_other_commands_read_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, again = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    for path in (first, again):
        assert main(["generate", "--out", str(path), "--count", "40", "--seed", "9", "--wording", "held-out"]) == 0
    assert first.read_bytes() == again.read_bytes()
    assert "40 questions" in capsys.readouterr().out
    records = list(read_records(first))
    assert len({each.id for each in records}) == 40
    for record in records:
        told = decomposed(record)
        assert told["error"] is None
        assert told["templated"]
        named = {each.id for each in walk(read_sparql(record.sparql)) if isinstance(each, Entity) and not each.is_type}
        assert named == set(record.topic_entity)
    for line in first.read_text("utf-8").splitlines():
        record_ = json.loads(line)
        assert record_["compositionality_type"] in ("composition", "conjunction", "comparative", "superlative", "simple")
        assert all(each["answer"] for each in record_["answer"])


def test_another_graph_can_be_given(tmp_path: Path) -> None:
    village = Path(__file__).with_name("village.ttl")
    assert main(["generate", "--out", str(tmp_path / "made.jsonl"), "--count", "20", "--kb", str(village)]) == 0
    assert len((tmp_path / "made.jsonl").read_text("utf-8").splitlines()) == 20
    with pytest.raises(InspiredError, match="at least 1"):
        main(["generate", "--out", str(tmp_path / "made.jsonl"), "--count", "0"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["train", "held-out"])
def test_every_step_has_words_that_name_its_entities(world: Graph, name: str) -> None:
    lexicon = WordingLexicon(read_wording(name), Links(world, attributes()), guesses=False)
    for number, question in enumerate(generate(world, 13, 120, name)):
        steps = decompose(question.form)
        said = say_steps(steps, question.names, lexicon, random.Random(number))
        assert len(said) == len(steps.steps)
        for words, step in zip(said, steps.steps, strict=True):
            assert words, question
            main_ends = [end for triple in step.main for end in (triple.subject, triple.object)]
            for end in main_ends:
                if isinstance(end, Entity) and not end.id.startswith("m.type_"):
                    assert question.names[end.id].casefold().removeprefix("the ") in words.casefold()


def test_steps_of_other_knowledge_bases_have_no_words_here(world: Graph, queries: list[Query]) -> None:
    lexicon = WordingLexicon(read_wording("held-out"), Links(world, attributes()), guesses=False)
    for query in queries:
        steps = decompose(read_sparql(query.sparql))
        said = say_steps(steps, query.names, lexicon, random.Random(0))
        assert len(said) == len(steps.steps)
