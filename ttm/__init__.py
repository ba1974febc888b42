"""Chat with a tabular model in plain language (TalkToModel, Slack et al.).

    import ttm
    chat = ttm.talk(model, frame, target="churn")
    chat.ask("who is the model wrong about?")

What is listed in `__all__` is the interface for Python; everything else may move.
"""

from typing import TYPE_CHECKING

from backend.program.lazy_names import lazy_names

if TYPE_CHECKING:
    from ttm.chat.interface.additions import add_explainer as add_explainer
    from ttm.chat.interface.additions import add_operation as add_operation
    from ttm.chat.interface.chat import ModelChat as ModelChat
    from ttm.chat.interface.chat_answer import ChatAnswer as ChatAnswer
    from ttm.chat.interface.loading import load as load
    from ttm.chat.interface.talk import talk as talk

__all__ = ["ChatAnswer", "ModelChat", "add_explainer", "add_operation", "load", "talk"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ModelChat": "ttm.chat.interface.chat",
        "add_explainer": "ttm.chat.interface.additions",
        "add_operation": "ttm.chat.interface.additions",
        "ChatAnswer": "ttm.chat.interface.chat_answer",
        "load": "ttm.chat.interface.loading",
        "talk": "ttm.chat.interface.talk",
        "ui": "ttm.ui",
    },
)
