"""A parser by few-shot prompting of a language model: the generated examples nearest to an utterance, nearest last, and then
the utterance (TalkToModel, section 3 and appendix A.2).

Models in this process are held to the grammar of the data set with the numbers of the utterance, and so are servers that
take a grammar. What a server writes without one is read by the grammar, and asked for once more if it is none of its
sentences. A model gives one reading; those after it are the parses of the nearest examples.
"""

import math
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, Protocol

from backend.errors import LanguageModelError, ParseError
from backend.models.language_models import LanguageModel, Message, Reply, Way, grammar_guide
from ttm.language.grammar import grammar_of
from ttm.parsers.calibration import AS_IS, Calibration
from ttm.parsers.examples import Neighbour
from ttm.parsers.proposals import LONGEST, MOST_CANDIDATES, Proposals
from ttm.parsers.understanding import ALONE, DialogueContext, Understanding
from ttm.parsers.utterance_grammar import spoken_grammar
from ttm.tabular.data.schema import FeatureKind, Schema

MOST_TOKENS = 120
Form = Literal["continuation", "chat"]
_QUESTION, _COMMAND = "Question:", "Command:"


class Examples(Protocol):
    def nearest(self, utterance: str, k: int | None = None) -> Iterator[Neighbour]: ...


@dataclass(frozen=True)
class Prompting:
    """`k` examples, 5 or 10 in the paper. `way`: how the model is told the grammar; None: it is not.

    A `continuation` goes on with a text; `chat` is for models that follow instructions.
    """

    k: int = 10
    way: Way | None = "lark"
    form: Form = "continuation"


USUAL = Prompting()


class FewShotParser:
    """A Parser. Safe to use from several threads if its model is."""

    def __init__(
        self,
        schema: Schema,
        examples: Examples,
        model: LanguageModel,
        prompting: Prompting = USUAL,
        calibration: Calibration = AS_IS,
    ) -> None:
        self.model, self.prompting = model, prompting
        self._schema, self._examples = schema, examples
        self._proposals = Proposals(schema, calibration)

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding:
        """The model's reading, then the parses of the nearest examples; none at all if the model gave none.

        The raw score of a reading is the mean probability of its tokens where the model tells it, else, as that of the
        examples, a cosine similarity.
        """
        asked = " ".join(utterance[:LONGEST].split())
        neighbours = list(self._examples.nearest(asked, max(self.prompting.k, 2 * MOST_CANDIDATES)))
        try:
            reply = self._reply(asked, list(reversed(neighbours[: self.prompting.k])))
        except LanguageModelError as error:
            return Understanding(utterance, (), True, f"The language model cannot be asked. {error.message}")
        proposed = [(reply.text, _mean_probability(reply, neighbours))] if reply else []
        proposed += [(each.example.parse, max(0.0, each.similarity)) for each in neighbours if reply]
        return self._proposals.understanding(utterance, proposed, context)

    def _reply(self, asked: str, shown: Sequence[Neighbour]) -> Reply | None:
        """A reply that the grammar reads, at the first or second attempt; a guided model would only say the same again."""
        reply = self._ask(asked, shown)
        problem = self._problem(reply.text)
        if problem and self.prompting.way is None:
            reply = self._ask(asked, shown, (reply.text, problem))
            problem = self._problem(reply.text)
        return None if problem else reply

    def _ask(self, asked: str, shown: Sequence[Neighbour], before: tuple[str, str] | None = None) -> Reply:
        way, chat = self.prompting.way, self.prompting.form == "chat"
        grammar = spoken_grammar(self._schema, asked) if way else ""
        guide = grammar_guide(grammar if chat else one_line(grammar), way) if way else None
        if chat:
            turns = messages(self._schema, asked, shown)
            if before:
                again = _prompt()["again"].format(problem=before[1])
                turns += [Message("assistant", before[0]), Message("user", again)]
            return self.model.chat(turns, max_tokens=MOST_TOKENS, guide=guide)
        # The same prompt would be continued in the same way: the second time without the farther half of the examples.
        text = continuation(asked, shown[len(shown) // 2 :] if before else shown)
        return self.model.complete(text, max_tokens=MOST_TOKENS, stop=["\n"], guide=guide)

    def _problem(self, text: str) -> str:
        """What keeps a reply from being a parse; empty if nothing does."""
        try:
            parse = grammar_of(self._schema).read(text)
        except ParseError as error:
            return error.message
        return "" if parse.steps else "It is empty."


def continuation(asked: str, shown: Sequence[Neighbour]) -> str:
    """The prompt for a model that continues texts; it ends where the command has to begin."""
    examples = [f"{_QUESTION} {each.example.utterance}\n{_COMMAND} {each.example.parse}" for each in shown]
    return "\n\n".join([_prompt()["continuation"], *examples, f"{_QUESTION} {asked}\n{_COMMAND}"])


def messages(schema: Schema, asked: str, shown: Sequence[Neighbour]) -> list[Message]:
    """The prompt for a model that follows instructions: what there is to speak of, and the examples as turns."""
    features = "; ".join(_described(schema, token) for token in schema.by_token)
    classes = ", ".join(f"{number} {name}" for number, name in enumerate(schema.target.classes)) or "none, it is a quantity"
    turns = [Message("system", _prompt()["instruction"].format(features=features, classes=classes).strip())]
    for each in shown:
        turns += [Message("user", each.example.utterance), Message("assistant", each.example.parse)]
    return [*turns, Message("user", asked)]


def _described(schema: Schema, token: str) -> str:
    feature = schema.by_token[token]
    if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
        return f"{token} ({feature.kind})"
    return f"{token} ({' | '.join(dict.fromkeys(feature.value_token(value) for value in feature.values))})"


def one_line(grammar: str) -> str:
    """The same sentences as they stand in a prompt: behind the space after a colon, and at the end of a paragraph, which a
    model is surer of than of the end of all text."""
    return 'start: " " sentence "\\n\\n"\n' + grammar.replace("start:", "sentence:", 1)


def _mean_probability(reply: Reply, neighbours: Sequence[Neighbour]) -> float:
    if reply.log_probability is not None and reply.completion_tokens:
        return math.exp(min(0.0, reply.log_probability / reply.completion_tokens))
    return max(0.0, neighbours[0].similarity) if neighbours else 0.0


@cache
def _prompt() -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
