"""Files of visitors are counted, and gone once nobody from their address has a page open."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from backend.network.uploads import GRACE, UploadLimits, Uploads

LIMITS = UploadLimits(of_address=250, in_all=400)


class Server:
    """The middleware before an app that keeps each file in a folder of its own, as Gradio does."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.seconds, self.state = folder, 0.0, SimpleNamespace()
        self.uploads = Uploads(self._app, LIMITS, lambda: self.seconds)
        self._open: dict[int, asyncio.Event] = {}

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        if "heartbeat" in scope["path"]:
            await self._open[scope["page"]].wait()
            return
        file = self.folder / scope["file"] / "rows.csv"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"x" * 100)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps([str(file)]).encode()})

    def _scope(self, path: str, address: str) -> dict[str, Any]:
        return {"type": "http", "path": f"/gradio_api/{path}", "client": (address, 1), "app": self}

    @asynccontextmanager
    async def page(self, address: str, session: str = "s") -> AsyncIterator[None]:
        number = len(self._open)
        self._open[number] = asyncio.Event()
        scope = {
            "type": "http",
            "path": f"/gradio_api/heartbeat/{session}",
            "client": (address, 1),
            "app": self,
            "page": number,
        }
        task = asyncio.create_task(self.uploads(scope, _nothing, _nowhere))
        await asyncio.sleep(0)
        yield
        self._open[number].set()
        await task

    async def upload(self, address: str, file: str) -> int:
        statuses = []

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        await self.uploads({**self._scope("upload", address), "file": file}, _nothing, send)
        return int(statuses[0])

    def files(self) -> set[str]:
        return {path.parent.name for path in self.folder.glob("*/rows.csv")}


async def _nothing() -> Any:
    return {"type": "http.request", "body": b""}


async def _nowhere(message: Any) -> None:
    return


def test_files_need_a_page_are_counted_and_go_with_it(tmp_path: Path) -> None:
    async def visits() -> None:
        server = Server(tmp_path)
        assert await server.upload("a", "early") == 403
        async with server.page("a", "one"):
            assert server.state.open_pages == {"one": 1}
            assert [await server.upload("a", name) for name in ("1", "2", "3", "4")] == [200, 200, 200, 413]
            assert await server.upload("b", "1") == 403
            async with server.page("b"):
                assert await server.upload("b", "1") == 200  # the same file as that of the other
                assert await server.upload("b", "5") == 413  # all together are too much
        assert server.state.open_pages == {}
        server.seconds += GRACE / 2
        server.uploads.forget()
        assert server.files() == {"1", "2", "3"}
        async with server.page("b"):
            server.seconds += GRACE
            server.uploads.forget()
            assert server.files() == {"1"}
        server.seconds += 2 * GRACE
        server.uploads.forget()
        assert server.files() == set()

    asyncio.run(visits())
