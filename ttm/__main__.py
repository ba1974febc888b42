"""Parley's model chat in a terminal and for programs: `python -m ttm --help`.

What takes long to import is imported where it is needed, so that `--help` and a typing mistake answer at once.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.program import command_line
from backend.program.settings import read_settings
from ttm.chat.session_options import add_subject, session_of

if TYPE_CHECKING:
    from ttm.chat.conversation import Turn
    from ttm.chat.session import ChatSession

FAREWELLS = frozenset({"exit", "quit", "bye", "goodbye", ":q"})
HELP_IN_CHAT = "Type a question, or: /undo, /new, /parse PARSE (answer the last question so), /export FILE, /quit."


def main(argv: Sequence[str], program: str = "python -m ttm") -> int | None:
    parser = command_line.CommandLineParser(prog=program, description="Talk to a model from a terminal or a program.")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=command_line.CommandLineParser
    )
    for name, (about, add, run) in COMMANDS.items():
        command = commands.add_parser(name, help=about, description=about)
        if name in argv:  # the other commands are named in --help, but their options are not needed
            add(command)
        command.set_defaults(run=run)
    args = parser.parse_args(argv)
    result: int | None = args.run(args)
    return result


# --- chat ----------------------------------------------------------------------------------------------------------------


def chat(args: argparse.Namespace) -> None:
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
            print(_shown(session, session.ask(line)))
    except ParleyError as error:
        print(error.message)


def _shown(session: "ChatSession", turn: "Turn") -> str:
    from ttm.chat.plain_text import terminal_text
    from ttm.language.describe_parse import parse_words

    if turn.parse is None:
        readings = [f"  {number}. {parse_words(one.parse, session.schema).removeprefix('You asked: ')}  [{one.parse}]"
                    for number, one in enumerate(turn.understanding.candidates, 1)]  # fmt: skip
        return "\n".join([turn.understanding.question or "", *readings])
    words = parse_words(turn.parse, session.schema)
    unused = f"{turn.unused}\n\n" if turn.unused else ""
    return f"{terminal_text(session.answers(turn))}\n\n{unused}({words}  {turn.parse})"


def _undo(session: "ChatSession", rest: str) -> str:
    turn = session.undo()
    return "There is nothing to take back." if turn is None else f"Took back: {turn.utterance}"


def _new(session: "ChatSession", rest: str) -> str:
    session.restart()
    return "A new conversation."


def _parse(session: "ChatSession", rest: str) -> str:
    turns = session.turns
    turn = session.correct(turns[-1].number, rest) if turns else session.ask_parse(rest)
    return _shown(session, turn)


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


# --- one question after the other, for programs --------------------------------------------------------------------------


def answer(args: argparse.Namespace) -> None:
    session = session_of(args)
    for utterance in args.questions:
        _print_turn(session, session.ask(utterance), args.json)


def execute(args: argparse.Namespace) -> None:
    session = session_of(args)
    for parse in args.parses:
        _print_turn(session, session.ask_parse(parse), args.json)


def _print_turn(session: "ChatSession", turn: "Turn", as_json: bool) -> None:
    from ttm.chat.export import turn_json

    if as_json:
        print(json.dumps(turn_json(session, turn), ensure_ascii=False, allow_nan=False), flush=True)
    else:
        print(f"> {turn.utterance}\n\n{_shown(session, turn)}\n", flush=True)


def _add_answer(parser: argparse.ArgumentParser) -> None:
    add_subject(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object a line for each turn")
    parser.add_argument("questions", nargs="+", metavar="QUESTION", help="questions of one conversation, in order")


def _add_execute(parser: argparse.ArgumentParser) -> None:
    add_subject(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object a line for each turn")
    parser.add_argument("parses", nargs="+", metavar="PARSE", help="parses of one conversation, in order")


# --- the rest ------------------------------------------------------------------------------------------------------------


def _add_corrections(parser: argparse.ArgumentParser) -> None:
    from backend.program.settings import add_options

    parser.add_argument("--of", metavar="DATASET", help="only of the data set of this name")
    parser.add_argument("--json", action="store_true", help="JSON Lines with what was predicted, not a gold suite")
    add_options(parser, ("data_dir", "database_url"))


def corrections(args: argparse.Namespace) -> None:
    from backend.storage.collected import list_corrections
    from backend.storage.database import Database
    from ttm.chat.export import gold_suite, json_lines

    chosen = {name: getattr(args, name) for name in ("data_dir", "database_url") if hasattr(args, name)}
    corrections_made = list_corrections(Database(read_settings(chosen).database_address), args.of)
    sys.stdout.write(json_lines(corrections_made) if args.json else gold_suite(corrections_made))


def _add_evaluate(parser: argparse.ArgumentParser) -> None:
    from ttm.lab.evaluate import add_evaluate

    add_evaluate(parser)


def _evaluate(args: argparse.Namespace) -> int | None:
    from ttm.lab.evaluate import run_evaluate

    return run_evaluate(args)


def _add_templates(parser: argparse.ArgumentParser) -> None:
    from ttm.lab.templates.command import add_templates

    add_templates(parser)


def _templates(args: argparse.Namespace) -> int | None:
    from ttm.lab.templates.command import run_templates

    return run_templates(args)


def _add_generate(parser: argparse.ArgumentParser) -> None:
    from ttm.lab.parsing_dataset import add_generate

    add_generate(parser)


def _generate(args: argparse.Namespace) -> None:
    from ttm.lab.parsing_dataset import run_generate

    run_generate(args)


def _add_finetune(parser: argparse.ArgumentParser) -> None:
    from ttm.lab.finetune import add_finetune

    add_finetune(parser)


def _finetune(args: argparse.Namespace) -> int | None:
    from ttm.lab.finetune import run_finetune

    return run_finetune(args)


def _add_calibrate(parser: argparse.ArgumentParser) -> None:
    from ttm.lab.calibrate import add_calibrate

    add_calibrate(parser)


def _calibrate(args: argparse.Namespace) -> int | None:
    from ttm.lab.calibrate import run_calibrate

    return run_calibrate(args)


def _add_bench(parser: argparse.ArgumentParser) -> None:
    from benchmarks.chat import add_bench

    add_bench(parser)


def _bench(args: argparse.Namespace) -> None:
    from benchmarks.chat import run_bench

    run_bench(args)


def _add_guide_bench(parser: argparse.ArgumentParser) -> None:
    from benchmarks.guided_decoding import add_guide_bench

    add_guide_bench(parser)


def _guide_bench(args: argparse.Namespace) -> None:
    from benchmarks.guided_decoding import run_guide_bench

    run_guide_bench(args)


def _add_explain_bench(parser: argparse.ArgumentParser) -> None:
    from benchmarks.explanations import add_explain_bench

    add_explain_bench(parser)


def _explain_bench(args: argparse.Namespace) -> None:
    from benchmarks.explanations import run_explain_bench

    run_explain_bench(args)


Add = Callable[[argparse.ArgumentParser], None]
COMMANDS: dict[str, tuple[str, Add, Callable[[Any], int | None]]] = {
    "chat": ("talk to a model in this terminal", add_subject, chat),
    "answer": ("answer questions and end", _add_answer, answer),
    "execute": ("carry out parses and end", _add_execute, execute),
    "evaluate": ("measure how well questions are understood", _add_evaluate, _evaluate),
    "templates": ("check the templates that training data are made from", _add_templates, _templates),
    "generate": ("make training data from templates", _add_generate, _generate),
    "finetune": ("train a sequence-to-sequence model to parse questions", _add_finetune, _finetune),
    "calibrate": ("let the confidence of a parser say how often it is right", _add_calibrate, _calibrate),
    "corrections": ("write out the corrections that people made", _add_corrections, corrections),
    "explain-bench": ("measure how faithful, stable and fast explanations are", _add_explain_bench, _explain_bench),
    "guide-bench": ("measure what it costs to hold models to the grammar", _add_guide_bench, _guide_bench),
    "bench": ("measure how fast many people at once are answered", _add_bench, _bench),
}

if __name__ == "__main__":
    sys.exit(command_line.run("ttm", main))
