"""Does a black-box language model use what it says it used? (Fragkathoulas and Chlapanis, SETN 2024)

    import faithfulness
    faithfulness.explain("where does the river end", "It rises in the hills and ends in Lake Quill.")

What is listed in `__all__` is the interface for Python; everything else may move.
"""

from typing import TYPE_CHECKING

from backend.program.lazy_names import lazy_names

if TYPE_CHECKING:
    from faithfulness.interface.evidence_answer import EvidenceAnswer as EvidenceAnswer
    from faithfulness.interface.evidence_answer import explain as explain
    from faithfulness.interface.evidence_answer import explain_async as explain_async
    from faithfulness.interface.measured_run import MeasuredRun as MeasuredRun
    from faithfulness.interface.measured_run import add_baseline as add_baseline
    from faithfulness.interface.measured_run import load as load
    from faithfulness.interface.measured_run import run as run
    from faithfulness.interface.measured_run import run_async as run_async

__all__ = ["EvidenceAnswer", "MeasuredRun", "add_baseline", "explain", "explain_async", "load", "run", "run_async"]

_ONE, _MANY = "faithfulness.interface.evidence_answer", "faithfulness.interface.measured_run"

__getattr__, __dir__ = lazy_names(
    __name__,
    dict.fromkeys(("EvidenceAnswer", "explain", "explain_async"), _ONE)
    | dict.fromkeys(("MeasuredRun", "add_baseline", "load", "run", "run_async"), _MANY)
    | {"ui": "faithfulness.ui"},
)
