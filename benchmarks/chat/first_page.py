"""`python -m benchmarks first-page`: what a first visit takes: requests, megabytes, and seconds until one can ask.

A browser with an empty cache opens the app, which is started here or is at `--url`: as fast as it goes, and on lines as slow as
those that browsers simulate. The question line can be used when it is there and enabled.
"""

import argparse
import json
import shutil
import time
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from backend.errors import SettingsError
from backend.program.extras import is_installed
from benchmarks.chat.talks import serving

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Bits a second and milliseconds of waiting for each request. The second slow line is what Chromium itself calls "Fast 3G".
LINES: Mapping[str, tuple[float, float] | None] = {
    "no limit": None,
    "1.6 Mbit/s, 150 ms": (1.6e6, 150),
    "fast 3G": (1.47e6, 562),
}
SIZES: Mapping[str, dict[str, Any]] = {"desk": {"viewport": {"width": 1440, "height": 900}},
         "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}}  # fmt: skip
LINE_USABLE = "() => { const line = document.querySelector('#ttm-composer textarea'); return line && !line.disabled; }"
WORDS = "#ttm-chat .bot-row"
FIGURE = "#ttm-chat .bot-row .js-plotly-plot .main-svg"
PATIENCE = 180_000  # milliseconds


def visit(browser: Any, url: str, line: tuple[float, float] | None, size: str) -> dict[str, float | int]:
    """Open the app in a browser that knows nothing, and wait for the line, the words and the figure.

    Returns requests, megabytes that came over the line, and seconds until each can be seen or used.
    """
    context = browser.new_context(**SIZES[size])
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    tools = context.new_cdp_session(page)
    tools.send("Network.enable")
    if line is not None:
        rate = line[0] / 8
        tools.send("Network.emulateNetworkConditions",
                   {"offline": False, "latency": line[1], "downloadThroughput": rate, "uploadThroughput": rate})  # fmt: skip
    requests, received = list[str](), list[float]()
    tools.on("Network.requestWillBeSent", lambda event: requests.append(event["request"]["url"]))
    tools.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    start = time.perf_counter()
    page.goto(url, wait_until="commit")
    seconds = {}
    page.wait_for_function(LINE_USABLE)
    seconds["line usable"] = time.perf_counter() - start
    for name, seen in (("words", WORDS), ("figure", FIGURE)):
        page.wait_for_selector(seen)
        seconds[name] = time.perf_counter() - start
    context.close()
    over_the_line = [one for one in requests if one.startswith("http")]  # modules made in the page come from no server
    return {"requests": len(over_the_line), "megabytes": round(sum(received) / 1e6, 2)} | {
        name: round(value, 1) for name, value in seconds.items()
    }


def measure(url: str, times: int) -> list[dict[str, Any]]:
    """One row for each line, size and visit."""
    if not is_installed("playwright"):
        raise SettingsError("This drives a browser through playwright: pip install -r requirements/dev.txt.")
    from playwright.sync_api import sync_playwright

    program = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if program is None:
        raise SettingsError(f"There is no browser on the path: install one of {', '.join(BROWSERS)}.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        visit(browser, url, None, "desk")  # the server computes the opening once
        rows = [
            {"line": name, "size": size, **visit(browser, url, line, size)}
            for name, line in LINES.items() for size in SIZES for _ in range(times)
        ]  # fmt: skip
        browser.close()
    return rows


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", help="a Parley that runs; without it, one is started")
    parser.add_argument("--times", type=int, default=2, help="visits for each line and size (2)")


def run(args: argparse.Namespace) -> None:
    with nullcontext(args.url) if args.url else serving() as url:
        for row in measure(url, args.times):
            print(json.dumps(row))
