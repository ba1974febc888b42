"""Talking to a parser as the corpus does: each dialogue in order, without rows, and every turn judged.

`forced`: each turn sees what the fair reading before it left behind; otherwise the parser lives with its own readings. Rows are
not looked up, so a list that was shown has made-up ids, and a pattern leaves such an id open.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn
from ttm.lab.learning.judging import Judge
from ttm.language.parse import Mistake, Parse, Ranked, Show, Similar
from ttm.language.row_state import rows_after
from ttm.parsers.learned.assumption import operations_of
from ttm.parsers.understanding import DialogueContext, Understanding
from ttm.tabular.data.schema import Schema

LISTS = (Show, Ranked, Similar, Mistake)
LISTED = tuple(str(number) for number in range(100, 120))


@dataclass(frozen=True)
class ReplayedTurn:
    """One turn with its context; `judge` knows what the fair readings before it left."""

    dialogue: CorpusDialogue
    turn: CorpusTurn
    context: DialogueContext
    judge: Judge

    def is_fair(self, parse: Parse) -> bool:
        return self.judge.is_fair(self.turn, parse, self.context.rows, self.context.operations)


def forced_turns(dialogues: Iterable[CorpusDialogue], schemas: Mapping[str, Schema]) -> Iterator[ReplayedTurn]:
    """Every turn after the fair readings of the turns before."""
    judges: dict[str, Judge] = {}
    for dialogue in dialogues:
        judge = judges.setdefault(dialogue.table, Judge(schemas[dialogue.table]))
        judge.restart()
        context = DialogueContext()
        for turn in dialogue.turns:
            yield ReplayedTurn(dialogue, turn, context, judge)
            best = judge.best(turn)
            judge.after(turn)
            context = replace(_next(context, turn.utterance, best), question=turn.asked)
            context = replace(context, rows=judge.gold_rows, operations=judge.gold_operations)


def own_turns(
    dialogues: Iterable[CorpusDialogue],
    schemas: Mapping[str, Schema],
    understand: Callable[[str, str, DialogueContext], Understanding],
) -> Iterator[tuple[ReplayedTurn, Understanding]]:
    """Every turn after what the parser itself made of the turns before. `understand` takes table, message and context."""
    judges: dict[str, Judge] = {}
    for dialogue in dialogues:
        judge = judges.setdefault(dialogue.table, Judge(schemas[dialogue.table]))
        judge.restart()
        context = DialogueContext()
        for turn in dialogue.turns:
            understanding = understand(dialogue.table, turn.utterance, context)
            yield ReplayedTurn(dialogue, turn, context, judge), understanding
            judge.after(turn)
            best = understanding.best
            answered = best.parse if best and not understanding.question else None
            context = _next(context, turn.utterance, answered)
            if answered is None:
                asked = replace(context, question=understanding.question or "", likeliest=understanding.likeliest)
                context = replace(asked, candidates=understanding.offered)
            if best and (answered or understanding.likeliest):
                context = replace(context, trust=best.confidence)


def _next(context: DialogueContext, utterance: str, parse: Parse | None) -> DialogueContext:
    """The context of the next turn after a parse was answered, or nothing was."""
    context = replace(context, utterance=utterance, question="", candidates=(), likeliest=None)
    if parse is None:
        return context
    operations = operations_of(parse, context)
    lists = any(isinstance(step, LISTS) for step in parse.steps)
    return replace(
        context,
        parse=parse,
        rows=rows_after(parse, context.rows),
        operations=operations or context.operations,
        listed=LISTED if lists else context.listed,
    )
