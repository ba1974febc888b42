"""One question of a simulation: parsed, then corrected step by step by a user who knows what was meant."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from backend.errors import InspiredError, LogicalFormError
from inspired.decomposition.asked_variable import following_the_steps
from inspired.decomposition.correction_operations import Kind, Operation
from inspired.decomposition.decompose import decompose
from inspired.decomposition.steps import Decomposition, Frame, Step, compose
from inspired.lab.simulation.alignment import operations, says_the_same, signature
from inspired.lab.simulation.user import User
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import LogicalForm, Variable
from inspired.logical_form.sparql_reader import ANSWER
from inspired.parsers.query_graphs.query_graph import framed, reframed
from inspired.parsers.reading import History, ParseCorrector
from inspired.sub_questions.verbalise import verbalise

# Section 5.1: candidates that a correction model gives.
_CANDIDATES = 10


@dataclass(frozen=True)
class Case:
    """A question with its gold form, and what a parser made of it; None if it failed."""

    id: str
    question: str
    gold: LogicalForm
    names: Mapping[str, str]
    predicted: LogicalForm | None


@dataclass(frozen=True)
class SimulatedCorrection:
    """What became of one operation: at which attempt the step came out right, None if at none. Deleting always works."""

    kind: Kind
    turn: int
    right_at: int | None


@dataclass(frozen=True)
class Corrected:
    """`form` is the whole question after all corrections with so many attempts each; None if nothing fits together."""

    attempts: int
    form: LogicalForm | None
    exact: bool
    corrections: tuple[SimulatedCorrection, ...]


def same(one: LogicalForm | None, gold: LogicalForm) -> bool:
    """Exact match: equal up to order, names of variables, and the filters that only frame the answer."""
    return one is not None and (equivalent(one, gold) or equivalent(framed(one), framed(gold)))


def correct(case: Case, parser: ParseCorrector, user: User, attempts: int) -> Corrected:
    """`case` after a user has put every wrong step right, or tried to: `attempts` times a step.

    Each attempt takes the parser's best reading of what the user says, unless it repeats a mistake made before.
    """
    if same(case.predicted, case.gold):
        return Corrected(attempts, case.predicted, True, ())
    gold = decompose(case.gold)
    predicted = None if case.predicted is None else decompose(case.predicted)
    done: list[Step] = []
    made: list[SimulatedCorrection] = []
    number = 0
    for turn, operation in enumerate(operations(predicted, gold), 1):
        if operation.kind == "delete":
            made.append(SimulatedCorrection("delete", turn, 1))
            continue
        assert operation.new is not None
        if operation.kind == "keep":
            done.append(operation.new)
        else:
            step, right_at = _put_right(case, gold, operation, number, done, parser, user, attempts)
            made.append(SimulatedCorrection(operation.kind, turn, right_at))
            done += [] if step is None else [step]
        number += 1
    form = _whole(done)
    return Corrected(attempts, form, same(form, case.gold), tuple(made))


def _put_right(
    case: Case,
    gold: Decomposition,
    operation: Operation[Step],
    number: int,
    done: Sequence[Step],
    parser: ParseCorrector,
    user: User,
    attempts: int,
) -> tuple[Step | None, int | None]:
    """The step that comes out, and the attempt at which it was right. If none is, the first reading stays."""
    assert operation.new is not None
    tried: list[Step] = []
    refused = () if operation.old is None else (operation.old,)
    for attempt in range(1, attempts + 1):
        words = user.feedback(gold, case.names, number, attempt, case.id)
        history = History(case.question, tuple(done), ANSWER, (*refused, *tried), _nouns(done, case.names))
        step = _reading(parser, words, history)
        if step is None:
            continue
        if all(each in gold.steps for each in done):
            if says_the_same(step, operation.new, done):
                return operation.new, attempt
        # After a step that stayed wrong the variables of the two rows no longer correspond.
        elif signature(step, ()) == signature(operation.new, ()):
            return step, attempt
        tried.append(step)
    return (tried[0] if tried else operation.old), None


def _reading(parser: ParseCorrector, words: str, history: History) -> Step | None:
    with suppress(InspiredError, LogicalFormError):
        for reading in parser.correct(words, history, _CANDIDATES):
            if not any(says_the_same(reading.step, each, history.steps) for each in history.rejected):
                return reading.step
    return None


def _nouns(done: Sequence[Step], names: Mapping[str, str]) -> Mapping[Variable, str]:
    if not done:
        return {}
    return verbalise(Decomposition(Frame(ANSWER), tuple(done)), names).nouns


def _whole(steps: Sequence[Step]) -> LogicalForm | None:
    """The corrected steps as one question, which asks for what its last step finds."""
    if not steps:
        return None
    with suppress(LogicalFormError):
        return compose(reframed(following_the_steps(Decomposition(Frame(ANSWER), tuple(steps)))))
    return None
