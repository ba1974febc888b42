"""JSON that strangers wrote: whatever Python gives up at is one error."""

import json
from typing import Any


def read_json(text: str | bytes) -> Any:
    """Read JSON. Raises json.JSONDecodeError also for what nests too deep, and for numbers of thousands of digits."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        raise json.JSONDecodeError("it nests too deep", "", 0) from error
    except ValueError as error:
        raise json.JSONDecodeError("a number has too many digits", "", 0) from error
