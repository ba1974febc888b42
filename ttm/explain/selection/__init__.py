"""Explanation selection: the fidelity of every technique on a row, and which one is believed."""
