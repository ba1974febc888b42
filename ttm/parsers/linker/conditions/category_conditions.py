"""Words that say what a row is or has (`unemployed`, `not black`, `furniture loans`): conditions, or changes when supposed."""

from ttm.parsers.linker.conditions.suppositions import is_hypothetical
from ttm.parsers.linker.schema_linking.grounding import SurfacePart
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.schema_linking.names import NameRole, truth_values
from ttm.parsers.linker.schema_linking.reading import SENTENCE_ENDS, UtteranceItem, UtteranceReading
from ttm.parsers.linker.words.lexicon import lexicon
from ttm.tabular.data.schema import Feature

SUPPOSED = frozenset("were was had did became become becomes owned rented".split())
PASSING = frozenset(
    "he she they it these those a an the all also no not any in of on at to be being been have having get got "
    "longer instead only both their <b> <v> for own with and or from living never such people person without "
    "actually currently".split()
)
GAINED = frozenset(
    "get gets got obtain obtains obtained acquire acquired acquires receive receives received gain gained".split()
)
EQUATING = frozenset("is are was were = equals equal to set being of value ==".split())
STATES = frozenset("unemployed skilled married employed retired divorced widowed".split())  # no verbs
AFTER_NO = frozenset("and how what which do does predict rows people customers".split())  # `overtime no, how many`
YES = frozenset({"true", "yes", "1", "one"})
NO = frozenset({"false", "no", "0", "zero", "none"})


def _opposite(text: str) -> str:
    name, _, value = text.rpartition(" ")
    return f"{name} {'false' if value == 'true' else 'true'}"


def _value(mention: SchemaMention, feature: Feature, denied: bool, supposed: bool) -> str:
    """What a mention says of its column; what is supposed is one value, never all but one."""
    name = mention.name
    if name.role is NameRole.VALUE:
        return f"{'not ' if denied and not supposed else ''}{name.value}"
    no, yes = truth_values(feature) or ("false", "true")
    return no if denied != (name.negative != mention.contrary) else yes


class Properties:
    """Reads the boolean and categorical mentions of an utterance. `claimed`: items that operations have as their object."""

    def __init__(self, reading: UtteranceReading, claimed: set[int]) -> None:
        self._reading, self._claimed = reading, claimed

    def read(self) -> list[SurfacePart]:
        parts = [
            part
            for at, item in enumerate(self._reading.items)
            if item.word in ("<b>", "<v>") and at not in self._claimed and not self._is_dismissed(at)
            for part in self._both(at, self._part(at, item))
        ]
        return parts + self._others(parts)

    def _others(self, parts: list[SurfacePart]) -> list[SurfacePart]:
        """`those with a guarantor and those without one`: the second group, said without the name."""
        words = self._reading.words
        for at, word in enumerate(words[:-1]):
            named = [part for part in parts if part.end <= at and part.text.endswith((" true", " false"))]
            if word == "without" and words[at + 1] in ("it", "one", "them", "that") and named:
                return [SurfacePart(at, at + 2, _opposite(named[-1].text))]
        return []

    def _both(self, at: int, part: SurfacePart) -> list[SurfacePart]:
        """`with and without a guarantor`: those who have one, and those who have none."""
        first = (self._denial(at) or 0) - 2
        if first < 0 or self._reading.words[first : first + 2] not in (["with", "and"], ["with", "or"]):
            return [part]
        return (
            [SurfacePart(first, first + 1, _opposite(part.text)), part] if part.text.endswith((" true", " false")) else [part]
        )

    def _is_dismissed(self, at: int) -> bool:
        """`instead of owning`, `rather than white`: named only as what it is not."""
        before = [
            word for word in self._reading.words[max(0, at - 4) : at] if word not in ("a", "an", "being", "having", "the")
        ]
        return before[-2:] in (["instead", "of"], ["rather", "than"])

    def _part(self, at: int, item: UtteranceItem) -> SurfacePart:
        mention = item.mention
        assert mention is not None
        assert item.feature is not None
        feature, name = item.feature, mention.name
        end, stated = self._stated(at)
        denied_at = self._denial(at)
        inside = any(word in lexicon().groups["negation.words"] for word in item.spoken[1:])
        denied = ((denied_at is not None) + (stated is False) + inside) % 2 == 1
        start = at if denied_at is None else denied_at
        verb_at = self._supposing_verb(at, item)
        doubt = 0.0 if mention.coverage >= 0.6 else 0.3
        verb = "filter" if verb_at is None else "change"
        text = f"{verb} {feature.token} {_value(mention, feature, denied, supposed=verb_at is not None)}"
        others = tuple(
            text.replace(feature.token, other.feature.token, 1)
            for other in mention.names[1:]
            if other.feature is not None and other.role is NameRole.PROPERTY and name.role is NameRole.PROPERTY
        )
        question = f"Do you mean {feature.label}?" if mention.is_ambiguous else ""
        if name.role is NameRole.VALUE and verb_at is None:
            start = min(start, self._named_before(start, feature))
        return SurfacePart(
            min(start, verb_at if verb_at is not None else start), end, text, 0.5 if others else doubt, others, question
        )

    def _named_before(self, start: int, feature: Feature) -> int:
        """Where the column is named whose value follows: `whose city is Athens`."""
        at = start - 1
        while at >= 0 and start - at < 5 and self._reading.words[at] in EQUATING:
            at -= 1
        return at if at >= 0 and self._reading.words[at] == "<g>" and self._reading.items[at].feature is feature else start

    def _denial(self, at: int) -> int | None:
        """The item that denies the property at `at`, with nothing but small words between."""
        groups, words = lexicon().groups, self._reading.words
        position = at - 1
        if words[at - 2 : at] == ["other", "than"] or words[at - 3 : at - 1] == ["other", "than"]:
            return at - 2
        while position >= 0 and at - position < 6:
            if words[position] in groups["negation.words"]:
                return position
            if words[position - 1 : position + 1] == ["other", "than"]:
                return position - 1
            if words[position] not in groups["negation.between"] and not words[position].endswith("ed"):
                return None
            position -= 1
        return None

    def _is_past_verb(self, at: int, item: UtteranceItem) -> bool:
        """`if they owned a house`: the name itself is said as a verb in the past."""
        if not item.spoken or not item.spoken[0].endswith("ed") or item.spoken[0] in STATES or at == 0:
            return False
        groups, before = lexicon().groups, self._reading.words[at - 1]
        return before in groups["reference.pronouns"] or before in groups["entity"] or before in ("not", "you")

    def _is_said_of_known(self, at: int) -> bool:
        """`if these people are not ...`, `if person 8 is ...`: of rows that are known anyway it can only be a supposition."""
        words = self._reading.words
        if "if" not in words[max(0, at - 5) : at]:
            return False
        opened = max(index for index in range(max(0, at - 5), at) if words[index] == "if")
        subject = words[opened + 1 : at]
        earlier = words[:opened]
        known = "<i>" in subject or "these" in subject or "those" in subject
        pronoun = any(word in ("they", "he", "she") for word in subject) and ("these" in earlier or "<i>" in earlier)
        return known or pronoun

    def _is_assumed(self, at: int) -> bool:
        """`assuming the people to be single`."""
        return any(
            word.startswith(("assum", "suppos", "imagin", "consider", "pretend"))
            for word in self._reading.words[max(0, at - 7) : at]
        )

    def _stated(self, at: int) -> tuple[int, bool | None]:
        """`... is true`, `... = 0` after the property: the end of that and what it says."""
        words = self._reading.words
        following = words[at + 1 : at + 4]
        if following[:1] in (["holds"], ["applies"]):
            return at + 2, True
        if following[:2] in (["does", "not"], ["did", "not"], ["do", "not"]) and following[2:] in (["hold"], ["apply"]):
            return at + 4, False
        position = at + 1
        while position < len(words) and words[position] in EQUATING:
            position += 1
        if position < len(words):
            text = self._reading.items[position].token.text
            ends = position + 1 == len(words) or not words[position + 1][:1].isalpha() or words[position + 1] in AFTER_NO
            if text in YES | NO and (position > at + 1 or text in ("true", "false", "yes") or (text == "no" and ends)):
                return position + 1, text in YES
        return at + 1, None

    def _supposing_verb(self, at: int, item: UtteranceItem) -> int | None:
        """The item of the verb that makes this a supposition (`if they were ...`, `changed to ...`), if there is one.

        A value selects rows (`people who are married`) unless such a verb stands before it. The search goes back word by word
        and stops at the first that could not stand between the two.
        """
        words = self._reading.words
        if {"was", "were"} & set(item.spoken) and "if" in words[max(0, at - 3) : at]:
            return at
        if self._is_past_verb(at, item) and is_hypothetical(self._reading, at):
            return at
        position = at - 1
        while position >= 0 and at - position < 9 and words[position] not in SENTENCE_ENDS:
            if self._supposes(position) or self._turns(position, at):
                return position
            word = words[position]
            passes = word in PASSING or word in ("<g>", "<f>", "to") or word in lexicon().groups["entity"]
            if not passes and not word.endswith("ed"):
                return None
            position -= 1
        return None

    def _supposes(self, position: int) -> bool:
        """Whether this verb says that something is otherwise than it is: `if they were`, `would be`, `suppose it to be`."""
        words = self._reading.words
        word, before = words[position], words[position - 1 : position]
        if word in SUPPOSED and is_hypothetical(self._reading, position):
            return True
        if word == "be" and before == ["would"] and "if" in words[max(0, position - 9) : position]:
            return True
        if word == "be" and before == ["to"] and self._is_assumed(position):
            return True
        if word in ("are", "is") and self._is_said_of_known(position):
            return True
        return word in GAINED and "if" in words[max(0, position - 5) : position]

    def _turns(self, position: int, at: int) -> bool:
        """Whether this verb changes what it names into the value at `at`: `switch to`, `become`, `set smoker to no`."""
        words = self._reading.words
        word, between = words[position], words[position + 1 : at]
        if word in ("become", "became", "becomes", "becoming"):
            return True
        if word in lexicon().groups["changes.set"] and not {"to", "into", "from", "become"}.isdisjoint(between):
            return True
        return word in ("set", "change", "switch", "make", "flip", "turn", "toggle") and self._stated(at)[1] is not None
