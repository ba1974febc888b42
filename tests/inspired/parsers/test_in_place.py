"""Questions in words over what is not held in memory: a store folder and a SPARQL endpoint, in the shape of Wikidata."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs

import pyoxigraph
import pytest

from backend.program.command_line import run
from inspired.__main__ import main
from inspired.knowledge_base.in_place import kept_sample
from inspired.knowledge_base.rdf_files import load_store
from inspired.parsers.in_place import spellings
from inspired.parsers.linking.words import tokens_of

WIKIDATA = Path(__file__).parents[1] / "knowledge_base" / "wikidata_shape.ttl"
ANSWERS = {
    "What is the capital of Norland?": ["Havn"],
    "Which countries share a border with Norland?": ["Estmark", "Westmark"],
    "How many countries share a border with Norland?": ["2"],
    "Does Estmark share a border with Westmark?": ["no"],
    "Which neighbours that share a border with Norland do not have more than 1 million population?": ["Estmark"],
    "What is the population of Westmark?": ["12,400,000"],
}


class StoreEndpoint(http.server.BaseHTTPRequestHandler):
    """The SPARQL 1.1 Protocol over a store in memory."""

    store: pyoxigraph.Store

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        try:
            results = self.store.query(form["query"][0])
            body, code = results.serialize(format=pyoxigraph.QueryResultsFormat.JSON), 200
        except (SyntaxError, ValueError) as error:
            body, code = str(error).encode(), 400
        self.send_response(code)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving(path: Path) -> Iterator[str]:
    store = pyoxigraph.Store()
    store.bulk_load(path=path)
    handler = type("Handler", (StoreEndpoint,), {"store": store})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/sparql"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with serving(WIKIDATA) as address:
        yield address


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = tmp_path_factory.mktemp("store") / "facts"
    load_store(WIKIDATA, made)
    return str(made)


@pytest.fixture(autouse=True)
def samples_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_sample, "FOLDER", tmp_path)


@pytest.mark.parametrize("where", ["endpoint", "folder"])
@pytest.mark.slow
def test_questions_in_words_are_answered_in_place(
    where: str, request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "questions.jsonl"
    source.write_text("".join(json.dumps({"question": each}) + "\n" for each in ANSWERS), "utf-8")
    kb = request.getfixturevalue(where)
    assert run("python -m inspired", main, ["ask", "--in", str(source), "--json", "--kb", kb]) == 0
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {each["question"]: [one["name"] for one in each["answers"]] for each in results} == ANSWERS
    words = " ".join(step["words"] for each in results for step in each["steps"])
    assert "P36" not in words
    assert "://" not in words


def test_one_question_at_an_endpoint(endpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("python -m inspired", main, ["ask", "What is the capital of Estmark?", "--kb", endpoint]) == 0
    assert "Sundby" in capsys.readouterr().out


LIBRARY = """@prefix : <http://library.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Book rdfs:label "book" . :Person rdfs:label "person" . :City rdfs:label "city" . :Country rdfs:label "country" .
:author rdfs:label "author" . :bornIn rdfs:label "born in" . :inCountry rdfs:label "country" .
:b1 a :Book ; rdfs:label "Salt and Thistle" ; :author :ines . :b2 a :Book ; rdfs:label "The Long Quay" ; :author :otto .
:ines a :Person ; rdfs:label "Ines Varga" ; :bornIn :corda . :otto a :Person ; rdfs:label "Otto Brandt" ; :bornIn :lund .
:corda a :City ; rdfs:label "Corda" ; :inCountry :veria . :lund a :City ; rdfs:label "Lundby" ; :inCountry :norra .
:veria a :Country ; rdfs:label "Veria" . :norra a :Country ; rdfs:label "Norra" .
"""


@pytest.mark.parametrize("in_place", [True, False])
def test_the_kind_that_is_asked_for_is_reached_three_links_away(
    in_place: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "library.ttl"
    path.write_text(LIBRARY, "utf-8")
    if in_place:
        load_store(path, tmp_path / "library")
        path = tmp_path / "library"
    question = "In which country was the author of Salt and Thistle born?"
    assert run("python -m inspired", main, ["ask", question, "--kb", str(path)]) == 0
    words = capsys.readouterr().out
    assert "Answer\n   Veria" in words
    assert "Not used" not in words


def _zoo(folder: Path) -> Path:
    """Sixty animals, of which a sample has a dozen: two are heavier than all others, and three are griffins."""
    head = """@prefix : <http://zoo.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Animal rdfs:label "animal" . :weight rdfs:label "weight" . :breed rdfs:label "breed" . :mouse rdfs:label "mouse" .
    :griffin rdfs:label "griffin" . :Breed rdfs:label "breed" . :mouse a :Breed . :griffin a :Breed .
    """
    rows = [f':m{n:02} a :Animal ; rdfs:label "Mo{n:02}" ; :weight {n} ; :breed :mouse .' for n in range(1, 58)]
    rows += [f':z{n} a :Animal ; rdfs:label "Zed{n}" ; :weight {n} ; :breed :griffin .' for n in (70, 5000, 6000)]
    path = folder / "zoo.ttl"
    path.write_text(head + "\n".join(rows), "utf-8")
    return path


@pytest.mark.parametrize("where", ["endpoint", "folder"])
def test_conditions_that_no_fact_at_hand_meets_are_asked_and_follow_ups_go_on_in_place(
    where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = {
        "Which animals have a weight of more than 4000?": {"Zed5000", "Zed6000"},
        "How many are these?": {"2"},
        "Which animals are griffins?": {"Zed70", "Zed5000", "Zed6000"},
        "which of them have a weight under 100?": {"Zed70"},
    }
    source = tmp_path / "questions.jsonl"
    source.write_text("".join(json.dumps({"conversation": 1, "question": each}) + "\n" for each in questions), "utf-8")
    asking = ["ask", "--in", str(source), "--json", "--kb"]
    if where == "endpoint":
        with serving(_zoo(tmp_path)) as address:
            assert run("python -m inspired", main, [*asking, address]) == 0
    else:
        load_store(_zoo(tmp_path), tmp_path / "zoo")
        assert run("python -m inspired", main, [*asking, str(tmp_path / "zoo")]) == 0
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {each["question"]: {one["name"] for one in each["answers"]} for each in results} == questions


def test_names_are_looked_up_in_the_singular_too() -> None:
    question = "Witches, fairies and dragons of the pass"
    looked_up = set(spellings(tokens_of(question), question))
    assert {"witch", "fairy", "dragon", "dragons"} <= looked_up
    assert "pas" not in looked_up
