"""INSPIRED records made on the spot: queries of our own with other names, predictions with faults, and paraphrases.

In each dialogue a "worker" of a style of its own rewords every question, so that its words fit together.
"""

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspired.decomposition.steps import Decomposition, Step
from inspired.dialogue.dialogue import Dialogue, start
from inspired.dialogue.records import write_record
from tests.inspired.conftest import Query

SYLLABLES = "ba den fi go hal ka li mor na pel ra sun ti vo wen zu".split()
# A phrase of our templates, and what people may say in its place.
SYNONYMS = {
    r"^Which of (?:these|those \w+)": ("Which of the above", "Among them, what", "Of those, which", "And which one of them"),
    r"^What is the": ("What's the", "Tell me the", "Can you name the", "What would be the"),
    r"^Which": ("What", "Which", "Can you tell me which", "I want to know which"),
    r"^Who": ("Who", "Which person", "What person", "Do you know who"),
    r"\bthat (\w+)": (r"that \1", r"the above-named \1", r"this \1", r"the \1 just mentioned"),
    r"\bcapital\b": ("capital", "capital city", "seat of government", "main city"),
    r"\bfilm\b": ("film", "movie", "picture", "motion picture"),
    r"\bcountry\b": ("country", "nation", "state", "land"),
    r"\bperson\b": ("person", "individual", "figure", "human being"),
    r"\bteam\b": ("team", "club", "squad", "side"),
    r"\bofficial language\b": ("official language", "language of the state", "tongue", "language"),
    r"\bhas the\b": ("has the", "possesses the", "comes with the", "is the one having the"),
    r"\blocated\b": ("located", "situated", "found", "placed"),
}


def paraphrase(question: str, style: Sequence[int]) -> str:
    for place, (phrase, choices) in enumerate(SYNONYMS.items()):
        question = re.sub(phrase, choices[style[place]], question, count=1)
    return question


def made_records(queries: Sequence[Query], count: int, seed: int = 0) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    steps = [step for query in queries for step in start(query.sparql, query.names).current.steps if step.order is None]
    return [_record(queries[number % len(queries)], number, steps, chance) for number in range(count)]


def write_lines(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in records), "utf-8")
    return path


def _record(query: Query, number: int, others: list[Step], chance: random.Random) -> dict[str, Any]:
    names = {id_: _name(chance) for id_ in query.names}
    gold = start(query.sparql, names)
    style = [chance.randrange(4) for _ in SYNONYMS]
    asked = [paraphrase(each, style) for each in gold.in_words().questions]
    dialogue = Dialogue(_predicted(gold.current, others, chance), gold.current, names, " and ".join(asked))
    record = write_record(dialogue, f"made-{number}").model_dump()
    for each in (*record["gold_sub_qs"], *record["pred_sub_qs"]):
        each["sub_question"] = paraphrase(each["temp_sub_question"], style)
    return record


def _predicted(gold: Decomposition, others: list[Step], chance: random.Random) -> Decomposition:
    """The gold steps, in six of ten dialogues with one of them lost, exchanged or one too many."""
    steps, place = list(gold.steps), chance.randrange(len(gold.steps))
    fault = chance.random()
    if fault < 0.25 and len(steps) > 1:
        del steps[place]
    elif fault < 0.5:
        steps[place] = chance.choice(others)
    elif fault < 0.6:
        steps.insert(place, chance.choice(others))
    return gold.with_steps(steps)


def _name(chance: random.Random) -> str:
    def word() -> str:
        return "".join(chance.choice(SYLLABLES) for _ in range(chance.randint(2, 3))).capitalize()

    return " ".join(word() for _ in range(chance.randint(1, 2)))


def plant_errors(records: Sequence[dict[str, Any]], share: float, seed: int = 0) -> list[dict[str, Any]]:
    """Give `share` of the gold steps the question of some other step, names fitted in. The labels of all gold steps.

    A worker's slip stands wherever the step is shown, so in the predicted steps too.
    """
    chance = random.Random(seed)
    steps = [(record, step) for record in records for step in record["gold_sub_qs"]]
    planted = set()
    for place in chance.sample(range(len(steps)), round(share * len(steps))):
        (record, step), (other_record, other) = steps[place], chance.choice(steps)
        if other["temp_sub_question"].split()[-1] == step["temp_sub_question"].split()[-1]:
            continue
        text = _with_names_of(record, step, other_record, other["sub_question"])
        shown = [each for each in record["pred_sub_qs"] if each["temp_sub_question"] == step["temp_sub_question"]]
        for each in (step, *shown):
            each["sub_question"] = text
        planted.add(place)
    return [
        {"id": record["id"], "sub_id": step["sub_id"], "error": place in planted} for place, (record, step) in enumerate(steps)
    ]


def _with_names_of(record: dict[str, Any], step: dict[str, Any], other: dict[str, Any], text: str) -> str:
    own = list(record["topic_entity"].values())
    own.sort(key=lambda name: name not in step["temp_sub_question"])
    for number, name in enumerate(other["topic_entity"].values()):
        text = text.replace(name, own[number % len(own)])
    return text
