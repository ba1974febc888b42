"""The rules of the house that no reader should have to check by eye."""

import ast
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PARTS = ("annotation", "faithfulness", "inspired", "ttm")
PACKAGES = ("backend", *PARTS, "benchmarks")
APP = ("app.py", "parley/app.py", "parley/agent_tools.py")  # what puts the parts together
SOURCES = [ROOT / "app.py", *sorted(path for name in ("parley", *PACKAGES) for path in (ROOT / name).rglob("*.py"))]
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "shared", "tools", "core", "base", "stuff"}
# What opens screens may import them.
LAUNCHERS = (*APP, "parley/sessions.py", "annotation/commands/serve.py")
MEGABYTE = 1_000_000
MOST_PATHS = 20
WAYS: dict[type, Callable[[Any], int]] = {
    **dict.fromkeys((ast.If, ast.IfExp, ast.Assert), lambda node: 1),
    **dict.fromkeys((ast.For, ast.AsyncFor, ast.While), lambda node: 1 + bool(node.orelse)),
    ast.comprehension: lambda node: 1 + len(node.ifs),
    ast.BoolOp: lambda node: len(node.values) - 1,
    ast.Try: lambda node: len(node.handlers) + bool(node.orelse),
    # The last case is no way of its own where it is `_`.
    ast.Match: lambda node: len(node.cases) - any(getattr(case.pattern, "pattern", case) is None for case in node.cases),
}
# Names of variables, arguments, fields and functions: each stands in for a standard term (args, message, result, match, index).
NOT_NAMES = {"told", "said", "found", "given", "anew", "whoever"}
NOT_VARIABLES = NOT_NAMES | {"place"}  # as a verb, for a function that puts components on a screen, it is fine
NOT_WORDS = re.compile(r"\b(anew|whoever|how many-th)\b", re.IGNORECASE)
# What stands so in JSON that programs read: its name is a promise.
PUBLISHED_NAMES = {("ttm/operations/counterfactuals/run.py", "found")}
# What begins or ends a tag of HTML: templates write it, which escape what is put into them. `<extra>` is of figures.
TAG = re.compile(r"(?<!\?P)</?(?!extra\b)[a-z][a-z0-9]*(?=[\s/>]|$)")
# The end of an element, in any text, put together or not. `</s>` is of vocabularies.
ELEMENT_ENDS = re.compile(r"</(?!(?:s|extra)>)[a-z][a-z0-9]*>")
WRITES_TAGS = {"backend/network/page_files/page_files.py"}  # puts the name of a file of ours into pages that pass by as bytes
# Where threads are started beside `backend.jobs`, in which all long work of visitors is done.
STARTS_THREADS = {
    "backend/jobs.py",
    "ttm/chat/catalogue.py",  # what nobody watches: a job would keep to itself what goes wrong there, a thread prints it
    "ttm/parsers/learned/second_opinion/second_reader.py",  # a model, beside the first page; who needs it waits
    "inspired/knowledge_base/local_store.py",  # a timer that ends the process of a query which takes too long
    "ttm/lab/learning/ranking/fitting.py",  # processes for tables side by side, in the laboratory: no visitor waits
    "inspired/knowledge_base/store_process.py",  # in a process of its own, which ends with the one that started it
}
# Reads the arguments of all commands; the others are processes that the program starts for itself, which import nothing of it
# before they have set their limits.
READS_ARGUMENTS = {
    "backend/program/command_line.py",
    "backend/storage/trial_reading.py",
    "inspired/knowledge_base/store_process.py",
}
# Folders that are made on the spot and never belong to the project.
MADE = {".git", ".venv", ".parley", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__"}


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return every node of a file: several rules look at them all."""
    return tuple(ast.walk(_tree(path)))


@cache
def _imports(path: Path) -> tuple[str, ...]:
    """Return the modules that a file imports, also inside functions, with relative ones made absolute."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in _nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = ".".join(path.relative_to(ROOT).with_suffix("").parts[: -node.level]) if node.level else ""
            module = ".".join(filter(None, (package, node.module)))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _top(module: str) -> str:
    return module.split(".")[0]


def _requirements(file: str = "requirements.txt") -> dict[str, str]:
    """Name in lower case with dashes -> version, of every line that is no comment."""
    lines = (line.split("#")[0].split(";")[0].strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines())
    pins = dict(line.split("==") for line in lines if line)
    return {name.lower().replace("_", "-"): version for name, version in pins.items()}


def _is_screen(name: str) -> bool:
    in_package = re.fullmatch(rf"({'|'.join(PARTS)})/ui(\.py|/.*\.py)", name)
    return name in (*LAUNCHERS, "backend/ui.py") or in_package is not None


def test_only_screens_import_gradio_and_only_screens_import_screens() -> None:
    screen = re.compile(rf"gradio(\.|$)|({'|'.join(PACKAGES)})\.ui(\.|$)")
    others = [path for path in SOURCES if not _is_screen(_name(path))]
    assert len(others) > 100
    assert [(_name(path), module) for path in others for module in _imports(path) if screen.match(module)] == []


def test_imports_run_one_way() -> None:
    inside = [path for path in SOURCES if _name(path) not in APP]
    assert len(inside) > 100
    assert [(_name(path), module) for path in inside for module in _imports(path) if _top(module) in _out_of_reach(path)] == []


def _out_of_reach(path: Path) -> set[str]:
    """The packages of ours that a file may not import."""
    within = {_top(_name(path).replace("/", ".")), "backend"}
    if _name(path).startswith(("annotation/tasks/", "annotation/parses/", "benchmarks/")):
        within |= set(PARTS)  # what collects the data of a package, or measures it, may use its logic
    if path.name == "__main__.py":
        within |= {"benchmarks"}  # the commands that measure are named there
    return {*PACKAGES, "app", "parley", "tests"} - within


def test_a_module_is_named_after_what_is_in_it() -> None:
    libraries = {name.replace("-", "_") for name in _requirements()} | {"sklearn", "xgboost"}
    taken = VAGUE_NAMES | libraries | sys.stdlib_module_names
    named = [path for path in SOURCES if path.name not in ("__init__.py", "__main__.py", "app.py")]
    assert len(named) > 100
    assert [_name(path) for path in named if path.stem in taken] == []


def test_html_is_written_by_templates() -> None:
    joined = ((path, node) for path in SOURCES for node in _nodes(path) if isinstance(node, (ast.JoinedStr, ast.BinOp)))
    assert {_name(path) for path, node in joined if any(map(TAG.search, _put_together(node)))} == WRITES_TAGS
    texts = ((path, text) for path in SOURCES for text in _texts(_nodes(path)))
    assert {_name(path) for path, text in texts if ELEMENT_ENDS.search(text)} == WRITES_TAGS


def _texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Every string of a file but those that stand alone, which are docstrings."""
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    strings = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in alone)
    yield from (node.value for node in strings if isinstance(node.value, str))


def _put_together(node: ast.JoinedStr | ast.BinOp) -> Iterator[str]:
    """The texts between the values of an f-string, and those that a plus sign puts beside something else."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node.left, node.right]
    yield from (part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))


def test_every_macro_of_a_template_is_used() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    templates = [path for package in ("parley", *PACKAGES) for path in (ROOT / package).rglob("*.jinja")]
    assert len(templates) > 20
    unused = []
    for path in templates:
        text = path.read_text(encoding="utf-8")
        macros = re.findall(r"{% macro (\w+)\(", text)
        unused += [
            (_name(path), name) for name in macros if f'"{name}"' not in code and len(re.findall(rf"\b{name}\(", text)) < 2
        ]
    assert unused == []


def test_long_work_is_done_by_the_one_runner_of_jobs() -> None:
    starts = re.compile(r"\b(Thread|ThreadPoolExecutor|ProcessPoolExecutor|threading\.Timer)\(")
    app = [path for path in SOURCES if not _name(path).startswith("benchmarks/")]
    assert {_name(path) for path in app if starts.search(path.read_text(encoding="utf-8"))} == STARTS_THREADS


def test_commands_have_one_shape() -> None:
    reads = re.compile(r"\bArgumentParser\(|\bsys\.argv\b")
    assert {_name(path) for path in SOURCES if reads.search(path.read_text(encoding="utf-8"))} == READS_ARGUMENTS


def test_annotations_are_written_one_way() -> None:
    assert [_name(path) for path in SOURCES if "__future__" in _imports(path)] == []


def test_names_are_standard_terms() -> None:
    named = {(_name(path), name) for path in SOURCES for name in _odd_names(_nodes(path))}
    assert named == PUBLISHED_NAMES


def _odd_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if name.strip("_") in NOT_VARIABLES:
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if name.strip("_").lower() in NOT_NAMES:
                yield name


def test_comments_and_texts_are_in_plain_english() -> None:
    lines = [(path, line) for path in SOURCES for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(_name(path), line) for path, line in lines if NOT_WORDS.search(line)] == []


def test_no_function_has_more_than_twenty_paths() -> None:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = ((path, node) for path in SOURCES for node in _nodes(path) if isinstance(node, functions))
    assert {(_name(path), node.name) for path, node in nodes if sum(map(_branches, ast.walk(node))) >= MOST_PATHS} == set()


def _branches(node: ast.AST) -> int:
    """In how many more ways code can go on at a node (cyclomatic complexity, as radon counts it)."""
    ways = WAYS.get(type(node))
    return 0 if ways is None else ways(node)


def test_no_file_is_over_twelve_megabytes() -> None:
    large = [_name(path) for path in _kept_files() if path.stat().st_size > 12 * MEGABYTE]
    assert [name for name in large if not name.startswith("build/")] == []


def _kept_files() -> Iterator[Path]:
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in MADE]
        yield from (path for path in map(Path(folder).joinpath, names) if not path.is_symlink())


def test_the_readme_tells_spaces_the_versions_that_are_pinned() -> None:
    front = (ROOT / "README.md").read_text(encoding="utf-8").split("---")[1]
    stated = dict(re.findall(r"^(\w+):\s*(.+?)\s*$", front, re.MULTILINE))
    assert stated["sdk"] == "gradio"
    assert stated["sdk_version"].strip("\"'") == _requirements()["gradio"]
    assert stated["python_version"].strip("\"'") == "3.11"
    assert (ROOT / stated["app_file"]).is_file()
    assert {"title", "emoji", "colorFrom", "colorTo", "license", "short_description", "suggested_hardware"} <= set(stated)
    assert len(stated["short_description"]) <= 60  # Spaces refuses longer ones


def test_pictures_and_files_that_the_readme_names_are_there() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = [link for link in re.findall(r"\]\(([^)#\s]+)\)", readme) if "://" not in link]
    assert [link for link in named if not (ROOT / link).exists()] == []
