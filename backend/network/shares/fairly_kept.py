"""What goes first where only so much is kept for all: who has most loses their oldest, so that nobody empties it for others."""

from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

Key = TypeVar("Key")


def first_to_forget(owners: Mapping[Key, str]) -> Key:
    """The first of those whose owner has most. `owners` is in the order of age, the oldest first, and not empty."""
    (most, _), *_ = Counter(owners.values()).most_common(1)
    return next(key for key, owner in owners.items() if owner == most)
