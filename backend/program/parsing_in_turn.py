"""Python's own parser, used by one thread at a time.

Before Python 3.13 all threads count the depth of their syntax trees together (CPython issue 106905), so that `ast.literal_eval`
in one of them can fail with a SystemError while another parses. NumPy reads the head of each stored array so, and Lark every
word of a grammar.
"""

import ast
import sys
import threading
from typing import Any

_MENDED = (3, 13)
_parse = ast.parse
_lock = threading.RLock()


def parse_in_turn() -> None:
    """Have `ast.parse`, and `ast.literal_eval` with it, wait for each other in all threads where Python needs that."""
    if sys.version_info < _MENDED and ast.parse is _parse:
        ast.parse = _one_at_a_time


def _one_at_a_time(*args: Any, **options: Any) -> Any:
    with _lock:
        return _parse(*args, **options)
