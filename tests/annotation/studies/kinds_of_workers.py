"""Twelve kinds of workers who word questions again: three careful ones, nine of whom nothing should be kept."""

import random
from collections.abc import Callable, Mapping

from annotation.tasks.task_type import ItemPart

PLACES = ("Peru", "Kenya", "Norway", "Laos", "Chad", "Cuba", "Fiji", "Iran", "Oman", "Togo")
# What is asked, and ways in which a person says it.
ASKED = {
    "What is the capital of {}?": ("Where does the government of {} sit?", "Which city governs {}?",
                                   "Name {}'s seat of government."),
    "Which languages are official in {}?": ("What do officials of {} speak?", "In {}, what tongues does the state use?",
                                            "{} conducts its affairs in what languages?"),
    "What is the currency of {}?": ("With what money do people pay in {}?", "How is money called in {}?",
                                    "Somebody shopping in {} would need which coins?"),
    "Which country borders {}?": ("Who are the neighbours of {}?", "What state lies next to {}?",
                                  "Crossing the frontier of {}, where would I be?"),
}  # fmt: skip
Wording = Callable[[random.Random, str, str], str]  # the draw, the source, the name in it


def _careful(position: int) -> Wording:
    def write(draw: random.Random, source: str, name: str) -> str:
        ways = ASKED[source.replace(name, "{}")]
        return ways[(position + draw.randrange(2)) % len(ways)].format(name)

    return write


def _jumbled(draw: random.Random, source: str, name: str) -> str:
    words = source.rstrip("?").split()
    return " ".join([words[1], words[0], *words[2:]]) + "?"


def _gibberish(draw: random.Random, source: str, name: str) -> str:
    return " ".join("".join(draw.choices("bdfgklmnrstvwz", k=draw.randint(3, 7))) for _ in range(5)) + f" {name}"


GOOD: Mapping[str, Wording] = {f"careful {number}": _careful(number) for number in range(3)}
BAD: Mapping[str, Wording] = {
    "copies": lambda draw, source, name: source,
    "lower case": lambda draw, source, name: source.lower().rstrip("?"),
    "polite copies": lambda draw, source, name: f"Can you tell me {source[0].lower()}{source[1:]}",
    "one word exchanged": lambda draw, source, name: source.replace("Which", "What")
    if "Which" in source else f"Please, {source}",
    "jumbles": _jumbled,
    "assistant": lambda draw, source, name: f"Certainly! Here is the question in other words: {_jumbled(draw, source, name)}",
    "only names": lambda draw, source, name: f"{name}?",
    "another language": lambda draw, source, name: draw.choice((f"Wie heißt die Hauptstadt und die Währung von {name}?",
                                                              f"Welche Sprachen spricht man heute in {name}?")),
    "gibberish": _gibberish,
}  # fmt: skip


def wording(kind: str, part: ItemPart, draw: random.Random) -> str:
    return (GOOD | BAD)[kind](draw, part.source, part.entities[0])
