"""How large a query may be: splitting, wording and drawing it takes time that grows faster than the query does.

The largest query of ComplexWebQuestions (its development part, 1,687 questions) has 16 triples and filters, in 128 tokens.
"""

from collections.abc import Iterable, Sequence

from backend.errors import LogicalFormError
from inspired.logical_form.forms import Filter, Pattern, Triple, walk

LONGEST_QUERY = 20_000  # characters
MOST_TOKENS = 1_500
MOST_PATTERNS = 40  # triples and filters, in all groups together
DEEPEST = 24  # braces and parentheses inside each other, and negations in a row

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
