"""`python -m ttm learn`: teach the default parser from the corpus, and write what it learned as a file of weights.

Deterministic for a seed and a number of threads; takes up again what a killed run had finished. Needs the extra `local`.
"""

import argparse
import json
import random
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from backend.errors import DatasetError, SettingsError
from backend.program.extras import require
from ttm.lab.learning.corpus import CorpusDialogue, read_corpus
from ttm.lab.learning.schema_files import read_schemas
from ttm.parsers.learned.encoder.network import LEARNED
from ttm.tabular.data.schema import Schema

if TYPE_CHECKING:
    from ttm.lab.learning.training import Heads

CORPUS = Path("corpus")
EVIDENCE = "evidence.npz"  # in the folder of the corpus: what the ranking was fitted on
FROZEN = 3  # lowest layers of the encoder that stay as they are in weights that were learned before
FIRST_RATE, FURTHER_RATE = 1.5e-4, 1e-4  # the highest learning rate of the encoder, from nothing and from earlier weights
# Whole authors whom encoder and decoder do not read: the ranking has to see how they do on others. Only the earlier of them
# calibrate what it states: the later ones had the brief of most authors that are read, and come out surer than strangers. What
# both opinions add up to is calibrated on STRANGERS alone: their brief was that of authors who stay unread.
STRANGERS = ("a02", "a13", "a26", "a32")
CALIBRATING_AUTHORS = (*STRANGERS, *(f"a{number}" for number in range(53, 63)))
RANKING_AUTHORS = (*CALIBRATING_AUTHORS, "b18", "b19", "b20", "b21")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="folder with tables/, read/ and operations/")
    parser.add_argument("--out", type=Path, default=LEARNED, help="file of weights to write; the ranking lies beside it")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--start", type=Path, metavar="FILE", help="weights to go on from (those of the packaged encoder)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1.0, help="share of the authors that is read, for a learning curve")
    parser.add_argument("--only-ranking", action="store_true", help="leave the encoder; fit what decides between readings")
    parser.add_argument("--second-opinion", action="store_true", help="train the adapter of the language model, for --epochs; "
                        "minutes on a graphics card, days without one")  # fmt: skip
    parser.add_argument("--add", type=Path, metavar="FILE", help="learn from accepted corrections alone: JSON lines of the "
                        "review, or a gold suite; takes two minutes")  # fmt: skip
    parser.add_argument(
        "--dataset", default="diabetes", metavar="NAME_OR_FOLDER", help="what the corrections are about (diabetes)"
    )


def run(args: argparse.Namespace) -> None:
    if not (args.corpus / "tables").is_dir():
        raise SettingsError(f"{args.corpus} holds no corpus: there is no folder `tables` in it.")
    if args.add:
        _add(args)
        return
    schemas = read_schemas(args.corpus / "tables")
    dialogues = list(read_corpus(args.corpus / "read"))
    if args.only_ranking:
        _rank(args.out, schemas, dialogues, args.corpus / "complete")
        return
    require("torch")
    if args.second_opinion:
        _train_second_opinion(args, schemas, dialogues)
        return
    state = args.out.with_suffix(".training.pt")
    _train(args, schemas, [one for one in dialogues if one.author not in RANKING_AUTHORS], state)
    _rank(args.out, schemas, dialogues, args.corpus / "complete")
    state.unlink(missing_ok=True)


def _add(args: argparse.Namespace) -> None:
    from ttm.lab.learning.ranking.corrections import learn_corrections, read_corrections
    from ttm.lab.learning.ranking.evidence_file import read_evidence
    from ttm.parsers.learned.decisions.taught_names import taught_names, write_taught_names
    from ttm.parsers.learned.learned_parser import LearnedParser
    from ttm.parsers.learned.ranking import ranking_file, write_ranking
    from ttm.tabular.data.dataset import load_dataset

    schema = load_dataset(args.dataset).schema
    corrections = read_corrections(args.add, schema, args.dataset)
    known = read_evidence(args.corpus / EVIDENCE)
    ranking, report = learn_corrections(corrections, known, LearnedParser(schema, args.out))
    sys.stdout.write(f"{report.words}\n")
    if report.is_worse:
        raise DatasetError("Nothing was learned: with these corrections, lines that the fit had not read are understood worse.")
    write_ranking(ranking_file(args.out), ranking)
    write_taught_names(args.out, schema, {**taught_names(args.out, schema), **report.names})
    _say("Learned. A chat that runs takes it up with the next question.")


def _train(args: argparse.Namespace, schemas: Mapping[str, Schema], dialogues: list[CorpusDialogue], state: Path) -> None:
    """Train on some dialogues and write the weights; `state` is kept between epochs, for a run that takes this up again."""
    import torch

    from backend.models.embeddings.minilm import load_minilm
    from ttm.lab.learning.decoding.targets import words_of_corpus
    from ttm.lab.learning.examples import EpochExamples, ExampleMaker
    from ttm.lab.learning.other_lines import operation_lines, template_pairs
    from ttm.lab.learning.training import Heads, epochs, schema_vectors, start_from
    from ttm.parsers.learned.decoder.decoder_file import write_words
    from ttm.parsers.learned.encoder.network import open_tokenizer

    tokenizer = open_tokenizer()
    pairs = list(template_pairs(schemas))
    words = words_of_corpus(dialogues, pairs, schemas)
    maker = ExampleMaker(schemas, tokenizer, words)
    authors = sorted({one.author for one in dialogues})
    chosen = set(authors[: max(1, round(len(authors) * args.share))])
    others = [*operation_lines(args.corpus / "operations", tokenizer), *maker.templates(pairs, random.Random(args.seed))]
    examples = EpochExamples(maker, [one for one in dialogues if one.author in chosen], others)
    _say(f"{len(examples.fixed)} messages, {len(chosen)} authors")
    tables = schema_vectors(maker.items, load_minilm().encode)
    torch.manual_seed(args.seed)
    model = Heads(len(words))
    if args.start is not None:
        start_from(model, args.start, words)
    rate, frozen = (FIRST_RATE, 0) if args.start is None else (FURTHER_RATE, FROZEN)
    for number, means in epochs(model, examples, tables, args.epochs, args.seed, rate, kept=state, frozen=frozen):
        _say(f"{number}/{args.epochs} " + json.dumps({name: round(value, 3) for name, value in means.items()}))
    _write(model, args.out)
    write_words(args.out, words)


def _train_second_opinion(args: argparse.Namespace, schemas: Mapping[str, Schema], dialogues: list[CorpusDialogue]) -> None:
    from ttm.lab.learning.second_opinion.adapter import train_adapter
    from ttm.lab.learning.second_opinion.lines import EpochLines
    from ttm.parsers.learned.second_opinion.second_reader import adapter_file

    lines = EpochLines([one for one in dialogues if one.author not in RANKING_AUTHORS], schemas)
    train_adapter(lines, schemas, args.epochs, args.seed, adapter_file(args.out), _say)
    _weigh_opinions(args.out, schemas, dialogues)


def _weigh_opinions(path: Path, schemas: Mapping[str, Schema], dialogues: list[CorpusDialogue]) -> None:
    from ttm.lab.learning.second_opinion.weighing_fit import fit_weighing, weighed_opinions
    from ttm.parsers.learned.second_opinion.weighing import weighing_file, write_weighing

    turns = list(weighed_opinions([one for one in dialogues if one.author in CALIBRATING_AUTHORS], schemas, path))
    write_weighing(weighing_file(path), fit_weighing(turns, STRANGERS))
    _say(f"opinions weighed on {len(turns)} messages")


def _write(model: "Heads", path: Path) -> None:
    from safetensors.numpy import save_file

    from ttm.parsers.learned.decoder.decoder_file import decoder_file
    from ttm.parsers.learned.decoder.parse_decoder import DECODER
    from ttm.parsers.learned.encoder.network import quantised

    weights = {
        name: value.float().numpy().reshape(-1) if value.ndim == 0 else value.float().numpy()
        for name, value in model.state_dict().items()
        if "word_embeddings" not in name and "position_ids" not in name
    }
    stored = quantised(weights)
    decoding = {name: stored.pop(name) for name in sorted(stored) if name.startswith(DECODER)}
    save_file(stored, path)
    save_file(decoding, decoder_file(path))


def _rank(path: Path, schemas: Mapping[str, Schema], dialogues: list[CorpusDialogue], questions: Path) -> None:
    from ttm.lab.learning.general_words import gather_general_words
    from ttm.lab.learning.ranking.evidence_file import write_evidence
    from ttm.lab.learning.ranking.fitting import (
        complete_questions,
        fit_ranking,
        fit_uncalibrated,
        own_weighed_turns,
        weighed_turns,
    )
    from ttm.parsers.learned.decisions.general_words import write_general_words
    from ttm.parsers.learned.ranking import ranking_file, write_ranking

    words = gather_general_words(dialogues, questions.parent / "operations", questions)
    if path == LEARNED:  # else they belong to weights that the app does not read
        write_general_words(words)
    turns = weighed_turns(dialogues, schemas, path, RANKING_AUTHORS, CALIBRATING_AUTHORS)
    complete = complete_questions(questions, read_schemas(questions), path)
    write_ranking(ranking_file(path), fit_uncalibrated([*turns, *complete]))
    own = own_weighed_turns([one for one in dialogues if one.author in RANKING_AUTHORS], schemas, path, CALIBRATING_AUTHORS)
    write_evidence(questions.parent / EVIDENCE, [*turns, *own, *complete])
    write_ranking(ranking_file(path), fit_ranking([*turns, *own, *complete]))
    count = len(turns) + len(own)
    _say(f"ranking fitted on {count} messages in conversations and {len(complete)} complete questions")


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
