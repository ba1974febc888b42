"""The commands of `python -m annotation`, one file each; what they share is in `places.py`."""
