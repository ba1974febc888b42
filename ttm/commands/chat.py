"""`python -m ttm chat`: talk to a model in this terminal."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ttm.chat.session_options import add_subject, session_of

if TYPE_CHECKING:
    from ttm.chat.conversation import Turn
    from ttm.chat.session import ChatSession

FAREWELLS = frozenset({"exit", "quit", "bye", "goodbye", ":q"})
HELP_IN_CHAT = "Type a question, or: /undo, /new, /parse PARSE (answer the last question so), /export FILE, /quit."

arguments = add_subject


def run(args: argparse.Namespace) -> None:
    from ttm.chat.model_card import opening
    from ttm.chat.plain_text import plain

    session = session_of(args)
    text, answer = opening(session.loaded)
    print(f"{plain(text)}\n\n{plain(answer.text)}\n\n{HELP_IN_CHAT}")
    while (line := _line()) is not None:
        if line.lower().lstrip("/") in FAREWELLS:
            return
        if line:
            _respond(session, line)


def _line() -> str | None:
    try:
        return input("\n> ").strip()
    except EOFError:
        print()
        return None


def _respond(session: "ChatSession", line: str) -> None:
    """Answer one line; an error is printed and the chat goes on."""
    from backend.errors import ParleyError

    try:
        command, _, rest = line.partition(" ")
        if command in CHAT_COMMANDS:
            print(CHAT_COMMANDS[command](session, rest.strip()))
        else:
            print(turn_text(session, session.ask(line)))
    except ParleyError as error:
        print(error.message)


def turn_text(session: "ChatSession", turn: "Turn") -> str:
    from ttm.chat.plain_text import terminal_text
    from ttm.language.describe_parse import parse_words

    if turn.parse is None:
        readings = [
            f"  {number}. {parse_words(one.parse, session.schema).removeprefix('You asked: ')}  [{one.parse}]"
            for number, one in enumerate(turn.understanding.candidates, 1)
        ]
        return "\n".join([turn.understanding.question or "", *readings])
    words = parse_words(turn.parse, session.schema)
    unused = f"{turn.unused}\n\n" if turn.unused else ""
    remembered = f", {turn.remembered}" if turn.remembered else ""
    return f"{terminal_text(session.answers(turn))}\n\n{unused}({words}{remembered}  {turn.parse})"


def _undo(session: "ChatSession", rest: str) -> str:
    turn = session.undo()
    return "There is nothing to take back." if turn is None else f"Took back: {turn.utterance}"


def _new(session: "ChatSession", rest: str) -> str:
    session.restart()
    return "A new conversation."


def _parse(session: "ChatSession", rest: str) -> str:
    turns = session.turns
    turn = session.correct(turns[-1].number, rest) if turns else session.ask_parse(rest)
    return turn_text(session, turn)


def _export(session: "ChatSession", rest: str) -> str:
    from backend.errors import ExecutionError
    from ttm.chat.export import EXPORTS

    path = Path(rest)
    write = EXPORTS.get(path.suffix.lstrip("."))
    if write is None:
        raise ExecutionError(f"Name a file that ends in .{', .'.join(EXPORTS)}.")
    try:
        path.write_text(write(session), "utf-8")
    except OSError as error:
        raise ExecutionError(f"Cannot write {path}: {error.strerror or error}.") from error
    return f"Written to {path}."


CHAT_COMMANDS: dict[str, Callable[["ChatSession", str], str]] = {
    "/undo": _undo,
    "/new": _new,
    "/parse": _parse,
    "/export": _export,
    "/help": lambda session, rest: HELP_IN_CHAT,
}
