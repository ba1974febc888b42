"""`--paper`: what is asked and how it is judged is what sections 3.3 to 3.6 say, word for word."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.errors import FaithfulnessError
from backend.models.language_models import Message, Reply, ScriptedModel
from faithfulness.__main__ import main
from faithfulness.method.keywords import any_inside
from faithfulness.method.prompting import PaperChat
from faithfulness.method.regions import Span
from faithfulness.method.score import KeywordJudge, RegionEvidence
from faithfulness.reports.tables import tables_of
from faithfulness.runs.folder import RunFolder
from tests.backend.models.language_models.recorded_servers import RecordedServer, chat_reply

# Copied from section 3.4.
SYSTEM = (
    "To answer the given question, first generate a thought that explains the answer according to the text, then identify the "
    "most important words (keywords) from the text that helped you with your thought, and finally provide a short answer."
)
PASSAGE = "One fine day. Two started arts. Three more."


class Keeping(ScriptedModel):
    def __init__(self, answer: str) -> None:
        super().__init__(lambda prompt: answer)
        self.messages: list[Message] = []

    def chat(self, messages: Any, **options: Any) -> Reply:
        self.messages = list(messages)
        return super().chat(messages, **options)


def test_the_messages_are_those_of_the_paper() -> None:
    model = Keeping("Thought: it says so, Keywords: One, fine day, Short answer: One")
    exchange = PaperChat().explain(model, "which number", PASSAGE)
    assert model.messages[0] == Message("system", SYSTEM)
    asked = f"The following text might be useful in answering the question: {PASSAGE} Question: which number"
    assert model.messages[-1] == Message("user", asked)
    for shown in model.messages[2:-1:2]:
        thought, rest = shown.content.split(", Keywords: ")
        keywords, answer = rest.split(", Short answer: ")
        assert (shown.role, "\n" in shown.content) == ("assistant", False)
        assert thought.startswith("Thought: ")
        assert keywords
        assert answer
    assert (exchange.reading.keywords, exchange.reading.answer, exchange.reading.lenient) == (("One", "fine day"), "One", False)


def test_a_keyword_is_part_of_a_string() -> None:
    span = Span(0, len(PASSAGE))
    assert any_inside(["art"], PASSAGE, span, literal=True)  # in "started"
    assert not any_inside(["ONE"], PASSAGE, span, literal=True)
    assert not any_inside(["started  arts"], PASSAGE, span, literal=True)
    evidence = [RegionEvidence(Span(14, 31), (Span(18, 25),))]  # "started" in "Two started arts."
    assert KeywordJudge(PASSAGE, evidence, literal=True).f(["art"]) == 1.0
    assert KeywordJudge(PASSAGE, evidence).f(["art"]) == 0.0


@pytest.mark.slow
def test_a_run_by_the_letter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two models: `strong` knows row 2 without the passage, `weak` never does. Table 1 counts the rows that `strong` needs."""

    def rules(asked: dict[str, Any]) -> tuple[int, Any]:
        last = asked["messages"][-1]["content"]
        known = "value-1" in last or "value-2" in last or ("item 2" in last and asked["model"] == "strong")
        number = "1" if "item 1" in last else "2"
        return chat_reply(f"Thought: so, Keywords: value-{number}, Short answer: {'value-' + number if known else 'no'}")

    rows = [
        {"id": str(n), "question": f"what is item {n}", "context": f"Alpha beta. It is value-{n} now, is it. Eta theta.",
         "answers": [f"value-{n}"]} for n in (1, 2)
    ]  # fmt: skip
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    server = RecordedServer(rules)
    try:
        command = ["run", "--paper", "--data", str(tmp_path / "rows.jsonl"), "--base-url", server.url,
                   "--out", str(tmp_path / "out"), "--model", "strong", "--model", "weak"]  # fmt: skip
        assert main(command) == 0
    finally:
        server.close()
    folder = RunFolder(tmp_path / "out")
    plan = folder.plan()
    assert (plan.splitter, plan.literal, plan.redaction) == ("words", True, False)
    assert folder.settings()["correctness"] == "paper"
    assert "chat in the words of the paper" in capsys.readouterr().out + json.dumps(tables_of(folder).as_json())
    own, shared = tables_of(folder), tables_of(folder, "strong")
    assert [own.summaries[name].retrieval_hard for name in ("strong", "weak")] == [1, 2]
    assert [shared.summaries[name].retrieval_hard for name in ("strong", "weak")] == [1, 1]
    assert main(["report", str(tmp_path / "out"), "--retrieval-hard-of", "strong"]) == 0
    assert "| Retrieval-hard subset | 1 | 1 |" in capsys.readouterr().out
    with pytest.raises(FaithfulnessError, match="no finished sample of 'gpt'; its models are strong, weak"):
        main(["report", str(tmp_path / "out"), "--retrieval-hard-of", "gpt"])
