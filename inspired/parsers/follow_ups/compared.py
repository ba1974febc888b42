"""What is compared with what only the question before names: "is the Rhine longer?", "is it longer than the Rhine?"."""

from collections.abc import Iterator

from inspired.logical_form.forms import Entity
from inspired.parsers.follow_ups.before import A_NAME, Before, pointing_words
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.entities import ONE_WORD
from inspired.parsers.query_graphs.default_parser import DefaultParser

_MORE = frozenset(("more", "less", "fewer"))
_SAYS_WITH_WHAT = frozenset(("than", "or", "as"))
_IT = frozenset(("it", "that", "this"))


def with_what_it_is_compared(parser: DefaultParser, analysis: QuestionAnalysis, before: Before) -> str | None:
    """ "Is the Rhine longer?": the claim with the thing behind it that the question before was about or found; with that in
    place of "it", of "is it longer than the Rhine?".

    None where the words compare nothing, say with what, or nothing before is of the kind of the thing that they name.
    """
    it = _it_than(analysis)
    named = [each for each in analysis.mentions if each.match >= ONE_WORD and isinstance(each.node, Entity)]
    if not named or not _compares(analysis, said_with_what=it is not None):
        return None
    subject = min(named, key=lambda each: each.start).node
    kind = parser.relations.kind_of(subject)
    other = next((each for each in _things(parser, before) if each != subject and parser.relations.kind_of(each) == kind), None)
    if kind is None or other is None or not (name := parser.graph.names.get(other.id)):
        return None
    tokens, text = analysis.tokens, analysis.text.rstrip(" ?.!")
    whole = f"{text} than {name}?"
    if it is not None:
        whole = f"{text[: tokens[it.start].start]}{name}{text[tokens[it.stop - 1].end :]}?"
    return whole if any(each.compares for each in parser.analyse(whole).extremes) else None


def _it_than(analysis: QuestionAnalysis) -> range | None:
    """The word that points to one thing, which is compared with a named one."""
    pointer = pointing_words(analysis)
    points = pointer is not None and analysis.tokens[pointer.start].plain in _IT
    return pointer if points and any(each.plain == "than" for each in analysis.tokens) else None


def _compares(analysis: QuestionAnalysis, said_with_what: bool) -> bool:
    """Whether a claim compares; with what, is not said unless it is `said_with_what`."""
    words = {each.plain for each in analysis.tokens}
    compares = bool(words & _MORE) or any(each.endswith("er") for each in words)
    open_ended = said_with_what or not words & _SAYS_WITH_WHAT
    return analysis.frame.kind == "yes-no" and compares and open_ended and not analysis.comparisons


def _things(parser: DefaultParser, before: Before) -> Iterator[Entity]:
    """The one thing that each of the questions before found, and then those that it names, the last question first."""
    for each in before.chain():
        if len(each.answers) == 1 and isinstance(each.answers[0], Entity):
            yield each.answers[0]
        mentions = sorted(parser.analyse(each.question).mentions, key=lambda one: one.start)
        nodes = [one.node for one in mentions if one.match >= A_NAME]
        yield from (one for one in nodes if isinstance(one, Entity))
