"""`python -m ttm execute`: carry out parses, one after the other, and end."""

import argparse

from backend.errors import ParseError
from backend.program.command_line import refused
from ttm.chat.session_options import add_subject, session_of
from ttm.commands.answer import print_turn


def arguments(parser: argparse.ArgumentParser) -> None:
    add_subject(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object a line for each turn")
    parser.add_argument("parses", nargs="+", metavar="PARSE", help="parses of one conversation, in order")


def run(args: argparse.Namespace) -> int:
    """Carry out each parse; one that is wrong is reported and the next one follows. Returns the exit code."""
    session = session_of(args, asked=False)
    code = 0
    for parse in args.parses:
        try:
            print_turn(session, session.ask_parse(parse), args.json)
        except ParseError as error:
            code = refused("ttm", error)
    return code
