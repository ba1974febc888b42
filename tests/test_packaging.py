"""What is installed is what the code imports, in versions that are named, and a wheel holds every file that is read."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest

from backend.program.extras import EXTRAS
from backend.program.version import VERSION

ROOT = Path(__file__).parent.parent
PACKAGES = ("annotation", "backend", "benchmarks", "faithfulness", "inspired", "parley", "ttm")
SOURCES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
# Whoever makes the knowledge base again installs what that needs; Parley runs without.
KNOWLEDGE_BASE = "inspired/lab/world_facts/"
# Imported by nobody here, and each with its reason.
FOR_MODELS_OF_OTHERS = {"lightgbm"}
BY_GRADIO = {"authlib", "itsdangerous"}  # to sign people in with Hugging Face, on a Space that asks for it
BY_THE_SYSTEM = {"xgboost-cpu", "xgboost"}  # the same library for Linux and Windows, and for macOS
BY_EXTRAS = {"psycopg-binary", "gradio"}  # the driver's compiled part; gradio with its MCP server
FILES = ("requirements.txt", *(f"requirements/{name}.txt" for name in ("dev", "packaged", *sorted(set(EXTRAS.values())))))
PIN = r"([A-Za-z0-9._-]+)(?:\[[a-z,]+\])?==([0-9][A-Za-z0-9.+]*)(?:; sys_platform [!=]= \"[a-z]+\")?"


def pins(file: str) -> dict[str, str]:
    """Return name in lower case with dashes -> version, of every line that is no comment."""
    lines = [line for line in (ROOT / file).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    matches = [re.fullmatch(PIN, line) for line in lines]
    assert None not in matches, f"{file}: a line names no exact version: {lines[matches.index(None)]}"
    return {match[1].lower().replace("_", "-"): match[2] for match in matches if match}


def imports(paths: Iterable[Path]) -> set[str]:
    """Return the names of the installed distributions that files import, also inside functions."""
    owners = packages_distributions()
    modules = {module.split(".")[0] for path in paths for module in _modules(path)}
    foreign = modules - {*PACKAGES, "app", "__future__"} - sys.stdlib_module_names
    return {owners.get(name, [name])[0].lower().replace("_", "-") for name in foreign}


def _modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module


def test_every_requirement_is_one_exact_version_and_the_same_everywhere() -> None:
    versions: dict[str, str] = {}
    for file in FILES:
        for name, pinned in pins(file).items():
            assert versions.setdefault(name, pinned) == pinned, f"{file} names another version of {name}"


@pytest.mark.slow
def test_requirements_are_exactly_what_the_code_imports() -> None:
    making = [path for path in SOURCES if path.relative_to(ROOT).as_posix().startswith(KNOWLEDGE_BASE)]
    needed = imports(set(SOURCES) - set(making))
    default = set(pins("requirements.txt"))
    extra = {name for file in FILES[3:] for name in pins(file)} - BY_EXTRAS
    packaged = set(pins("requirements/packaged.txt"))
    # The first comes with gradio's own extra; the other drives a browser for a benchmark, and comes with `[dev]`.
    assert needed - default - extra - packaged == {"mcp", "playwright"}
    assert default - needed == (FOR_MODELS_OF_OTHERS | BY_GRADIO | BY_THE_SYSTEM) - needed
    assert imports(making) <= needed | set(pins(f"{KNOWLEDGE_BASE}requirements.txt"))


def test_the_advice_for_a_missing_module_names_the_extra_that_brings_it() -> None:
    owners = packages_distributions()
    by_others = {"mcp": "gradio", "pyarrow": "datasets"}  # brought by what the extra names
    for module, extra in EXTRAS.items():
        name = by_others.get(module) or owners.get(module, [module])[0].lower().replace("_", "-")
        assert name in pins(f"requirements/{extra}.txt"), module


def test_what_is_locked_is_what_is_asked_for() -> None:
    locked = dict(re.findall(r"^([a-z0-9._-]+)==([^ ]+)", (ROOT / "requirements/lock.txt").read_text(encoding="utf-8"), re.M))
    for file in ("requirements.txt", "requirements/lab.txt", "requirements/mcp.txt", "requirements/postgresql.txt"):
        assert pins(file).items() <= locked.items(), f"{file} was changed after the last `make lock`"
    hashed = (ROOT / "requirements/packaged-lock.txt").read_text(encoding="utf-8")
    assert pins("requirements/packaged.txt").items() <= dict(re.findall(r"^([a-z0-9._-]+)==([^ ]+)", hashed, re.M)).items()


def test_what_tests_and_extras_get_is_what_is_asked_for() -> None:
    """Else `make install-dev` would fail, or quietly install another version than the file of the requirement names."""
    text = (ROOT / "requirements/constraints.txt").read_text(encoding="utf-8")
    constrained = set(re.findall(r"^([a-z0-9._-]+)==([^ \n]+)", text, re.M))
    for name in ("dev", "local", "ray", "lab", "mcp", "postgresql"):
        missing = pins(f"requirements/{name}.txt").items() - constrained
        assert not missing, f"requirements/{name}.txt was changed after the last `make lock`: {sorted(missing)}"
    assert pins("requirements.txt").items() <= constrained


def test_the_extras_of_the_package_are_the_files_of_requirements() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    declared = {name: entry["file"] for name, entry in tool["setuptools"]["dynamic"]["optional-dependencies"].items()}
    assert declared == {name: f"requirements/{name}.txt" for name in {"dev", *EXTRAS.values()}}


@pytest.mark.slow
def test_a_wheel_holds_every_file_of_the_packages(tmp_path: Path) -> None:
    # Copied, because setuptools leaves its own folders beside what it builds.
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    needed = (*PACKAGES, "requirements", "pyproject.toml", "README.md", "LICENSE", "requirements.txt")
    for name in listed:
        if (ROOT / name).is_file() and name.split("/")[0] in needed:
            (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "source" / name).write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, *"-m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir".split(), str(tmp_path)]
    subprocess.run([*command, str(tmp_path / "source")], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("parley-*.whl")
    assert wheel.name.startswith(f"parley-{VERSION}-")
    packed = set(zipfile.ZipFile(wheel).namelist())
    files = {name for name in listed if name.split("/")[0] in PACKAGES and (ROOT / name).is_file()}
    assert files - packed == set()
    assert {name.split("/")[0] for name in packed} == {*PACKAGES, f"parley-{VERSION}.dist-info"}


def test_setuptools_is_the_version_that_builds() -> None:
    system = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    assert system["requires"] == [f"setuptools=={version('setuptools')}"]
