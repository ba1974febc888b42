"""What the four parts of Parley share; this package knows nothing of any of them."""

from backend.program.gradio_import import import_without_stubs
from backend.program.parsing_in_turn import parse_in_turn

import_without_stubs()
parse_in_turn()
