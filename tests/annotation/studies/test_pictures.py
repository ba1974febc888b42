"""Pictures of items: read once from beside the items or from an address, shown to whoever has the item, and nothing else."""

import base64
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from annotation.studies.files.archive import read_archive, write_archive
from annotation.studies.files.export import write_export
from annotation.studies.people.sessions import begin_session
from annotation.studies.picture_files import LARGEST, kept_picture
from annotation.studies.shelf import OpenStudies
from annotation.studies.study import Study, open_study
from annotation.studies.work.answers import submit
from annotation.studies.work.leases import next_item
from annotation.ui import endpoints
from annotation.web import pages
from backend.errors import AnnotationError
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, json_lines, write_study

TOML = """title = "What is it?"
task = "custom"
items = ["items.jsonl"]
[[settings.part]]
kind = "picture"
column = "file"
alt = "A picture of <{what}>"
text = "The picture of {what}"
[[settings.part]]
kind = "choose"
name = "clear"
text = "Is it clear?"
options = ["yes", "no"]
"""
PAIR = """title = "Which?"
task = "custom"
items = ["items.jsonl"]
[[settings.part]]
kind = "pair"
name = "better"
text = "Which is better?"
columns = ["one", "other"]
options = ["left", "right"]
alt = "One of two drawings"
"""


def drawn(colour: str, media: str = "PNG", side: int = 8, mode: str = "RGB") -> bytes:
    file = io.BytesIO()
    Image.new(mode, (side, side), colour).save(file, media)
    return file.getvalue()


def _study(
    database: Database, folder: Path, items: list[dict[str, Any]], files: Mapping[str, bytes], toml: str = TOML
) -> Study:
    write_study(folder, toml, items__jsonl=json_lines(items))
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return open_study(database, folder, HandClock())


def _shown(study: Study, digest: str) -> bytes:
    with study.database.reading() as connection:
        address = str(kept_picture(connection, study.id, digest))
    return base64.b64decode(address.partition(";base64,")[2])


@pytest.mark.every_database
def test_a_worker_sees_the_picture_of_an_item_and_the_export_names_its_file(database: Database, tmp_path: Path) -> None:
    items = [{"id": "a", "file": "pictures/red.webp", "what": "red"}, {"id": "b", "file": "blue.jpg", "what": "blue"}]
    files = {"pictures/red.webp": drawn("red", "WEBP"), "blue.jpg": drawn("blue", "JPEG")}
    study = _study(database, tmp_path / "s", items, files)
    worker = join(study, "Ann")
    for item in items:
        task = next_item(study, worker)
        (picture,) = (part for part in task.parts if part.kind == "picture")
        assert _shown(study, picture.source) == files[str(item["file"])]
        html = pages.page(study, worker, {"page": "work"})["html"]
        assert f'data-picture="{picture.source}"' in html
        assert f'alt="A picture of &lt;{item["what"]}&gt;"' in html
        assert "src=" not in html  # nothing is loaded from an address
        submit(study, worker, task.key, {"clear": "yes"}, task.key)
    rows = [json.loads(line) for line in write_export(study, "jsonl").splitlines()]
    assert [row["file"] for row in rows] == ["pictures/red.webp", "blue.jpg"]
    assert open_study(database, tmp_path / "s", HandClock()).id == study.id  # the same again, though it has been worked on
    archive = write_archive(study)
    again = read_archive(database, archive, "again")
    assert write_archive(again).split(b"\n")[1:] == archive.split(b"\n")[1:]  # the first line has the name
    assert _shown(again, picture.source) == files["blue.jpg"]


def test_a_picture_is_given_to_nobody_outside_the_study(database: Database, tmp_path: Path) -> None:
    study = _study(database, tmp_path / "s", [{"file": "p.png", "what": "x", "id": "a"}], {"p.png": drawn("red")})
    digest = next_item(study, join(study, "Ann")).parts[0].source
    shelf = OpenStudies(database, HandClock())
    call = endpoints._signed_in(shelf, endpoints.CALLS["study_picture"])
    assert call("no token", {"digest": digest})["reason"] == "sign in"
    other = _study(database, tmp_path / "other", [{"file": "p.png", "what": "x", "id": "a"}], {"p.png": drawn("blue")})
    reply = call(begin_session(other, join(other, "Ben")), {"digest": digest})
    assert (reply["ok"], reply["message"]) == (False, "This study has no such picture.")


def test_two_pictures_are_compared_side_by_side(database: Database, tmp_path: Path) -> None:
    files = {"one.png": drawn("red"), "other.png": drawn("blue")}
    items = [{"id": f"i{n}", "one": "one.png", "other": "other.png"} for n in range(8)]
    study = _study(database, tmp_path / "s", items, files, PAIR)
    worker, left = join(study, "Ann"), {}
    for item in items:
        task = next_item(study, worker)
        sides = {part.speaker: _shown(study, part.source) for part in task.parts if part.speaker == "left"}
        left[item["id"]] = "one" if sides["left"] == files["one.png"] else "other"
        assert pages.page(study, worker, {"page": "work"})["html"].count("<img") == 2
        submit(study, worker, task.key, {"better": "left"}, task.key)
    assert set(left.values()) == {"one", "other"}
    assert {row["id"]: row["better"] for row in map(json.loads, write_export(study, "jsonl").splitlines())} == left


def test_a_picture_that_may_be_missing_is_left_out(database: Database, tmp_path: Path) -> None:
    toml = TOML.replace('text = "The', 'required = false\ntext = "The')
    items = [{"id": "a", "file": "", "what": "x"}, {"id": "b", "file": "p.png", "what": "x"}]
    study = _study(database, tmp_path / "s", items, {"p.png": drawn("red")}, toml)
    worker = join(study, "Ann")
    kinds = []
    for number in range(2):
        task = next_item(study, worker)
        kinds.append([part.kind for part in task.parts])
        submit(study, worker, task.key, {"clear": "yes"}, f"{number}")
    assert kinds == [["choose"], ["picture", "choose"]]


@pytest.mark.parametrize(
    ("named", "content", "message"),
    [
        ("gone.png", None, "there is no picture 'gone.png' beside the items; put the file there"),
        ("../up.png", drawn("red"), "lies outside of the folder"),
        ("/etc/passwd", None, "lies outside of the folder"),
        (7, None, "a picture is named by its file"),
        ("", None, "a picture is named by its file"),
        ("page.png", b"<svg onload='alert(1)'/>", "no picture that can be shown; PNG, JPEG, GIF and WebP"),
        ("cut.png", drawn("red", side=64)[:-40], "no picture that can be shown"),
        ("large.png", b"x" * (LARGEST + 1), "2,000,001 bytes; at most 2,000,000"),
        ("wide.png", drawn("white", side=7000, mode="1"), "49,000,000 pixels; at most 40,000,000"),
    ],
)
def test_what_is_no_picture_is_refused_with_its_line(
    database: Database, tmp_path: Path, named: object, content: bytes | None, message: str
) -> None:
    files = {str(named): content} if content is not None else {}
    with pytest.raises(AnnotationError, match=f"items.jsonl, line 2: file: .*{message}"):
        _study(
            database, tmp_path / "home" / "s",
            [{"id": "a", "file": "p.png", "what": "x"}, {"id": "b", "file": named, "what": "x"}],
            {"p.png": drawn("red")} | {str(name): value for name, value in files.items()},
        )  # fmt: skip


def _answers(request: httpx.Request) -> httpx.Response:
    if request.url.path == "/moved.png":
        return httpx.Response(302, headers={"location": "https://elsewhere.example/p.png"})
    return httpx.Response(200, content=drawn("red"))


def test_a_picture_at_an_address_is_fetched_once_by_the_server(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = httpx.Client(transport=httpx.MockTransport(_answers))
    monkeypatch.setattr("annotation.studies.picture_files.visitor_client", lambda: client)
    study = _study(database, tmp_path / "s", [{"id": "a", "file": "https://pictures.example/p.png", "what": "x"}], {})
    worker = join(study, "Ann")
    assert _shown(study, next_item(study, worker).parts[0].source) == drawn("red")
    assert "pictures.example" not in pages.page(study, worker, {"page": "work"})["html"]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://127.0.0.1:9/p.png", "cannot be reached, or is none of the public internet"),
        ("https://pictures.example/moved.png", "answered 302 https://elsewhere.example/p.png"),
        ("ftp://pictures.example/p.png", "there is no picture"),
    ],
)
def test_an_address_that_gives_no_picture_is_refused(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, message: str
) -> None:
    if "example" in address:
        client = httpx.Client(transport=httpx.MockTransport(_answers))
        monkeypatch.setattr("annotation.studies.picture_files.visitor_client", lambda: client)
    with pytest.raises(AnnotationError, match=message):
        _study(database, tmp_path / "s", [{"id": "a", "file": address, "what": "x"}], {})


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ('kind = "picture"\ncolumn = "file"', "a picture needs alt: what it shows"),
        ('kind = "picture"\nalt = "x"', "needs the column"),
        ('kind = "show"\ntext = "x"\nalt = "x"', "other parts have none"),
    ],
)
def test_a_picture_without_its_words_is_refused(database: Database, tmp_path: Path, part: str, message: str) -> None:
    toml = f'title = "T"\ntask = "custom"\n[[settings.part]]\n{part}\n[[settings.part]]\nkind = "write"\nname = "w"\n'
    with pytest.raises(AnnotationError, match=message):
        open_study(database, write_study(tmp_path / "t", toml))


def test_a_picture_that_changed_below_answers_is_refused(database: Database, tmp_path: Path) -> None:
    study = _study(database, tmp_path / "s", [{"id": "a", "file": "p.png", "what": "x"}], {"p.png": drawn("red")})
    worker = join(study, "Ann")
    (tmp_path / "s" / "p.png").write_bytes(drawn("blue"))
    open_study(database, tmp_path / "s", HandClock())  # nobody was given it yet
    assert _shown(study, next_item(study, worker).parts[0].source) == drawn("blue")
    (tmp_path / "s" / "p.png").write_bytes(drawn("green"))
    with pytest.raises(AnnotationError, match="'a' is another than the one that is there"):
        open_study(database, tmp_path / "s", HandClock())
