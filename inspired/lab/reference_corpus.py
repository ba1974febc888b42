"""Load template corpora in the format of the paper's authors, to word questions as theirs are worded.

`template_corpus.json` maps the text of a list of one or two predicates to a list with one noun phrase, such as "the
team(s) that won <PLD>"; `mini_template_corpus.json` maps a restriction predicate to a phrase with `<MINI_PLD>`;
`multi_restriction_corpus.json` maps a main predicate to the restrictions that may go into its `<RSTR>` slot. What
cannot be asked as it stands, "team(s)" and "is/are", is settled to the singular when a phrase is read.
"""

import ast
import json
import re
from pathlib import Path
from typing import Any

from backend.errors import LogicalFormError
from inspired.logical_form.schema import type_of
from inspired.sub_questions.templates import Corpus, PredicateTemplate, Restriction, known_names, type_words

_FILES = ("template_corpus.json", "mini_template_corpus.json", "multi_restriction_corpus.json")
_RELATIVE = re.compile(r"the (?P<noun>[\w' -]+?) (?P<link>that|who|which|whose|where|with|of|in|for) (?P<rest>.*<PLD>.*)")
_WHOLE_VERB = ("that", "who", "which")
_ALTERNATIVE = re.compile(r"\b([\w']+)/([\w']+)\b")


def is_reference_corpus(folder: Path) -> bool:
    return (folder / _FILES[0]).is_file()


def read_reference_corpus(folder: Path) -> Corpus:
    """The corpus in `folder`; only `template_corpus.json` must be there.

    Raises LogicalFormError naming the file that is missing or wrong, and the entry.
    """
    templates = {}
    for key, phrases in _read(folder / _FILES[0]).items():
        predicates = _predicates(key, folder / _FILES[0])
        if not isinstance(phrases, list) or not phrases or "<PLD>" not in str(phrases[0]):
            raise LogicalFormError(f"{folder / _FILES[0]}: {key} needs a list with one phrase that holds <PLD>.")
        templates[" > ".join(predicates)] = _template(str(phrases[0]), predicates)
    mini = _read(folder / _FILES[1]) if (folder / _FILES[1]).exists() else {}
    if (folder / _FILES[2]).exists():
        for key in _read(folder / _FILES[2]):
            _predicates(key, folder / _FILES[2])
    return Corpus(templates, {name: _restriction(str(phrase)) for name, phrase in mini.items()}, names=known_names())


def _read(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LogicalFormError(f"Cannot read the template corpus {path}: {error}.") from error
    if not isinstance(read, dict):
        raise LogicalFormError(f"{path} should hold one JSON object with predicates as its keys.")
    return read


def _predicates(key: str, path: Path) -> tuple[str, ...]:
    try:
        listed = ast.literal_eval(key)
    except (ValueError, SyntaxError) as error:
        raise LogicalFormError(f"{path}: the key {key!r} is not a list of predicates.") from error
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise LogicalFormError(f"{path}: the key {key!r} is not a list of predicates.")
    return tuple(listed)


def _template(phrase: str, predicates: tuple[str, ...]) -> PredicateTemplate:
    phrase = settled(phrase.replace("<RSTR>", " "))
    noun, verb = type_words(type_of(predicates[0])), f"is {phrase}"
    if (match := _RELATIVE.fullmatch(phrase)) is not None:
        noun = match["noun"]
        if match["link"] in _WHOLE_VERB:
            verb = match["rest"]
    in_place = phrase.replace("<PLD>", "what", 1).replace("<PLD>", "it")
    of = f"is what stands in “{phrase.replace('<PLD>', '…')}”, if that is {{s}}"
    return PredicateTemplate(subject=noun, has=verb.replace("<PLD>", "{o}"), object="thing", of=of, ask=f"{{s}} is {in_place}?")


def _restriction(phrase: str) -> Restriction:
    slot = "{o}" if "<MINI_PLD>" in phrase else ""
    words = settled(phrase.replace("<MINI_PLD>", "{o}"))
    return Restriction(after=words or slot or "({o})")


def settled(phrase: str) -> str:
    """The phrase without alternatives: "team(s)" as "team", "is/are" as "is", "country/countries" as "country"."""
    phrase = re.sub(r"\((?:s|es|ies)\)", "", phrase)
    phrase = re.sub(r"``\s*|\s*''", lambda match: "“" if match[0].startswith("`") else "”", phrase)
    phrase = _ALTERNATIVE.sub(r"\1", phrase)
    return re.sub(r"\s+", " ", phrase).replace("( )", "").strip()
