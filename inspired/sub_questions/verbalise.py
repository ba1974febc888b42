"""Sub-question generation: say each step as a question (appendices A.2 and A.3), in the light of the steps before it.

Nothing of a step is left out: predicates without a template are worded from their names, and conditions of any shape
have words of their own.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from backend.text.words import listed
from inspired.decomposition.decompose import group
from inspired.decomposition.steps import Decomposition, Step
from inspired.logical_form.forms import (
    Aggregate,
    Bind,
    FunctionCall,
    Minus,
    Operand,
    OptionalGroup,
    Order,
    SubQuery,
    Table,
    Triple,
    ValueRows,
    Values,
    Variable,
    walk,
)
from inspired.logical_form.sparql_reader import ANSWER
from inspired.sub_questions.clauses import Clause, about_things, clause_of, condition_phrases, narrow, remaining_conditions
from inspired.sub_questions.conditions import key_variable
from inspired.sub_questions.expressions import is_call
from inspired.sub_questions.groups import counting_each, excluded, excluding, listing, returning
from inspired.sub_questions.labels import with_labels
from inspired.sub_questions.naming import VAGUE, Naming, naming_for
from inspired.sub_questions.tables import column_noun, computing, inner_question, lacking, optionally, pairs, tabulated
from inspired.sub_questions.templates import Corpus, own_corpus
from inspired.sub_questions.value_words import DATE, article, extreme, ordinal, plural

_DATED = frozenset(("date", "year", "start", "end"))
_SEVERAL, _SHORTEST_SHARED = 3, 2


@dataclass(frozen=True)
class Verbalised:
    """One question a step, and what each variable is called in them: "country" for `?c`.

    `asked` is the variable that each question asks for, None for a question to be answered with yes or no.
    """

    questions: tuple[str, ...]
    nouns: Mapping[Variable, str]
    asked: tuple[Variable | None, ...]


def verbalise(decomposition: Decomposition, names: Mapping[str, str], corpus: Corpus | None = None) -> Verbalised:
    """The templated sub-question of each step; `names` are those of entities, by id (`m.03_dwn`)."""
    decomposition = with_labels(decomposition, names, corpus or own_corpus())
    naming = naming_for(decomposition, names, corpus or own_corpus())
    questions = [_question(step, naming, decomposition.frame.answer) for step in decomposition.steps]
    return Verbalised(tuple(each for each, _ in questions), naming.nouns, tuple(each for _, each in questions))


def _question(step: Step, naming: Naming, answer: Variable) -> tuple[str, Variable | None]:
    """The question of a step, and the variable that it asks for."""
    if step.order is not None:
        if step.main:  # what it sorts by is looked up in the same step, and gets its name there
            _any_clause(replace(step, order=None), naming)
        return _superlative(step.order, naming), answer
    if isinstance(step.returns, Table):
        return _sentence(tabulated(step.returns, naming)), answer
    if step.returns is not None:
        return _sentence(returning(step.returns, naming, answer)), None
    if step.group is not None:
        return _grouped(step, naming)
    if step.main and step.main[0].predicate.startswith("?"):
        return _related(step.main[0], naming)
    if not step.main and step.union is None:
        return _sentence(f"Which of these remain {remaining_conditions(step, naming)}"), naming.latest or answer
    clause = _any_clause(step, naming)
    if clause.noun in VAGUE and not clause.narrowed and clause.asked in naming.telling:
        clause.noun = naming.telling[clause.asked] if clause.asked else clause.noun
    question = _lead(clause, naming)
    if clause.asked is not None:
        naming.nouns.setdefault(clause.asked, clause.noun)
        if clause.asked not in naming.values:
            naming.latest = clause.asked
    return question, clause.asked


def _grouped(step: Step, naming: Naming) -> tuple[str, Variable | None]:
    match step.group:
        case Minus() as minus:
            words, asked = excluding(minus, naming, _any_clause)
            return _sentence(words), asked
        case Aggregate():
            words, asked = counting_each(step, naming, _any_clause)
            return _sentence(words), asked
        case Values() as values:
            return _sentence(listing(values, naming)), values.variable
        case OptionalGroup() as optional:
            if (lacks := lacking(step, optional, naming, _any_clause)) is not None:
                return _sentence(lacks[0]), lacks[1]
            words, asked = optionally(optional, naming, _any_clause)
            tests = condition_phrases(step, naming)
            more = f" and {tests.removeprefix('where ')}" if tests.startswith("where ") else f", {tests}"
            return _sentence(words + (more if tests else "")), asked
        case Bind():
            words, asked = computing(step, naming)
            return _sentence(words), asked
        case ValueRows() as values:
            words, asked = pairs(values, naming)
            return _sentence(words), asked
        case SubQuery() as query:
            words, asked = inner_question(query, naming, lambda *args: _question(*args)[0])
            tests = condition_phrases(step, naming)
            return _sentence(f"{words}{f', {tests}' if tests else ''}"), asked
        case None:
            return "", None


def _related(triple: Triple, naming: Naming) -> tuple[str, Variable | None]:
    """The question of a step whose predicate is asked for."""
    relation = Variable(triple.predicate[1:])
    ends = [each for each in (triple.object, triple.subject) if isinstance(each, Variable) and each not in naming.nouns]
    subject, target = naming.words(triple.subject), naming.words(triple.object)
    naming.nouns.setdefault(relation, "relation")
    for each in ends:
        naming.nouns[each] = "thing"
    if not ends:
        return _sentence(f"How is {subject} related to {target}"), relation
    naming.latest = ends[0]
    if triple.object in ends:
        return _sentence(f"What is {'each thing' if triple.subject in ends else subject} related to, and how"), ends[0]
    return _sentence(f"What is related to {target}, and how"), ends[0]


def _lead(clause: Clause, naming: Naming) -> str:
    verb = " ".join([clause.verb, *clause.after])
    if clause.asked is None:
        return _sentence(f"Is it true that {verb}")
    if clause.asked in naming.nouns and clause.verb:
        these = "these" if clause.asked == naming.latest else f"those {plural(naming.nouns[clause.asked])}"
        kind = [f"is {article(clause.noun)} that"] if clause.narrowed else []
        kind += [f"is {adjective} and" for adjective in clause.adjectives]
        return _sentence(" ".join([f"Which of {these}", *kind, verb]))
    plain = not clause.adjectives and not clause.narrowed
    if clause.ask and (plain or not clause.verb):
        return _sentence(" ".join([clause.ask.removesuffix("?"), *clause.after]))
    if clause.noun == "person" and plain:
        return _sentence(f"Who {verb}")
    if verb.startswith(f"is the {clause.noun}") and plain:
        return _sentence(f"What {verb}")
    return _sentence(" ".join(["Which", *clause.adjectives, clause.noun, verb]))


def _any_clause(step: Step, naming: Naming) -> Clause:
    if step.union is not None:
        return _alternatives(step, naming)
    return clause_of(step, naming) if step.main else _asked_inside(step, naming)


def _asked_inside(step: Step, naming: Naming) -> Clause:
    """A step without facts of its own as a part of another one, such as what a subquery finds first."""
    words, asked = _question(step, naming, naming.latest or ANSWER)
    noun = naming.nouns.get(asked, "thing") if asked is not None else "thing"
    return Clause(asked, noun, f"{words[:1].lower()}{words[1:].rstrip('?')}")


def _alternatives(step: Step, naming: Naming) -> Clause:
    """A union as one clause: by its own template if it has one, else its branches joined by "or" (A.3.1)."""
    assert step.union is not None
    branches = [group(branch) for branch in step.union.branches]
    known, latest = dict(naming.nouns), naming.latest
    spoken: list[list[Clause]] = []
    for branch in branches:
        naming.nouns, naming.latest, clauses = dict(known), latest, []
        for inner in branch:
            if not inner.main and inner.union is None:
                clauses.append(Clause(None, "", _beside(inner, naming)))
                continue
            clauses.append(_any_clause(inner, naming))
            if (asked := clauses[-1].asked) is not None:
                naming.nouns.setdefault(asked, clauses[-1].noun)
        spoken.append(clauses)
    naming.nouns, naming.latest = known, latest
    clause = _named_union(branches, spoken, naming) or _joined(spoken)
    narrow(clause, step, naming, set())
    return clause


def _beside(step: Step, naming: Naming) -> str:
    """The words of a step of one branch that has no facts of its own: what it excludes, tests, lists or computes."""
    match step.group:
        case None:
            return remaining_conditions(step, naming)
        case Minus() as minus:
            words = excluded(minus, naming, _any_clause)[0]
            return f"is {words.removeprefix('are ')}" if words.startswith("are ") else words
        case Values(options=options):
            return f"is {listed(map(naming.words, options), None, 'or')}"
        case _:
            return f"this is known: “{_grouped(step, naming)[0]}”"


def _joined(spoken: list[list[Clause]]) -> Clause:
    first = next((each for each in spoken[0] if each.asked is not None), spoken[0][-1])
    verbs = [" and ".join(" ".join([each.verb, *each.after]) for each in clauses) for clauses in spoken]
    words = _of_any(verbs) or ", or ".join(verbs)
    return Clause(first.asked, first.noun, words, None, first.adjectives, [], first.narrowed)


def _of_any(verbs: Sequence[str]) -> str:
    """Three or more that differ in their last words only, said once: "has the religion A, B or C"; else empty."""
    words = [each.split() for each in verbs]
    same = list(takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False)))
    shared = [column[0] for column in same[: min(map(len, words)) - 1]]
    while shared and shared[-1] in ("the", "a", "an"):
        shared.pop()
    rests = [" ".join(each[len(shared) :]) for each in words]
    if len(shared) < _SHORTEST_SHARED or len(verbs) < _SEVERAL or any(" and " in each for each in verbs):
        return ""
    return f"{' '.join(shared)} {listed(rests, None, 'or')}"


def _named_union(branches: list[tuple[Step, ...]], spoken: list[list[Clause]], naming: Naming) -> Clause | None:
    keys = [" > ".join(each.predicate for each in inner.main) for branch in branches for inner in branch]
    template = naming.corpus.union(keys)
    narrowed = any(each.after or each.adjectives or each.narrowed for clauses in spoken for each in clauses)
    if template is None or narrowed or not all(len(branch) == 1 for branch in branches):
        return None
    # A name for the whole is only right where every branch speaks of the same two nodes.
    if len({(branch[0].main[0].subject, branch[0].main[-1].object) for branch in branches}) > 1:
        return None
    return about_things(template, branches[0][0], naming)


def _superlative(order: Order, naming: Naming) -> str:
    key = key_variable(order.key)
    noun = naming.nouns.get(key, "value") if key else "value"
    kind = naming.kinds.get(key) if key else None
    if isinstance(order.key, FunctionCall) and is_call(order.key):
        noun, kind = column_noun(order.key, naming)
    casts = {each.function for each in walk(order) if isinstance(each, FunctionCall)}
    if kind is None and (casts & {"xsd:dateTime", "xsd:date"} or _DATED & set(noun.split())):
        kind = DATE
    most = extreme(kind, order.descending)
    skipping = f", leaving out the first {_count(order.offset)}" if order.offset else ""
    if order.then:
        skipping += ", and among equals by " + " and ".join(_key_noun(key, naming) for key, _ in order.then)
    if order.limit is None:
        return _sentence(f"What are these, the {most} {noun} first{skipping}")
    if order.limit == 1:
        return _sentence(f"Which of these has the {ordinal(order.offset + 1)}{most} {noun}")
    return _sentence(f"Which {order.limit} of these have the {most} {noun}{skipping}")


def _key_noun(key: Operand, naming: Naming) -> str:
    bare = key_variable(key)
    return f"the {naming.nouns.get(bare, 'name')}" if bare else f"the {column_noun(key, naming)[0]}"


def _count(number: int) -> str:
    return "one" if number == 1 else str(number)


def _sentence(words: str) -> str:
    text = re.sub(r" +", " ", words).strip().replace(" ,", ",").replace("the the ", "the ").replace("the The ", "The ")
    return f"{text[0].upper()}{text[1:]}" + ("" if text.endswith("?") else "?")
