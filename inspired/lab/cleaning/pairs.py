"""What is to be checked: each sub-question with its templated one, both with numbered placeholders for names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inspired.lab.metrics.dialogues import MeasuredDialogue, MeasuredSubQuestion, Side
from inspired.lab.metrics.masking import MASK, Masking

Place = tuple[str, Side, str]


@dataclass(frozen=True)
class QuestionPair:
    """`places` are where it stands, as (dialogue, gold or predicted, sub_id): a step kept as it was stands in two.

    `source` and `target` are question and template as a model sees them; `names` are those of `#entity1#`, ...
    """

    places: tuple[Place, ...]
    question: str
    template: str
    source: str
    target: str
    names: tuple[str, ...]

    @property
    def dialogue(self) -> str:
        return self.places[0][0]

    def in_names(self, text: str) -> str:
        """`text` of a model with names again; a placeholder that this pair has no name for stays."""
        for number, name in reversed(list(enumerate(self.names, 1))):
            text = text.replace(_placeholder(number), name)
        return text


def question_pairs(dialogues: Sequence[MeasuredDialogue]) -> tuple[QuestionPair, ...]:
    """All pairs of which both parts are there, in the order of the file. Ids of dialogues are taken to be different."""
    masking = Masking(dialogues)
    return tuple(pair for dialogue in dialogues for pair in _pairs(dialogue, masking))


def _pairs(dialogue: MeasuredDialogue, masking: Masking) -> list[QuestionPair]:
    names = masking.names(dialogue)
    places: dict[tuple[str, str], list[Place]] = {}
    sides: Mapping[Side, Iterable[MeasuredSubQuestion]] = {"gold": dialogue.gold, "predicted": dialogue.predicted}
    for side, listed in sides.items():
        for each in listed:
            if each.question and each.template:
                places.setdefault((each.question, each.template), []).append((dialogue.id, side, each.sub_id))
    return [_pair(question, template, tuple(positions), names, masking) for (question, template), positions in places.items()]


def _pair(question: str, template: str, places: tuple[Place, ...], names: Sequence[str], masking: Masking) -> QuestionPair:
    """Names are numbered as they come in the template, so that a question with the wrong ones shows."""
    named = [name for name in names if masking.masked(template, [name]) != template]
    named.sort(key=lambda name: template.lower().find(name.lower()))
    named += [name for name in names if name not in named and masking.masked(question, [name]) != question]
    source, target = question, template
    for name in sorted(named, key=len, reverse=True):
        placeholder = _placeholder(named.index(name) + 1)
        source, target = (masking.masked(text, [name]).replace(MASK, placeholder) for text in (source, target))
    return QuestionPair(places, question, template, source, target, tuple(named))


def _placeholder(number: int) -> str:
    return f"#entity{number}#"
