"""Whether two parses come to the same answer: what stays of an error when another wording asks for the same result."""

from collections.abc import Callable
from typing import Any

from ttm.language.grammar import grammar_of
from ttm.language.parse import Parse
from ttm.operations.results import Empty, Refused, as_json

SameResult = Callable[[str, Parse], bool]
# What only says how a result was asked for.
WORDING = frozenset({"operation", "words", "changes", "notes"})


def execution(dataset: str) -> SameResult:
    """Compares what a gold text and a parse answer on a data set, whose model is loaded or trained.

    A gold text that cannot be read or carried out never matches: two refusals are not the same answer.
    """
    from backend.errors import ParleyError
    from backend.program.settings import read_settings
    from backend.storage.cache import Cache
    from ttm.explain.explainer import Explainer
    from ttm.operations.execution_engine import ExecutionEngine
    from ttm.tabular.subject import load_subject

    settings = read_settings({})
    subject = load_subject(dataset, seed=settings.seed)
    engine = ExecutionEngine(subject, Explainer(subject, Cache(settings.cache_dir), settings.seed), settings.seed)
    answers: dict[str, Any] = {}

    def answer(parse: Parse) -> Any:
        text = str(parse)
        if text not in answers:
            results = engine.execute(parse).results
            refused = not results or any(isinstance(one, Refused | Empty) for one in results)
            answers[text] = None if refused else essence(as_json(list(results)))
        return answers[text]

    def same(gold: str, parse: Parse) -> bool:
        try:
            wanted = answer(grammar_of(subject.schema).read(gold))
            return wanted is not None and bool(wanted == answer(parse))
        except ParleyError:
            return False

    return same


def essence(value: Any) -> Any:
    """A result without the words that only say how it was asked for."""
    if isinstance(value, dict):
        return {key: essence(part) for key, part in value.items() if key not in WORDING}
    return [essence(part) for part in value] if isinstance(value, list) else value
