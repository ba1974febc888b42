"""Figures of a study: the answers that stand, progress, agreement, diversity, the log of events."""
