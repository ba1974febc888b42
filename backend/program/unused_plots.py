"""matplotlib, which other libraries load for plots that Parley does not draw."""

import sys


def do_without_plots() -> None:
    """Let `matplotlib` be missing in this process, which draws none of its plots, unless it is loaded already.

    Gradio and shap import it where they find it, Gradio changes its backend around each call, and with what it brings it takes
    36 MB and 0.7 s. Not for the process of others, such as a notebook, which may want `shap.plots`.
    """
    sys.modules.setdefault("matplotlib", None)  # type: ignore[arg-type]  # what Python takes for a library that is missing
