"""What is sent to a model and how its reply is read: two protocols, of which a report always names the one used.

`Chat` is section 3.4: thought, keywords, short answer. `Continuation` is ours, for models too small for that format: plain
text with examples, the answer first and the keywords after it. Where the server can hold replies to a JSON schema or a
grammar, the form is described in the prompt. `faithfulness.method.reading` reads the replies.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol as Interface

from backend.errors import FaithfulnessError
from backend.models.language_models import Guide, LanguageModel, Message, Reply, Way
from faithfulness.method.reading import (
    ReplyReading,
    read_answer,
    read_continuation,
    read_json_parts,
    read_three_parts,
)
from faithfulness.method.sample import Sample, read_examples
from faithfulness.method.whole_replies import ReplyLimits, whole_reply

SHOTS = Path(__file__).parent / "shots.toml"
MAX_ANSWER_TOKENS = 48
MAX_REPLY_TOKENS = 320
# Room for the thoughts of a reasoning model; a small model that runs on gets four times as much as it had.
LONGER_REPLY_TOKENS = 6144
LONGER = 4


@dataclass(frozen=True)
class Exchange:
    """What was sent and what came back; `retries` counts the times the format had to be stated again, `lengthened` those
    that a reply was cut or empty and asked for with more tokens."""

    prompt: str
    reply: Reply
    reading: ReplyReading
    retries: int = 0
    lengthened: int = 0


class Protocol(Interface):
    """`explain` asks for answer and keywords, `answer` for the answer alone; a passage of None is the closed book. `example`
    is the reply that a worked example of the prompt shows."""

    name: str

    def explain(self, model: LanguageModel, question: str, passage: str) -> Exchange: ...

    def answer(self, model: LanguageModel, question: str, passage: str | None) -> Exchange: ...

    def example(self, shot: "Shot") -> str: ...


PARTS_SCHEMA = {
    "type": "object",
    "properties": {
        "thought": {"type": "string"},
        "keywords": {"type": "array", "items": {"type": "string"}},
        "short_answer": {"type": "string"},
    },
    "required": ["thought", "keywords", "short_answer"],
    "additionalProperties": False,
}
# The same three parts for servers that take a grammar only.
PARTS_GRAMMAR = r"""
root ::= "{\"thought\": " string ", \"keywords\": [" (string (", " string)*)? "], \"short_answer\": " string "}"
string ::= "\"" ([^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
""".strip()


class Chat:
    """Section 3.4. A malformed reply is asked for once more with the format stated. With a `way` the reply is one JSON
    object, and the worked examples are too."""

    name = "chat (thought, keywords, short answer)"

    SYSTEM = (
        "You answer a question from a text. Write a thought that explains the answer by the text, then the keywords: the "
        "few exact words of the text that the answer rests on, separated by commas, and then a short answer of a few words."
    )
    FORMAT = "Reply in exactly this form:\nThought: ...\nKeywords: ..., ...\nShort answer: ..."
    LEAD, AFTER_LEAD = "This text might help to answer the question:", "\n"
    AFTER_THOUGHT = "Think no further. Write the keywords and the short answer that follow from this thought."
    BETWEEN = "\n"  # thought, keywords and answer of a worked example
    JSON_FORMAT = 'Reply with exactly this JSON: {"thought": "...", "keywords": ["...", "..."], "short_answer": "..."}'

    def __init__(self, way: Way | None = None, reply_tokens: int | None = None) -> None:
        first = reply_tokens or MAX_REPLY_TOKENS
        self._limits = ReplyLimits(first, max(first, LONGER_REPLY_TOKENS))
        self.guide = Guide(way, PARTS_GRAMMAR if takes_grammar(way) else json.dumps(PARTS_SCHEMA)) if way else None
        self.name = f"{type(self).name}, replies guided by {way}" if way else type(self).name

    def explain(self, model: LanguageModel, question: str, passage: str) -> Exchange:
        return self._ask(model, question, passage)

    def answer(self, model: LanguageModel, question: str, passage: str | None) -> Exchange:
        return self._ask(model, question, passage, answer_only=True)

    def _ask(self, model: LanguageModel, question: str, passage: str | None, answer_only: bool = False) -> Exchange:
        messages = [Message("system", self._system()), *self._shots(), Message("user", self._user(question, passage))]
        reply, lengthened = self._whole(model, messages)
        reading = self._read(reply.text, passage or "", answer_only)
        if not reading.malformed or reply.cut or reply.empty:  # stating the format does not make room
            return Exchange(_flat(messages), reply, reading, lengthened=lengthened)
        again = self.JSON_FORMAT if self.guide else self.FORMAT
        messages += [Message("assistant", reply.text), Message("user", again)]
        reply, longer = self._whole(model, messages)
        reading = self._read(reply.text, passage or "", answer_only)
        return Exchange(_flat(messages), reply, reading, 1, lengthened + longer)

    def after_thought(self, model: LanguageModel, question: str, passage: str, thought: str) -> Exchange:
        """Ask for the answer with a thought already written, which may be cut or changed."""
        user = Message("user", self._user(question, passage))
        written, rest = Message("assistant", f"Thought: {thought}".strip()), Message("user", self.AFTER_THOUGHT)
        messages = [Message("system", self._system()), *self._shots(), user, written, rest]
        reply, lengthened = self._whole(model, messages)
        return Exchange(_flat(messages), reply, self._read(reply.text, passage, answer_only=True), lengthened=lengthened)

    def _whole(self, model: LanguageModel, messages: list[Message]) -> tuple[Reply, int]:
        def ask(limit: int) -> Reply:
            return model.chat(messages, max_tokens=limit, guide=self.guide)

        return whole_reply(ask, self._limits, lambda reply: reply.cut or reply.empty)

    def _system(self) -> str:
        return f"{self.SYSTEM} {self.JSON_FORMAT}" if self.guide else self.SYSTEM

    def _read(self, text: str, passage: str, answer_only: bool) -> ReplyReading:
        return (read_json_parts if self.guide else read_three_parts)(text, passage, answer_only)

    def _shots(self) -> list[Message]:
        turns = []
        for shot in read_shots():
            turns.append(Message("user", self._user(shot.sample.question, shot.sample.passage)))
            turns.append(Message("assistant", self.example(shot)))
        return turns

    def example(self, shot: "Shot") -> str:
        """The reply that a worked example shows."""
        if self.guide:
            parts = {"thought": shot.thought, "keywords": shot.keywords, "short_answer": shot.sample.answers[0]}
            return json.dumps(parts, ensure_ascii=False)
        parts_in_order = [
            f"Thought: {shot.thought}",
            f"Keywords: {', '.join(shot.keywords)}",
            f"Short answer: {shot.sample.answers[0]}",
        ]
        return self.BETWEEN.join(parts_in_order)

    def _user(self, question: str, passage: str | None) -> str:
        lead = f"{self.LEAD} {passage}{self.AFTER_LEAD}" if passage is not None else ""
        return f"{lead}Question: {question}"


class PaperChat(Chat):
    """Section 3.4 to the letter: its system and user messages, and the assistant's message on one line. The worked examples,
    which the paper does not print, and the closed book are ours."""

    name = "chat in the words of the paper"

    SYSTEM = (
        "To answer the given question, first generate a thought that explains the answer according to the text, then "
        "identify the most important words (keywords) from the text that helped you with your thought, and finally provide a "
        "short answer."
    )
    FORMAT = "Thought: [thought process], Keywords: [keywords], Short answer: [answer]"
    LEAD, AFTER_LEAD = "The following text might be useful in answering the question:", " "
    BETWEEN = ", "


# Both end in line breaks that are allowed and not demanded: a small model that must write one runs on, and the stop text,
# which cannot come where none is allowed, would never be met.
ANSWER_GRAMMAR = r"""
root ::= " "? [^ \n] [^\n]* "\n"*
""".strip()
LINES_GRAMMAR = r"""
root ::= " "? [^ \n] [^\n]* "\nKeywords:" [^\n]* "\n"*
""".strip()


class Continuation:
    """Plain continuation of examples: passage, question, answer, keywords; the closed book leaves the passage out.

    With a `way`, which must be one for grammars, a reply can only be those lines. Raises FaithfulnessError for another.
    """

    name = "continuation (answer, then keywords)"

    def __init__(self, way: Way | None = None, reply_tokens: int | None = None) -> None:
        self._first = reply_tokens or MAX_ANSWER_TOKENS
        if way is not None and not takes_grammar(way):
            raise FaithfulnessError(
                f'guide = "{way}" is for the chat protocol; continuation takes one of {", ".join(GRAMMAR_WAYS)}, or none.'
            )
        self._lines, self._answer = (Guide(way, each) if way else None for each in (LINES_GRAMMAR, ANSWER_GRAMMAR))
        self.name = f"{Continuation.name}, replies guided by {way}" if way else Continuation.name

    def explain(self, model: LanguageModel, question: str, passage: str) -> Exchange:
        def read(reply: Reply) -> ReplyReading:
            return read_continuation(reply.text, passage)

        return self._ask(model, self._prompt(question, passage), 2 * self._first, ["\n\n", "Passage:"], self._lines, read)

    def answer(self, model: LanguageModel, question: str, passage: str | None) -> Exchange:
        def read(reply: Reply) -> ReplyReading:
            return read_answer(reply.text)

        return self._ask(model, self._prompt(question, passage), self._first, ["\n"], self._answer, read)

    def _ask(
        self,
        model: LanguageModel,
        prompt: str,
        first: int,
        stop: list[str],
        guide: Guide | None,
        read: Callable[[Reply], ReplyReading],
    ) -> Exchange:
        def ask(limit: int) -> Reply:
            return model.complete(prompt, max_tokens=limit, stop=stop, guide=guide)

        # A small model that runs on behind what can be read is cut all the time; that costs nothing.
        limits = ReplyLimits(first, LONGER * first)
        reply, lengthened = whole_reply(ask, limits, lambda reply: reply.cut and read(reply).malformed)
        return Exchange(prompt, reply, read(reply), lengthened=lengthened)

    def _prompt(self, question: str, passage: str | None) -> str:
        shown = [self._shot(shot, with_passage=passage is not None) for shot in read_shots()]
        asked = f"Passage: {_line(passage)}\n" if passage is not None else ""
        return "\n\n".join([*shown, f"{asked}Question: {_line(question)}\nAnswer:"])

    def _shot(self, shot: "Shot", with_passage: bool) -> str:
        start = f"Passage: {_line(shot.sample.passage)}\n" if with_passage else ""
        shown = self.example(shot) if with_passage else shot.sample.answers[0]
        return f"{start}Question: {_line(shot.sample.question)}\nAnswer: {shown}"

    def example(self, shot: "Shot") -> str:
        """The reply that a worked example shows."""
        return f"{shot.sample.answers[0]}\nKeywords: {', '.join(shot.keywords)}"


GRAMMAR_WAYS: tuple[Way, ...] = ("grammar", "guided_grammar", "structured_grammar")


def takes_grammar(way: Way | None) -> bool:
    """Whether a server takes a grammar in this way; else it is a JSON schema."""
    return way in GRAMMAR_WAYS


PROTOCOLS: dict[str, type[Chat] | type[Continuation]] = {"chat": Chat, "continuation": Continuation, "paper": PaperChat}


@dataclass(frozen=True)
class Shot:
    """One worked example of a prompt."""

    sample: Sample
    keywords: tuple[str, ...]
    thought: str


@cache
def read_shots(path: Path = SHOTS) -> tuple[Shot, ...]:
    """The worked examples of `shots.toml`, in order."""
    import tomllib

    tables = tomllib.loads(path.read_text("utf-8"))["sample"]
    return tuple(Shot(s, tuple(t["keywords"]), t["thought"]) for s, t in zip(read_examples(path), tables, strict=True))


def _line(text: str | None) -> str:
    return " ".join((text or "").split())


def _flat(messages: list[Message]) -> str:
    return "\n\n".join(f"[{message.role}] {message.content}" for message in messages)
