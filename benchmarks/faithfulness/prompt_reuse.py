"""`python -m faithfulness bench`: what sharing the beginnings of prompts saves on this computer."""

import argparse
import json
from collections.abc import Iterator

from backend.errors import FaithfulnessError
from backend.models.embeddings import SentenceEmbedder
from backend.models.language_models import PACKAGED_MODEL, LanguageModel, PackagedModel
from benchmarks.faithfulness.measurement import Bench, bench, cores, load, peak_bytes
from faithfulness.commands.options import add_local_model, positive
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan
from faithfulness.method.sample import Sample, read_examples
from faithfulness.runs.profiles import Profile, profile_of
from faithfulness.runs.rows import Row, read_rows


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Whole samples (all rounds) through a model on this computer with what prompts have in common computed once, and the "
        "same calls one after another without. Both meet the same load, but a busy computer blurs the figures."
    )
    parser.add_argument("--data", metavar="FILE", help="rows as for run; without, the examples that come with Parley")
    parser.add_argument("--samples", type=positive, default=3, metavar="N", help="samples that are answered rightly (3)")
    parser.add_argument("--threads", type=positive, metavar="N", help="threads of llama.cpp; 1 blurs least under load")
    add_local_model(parser)
    parser.add_argument("--json", action="store_true", help="figures for programs")


def run(args: argparse.Namespace) -> int:
    profile = profile_of(args.model, dtype=args.dtype)
    if not profile.packaged and profile.transformers is None:
        raise FaithfulnessError(f"bench is for models on this computer: {PACKAGED_MODEL} or transformers:NAME_OR_FOLDER.")
    fast, plain = (_opened(profile.model_copy(update={"deterministic": each}), args.threads) for each in (False, True))
    metric = Metric(SentenceEmbedder())
    rows = []
    for row in bench(_samples(args.data), fast, plain, profile.open_protocol(), metric, Plan(), args.samples):
        rows.append(row)
        if not args.json:
            print(f"{row.calls} calls: {row.seconds_with:.2f} s with, {row.seconds_without:.2f} s without "
                  f"({row.ratio:.0%}), {row.equal} answers equal: {row.sample}", flush=True)  # fmt: skip
    if not rows:
        raise FaithfulnessError("None of these samples is answered rightly, so none goes through all rounds.")
    result = Bench(tuple(rows), peak_bytes(), cores(), load())
    print(json.dumps(result.as_json(), indent=2, ensure_ascii=False) if args.json else _as_text(result))
    return 0


def _opened(profile: Profile, threads: int | None) -> LanguageModel:
    return PackagedModel(profile.deterministic, threads) if profile.transformers is None else profile.open()


def _as_text(bench: Bench) -> str:
    memory = f", {bench.peak_bytes / 2**30:.2f} GiB of memory at the most" if bench.peak_bytes else ""
    busy = f", load {bench.load:.1f}" if bench.load is not None else ""
    return (
        f"{bench.ratio:.1%} of the time ({bench.cpu_ratio:.1%} of the cores' time, {bench.computed:.1%} of the tokens of "
        f"prompts), {bench.equal:.1%} of the answers equal{memory} "
        f"({bench.cores} cores{busy}; above the number of cores, times are blurred)"
    )


def _samples(data: str | None) -> Iterator[Sample]:
    if data is None:
        yield from read_examples()
    else:
        yield from (row.sample for row in read_rows(data) if isinstance(row, Row))
