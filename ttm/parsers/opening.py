"""Any parser by its name: the default one, the paper's baselines, or a model that was trained or is fetched."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from backend.errors import SettingsError
from ttm.parsers import DEFAULT, LinkingParser, Parser, default_parser
from ttm.parsers.learned.answering import POLICY, POLICY_OF_TWO, AskingPolicy
from ttm.parsers.materials import Materials

if TYPE_CHECKING:
    from backend.storage.cache import Cache
    from ttm.tabular.data.dataset import Dataset


HIGHEST_COST = 100
SWITCH = {"on": True, "off": False}


def open_parser(name: str, dataset: "Dataset", cache: "Cache | None" = None, seed: int = 0, raw: bool = False) -> Parser:
    """`name` is one of `PARSERS`, perhaps with a choice after a colon, or the folder of a model.

    Raises SettingsError for another name, and LanguageModelError if a model cannot be had.
    """
    kind, choice = _split(name)
    if kind not in PARSERS or (choice and kind not in WITH_CHOICE) or (kind == "seq2seq" and not choice):
        raise SettingsError(f"There is no parser {name!r}; known are {KNOWN}.")
    return PARSERS[kind](Materials(dataset, choice, cache, seed, raw))


def is_for_any_data(name: str) -> bool:
    """Whether the parser of a name needs no training for a data set."""
    return _split(name)[0] != "seq2seq"


def _split(name: str) -> tuple[str, str]:
    kind, _, choice = name.partition(":")
    return ("seq2seq", name) if Path(name).is_dir() else (kind, choice)


def _learned(materials: Materials) -> Parser:
    """`learned`, perhaps with `wrong=2.5`, how many questions back one wrong answer is worth, and `second=off`, which leaves
    the language model out."""
    policy: AskingPolicy | None = None
    second = True
    for part in materials.choice.split(",") if materials.choice else ():
        name, _, text = part.partition("=")
        if name == "second" and text in SWITCH:
            second = SWITCH[text]
        elif name == "wrong" and _is_cost(text):
            policy = AskingPolicy(float(text))
        else:
            raise SettingsError(
                f"learned:{materials.choice} is no choice; learned:wrong=NUMBER says how many questions back one wrong answer "
                f"is worth, 1 to {HIGHEST_COST} ({POLICY_OF_TWO.wrong}, without a second opinion {POLICY.wrong}); "
                "learned:second=off leaves out the second opinion of a language model, which takes most of the time of a "
                "question; both go together, with a comma."
            )
    return default_parser(materials.schema, policy, second)


def _is_cost(text: str) -> bool:
    try:
        return 1 <= float(text) <= HIGHEST_COST
    except ValueError:
        return False


def _linker(materials: Materials) -> Parser:
    return LinkingParser(materials.schema)


# What follows is imported when it is needed: it brings numpy, torch or a client of servers.


def _nearest(materials: Materials) -> Parser:
    from ttm.parsers.nearest import nearest_parser

    return nearest_parser(materials)


def _few_shot(materials: Materials) -> Parser:
    from ttm.parsers.few_shot_opening import few_shot_parser

    return few_shot_parser(materials)


def _sequence(materials: Materials) -> Parser:
    from ttm.parsers.sequence import sequence_parser

    return sequence_parser(materials)


PARSERS: dict[str, Callable[[Materials], Parser]] = {
    DEFAULT: _learned,
    "linker": _linker,
    "nearest": _nearest,
    "few-shot": _few_shot,
    "seq2seq": _sequence,
}
WITH_CHOICE = frozenset({DEFAULT, "few-shot", "seq2seq"})
KNOWN = (
    f"{DEFAULT}, {DEFAULT}:wrong=NUMBER,second=off, linker, nearest, few-shot, few-shot:MODEL,OPTION=VALUE, "
    "seq2seq:NAME_OR_FOLDER, or the folder of a trained model"
)
# Those that run anywhere at once, without a model of one's own.
EVERYWHERE = (DEFAULT, "linker", "nearest")
