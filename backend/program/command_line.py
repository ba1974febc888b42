"""The one place where an error becomes the end of a program: one line on stderr and exit code 2."""

import argparse
import atexit
import difflib
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

from backend.errors import ParleyError, SettingsError

REFUSED = 2
# Objects made before the garbage collector looks for some to give up. Most of a start is imports, of which there are none.
OBJECTS = (50_000, 20, 20)
INTERRUPTED = 130


class CommandLineParser(argparse.ArgumentParser):
    """An argument parser whose complaints are SettingsErrors and, for a misspelt option, name the nearest one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        wrong = message.removeprefix("unrecognized arguments: ")
        if wrong == message:
            raise SettingsError(f"{message[:1].upper()}{message[1:]}. Try: {self.prog} --help")
        known = [option for action in self._actions for option in action.option_strings]
        near = difflib.get_close_matches(wrong.split()[0].split("=")[0], known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"try: {self.prog} --help"
        raise SettingsError(f"Unknown argument {wrong}; {hint}")


def run_command(argv: Sequence[str], program: str, about: str, commands: Mapping[str, tuple[str, str]]) -> int | None:
    """Run the command that `argv` begins with and return what it returns.

    `commands`: name -> module with `arguments(parser)` and `run(args)`, and what --help says. Only the module that is
    named is imported, so that --help and a typing mistake answer at once. Raises SettingsError for a wrong name or option.
    """
    parser = CommandLineParser(prog=program, description=about)
    names = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)
    for name, (module, text) in commands.items():
        command = names.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        if name in argv:
            import_module(module).arguments(command)
    args = parser.parse_args(argv)
    code: int | None = import_module(commands[args.command][0]).run(args)
    return code


def refused(program: str, error: ParleyError) -> int:
    """Print what was wrong in one line on stderr and return the exit code that says so."""
    print(f"{program}: {' '.join(error.message.split())}", file=sys.stderr)  # noqa: T201
    return REFUSED


def run(program: str, main: Callable[[Sequence[str]], int | None], argv: Sequence[str] | None = None) -> int:
    """Call `main` with the arguments and return the exit code: 0, what `main` returned, 2 for a ParleyError."""
    gc.set_threshold(*OBJECTS)
    try:
        return main(sys.argv[1:] if argv is None else argv) or 0
    except ParleyError as error:
        return refused(program, error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has gone; without this Python complains once more while it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def leave(code: int) -> NoReturn:
    """End the process with an exit code of `run`, in place of `sys.exit`: one that Ctrl+C ended, without taking Python down.

    A daemon thread may still wait for a native library (llama.cpp inside this process, in the middle of a reply), and that
    library ends the process by a segmentation fault when its memory is freed under it. To wait for the reply instead could
    take minutes. What was registered for the end is called, and what was printed is written out, before.
    """
    if code == INTERRUPTED:
        atexit._run_exitfuncs()  # as multiprocessing does before it ends a child by os._exit
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # its reader has gone, or it was closed
                stream.flush()
        os._exit(code)
    sys.exit(code)
