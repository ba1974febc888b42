"""The answers of the conversation by call, without words: reasons, importance, errors, counterfactuals, drift, outliers."""

from collections.abc import Sequence
from typing import Any, Literal, Self

from backend.errors import ExecutionError
from ttm.chat.interface.chat_answer import ChatAnswer
from ttm.chat.interface.questions.arguments import about_row, counterfactual_parse, feature_named
from ttm.chat.interface.questions.conversation import ModelConversation
from ttm.tabular.data.second_table import second_table

Method = Literal["features", "lime", "shap", "compare", "paper"]


class AnswersByCall(ModelConversation):
    """What can be asked without words. These answers stand beside the conversation and leave it as it is."""

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

    def set_beside(self, table: Any) -> Self:
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
