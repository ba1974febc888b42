"""`python -m ttm answer`: answer questions, one after the other, and end."""

import argparse
import json
from typing import TYPE_CHECKING

from ttm.chat.session_options import add_subject, session_of
from ttm.commands.chat import turn_text

if TYPE_CHECKING:
    from ttm.chat.conversation import Turn
    from ttm.chat.session import ChatSession


def arguments(parser: argparse.ArgumentParser) -> None:
    add_subject(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object a line for each turn")
    parser.add_argument("questions", nargs="+", metavar="QUESTION", help="questions of one conversation, in order")


def run(args: argparse.Namespace) -> None:
    session = session_of(args)
    for utterance in args.questions:
        print_turn(session, session.ask(utterance), args.json)


def print_turn(session: "ChatSession", turn: "Turn", as_json: bool) -> None:
    from ttm.chat.export import turn_json

    if as_json:
        print(json.dumps(turn_json(session, turn), ensure_ascii=False, allow_nan=False), flush=True)
    else:
        print(f"> {turn.utterance}\n\n{turn_text(session, turn)}\n", flush=True)
