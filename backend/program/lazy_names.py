"""Names of a package that are imported when they are first used, so that importing the package takes no time."""

from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for the module `package`.

    `names` maps each name to the module that defines it, with `:NAME` behind it where it has another name there. A name that
    is a module of the package maps to its own full name.
    """

    def get(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}; its names are {', '.join(names)}.")
        where, _, own = names[name].partition(":")
        module = import_module(where)
        return module if where == f"{package}.{name}" else getattr(module, own or name)

    return get, lambda: sorted(names)
