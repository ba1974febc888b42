"""Answers to items of any task type, without a study around them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from annotation.tasks.task_type import TaskResult, TaskType, check_answer


def result(
    task: TaskType, settings: Any, content: Any, answer: Mapping[str, Any], worker: str = "w-1", key: str = "i1", **more: Any
) -> TaskResult:
    """A result whose answer the task type accepts."""
    shown = more.get("shown", {})
    kept = check_answer(task.parts(content, settings, shown), answer)
    task.check(content, settings, kept)
    seconds = more.get("seconds", 10.0)
    return TaskResult(key, content, kept, worker, "", seconds, datetime(2026, 1, 1, tzinfo=UTC), shown)
