"""How large a query may be: splitting, wording and drawing it takes time that grows faster than the query does.

The largest query of ComplexWebQuestions (its development part, 1,687 questions) has 16 triples and filters, in 128 tokens.
"""

from collections.abc import Iterable, Sequence

from backend.errors import LogicalFormError
from inspired.logical_form.forms import Filter, Node, Pattern, Triple, parts_of, walk

LONGEST_QUERY = 20_000  # characters
MOST_TOKENS = 1_500
MOST_PATTERNS = 40  # triples and filters, in all groups together
DEEPEST = 24  # braces and parentheses inside each other, and negations in a row
MOST_LEVELS = 100  # of what is inside each other once it is read: a sum of so many parts has as many

_OPEN, _CLOSE, _NEGATIONS = ("{", "("), ("}", ")"), ("!", "not")


def check_length(source: str) -> None:
    """Raise LogicalFormError for a text that is longer than any query that is meant."""
    if len(source) > LONGEST_QUERY:
        raise LogicalFormError(f"The query has {len(source):,} characters; up to {LONGEST_QUERY:,} are read.")


def check_tokens(texts: Sequence[str]) -> None:
    """Raise LogicalFormError where there are too many tokens, or where they stand too deep inside each other."""
    if len(texts) > MOST_TOKENS:
        raise LogicalFormError(f"The query has {len(texts):,} words and signs; up to {MOST_TOKENS:,} are read.")
    depth = negations = 0
    for text in texts:
        depth += (text in _OPEN) - (text in _CLOSE)
        negations = negations + 1 if text.lower() in _NEGATIONS else 0
        if depth + negations > DEEPEST:
            raise LogicalFormError(f"The query has more than {DEEPEST} braces, parentheses or negations inside each other.")


def check_patterns(patterns: Iterable[Pattern]) -> None:
    """Raise LogicalFormError where a query has more triples and filters than are split into steps."""
    count = sum(isinstance(each, Triple | Filter) for each in walk(patterns))
    if count > MOST_PATTERNS:
        raise LogicalFormError(f"The query has {count} triples and filters; up to {MOST_PATTERNS} are split into steps.")


def check_levels(patterns: Iterable[Pattern]) -> None:
    """Raise LogicalFormError where something stands deeper inside other things than what goes through them can follow."""
    level: list[Node] = list(patterns)
    for _ in range(MOST_LEVELS):
        level = [part for node in level for part in parts_of(node)]
    if level:
        raise too_deep()


def too_deep() -> LogicalFormError:
    """Return the error for what is nested too deep to be gone through."""
    return LogicalFormError(f"The query has more than {MOST_LEVELS} levels inside each other, such as the parts of a sum.")
