"""What the four parts of Parley share; this package knows nothing of any of them."""

from backend.program.gradio_import import import_without_stubs

import_without_stubs()
