"""Asking again, with room for a whole reply, where a model wrote too little to be read.

A reasoning model can spend all its tokens on thoughts; its reply is then cut, or has no content at all.
"""

from collections.abc import Callable
from dataclasses import dataclass

from backend.errors import Blame, RequestRefused
from backend.models.language_models import Reply


@dataclass(frozen=True)
class ReplyLimits:
    """Tokens of a reply: at first, and when a reply that could not be read is asked for once more."""

    first: int
    longer: int


def whole_reply(ask: Callable[[int], Reply], limits: ReplyLimits, too_little: Callable[[Reply], bool]) -> tuple[Reply, int]:
    """Return the reply that counts, and how often it was asked for with more tokens: once at most.

    A server that has no room for the longer limit leaves it at the first reply.
    """
    reply = ask(limits.first)
    if limits.longer <= limits.first or not too_little(reply):
        return reply, 0
    try:
        return ask(limits.longer), 1
    except RequestRefused as error:
        if error.blame is Blame.SETUP:
            raise
        return reply, 0
