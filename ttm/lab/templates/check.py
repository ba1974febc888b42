"""Proves the templates: each can be filled and read, is carried out, and says what no other template says.

Filled parses are read by the grammar of every data set that has what the template speaks of. Explanations are slow, so each
distinct parse is carried out once for each data set (once in all with `fast`), whatever utterances lead to it.
"""

import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from backend.errors import ParseError
from ttm.lab.templates.forms import FORMS, by_form, by_length
from ttm.lab.templates.proving import ProvingGround, grounds
from ttm.parsers.templates.generate import TrainingPair
from ttm.parsers.templates.template import UtteranceTemplate, filter_clauses

FILLINGS = 8  # fillings of a template that are read for each data set
# Punctuation that tells nothing apart; comparison signs do.
PUNCTUATION = re.compile(r"[^\w\s<>={}%/+-]")


@dataclass(frozen=True)
class Problem:
    """What is wrong with one template, and where it stands."""

    where: str
    template: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what} [{self.template}]"


@dataclass
class TemplateReport:
    """What was found. `fitting`: templates by data set; `forms` and `lengths`: templates by form of the parse language and by
    number of composed filters and operations; `uncovered`: forms that no template has."""

    templates: int
    read: int = 0
    carried_out: int = 0
    seconds: float = 0.0
    fitting: dict[str, int] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)
    forms: dict[str, int] = field(default_factory=dict)
    lengths: dict[int, int] = field(default_factory=dict)
    uncovered: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return not self.problems and not self.uncovered

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"good": self.good}


def check_templates(
    templates: Sequence[UtteranceTemplate],
    *,
    execute: bool = True,
    fast: bool = False,
    fillings: int = FILLINGS,
    most_executed: int | None = None,
) -> TemplateReport:
    """Check templates on the demos and the made-up data sets.

    `fast` carries each distinct parse out on the first data set that answers it, not on all; `fillings` of each template are
    read for each data set; `most_executed` limits how many distinct parses are carried out on each, evenly chosen.
    """
    start = time.perf_counter()
    report = TemplateReport(len(templates), files=dict(Counter(template.file for template in templates)))
    report.problems += duplicates(templates)
    by_name = by_form([*templates, *filter_clauses()])
    report.forms = {form: by_name[form] for form in FORMS}
    report.uncovered = [form for form in FORMS if not by_name[form]]
    report.lengths = dict(sorted(by_length(templates).items()))
    proving = _Proving(templates, report, fillings)
    for ground in grounds():
        proving.read_all(ground)
        if execute:
            proving.execute_all(ground, fast, most_executed)
    proving.unfilled()
    if execute:
        proving.unanswered(elsewhere=most_executed is not None)
    report.seconds = time.perf_counter() - start
    return report


class _Proving:
    """Goes over the data sets one after the other and remembers what is proved."""

    def __init__(self, templates: Sequence[UtteranceTemplate], report: TemplateReport, fillings: int) -> None:
        self.templates = templates
        self.report = report
        self.fillings = fillings
        self.filled: set[str] = set()
        self.broken: set[str] = set()
        self.answered: set[str] = set()
        self.reasons: dict[str, tuple[UtteranceTemplate, str]] = {}
        self.parses: dict[tuple[str, str], tuple[str, UtteranceTemplate]] = {}

    def read_all(self, ground: ProvingGround) -> None:
        fitting = 0
        for template in self.templates:
            examples = ground.examples(template, self.fillings)
            fitting += bool(examples)
            self.filled |= {template.where} if examples else set()
            for example in examples:
                self.report.read += 1
                problem = _unread(ground, example.parse) or self._contradiction(ground.name, template, example)
                if problem:
                    self._note_problem(template, f"{ground.name}: {problem}")
                    break
        self.report.fitting[ground.name] = fitting

    def _note_problem(self, template: UtteranceTemplate, what: str) -> None:
        """Note a problem; one a template is enough."""
        if template.where not in self.broken:
            self.report.problems.append(Problem(template.where, template.utterance, what))
        self.broken.add(template.where)

    def _contradiction(self, name: str, template: UtteranceTemplate, example: TrainingPair) -> str | None:
        """Whether another template gives the same words another parse."""
        known, other = self.parses.setdefault((name, spoken_alike(example.utterance)), (example.parse, template))
        if known == example.parse or other.where == template.where:
            return None
        return f'"{example.utterance}" is {example.parse!r} here, but {known!r} at {other.where}'

    def execute_all(self, ground: ProvingGround, fast: bool, most: int | None) -> None:
        shapes: dict[str, UtteranceTemplate] = {}
        for template in self.templates:
            if template.where not in self.broken and ground.examples(template, 1):
                shapes.setdefault(shape(template), template)
        chosen = list(shapes.items())
        if most is not None:
            chosen = chosen[:: max(1, -(-len(chosen) // most))]
        for key, template in chosen:
            if fast and key in self.answered:
                continue
            reason = ground.why_refused(template)
            self.report.carried_out += 1
            if reason is None:
                self.answered.add(key)
            else:
                self.reasons.setdefault(key, (template, reason))

    def unfilled(self) -> None:
        for template in self.templates:
            if template.where not in self.filled:
                self._note_problem(template, "no demo or made-up data set has what its wildcards stand for")

    def unanswered(self, elsewhere: bool) -> None:
        """Note what was refused and never answered; `elsewhere`: also carry it out where it was left out of the sample."""
        refused = [(template, reason) for key, (template, reason) in self.reasons.items() if key not in self.answered]
        others = list(grounds()) if refused and elsewhere else []
        for template, reason in refused:
            if not any(ground.examples(template, 1) and ground.why_refused(template) is None for ground in others):
                self._note_problem(template, f"no data set answers it: {reason}")


def _unread(ground: ProvingGround, parse: str) -> str | None:
    """Why a parse is not good: outside the grammar, or not in its canonical form."""
    try:
        canonical = str(ground.grammar.read(parse))
    except ParseError as error:
        return error.message
    return None if canonical == parse else f"{parse!r} should be written {canonical!r}"


def duplicates(templates: Sequence[UtteranceTemplate]) -> list[Problem]:
    """Templates whose utterance another one has, up to case, punctuation and the numbers and forms of wildcards."""
    first: dict[str, UtteranceTemplate] = {}
    problems = []
    for template in templates:
        other = first.setdefault(_without_numbers(spoken_alike(template.utterance)), template)
        if other is not template:
            what = f'says the same as "{other.utterance}" at {other.where}'
            problems.append(Problem(template.where, template.utterance, what))
    return problems


def shape(template: UtteranceTemplate) -> str:
    """A parse without the numbers of its wildcards: what is carried out once."""
    return _without_numbers(template.parse)


def spoken_alike(utterance: str) -> str:
    """An utterance without case, punctuation and double spaces."""
    return " ".join(PUNCTUATION.sub("", utterance.lower().replace(":", " ")).split())


def _without_numbers(text: str) -> str:
    return re.sub(r"\{([a-z]+?)\d*(?:[: ][a-z]+)?\}", r"{\1}", text)


def report_text(report: TemplateReport) -> str:
    """The report as tables in plain text."""
    composed = ", ".join(f"{count} of {length}" for length, count in report.lengths.items())
    lines = [
        f"{report.templates:,} templates in {len(report.files)} files; {report.read:,} fillings read, {report.carried_out:,} "
        f"parses carried out in {report.seconds:.0f} s",
        f"fitting: {', '.join(f'{name} {count:,}' for name, count in report.fitting.items())}",
        f"filters and operations composed: {composed}",
        "templates a form of the parse language:",
        *(f"  {form:32} {count:5}" for form, count in report.forms.items()),
    ]
    lines += [f"no template covers: {', '.join(report.uncovered)}"] if report.uncovered else []
    lines += [str(problem) for problem in report.problems]
    return "\n".join([*lines, "all good" if report.good else f"{len(report.problems)} problems"])
