"""The default parser as a whole: it never fails, knows what it was taught, and NumPy computes what torch was trained with."""

import numpy as np
import pytest

from backend.errors import LanguageModelError
from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.language.row_state import rows_after
from ttm.parsers import ALONE, DialogueContext, LearnedParser, LinkingParser, default_parser
from ttm.parsers.learned.decoder.decoder_file import read_words
from ttm.parsers.learned.decoder.parse_decoder import DECODER
from ttm.parsers.learned.encoder.encoder_input import encoder_input
from ttm.parsers.learned.encoder.network import LEARNED, network, open_tokenizer, quantised
from ttm.parsers.learned.encoder.roles import INGREDIENTS, ingredients_of
from ttm.parsers.linker.words.tokens import tokenise

SCHEMA = SCHEMAS["titanic"]


@pytest.fixture(scope="module")
def parser() -> LearnedParser:
    return LearnedParser(SCHEMA)


def after(parse: str, utterance: str) -> DialogueContext:
    read = grammar_of(SCHEMA).read(parse)
    return DialogueContext(parse=read, utterance=utterance, rows=rows_after(read, None))


@pytest.mark.parametrize("text", ["", " ", "?!", "\n\n", "🚢" * 40, "12 " * 200, "a" * 3000, "null \x00 byte", "٣٤ и 中文"])
@pytest.mark.slow
def test_any_text_gives_an_understanding(parser: LearnedParser, text: str) -> None:
    understanding = parser.understand(text)
    assert understanding.utterance == text
    assert understanding.candidates or understanding.question


def test_candidates_are_parses_of_the_data_set_with_falling_confidence(parser: LearnedParser) -> None:
    candidates = parser.understand("how sure is it for the women in first class").candidates
    assert 1 <= len(candidates) <= 5
    confidences = [one.confidence for one in candidates]
    assert confidences == sorted(confidences, reverse=True)
    for one in candidates:
        assert grammar_of(SCHEMA).read(str(one.parse)) == one.parse


def test_why_after_a_prediction_is_about_the_same_rows(parser: LearnedParser) -> None:
    understanding = parser.understand("why?", after("filter id 5 and predict", "what does it say for number 5"))
    assert understanding.best is not None
    ingredients = ingredients_of(understanding.best.parse)
    assert "explain features" in ingredients
    assert ingredients & {"previous rows", "row"}


def test_thanks_are_no_request(parser: LearnedParser) -> None:
    understanding = parser.understand("thank you very much, that was helpful", after("predict", "what does it predict"))
    assert not understanding.in_scope
    assert understanding.question is not None
    assert understanding.question.startswith("You are welcome.")


def test_the_same_message_is_understood_alike_every_time(parser: LearnedParser) -> None:
    text = "kids under 10 who drowned, how many"
    assert parser.understand(text, ALONE) == LearnedParser(SCHEMA).understand(text, ALONE)


def test_without_word_vectors_rules_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise LanguageModelError("all-MiniLM-L6-v2 is not on this computer.")

    monkeypatch.setattr("ttm.parsers.LearnedParser", missing)
    assert isinstance(default_parser(SCHEMA), LinkingParser)


def test_eight_bits_keep_what_was_learned() -> None:
    matrix = np.random.default_rng(0).normal(size=(300, 200)).astype(np.float32)
    stored = quantised({"m": matrix, "b": matrix[0]})
    restored = stored["m"].astype(np.float32) * np.asarray(stored["m.scale"], np.float32)[:, None]
    assert np.abs(restored - matrix).max() <= np.abs(matrix).max() / 127
    assert stored["b"].dtype == np.float32


@pytest.mark.slow
def test_numpy_computes_what_torch_does() -> None:
    torch = pytest.importorskip("torch")
    from ttm.lab.learning.training import Heads

    net = network(LEARNED)
    model = Heads(len(read_words(LEARNED)))
    shapes = {name: value.shape for name, value in model.state_dict().items()}
    state = {name: torch.tensor(net.weights[name]).reshape(shape) for name, shape in shapes.items() if name in net.weights}
    others = {name for name in shapes if name not in state and not name.startswith(DECODER)}
    assert others <= {
        "encoder.embeddings.position_ids",
        "encoder.embeddings.token_type_ids",
    }
    model.load_state_dict(state, strict=False)
    model.eval()
    text = "and the women over 40, how many of those were wrong?"
    read = encoder_input(open_tokenizer(), text, tokenise(text), [], "predict ( row ) : number 5")
    with torch.no_grad():
        batch = [torch.tensor(part)[None] for part in (read.pieces, read.segments, read.kinds, np.ones_like(read.pieces))]
        _, pooled = model.states(*batch)
        wanted = model.ingredient(torch.tanh(model.ingredient_hidden(pooled)))[0].numpy()
    assert net.read(read).ingredients == pytest.approx(wanted, abs=2e-3)
    assert len(wanted) == len(INGREDIENTS)
