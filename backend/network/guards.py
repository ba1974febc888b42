"""What stands between network and app: doors first, then who calls and how often, packing, sizes, files, the form of calls."""

from collections.abc import Iterable
from typing import Any

from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from backend.network.agents import AgentAddresses
from backend.network.checked_calls import CheckedCalls
from backend.network.doors import Doors
from backend.network.origins import OwnComputer, OwnPages
from backend.network.page_files.page_files import PageFiles
from backend.network.request_limits import RequestLimits
from backend.network.shares.pacing import PacedRequests
from backend.network.uploads import UploadLimits, Uploads


def guards(
    largest_body: int, largest_upload: int, uploads: UploadLimits | None = None, on_space: bool = False,
    components: Iterable[str] = (), own_computer: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Options for `app_kwargs` of `Blocks.launch`: the most bytes of a request, and of one with files, 0 for no files.

    `components` names the kinds of Gradio's components whose files come together with the page; `own_computer` tells that the
    server is for its own computer alone.
    """
    return {
        "middleware": [
            Middleware(Doors, on_space=on_space),
            Middleware(OwnPages),
            *([Middleware(OwnComputer)] if own_computer else []),
            Middleware(AgentAddresses),
            Middleware(PacedRequests),
            Middleware(GZipMiddleware, compresslevel=6),
            Middleware(PageFiles, components=frozenset(components)),
            Middleware(RequestLimits, largest_body=largest_body, largest_upload=largest_upload),
            Middleware(Uploads, limits=uploads),
            Middleware(CheckedCalls),
        ]
    }
