"""Ask a knowledge base, see every step, correct any step (Mo et al., "INSPIRED", Findings of ACL 2022).

    import inspired
    inspired.ask("Which rivers flow through countries that border Austria?")

What is listed in `__all__` is the interface for Python; everything else may move.
"""

from typing import TYPE_CHECKING

from backend.program.lazy_names import lazy_names

if TYPE_CHECKING:
    from inspired.dialogue.interface.ask import ask as ask
    from inspired.dialogue.interface.ask import ask_async as ask_async
    from inspired.dialogue.interface.ask import decompose as decompose
    from inspired.dialogue.interface.ask import load as load
    from inspired.dialogue.interface.ask import run as run
    from inspired.dialogue.interface.ask import to_dataset as to_dataset
    from inspired.dialogue.interface.knowledge_answer import KnowledgeAnswer as KnowledgeAnswer

__all__ = ["KnowledgeAnswer", "ask", "ask_async", "decompose", "load", "run", "to_dataset"]

__getattr__, __dir__ = lazy_names(
    __name__,
    dict.fromkeys(__all__, "inspired.dialogue.interface.ask")
    | {"KnowledgeAnswer": "inspired.dialogue.interface.knowledge_answer", "ui": "inspired.ui"},
)
