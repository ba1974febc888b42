"""The models of a run, opened again to ask more about its samples."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from backend.models.embeddings import SentenceEmbedder
from backend.models.language_models import LanguageModel
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import SampleReport
from faithfulness.method.prompting import Protocol
from faithfulness.runs.call_store import Counter, RememberingModel
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile


@dataclass(frozen=True)
class ReopenedModel:
    """A model of a run, asked as it was then; its calls are kept with those of the run."""

    name: str
    profile: Profile
    model: LanguageModel
    protocol: Protocol
    metric: Metric
    folder: RunFolder

    def answered(self) -> Iterator[SampleReport]:
        """Its samples of the retrieval-hard subset that it answers with the passage."""
        for _, report in self.folder.reports(self.name):
            if report.full is not None and report.full.verdict.correct and report.retrieval_hard is not False:
                yield report


@contextmanager
def reopened_models(
    folder: RunFolder, open_model: Callable[[Profile], LanguageModel] = Profile.open, metric: Metric | None = None
) -> Iterator[list[ReopenedModel]]:
    """Every model of a run that has results. Raises FaithfulnessError if the folder holds none."""
    settings, store = folder.settings(), folder.calls()
    judge = metric or Metric(SentenceEmbedder(), paper=settings["correctness"] == "paper")

    def reopened(name: str) -> ReopenedModel:
        profile = Profile.model_validate({"name": name, **settings["models"][name]})
        model = RememberingModel(open_model(profile), store, profile.identity(), Counter())
        return ReopenedModel(name, profile, model, profile.open_protocol(), judge, folder)

    try:
        yield [reopened(name) for name in folder.models()]
    finally:
        store.close()
