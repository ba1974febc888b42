"""What is sent to a model and how its reply is read: two protocols, of which a report always names the one used.

`Chat` is section 3.4: thought, keywords, short answer. `Continuation` is ours, for models too small for that format: plain
text with examples, the answer first and the keywords after it. A reply that cannot be read is never guessed at.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol as Interface

from backend.language_models import LanguageModel, Message, Reply
from faithfulness.keywords import read_keywords
from faithfulness.sample import Sample, read_examples

SHOTS = Path(__file__).parent / "shots.toml"
MAX_ANSWER_TOKENS = 48
MAX_REPLY_TOKENS = 320


@dataclass(frozen=True)
class Reading:
    """A reply as read. `malformed` says that the format was not kept; then `answer` is empty."""

    answer: str
    keywords: tuple[str, ...] = ()
    thought: str = ""
    malformed: bool = False


@dataclass(frozen=True)
class Exchange:
    """What was sent and what came back; `retries` counts the times the format had to be stated again."""

    prompt: str
    reply: Reply
    reading: Reading
    retries: int = 0


class Protocol(Interface):
    """`explain` asks for answer and keywords, `answer` for the answer alone; a passage of None is the closed book."""

    name: str

    def explain(self, model: LanguageModel, question: str, passage: str) -> Exchange: ...

    def answer(self, model: LanguageModel, question: str, passage: str | None) -> Exchange: ...


class Chat:
    """Section 3.4. A malformed reply is asked for once more with the format stated."""

    name = "chat (thought, keywords, short answer)"

    SYSTEM = (
        "You answer a question from a text. Write a thought that explains the answer by the text, then the keywords: the "
        "few exact words of the text that the answer rests on, separated by commas, and then a short answer of a few words."
    )
    FORMAT = "Reply in exactly this form:\nThought: ...\nKeywords: ..., ...\nShort answer: ..."

    def explain(self, model: LanguageModel, question: str, passage: str) -> Exchange:
        return self._ask(model, question, passage)

    def answer(self, model: LanguageModel, question: str, passage: str | None) -> Exchange:
        return self._ask(model, question, passage)

    def _ask(self, model: LanguageModel, question: str, passage: str | None) -> Exchange:
        messages = [Message("system", self.SYSTEM), *self._shots(), Message("user", _user(question, passage))]
        reply = model.chat(messages, max_tokens=MAX_REPLY_TOKENS)
        reading = read_three_parts(reply.text, passage or "")
        if not reading.malformed:
            return Exchange(_flat(messages), reply, reading)
        messages += [Message("assistant", reply.text), Message("user", self.FORMAT)]
        reply = model.chat(messages, max_tokens=MAX_REPLY_TOKENS)
        return Exchange(_flat(messages), reply, read_three_parts(reply.text, passage or ""), retries=1)

    def _shots(self) -> list[Message]:
        turns = []
        for shot in read_shots():
            turns.append(Message("user", _user(shot.sample.question, shot.sample.passage)))
            parts = f"Thought: {shot.thought}\nKeywords: {', '.join(shot.keywords)}\nShort answer: {shot.sample.answers[0]}"
            turns.append(Message("assistant", parts))
        return turns


class Continuation:
    """Plain continuation of examples: passage, question, answer, keywords; the closed book leaves the passage out."""

    name = "continuation (answer, then keywords)"

    def explain(self, model: LanguageModel, question: str, passage: str) -> Exchange:
        prompt = self._prompt(question, passage)
        reply = model.complete(prompt, max_tokens=2 * MAX_ANSWER_TOKENS, stop=["\n\n", "Passage:"])
        return Exchange(prompt, reply, read_continuation(reply.text, passage))

    def answer(self, model: LanguageModel, question: str, passage: str | None) -> Exchange:
        prompt = self._prompt(question, passage)
        reply = model.complete(prompt, max_tokens=MAX_ANSWER_TOKENS, stop=["\n"])
        answer = reply.text.strip()
        return Exchange(prompt, reply, Reading(answer, malformed=not answer))

    def _prompt(self, question: str, passage: str | None) -> str:
        shown = [self._shot(shot, with_passage=passage is not None) for shot in read_shots()]
        asked = f"Passage: {_line(passage)}\n" if passage is not None else ""
        return "\n\n".join([*shown, f"{asked}Question: {_line(question)}\nAnswer:"])

    def _shot(self, shot: "Shot", with_passage: bool) -> str:
        start = f"Passage: {_line(shot.sample.passage)}\n" if with_passage else ""
        end = f"\nKeywords: {', '.join(shot.keywords)}" if with_passage else ""
        return f"{start}Question: {_line(shot.sample.question)}\nAnswer: {shot.sample.answers[0]}{end}"


PROTOCOLS: dict[str, type[Chat] | type[Continuation]] = {"chat": Chat, "continuation": Continuation}


@dataclass(frozen=True)
class Shot:
    """One worked example of a prompt."""

    sample: Sample
    keywords: tuple[str, ...]
    thought: str


def read_shots(path: Path = SHOTS) -> list[Shot]:
    """The worked examples of `shots.toml`, in order."""
    import tomllib

    tables = tomllib.loads(path.read_text("utf-8"))["sample"]
    return [Shot(s, tuple(t["keywords"]), t["thought"]) for s, t in zip(read_examples(path), tables, strict=True)]


def read_three_parts(text: str, passage: str) -> Reading:
    """Thought, keywords and short answer, each on its label and in this order; anything else is malformed."""
    pattern = r"\s*Thought:\s*(.+?)[,;]?\s*Keywords:\s*(.*?)[,;]?\s*Short answer:\s*(.+?)\s*"
    match = re.fullmatch(pattern, text.replace("**", ""), flags=re.IGNORECASE | re.DOTALL)
    if match is None:
        return Reading("", malformed=True)
    thought, keywords, answer = match.groups()
    return Reading(answer.splitlines()[0].strip(), read_keywords(keywords, passage), thought.strip())


def read_continuation(text: str, passage: str) -> Reading:
    """The first line is the answer, the next one starts with "Keywords:"; without either it is malformed."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if len(lines) < 2 or not lines[0] or not lines[1].lower().startswith("keywords:"):
        return Reading(lines[0] if lines else "", malformed=True)
    return Reading(lines[0], read_keywords(lines[1][len("keywords:") :], passage))


def _user(question: str, passage: str | None) -> str:
    lead = f"This text might help to answer the question: {passage}\n" if passage is not None else ""
    return f"{lead}Question: {question}"


def _line(text: str | None) -> str:
    return " ".join((text or "").split())


def _flat(messages: list[Message]) -> str:
    return "\n\n".join(f"[{message.role}] {message.content}" for message in messages)
