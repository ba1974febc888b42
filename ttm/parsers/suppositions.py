"""Whether a verb supposes a state that is not ("if they were single") or describes one ("people who were single")."""

from ttm.parsers.lexicon import lexicon
from ttm.parsers.reading import SENTENCE_ENDS, Reading


def is_hypothetical(reading: Reading, verb_at: int) -> bool:
    """Whether the verb at an item ("were", "had") stands in a supposition: after `if`, `suppose`, `imagine`, or inverted
    ("were they 20"); a bare `was` or `had` needs `would` or `what if` elsewhere."""
    words = reading.words
    start = verb_at
    while start > 0 and words[start - 1] not in SENTENCE_ENDS and verb_at - start < 12:
        start -= 1
    clause = words[start:verb_at]
    suppose = lexicon().groups["changes.hypothetical"]
    opened = [at for at, word in enumerate(clause) if word in suppose and word not in ("were", "had", "say")]
    if clause[:1] == ["say"]:
        return True
    if not opened:
        return _is_inverted(words, verb_at, start)
    if any(word in ("who", "that", "which") for word in clause[opened[-1] :]):
        return False
    if words[verb_at] in ("were", "became", "become"):
        return True
    if "instead" in words or "rather" in words:
        return True
    if any(word in ("everyone", "everybody", "they", "all", "people", "we") for word in clause[opened[-1] :]):
        return True
    if clause[opened[-1] + 1 :][:1] in (["it"], ["he"], ["she"], ["<i>"]):
        return True
    return (
        any(word in ("would", "could", "might") for word in words)
        or clause[opened[-1] - 1 : opened[-1]] == ["what"]
        or clause[opened[-1]] != "if"
    )


def _is_inverted(words: list[str], verb_at: int, start: int) -> bool:
    """`Had they been older, ...`, `would he have survived had he been ...`: a supposition without `if`."""
    if words[verb_at] not in ("had", "were") or words[verb_at + 1 : verb_at + 2] == []:
        return False
    subject = words[verb_at + 1]
    if subject in ("they", "he", "she", "it", "these", "those", "this", "the", "people", "<i>"):
        return verb_at > start or "," in words[verb_at:]
    return False
