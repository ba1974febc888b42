"""`#entity#` in place of names, so that a question is not like another one only because both name Paris (section 4.2)."""

import re
from calendar import month_name
from collections import defaultdict
from collections.abc import Iterable

from inspired.lab.metrics.dialogues import MeasuredDialogue, MeasuredSubQuestion

MASK = "#entity#"
_NUMBERED = re.compile(r"#entity\d+#")
_VARIABLE = re.compile(r"\?\w+")
# What the paper's templates put around a phrase (appendix A.3): it varies as names do, but names nothing.
_FRAME = frozenset("what who which is are is/are was were of that these those each entity entities the a an".split())
_FRAME |= frozenset(map(str.lower, month_name))
_LINKS = frozenset(("of", "the"))


class Masking:
    """Finds the names in the texts of a dialogue: those its record gives, else what varies in its templates.

    The published files give no names. There, templates of the same sub-logical form differ in little but names: a run
    of words that not all of them share, and that has a capital, is taken for one; where there is no other template to
    compare with, any run of words with capitals. Numbers are no names.
    """

    def __init__(self, dialogues: Iterable[MeasuredDialogue]) -> None:
        templates: dict[str, set[str]] = defaultdict(set)
        for dialogue in dialogues:
            if not dialogue.names:
                for each in _with_forms(dialogue):
                    templates[form_key(each.form)].add(each.template)
        self._shared = {key: _shared_words(texts) for key, texts in templates.items() if len(texts) > 1}

    def names(self, dialogue: MeasuredDialogue) -> tuple[str, ...]:
        """Longest first, so that no name is masked by a part of it."""
        result = set(dialogue.names) or {name for each in _with_forms(dialogue) for name in self._varying(each)}
        return tuple(sorted(result, key=lambda name: (-len(name), name)))

    def masked(self, text: str, names: Iterable[str]) -> str:
        """`text` with each of `names`, in capitals or not, replaced by `#entity#`."""
        listed = [re.escape(name) for name in names]
        if not listed:
            return text
        return re.sub(rf"(?<!\w)(?:{'|'.join(listed)})(?!\w)", MASK, text, flags=re.IGNORECASE)

    def _varying(self, each: MeasuredSubQuestion) -> list[str]:
        shared = self._shared.get(form_key(each.form))
        result = [] if shared is None else _names_outside(each.template, shared)
        return result or _names_outside(each.template, frozenset(filter(_is_plain, map(_bare, each.template.split()))))


def form_key(form: str) -> str:
    """A sub-logical form whichever entities it names and however its variables are called."""
    result: dict[str, str] = {}
    masked = _NUMBERED.sub(MASK, form)
    return _VARIABLE.sub(lambda match: result.setdefault(match[0], f"?{len(result)}"), masked)


def _with_forms(dialogue: MeasuredDialogue) -> list[MeasuredSubQuestion]:
    return [each for each in (*dialogue.gold, *dialogue.predicted) if each.form and each.template]


def _shared_words(templates: Iterable[str]) -> frozenset[str]:
    return frozenset.intersection(*(frozenset(map(_bare, each.split())) for each in templates))


def _names_outside(template: str, shared: frozenset[str]) -> list[str]:
    """The runs of other words. A link between two of them belongs to both: Lord of the Rings."""
    outside = [(word, _bare(word) not in shared) for word in template.split()]
    runs: list[list[str]] = [[]]
    for index, (word, is_name) in enumerate(outside):
        if runs[-1] and runs[-1][-1].endswith((")", "”")) and word.startswith(("(", "“")):
            runs.append([])
        if is_name or (runs[-1] and _links(outside, index)):
            runs[-1].append(word)
        else:
            runs.append([])
    return [name for name in map(_name, runs) if not all(map(_is_plain, name.split()))]


def _links(outside: list[tuple[str, bool]], index: int) -> bool:
    rest = outside[index:]
    while rest and not rest[0][1] and rest[0][0] in _LINKS:
        rest = rest[1:]
    return bool(rest) and rest[0][1]


def _name(run: list[str]) -> str:
    while run and _bare(run[0]).lower() in _FRAME:
        run = run[1:]
    while run and _bare(run[-1]).lower() in _FRAME:
        run = run[:-1]
    return _bare(" ".join(run))


def _is_plain(word: str) -> bool:
    return word.lower() == word


def _bare(word: str) -> str:
    return word.strip("?,;:()[]\"'“”‘’")
