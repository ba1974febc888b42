"""The decoder: parses are written as symbols and read back alike, and NumPy computes what torch was trained with."""

import random

import numpy as np
import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.language.row_state import rows_after
from ttm.parsers.learned.decoder.decoded_readings import with_listed
from ttm.parsers.learned.decoder.decoder_file import decoder, read_words
from ttm.parsers.learned.decoder.parse_decoder import DecoderInput, _WrittenSymbols
from ttm.parsers.learned.decoder.symbols import LISTED, symbol_table, written_items
from ttm.parsers.learned.encoder.encoder_input import encoder_input
from ttm.parsers.learned.encoder.item_words import ItemWords
from ttm.parsers.learned.encoder.network import LEARNED, network, open_tokenizer, table_vectors
from ttm.parsers.learned.encoder.schema_items import items_of
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.understanding import ALONE, DialogueContext

SCHEMA = SCHEMAS["titanic"]
ITEMS = written_items(items_of(SCHEMA))


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        ("how many women over 40", "filter sex female and filter age greater than 40 and countdata"),
        ("not the women", "filter sex not female"),
        ("men or a fare of 1", "filter sex male or filter fare equal to 1 and predict"),
        ("women against men", "filter sex female versus filter sex male and score accuracy"),
        ("who survived", "labelfilter 1 and show"),
        ("number 12 with age 50", "filter id 12 and change age set 50 and predict"),
        ("risk above 70 %", "probabilityfilter 1 greater than 0.7 and countdata"),
        ("a man of 30", "instance sex male age 30 and likelihood"),
        ("the three most important", "important topk 3"),
    ],
)
def test_a_parse_is_written_as_symbols_and_read_back(message: str, parse: str) -> None:
    read = grammar_of(SCHEMA).read(parse)
    table = symbol_table(read_words(LEARNED), ITEMS, tokenise(message), ALONE)
    symbols = table.symbols([text for _, text in read.items()], [str(joiner) for joiner, _ in read.items()[1:]])
    assert symbols is not None
    assert grammar_of(SCHEMA).read(table.surface(symbols[:-1])) == read


def test_a_number_that_nobody_said_cannot_be_written() -> None:
    table = symbol_table(read_words(LEARNED), ITEMS, tokenise("the old ones"), ALONE)
    assert table.symbols(["filter age greater than 61.25"], []) is None


def test_what_the_turn_before_had_is_copied_whole() -> None:
    before = grammar_of(SCHEMA).read("filter age greater than 61.25 and predict")
    context = DialogueContext(parse=before, rows=rows_after(before, None))
    table = symbol_table(read_words(LEARNED), ITEMS, tokenise("and the women of those"), context)
    symbols = table.symbols(["filter age greater than 61.25", "filter sex female"], ["and"])
    assert symbols is not None
    assert len(symbols) == 5  # the copy, `and`, `filter`, the value, the end
    assert table.surface(symbols[:-1]) == "filter age greater than 61.25 and filter sex female"


@pytest.mark.parametrize(
    ("message", "listed", "wanted"),
    [
        ("why the second one", ("7", "9"), "filter id 9 and explain features"),
        ("the last one, why", ("7", "9", "11"), "filter id 11 and explain features"),
        ("and that one?", ("7",), "filter id 7 and explain features"),
        ("the fourth", ("7", "9"), None),
        ("that one", (), None),
    ],
)
def test_a_row_of_the_list_gets_its_id(message: str, listed: tuple[str, ...], wanted: str | None) -> None:
    assert with_listed(f"filter id {LISTED} and explain features", tokenise(message), listed) == wanted


@pytest.mark.slow
def test_numpy_writes_as_torch_was_trained() -> None:
    torch = pytest.importorskip("torch")
    from ttm.lab.learning.decoding.network import TrainedDecoder, decoder_batch
    from ttm.lab.learning.decoding.targets import DecodingExample

    net, written_by, message = network(LEARNED), decoder(LEARNED), "and the women over 40, how many of those were wrong?"
    before = grammar_of(SCHEMA).read("filter fare equal to 1 and predict")
    context = DialogueContext(parse=before, rows=rows_after(before, None), operations=())
    tokens = tokenise(message)
    table = symbol_table(written_by.words, ITEMS, tokens, context)
    symbols = table.symbols(["filter sex female", "filter fare equal to 1", "mistake count"], ["and", "and"])
    assert symbols is not None
    model = TrainedDecoder(len(written_by.words))
    shapes = {name: value.shape for name, value in model.state_dict().items()}
    model.load_state_dict({name: torch.tensor(written_by._weights[name]).reshape(shape) for name, shape in shapes.items()})
    model.eval()
    read = encoder_input(open_tokenizer(), message, tokens, [], "predict ( where ) : first class")
    states, vectors = net.read(read), table_vectors(ITEMS).vectors
    relations = ItemWords(ITEMS).relations(tokens, [])
    steps = _WrittenSymbols(
        written_by._weights, DecoderInput(states.pieces, states.segments, states.words, vectors, relations), table
    )
    total, last = 0.0, 0
    for symbol in symbols:
        total += float(steps.next(np.array([last]))[0, symbol])
        last = symbol
    example = DecodingExample(table, relations.astype(np.float16), (tuple(symbols),))
    batch = decoder_batch([example], [read.words], [torch.tensor(vectors)], len(read.pieces), random.Random(0))
    with torch.no_grad():
        parts = (torch.tensor(states.pieces)[None], torch.tensor(states.segments)[None], torch.ones(1, len(read.pieces)))
        assert -float(model.loss(*parts, batch)) == pytest.approx(total, abs=0.02)
