"""Collecting data from people: the review of parses into gold parses, and studies with workers.

    import annotation
    annotation.Study("study.toml").add(items)

What is listed in `__all__` is the interface for Python; everything else may move.
"""

from typing import TYPE_CHECKING

from backend.program.lazy_names import lazy_names

if TYPE_CHECKING:
    from annotation.interface import OpenedStudy as Study
    from annotation.interface import add_task_type as add_task_type
    from annotation.interface import example as example

__all__ = ["Study", "add_task_type", "example"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Study": "annotation.interface:OpenedStudy",
        "add_task_type": "annotation.interface",
        "example": "annotation.interface",
        "ui": "annotation.ui",
    },
)
