"""What is asked after a yes or no: "who can, then?", "so which province is it in?"."""

import re
from dataclasses import replace

from inspired.logical_form.forms import Asking, Entity
from inspired.parsers.follow_ups.before import A_NAME, Before, row
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.query_graph import Thing
from inspired.parsers.query_graphs.state import PartialQueryGraph
from inspired.parsers.query_graphs.walk import answers
from inspired.parsers.reading import QuestionReading

# A guess: `corpus/knowledge_bases/read` has three such questions, and all three readings were meant.
_SURE = 0.6
_WHICH_ARE = re.compile(
    r"^\W*(?:and |so |but )?(?P<which>(?:which|what) [^?]+?) (?P<verb>is|are|does|do)(?: too| as well| so)?\W*$", re.IGNORECASE
)


def true_instead(parser: DefaultParser, analysis: QuestionAnalysis, before: Before) -> QuestionReading | None:
    """What is true in place of a claim of the question before: of "it" or "she", what the claim was about, else of what it
    was claimed to have. None if the words ask for more than that, or the claim is not of one fact between two things."""
    returns = before.form.returns
    if not isinstance(returns, Asking) or len(returns.members) != 1 or not _asks_for_truth(analysis):
        return None
    claimed, state = returns.members[0], parser.state_of(replace(before.form, returns=None))
    if state is None or len(state.thing.ties) != 1 or not isinstance(claimed, Entity):
        return None
    tie = state.thing.ties[0]
    first = _first_named(parser, before)
    if not isinstance(tie.other, Entity) or first not in (claimed, tie.other):
        return None
    if _asks_for(analysis, claimed, tie.other, of_first=first == claimed):
        turned = state
    else:
        thing = Thing((replace(tie, other=claimed, outward=not tie.outward),))
        turned = PartialQueryGraph(thing, frozenset(answers(parser.graph, thing)), ())
    plain = QuestionReading(replace(before.form, returns=None), {}, _SURE)
    return parser.read_as(plain, turned) if turned.nodes else None


def _asks_for(analysis: QuestionAnalysis, claimed: Entity, other: Entity, of_first: bool) -> bool:
    """Whether what is true in place of `claimed` is asked for, and not in place of the `other` end of the fact.

    A kind of thing tells ("which province?"), else "it", which is what the claim named first: `of_first`, if that is `claimed`.
    """
    kinds = [each.kind.members for each in analysis.kinds]
    ends = [any(each.id in members for members in kinds) for each in (claimed, other)]
    if ends[0] != ends[1]:
        return ends[0]
    return of_first != bool({each.plain for each in analysis.tokens} & row("singular"))


def _asks_for_truth(analysis: QuestionAnalysis) -> bool:
    """Whether the words are "who", "what" or "which" with at most a kind of thing, and "then", "so" or "instead"."""
    words = [each.plain for each in analysis.tokens]
    kinds = {index for each in analysis.kinds for index in range(each.start, each.end)}
    telling = [i for i, each in enumerate(analysis.tokens) if not each.is_stop and i not in kinds]
    return (
        bool(set(words) & row("asking"))
        and bool(set(words) & row("concludes"))
        and all(words[index] in row("closes") | row("concludes") | row("reacts") for index in telling)
    )


def _first_named(parser: DefaultParser, before: Before) -> Entity | None:
    """The first thing that the question before names in full."""
    mentions = [each for each in parser.analyse(before.question).mentions if each.match >= A_NAME]
    nodes = (each.node for each in sorted(mentions, key=lambda each: each.start))
    return next((each for each in nodes if isinstance(each, Entity)), None)


def with_claim_before(parser: DefaultParser, question: str, before: Before) -> str | None:
    """ "Which other countries in Europe are?", after "is Belgium a monarchy?", with what that claims."""
    match = _WHICH_ARE.match(question)
    if match is None:
        return None
    claim = parser.analyse(before.question)
    named = [each for each in claim.mentions if each.match >= A_NAME and each.start <= 2]
    if claim.frame.kind != "yes-no" or not named:
        return None
    end = max(each.end for each in named)
    rest = claim.text[claim.tokens[end - 1].end :].strip(" ?.!")
    verb = f"{match['verb']} " if match["verb"].lower() in ("is", "are") else ""
    return f"{match['which']} {verb}{rest}?" if rest else None
