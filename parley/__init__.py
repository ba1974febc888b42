"""The app that puts the four parts together, and the command `parley`."""

from backend.program.version import VERSION as __version__

__all__ = ["__version__"]
