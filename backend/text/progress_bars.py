"""Bars of tqdm: in a notebook as widgets where these work, and as text elsewhere, without the warning that tqdm then gives."""

from typing import Any

from backend.program.extras import is_installed


def progress_bar(*args: Any, **options: Any) -> Any:
    """Make a bar with the arguments of `tqdm.tqdm`."""
    if is_installed("ipywidgets"):
        from tqdm.auto import tqdm
    else:
        from tqdm import tqdm
    return tqdm(*args, **options)
