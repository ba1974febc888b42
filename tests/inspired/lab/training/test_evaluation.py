"""Scores, against outputs for which they are known."""

import pytest

from backend.models.sequence_models.scripted import ScriptedSequenceModel
from backend.models.sequence_models.seam import BeamSearch, GeneratedText, TextPair
from inspired.lab.training.evaluation import evaluate
from inspired.lab.training.examples import TrainingExample
from inspired.lab.training.run import split

FORM = "<sparql-header-1> ?c ns:a.b.c #entity1# . ?c ns:a.b.d ?x ."
SAME = "<sparql-header-1> ?c ns:a.b.d ?x . ?c ns:a.b.c #entity1# ."
OTHER = "<sparql-header-1> ?c ns:a.b.d ?x ."


def examples(target, count):
    return [
        TrainingExample(str(number), TextPair(f"q{number}", target), ("m.1",), {"m.1": "Lou Seal"}) for number in range(count)
    ]


def scripted(*outputs):
    listed = [[GeneratedText(text, -float(place)) for place, text in enumerate(texts)] for texts in outputs]
    return ScriptedSequenceModel({f"q{number}": candidates for number, candidates in enumerate(listed)})


def test_the_first_output_that_reads_counts():
    model = scripted([FORM], ["nonsense (", SAME], [OTHER, FORM], [OTHER], [])
    done = []
    scores = evaluate("parser", model, examples(FORM, 5), BeamSearch(), done.append)
    assert (scores.examples, scores.exact, scores.same, scores.among) == (5, 0.2, 0.4, pytest.approx(0.6))
    assert sum(done) == 5
    assert "exact match 20.0%, same meaning 40.0% (among all outputs 60.0%) over 5 examples" in str(scores)


def test_steps_are_compared_by_meaning():
    model = scripted(["?c ns:a.b.c #entity1# ."], ["?k ns:a.b.c #entity1# ."], ["?c ns:a.b.c #entity2# ."])
    scores = evaluate("correction", model, examples("?c ns:a.b.c #entity1# .", 3), BeamSearch(), lambda count: None)
    assert (scores.exact, scores.same) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_wordings_are_scored_with_the_names_in_place():
    said = "who is the mascot #entity1# of that good old team?"
    perfect = evaluate("subquestion", scripted([said], [said]), examples(said, 2), BeamSearch(), lambda count: None)
    assert (perfect.bleu_2, perfect.bleu_4) == (pytest.approx(100), pytest.approx(100))
    # Two of two words, one of one pair; as long as half of what was wanted: BLEU-2 = exp(1 - 4 / 2).
    half = evaluate("subquestion", scripted(["a #entity1#"]), examples("a #entity1# b", 1), BeamSearch(), lambda count: None)
    assert 0 < half.bleu_2 < 100


def test_records_stay_whole_when_examples_are_split():
    many = [TrainingExample(str(number // 3), TextPair("q", "t"), (), {}) for number in range(60)]
    learnt, held = split(many, 0.25, seed=3)
    assert (len(learnt), len(held)) == (45, 15)
    assert not {each.record for each in learnt} & {each.record for each in held}
    assert split(many, 0.25, seed=3) == (learnt, held) != split(many, 0.25, seed=4)
    assert split(many, 0.0, seed=3) == (many, [])
