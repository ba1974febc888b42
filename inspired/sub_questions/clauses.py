"""The words of one step: what it asks for, its verb, and what narrows it (appendix A.3.1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from inspired.decomposition.steps import Step
from inspired.logical_form.forms import Blank, Entity, Filter, Literal, Term, Triple, Variable, variables
from inspired.sub_questions.conditions import bound, condition_words, simple_comparison, window_words
from inspired.sub_questions.naming import Naming, as_noun
from inspired.sub_questions.templates import PredicateTemplate, property_words, type_words
from inspired.sub_questions.value_words import AMOUNT, DATE, article, compared, is_date, quoted

Test = tuple[str, Literal]


@dataclass
class Clause:
    """The parts of a question about `asked`; None asks for nothing and only wants to know whether it is so."""

    asked: Variable | None
    noun: str
    verb: str
    ask: str | None = None
    adjectives: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    narrowed: bool = False


def clause_of(step: Step, naming: Naming) -> Clause:
    """The clause of a step that has main triples."""
    end = step.main[-1].object
    tests = _tests(step, end)
    template = naming.template(tuple(each.predicate for each in step.main), _kind(end, tests.values()))
    mentioned: tuple[Triple, ...] = ()
    if tests or isinstance(end, Literal | Blank) or (isinstance(end, Variable) and end in naming.values):
        clause = _about_value(template, step, list(tests.values()), naming)
    elif isinstance(end, Variable) and end in naming.unshared and isinstance(step.main[0].subject, Variable):
        mentioned = tuple(each for each in step.restrictions if each.subject == end)
        some = article(_some(step, mentioned, template, naming))
        plain = template.has.replace(f"the {template.object} {{o}}", "{o}")
        if plain != template.has and template.object not in some:  # what a thing is called after, say, is no city that it has
            some = f"{article(template.object)} that is {some}"
        clause = Clause(step.main[0].subject, template.subject, plain.format(o=some))
    else:
        template, mentioned = _kind_of_subject(template, step, naming)
        clause = about_things(template, step, naming)
    narrow(clause, step, naming, set(tests), mentioned)
    return clause


def _kind_of_subject(template: PredicateTemplate, step: Step, naming: Naming) -> tuple[PredicateTemplate, tuple[Triple, ...]]:
    """What is on the way to what is asked for, by its kind: "the director of a film"."""
    subject, end = step.main[0].subject, step.main[-1].object
    if not isinstance(subject, Variable) or not isinstance(end, Variable) or {subject, end} & set(naming.nouns):
        return template, ()
    for triple in step.restrictions:
        noun = naming.corpus.restriction(triple.predicate).noun
        if triple.subject == subject and noun == "{o}" and isinstance(triple.object, Entity):
            kind = as_noun(_restricting(triple, step, naming, set()) or template.subject)
            return template.model_copy(update={"subject": kind}), (triple,)
    return template, ()


def narrow(clause: Clause, step: Step, naming: Naming, used: set[Filter], mentioned: Sequence[Triple] = ()) -> None:
    """Add to `clause` all that restricts `step`, except the filters in `used` and the triples in `mentioned`."""
    asides = []
    for triple in step.restrictions:
        if triple in mentioned:
            continue
        phrase = _restricting(triple, step, naming, used)
        if phrase is None:
            asides.append(_also_asked(triple, naming))
        elif any(each.subject == triple.object for each in step.restrictions):
            clause.after.append(f"with {phrase}")
        else:
            _restrict(clause, triple, phrase, naming)
    clause.after += [*asides, *one_sentence(_conditions(step, naming, used))]


def one_sentence(phrases: Sequence[str]) -> list[str]:
    """ "where ..." once, and "and ..." for what follows."""
    first = next((number for number, each in enumerate(phrases) if each.startswith("where ")), len(phrases))
    return [each.replace("where ", "and ", 1) if number > first else each for number, each in enumerate(phrases)]


def _restrict(clause: Clause, triple: Triple, worded: str, naming: Naming) -> None:
    words = naming.corpus.restriction(triple.predicate)
    if words.after is not None or triple.subject != clause.asked:
        phrase = words.after or f"where {naming.words(triple.subject)} is {words.noun or words.before}"
        clause.after.append(phrase.replace("{o}", worded).replace("{kind}", as_noun(worded)))
    elif words.noun is None:
        clause.adjectives.append(as_noun((words.before or "{o}").replace("{o}", worded)))
    elif not clause.narrowed:
        clause.noun, clause.narrowed = as_noun(words.noun.replace("{o}", worded)), True
    else:
        clause.after.append(f"and is {article(as_noun(worded))}")


def _tests(step: Step, end: Term) -> dict[Filter, Test]:
    """The comparisons that the step makes with the value it leads to."""
    result = {}
    for condition in step.conditions:
        compares = simple_comparison(condition)
        if compares and compares[0] == end:
            result[condition] = compares[1:]
    return result


def _kind(end: Term, tests: Iterable[Test]) -> str | None:
    tests = list(tests)
    values = [literal for _, literal in tests] + ([end] if isinstance(end, Literal) else [])
    if any(is_date(each) for each in values):
        return DATE
    return AMOUNT if any(operator != "=" for operator, _ in tests) else None


def _about_value(template: PredicateTemplate, step: Step, tests: list[Test], naming: Naming) -> Clause:
    subject, end = step.main[0].subject, step.main[-1].object
    asked = subject if isinstance(subject, Variable) else None
    if isinstance(end, Variable) and not tests:
        return _asking_value(template, subject, end, naming)
    if isinstance(end, Variable):
        kind = template.value or _kind(end, tests)
        phrase = " and ".join(compared(kind, *each) for each in tests)
        naming.nouns[end], naming.kinds[end] = template.object, template.value
    else:
        phrase = _exact(template, end) if isinstance(end, Literal) else "anything"
    verb = template.has.format(o=phrase)
    return Clause(asked, template.subject, verb) if asked else Clause(None, "", f"{naming.words(subject)} {verb}")


def _asking_value(template: PredicateTemplate, subject: Term, end: Variable, naming: Naming) -> Clause:
    """A value to sort by is asked for of each answer found before."""
    naming.nouns[end], naming.kinds[end] = template.object, template.value
    if isinstance(subject, Variable) and subject not in naming.nouns:
        return Clause(subject, template.subject, template.has.format(o="on record"))
    whose = "each of these" if subject == naming.latest else naming.words(subject)
    return Clause(end, template.object, "", (template.ask or f"What is the {template.object} of {{s}}?").format(s=whose))


def _exact(template: PredicateTemplate, literal: Literal) -> str:
    if template.value is not None:
        return compared(template.value, "=", literal)
    return compared(DATE, "=", literal) if is_date(literal) and template.has.endswith(" {o}") else quoted(literal)


def about_things(template: PredicateTemplate, step: Step, naming: Naming) -> Clause:
    """The clause that `template` makes of the two ends of a step, narrowed by nothing."""
    subject, end = step.main[0].subject, step.main[-1].object
    known_subject = not isinstance(subject, Variable) or subject in naming.nouns
    if isinstance(end, Variable) and end not in naming.nouns:
        whose = naming.owner(subject, template.subject)
        if isinstance(subject, Variable) and not known_subject:
            whose = article(template.subject)
            naming.nouns[subject] = template.subject
        return Clause(end, template.object, template.of.format(s=whose), template.ask and template.ask.format(s=whose))
    if isinstance(end, Variable) and (not isinstance(subject, Variable) or (end == naming.latest and known_subject)):
        return Clause(end, template.object, template.of.format(s=naming.owner(subject, template.subject)))
    verb = template.has.format(o=naming.owner(end, template.object))
    if isinstance(subject, Variable):
        return Clause(subject, template.subject, verb)
    return Clause(None, "", f"{naming.words(subject)} {verb}")


def _some(step: Step, restrictions: Sequence[Triple], template: PredicateTemplate, naming: Naming) -> str:
    """What a node that nothing else knows is, with all its kinds: "male person"."""
    noun, adjectives, after = template.object, [], []
    for triple in restrictions:
        words = naming.corpus.restriction(triple.predicate)
        phrase = _restricting(triple, step, naming, set()) or "something"
        if words.noun is not None:
            noun = as_noun(phrase)
        elif words.before is not None:
            adjectives.append(as_noun(phrase))
        else:
            after.append((words.after or "").replace("{o}", phrase).replace("{kind}", as_noun(phrase)))
    return " ".join([*adjectives, noun, *after])


def _restricting(triple: Triple, step: Step, naming: Naming, used: set[Filter]) -> str | None:
    """What a restriction names; None if it is for a later step to look at."""
    node = triple.object
    if isinstance(node, Entity):
        return type_words(node.id) if node.is_type and "://" not in node.id else naming.words(node)
    if not isinstance(node, Variable):
        return quoted(node).strip("“”") if isinstance(node, Literal) else naming.words(node)
    phrases = []
    for condition in step.conditions:
        compares = simple_comparison(condition)
        if compares and compares[0] == node:
            used.add(condition)
            exact = compares[1] == "=" and not is_date(compares[2])
            phrases.append(quoted(compares[2]).strip("“”") if exact else compared(None, compares[1], compares[2]))
    if phrases:
        return " and ".join(phrases)
    if any(each.subject == node for each in step.restrictions):
        naming.nouns.setdefault(node, property_words(triple.predicate))
        return article(naming.nouns[node])
    return f"that {naming.nouns[node]}" if node in naming.nouns else None


def _also_asked(triple: Triple, naming: Naming) -> str:
    noun = property_words(triple.predicate)
    assert isinstance(triple.object, Variable)
    naming.nouns[triple.object] = noun
    naming.kinds[triple.object] = naming.template((triple.predicate,)).value
    return f", with what {noun}"


def _conditions(step: Step, naming: Naming, used: set[Filter]) -> list[str]:
    rest = [each for each in step.conditions if each not in used]
    bounds = [each for each in map(bound, rest) if each is not None]
    phrases = [window_words([each for each in bounds if each.node == node]) for node in dict.fromkeys(e.node for e in bounds)]
    groups = tuple(each for each in (step.union, step.group) if each is not None)
    known = {*variables((*step.main, *step.restrictions, *groups)), *naming.nouns}
    return phrases + [condition_words(each.condition, naming.words, known) for each in rest if bound(each) is None]


def remaining_conditions(step: Step, naming: Naming) -> str:
    """The words of a step that only has conditions."""
    return condition_phrases(step, naming) or "with nothing more said"


def condition_phrases(step: Step, naming: Naming) -> str:
    """The conditions of a step in words; empty for none."""
    return " and ".join(_conditions(step, naming, set()))
