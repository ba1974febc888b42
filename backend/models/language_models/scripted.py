"""A model for tests, whose replies are a function of what it is asked."""

from collections.abc import Callable, Sequence

from backend.models.language_models.seam import Guide, Message, Reply


class ScriptedModel:
    """A fake: `answer` maps the whole prompt (messages joined by blank lines) to the text of the reply. It ignores guides."""

    def __init__(self, answer: Callable[[str], str], name: str = "scripted") -> None:
        self.name = name
        self.prompts: list[str] = []
        self._answer = answer

    def chat(
        self, messages: Sequence[Message], *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None
    ) -> Reply:
        return self.complete("\n\n".join(m.content for m in messages), max_tokens=max_tokens, stop=stop)

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None) -> Reply:
        self.prompts.append(prompt)
        text = self._answer(prompt)
        for mark in stop:
            text = text.split(mark)[0]
        return Reply(text, len(prompt.split()), len(text.split()))
