"""Conditions and changes: numbers, dates, values, outcomes and what-ifs, each by its own reader."""
