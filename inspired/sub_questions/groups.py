"""The words of steps that exclude, list or count things, and of those that count or test all answers."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from backend.text.words import listed
from inspired.decomposition.decompose import group
from inspired.decomposition.steps import Step
from inspired.logical_form.forms import Aggregate, Asking, Counting, Literal, Minus, Term, Values, Variable, variables
from inspired.sub_questions.clauses import Clause
from inspired.sub_questions.conditions import simple_comparison
from inspired.sub_questions.naming import Naming
from inspired.sub_questions.value_words import COUNT, DATE, compared, is_date, plural

NONE_FOR_WHICH = "are none for which this holds: "
Clauses = Callable[[Step, Naming], Clause]
_SHORT = 4
_AUXILIARIES = ("is", "are", "was", "were", "can", "will")
_PLURALS = {"is": "are", "has": "have", "was": "were", "does": "do"}


def excluding(minus: Minus, naming: Naming, clause_of: Clauses) -> tuple[str, Variable | None]:
    """ "Which of these does not border Brazil?" and what it asks for."""
    if minus.patterns and set(variables(minus.patterns)) <= naming.unshared:
        # SPARQL 1.1, section 8.3.3: without a shared variable, MINUS removes nothing.
        described, _ = excluded(minus, replace(naming, nouns=dict(naming.nouns)), clause_of)
        what = described.removeprefix(NONE_FOR_WHICH)
        return (
            f"Which of these are left when something else, which {what}, is taken away, so that all of them stay",
            naming.latest,
        )
    words, asked = excluded(minus, naming, clause_of)
    return f"Which {_of(naming, asked)} {words}", asked


def excluded(minus: Minus, naming: Naming, clause_of: Clauses) -> tuple[str, Variable | None]:
    """ "does not border Brazil", and what it is said of."""
    asked = next((each for each in variables(minus.patterns) if each in naming.nouns), None)
    if [type(each) for each in minus.patterns] == [Values]:
        listed = minus.patterns[0]
        assert isinstance(listed, Values)
        return f"are left without {_listed(listed.options, naming)}", asked
    nouns, latest = dict(naming.nouns), naming.latest
    clauses = []
    for step in group(minus.patterns):
        clauses.append(clause_of(step, naming))
        if clauses[-1].asked is not None:
            naming.nouns.setdefault(clauses[-1].asked, clauses[-1].noun)
    naming.nouns, naming.latest = nouns, latest
    last = clauses[-1]
    about_these = len(clauses) == 1 and last.asked == asked
    verb = " ".join([last.verb, *last.after])
    if about_these and (kind := _kind(last)):
        return f"is no {kind}{f' that {verb}' if verb else ''}", asked
    if about_these:
        return denied(verb), asked
    described = " and ".join(" ".join([each.verb, *each.after]) for each in clauses)
    return f"{NONE_FOR_WHICH}{described}", asked


def _kind(clause: Clause) -> str:
    return " ".join([*clause.adjectives, clause.noun]) if clause.narrowed or clause.adjectives else ""


def denied(verb: str) -> str:
    """A verb phrase turned into its contrary: "borders {o}" as "does not border {o}"."""
    first, _, rest = verb.partition(" ")
    if first in _AUXILIARIES:
        return f"{first} not {rest}"
    if first == "has":
        return f"does not have {rest}" if not rest.startswith(("had ", "been ")) else f"has not {rest}"
    if first == "had":
        return f"did not have {rest}"
    if first.endswith("s") and not first.endswith("ss"):
        return f"does not {_base(first)} {rest}".rstrip()
    return f"is none that {verb}"


def _base(verb: str) -> str:
    if verb.endswith("ies"):
        return f"{verb[:-3]}y" if len(verb) > _SHORT else verb[:-1]
    return verb[:-2] if verb.endswith(("ches", "shes", "sses", "xes", "goes")) else verb[:-1]


def listing(values: Values, naming: Naming) -> str:
    """What is compared, where a question names it."""
    noun = naming.nouns.setdefault(values.variable, naming.telling.get(values.variable, "thing"))
    naming.latest = values.variable
    if len(values.options) == 1:
        return f"Which {noun} does the question name: {_listed(values.options, naming)}"
    return f"Which {plural(noun)} does the question name, of {_listed(values.options, naming)}"


def counting_each(step: Step, naming: Naming, clause_of: Clauses) -> tuple[str, Variable]:
    """How many of something each thing has, or which things have how many."""
    counted = step.group
    assert isinstance(counted, Aggregate)
    known = counted.by in naming.nouns
    nouns, latest = dict(naming.nouns), naming.latest
    naming.nouns.setdefault(counted.by, "thing")
    inner = group(counted.patterns)
    clause = clause_of(inner[0], naming)
    noun = clause.noun if clause.asked == counted.over else "thing"
    naming.nouns, naming.latest = nouns, latest
    naming.nouns[counted.result] = f"number of {plural(noun)}"
    naming.kinds[counted.result] = COUNT
    bounds = [each for each in map(simple_comparison, step.conditions) if each is not None and each[0] == counted.result]
    whose = "each of these" if known else "each thing"
    verb = " ".join([clause.verb, *clause.after])
    for_each = f"{plural(noun)} {_several(verb)}" if clause.asked == counted.over else f"things for which {verb}"
    for_each = for_each.replace("that thing", whose).replace(f"that {nouns.get(counted.by, 'thing')}", whose)
    if not bounds:
        return f"How many {for_each}" if whose in for_each else f"For {whose}, how many {for_each}", counted.result
    amount = " and ".join(compared(COUNT, operator, value) for _, operator, value in bounds)
    naming.nouns.setdefault(counted.by, "thing")
    naming.latest = counted.by
    these = "of these" if known else "things"
    if verb.startswith(("does ", "did ")):
        return f"Which {these} have {amount} {plural(noun)}", counted.by
    having = f"{plural(noun)} that {_several(verb)}" if clause.asked == counted.over else f"things for which {verb}"
    having = having.replace("that thing", "them").replace(f"that {nouns.get(counted.by, 'thing')}", "them")
    return f"Which {these} have {amount} {having}", counted.by


def _several(verb: str) -> str:
    first, _, rest = verb.partition(" ")
    if first.endswith("s") and first not in _PLURALS and not first.endswith("ss"):
        return f"{_base(first)} {rest}".rstrip()
    return f"{_PLURALS.get(first, first)} {rest}".rstrip()


def returning(returns: Counting | Asking, naming: Naming, answer: Variable) -> str:
    """The last question of one that is answered by a number, or by yes or no."""
    noun = naming.nouns.get(answer, "")
    if isinstance(returns, Counting):
        return f"How many {plural(noun)} are these" if noun and noun != "thing" else "How many of these are there"
    return _asking(returns, naming, answer)


def _asking(asking: Asking, naming: Naming, answer: Variable) -> str:
    tests = []
    for each in asking.tests:
        value = each.right
        if isinstance(value, Literal):
            kind = DATE if is_date(value) else naming.kinds.get(answer)
            tests.append(compared(kind, each.operator, value).removeprefix("of "))
        else:
            tests.append(f"{each.operator} {value}")
    if asking.members:
        verb = "Is" if len(asking.members) == 1 else "Are"
        return f"{verb} {_listed(asking.members, naming)} {'not ' * asking.negated}among these"
    if tests:
        return f"Is this {'not ' * asking.negated}{' and '.join(tests)}"
    if answer in naming.nouns:
        return "Is there none of these" if asking.negated else "Is there any of these"
    return "Is all of this not so" if asking.negated else "Is all of this so"


def _of(naming: Naming, asked: Variable | None) -> str:
    if asked is None or asked == naming.latest:
        return "of these"
    return f"of those {plural(naming.nouns[asked])}"


def _listed(terms: Iterable[Term], naming: Naming) -> str:
    return listed((naming.words(each) for each in terms), None)
