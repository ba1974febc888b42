"""Which of Gradio's files a page needs before it can be used, read from the tables in these files.

Gradio's page is built by Vite: each component is a module of its own, and beside each import that waits stands a list of the
scripts and styles that it needs. The names have a digest in them and change with each version of Gradio.
"""

import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

_FILES = re.compile(r"m\.f=\[([^\]]*)\]")
_NAME = re.compile(r'"\./([\w.-]+)"')
_LATER = re.compile(r"import\(`\./([\w.-]+\.js)`\)[^_{}]*?__vite__mapDeps\(\[([\d,]*)\]\)")
_COMPONENT = re.compile(
    r"[{,](\w+):\{[^{}]*?component:\(\)=>\w+\(\(\)=>import\(`\./([\w.-]+\.js)`\)[^_{}]*?__vite__mapDeps\(\[([\d,]*)\]\)"
)
# Modules that are asked for only after the ones that import them run: the page and what draws its components.
_OPENING = ("Index-", "Blocks-")


def asset_folder() -> Path:
    """Return where Gradio's page has its scripts and styles."""
    spec = find_spec("gradio")
    assert spec is not None, "gradio is installed"
    assert spec.origin is not None
    return Path(spec.origin).parent / "templates" / "frontend" / "assets"


def first_files(components: Iterable[str], folder: Path) -> tuple[str, ...]:
    """Name the scripts and styles that a page with these components asks for, but the two that stand in the page itself.

    Empty if the tables cannot be read, as perhaps with another version of Gradio.
    """
    core = next(iter(sorted(folder.glob("core-*.js"))), None)
    page = next((path for path in sorted(folder.glob("index-*.js")) if core and core.name in path.read_text("utf-8")), None)
    if core is None or page is None:
        return ()
    needed = dict.fromkeys(_listed(page.read_text("utf-8")))
    for opening in [name for name in needed if name.startswith(_OPENING) and name.endswith(".js")]:
        needed |= dict.fromkeys(_opened(folder / opening))
    text = core.read_text("utf-8")
    files, wanted = _listed(text), set(components)
    for component, _, numbers in _COMPONENT.findall(text):
        if component in wanted:
            needed |= dict.fromkeys(files[int(number)] for number in numbers.split(",") if number)
    return tuple(name for name in needed if name != page.name and not name.startswith("index-"))


def _listed(script: str) -> list[str]:
    """Read the list of files at the top of a module, to which the numbers in it refer."""
    listed = _FILES.search(script)
    return _NAME.findall(listed[1]) if listed else []


def _opened(path: Path) -> list[str]:
    """Name what the first import that waits in a module needs: in the module of a page, the page."""
    script = path.read_text("utf-8")
    first = _LATER.search(script)
    files = _listed(script)
    return [files[int(number)] for number in first[2].split(",") if number] if first else []
