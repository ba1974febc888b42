"""What a reviewer needs to know of the parse language: is a parse valid for its data set, and how does it read?

Data sets are known by name: the demos, and the one that Parley was started with. Of any other only the form is checked.
"""

import difflib
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from backend.errors import ParleyError, ParseError
from backend.program.settings import Settings
from backend.storage.collected import KNOWLEDGE_BASE
from backend.text.storable import storable

if TYPE_CHECKING:
    from ttm.language.grammar import Grammar
    from ttm.tabular.data.dataset import Dataset

JOINERS = frozenset({"and", "or", "versus"})


@cache
def first_words() -> tuple[str, ...]:
    """What a parse can begin with, whatever its data set; Parley's own operations included."""
    from ttm.language.operations.registry import FORMS

    rows = ("filter", "labelfilter", "predictionfilter", "probabilityfilter", "previousfilter", "change", "instance")
    forms = FORMS.values()
    rules = (rule.text for form in forms for rule in form.rules.values())
    codes = (word[1] for text in rules if (word := re.match(r'[\s(]*"(\w+)', text)))
    shapes = (shape.split()[0] for form in forms for shape in form.shapes)
    return tuple(dict.fromkeys((*rows, *codes, *shapes)))


@dataclass(frozen=True)
class KnownDataset:
    """What is known of a data set: its grammar, or why there is none."""

    grammar: "Grammar | None"
    why_not: str = ""


@dataclass(frozen=True)
class ParseReading:
    """How a parse reads in plain words (empty where its data set is not at hand), or what is wrong with it."""

    words: str = ""
    problem: str = ""


class ParseReader:
    """Reads parses of the data sets that can be loaded here, each loaded once. Safe to share between threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._known: dict[str, KnownDataset] = {}
        self._lock = threading.Lock()

    def check(self, parse: str, dataset: str) -> str:
        """The parse in its usual spelling. Raises ParseError saying where it leaves the language and what is valid."""
        storable(parse, "parse")
        if "\n" in parse.strip() or "\r" in parse.strip():
            raise ParseError("A parse stands on one line; take the line break out.")
        if dataset.startswith(KNOWLEDGE_BASE):
            return _check_query(parse)
        usual = _check_form(parse) if (grammar := self.known(dataset).grammar) is None else str(grammar.read(parse))
        if not _words(usual):
            raise ParseError("The parse is empty; write for example: filter id 5 and predict [e].", position=0)
        return usual

    def read(self, parse: str, dataset: str) -> ParseReading:
        """How the parse reads, or what `check` has against it."""
        grammar = self.known(dataset).grammar
        try:
            usual = self.check(parse, dataset)
        except ParleyError as error:
            return ParseReading(problem=error.message)
        if dataset.startswith(KNOWLEDGE_BASE):
            return ParseReading(self._steps_in_words(usual, dataset))
        if grammar is None:
            return ParseReading()
        from ttm.language.describe_parse import parse_words

        return ParseReading(parse_words(grammar.read(usual), grammar.schema).removeprefix("You asked: "))

    def _steps_in_words(self, query: str, dataset: str) -> str:
        """The steps as questions; with names where the knowledge base is the one of this app, else with ids."""
        from inspired.dialogue.dialogue import start
        from inspired.dialogue.session import open_assistant, silent
        from inspired.knowledge_base.names import names_of
        from inspired.sub_questions.labels import to_look_up

        assistant, dialogue = open_assistant(self._settings), start(query, {})
        if dataset == f"{KNOWLEDGE_BASE}{assistant.label}"[:200]:
            names = names_of(assistant.parts(silent).kb, sorted(to_look_up(dialogue.current)))
            dialogue = start(query, {id_: name for id_, name in names.items() if name != id_})
        return " Then: ".join(dialogue.in_words().questions)

    def known(self, dataset: str) -> KnownDataset:
        with self._lock:
            if dataset not in self._known:
                self._known[dataset] = self._load(dataset)
            return self._known[dataset]

    def _load(self, name: str) -> KnownDataset:
        from ttm.language.grammar import grammar_of

        if name.startswith(KNOWLEDGE_BASE):
            return KnownDataset(None)
        try:
            load = self._own(name) or _demo(name)
            if load is None:
                return KnownDataset(None, f"The data set {name} is not at hand here, so only the form of a parse is checked.")
            return KnownDataset(grammar_of(load().schema))
        except ParleyError as error:
            return KnownDataset(
                None, f"The data set {name} does not load, so only the form of a parse is checked. {error.message}"
            )

    def _own(self, name: str) -> "Callable[[], Dataset] | None":
        """How to load the data set that Parley was started with, if it has this name."""
        from ttm.tabular.data.dataset import dataset_folder, dataset_from_csv, load_dataset
        from ttm.tabular.data.dataset_config import read_config

        data, target, config, folder = (getattr(self._settings, key) for key in ("data", "target", "config", "dataset"))
        if data is not None:
            if data.stem != name:
                return None
            return lambda: dataset_from_csv(data, target or read_config(config, data=data.name).target, config)
        return partial(load_dataset, folder) if dataset_folder(folder).resolve().name == name else None


def _check_query(text: str) -> str:
    """A query to a knowledge base on one line. Raises LogicalFormError saying what of it cannot be read."""
    from inspired.dialogue.dialogue import start
    from inspired.logical_form.sparql_writer import write_on_one_line

    return write_on_one_line(start(text, {}).form)


def _demo(name: str) -> "Callable[[], Dataset] | None":
    from ttm.tabular.data.dataset import DEMOS, load_dataset

    return partial(load_dataset, name) if name in DEMOS else None


def _check_form(parse: str) -> str:
    words = _words(parse)
    if not words:
        return "[e]"
    if words[0] not in first_words():
        near = difflib.get_close_matches(words[0], first_words(), n=1)
        hint = f"did you mean {near[0]}?" if near else f"it begins with one of {', '.join(first_words())}."
        raise ParseError(f'No parse begins with "{words[0]}"; {hint}', position=0, expected=first_words())
    if words[-1] in JOINERS:
        raise ParseError(f'Something is missing after "{words[-1]}" at the end.')
    for before, after in pairwise(words):
        if before in JOINERS and after in JOINERS:
            raise ParseError(f'Something is missing between "{before}" and "{after}".')
    return " ".join([*words, "[e]"])


def _words(parse: str) -> list[str]:
    return re.sub(r"\[e\]\s*$", "", parse.strip().lower()).split()
