"""What a message asks of the importance of columns, whatever a reading makes of it: the corpus has few words for that.

The rank of one column, two columns weighed against each other, so many of the most important ones.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ttm.language.parse import Parse, Selection, surface
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken

NAMED = 0.9  # share of a column's name from which it is named
ONE_COLUMN = ("effect ", "ice ", "otherwise ", "crossing ", "dependence ")
OF_COLUMNS = ("important ", "compare ", "contrast ", "explain features", "explain shap", "interact", *ONE_COLUMN)
ROUGHLY = ("explain features", "explain shap", "important all", "contrast ", "statistic ", *ONE_COLUMN)
OF_ONE_ROW = (*ROUGHLY, "predict", "likelihood", "show", "label")
OF_ALL = ("explain features", "important all")
_RANKS = frozenset({"rank", "ranks", "ranked", "ranking"})
_PLACED = re.compile(
    r"\b(?:what|which) (?:(?:place|position|spot)\b|number (?:does|is|has)\b)|\bplaced (?:relative|compared|among)\b"
    r"|\bmost important (?:\w+ )?, (?:the )?2 most important\b|\b1 , 2 ,(?: or)? 3\b|\bplaces? among\b"
    r"|\bmost important .*\bat (?:what|which) number\b(?! of\b)|\bfrom (?:the )?most (?:important )?to (?:the )?least\b"
)
_MATTERS = re.compile(
    r"\bimportan\w*|\bmatter(?:s|ed)?\b|\bcounts? (?:for )?(?:more|less)\b|\binfluen\w+|\bdecisive\b|\brole\b|\bweight\b"
    r"|\bcontribut\w+|\bdrivers?\b|\brel(?:y|ies|ied)\b|\battribut\w+|\bbigger deal\b|\bweight(?:ier|ed) than\b"
    r"|\b(?:rest|hang|hing|depend|play|figure|weigh|driv|stock)(?:e?s|ed|en|ing|e)?(?: \w+)? more\b"
    r"|\bgovern\w*|\boutrank\w*|\bsurpass\w*|\bbeats?\b|\bprevail\w*|\bmore of a say\b|\bmore stock\b|\bplays? into\b"
    r"|\b(?:more|greater|bigger|larger|stronger|less) (?:impact|bearing|effect|sway|pull)\b"
    r"|\b(?:strong|big|large|great)\w* (?:a )?factor\b|\b(?:cares?|cared|looks?|looked|leans?|leaned) more\b"
    r"|\bmore attention\b|\boutweigh\w*|\bgo(?:es|ing|ne)? (?:more )?by\b"
)
# How much a column does to the prediction for one row, of which the corpus has no message: of 11 that call a row by its id and
# have such words, none asks how much one column counts, and what they ask (changes, counterfactuals, a prediction) stays.
_DEGREE = re.compile(
    r"\bhow (?:\w+ )?(?:strong|heav|big|large|great|much|decisive|influential|significant|important|central|crucial|far)\w*"
    r"|\b(?:to|in) (?:what|which) (?:degree|extent)\b|\bhow hard\b|\bwhat (?:sort|kind|amount) of\b"
    r"|\bquantif\w*|\bquantity (?:the|of the) (?:influence|importance)\b|\bmeasure\b"
)
_WORKS = re.compile(
    r"\bimportan\w*|\binfluenc\w+|\bweigh\w*|\bcounts?(?:ed)?\b|\bmatter\w*|\bpart\b|\brole\b|\bsay\b|\bdriv\w+|\bcontribut\w+"
    r"|\bhing\w+|\bdepend\w*|\brel(?:y|ies|ied)\b|\bstock\b|\bfigures?\b|\bplay\w* (?:a |into|in)|\bdown to\b|\bimpact\w*"
    r"|\bbearing\b|\battribut\w+|\baffect\w*|\bshap(?:e|es|ed|ing)\b|\bdecid\w+|\bsway\w*|\bdecisive\b|\bleans?\b|\brests?\b|\bhangs?\b"
    r"|\bdraws? (?:up)?on\b|\b(?:come|comes|came|go|goes|went) into\b|\bgovern\w*|\bdetermin\w*"
)
_SHARE = re.compile(
    r"\b(?:importance|attribution|contribution|weight|share|significance)s? (?:\w+ )?"
    r"(?:of|to|given|that|carried|does|do|is|has|had|on)\b"
    r"|\bcarr(?:y|ies|ied) (?:\w+ )?weight\b"
)
_OTHERWISE = re.compile(
    r"\b(?:if|(?<!i )need\w*|until|before|flip\w*|chang\w+|instead|switch\w*|raise|lower)\b"
    r"|\b(?:all|every\w*|across|overall|whole)\b|(?<!\bi )\bwould\b(?! (?:you|like|love)\b)"
)
_BESIDE = re.compile(
    r"\b(?:compar\w+|versus|vs|relative|against|between|than|or|beside|latter|former|beats?|stacks?"
    r"|outranks?|surpass\w*|outweigh\w*|exceed\w*|opposed|contrast|next to)\b"
)
# That of a reason, and no column called weight.
_WEIGHT = re.compile(
    r"\bweights? (?:of|on|to|given|than|is|does|(?:the|your) model|it|you)\b"
    r"|\b(?:more|less|much|greater|higher|larger|bigger|puts?|gives?|carry|carries) weight\b"
)
_SO_MANY = re.compile(r"<n> (?:\w+ ){0,2}(?:drivers|factors|features|inputs|predictors|influences)\b")
_ALL_OF = re.compile(r"\b(?:all|both|these|those|the) <n> ")
_RANKED = re.compile(r"(?:highest|lowest) (\d+) (?:probability|target)")
# Of 32 such messages of the corpus none asks for one feature alone.
_PLURAL = re.compile(
    r"\b(?:which|what) (?:of (?:them|these|those|the \w+)|(?:\w+ )?\w+s) (?:really |actually |truly )?"
    r"(?:matter|count|are|drive|influence|weigh|affect|contribute|move|decide|determine)\b(?! the most important one\b)"
)
_LISTS = re.compile(r"\b(?:(?:shows?|print|list|display)(?! them\W*$)|table|rows|records|who)\b")


@dataclass(frozen=True, eq=False)
class AskedImportance:
    """What the words of one message ask of importance; `read` gives the parse that a text is, None where it is none."""

    tokens: Sequence[UtteranceToken]
    mentions: Sequence[SchemaMention]
    read: Callable[[str], Parse | None]

    def in_place_of(self, parse: Parse) -> Parse:
        """What is meant by a reading, which is the reading itself where it can be meant; columns that rows are picked by are
        none that it asks about."""
        rows = Parse(tuple(step for step in parse.steps if isinstance(step, Selection)))
        asked = [surface(step) for step in parse.steps if not isinstance(step, Selection)]
        named = [token for token in self._named if f" {token} " not in f"{rows} "]
        several = ["important all"] if asked == ["important topk 1"] and _PLURAL.search(self._text) else None
        meant = self._ranked(asked, named) or self._weighed(asked, named) or self._of_row(asked, named, rows)
        meant = meant or self._so_many(asked) or several
        if meant is None:
            return self._alone(parse)
        about = str(rows).removesuffix("[e]")
        return self.read(f"{about}{'and ' if rows.steps else ''}{' and '.join(meant)} [e]") or parse

    def _ranked(self, asked: Sequence[str], named: Sequence[str]) -> list[str] | None:
        """The importance of a column whose rank is asked, in place of its effect or of all columns."""
        if len(asked) != 1 or not self._asks_rank:
            return None
        if asked[0].startswith(ONE_COLUMN):
            return [f"important {asked[0].split(' ')[1]}"]
        of_all = asked[0].startswith(("explain features", "important bottomk ", "important topk "))
        return [f"important {token}" for token in named] if of_all and len(named) == 1 else None

    def _weighed(self, asked: Sequence[str], named: Sequence[str]) -> list[str] | None:
        """The importance of both columns where one is weighed against the other: so in 23 of 26 messages of the corpus, of
        which the other three ask for something else that no such reading has."""
        if not asked or not self._weighs or not all(one.startswith(OF_COLUMNS) for one in asked):
            return None
        held = sum(one.startswith("important ") for one in asked)
        return [f"important {token}" for token in named] if len(named) == 2 != held else None

    def _of_row(self, asked: Sequence[str], named: Sequence[str], rows: Parse) -> list[str] | None:
        """How much one column counts for the prediction of a row, in place of its effect or of all columns."""
        named = named or [one.split(" ")[1] for one in asked if one.startswith(ONE_COLUMN)]
        if len(named) != 1 or "id " not in str(rows) or not all(one.startswith(OF_ONE_ROW) for one in asked):
            return None
        if _OTHERWISE.search(self._text) or not (
            _SHARE.search(self._text) or (_DEGREE.search(self._text) and _WORKS.search(self._text))
        ):
            return None
        others = [one for one in asked if not one.startswith(ROUGHLY)]
        return [*(others if len(others) < len(asked) else []), f"important {named[0]}"]

    def _so_many(self, asked: Sequence[str]) -> list[str] | None:
        """So many of the most important features, in place of so many rows, or of all: of 37 messages of the corpus that count
        features so, and ask what is important, 36."""
        if len(asked) != 1 or self._counted is None:
            return None
        ranked = _RANKED.fullmatch(asked[0])
        several = asked[0] == "important all" and _ALL_OF.search(self._counting) is None
        return [f"important topk {ranked[1] if ranked else self._counted}"] if ranked or several else None

    def _alone(self, parse: Parse) -> Parse:
        """The most important features without the order of all, and importance without rows that the message does not ask to
        list: of 683 messages of the corpus that may ask for the most important ones, one asks for that order as well, one
        for rows."""
        texts = [None if isinstance(step, Selection) else surface(step) for step in parse.steps]
        asked = [text for text in texts if text is not None and text.startswith("important ")]
        if " versus " in str(parse) or not asked:
            return parse
        rows = () if _LISTS.search(self._text) else ("show", "highest ", "lowest ")
        beside = (*OF_ALL, *rows) if any(text.startswith("important topk ") for text in asked) else rows[:1]
        kept = zip(parse.steps, texts, strict=True)
        return Parse(tuple(step for step, text in kept if text is None or not text.startswith(beside)))

    @cached_property
    def _text(self) -> str:
        return " ".join(token.text for token in self.tokens)

    @cached_property
    def _counting(self) -> str:
        return " ".join("<n>" if token.kind is TokenKind.NUMBER else token.text for token in self.tokens)

    @cached_property
    def _counted(self) -> str | None:
        """How many features it asks for."""
        match = _SO_MANY.search(self._counting)
        at = self._counting[: match.start()].count(" ") if match else -1
        return self.tokens[at].text if match else None

    @cached_property
    def _asks_rank(self) -> bool:
        """Whether it asks for the rank of a column: of 79 such messages of the corpus, one is about an effect."""
        if _PLACED.search(self._text):
            return True
        ranks = {at for at, token in enumerate(self.tokens) if token.text in _RANKS}
        return bool(ranks) and not any(at in ranks for one in self.mentions for at in range(one.start, one.end))

    @cached_property
    def _weighs(self) -> bool:
        """Whether it compares how much things matter, two of them at the most."""
        inside = {at for one in self._others for at in range(one.start, one.end)}
        words = " ".join("" if at in inside else token.text for at, token in enumerate(self.tokens))
        return bool(_MATTERS.search(words) and _BESIDE.search(words)) and self._text.count(" or ") < 2

    @cached_property
    def _others(self) -> list[SchemaMention]:
        """What it names, without the weight of a reason."""
        weighs = _WEIGHT.search(self._text) is not None
        return [one for one in self.mentions if not (weighs and self.tokens[one.start].text.startswith("weight"))]

    @cached_property
    def _named(self) -> list[str]:
        """The columns that it names, by their tokens, each once."""
        features = [one.name.feature for one in self._others if one.name.feature is not None and one.coverage >= NAMED]
        return list(dict.fromkeys(feature.token for feature in features))
