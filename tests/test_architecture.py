"""docs/architecture.md is true: the pictures are the imports, nothing goes in circles or upwards, every room stays small."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
GLOSSARY = ROOT / "docs" / "glossary.md"
PARTS = ("ttm", "inspired", "annotation", "faithfulness", "backend", "parley", "benchmarks")
MOST_ROOMS = 9
MOST_FILES = 12
APART = ("lab", "commands")

Graph = dict[str, set[str]]


@cache
def modules() -> dict[str, Path]:
    """Every module of the parts by its dotted name; a package by its `__init__.py`."""
    found = {}
    for part in PARTS:
        for path in (ROOT / part).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


@cache
def imports() -> Graph:
    """What each module imports of the parts, also inside functions and for type checking only."""
    return {
        name: {known for known in map(_module, _imported(path)) if known and known != name} for name, path in modules().items()
    }


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports {'.' * node.level}{node.module or ''}: write the whole name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _module(name: str) -> str | None:
    """The module that `a.b.name` is, or else stands in."""
    while name and name not in modules():
        name = name.rpartition(".")[0]
    return name or None


def among(prefix: str) -> Graph:
    """The imports among what stands directly in the folder `prefix`: its files, and its folders as a whole."""

    def child(module: str) -> str | None:
        return module[len(prefix) + 1 :].split(".")[0] if module.startswith(prefix + ".") else None

    graph: Graph = defaultdict(set)
    for name, others in imports().items():
        here = child(name)
        if here and here != "__main__":
            graph[here] |= {there for other in others if (there := child(other)) and there != here}
    return dict(graph)


@cache
def sections() -> dict[str, str]:
    """The sections of the page that are about a part, by its name."""
    parts = re.split(r"^## (\w+)$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    return {name: text for name, text in zip(parts[1::2], parts[2::2], strict=True) if name in PARTS}


def drawn(part: str) -> Graph:
    """The graph of a part as the page draws it."""
    block = re.search(r"```mermaid\ngraph TD\n(.*?)```", sections()[part], re.DOTALL)
    assert block, f"no picture of {part}"
    graph: Graph = {}
    for line in block[1].splitlines():
        room, _, others = line.strip().partition(" --> ")
        graph.setdefault(room, set()).update(filter(None, others.split(" & ")))
        for other in graph[room]:
            graph.setdefault(other, set())
    return graph


def order(part: str) -> list[str]:
    """The rooms of a part from the lowest floor to the highest."""
    line = re.search(r"^Order: (.+)$", sections()[part], re.MULTILINE)
    assert line, f"no order of the rooms of {part}"
    return re.findall(r"`(\w+)`", line[1])


def rows(page: Path, columns: int) -> list[list[str]]:
    lines = [line.strip().strip("|").split("|") for line in page.read_text("utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line] for line in lines if len(line) == columns]


@pytest.mark.parametrize("part", PARTS)
def test_the_picture_is_the_import_graph(part: str) -> None:
    assert drawn(part) == among(part)


@pytest.mark.parametrize("part", PARTS)
def test_no_arrow_goes_up(part: str) -> None:
    floors = {room: floor for floor, room in enumerate(order(part))}
    assert set(floors) == set(among(part))
    up = [f"{room} imports {other}" for room, others in among(part).items() for other in others if floors[other] > floors[room]]
    assert up == []


@pytest.mark.parametrize("part", PARTS)
def test_every_room_is_explained_in_the_table(part: str) -> None:
    if part == "benchmarks":
        return  # its table has the names of commands
    first = [row.split("|")[1] for row in sections()[part].splitlines() if row.startswith("| `")]
    assert {room for cell in first for room in re.findall(r"`(\w+)`", cell)} == set(among(part))


def test_nothing_goes_in_circles() -> None:
    folders = {name.rpartition(".")[0] for name in modules()} - {""}
    for graph in (imports(), *map(among, sorted(folders))):
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            pytest.fail(f"a circle: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_has_at_most_nine_rooms_and_a_folder_at_most_twelve_files(part: str) -> None:
    assert len(among(part)) <= MOST_ROOMS
    files = Counter(path.parent for path in modules().values() if path.name not in ("__init__.py", "__main__.py"))
    full = {str(folder.relative_to(ROOT)): count for folder, count in files.items() if count > MOST_FILES}
    assert full == {}


def test_every_folder_says_what_is_in_it() -> None:
    silent = [
        name
        for name, path in modules().items()
        if path.name == "__init__.py" and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []


def test_no_class_name_is_defined_twice() -> None:
    defined: dict[str, list[str]] = defaultdict(list)
    for name, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                defined[node.name].append(name)
    assert {name: where for name, where in defined.items() if len(where) > 1} == {}


def test_no_room_of_the_app_imports_the_laboratory() -> None:
    for part in PARTS:
        for room, others in among(part).items():
            if room not in APART:
                assert not others & set(APART), f"{part}/{room} imports {others & set(APART)}"


def test_the_twelve_questions_have_files_that_hold_the_name() -> None:
    text = PAGE.read_text("utf-8").partition("## Twelve questions")[2]
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| Wh")]
    assert len(lines) == 12
    for _, files, name in lines:
        contents = [(ROOT / file).read_text("utf-8") for file in re.findall(r"`([\w/-]+\.[\w.]+)`", files)]
        assert any(re.search(rf"\b{name.strip(' `')}\b", content) for content in contents), name


def test_every_name_of_the_glossary_stands_in_its_file() -> None:
    entries = [(name, file) for _, name, file in rows(GLOSSARY, 3) if name.startswith("`")]
    assert len(entries) > 60
    for quoted_name, quoted_file in entries:
        name, file = quoted_name.strip("`"), ROOT / quoted_file.strip("`")
        assert file.is_file(), quoted_file
        assert re.search(rf"\b{re.escape(name)}\b", file.read_text("utf-8")), f"{name} is not in {quoted_file}"


def test_a_concept_has_one_entry_and_a_class_one_concept() -> None:
    entries = [(concept, name) for concept, name, _ in rows(GLOSSARY, 3) if name.startswith("`")]
    assert [concept for concept, count in Counter(concept for concept, _ in entries).items() if count > 1] == []
