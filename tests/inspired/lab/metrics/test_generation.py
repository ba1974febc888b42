"""Scores of generated questions against hand counts and direct computations."""

import json
from collections import Counter
from collections.abc import Sequence
from math import exp, log
from pathlib import Path
from typing import Any

import pytest

from backend.errors import InspiredError
from backend.text.tokens import words
from inspired.lab.metrics.bertscore import bert_score
from inspired.lab.metrics.dialogues import read_split
from inspired.lab.metrics.generation import Generated, lexical_match, read_predictions, score_generated
from inspired.lab.metrics.ngrams import ngrams

# Human and machine questions of Tables 14 and 15.
PAPERS = [
    ("Which of these people played the role of toki?", "Which of the above named people did the voice of toki?"),
    ("who has suffer from addison's disease?", "What famous person has addison's disease?"),
    ("What district does that person represent?", "What district does that politician represent?"),
    ("who are the children of walt disney?", "who were walt disney's kids?"),
    ("what kind of currency do they use?", "what is the name of the currency used in that country?"),
]


def generated(pairs: Sequence[tuple[str, str]]) -> list[Generated]:
    return [Generated(machine, human, "") for machine, human in pairs]


def bleu(pairs: Sequence[tuple[str, str]], longest: int) -> float:
    """Papineni et al. 2002, equations of section 2.3, for one reference; texts are plain words here."""
    split = [(one.lower().replace("?", " ?").split(), other.lower().replace("?", " ?").split()) for one, other in pairs]
    precisions = []
    for n in range(1, longest + 1):
        counts = [(Counter(ngrams(one, n)), Counter(ngrams(other, n))) for one, other in split]
        precisions.append(sum((one & other).total() for one, other in counts) / sum(one.total() for one, _ in counts))
    made, wanted = sum(len(one) for one, _ in split), sum(len(other) for _, other in split)
    brevity = min(1.0, exp(1 - wanted / made))
    return 100 * brevity * exp(sum(map(log, precisions)) / longest)


def test_bleu_as_computed_directly() -> None:
    scores = score_generated(generated(PAPERS))
    plain = [pair for pair in PAPERS if "'" not in "".join(pair)]
    assert score_generated(generated(plain)).bleu_2 == pytest.approx(bleu(plain, 2))
    assert score_generated(generated(plain)).bleu_4 == pytest.approx(bleu(plain, 4))
    assert scores.pairs == 5
    assert "case:lc" in scores.bleu
    assert scores.same == 0
    assert scores.shorter == 2 / 5  # on toki's role and on the currency; two pairs have equally many words
    assert (scores.bert_score, scores.no_bert_score) == (None, "no model was given; the usual one is roberta-large")


def test_the_same_questions() -> None:
    scores = score_generated(generated([(human, human) for _, human in PAPERS]))
    assert (scores.bleu_2, scores.bleu_4) == pytest.approx((100, 100))
    assert (scores.same, scores.shorter) == (1, None)


def test_lexical_match_by_hand() -> None:
    # who, lived, in of four words; all of two; the last pair does not count.
    pairs = [("Who has lived in?", "Is/are the person who lived in what?"), ("what what", "what"), ("", "a")]
    assert lexical_match(pairs) == pytest.approx((3 / 4 + 1) / 2)
    assert lexical_match([("a", "")]) is None


def test_predictions_belong_to_dialogues(file_of_three: Path, tmp_path: Path) -> None:
    dialogues = read_split(file_of_three)
    path = tmp_path / "predictions.jsonl"
    path.write_text('{"id": "b", "sub_questions": ["Whose capital is Lima?", "x"], "score": 1}\n', "utf-8")
    first, second = read_predictions(path, dialogues)
    assert first.human == "Lima is the capital where?"
    assert first.template == "What is/are the country with the capital Lima?"
    assert second.question == "x"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([{"id": "z", "sub_questions": []}], "no dialogue has the id 'z'"),
        ([{"id": "a", "sub_questions": ["x"]}], "'a' has 1 sub_questions; its dialogue has 2"),
        ([{"id": "a", "sub_questions": ["x", "y"]}] * 2, "'a' comes twice"),
        ([{"id": "a"}], "line 1: sub_questions"),
        ([], "no sub-question"),
    ],
)
def test_predictions_that_fit_nothing(file_of_three: Path, tmp_path: Path, lines: list[Any], told: str) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    with pytest.raises(InspiredError, match=told):
        read_predictions(path, read_split(file_of_three))


def test_ids_must_be_of_one_dialogue(file_of_three: Path, tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text('{"id": "a", "sub_questions": ["x", "y"]}', "utf-8")
    with pytest.raises(InspiredError, match="2 dialogues have the id 'a'"):
        read_predictions(path, read_split(file_of_three) * 2)


@pytest.fixture(scope="module")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("bert")
    said = sorted({word for pair in PAPERS for text in pair for word in words(text)})
    listed = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "?", *said]
    BertTokenizer(vocab={word: number for number, word in enumerate(listed)}).save_pretrained(folder)
    sizes = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 64}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        BertModel(BertConfig(vocab_size=len(listed), max_position_embeddings=64, **sizes)).save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_bert_score_one_pair_at_a_time(tiny_bert: Path) -> None:
    """Equations of section 3 of Zhang et al. 2020, without batches; tokens at the ends match but do not count."""
    import torch
    from transformers import BertModel, BertTokenizer

    tokenizer, model = BertTokenizer.from_pretrained(tiny_bert), BertModel.from_pretrained(tiny_bert).eval()

    def vectors(text: str) -> torch.Tensor:
        with torch.no_grad():
            hidden = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        return hidden / hidden.norm(dim=1, keepdim=True)

    scores = []
    for one, other in PAPERS:
        likeness = vectors(one) @ vectors(other).T
        precision = likeness[1:-1].max(dim=1).values.mean()
        recall = likeness[:, 1:-1].max(dim=0).values.mean()
        scores.append(float(2 * precision * recall / (precision + recall)))
    found, reason = bert_score(PAPERS, str(tiny_bert))
    assert found == pytest.approx(100 * sum(scores) / len(scores), abs=1e-3)
    assert reason is None
    assert bert_score([(human, human) for _, human in PAPERS], str(tiny_bert))[0] == pytest.approx(100, abs=1e-3)
    assert bert_score([("", "who?")], str(tiny_bert))[0] == 0


@pytest.mark.slow
def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    score, reason = bert_score(PAPERS, str(tmp_path / "none"))
    assert score is None
    assert reason is not None
    assert "none cannot be loaded" in reason
