"""The note under probabilities of a model that gives only classes: 0 and 1 stand for them and do not say how sure it is."""

from dataclasses import replace

from ttm.language.operations.fairness import ThresholdByGroup
from ttm.language.operations.predictions import ClassLikelihood, ThresholdCost, ThresholdReaching
from ttm.language.operations.scores import Gain
from ttm.language.parse import Likelihood, Operation, Predict, Score, Threshold
from ttm.operations.results import Result
from ttm.tabular.subject import Subject

OF_PROBABILITY = (ClassLikelihood, Gain, Likelihood, Predict, Threshold, ThresholdByGroup, ThresholdCost, ThresholdReaching)
METRICS = frozenset({"calibration", "roc"})
NOTE = "This model gives decisions and no probabilities: 0% and 100% stand for them, and how sure it is is not known."


def with_decisions_note(result: Result, step: Operation, subject: Subject) -> Result:
    """A result about probabilities, with a note if the model decides only; others as they are."""
    asked = isinstance(step, OF_PROBABILITY) or (isinstance(step, Score) and step.metric in METRICS)
    if not asked or not subject.model.decides:
        return result
    return replace(result, group=replace(result.group, notes=(*result.group.notes, NOTE)))
