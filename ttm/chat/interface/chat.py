"""`ModelChat`: a conversation about one model from Python, with what is taken out of it: reports, files, tables, an app."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from backend.errors import ExecutionError
from backend.storage.memory_rows import as_dataset, rows_of
from ttm.chat.export import EXPORTS
from ttm.chat.interface.questions.by_call import AnswersByCall
from ttm.chat.interface.saving import with_labels
from ttm.chat.session import ChatSession

if TYPE_CHECKING:
    import shap

# Named and not imported: the screens take seconds to import, and stand above this room.
SCREENS = "ttm.ui.own_app"


class LaunchedApp(Protocol):
    """A `gr.Blocks`, named by what is done with it, since only screens import Gradio."""

    def launch(self, *args: Any, **options: Any) -> Any: ...

    def close(self, verbose: bool = True) -> None: ...


class ModelChat(AnswersByCall):
    """Talk about one model and one table. Safe to use from several threads, one question after another.

    Questions that `ask` answers belong to the conversation: "they" and "it" refer to them. The other methods answer
    beside it, and leave it as it is. Of shapes, n is the number of rows, d that of features and k that of classes.

    Source:
        TalkToModel (Slack et al.), sections 2.1 and 2.2; Table 1 lists the operations.
    """

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


def chat_of_session(session: ChatSession) -> ModelChat:
    """The chat whose conversation is one of the app."""
    chat = ModelChat.__new__(ModelChat)
    chat.subjects, chat._session = session.subjects, session
    return chat
