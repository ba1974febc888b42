"""What is wrong with a rewording: it keeps its source, names what a person would not, or is no sentence of its language.

The measures were chosen on human rewordings of ComplexWebQuestions; `python -m benchmarks rewordings` measures them again.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz

from backend.text.tokens import words

SAME_NAME = 75  # likeness of a name to the nearest stretch of a text (0 to 100): people write Spain's, Spanish, USA
FEWEST_WORDS = 4  # of a sentence, from which its language shows
OWN_LANGUAGE = 0.34  # of the share of everyday words that the source has: less is another language, or no sentence
TRIVIAL = 2  # words that may be put in, left out or exchanged in a source that stays the same
# Words that say nothing about what is asked: to put them before a source or into it words nothing again.
POLITE = frozenset(
    "please can could would will you tell me kindly i want to know like wonder wondering let us say give show find out "
    "hey hi hello thanks thank so well just do does did is are was were be been being the a an of in on at by for".split()
)
SAME_ASKED = {"which": "what", "whom": "who", "that's": "that", "what's": "what"}  # what can stand for what in a question
# Words that nearly every English sentence has, and that German, French or Spanish sentences have not.
EVERYDAY = frozenset(
    "the of and to is are was were a what which who whom whose when where how why that this these those did does do has have "
    "had with for from by at on it its be been than as or not there their they he she his you your can could would "
    "many much most into about after before during between name one ones some any all other also".split()
)
ASSISTANT = re.compile(
    r"\b(certainly|sure thing|of course|as an ai|language model|here(?:'s| is| are)|"
    r"i(?:'d| would| can|'ll| will) be (?:happy|glad)|(?:re|para)phras[a-z]*(?!\w)|reword[a-z]*(?!\w)|rewrit[a-z]*(?!\w)|"
    r"happy to help|let me know if|hope this helps|"
    r"the (?:question|sentence) (?:is|asks)|in other words|another way (?:to|of))\b",
    re.IGNORECASE,
)  # fmt: skip


def keeps_source(text: str, source: str) -> bool:
    """Whether a text is its source with next to nothing done to it: every word kept, or all but a trivial change.

    Order does not count, nor do words of politeness: what is wrapped around a copy does not make it a rewording.
    """
    written, there = (Counter(SAME_ASKED.get(word, word) for word in words(each)) for each in (text, source))
    left_out, put_in = there - written, written - there
    if not there:
        return False
    if not left_out:
        return True
    meaning = [word for word in left_out if word not in POLITE]
    added = [word for word in put_in if word not in POLITE]
    return len(meaning) + len(added) < TRIVIAL and left_out.total() <= max(1, there.total() // 6)


def missing_names(text: str, names: Iterable[str]) -> list[str]:
    """The names that nothing in a text comes near to."""
    plain = " ".join(words(text))
    return [name for name in names if fuzz.partial_ratio(" ".join(words(name)), plain) < SAME_NAME]


def only_names(text: str, names: Sequence[str]) -> bool:
    """Whether a text holds hardly a word beside names."""
    return bool(names) and len(beside_names(text, names)) < 2


def is_of_assistant(text: str, source: str) -> bool:
    """Whether a text speaks about the task, as language models do, where its source does not."""
    return ASSISTANT.search(text) is not None and ASSISTANT.search(source) is None


def is_other_language(text: str, source: str, names: Sequence[str]) -> bool:
    """Whether an English source was worded in what is no English sentence: by the share of everyday words in both."""
    written, there = ([word for word in beside_names(each, names) if word.isalpha()] for each in (text, source))
    usual = _everyday(there)
    return len(written) >= FEWEST_WORDS and usual >= 0.25 and _everyday(written) < OWN_LANGUAGE * usual


def beside_names(text: str, names: Iterable[str]) -> list[str]:
    """The words that belong to no name."""
    of_names = {word for name in names for word in words(name)}
    return [word for word in words(text) if word not in of_names]


def _everyday(listed: Sequence[str]) -> float:
    return sum(word in EVERYDAY for word in listed) / len(listed) if listed else 0.0
