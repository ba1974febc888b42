"""`ModelChat`: a conversation about one model from Python. Questions in words, and the same answers by call."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import pandas as pd

from backend.errors import ExecutionError
from backend.program.settings import Settings
from backend.storage.memory_rows import as_dataset, rows_of
from ttm.chat.catalogue import Loaded, SubjectCatalogue
from ttm.chat.conversation import Turn
from ttm.chat.export import EXPORTS
from ttm.chat.interface.chat_answer import ChatAnswer, answer_of
from ttm.chat.interface.notebook_display import ChatReading
from ttm.chat.interface.saving import with_labels
from ttm.chat.row_browser import row_question
from ttm.chat.session import ChatSession
from ttm.language.grammar import grammar_of
from ttm.operations.rows.context import Memory
from ttm.parsers import Understanding
from ttm.tabular.data.schema import Feature, Schema

if TYPE_CHECKING:
    import shap

Method = Literal["features", "lime", "shap", "compare", "paper"]
# Named and not imported: the screens take seconds to import, and stand above this room.
SCREENS = "ttm.ui.own_app"


class LaunchedApp(Protocol):
    """A `gr.Blocks`, named by what is done with it, since only screens import Gradio."""

    def launch(self, *args: Any, **options: Any) -> Any: ...

    def close(self, verbose: bool = True) -> None: ...


class ModelChat:
    """A conversation about one model and one table. Safe to use from several threads, one question after another.

    Questions that `ask` answers belong to the conversation: "they" and "it" refer to them. The other methods answer
    beside it, and leave it as it is.
    """

    def __init__(self, loaded: Loaded, settings: Settings | None = None) -> None:
        self.subjects = SubjectCatalogue(settings or Settings.model_validate({}), ready=loaded)
        self._session = ChatSession(self.subjects)

    @classmethod
    def of_session(cls, session: ChatSession) -> "ModelChat":
        """The chat whose conversation is one of the app."""
        chat = cls.__new__(cls)
        chat.subjects, chat._session = session.subjects, session
        return chat

    @property
    def session(self) -> ChatSession:
        """The conversation as the app has it."""
        return self._session

    @property
    def schema(self) -> Schema:
        """The features and the target, as they were stated or inferred."""
        return self.session.schema

    @property
    def frame(self) -> pd.DataFrame:
        """The rows that the chat is about (n, features), by id. A copy."""
        return self.session.loaded.subject.dataset.frame.copy()

    @property
    def predictions(self) -> pd.Series:
        """What the model predicts for each row (n,): class values as in the data, or numbers in the unit of the target."""
        subject = self.session.loaded.subject
        predicted, target = subject.predictions, self.schema.target
        values = [target.class_values[int(one)] for one in predicted] if target.is_classification else predicted
        return pd.Series(values, index=subject.dataset.frame.index, name=target.name)

    @property
    def answers(self) -> tuple[ChatAnswer, ...]:
        """The answers of the conversation so far, oldest first."""
        with self.session.lock:
            return tuple(self._answer(turn) for turn in self.session.turns)

    # --- the conversation --------------------------------------------------------------------------------------------

    def ask(self, question: str) -> ChatAnswer:
        """Answer a question in words, as the app does; the next one may refer to it.

        Raises ExecutionError for an empty question. What cannot be answered is said in `text`.
        """
        with self.session.lock:
            return self._answer(self.session.ask(question))

    async def ask_async(self, question: str) -> ChatAnswer:
        """As `ask`, without holding up other tasks of an event loop."""
        return await asyncio.to_thread(self.ask, question)

    def readings(self, question: str) -> tuple[ChatReading, ...]:
        """How a question would be understood, best first, without asking it."""
        understanding = self.session.understand(question)
        turn = Turn(0, question, understanding, None, (), Memory())
        return answer_of(self.session, turn, _unknown).readings

    def undo(self) -> ChatAnswer | None:
        """Take the last question back and return what its answer was; None if there is none."""
        with self.session.lock:
            answers = self.answers
            self.session.undo()
            return answers[-1] if answers else None

    def restart(self) -> None:
        """Begin a new conversation about the same model."""
        self.session.restart()

    def correct(self, number: int, parse: str) -> ChatAnswer:
        """Answer question `number` (`ChatAnswer.number`) again by another parse; later ones are answered again after it.

        Raises ParseError if it is outside the grammar, ExecutionError if there is no such question.
        """
        with self.session.lock:
            return self._answer(self.session.correct(number, parse))

    # --- the same by call --------------------------------------------------------------------------------------------

    def parse(self, parse: str) -> ChatAnswer:
        """Answer a question that is written in the parse language, beside the conversation. Raises ParseError."""
        read = grammar_of(self.schema).read(parse)
        execution = self.session.loaded.engine.execute(read)
        turn = Turn(0, str(read), Understanding(str(read), (), True), read, execution.results, execution.memory)
        return answer_of(self.session, turn, _unknown, counted=False)

    def explain(self, row: Any, method: Method = "features") -> ChatAnswer:
        """Why the model predicts what it does for the row with this id.

        `table` has the weight of each feature, in probability towards the class that `result` names, or in units of the target.
        `method` is "features" (the most faithful), "lime", "shap", "compare" or "paper". Raises ExecutionError for an unknown
        id or method.
        """
        if method not in (known := ("features", "lime", "shap", "compare", "paper")):
            raise ExecutionError(f"There is no method {method!r}; there are {', '.join(known)}.")
        return self.parse(self._about(row, f"explain {method}"))

    def importance(self) -> ChatAnswer:
        """How much each feature matters over all rows: mean absolute weight with its 95 % interval, by feature."""
        return self.parse("important all")

    def errors(self, by: str | None = None) -> ChatAnswer:
        """Where the model is wrong: rules for it, or `by` a column a table with a row for each group that it makes.

        `table` then has `error_rate` with its 95 % interval (`low`, `high`) and, for two classes, the rates of Fairlearn's
        `MetricFrame`; for a quantity the mean absolute error. Raises ExecutionError for an unknown column.
        """
        if by is None:
            return self.parse("mistake typical")
        token = self._feature(by).token
        return self.parse(f"fairness {token}" if len(self.schema.target.classes) == 2 else f"compare {token}")

    def counterfactuals(
        self, row: Any, keep: Sequence[str] = (), *, only: Sequence[str] = (), most: int | None = None,
        wanted: Any = None, count: int = 3,
    ) -> ChatAnswer:  # fmt: skip
        """What would have to be different in the row with this id for another prediction, cheapest first.

        `keep` are columns that stay, `only` those that may change, `most` how many may change together. `wanted` is a class
        value or name, or for a quantity the bounds (low, high), None is open. `table` has a row for each, as DiCE gives them.
        Raises ExecutionError for an unknown id, column or class.
        """
        words = [f"explain cfe {count}", *self._goal(wanted)]
        words += [f"keep {self._feature(name).token}" for name in keep] + [f"only {self._feature(name).token}" for name in only]
        words += [] if most is None else [f"most {most}"]
        return self.parse(self._about(row, " ".join(words)))

    # --- out of Python -----------------------------------------------------------------------------------------------

    def report(self, path: str | Path, by: Sequence[str] | None = None) -> Path:
        """Write a page of HTML that needs no server: the model, its scores, importance, errors, groups, and this conversation.

        `by` are the columns whose groups are compared, at most three found by themselves if None. Pinned answers are marked.
        Raises ExecutionError if it cannot be written.
        """
        from ttm.chat.interface.report import write_report

        return write_report(self, Path(path), by)

    def export(self, path: str | Path) -> Path:
        """Write the conversation alone, as its ending says: .html, .md or .json. Raises ExecutionError."""
        from ttm.chat.interface.report import write_text

        write = EXPORTS.get(Path(path).suffix.lstrip("."))
        if write is None:
            raise ExecutionError(f"Name a file that ends in .{', .'.join(EXPORTS)}, not {str(path)!r}.")
        return write_text(Path(path), write(self.session))

    def model_card(self) -> str:
        """A section for a model card in Markdown: what is predicted, scores, importance, errors, and what was asked."""
        from ttm.chat.interface.report import model_card_section

        return model_card_section(self)

    def shap_values(self, rows: Sequence[Any] | None = None) -> "shap.Explanation":
        """Shapley values of the model's output as `shap.plots` draw them: (n, features), towards the class of `importance`.

        `rows` are ids; all rows if None. Raises ExecutionError for an unknown id.
        """
        from ttm.chat.interface.shap_values import shap_explanation

        return shap_explanation(self.session.loaded, rows)

    def to_dataset(self) -> Any:
        """The rows with the outcome where it is known and `predicted`, as a `datasets.Dataset`; needs that library."""
        dataset = self.session.loaded.subject.dataset
        rows = with_labels(dataset.frame, dataset.labels, self.schema).assign(predicted=self.predictions)
        return as_dataset(rows_of(rows.reset_index(), ExecutionError))

    def app(self, title: str | None = None, *, bare: bool = False, loadable: bool = False) -> LaunchedApp:
        """The chat as a Gradio app of its own: `chat.app().launch()`.

        `bare`, for an iframe, is without heading and foot; `loadable`, for `gr.load`, has questions and answers alone.
        """
        from importlib import import_module

        app: LaunchedApp = import_module(SCREENS).app(self, title or self.schema.title, bare, loadable)
        return app

    def save(self, folder: str | Path) -> Path:
        """Keep the table, the model and the conversation in a folder, for `ttm.load`. Raises ModelError for a function.

        The model is kept as skops, from which no code runs when it is loaded.
        """
        from ttm.chat.interface.saving import save

        return save(self.session, Path(folder))

    def __reduce__(self) -> Any:
        raise TypeError("A chat is not pickled. Use chat.save(folder) and ttm.load(folder).")

    def __repr__(self) -> str:
        subject = self.session.loaded.subject
        rows = f"{len(subject.dataset.frame):,} {self.schema.entity}, {len(self.schema.features)} features"
        about = f"{subject.model.name}, which predicts {self.schema.objective}"
        return f"<Chat about {about}: {rows}, {len(self.session.turns)} questions>"

    # --- ids, columns, classes ---------------------------------------------------------------------------------------

    def _answer(self, turn: Turn) -> ChatAnswer:
        return answer_of(self.session, turn, lambda index: self._choose(turn.number, index))

    def _choose(self, number: int, index: int) -> ChatAnswer:
        candidates = self.session.turn(number).understanding.candidates
        if not 0 <= index < len(candidates):
            raise ExecutionError(f"There is no reading {index}; they go from 0 to {len(candidates) - 1}.")
        return self.correct(number, str(candidates[index].parse))

    def _about(self, row: Any, parse: str) -> str:
        index = self.session.loaded.subject.dataset.frame.index
        text = str(row.item() if isinstance(row, np.generic) else row)
        if text not in (str(one) for one in index):
            raise ExecutionError(f"There is no row {row!r}; ids go from {index[0]} to {index[-1]}.")
        return row_question(text, parse)

    def _feature(self, name: str) -> Feature:
        feature = self.schema.by_name.get(str(name)) or self.schema.by_token.get(str(name))
        if feature is None:
            raise ExecutionError(f"There is no column {name!r}; there are {', '.join(list(self.schema.by_name)[:40])}.")
        return feature

    def _goal(self, wanted: Any) -> list[str]:
        if wanted is None:
            return []
        target = self.schema.target
        if target.is_classification:
            for known in (list(target.class_values), [str(one) for one in target.class_values], list(target.classes)):
                if wanted in known:
                    return [f"class {known.index(wanted)}"]
            raise ExecutionError(f"There is no class {wanted!r}; there are {', '.join(map(str, target.class_values))}.")
        low, high = wanted if isinstance(wanted, tuple | list) and len(wanted) == 2 else (None, None)
        if (low is None) == (high is None):
            raise ExecutionError("Say from or up to which value: wanted=(20, None) or wanted=(None, 20).")
        return [f"greater equal than {low:g}"] if low is not None else [f"less equal than {high:g}"]


def _unknown(index: int) -> ChatAnswer:
    raise ExecutionError("This answer is no part of a conversation, so there are no other readings to choose.")
