"""Which end of a fact a question asks for: what the thing named is to a word, and what a relation's name says of its ends."""

import pytest

from inspired.parsers.linking.directions import role_of
from inspired.parsers.linking.label_grammar import label_grammar
from inspired.parsers.linking.words import tokens_of

ROLES = {
    "the [parts] of <X>": "owner",
    "<X>'s direct [parts]": "owner",
    "which [suppliers] does <X> have": "owner",
    "what is <X> a [part] of": "bearer",
    "of whom is <X> the [teacher]": "bearer",
    "<X> is the [teacher] of which person": "bearer",
    "whose [supplier] is <X>": "bearer",
    "things with <X> as their [parent]": "bearer",
    "which class's [parent] is <X>": "bearer",
    "what did <X> [found]": "agent",
    "what was [founded] by <X>": "agent",
    "<X> [controls] what": "agent",
    "who [founded] <X>": "patient",
    "who was <X> [founded] by": "patient",
    "places [located] in <X>": "oblique",
    "rivers that [flow] into <X>": "oblique",
    "[parent] <X>": None,
    "[parents] and the house that is <X>": None,
}
# The end at which X stands for each name of a relation, in the questions whose words speak of it.
ENDS = {
    ("has part", "the [parts] of <X>"): "start",
    ("part of", "the [parts] of <X>"): "end",
    ("part of", "what is <X> [part] of"): "start",
    ("supplier", "whose [supplier] is <X>"): "end",
    ("founder", "who [founded] <X>"): "start",
    ("founded", "who [founded] <X>"): "end",
    ("founded", "the [founder] of <X>"): "end",
    ("founded by", "the [founder] of <X>"): "start",
    ("employee", "the [employer] of <X>"): "end",
    ("teacher of", "the [students] of <X>"): "start",
    ("parent", "the [children] of <X>"): "end",
    ("depends on", "what [depends] on <X>"): "end",
    ("located in", "what is [located] in <X>"): "end",
    ("named after", "what is <X> [named] after"): "start",
    ("works for", "the [employer] of <X>"): None,
    ("owner", "what [belongs] to <X>"): None,
}


def _read(marked: str) -> tuple[range, range, str]:
    """Where X and the word in brackets stand, and that word."""
    tokens = tokens_of(marked.replace("[", "").replace("]", "").replace("<", "").replace(">", ""))
    word = marked.partition("[")[2].partition("]")[0]
    place = [each.text for each in tokens].index(word)
    named = next((index for index, each in enumerate(tokens) if each.plain == "x"), 0)
    return range(named, named + 1), range(place, place + 1), word


def _role(marked: str) -> str | None:
    named, word, _ = _read(marked)
    return role_of(named, word, tokens_of(marked.translate(str.maketrans("", "", "[]<>"))))


@pytest.mark.parametrize("marked", ROLES)
def test_what_a_thing_is_to_a_word_follows_from_the_words_around_it(marked: str) -> None:
    assert _role(marked) == ROLES[marked]


def test_a_pronoun_owns() -> None:
    assert _role("its [parts]") == "owner"


@pytest.mark.parametrize(("label", "marked"), ENDS)
def test_the_name_of_a_relation_tells_at_which_end_that_thing_stands(label: str, marked: str) -> None:
    grammar, role = label_grammar(label), _role(marked)
    assert grammar is not None
    assert role is not None
    assert grammar.end_of(role, _read(marked)[2]) == ENDS[label, marked]  # type: ignore[arg-type]


def test_a_preposition_that_speaks_for_the_relation_as_well_stays_one() -> None:
    tokens = tokens_of("lands independent from Peru")
    assert role_of(range(3, 4), range(1, 2), tokens) == role_of(range(3, 4), range(1, 3), tokens) == "oblique"
