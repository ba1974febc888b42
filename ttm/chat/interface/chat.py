"""`ModelChat`: a conversation about one model from Python. Questions in words, and the same answers by call."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import pandas as pd

from backend.errors import ExecutionError
from backend.program.settings import Settings
from backend.storage.memory_rows import as_dataset, rows_of
from ttm.chat.catalogue import Loaded, SubjectCatalogue
from ttm.chat.conversation import Turn
from ttm.chat.export import EXPORTS
from ttm.chat.interface.arguments import about_row, counterfactual_parse, feature_named
from ttm.chat.interface.chat_answer import ChatAnswer, answer_of
from ttm.chat.interface.notebook_display import ChatReading
from ttm.chat.interface.saving import with_labels
from ttm.chat.session import ChatSession
from ttm.language.grammar import grammar_of
from ttm.operations.rows.context import Memory
from ttm.parsers import Understanding
from ttm.tabular.data.schema import Schema
from ttm.tabular.data.second_table import second_table

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
    """Talk about one model and one table. Safe to use from several threads, one question after another.

    Questions that `ask` answers belong to the conversation: "they" and "it" refer to them. The other methods answer
    beside it, and leave it as it is. Of shapes, n is the number of rows, d that of features and k that of classes.

    Source:
        TalkToModel (Slack et al.), sections 2.1 and 2.2; Table 1 lists the operations.
    """

    def __init__(self, loaded: Loaded, settings: Settings | None = None) -> None:
        self.subjects = SubjectCatalogue(settings or Settings.model_validate({}), ready=loaded)
        self._session = ChatSession(self.subjects)

    @property
    def session(self) -> ChatSession:
        """The conversation as the app has it."""
        return self._session

    @property
    def schema(self) -> Schema:
        """The features and the target with their units, as they were stated or inferred."""
        return self.session.schema

    @property
    def frame(self) -> pd.DataFrame:
        """The rows that the chat is about (n, d), by id, in the units of the data. A copy."""
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

        Args:
            question: At most 500 characters.

        Returns:
            The answer. What cannot be answered, or is asked back, is said in its `text`.

        Raises:
            ExecutionError: The question is empty or too long.

        Source:
            TalkToModel (Slack et al.), section 2.1.
        """
        with self.session.lock:
            return self._answer(self.session.ask(question))

    async def ask_async(self, question: str) -> ChatAnswer:
        """Answer a question as `ask` does, without holding up other tasks of an event loop.

        Args:
            question: At most 500 characters.

        Returns:
            The answer, as of `ask`.

        Raises:
            ExecutionError: The question is empty or too long.

        Source:
            TalkToModel (Slack et al.), section 2.1.
        """
        return await asyncio.to_thread(self.ask, question)

    def readings(self, question: str) -> tuple[ChatReading, ...]:
        """Show how a question would be understood, without asking it.

        Args:
            question: At most 500 characters.

        Returns:
            Readings with their parse, words and probability (0 to 1), best first.

        Raises:
            ExecutionError: The question is empty or too long.

        Source:
            TalkToModel (Slack et al.), section 2.1.
        """
        understanding = self.session.understand(question)
        turn = Turn(0, question, understanding, None, (), Memory())
        return answer_of(self.session, turn, _unknown).readings

    def undo(self) -> ChatAnswer | None:
        """Take the last question back.

        Returns:
            What its answer was; None if nothing has been asked.
        """
        with self.session.lock:
            answers = self.answers
            self.session.undo()
            return answers[-1] if answers else None

    def restart(self) -> None:
        """Begin a new conversation about the same model."""
        self.session.restart()

    def correct(self, number: int, parse: str) -> ChatAnswer:
        """Answer a question again by another parse; later ones are answered again after it.

        Args:
            number: Which question, as `ChatAnswer.number` counts them.
            parse: What was meant, in the parse language.

        Returns:
            The new answer.

        Raises:
            ParseError: The parse is outside the grammar.
            ExecutionError: There is no such question, or what it asks for cannot be carried out.

        Source:
            TalkToModel (Slack et al.), A.2 for the grammar.
        """
        with self.session.lock:
            return self._answer(self.session.correct(number, parse))

    # --- the same by call --------------------------------------------------------------------------------------------

    def parse(self, parse: str) -> ChatAnswer:
        """Answer a question that is written in the parse language, beside the conversation.

        Args:
            parse: Such as "filter age greater than 50 and score accuracy".

        Returns:
            The answer, with no `number` and no `confidence`.

        Raises:
            ParseError: The parse is outside the grammar.
            ExecutionError: What it asks for cannot be carried out.

        Source:
            TalkToModel (Slack et al.), section 2.1, A.2 and Table 1.
        """
        read = grammar_of(self.schema).read(parse)
        execution = self.session.loaded.engine.execute(read)
        turn = Turn(0, str(read), Understanding(str(read), (), True), read, execution.results, execution.memory)
        return answer_of(self.session, turn, _unknown, counted=False)

    def explain(self, row: Any, method: Method = "features") -> ChatAnswer:
        """Explain why the model predicts what it does for one row.

        Args:
            row: The id of the row.
            method: "features" (the most faithful explanation), "lime", "shap", "compare" (all of them) or "paper" (by the
                letter of the paper).

        Returns:
            An answer whose `table` (d, 2) has the `value` and the `weight` of each feature, the largest weight first. A weight
            is in probability (-1 to 1) towards the class that `result` names, or in units of the target.

        Raises:
            ExecutionError: There is no row with this id, or no such method.

        Source:
            TalkToModel (Slack et al.), section 2.2 and A.4: the explanation of highest fidelity; LIME (Ribeiro et al. 2016),
            SHAP (Lundberg and Lee 2017).
        """
        if method not in (known := ("features", "lime", "shap", "compare", "paper")):
            raise ExecutionError(f"There is no method {method!r}; there are {', '.join(known)}.")
        return self.parse(about_row(self.session.loaded.subject, row, f"explain {method}"))

    def importance(self) -> ChatAnswer:
        """Measure how much each feature matters over all rows.

        Returns:
            An answer whose `table` (d, 6) has for each feature `importance`, the mean absolute weight in probability (0 to 1)
            or in units of the target, with its 95 % interval (`low`, `high`), `mean_weight` with its sign, `shuffled`, what the
            score loses when the feature is shuffled, and `rank`.

        Source:
            TalkToModel (Slack et al.), Table 1; SHAP (Lundberg and Lee 2017); permutation importance (Breiman 2001).
        """
        return self.parse("important all")

    def errors(self, by: str | None = None) -> ChatAnswer:
        """Find where the model is wrong.

        Args:
            by: A column, whose groups are compared; None looks for rules that tell wrong rows from right ones.

        Returns:
            An answer. Its `table` with `by` has a row for each of the g groups (g, columns): `rows`, `error_rate` (0 to 1), and
            for two classes its 95 % interval (`low`, `high`) and the rates (0 to 1) of Fairlearn's `MetricFrame`; for a
            quantity `mean_absolute_error` in units of the target.

        Raises:
            ExecutionError: There is no such column.

        Source:
            TalkToModel (Slack et al.), Table 1 ("mistakes"); equalized odds (Hardt et al. 2016) for the rates.
        """
        if by is None:
            return self.parse("mistake typical")
        token = feature_named(self.schema, by).token
        return self.parse(f"fairness {token}" if len(self.schema.target.classes) == 2 else f"compare {token}")

    def counterfactuals(
        self, row: Any, keep: Sequence[str] = (), *, only: Sequence[str] = (), most: int | None = None,
        wanted: Any = None, count: int = 3,
    ) -> ChatAnswer:  # fmt: skip
        """Find what would have to be different in one row for another prediction, cheapest first.

        Args:
            row: The id of the row.
            keep: Columns that stay as they are.
            only: Columns that may change; all but those of `keep` if there are none.
            most: How many columns may change together; None is any number.
            wanted: A class value or its name; for a quantity the bounds (low, high) in its unit, None is open. If None, any
                other class or a clearly different value.
            count: How many to look for, at most 10.

        Returns:
            An answer whose `table` has at most `count` rows (count, d + 4 or more), as DiCE gives them: all features and the
            outcome with the names and types of the frame, the probability (0 to 1) of each class, which features `changed`, the
            `cost` in standard deviations, and `holds`, the share (0 to 1) of slightly different rows with the same outcome.

        Raises:
            ExecutionError: There is no such row, column or class, or bounds, `count` or `most` are out of range.

        Source:
            TalkToModel (Slack et al.), Table 1 ("what would have to change"); DiCE (Mothilal et al. 2020).
        """
        return self.parse(
            about_row(self.session.loaded.subject, row, counterfactual_parse(self.schema, keep, only, most, wanted, count))
        )

    def set_beside(self, table: Any) -> "ModelChat":
        """Set a second table beside this one, so that `ask` can be asked about drift and outliers.

        Args:
            table: The path of a CSV file, or a DataFrame (m, d or more) with the columns that the model reads; with the column
                of the target, scores are compared too.

        Returns:
            This chat.

        Raises:
            DatasetError: Columns are missing, or hold something else than in this table.

        Source:
            Rabanser et al. 2019, "Failing loudly: an empirical study of methods for detecting dataset shift".
        """
        loaded = self.session.loaded
        self.session.set_beside(second_table(table, loaded.schema, loaded.subject.dataset.train_frame))
        return self

    def drift(self) -> ChatAnswer:
        """Find the columns that are distributed otherwise than in the training rows.

        Returns:
            An answer about the table of `set_beside`, or about these rows if the model was trained on others. Its `table` has
            a row for each column: the size of its drift (0 to 1) and a p-value, corrected for all columns.

        Raises:
            ExecutionError: There is no second table, and the model was trained on these rows.

        Source:
            Rabanser et al. 2019, "Failing loudly": tests of each column, corrected for being many.
        """
        return self.parse("drift")

    def outliers(self, count: int = 10) -> ChatAnswer:
        """Find the rows that are least like the training rows.

        Args:
            count: How many, from 1.

        Returns:
            An answer about the table of `set_beside`, or else about these rows. Its `table` has for each row its id, its
            mean distance to the five nearest training rows, and the share of these that are as far from the others.

        Raises:
            ExecutionError: `count` is below 1, or there are too few training rows.

        Source:
            Ramaswamy et al. 2000 (distance to the nearest rows); Laxhammar and Falkman 2010 (conformal anomaly detection).
        """
        if count < 1:
            raise ExecutionError(f"count is from 1; not {count}.")
        return self.parse(f"outliers {count}")

    # --- out of Python -----------------------------------------------------------------------------------------------

    def report(self, path: str | Path, by: Sequence[str] | None = None) -> Path:
        """Write a page of HTML that needs no server: the model, its scores, importance, errors, groups, and this conversation.

        Args:
            path: The file; one that is there is replaced.
            by: Columns whose groups are compared; at most three are chosen if None.

        Returns:
            The path. Answers that were pinned in the app are marked.

        Raises:
            ExecutionError: It cannot be written, or there is no such column.
        """
        from ttm.chat.interface.report import write_report

        return write_report(self, Path(path), by)

    def export(self, path: str | Path) -> Path:
        """Write the conversation alone.

        Args:
            path: The file, whose ending says how: .html, .md or .json.

        Returns:
            The path.

        Raises:
            ExecutionError: The ending is another, or the file cannot be written.
        """
        from ttm.chat.interface.report import write_text

        write = EXPORTS.get(Path(path).suffix.lstrip("."))
        if write is None:
            raise ExecutionError(f"Name a file that ends in .{', .'.join(EXPORTS)}, not {str(path)!r}.")
        return write_text(Path(path), write(self.session))

    def model_card(self) -> str:
        """Write a section for a model card: what is predicted, scores, importance, errors, and what was asked.

        Returns:
            Markdown, with scores and shares from 0 to 1 or in units of the target, as each line names them.

        Source:
            Model cards (Mitchell et al. 2019).
        """
        from ttm.chat.interface.report import model_card_section

        return model_card_section(self)

    def shap_values(self, rows: Sequence[Any] | None = None) -> "shap.Explanation":
        """Compute Shapley values as `shap.plots` draw them.

        Args:
            rows: Ids of m rows; all rows if None.

        Returns:
            An explanation whose `values` (m, d) with `base_values` (m,) add up to the model's output: the probability of the
            second of two classes, of the predicted one of more, or a number in the unit of the target. `data` (m, d) are the
            rows.

        Raises:
            ExecutionError: There is no row with such an id.

        Source:
            SHAP (Lundberg and Lee 2017).
        """
        from ttm.chat.interface.plots.shap_values import shap_explanation

        return shap_explanation(self.session.loaded, rows)

    def to_dataset(self) -> Any:
        """Give the rows as a data set of the library `datasets`, which has to be installed.

        Returns:
            A `datasets.Dataset` (n, d + 3): the id, the features, the outcome where it is known, and `predicted`.

        Raises:
            SettingsError: The library is not installed.
        """
        dataset = self.session.loaded.subject.dataset
        rows = with_labels(dataset.frame, dataset.labels, self.schema).assign(predicted=self.predictions)
        return as_dataset(rows_of(rows.reset_index(), ExecutionError))

    def app(self, title: str | None = None, *, bare: bool = False, loadable: bool = False) -> LaunchedApp:
        """Make a Gradio app of the chat: `chat.app().launch()`.

        Args:
            title: What the page is called; the title of the data if None.
            bare: Without heading and foot, for an iframe.
            loadable: Questions and answers alone, for `gr.load`.

        Returns:
            A `gr.Blocks` that is not yet launched. Each page has a conversation of its own.
        """
        from importlib import import_module

        app: LaunchedApp = import_module(SCREENS).app(self, title or self.schema.title, bare, loadable)
        return app

    def save(self, folder: str | Path) -> Path:
        """Keep the table, the model and the conversation in a folder, for `ttm.load`.

        Args:
            folder: Where; made if missing. The model is kept as skops, from which no code runs when it is loaded.

        Returns:
            The folder.

        Raises:
            ModelError: The model is a function, or cannot be kept as skops.
            DatasetError: The folder cannot be written.
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

    def _answer(self, turn: Turn) -> ChatAnswer:
        return answer_of(self.session, turn, lambda index: self._choose(turn.number, index))

    def _choose(self, number: int, index: int) -> ChatAnswer:
        candidates = self.session.turn(number).understanding.candidates
        if not 0 <= index < len(candidates):
            raise ExecutionError(f"There is no reading {index}; they go from 0 to {len(candidates) - 1}.")
        return self.correct(number, str(candidates[index].parse))


def _unknown(index: int) -> ChatAnswer:
    raise ExecutionError("This answer is no part of a conversation, so there are no other readings to choose.")


def chat_of_session(session: ChatSession) -> ModelChat:
    """The chat whose conversation is one of the app."""
    chat = ModelChat.__new__(ModelChat)
    chat.subjects, chat._session = session.subjects, session
    return chat
