"""A question, the passage that helps to answer it, and the answers that count as right."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from backend.errors import FaithfulnessError
from faithfulness.method.regions import Span

EXAMPLES = Path(__file__).parent / "examples.toml"


@dataclass(frozen=True)
class Sample:
    """One triplet (q, c, e) of section 2, with any number of accepted short answers. `source` says where it comes from.

    Without accepted answers the model's own answer with the whole passage is the reference. Where the passage is several
    passages one after another, `passages` are their spans.
    """

    question: str
    passage: str
    answers: tuple[str, ...]
    title: str = ""
    source: str = ""
    passages: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        """Raises FaithfulnessError naming what is empty."""
        wanted = {"a question": self.question, "a passage": self.passage}
        missing = [name for name, text in wanted.items() if not text.strip()]
        if missing:
            raise FaithfulnessError(f"A sample needs {' and '.join(missing)}.")
        if self.answers and not any(answer.strip() for answer in self.answers):
            raise FaithfulnessError("A sample needs an accepted answer, or none at all.")


def read_examples(path: Path = EXAMPLES) -> list[Sample]:
    """The samples of an examples file: `[[sample]]` tables with question, passage, answers, title, source."""
    tables = tomllib.loads(path.read_text("utf-8"))["sample"]
    return [Sample(t["question"], t["passage"], tuple(t["answers"]), t["title"], t["source"]) for t in tables]
