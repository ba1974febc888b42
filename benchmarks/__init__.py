"""Measurements of speed, load and cost: `python -m benchmarks NAME`."""
