"""Less to do for each question than Gradio does: while something long is computed, each change of threads is a wait of its own.

Gradio changes to another thread and back for each value that a question brings, for each that it returns, and once more for
statistics of the last ten thousand questions, which nobody looks at here. While nobody asks, it looks for questions a thousand
times a second, which takes a twelfth of a core.
"""

from typing import Any

PLAIN = "api"  # the component of Gradio that hands on what it gets
BETWEEN_LOOKS = 0.01  # seconds


def lighten_calls(blocks: Any) -> None:
    """Have an app whose functions are all placed convert no values that are not changed by it, and keep no statistics."""
    for function in blocks.fns.values():
        function.preprocess = function.preprocess and not _all_plain(function.inputs)
        function.postprocess = function.postprocess and not _all_plain(function.outputs)
    queue = blocks._queue
    look_less(queue)
    queue.ANALYTICS_MAX_EVENTS = 0
    queue.compute_analytics_summary = lambda records: queue.cached_event_analytics_summary


def look_less(queue: Any) -> None:
    """Have the queue of an app look a hundred times a second for what is asked."""
    queue.sleep_when_free = BETWEEN_LOOKS


def _all_plain(components: Any) -> bool:
    return all(each.stateful or each.get_block_name() == PLAIN for each in components)
