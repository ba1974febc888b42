"""What holds for every test: nothing leaves this computer, nothing is kept outside the test's own folder."""

import ipaddress
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Read by gradio and huggingface_hub when they are first imported.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_OFFLINE"] = "1"

import pytest

from backend.database import Database
from backend.settings import PREFIX, Settings

REQUIRE_BROWSER = "PARLEY_REQUIRE_BROWSER"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """An empty folder for the database and cache of one test."""
    folder = tmp_path / "parley"
    folder.mkdir()
    return folder


@pytest.fixture
def settings(data_dir: Path) -> Settings:
    return Settings(data_dir=data_dir)


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    database = Database(settings.database_address)
    yield database
    database.close()


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of whoever runs the tests do not reach them."""
    for name in [name for name in os.environ if name.startswith(PREFIX) and name != REQUIRE_BROWSER]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("SPACE_ID", raising=False)


@pytest.fixture(scope="session", autouse=True)
def _offline() -> Iterator[None]:
    """A connection to another computer fails at once, whatever library tries it."""
    connect = socket.socket.connect

    def connect_at_home(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not _at_home(str(address[0])):
            raise OSError(f"a test tried to reach {address[0]}")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect_at_home)
        yield


def _at_home(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@pytest.fixture(scope="session")
def chromium() -> str:
    """The program file of a browser; the test is skipped where there is none (or fails, see the hook below)."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    return found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A skipped browser test counts as failed where PARLEY_REQUIRE_BROWSER is set."""
    report: Any = yield
    skipped = report.skipped and not hasattr(report, "wasxfail")
    if skipped and item.get_closest_marker("browser") and os.environ.get(REQUIRE_BROWSER):
        report.outcome = "failed"
        report.longrepr = f"{REQUIRE_BROWSER} is set, but this browser test was skipped: {report.longrepr}"
    return report
