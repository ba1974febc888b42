"""A question in words, from the tree of what it asks and one set of wordings."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from inspired.lab.questions.wording import Entry, WordingLexicon
from inspired.logical_form.forms import Entity, Literal, Variable
from inspired.parsers.query_graphs.query_graph import Attribute, Bound, Either, Extreme, Thing, Tie
from inspired.sub_questions.naming import VAGUE, Naming, as_noun
from inspired.sub_questions.templates import own_corpus
from inspired.sub_questions.value_words import article, number_words, plural

_IRREGULAR = {"is": "are", "has": "have", "was": "were", "does": "do", "lies": "lie", "goes": "go"}
# Stands for all that an earlier step has found, one by one.
FOR_EACH = Variable("each")
_ITS = re.compile(r"\bits\b")
_NESTED = re.compile(r"(.*?)(\b(?:that|which|who|where|whose|whichever) |$)(.*)", re.DOTALL)
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"))


@dataclass
class Speaker:
    """Chooses among wordings with `rng`; `names` are those of entities, `known` what earlier steps call a variable."""

    lexicon: WordingLexicon
    names: Mapping[str, str]
    rng: random.Random
    known: Mapping[Variable, str] = field(default_factory=dict)

    def question(self, thing: Thing) -> str:
        """The whole question for `thing`."""
        finding = [tie for tie in thing.ties if tie.finds]
        chosen = next((each for each in thing.ties if isinstance(each.other, Extreme)), None)
        tests = [tie for tie in thing.ties if isinstance(tie.other, Bound)]
        if len(thing.ties) == 1 and finding and not thing.kind and (asked := self.asking(finding[0])):
            return sentence(asked)
        noun = self.noun(thing)
        vps = [self.verb_phrase(tie) for tie in (*finding, *tests)]
        if chosen is not None:
            return self.superlative(noun, vps, self.verb_phrase(chosen))
        if len(vps) == 1:
            return self.build("which", noun, vps, thing.several)
        return self.build("comparative" if tests else "two", noun, vps, thing.several)

    def asking(self, tie: Tie) -> str | None:
        """A question of its own for what `tie` leads to, if the wording has one and fits."""
        phrases = self._entry(tie)
        if phrases is None or isinstance(tie.other, Bound | Extreme):
            return None
        entry, is_end, aside = phrases
        known = self.other(tie, entry)
        options = [each for each in entry.ask if is_end and not _clashes(each, known)]
        if not options or (entry.is_ and not entry.amount and self.rng.random() < 0.25):
            return None
        return self._with_asides(self._fill(self.rng.choice(options), known, aside), tie, aside)

    def superlative(self, noun: str, vps: Sequence[str], most: str) -> str:
        if not vps:
            return self.build("superlative_all", noun, [most], several=False)
        return self.build("superlative", noun, [*vps, most], several=False)

    def build(self, construction: str, noun: str, vps: Sequence[str], several: bool) -> str:
        """A sentence of the wording; more verb phrases than it has places for are joined in the first."""
        who = f"{construction}_who" if noun == "person" else construction
        name = f"{who}_several" if several and f"{who}_several" in self.lexicon.wording.sentences else who
        template = self.rng.choice(self.lexicon.wording.sentences[name])
        places = 1 if construction in ("which", "superlative_all") else 2
        opening = vps[: len(vps) - places + 1]
        last = vps[-1] if places == 2 else ""
        filled = template.format(
            noun=noun,
            nouns=plural(noun),
            a_noun=article(noun),
            vp=" and ".join(opening),
            vps=" and ".join(map(conjugated, opening)),
            vp2=last,
            vps2=conjugated(last) if last else "",
        )
        return sentence(filled)

    def noun(self, thing: Thing) -> str:
        if thing.kind is not None:
            return self.kind_noun(thing.kind)
        for tie in thing.ties:
            phrases = self._entry(tie)
            if phrases is not None:
                entry, is_end, _ = phrases
                noun = (entry.object if is_end else entry.subject) or "thing"
                return self.kind_noun(thing.called) if noun in VAGUE and thing.called else noun
        return "thing"

    def kind_noun(self, kind: str) -> str:
        name = self.lexicon.links.graph.names.get(kind) or self.names.get(kind, "thing")
        options = self.lexicon.wording.kinds.get(name.lower())
        return self.rng.choice(options) if options else as_noun(name)

    def description(self, thing: Thing) -> str:
        """A thing without a name, as part of a longer question: "the country that borders France"."""
        if len(thing.ties) == 1 and thing.kind is None and not thing.several and (phrases := self._entry(thing.ties[0])):
            entry, is_end, aside = phrases
            known = self.other(thing.ties[0], entry)
            options = [each for each in entry.of if is_end and not _clashes(each, known)]
            if options and self.rng.random() < 0.7:
                return self._with_asides(self._fill(self.rng.choice(options), known, aside), thing.ties[0], aside)
        noun = self.noun(thing)
        phrases_of_ties = [self.verb_phrase(tie) for tie in thing.ties]
        template = self.rng.choice(self.lexicon.wording.sentences["nested_several" if thing.several else "nested"])
        who = "person" if noun == "person" else noun
        vp, vps = " and ".join(phrases_of_ties), " and ".join(map(conjugated, phrases_of_ties))
        return template.format(noun=who, nouns=plural(who), a_noun=article(who), vp=vp, vps=vps)

    def verb_phrase(self, tie: Tie) -> str:
        """The verb phrase of the thing that `tie` belongs to: "borders France", "has the largest population"."""
        phrases = self._entry(tie)
        if phrases is None:
            return "is told of"
        entry, is_end, aside = phrases
        if isinstance(tie.other, Bound | Extreme):
            return self._figure(entry, tie.other)
        figure = next((each.value for each in tie.attributes if isinstance(each.value, Bound | Extreme)), None)
        known = self.other(tie, entry)
        if figure is not None:
            phrase = self._figure(entry, figure)
        else:
            options = entry.is_ if is_end else entry.has
            noun = (entry.object if is_end else entry.subject) or ""
            # "Which river is a river in ..." says the noun twice; a phrase without it is better where there is one.
            fitting = [each for each in options if not _clashes(each, known)]
            fitting = [each for each in fitting if f" {noun} " not in f"{each} "] or fitting or list(options)
            phrase = self.rng.choice(fitting) if fitting else "is linked to {s}{o}"
        return self._with_asides(self._fill(phrase, known, aside), tie, aside)

    def other(self, tie: Tie, entry: Entry) -> str:
        """The far end of a tie in words."""
        match tie.other:
            case Entity(id_):
                return self.name(id_)
            case Literal(text):
                return text
            case Either(options):
                template = self.rng.choice(self.lexicon.wording.sentences["either"])
                return template.format(*(self.name(each.id) for each in options))
            case Thing() as thing:
                return self.description(thing)
            case Variable() as variable:
                noun = self.known.get(variable)
                construction = "back" if variable != FOR_EACH else "each_first" if noun else "each"
                template = self.rng.choice(self.lexicon.wording.sentences[construction])
                return template.format(noun=noun or "one", nouns=plural(noun or "one"))
            case _:
                return ""

    def name(self, id_: str) -> str:
        name = self.names.get(id_) or self.lexicon.links.graph.names.get(id_, id_)
        return Naming(own_corpus(), {id_: name}).words(Entity(id_))

    def _entry(self, tie: Tie) -> tuple[Entry, bool, Attribute | None] | None:
        """The phrases for a tie, whether the thing is what they call the end, and the attribute that they include."""
        for attribute in tie.attributes:
            entry = self.lexicon.entry(tie.path, attribute.predicate)
            if entry is not None:
                return entry[0], tie.outward == entry[1], attribute
        entry = self.lexicon.entry(tie.path)
        return None if entry is None else (entry[0], tie.outward == entry[1], None)

    def _fill(self, phrase: str, known: str, aside: Attribute | None) -> str:
        name = self.name(aside.value.id) if aside is not None and isinstance(aside.value, Entity) else ""
        # "{v}" is left by figures for their own filling.
        return phrase.replace("{s}", known).replace("{o}", known).replace("{a}", name)

    def _with_asides(self, text: str, tie: Tie, named: Attribute | None) -> str:
        """`text` with the attributes and the year that its words do not include, before a question mark."""
        after = []
        for attribute in tie.attributes:
            if attribute != named and isinstance(attribute.value, Entity):
                options = self.lexicon.wording.attributes.get(attribute.predicate, ("with {a}",))
                after.append(self.rng.choice(options).replace("{a}", self.name(attribute.value.id)))
        if tie.year is not None:
            after.append(self.rng.choice(self.lexicon.wording.sentences["year"]).format(year=tie.year))
        mark = "?" if text.endswith("?") else ""
        return " ".join([text.removesuffix("?"), *after]) + mark

    def _figure(self, entry: Entry, test: Bound | Extreme) -> str:
        sentences = self.lexicon.wording.sentences
        if isinstance(test, Extreme):
            own, size = (entry.most, entry.big) if test.largest else (entry.least, entry.small)
            general = sentences["most" if test.largest else "least"]
            return self.rng.choice(own or general).replace("{size}", size).replace("{amount}", self._amount(entry))
        own, general = (entry.more, sentences["more"]) if test.operator == ">" else (entry.less, sentences["less"])
        amount = self._amount(entry)
        phrase = self.rng.choice(own or general).replace("{a_amount}", article(amount)).replace("{amount}", amount)
        return phrase.replace("{v}", entry.unit.replace("{v}", self.value(test.value)))

    def _amount(self, entry: Entry) -> str:
        return self.rng.choice(entry.amount) if entry.amount else "figure"

    def value(self, literal: Literal) -> str:
        """A number or year as people write it: "5 million", "1,200", "1960"."""
        if literal.datatype == "dateTime":
            return literal.text[:4]
        number = float(literal.text)
        for scale, word in _SCALES:
            if abs(number) >= scale and self.rng.random() < 0.7:
                return f"{number / scale:g} {word}"
        plain = f"{int(number):,}" if number.is_integer() and abs(number) >= 1000 else literal.text
        return plain if "," in plain else number_words(plain)


def conjugated(phrase: str) -> str:
    """Turn a verb phrase about one thing into the plural: "has Paris as its capital" as "have Paris as their capital"."""
    verb, _, rest = phrase.partition(" ")
    # What describes another thing further on has an "its" of its own.
    head, link, nested = _NESTED.match(rest).groups() if rest else ("", "", "")  # type: ignore[union-attr]
    return f"{_several(verb)} {re.sub(_ITS, 'their', head)}{link}{nested}".strip()


def _several(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    if verb.endswith(("shes", "ches", "sses", "xes", "zes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def _clashes(phrase: str, known: str) -> bool:
    """Whether a long description would stand before an "'s"."""
    return ("{s}'s" in phrase or "{o}'s" in phrase) and len(known.split()) > 3


def sentence(words: str) -> str:
    text = re.sub(r"\s+", " ", words).strip().replace(" ,", ",").replace(" ?", "?")
    text = re.sub(r"\bthe ([Tt]he|an?|any|one of|whichever|that|this)\b", r"\1", text)
    return f"{text[0].upper()}{text[1:]}" + ("" if text.endswith(("?", ".")) else "?")
