"""A value is moved up or down only where a message says so: "what if their BMI was 25?" sets it."""

import re
from collections.abc import Sequence

from ttm.language.parse import Change, ChangeKind, Parse
from ttm.parsers.linker.words.tokens import UtteranceToken
from ttm.parsers.understanding import DialogueContext

MOVING = (ChangeKind.INCREASE, ChangeKind.DECREASE)
# "30 more", "down to", "10 off", "twice", "20 percent", "older", and signs.
_MOVES = re.compile(
    r"(?:more|less|few|low|high|up|down|increas|decreas|reduc|drop|ris|rais|rose|fall|fell|grow|grew|gain|los[es]|lost|add|plus|minus"
    r"|extra|another|additional|by|cut|shr|halv|half|doubl|tripl|twice|thrice|times|percent|pct|per|off|top|subtract|climb|jump|sink"
    r"|slid|shift|mov|bump|knock|push|lift|chang|take|took|put|than|step|point|further|deduct|remov|without|quarter|third|fraction)"
    r"|\w{2,}er$|[+\-%±]"
)


def moves_unsaid(parse: Parse, tokens: Sequence[UtteranceToken], context: DialogueContext) -> bool:
    """Whether a parse moves a value, and neither the message nor the turn before speaks of moving any."""
    moved = [step for step in parse.steps if isinstance(step, Change) and step.kind in MOVING]
    before = context.parse.steps if context.parse is not None else ()
    if not moved or any(isinstance(step, Change) and step.kind in MOVING for step in before):
        return False
    return not any(_MOVES.match(token.raw or token.text) or _MOVES.match(token.text) for token in tokens)
