"""`#entity1#`, `#entity2#`, ... in place of entities, in texts and logical forms alike (section 2 and appendix A.2).

The paper numbers entities as the gold logical form does, which nobody knows when a question is asked. Here they are
numbered as they come up in what the model is given, so that training and use are the same.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from inspired.logical_form.forms import Entity, LogicalForm, Term, Variable, triples
from inspired.logical_form.schema import is_kind
from inspired.logical_form.sparql_reader import ANSWER, HEADERS, header, read_compact
from inspired.logical_form.sparql_writer import compact_patterns, write_compact
from inspired.logical_form.substitution import delexicalise, substitute

PLACEHOLDER = re.compile(r"#entity(\d+)#")
# The filter on the language of text, alone; the paper has short forms only for it and one excluded term.
LANGUAGE = "<sparql-header-0>"
_LANGUAGE_TEXT = compact_patterns(header(Variable("c"))[1:])
_SECOND = "<sparql-header-2>"
_SECOND_TEXT = compact_patterns(header(HEADERS["sparql-header-2"])[:1]) + f" {LANGUAGE}"


@dataclass
class Placeholders:
    """The numbers of entities so far. `names` are those of the entities that may be replaced, by id."""

    names: Mapping[str, str]
    ids: list[str] = field(default_factory=list)

    def of(self, id_: str) -> str:
        """The placeholder of an entity, a new one if it has none yet."""
        if id_ not in self.ids:
            self.ids.append(id_)
        return f"#entity{self.ids.index(id_) + 1}#"

    def in_text(self, text: str) -> str:
        """`text` with each name replaced, the longest first where names overlap, whatever their case."""
        owners: dict[str, str] = {}
        for id_, name in self.names.items():
            owners.setdefault(_key(name), id_)
        listed = sorted((re.escape(name) for name in owners if name), key=len, reverse=True)
        if not listed:
            return text
        pattern = rf"(?<!\w)(?:{'|'.join(listed)})(?!\w)".replace(r"\ ", r"\s+")
        return re.sub(pattern, lambda match: self.of(owners[_key(match[0])]), text, flags=re.IGNORECASE)

    def unmentioned(self) -> str:
        """The named entities that have no number yet, each with a new one and its name; empty if there are none."""
        left = [id_ for id_ in self.names if id_ not in self.ids]
        return "".join(f" | {self.of(id_)} {self.names[id_]}" for id_ in left)

    def in_form(self, compact: str, ids: tuple[str, ...]) -> str:
        """A compact form in which `#entity1#` stands for `ids[0]`, numbered again from 1.

        Entities without a name, such as the kinds of things that restrict, stand there by their id. One that `ids` does
        not tell keeps a number of its own.
        """

        def renumbered(match: re.Match[str]) -> str:
            number = int(match[1])
            id_ = ids[number - 1] if 0 < number <= len(ids) else match[0]
            return self.of(id_) if id_ in self.names or id_.startswith("#") else _written(id_)

        return PLACEHOLDER.sub(renumbered, compact)

    def restored(self, text: str) -> str:
        """`text` with names in place of placeholders; of one that stands for nothing, the placeholder."""

        def name(match: re.Match[str]) -> str:
            number = int(match[1])
            return self.names.get(self.ids[number - 1], match[0]) if 0 < number <= len(self.ids) else match[0]

        return PLACEHOLDER.sub(name, text)


def write_form(form: LogicalForm, placeholders: Placeholders) -> str:
    """The compact form of a query whose answer is ?x, with the numbers of `placeholders`; see `read_form`."""
    text, (_, ids) = write_compact(form), delexicalise(form)
    text = re.sub(rf"^{_SECOND}", _SECOND_TEXT, text).replace(_LANGUAGE_TEXT, LANGUAGE, 1)
    return re.sub(rf"^{re.escape(_SECOND_TEXT)}", _SECOND, placeholders.in_form(text, ids))


def read_form(text: str, ids: Iterable[str], spellings: Iterable[str] = ()) -> LogicalForm:
    """The inverse of `write_form`. Raises LogicalFormError for a text that cannot be read."""
    return read_compact(text.replace(LANGUAGE, _LANGUAGE_TEXT), tuple(ids), spellings)


def asking_for_x(form: LogicalForm) -> LogicalForm:
    """The form as SELECT DISTINCT ?x, which the compact form stands for; the answers are the same set."""
    swapped: dict[Term, Term] = {form.answer: ANSWER, ANSWER: form.answer}
    renamed = substitute(form, lambda term: swapped.get(term, term))
    return replace(renamed, answer=ANSWER, distinct=True)


def kinds_of(form: LogicalForm) -> frozenset[str]:
    """The kinds of things that restrict, such as Country: words of the schema that a model has to know by itself."""
    held: set[str] = set()
    elsewhere: set[str] = set()
    for each in triples(form):
        ends = {end.id for end in (each.subject, each.object) if isinstance(end, Entity)}
        (held if is_kind(each.predicate) else elsewhere).update(ends)
    return frozenset(held - elsewhere)


def _written(id_: str) -> str:
    return f"<{id_}>" if "://" in id_ else f"ns:{id_}"


def _key(name: str) -> str:
    return " ".join(name.lower().split())
