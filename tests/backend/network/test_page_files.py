"""The files of the page come together, and as Gradio has them where its tables cannot be read."""

import asyncio
import gzip
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from backend.network.page_files import bundle
from backend.network.page_files.modules import asset_folder, first_files
from backend.network.page_files.page_files import PageFiles

PAGE = '<head><script type="module" src="./assets/index-1.js"></script></head>'
COMPONENTS = ("button", "dataframe", "chatbot", "plot", "textbox")


def _client(components: tuple[str, ...] = COMPONENTS) -> TestClient:
    async def page(request: Any) -> HTMLResponse:
        return HTMLResponse(PAGE)

    async def other(request: Any) -> JSONResponse:
        return JSONResponse({"other": PAGE})

    app = Starlette(routes=[Route("/", page), Route("/config", other)])
    app.add_middleware(PageFiles, components=components)
    return TestClient(app)


def _imports(script: str) -> set[str]:
    """What a module imports at once, read without the tables that the code under test reads."""
    return set(re.findall(r'(?:from|import)"\./([\w.-]+\.js)"', script))


def test_every_module_that_comes_brings_all_that_it_imports_at_once() -> None:
    folder = asset_folder()
    names = set(first_files(COMPONENTS, folder))
    page = {path.name for path in folder.glob("index-*.js")}
    assert any(name.startswith("core-") for name in names)
    for name in sorted(name for name in names if name.endswith(".js")):
        assert _imports((folder / name).read_text("utf-8")) <= names | page, name


def test_more_components_need_more_files_and_each_exists() -> None:
    few, many = (set(first_files(components, asset_folder())) for components in (("button",), COMPONENTS))
    assert few < many
    assert all((asset_folder() / name).is_file() for name in many)


def test_the_file_holds_the_modules_of_gradio_with_their_addresses_made_whole() -> None:
    file = bundle.together(COMPONENTS)
    assert file is not None
    assert gzip.decompress(file.packed) == file.plain
    script = file.plain.decode()
    modules = json.JSONDecoder().raw_decode(script, script.rindex('})({"') + 3)[0]
    core = next(text for name, text in modules.items() if name.startswith("core-"))
    original = next(asset_folder().glob("core-*.js")).read_text("utf-8")
    assert core.replace("@assets/", "./") == bundle.with_short_searches(original)
    assert "@assets/" in core
    assert not any(_imports(text) for text in modules.values())


def test_a_wait_that_is_over_does_not_have_every_frame_drawn() -> None:
    original = next(asset_folder().glob("statustracker-*.js")).read_text("utf-8")
    calm = bundle.with_calm_timer(original)
    assert original.count("performance.now()-") == calm.count("performance.now()-")
    timers = re.findall(r"function \w+\(\)\{setTimeout\(\(\)=>\{[^{}]*\},100\)\}", calm)
    assert ["performance.now()" in each for each in timers] == [True], "Gradio has another timer now"


MOVES = """
const plain = (root, id) => root.id === id ? root : root.children?.map((each) => plain(each, id)).find(Boolean) ?? null;
let id = 0;
const grown = (depth) => ({ id: id++, children: depth ? Array.from({ length: 4 }, () => grown(depth - 1)) : undefined });
const root = grown(4);
for (let round = 0; round < 60; round++) {
  for (let wanted = 0; wanted <= id; wanted++) if (SEARCH(root, wanted) !== plain(root, wanted)) throw Error(`${wanted}`);
  const [one, other] = [round % 4, (round * 7 + 1) % 4].map((place) => root.children[place].children);
  if (round % 3) one.reverse(); else if (one !== other && one.length) other.push(one.shift());
  if (round % 10 === 9) root.children[round % 4] = grown(3);
}
"""


def test_a_component_is_found_wherever_it_moved_and_not_when_it_is_gone() -> None:
    from playwright._impl._driver import compute_driver_executable

    original = next(asset_folder().glob("core-*.js")).read_text("utf-8")
    assert "parleyWays" in bundle.with_short_searches(original), "Gradio has another search now"
    search = re.search(r"function (\w+)\(\w,\w\)\{if\(\w\.id===\w\)return \w;.*?return null\}", original)
    assert search
    script = bundle.with_short_searches(search[0]) + MOVES.replace("SEARCH", search[1])
    subprocess.run([compute_driver_executable()[0], "-e", script], check=True)


EVENTS = """
let drawn = 1;
const draw = (most) => (drawn = (drawn * 16807) % 2147483647) % most;
const target = () => [draw(9), [null, "click", "change", "load"][draw(4)]];
const page = { dependencies: Array.from({ length: 40 }, () => ({ targets: Array.from({ length: draw(5) }, target) })) };
for (let round = 0; round < 30; round++) {
  for (let id = 0; id < 10; id++) {
    const [one, other] = [PLAIN, SHORT].map((search) => search({ id, props: { shared_props: {} } }, page.dependencies));
    if (JSON.stringify(one) !== JSON.stringify(other)) throw Error(JSON.stringify([id, one, other]));
    other.props.shared_props.attached_events.push("of this component alone");
  }
  if (round % 2) page.dependencies.push({ targets: [target(), target()] }); else page.dependencies = page.dependencies.slice(1);
}
"""


def test_a_component_has_the_events_that_gradio_finds_for_it_also_after_functions_came() -> None:
    from playwright._impl._driver import compute_driver_executable

    original = next(asset_folder().glob("core-*.js")).read_text("utf-8")
    search = re.search(r"find_attached_events(\(\w,\w\)\{let .*?\})(?=traverse\()", original)
    assert search, "Gradio has another search now"
    short = bundle.with_short_searches(search[0])
    assert "parleyEventsOf" in short.split("}", 1)[0], "Gradio has another search now"
    method, collected = short.split("//", 1)
    script = EVENTS.replace("PLAIN", f"function{search[1]}").replace(
        "SHORT", method.replace("find_attached_events", "function")
    )
    subprocess.run([compute_driver_executable()[0], "-e", f"//{collected}{script}"], check=True)


def test_the_page_asks_for_the_file_before_its_first_module_and_other_replies_stay() -> None:
    client = _client()
    html = client.get("/").text
    address = re.search(r'<script src="\.(/assets/together-[0-9a-f]{12}\.js)"></script><script type="module"', html)
    assert address
    assert html.replace(html[address.start() : html.index("<script type")], "") == PAGE
    assert client.get("/config").json() == {"other": PAGE}
    reply = client.get(address[1])
    assert reply.headers["content-encoding"] == "gzip"
    assert "immutable" in reply.headers["cache-control"]
    plain = client.get(address[1], headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == reply.content


def test_figures_come_with_a_smaller_plotly_and_the_whole_one_stays_at_its_address() -> None:
    client, module = _client(), next(asset_folder().glob("PlotlyPlot-*.js")).name
    own = client.get(f"/assets/{module}").text
    assert len(own) < 5_000
    assert own.startswith("import{")
    assert own.rstrip().endswith("as default};")
    calls = client.get("/assets/" + own.split('import plotlyHere from"./')[1].split('"')[0]).text
    assert f'import("./{module}?whole")' in calls
    small = client.get("/assets/" + calls.split('import "./')[1].split('"')[0]).text
    assert "Licensed under the MIT license" in small
    assert len(small) < 1_500_000
    assert client.get(f"/assets/{module}?whole").status_code == 404, "left to Gradio"


def test_files_of_another_gradio_come_as_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "core-1.js").write_text("export {}")
    (tmp_path / "PlotlyPlot-1.js").write_text("export {}")
    monkeypatch.setattr(bundle, "asset_folder", lambda: tmp_path)
    client = _client()
    assert client.get("/").text == PAGE
    assert client.get("/assets/PlotlyPlot-1.js").status_code == 404


def test_what_is_no_request_goes_through() -> None:
    seen: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    asyncio.run(PageFiles(app, ())({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
    assert seen == ["lifespan"]


def test_a_page_is_made_once_for_all_who_see_the_server_at_the_same_name_and_are_not_signed_in() -> None:
    made: list[str] = []

    async def page(request: Any) -> HTMLResponse:
        made.append(request.headers["host"])
        return HTMLResponse(PAGE + request.headers["host"] * 300)

    app = Starlette(routes=[Route("/", page)])
    app.add_middleware(PageFiles, components=COMPONENTS)
    client = TestClient(app)
    first, second = (client.get("/", headers={"Host": "one.example"}) for _ in range(2))
    assert first.text == second.text
    assert first.headers["content-encoding"] == "gzip"
    assert made == ["one.example"]
    plain = client.get("/", headers={"Host": "one.example", "Accept-Encoding": "identity"})
    assert (plain.text, plain.headers.get("content-encoding")) == (first.text, None)
    assert "two.example" in client.get("/", headers={"Host": "two.example"}).text
    for own in ({"Cookie": "a=b"}, {"Authorization": "Basic YTpi"}):
        assert client.get("/", headers={"Host": "one.example", **own}).text == first.text
    client.get("/?__theme=dark", headers={"Host": "one.example"})
    assert made == ["one.example", "one.example", "two.example", *["one.example"] * 3]
