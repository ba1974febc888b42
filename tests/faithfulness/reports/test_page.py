"""The page of a report: whole, self-contained, and showing names and data as text."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from backend.errors import FaithfulnessError
from backend.models.language_models import ScriptedModel
from faithfulness.__main__ import main
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan
from faithfulness.method.keywords import occurrences
from faithfulness.reports.evidence import EvidenceAgreement, agreements, marked_score, read_evidence
from faithfulness.reports.page import report_html
from faithfulness.reports.table_rows import ROWS
from faithfulness.reports.tables import tables_of
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import profile_of
from faithfulness.runs.run import RunSpecification, run_study
from tests.faithfulness.planted import reply_to, write_rows

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """Two models, one of a hostile name, over four rows; their only keyword is the answer."""
    write_rows(tmp_path / "rows.jsonl", 4)
    profiles = tuple(profile_of(name, "http://localhost:1/v1", protocol="continuation") for name in ("plain", HOSTILE))
    made = RunFolder(tmp_path / "out")
    study = RunSpecification(str(tmp_path / "rows.jsonl"), profiles, Plan())
    model = {each.name: ScriptedModel(lambda prompt: reply_to(prompt)["choices"][0]["text"], each.name) for each in profiles}
    list(run_study(study, made, open_model=lambda profile: model[profile.name], metric=Metric()))
    return made


class Tags(HTMLParser):
    """The tags with their attributes, and the text outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._skip = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._skip = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._skip = False

    def handle_data(self, data: str) -> None:
        if not self._skip:
            self.words.append(data)


def test_needs_nothing_else_and_shows_a_hostile_name_as_text(folder: RunFolder) -> None:
    page = report_html(tables_of(folder))
    read = Tags(page)
    assert not any("src" in attributes or tag in ("img", "link", "iframe") for tag, attributes in read.tags)
    assert HOSTILE in read.words
    outside = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert HOSTILE not in outside
    assert not re.search(r"url\(|@import", outside)


def test_holds_every_row_of_the_table_and_both_models_side_by_side(folder: RunFolder) -> None:
    text = " ".join(Tags(report_html(tables_of(folder))).words)
    assert all(label in text for label in ROWS)
    assert text.index("Lift of F over") < text.index("Faithfulness F,") < text.index("F of all words") < text.index("Samples")
    assert "Samples that every model was explained on: 4" in text
    assert "continuation (answer, then keywords)" in text
    assert "a server at http://localhost:1/v1" in text


def test_people_who_mark_what_is_necessary_agree_with_it_wholly(folder: RunFolder, tmp_path: Path) -> None:
    reports = list(folder.reports("plain"))
    lines = [{"id": row.id, "spans": [[s.start, s.end] for s in report.necessary]} for row, report in reports]
    path = tmp_path / "marked.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    against_necessary, against_model, between = agreements(reports, read_evidence(path))
    assert against_necessary == EvidenceAgreement("people", "necessary keywords", 4, 1.0, 1.0, 1.0, 1.0)
    assert (against_model.precision, against_model.recall) == (between.precision, between.recall)


def test_spans_of_another_tool_are_scored_as_keywords_are(folder: RunFolder, tmp_path: Path) -> None:
    """What marks a word of each necessary group and the region has f 1; what marks the first word of the passage has 0."""
    reports = list(folder.reports("plain"))
    path = tmp_path / "marked.jsonl"
    for wanted in (1.0, 0.0):
        lines = [
            {"id": row.id, "spans": [[g.start, g.end] for g in report.necessary] if wanted else [[0, 5]]}
            for row, report in reports
        ]
        path.write_text("\n".join(json.dumps(line) for line in lines))
        score = marked_score(reports, read_evidence(path))
        assert (score.n, score.F, score.F_interval) == (4, wanted, None)
        assert score.model_F == pytest.approx(sum(report.score.f for _, report in reports if report.score) / 4)
        assert f"F {wanted:.3f} and a lift" in score.sentence()


def test_agreement_counts_words(folder: RunFolder, tmp_path: Path) -> None:
    """The model names two words ("value n"); people mark these and two more, and once something else."""
    reports = list(folder.reports("plain"))
    marked = []
    for row, report in reports:
        (answer,) = occurrences(report.sample.answers[0], report.sample.passage)
        start = report.sample.passage.index("there is")
        marked.append({"id": row.id, "characters": [[start, start + len("there is")], [answer.start, answer.end]]})
    marked[0]["characters"] = [[0, 5]]
    path = tmp_path / "marked.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in marked))
    _, own, _ = agreements(reports, read_evidence(path))
    assert own.n == 4
    assert own.precision == pytest.approx(3 / 4)
    assert own.recall == pytest.approx((0 + 3 * 2 / 4) / 4)
    assert own.f1 == pytest.approx((0 + 3 * (2 * 2) / (2 + 4)) / 4)
    assert own.touching == pytest.approx(3 / 4)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no evidence"),
        ("{", "Line 1 of marked.jsonl is no evidence"),
        ('{"id": "item-1"}', "is no evidence"),
        ('\n{"id": "item-1", "spans": [[4, 4]]}', "Line 2 of marked.jsonl: a span"),
        ('{"id": "another", "spans": [[0, 4]]}', "none of the ids"),
        ('{"id": "item-1", "spans": [[0, 4000]]}', "ends behind its passage"),
    ],
)
def test_evidence_that_cannot_be_used_is_refused(text: str, words: str, folder: RunFolder, tmp_path: Path) -> None:
    path = tmp_path / "marked.jsonl"
    path.write_text(text)
    with pytest.raises(FaithfulnessError, match=words):
        agreements(folder.reports("plain"), read_evidence(path))


def test_evidence_that_is_not_utf_8_is_refused_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes(b"\xfc")
    with pytest.raises(FaithfulnessError, match=r"latin\.csv: it is not UTF-8 text\.$"):
        read_evidence(tmp_path / "latin.csv")


@pytest.mark.slow
def test_the_report_command_writes_page_and_evidence(
    folder: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marked, page = tmp_path / "marked.jsonl", tmp_path / "report.html"
    marked.write_text('{"id": "item-1", "spans": [[0, 5]]}')
    command = ["report", str(folder.path), "--evidence", str(marked)]
    assert main([*command, "--html", str(page)]) == 0
    assert "beside what people marked" in capsys.readouterr().out
    assert "What people marked: plain" in page.read_text()
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["evidence"]["plain"][0]["n"] == 1
    assert main(["report", str(folder.path), "--json"]) == 0
    assert "evidence" not in json.loads(capsys.readouterr().out)
