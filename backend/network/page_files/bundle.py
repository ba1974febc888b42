"""Gradio's files as one script, and its figures with a smaller Plotly."""

import gzip
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from backend.network.page_files.modules import asset_folder, first_files

HERE = Path(__file__).parent
SMALL_PLOTLY = HERE / "plotly-cartesian-3.4.0.min.js.gz"
_REFERENCE = re.compile(r"""([("'`])\./(?=[\w.-]+\.(?:js|css|woff2?|ttf|svg|png)[)"'`])""")
# In Gradio's module of a figure, the whole of Plotly stands between these two.
_PLOTLY = re.compile(r"var (\w+)=\w+\(\w+\(\(\(\w+,\w+\)=>\{.*return window\.Plotly=\w+,\w+\}\)\}\)\)\(\)\),", re.DOTALL)

# Gradio's search for a component by its number, through the whole page; it is called again and again while a page opens.
_SEARCH = re.compile(
    r"function (\w+)\((\w),(\w)\)\{if\(\2\.id===\3\)return \2;"
    r"if\(\2\.children\)for\(let (\w) of \2\.children\)\{let (\w)=\1\(\4,\3\);if\(\5\)return \5\}return null\}"
)

# Its search for the events of a component, among those of all functions of the page.
_EVENTS = re.compile(r"(find_attached_events\((\w),(\w)\)\{let (\w)=)\3\.filter\(.*?\.filter\(Boolean\);(?=return \2\.)")

# Its timer of a wait, which looks at the clock with each frame: once a page is there, for as long as it is open.
_TIMER = re.compile(r"function (\w+)\(\)\{\w+\(\(\)=>\{(\w+\(\w+,\(performance\.now\(\)-\w+\(\w+\)\)/1e3\),\w+&&\1\(\))\}\)\}")


@dataclass(frozen=True)
class PackedFile:
    """A script as it is sent: with its digest in the name, so that a browser may keep it for ever."""

    name: str
    packed: bytes

    @cached_property
    def plain(self) -> bytes:
        return gzip.decompress(self.packed)


def packed(stem: str, script: str) -> PackedFile:
    """Pack a script once, as small as it gets, and not for each visitor."""
    content = script.encode()
    return PackedFile(f"{stem}-{hashlib.sha256(content).hexdigest()[:12]}.js", gzip.compress(content, 9, mtime=0))


def together(components: Iterable[str]) -> PackedFile | None:
    """Put all that a page with these components needs into one script; None where Gradio's tables cannot be read."""
    folder = asset_folder()
    names = first_files(components, folder)
    return _together(names, folder) if names else None


@cache
def _together(names: tuple[str, ...], folder: Path) -> PackedFile:
    """One script of these files, which an app has as long as it is served: another with the same ones need not pack them."""
    texts = {name: _REFERENCE.sub(r"\1@assets/", (folder / name).read_text("utf-8")) for name in names}
    for name, text in texts.items():
        texts[name] = next((change(text) for stem, change in CHANGED.items() if name.startswith(stem)), text)
    modules, styles = ({name: text for name, text in texts.items() if name.endswith(end)} for end in (".js", ".css"))
    script = (HERE / "load_together.js").read_text("utf-8")
    for mark, content in (("MODULES", modules), ("STYLES", styles)):
        script = script.replace(mark, json.dumps(content, ensure_ascii=False))
    return packed("together", script)


def with_short_searches(script: str) -> str:
    """Let Gradio look for a component first where it was last, and collect the events of all components once.

    Both go through objects that note who reads them: a third and a fifth of what profiles of a page that opens showed. A
    script without these searches stays as it is.
    """
    ways, events = ((HERE / name).read_text("utf-8") for name in ("remembered_ways.js", "known_events.js"))
    script = _SEARCH.sub(lambda match: ways.replace("SEARCH", match[1]), script, count=1)
    if not _EVENTS.search(script):
        return script
    return _EVENTS.sub(r"\1parleyEventsOf(\3,\2.id);", script, count=1) + events


def with_calm_timer(script: str) -> str:
    """Have Gradio count the seconds of a wait, of which it shows tenths, ten times a second.

    Its loader of the page leaves its timer behind, which would have each frame drawn for as long as the page is open: a
    twelfth of a core. A script without this timer stays as it is.
    """
    return _TIMER.sub(r"function \1(){setTimeout(()=>{\2},100)}", script, count=1)


# By the beginning of a module's name.
CHANGED = {"core-": with_short_searches, "statustracker-": with_calm_timer}


def small_figures() -> dict[str, PackedFile]:
    """The files of figures with a smaller Plotly by name, the module of Gradio's that they replace among them.

    Empty where that module looks otherwise, as perhaps with another version of Gradio.
    """
    return dict(_small_figures(asset_folder()))


@cache
def _small_figures(folder: Path) -> dict[str, PackedFile]:
    module = next(iter(sorted(folder.glob("PlotlyPlot-*.js"))), None)
    text = module.read_text("utf-8") if module else ""
    if module is None or not _PLOTLY.search(text):
        return {}
    small = PackedFile(SMALL_PLOTLY.stem, SMALL_PLOTLY.read_bytes())
    calls = (HERE / "plotly_here.js").read_text("utf-8").replace("SMALL", small.name).replace("WHOLE", f"{module.name}?whole")
    here = packed("plotly-here", calls)
    head, _, tail = _PLOTLY.sub(r"\0var \1={default:plotlyHere},", text, count=1).partition("\0")
    own = PackedFile(module.name, gzip.compress(f'{head}import plotlyHere from"./{here.name}";{tail}'.encode(), 9, mtime=0))
    return {one.name: one for one in (small, here, own)}
