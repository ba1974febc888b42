"""What one reviewer has on the desk: the item in front of them, those before it, and what is typed but not yet saved."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from annotation.parses.pairs import Key, ReviewItem


@dataclass(frozen=True)
class ReviewDraft:
    """What stands in the fields of an item."""

    parse: str
    reason: str = ""


@dataclass(frozen=True)
class Desk:
    """`seen` is the number of decisions that the reviewer knows of; `visited` are the items before, the last one last."""

    key: Key | None = None
    seen: int = 0
    visited: tuple[Key, ...] = ()
    drafts: Mapping[Key, ReviewDraft] = field(default_factory=dict)

    def keep(self, item: ReviewItem, draft: ReviewDraft) -> "Desk":
        """With what was typed for an item, unless it is what stands there anyway."""
        others = {key: kept for key, kept in self.drafts.items() if key != item.key}
        return replace(self, drafts=others if draft == fresh(item) else others | {item.key: draft})

    def forget(self, key: Key) -> "Desk":
        """Without what was typed for an item, since it is saved."""
        return replace(self, drafts={other: kept for other, kept in self.drafts.items() if other != key})

    def turn_to(self, item: ReviewItem | None) -> "Desk":
        """With another item in front; the present one can be gone back to."""
        before = self.visited
        if self.key is not None and (item is None or item.key != self.key):
            before = (*(key for key in before if key != self.key), self.key)
        return replace(self, key=item.key if item else None, seen=len(item.history) if item else 0, visited=before)

    def turn_back(self, item: ReviewItem) -> "Desk":
        """With the item visited last in front, which is `item`."""
        return replace(self, key=item.key, seen=len(item.history), visited=self.visited[:-1])

    def draft(self, item: ReviewItem) -> ReviewDraft:
        """What is to stand in the fields of an item."""
        return self.drafts.get(item.key, fresh(item))


def fresh(item: ReviewItem) -> ReviewDraft:
    """The fields of an item in which nobody has typed."""
    return ReviewDraft(item.gold or item.proposed)
