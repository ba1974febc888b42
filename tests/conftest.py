"""What holds for every test: nothing leaves this computer, nothing is kept outside the test's own folder."""

import gc
import ipaddress
import os
import shutil
import socket
import ssl
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

# Read by gradio and huggingface_hub when they are first imported.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_OFFLINE"] = "1"

# Read by the numeric libraries when they are first loaded. pytest-xdist keeps every core busy with a worker of its own; with
# a pool of threads in each worker (and in each program that a test starts), the threads wait for each other most of the time.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"
os.environ["NUMBA_NUM_THREADS"] = "1"
os.environ["RAYON_NUM_THREADS"] = "1"

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as examples
from sqlalchemy import Engine, event
from sqlalchemy.engine import make_url
from threadpoolctl import threadpool_limits

from backend.program.settings import OTHER_NAMES, PREFIX, Settings
from backend.storage.database import Database, schema_version
from backend.storage.migrations import MIGRATIONS
from benchmarks.postgresql_server import PostgresqlServer, program
from tests.browser_pages import PATIENCE, state_of
from ttm import parsers
from ttm.chat import catalogue

# For NumPy, which is there already where a plugin of pytest has imported it.
threadpool_limits(1)

# The exact explanations of all rows that a catalogue computes in the background would go on beside the tests that follow.
MOST_ROWS_AHEAD = catalogue.MOST_ROWS_AHEAD
catalogue.MOST_ROWS_AHEAD = 0

# The language model that gives second opinions takes seconds to load in each program and a third of a second a question; its
# own tests open it.
parsers.second_reader = lambda schema: None
PARSER = f"{PREFIX}PARSER"
os.environ[PARSER] = "learned:second=off"

# Each client of a server reads the certificates of the authorities, which takes 20 ms; there are a thousand clients, and none
# of them leaves this computer.
ssl.create_default_context = cache(ssl.create_default_context)

# Containers often forbid Python to keep compiled files; each program that a test starts would then compile all it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

REQUIRE_BROWSER = "PARLEY_REQUIRE_BROWSER"
REQUIRE_POSTGRESQL = "PARLEY_REQUIRE_POSTGRESQL"
REQUIRED = (REQUIRE_BROWSER, REQUIRE_POSTGRESQL)
DATABASES = ("sqlite", "postgresql")
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


# The same examples in every run, however slow the machine is; `--hypothesis-profile explore` draws others.
UNTIMED = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)
examples.register_profile("explore", deadline=None, print_blob=True, suppress_health_check=UNTIMED)
examples.register_profile("repeat", examples.get_profile("explore"), derandomize=True, database=None)
examples.load_profile("repeat")


@pytest.fixture
def rows_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the exact explanations of all rows computed in the background, as in the app."""
    monkeypatch.setattr(catalogue, "MOST_ROWS_AHEAD", MOST_ROWS_AHEAD)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """An empty folder for the database and cache of one test."""
    folder = tmp_path / "parley"
    folder.mkdir()
    return folder


@pytest.fixture
def settings(data_dir: Path) -> Settings:
    return Settings(data_dir=data_dir)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    """A real server; the test is skipped where it is not installed (or fails, if PARLEY_REQUIRE_POSTGRESQL is set)."""
    if program("initdb") is None:
        if os.environ.get(REQUIRE_POSTGRESQL):
            pytest.fail(f"{REQUIRE_POSTGRESQL} is set, but PostgreSQL is not installed")
        pytest.skip("PostgreSQL is not installed")
    server = PostgresqlServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A SQLite database that has its tables, and nothing in them: to make them is most of the work of a short test."""
    path = tmp_path_factory.mktemp("tables") / "parley.sqlite"
    Database(f"sqlite:///{path}").close()
    return path.read_bytes()


@pytest.fixture(scope="session")
def postgresql_script(postgresql: PostgresqlServer) -> str:
    """The statements that bring an empty database of the server to the present version."""
    statements = list[str]()

    def keep(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.lstrip().startswith(("CREATE", "ALTER", "DROP")):
            statements.append(statement)

    event.listen(Engine, "before_cursor_execute", keep)
    try:
        Database(postgresql.empty_database()).close()
    finally:
        event.remove(Engine, "before_cursor_execute", keep)
    numbers = f"INSERT INTO {schema_version.name} SELECT generate_series(1, {len(MIGRATIONS)})"
    return ";\n".join([*statements, numbers])


@pytest.fixture
def database(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Database]:
    """An empty database: SQLite, or with the parameter "postgresql" one of a real server."""
    if getattr(request, "param", "sqlite") == "postgresql":
        script = request.getfixturevalue("postgresql_script")
        address = request.getfixturevalue("postgresql").empty_database(script)
    else:
        address = settings.database_address
        Path(make_url(address).database or "").write_bytes(request.getfixturevalue("sqlite_file"))
    database = Database(address)
    yield database
    database.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test marked `every_database` runs on each kind of database."""
    if "database" in metafunc.fixturenames and metafunc.definition.get_closest_marker("every_database"):
        metafunc.parametrize("database", DATABASES, indirect=True)


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of whoever runs the tests do not reach them."""
    for name in [name for name in os.environ if name.startswith(PREFIX) and name not in (*REQUIRED, PARSER)]:
        monkeypatch.delenv(name)
    for name in ("SPACE_ID", *(variable for variables in OTHER_NAMES.values() for variable in variables)):
        monkeypatch.delenv(name, raising=False)


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
    """Whether an address is one of this computer: loopback, or that of a network card, to which a socket can be bound."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    try:
        with socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_DGRAM) as own:
            own.bind((host, 0))
    except OSError:
        return False
    return not address.is_multicast


@pytest.fixture(scope="session")
def chromium() -> str:
    """The program file of a browser; the test is skipped where there is none (or fails, see the hook below)."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    return found


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    """A browser for one file of tests, whose pages and expectations wait for a state however busy the computer is.

    Not for the whole session: while it runs, no other event loop can run in this thread.
    """
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        browser.on("context", lambda context: context.set_default_timeout(PATIENCE))
        yield browser
        browser.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of a browser and of PostgreSQL, and bring long files to the front of the order that pytest-randomly drew.

    What is short comes last and fills up the workers evenly. The tests of a part stay together, so that not every worker has
    to load every library, data set and parser.
    """
    long = {item.path for item in items if item.get_closest_marker("slow")}
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker("browser")
            long.add(item.path)
        if any(isinstance(value, str) and value == "postgresql" for value in _parameters(item)):
            item.add_marker("slow")
    parts = {part: number for number, part in enumerate(dict.fromkeys(map(_part, items)))}
    items.sort(key=lambda item: (item.path not in long, parts[_part(item)]))


def _part(item: pytest.Item) -> str:
    """The folder or file right below the tests, which stands for a package."""
    return item.path.relative_to(Path(__file__).parent).parts[0]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """Nothing is given up of what is imported here; to look for it takes an eighth of the time until the first test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Spare the garbage collector what was imported: going through it again and again takes a tenth of the suite's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """What is still held is looked through once; when pytest ends, it collects five times over."""
    gc.collect()
    gc.freeze()


def _parameters(item: pytest.Item) -> list[Any]:
    return list(item.callspec.params.values()) if isinstance(item, pytest.Function) and hasattr(item, "callspec") else []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A skipped browser test counts as failed where PARLEY_REQUIRE_BROWSER is set. What the page showed belongs to the report
    of one that failed: it may not fail again."""
    report: Any = yield
    page = getattr(item, "funcargs", {}).get("page") if item.get_closest_marker("browser") else None
    if report.when == "call" and report.failed and page is not None:
        report.sections.append(("page", state_of(page)))
    skipped = report.skipped and not hasattr(report, "wasxfail")
    if skipped and item.get_closest_marker("browser") and os.environ.get(REQUIRE_BROWSER):
        report.outcome = "failed"
        report.longrepr = f"{REQUIRE_BROWSER} is set, but this browser test was skipped: {report.longrepr}"
    return report
