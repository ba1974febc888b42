"""How well a parser understands the dialogues of a corpus: `python -m ttm evaluate --dialogues FOLDER`.

Each turn is right, asked back, rightly or wrongly refused, or wrong in silence: another parse, and no word that something was
not used. A turn comes after what the parser itself made of the turns before.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ttm.lab.learning.corpus import CorpusDialogue, read_corpus
from ttm.lab.learning.replay import ReplayedTurn, own_turns
from ttm.lab.learning.schema_files import read_schemas
from ttm.parsers.understanding import DialogueContext, Parser, Understanding

CLASSES = ("right", "asked", "refused_rightly", "refused_wrongly", "silent_wrong")
BINS = 10


def judged(one: ReplayedTurn, understanding: Understanding) -> str:
    """The class of one turn."""
    turn, best = one.turn, understanding.best
    answered = best is not None and understanding.question is None
    nothing = turn.chats or turn.refuses or not turn.patterns
    if nothing:
        if answered:
            return "silent_wrong" if not understanding.unused else "asked"
        return "refused_rightly" if turn.refuses else "right"
    if not answered:
        return "asked" if understanding.in_scope or turn.asks else "refused_wrongly"
    assert best is not None
    if one.is_fair(best.parse):
        return "right"
    return "asked" if understanding.unused else "silent_wrong"


def measure(dialogues: Iterable[CorpusDialogue], schemas: Mapping[str, Any], make: Any) -> dict[str, Any]:
    """Counts of classes for single messages and for turns of dialogues, by kind, and how good the stated confidence is."""
    parsers: dict[str, Parser] = {}

    def understand(table: str, utterance: str, context: DialogueContext) -> Understanding:
        if table not in parsers:
            parsers[table] = make(schemas[table])
        return parsers[table].understand(utterance, context)

    counts: dict[str, Counter[str]] = {"singles": Counter(), "dialogues": Counter()}
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    stated: list[tuple[float, bool]] = []
    for one, understanding in own_turns(dialogues, schemas, understand):
        verdict = judged(one, understanding)
        counts["singles" if len(one.dialogue.turns) == 1 else "dialogues"][verdict] += 1
        for kind in one.turn.kinds:
            kinds[kind][verdict] += 1
        if understanding.best is not None:
            fair = (
                bool(one.turn.patterns) and not (one.turn.chats or one.turn.refuses) and one.is_fair(understanding.best.parse)
            )
            stated.append((understanding.best.confidence, fair))
    by_kind = {kind: _shares(counted) for kind, counted in sorted(kinds.items(), key=lambda item: -item[1].total())}
    return {name: _shares(counted) for name, counted in counts.items()} | {"confidence": _confidence(stated), "kinds": by_kind}


def _shares(counts: Counter[str]) -> dict[str, float]:
    return {"turns": counts.total(), **{name: counts[name] for name in CLASSES}}


def _confidence(stated: list[tuple[float, bool]]) -> dict[str, float]:
    """Expected calibration error over ten bins, and the area under the ROC curve of right against wrong."""
    from sklearn.metrics import roc_auc_score

    if len({fair for _, fair in stated}) < 2:
        return {}
    values, fair = np.array([one for one, _ in stated]), np.array([one for _, one in stated], float)
    bins = np.minimum((values * BINS).astype(int), BINS - 1)
    gaps = [abs(fair[bins == one].mean() - values[bins == one].mean()) * np.mean(bins == one) for one in set(bins.tolist())]
    return {"calibration_error": round(float(sum(gaps)), 4), "auc": round(float(roc_auc_score(fair, values)), 4)}


def measure_folder(folder: Path, tables: Path, make: Any) -> str:
    """The measures of a folder of dialogues as JSON text."""
    return json.dumps(measure(read_corpus(folder), read_schemas(tables), make), indent=1)
