"""The documentation is true: links lead somewhere, commands and modules exist, the table of settings is that of the code."""

import importlib
import importlib.util
import io
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import pytest

from backend.program.settings import PREFIX, Settings

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PARTS = ("annotation", "faithfulness", "inspired", "ttm")
FENCE = re.compile(r"^(`{3,}).*?^\1`*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
ELSEWHERE = ("http://", "https://", "mailto:")


@cache
def _pages() -> tuple[Path, ...]:
    """Every Markdown file of the project; where there is no git, every one outside of hidden and built folders."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return tuple(ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists())
    return tuple(path for path in ROOT.rglob("*.md") if not re.search(r"(^|/)(\.|build/)", _name(path)))


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _anchors(page: Path) -> set[str]:
    """The anchors of the headings that the site and repository hosts make alike; only these are good for a link."""
    headings = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text) for text in HEADING.findall(FENCE.sub("", _text(page)))]
    plain = [re.sub(r"[^\w\s-]", "", heading.lower()).strip() for heading in headings]
    return {re.sub(r"[-\s]+", "-", text) for text in plain} & {re.sub(r"\s", "-", text) for text in plain}


def _broken(page: Path) -> Iterator[str]:
    for target in LINK.findall(FENCE.sub("", _text(page))):
        if target.startswith(ELSEWHERE):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.is_relative_to(ROOT) or not file.exists():
            yield f"{_name(page)}: there is no {target}"
        elif anchor and file.suffix == ".md" and anchor not in _anchors(file):
            yield f"{_name(page)}: {path or 'this page'} has no heading for #{anchor}"


def test_every_relative_link_of_every_page_leads_somewhere() -> None:
    assert [problem for page in _pages() for problem in _broken(page)] == []


def test_a_page_of_the_site_links_only_to_pages_of_the_site() -> None:
    """The site is read where the repository is not; there a link to a file of the code would be broken."""
    outside = [
        f"{_name(page)}: {target}"
        for page in DOCS.rglob("*.md")
        for target in LINK.findall(FENCE.sub("", _text(page)))
        if not target.startswith((*ELSEWHERE, "#")) and not (page.parent / target).resolve().is_relative_to(DOCS)
    ]
    assert outside == []


def test_every_page_is_in_the_navigation_and_every_entry_is_a_page() -> None:
    navigation = _text(ROOT / "mkdocs.yml").split("\nnav:\n")[1]
    named = re.findall(r":\s*(\S+\.md)\s*$", navigation, re.MULTILINE)
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert (set(named) - pages, pages - set(named)) == (set(), set())


def test_every_picture_is_shown_somewhere() -> None:
    shown = {(page.parent / target).resolve() for page in _pages() for target in LINK.findall(_text(page))}
    assert [_name(picture) for picture in (DOCS / "pictures").iterdir() if picture.resolve() not in shown] == []


def test_the_table_of_settings_is_that_of_the_code() -> None:
    page = _text(DOCS / "reference" / "settings.md")
    rows = "\n".join(line for line in page.splitlines() if line.startswith(("| option", "|---", "| `--")))
    assert rows == _settings_table(), "docs/reference/settings.md needs the table that is on the right side"


def _settings_table() -> str:
    lines = ["| option | environment | default | meaning |", "|---|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = "" if field.default in (None, (), "") else "off" if field.default is False else f"`{field.default}`"
        option = "--" + name.replace("_", "-")
        lines.append(f"| `{option}` | `{PREFIX}{name.upper()}` | {default} | {field.description} |")
    return "\n".join(lines)


def test_every_file_that_a_page_names_exists() -> None:
    """`part/folder/file` in backticks names a file or folder of the project."""
    named = re.compile(rf"`((?:{'|'.join(PARTS)}|backend|docs|parley|requirements|tests)/[\w./-]+)`")
    missing = [
        f"{_name(page)}: {path}" for page in _pages() for path in named.findall(_text(page)) if not (ROOT / path).exists()
    ]
    assert missing == []


def test_every_module_of_the_reference_exists() -> None:
    modules = [line.split()[1] for page in DOCS.rglob("*.md") for line in _text(page).splitlines() if line.startswith("::: ")]
    assert modules
    assert [module for module in modules if importlib.util.find_spec(module) is None] == []


def test_every_command_that_a_page_shows_has_its_options() -> None:
    problems = []
    for page, words in _commands():
        part, command, *rest = words
        known = _help(part, command)
        options = [word.split("=")[0] for word in rest if word.startswith("--") and len(word) > 2]
        problems += [f"{page}: {part} {command} has no {option}" for option in options if not re.search(rf"{option}\b", known)]
    assert problems == []


def _commands() -> Iterator[tuple[str, list[str]]]:
    """Page and words, from the name of the part on, of every `python -m PART COMMAND ...` in a block of shell lines."""
    for page in _pages():
        for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", _text(page), re.MULTILINE | re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                if match := re.search(rf"python -m ((?:{'|'.join(PARTS)}) .*)", line):
                    words = shlex.split(match[1], comments=True)
                    ends = (number for number, word in enumerate(words) if word in ("|", ">", "&&") or word.endswith(";"))
                    yield _name(page), words[: next(ends, len(words))]


@cache
def _help(part: str, command: str) -> str:
    """What a command prints with --help; fails if there is no such command."""
    text = io.StringIO()
    with redirect_stdout(text), redirect_stderr(text), pytest.raises(SystemExit) as ended:
        importlib.import_module(f"{part}.__main__").main([command, "--help"])
    assert ended.value.code in (None, 0), f"python -m {part} {command}: {text.getvalue()}"
    return text.getvalue()


def test_the_requirements_of_the_site_are_exact_versions() -> None:
    lines = [line for line in _text(ROOT / "requirements" / "docs.txt").splitlines() if not line.startswith("#")]
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line)] == []
