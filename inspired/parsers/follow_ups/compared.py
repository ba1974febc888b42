"""What is compared with something that only the question before names: "is the Rhine longer?"."""

from collections.abc import Iterator

from inspired.logical_form.forms import Entity
from inspired.parsers.follow_ups.before import A_NAME, Before
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.query_graphs.default_parser import DefaultParser

_MORE = frozenset(("more", "less", "fewer"))
_SAYS_WITH_WHAT = frozenset(("than", "or", "as"))


def with_what_it_is_compared(parser: DefaultParser, analysis: QuestionAnalysis, before: Before) -> str | None:
    """ "Is the Rhine longer?": the claim with the thing behind it that the question before was about or found.

    None where the words compare nothing, say with what, or nothing before is of the kind of the thing that they name.
    """
    words = {each.plain for each in analysis.tokens}
    compares = bool(words & _MORE) or any(each.endswith("er") for each in words)
    if analysis.frame.kind != "yes-no" or not compares or words & _SAYS_WITH_WHAT or analysis.comparisons:
        return None
    named = [each for each in analysis.mentions if each.match >= A_NAME and isinstance(each.node, Entity)]
    if not named:
        return None
    subject = min(named, key=lambda each: each.start).node
    kind = parser.relations.kind_of(subject)
    other = next((each for each in _things(parser, before) if each != subject and parser.relations.kind_of(each) == kind), None)
    if kind is None or other is None or not (name := parser.graph.names.get(other.id)):
        return None
    whole = f"{analysis.text.rstrip(' ?.!')} than {name}?"
    return whole if any(each.compares for each in parser.analyse(whole).extremes) else None


def _things(parser: DefaultParser, before: Before) -> Iterator[Entity]:
    """The one thing that each of the questions before found, and then those that it names, the last question first."""
    for each in before.chain():
        if len(each.answers) == 1 and isinstance(each.answers[0], Entity):
            yield each.answers[0]
        mentions = sorted(parser.analyse(each.question).mentions, key=lambda one: one.start)
        nodes = [one.node for one in mentions if one.match >= A_NAME]
        yield from (one for one in nodes if isinstance(one, Entity))
