"""`python -m ttm answer`: answer questions, one after the other, and end."""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from backend.errors import ParleyError, SettingsError
from backend.storage.row_files import text_lines
from ttm.chat.session_options import add_subject, session_of
from ttm.commands.chat import turn_text

if TYPE_CHECKING:
    from ttm.chat.conversation import Turn
    from ttm.chat.session import ChatSession

MOST_CONVERSATIONS = 256  # that are kept while the lines of several come mixed
KEYS = frozenset({"conversation", "utterance"})


def arguments(parser: argparse.ArgumentParser) -> None:
    add_subject(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object a line for each turn")
    parser.add_argument("--in", dest="source", type=Path, metavar="FILE", help="in place of QUESTION: a file of JSON lines, "
                        'or - for standard input; each is {"conversation": ID, "utterance": TEXT}')  # fmt: skip
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help="questions of one conversation, in order")


def run(args: argparse.Namespace) -> None:
    if bool(args.questions) == bool(args.source):
        raise SettingsError("Give either QUESTION, one or more, or --in FILE with one question a line.")
    session = session_of(args)
    if args.source:
        for record in answered(text_lines(args.source, SettingsError), session):
            _print_record(record, args.json)
        return
    for utterance in args.questions:
        print_turn(session, session.ask(utterance), args.json)


def answered(lines: Iterable[str], session: "ChatSession") -> Iterator[dict[str, object]]:
    """The turn of each line, with the id of its conversation as the line has it; those of one may come mixed with others.

    A line that cannot be answered gives its number and an `error`, and the next one follows.
    """
    from ttm.chat.export import turn_json
    from ttm.chat.session import ChatSession

    conversations: dict[str, ChatSession] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            conversation, utterance = _request(line)
            name = str(conversation)  # so that 1 and "1" are one
            own = conversations.pop(name, None) or ChatSession(session.subjects, session.name)
            conversations[name] = own
            if len(conversations) > MOST_CONVERSATIONS:
                del conversations[next(iter(conversations))]
            yield {"conversation": conversation, **turn_json(own, own.ask(utterance))}
        except ParleyError as error:
            yield {"line": number, "error": error.message}


def _request(line: str) -> tuple[object, str]:
    """The id of the conversation, of whatever type, and the question of a line. Raises SettingsError for anything else."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict) or not record.keys() >= KEYS or not isinstance(record["utterance"], str):
        raise SettingsError('A line has to be {"conversation": ID, "utterance": TEXT}.')
    return record["conversation"], record["utterance"]


def _print_record(record: dict[str, object], as_json: bool) -> None:
    if as_json:
        print(json.dumps(record, ensure_ascii=False, allow_nan=False), flush=True)
    elif "error" in record:
        print(f"Line {record['line']}: {record['error']}\n", flush=True)
    else:
        print(f"[{record['conversation']}] > {record['utterance']}\n\n{record['text']}\n", flush=True)


def print_turn(session: "ChatSession", turn: "Turn", as_json: bool) -> None:
    from ttm.chat.export import turn_json

    if as_json:
        print(json.dumps(turn_json(session, turn), ensure_ascii=False, allow_nan=False), flush=True)
    else:
        print(f"> {turn.utterance}\n\n{turn_text(session, turn)}\n", flush=True)
