"""Knowledge bases in files and folders: what they answer, what they refuse, and that nothing runs on after its time."""

import gzip
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.errors import KnowledgeBaseError, QueryTimeoutError
from backend.network.shares.spending import Spending
from inspired.knowledge_base import local_store, rdf_files
from inspired.knowledge_base.engine import QueryResult, open_knowledge_base
from inspired.knowledge_base.local_store import GIGABYTE, LocalStore
from inspired.knowledge_base.names import names_of
from inspired.knowledge_base.query_guard import words_of
from inspired.knowledge_base.rdf_files import load_store
from inspired.knowledge_base.remembered import Remembered
from inspired.logical_form.forms import Entity, Literal

NS = "http://rdf.freebase.com/ns/"
TURTLE = f"""@prefix ns: <{NS}> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ns:m.fr ns:type.object.name "France"@en, "Frankreich"@de ; ns:area 551500.5 ; ns:code "FR" ; ns:eu true ;
  ns:since "1958-10-04T00:00:00"^^xsd:dateTime ; ns:shape "x"^^<http://example.org/shape> ; <http://example.org/p/q> [] .
"""
# Its rows are counted, so that no engine can stop early, and no index helps.
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER (?c + ?f + ?i + ?l = -1) }"
ALL = "SELECT ?s ?p ?o { ?s ?p ?o }"
PATIENCE = 120.0


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("numbers") / "numbers.nt"
    lines = (f'<{NS}m.{n}> <{NS}n> "{n}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n' for n in range(2000))
    path.write_text("".join(lines), "utf-8")
    return path


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def comes_true(holds: Callable[[], bool]) -> bool:
    """Wait for a state; the limit only ends a test that would wait for ever."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.02)
    return False


def is_gone(pid: int) -> bool:
    return not is_running(pid)


def worked(pid: int) -> int:
    """Return the hundredths of a second that a process has computed: it grows while a query runs, and only then."""
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[11:13]))


def packed(text: str) -> bytes:
    """Compress a text without the time of day: the bytes become ids of tests, which must be the same in each process."""
    return gzip.compress(text.encode(), mtime=0)


def test_nodes_are_those_of_logical_forms(tmp_path: Path) -> None:
    kb = open_knowledge_base(written(tmp_path / "a.ttl", TURTLE))
    found = {row[1]: row[2] for row in kb.select(ALL).rows}
    assert {row[0] for row in kb.select(ALL).rows} == {Entity("m.fr")}
    assert found[Entity("area")] == Literal("551500.5", "decimal")
    assert found[Entity("code")] == Literal("FR")
    assert found[Entity("eu")] == Literal("true", "boolean")
    assert found[Entity("since")] == Literal("1958-10-04T00:00:00", "dateTime")
    assert found[Entity("shape")] == Literal("x", "http://example.org/shape")
    assert isinstance(blank := found[Entity("http://example.org/p/q")], Entity)
    assert blank.id.startswith("_:")
    unbound = kb.select(f"SELECT ?s ?z {{ ?s <{NS}code> ?o OPTIONAL {{ ?s <{NS}none> ?z }} }}")
    assert unbound == QueryResult(("s", "z"), ((Entity("m.fr"), None),))
    yes = (Literal("true", "boolean"),)
    assert kb.select("ASK { ?s ?p ?o }") == QueryResult(("ask",), (yes,))
    kb.close()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.ttl", f"<{NS}m.a> <{NS}p> 1 ."),
        ("a.TTL.gz", packed(f"<{NS}m.a> <{NS}p> 1 .")),
        ("a.nq", f'<{NS}m.a> <{NS}p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <http://example.org/graph> .\n'),
        ("a.trig", f"<http://example.org/graph> {{ <{NS}m.a> <{NS}p> 1 }}"),
        ("a.jsonld", f'{{"@id": "{NS}m.a", "{NS}p": 1}}'),
        (
            "a.rdf",
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ns="http://rdf.freebase.com/ns/">'
            f'<rdf:Description rdf:about="{NS}m.a">'
            '<ns:p rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">1</ns:p></rdf:Description></rdf:RDF>',
        ),
    ],
)
def test_every_syntax_is_read_and_named_graphs_count(tmp_path: Path, name: str, content: str | bytes) -> None:
    path = written(tmp_path / name, content)
    expected = QueryResult(("s", "p", "o"), ((Entity("m.a"), Entity("p"), Literal("1", "integer")),))
    for where in (path, tmp_path / "store"):
        if where != path:
            assert load_store(path, where) == 1
        kb = open_knowledge_base(str(where))
        assert kb.select(ALL) == expected
        kb.close()


def test_a_file_that_is_loaded_in_parts_is_one_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdf_files, "LOADED_AT_ONCE", 2)
    path = written(tmp_path / "a.nt", "".join(f"_:one <http://a/p{number}> <http://a/o> .\n" for number in range(5)))
    assert load_store(path, tmp_path / "store") == 5
    kb = open_knowledge_base(tmp_path / "store")
    assert len(kb.select("SELECT DISTINCT ?s { ?s ?p ?o }").rows) == 1
    kb.close()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.ttl", "<http://a> <http://b> 1 .\n<http://a> . <c>\n", "line 2"),
        ("a.ttl.gz", b"not packed", "gzip"),
        ("a.nt.gz", packed("<http://a> <http://b> <http://c> .\n" * 999)[:40], "end"),
        ("a.rdf", "<rdf:RDF", "tag not closed"),
        ("a.txt", "", "names no RDF syntax; known are .ttl"),
        ("a.gz", "", "names no RDF syntax"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_clear_line(tmp_path: Path, name: str, content: str | bytes, told: str) -> None:
    path = written(tmp_path / name, content)
    for fails in (lambda: open_knowledge_base(path).select(ALL), lambda: load_store(path, tmp_path / "store")):
        with pytest.raises(KnowledgeBaseError, match=told) as failed:
            fails()
        assert "\n" not in failed.value.message
    assert list(tmp_path.iterdir()) == [path]


def test_places_where_nothing_is(tmp_path: Path) -> None:
    path = written(tmp_path / "a.ttl", TURTLE)
    for where, told in [
        (tmp_path / "none.ttl", "no such file"),
        (tmp_path, "holds no store; make one"),
        ("ftp://example.org/a", "http:// or https://"),
        ("http://", "names a host"),
        ("http://[::1", "no address"),
        ("x" * 5000, "cannot be opened: File name too long"),
    ]:
        with pytest.raises(KnowledgeBaseError, match=told):
            open_knowledge_base(where)
    with pytest.raises(KnowledgeBaseError, match="not empty"):
        load_store(path, tmp_path)


@pytest.mark.parametrize(
    ("sparql", "told"),
    [
        ("CLEAR ALL", "CLEAR would change"),
        (f"PREFIX ns: <{NS}> insert data {{ ns:a ns:b ns:c }}", "INSERT would change"),
        ("DELETE WHERE { ?s ?p ?o }", "DELETE would change"),
        ("LOAD <http://127.0.0.1/a.ttl>", "LOAD would change"),
        ("DESCRIBE <http://a>", "starts with DESCRIBE"),
        ("CONSTRUCT WHERE { ?s ?p ?o }", "starts with CONSTRUCT"),
        ("# only a note", "starts with nothing"),
        ("SELECT * FROM <http://127.0.0.1/a> { ?s ?p ?o }", "FROM names other data"),
        ("SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }", "SERVICE asks another server"),
        ("SELECT * { ?s ?p trueSERVICE:a { } }", "SERVICE asks another server"),
        ("SELECT * { ?s ?p 1service?x { } }", "SERVICE asks another server"),
        ("ASK { ?a ?b ?c FILTER(?a<?b#>\n) SERVICE <http://x> { } }", "SERVICE asks another server"),
        ("SELECT ('\ud800' AS ?x) { }", "half of a character"),
        ("SELECT ?x {", "cannot evaluate the query: error at 1:12"),
    ],
)
def test_only_reading_goes_through(numbers: Path, sparql: str, told: str) -> None:
    kb = LocalStore(numbers)
    with pytest.raises(KnowledgeBaseError, match=told):
        kb.select(sparql)
    kb.close()


def test_words_in_strings_names_and_comments_are_no_keywords(numbers: Path) -> None:
    kb = LocalStore(numbers)
    sparql = (
        "PREFIX a: <http://SERVICE/FROM> SELECT ?service (\"a \\\" SERVICE\" AS ?b) ('''it's FROM''' AS ?c) "
        "{ ?s a:service ?from ; a:LOAD ?d } # SERVICE"
    )
    assert words_of(sparql) == ["PREFIX", "SELECT", "AS", "AS"]
    assert kb.select(sparql).rows == ()
    kb.close()


def test_no_query_reaches_the_network_even_past_the_guard(numbers: Path) -> None:
    kb = LocalStore(numbers)
    past_the_guard = kb._holders[0]
    with pytest.raises(KnowledgeBaseError, match="Too many open files"):
        past_the_guard.ask(
            {"sparql": "SELECT * { SERVICE <http://127.0.0.1:8080/> { ?s ?p ?o } }", "limit": 1}, PATIENCE, PATIENCE
        )
    kb.close()


def test_rows_beyond_the_limit_are_cut_and_said_to_be(numbers: Path) -> None:
    kb = open_knowledge_base(numbers)
    for limit, truncated in [(1, True), (1999, True), (2000, False), (3000, False)]:
        found = kb.select(ALL, limit=limit)
        assert len(found.rows) == min(limit, 2000)
        assert found.truncated == truncated
    kb.close()


@pytest.mark.parametrize("seconds", [0.3, 1.0])
@pytest.mark.slow
def test_a_query_is_stopped_at_its_limit_and_the_next_is_answered(numbers: Path, seconds: float) -> None:
    kb = LocalStore(numbers, processes=1)
    kb.select("ASK {}")
    (busy,) = children_of(kb)
    began = time.monotonic()
    with pytest.raises(QueryTimeoutError, match=f"more than {seconds:g} seconds and was stopped"):
        kb.select(ENDLESS, seconds=seconds)
    assert time.monotonic() - began >= seconds
    assert not is_running(busy)
    assert len(kb.select(ALL, limit=5).rows) == 5
    kb.close()


def children_of(kb: LocalStore) -> list[int]:
    return [each._process.pid for each in kb._holders if each._process is not None]


@pytest.mark.slow
def test_the_time_of_a_query_counts_for_who_asks(numbers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spending = Spending()
    monkeypatch.setattr(local_store, "SPENDING", spending)
    kb = LocalStore(numbers, processes=1)
    kb.select("ASK {}")
    with spending.metered("ann"), pytest.raises(QueryTimeoutError):
        kb.select(ENDLESS, seconds=0.5)
    assert spending.of("ann") > 0.4
    kb.close()


@pytest.mark.slow
def test_a_long_query_of_one_does_not_stop_another(numbers: Path) -> None:
    kb = LocalStore(numbers, processes=2)
    ended: list[str] = []

    def ask_too_much() -> None:
        try:
            kb.select(ENDLESS, seconds=PATIENCE)
        except KnowledgeBaseError as error:
            ended.append(error.message)

    slow, third = threading.Thread(target=ask_too_much), threading.Thread(target=ask_too_much)
    slow.start()
    assert comes_true(lambda: computing(kb) == 1)
    assert kb.select("ASK { ?s ?p ?o }").rows
    assert slow.is_alive()
    third.start()
    assert comes_true(lambda: computing(kb) == 2)
    with pytest.raises(QueryTimeoutError, match=r"Other questions kept numbers\.nt busy"):
        kb.select("ASK {}", seconds=0.2)
    assert not ended
    kb.close()
    slow.join()
    third.join()
    assert len(ended) == 2


def computing(kb: LocalStore) -> int:
    """How many processes have read the graph and are at work on a query that takes a while."""
    ready = [each._process.pid for each in kb._holders if each._ready and each._process is not None]
    before = {pid: worked(pid) for pid in ready}
    time.sleep(0.1)
    return sum(worked(pid) > before[pid] for pid in ready)


def test_many_threads_get_their_own_answers(numbers: Path) -> None:
    kb = open_knowledge_base(numbers)
    wrong: list[object] = []

    def ask(first: int) -> None:
        for number in range(first, first + 20):
            found = kb.select(f"SELECT ?o {{ <{NS}m.{number}> <{NS}n> ?o }}")
            if found.rows != ((Literal(str(number), "integer"),),):
                wrong.append(found)

    threads = [threading.Thread(target=ask, args=(20 * n,)) for n in range(12)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
    kb.close()


def test_a_process_that_was_ended_is_replaced(numbers: Path) -> None:
    kb = LocalStore(numbers, processes=1)
    assert not children_of(kb)  # lazily
    kb.select("ASK {}")
    (first,) = children_of(kb)
    os.kill(first, signal.SIGKILL)
    assert comes_true(lambda: is_gone(first))
    assert kb.select("ASK { ?s ?p ?o }").rows[0][0] == Literal("true", "boolean")
    kb.close()
    assert not children_of(kb)
    assert kb.select("ASK {}").rows  # a closed one opens again
    last = children_of(kb)[0]
    del kb
    assert comes_true(lambda: is_gone(last))


@pytest.mark.slow
def test_a_query_that_needs_too_much_memory_says_so(numbers: Path) -> None:
    kb = LocalStore(numbers, processes=1, memory=GIGABYTE // 2)
    with pytest.raises(KnowledgeBaseError, match=r"needed more memory than it may use \(0.5 GB\)"):
        kb.select("SELECT ?a ?d { ?a ?b ?c . ?d ?e ?f } ORDER BY ?c ?f", seconds=PATIENCE)
    assert kb.select("ASK { ?s ?p ?o }").rows
    kb.close()


@pytest.mark.parametrize("ending", ["sys.exit()", "os.kill(os.getpid(), signal.SIGKILL)"])
@pytest.mark.parametrize("asked", ["ASK {}", ENDLESS])
@pytest.mark.slow
def test_nothing_is_left_behind_when_parley_ends(numbers: Path, ending: str, asked: str) -> None:
    code = f"""
import os, signal, sys, threading, time
from pathlib import Path
from inspired.knowledge_base.local_store import LocalStore
kb = LocalStore(Path({str(numbers)!r}), processes=1)
kb.select("ASK {{}}")
pid = kb._holders[0]._process.pid
print(pid, flush=True)
asking = threading.Thread(target=kb.select, args=({asked!r},), daemon=True)
worked = lambda: sum(map(int, Path(f"/proc/{{pid}}/stat").read_text().rpartition(")")[2].split()[11:13]))
before = worked()
asking.start()
while asking.is_alive() and worked() < before + 20:  # until it was answered, or is in the middle of the query
    time.sleep(0.02)
{ending}
"""
    root = Path(__file__).parents[3]
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=False)
    assert comes_true(lambda: is_gone(int(told.stdout))), told.stderr


def test_what_was_answered_is_not_asked_again() -> None:
    asked: list[str] = []

    class Counting:
        label = "counting"

        def select(self, sparql: str, limit: int = 1000, seconds: float = 10.0) -> QueryResult:
            asked.append(sparql)
            if sparql == "late":
                raise QueryTimeoutError("late")
            return QueryResult(("x",), ((None,),) * 3)

        def close(self) -> None:
            return None

    kb = Remembered(Counting(), rows=10, kept=60)
    for sparql in ("a", "b", "a", "b"):
        kb.select(sparql)
    assert asked == ["a", "b"]
    kb.select("c")  # three results of four do not fit: the longest unused one goes
    kb.select("b")
    assert asked == ["a", "b", "c"]
    kb.select("a")
    assert asked[3:] == ["a"]
    for _ in range(2):
        with pytest.raises(QueryTimeoutError):
            kb.select("late")
    assert asked[4:] == ["late", "late"]
    kb.close()
    kb.select("a")
    assert asked[6:] == ["a"]
    old = Remembered(Counting(), kept=0)
    old.select("x")
    old.select("x")
    assert asked[7:] == ["x", "x"]


def test_names_in_any_vocabulary(tmp_path: Path) -> None:
    content = f"""@prefix ns: <{NS}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix e: <http://example.org/> .
    @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix schema: <http://schema.org/> .
    ns:m.a ns:type.object.name "Alpha"@en ; rdfs:label "Other"@en .
    e:b rdfs:label "Beth"@en-GB, "Bet", "Beta"@de .
    e:c skos:prefLabel "Gamma" . e:d schema:name "Delta"@en . e:n rdfs:label "Nu"@de ."""
    kb = open_knowledge_base(written(tmp_path / "a.ttl", content))
    iris = [f"http://example.org/{each}" for each in "bcdn"]
    hostile = "http://example.org/> } DROP ALL #"
    many = [f"m.{number}" for number in range(450)]
    found = names_of(kb, ["m.a", *iris, "m.none", "_:b", "#entity1#", "http://example.org/Caf%C3%A9_x", hostile, *many])
    assert list(found.values())[:9] == ["Alpha", "Beth", "Gamma", "Delta", "Nu", "m.none", "_:b", "#entity1#", "Café x"]
    assert found[hostile]
    assert all(found[each] == each for each in many)
    assert names_of(kb, []) == {}
    kb.close()


@pytest.mark.slow
def test_the_graph_that_ships_is_read_once_for_many_questions() -> None:
    kb = open_knowledge_base()
    found = kb.select(f'SELECT ?x {{ ?x <{NS}type.object.name> "France"@en . ?x <{NS}location.country.capital> ?c }}')
    assert found.rows == ((Entity("m.country_fr"),),)
    assert isinstance(kb, Remembered)
    store = kb._kb
    assert isinstance(store, LocalStore)
    (reader,) = children_of(store)
    reading = worked(reader)
    for code in ("de", "it", "es", "pt", "nl", "be", "at", "pl", "se"):
        assert kb.select(f"SELECT ?x {{ <{NS}m.country_{code}> <{NS}location.country.languages_spoken> ?x }}").rows
    assert children_of(store) == [reader]
    assert worked(reader) - reading <= max(reading, 5)  # nine questions together cost less than reading did
    kb.close()


def test_closing_in_the_middle_of_a_query_ends_it(numbers: Path) -> None:
    kb = LocalStore(numbers, processes=1)
    kb.select("ASK {}")
    told: list[str] = []

    def ask() -> None:
        try:
            kb.select(ENDLESS, seconds=PATIENCE)
        except KnowledgeBaseError as error:
            told.append(error.message)

    asking = threading.Thread(target=ask)
    asking.start()
    assert comes_true(lambda: computing(kb) == 1)
    kb.close()
    asking.join()
    assert told == ["The process that holds numbers.nt was ended in the middle of the query; ask again."]
