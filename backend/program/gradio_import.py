"""A third of the time that importing Gradio takes goes into stubs for editors, which it writes again at each import."""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

WRITES_STUBS = "gradio.component_meta"


class _WithoutStubs(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        if hasattr(module, "create_or_modify_pyi"):
            vars(module)["create_or_modify_pyi"] = _write_nothing


def _write_nothing(component_class: type, class_name: str, events: Sequence[Any]) -> None:
    """In place of Gradio's, which reads the source of each component, parses it and compares it with the stub."""


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name == WRITES_STUBS else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _WithoutStubs(spec.loader.name, spec.loader.path)
        return spec


def import_without_stubs() -> None:
    """Let Gradio, when it is first imported, leave its stubs as they were installed."""
    if WRITES_STUBS not in sys.modules and _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
