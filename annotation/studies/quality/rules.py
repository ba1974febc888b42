"""The rules of a study: what happens by itself once a figure of a worker is beyond a limit (`[[rule]]` in study.toml)."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from annotation.studies.quality.worker_signals import HIGH, SignalName, WorkerSignals, beyond
from annotation.words.catalogue import translate

Consequence = Literal["hold", "ask the lead", "end"]


class QualityRule(BaseModel):
    """`after` so many answers, `above` (or `below`) this share, `then` this happens, once for each worker and rule.

    hold: no further task is given until a lead lets them on; ask the lead: the worker goes on and a lead is asked to look;
    end: their part ends. What was handed in stays until a lead takes it back.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    signal: SignalName
    above: float | None = Field(None, ge=0, le=1)
    below: float | None = Field(None, ge=0, le=1)
    after: int = Field(10, ge=1)
    then: Consequence = "ask the lead"

    @model_validator(mode="after")
    def _has_the_limit_that_fits(self) -> Self:
        wanted, other = ("above", "below") if self.signal in HIGH else ("below", "above")
        if getattr(self, wanted) is None or getattr(self, other) is not None:
            kind = translate("much") if wanted == "above" else translate("little")
            raise ValueError(
                translate(
                    "of {signal}, {kind} is bad: set {wanted}, and not {other}",
                    signal=self.signal,
                    kind=kind,
                    wanted=wanted,
                    other=other,
                )
            )
        return self

    @property
    def limit(self) -> float:
        limit = self.above if self.above is not None else self.below
        assert limit is not None
        return limit

    def words(self) -> str:
        side = "at least" if self.above is not None else "at most"
        return f"{self.signal} {side} {self.limit:.0%} after {self.after} answers"

    def holds(self, signals: WorkerSignals) -> bool:
        """Whether the figure is beyond the limit."""
        return signals.answers >= self.after and beyond(signals, self.signal, self.limit)
