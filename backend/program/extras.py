"""Packages that Parley uses where they are installed: which extra brings each, and what to do without it."""

import importlib.util

from backend.errors import SettingsError

# Name of a module -> the extra of pyproject.toml that installs it.
EXTRAS = {
    "accelerate": "local",
    "catboost": "models",
    "datasets": "lab",
    "dice_ml": "dice",
    "mcp": "mcp",
    "onnxruntime": "models",
    "openpyxl": "lab",
    "psycopg": "postgresql",
    "pyarrow": "lab",
    "raiutils": "dice",
    "ray": "ray",
    "sacrebleu": "lab",
    "sentence_transformers": "local",
    "torch": "local",
    "transformers": "local",
}


def is_installed(module: str) -> bool:
    """Tell whether a module can be imported, without importing it."""
    return importlib.util.find_spec(module) is not None


def require(*modules: str) -> None:
    """Raise SettingsError naming the first of `modules` that is not installed, and the extra that brings it."""
    for module in modules:
        if not is_installed(module):
            extra = EXTRAS[module]
            raise SettingsError(
                f"This needs {module}, which is not installed: pip install 'parley[{extra}]', or -r requirements/{extra}.txt."
            )
