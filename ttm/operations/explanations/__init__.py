"""Reasons for a prediction, importance over a group, interactions: `explain`, `important`, `interact`."""
