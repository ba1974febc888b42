"""The options by which a command says what is talked about, and the session that they open."""

import argparse
from typing import TYPE_CHECKING

from backend.program.settings import add_options, read_settings

if TYPE_CHECKING:
    from ttm.chat.session import ChatSession

SETTINGS = (
    "data_dir",
    "data",
    "target",
    "task",
    "id_column",
    "model",
    "config",
    "second",
    "trusted_types",
    "allow_pickle",
    "parser",
    "operations",
    "seed",
)

AT_ONCE = "linker"  # the parser that reads no weights


def add_subject(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a data set or a table of one's own, its model, and the parser of questions."""
    parser.add_argument("--dataset", metavar="NAME_OR_FOLDER", default=argparse.SUPPRESS,
                        help="diabetes, german, compas, or a folder that holds a dataset.toml (diabetes)")  # fmt: skip
    add_options(parser, SETTINGS)


def session_of(args: argparse.Namespace, asked: bool = True) -> "ChatSession":
    """Open a session about the subject that `args` name; where nothing is `asked` in words, with the parser that is open at
    once, unless they name one. Raises a ParleyError if it cannot be used."""
    from ttm.chat.catalogue import SubjectCatalogue
    from ttm.chat.session import ChatSession

    chosen = {} if asked else {"parser": AT_ONCE}
    chosen |= {name: getattr(args, name) for name in ("dataset", *SETTINGS) if hasattr(args, name)}
    return ChatSession(SubjectCatalogue(read_settings(chosen)))
