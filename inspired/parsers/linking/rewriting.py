"""Questions in the words that are read: without what people say around them, and in the order and spelling of a question.

All of this is done before anything is looked up, so that a name is only ever lost with a clause that asks for nothing.
"""

import re
from collections.abc import Callable, Collection
from functools import cache
from itertools import chain

from inspired.parsers.linking.words import general_words, is_general, plain, plural, stem, stop_words, table, tokens_of

_NUMBER = r"\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty"
# "five countries or more" as "at least five countries"; "only one" as "only 1", since "one" alone is hardly ever a number.
_BEHIND = re.compile(
    rf"\b({_NUMBER})((?:\s+[^\W\d]+){{1,2}}),?\s+(?:or|and)\s+(more|fewer|less|higher|above|over|up|larger|greater|better|lower|below|under)\b",
    re.IGNORECASE,
)
_DOWN = ("fewer", "less", "lower", "below", "under")
# "the three foods with the highest price" as "the foods with the three highest price"
_ROW_AHEAD = re.compile(
    rf"\b({_NUMBER})\s+((?:[^\W\d_]+\s+){{1,3}}?(?:with|having|that\s+ha(?:ve|s|d)|(?:which|who)\s+ha(?:ve|s|d)|"
    rf"(?:from|in|to|by|of|on|for|at)\s+which|are|were|ha(?:ve|d))\s+(?:the\s+)?)(?=(?:most|least|fewest|[a-z]{{3,}}est)\b)",
    re.IGNORECASE,
)
# "was Ada born before Alan" as "was Ada born earlier than Alan"
_ORDERED_IN_TIME = re.compile(
    r"^((?:is|are|was|were|did|does|do|has|have)\s+.+?\s+)(before|after)\s+(?=(?:the\s+)?[^\W\d_])", re.IGNORECASE
)
_ONE = re.compile(r"\b(only|just|exactly|at least|at most|more than|fewer than|less than)\s+one\b", re.IGNORECASE)
# "after the year 1990"
_YEAR = re.compile(r"\b(?:the\s+)?year\s+(?=[12]\d{3}\b)", re.IGNORECASE)
# "more as 25" of people who learn English, "more then 25" of those who type fast
_THAN = re.compile(r"\b(more|less|fewer|[a-z]{3,}er)\s+(?:then\s+(?=\S)|as\s+(?=\d))", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)")
_ASKS = (
    r"(?:which|what|who|whose|whom|where|when|how\s+(?:many|much|long|high|old|big|tall|far|large|deep|heavy)|is|are|was|were|does|do|"
    r"did|has|have|can|list|name|tell\s+me|give\s+me|show\s+me|count)\b"
)
_FIRST = re.compile(rf"^\W*(?:(?:and|so|but|then|please|ok|well|in|of|from|for|to|on|by|at)\s+)?{_ASKS}", re.IGNORECASE)
# "I need ten facts for school, so which ...": what people say of themselves, and then the question
_LEAD = re.compile(
    rf"^(?P<lead>.{{8,}}?)[,:;–—-]\s+(?:(?:so|and|but|now|then)\s+)?"
    rf"(?:(?:i(?:'d| would)\s+(?:like|love)\s+to\s+(?:know|see|have|hear)|i\s+(?:want|need)\s+to\s+know|"
    rf"(?:can|could|would)\s+you\s+(?:please\s+)?(?:tell\s+(?:me|us)|remind\s+(?:me|us)|list|name|(?:find|give|show)\s+(?:me|us))|please|pls)\s*,?\s+)?(?P<core>{_ASKS}.*)$",
    re.IGNORECASE | re.DOTALL,
)
# "Right, let's start with ...", "quick question: ..."
_OPENING = re.compile(
    r"^\W*(?:(?:right|ok|okay|alright|well|so|now|hi|hello|hey|great|good|hmm+|um+|oh)\b\W+)*"
    r"(?:(?:good\s+(?:morning|afternoon|evening|day)|hello|hi|hey|greetings)(?:\s+(?:there|all|again|everyone))?\s*[,.!:;–—-]+\s*|"
    r"(?:let'?s|let\s+(?:us|me)|i'?ll)\s+(?:start|begin|go|move|turn|continue|try)(?:\s+(?:off|on|over))?\s+(?:with|to)\s+|"
    r"(?:just\s+)?(?:a\s+)?quick\s+(?:question|one)\b\W+|(?:just\s+)?(?:curious|wondering)\b\W+|out\s+of\s+curiosity\b\W+|"
    r"(?:one\s+more(?:\s+(?:question|thing))?|next(?:\s+(?:up|one|question))?|first(?:\s+(?:up|one|question|of\s+all))?)\s*[,:–—-]+\s*)(?=\S)",
    re.IGNORECASE,
)
# "the longest river in the world": of all that are known. The world is no part of a World Heritage Site there, and
# "the world cup" is something else.
_WORLD = re.compile(
    r"\s+(?:(?:in|of|on|across|around|over)\s+(?:all\s+|the\s+)*(?:whole\s+|entire\s+)?(?P<name>world|earth|planet|globe)|worldwide|globally)"
    r"(?=\s*(?:[?.!,;]|$)|\s+(?:who|which|what|where|that|is|are|was|has|have|by|with|and|or|for|today|now|please)\b)",
    re.IGNORECASE,
)
_OF_ALL = re.compile(
    r"^\W*(?:how many|(?:which|what) other)\b|\b(?:most|least|(?!(?:west|forest|rest|interest|test|guest)\b)[a-z]{2,}est)\b",
    re.IGNORECASE,
)
_IS_THERE = re.compile(
    r"^\W*(?:is|are)\s+there\s+(?:any\s+|some\s+)?(?P<thing>[^\W\d]+(?:\s+[^\W\d]+)?)\s+(?P<rest>(?:in|on|among)\s.+)$",
    re.IGNORECASE,
)
_TALK = frozenset("i i'm i'd i've i'll my me we our we're we've us mine".split())
_POINTS = frozenset("it they this these those he she such same".split())
_OWNS = frozenset("its their theirs them him his her".split())  # later in a question they mean what it names itself
_OPEN = frozenset("most least more fewer less".split())  # at the end they are of what was named before
_EARLY = 3
_THAT = re.compile(
    r"\b(?:of|in|to|from|is|for|at|on|with)\s+that\b|\bthat\s*[?.]?$|(?<!is )(?<!are )\bthere\b(?!\s+(?:is|are|was|were))",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r",?\s+(?:if\s+(?:you(?:'d|\s+would)?|i\s+may)\b[^,?]*|according\s+to\s+you|please|pls|plz|thanks?(?:\s+you)?|by\s+the\s+way|btw)\s*"
    r"(?=[?.!]*\s*$)",
    re.IGNORECASE,
)
# "Lima is bigger, no?"
_CONFIRM = re.compile(r"\s*,\s*(?:no|right|correct|yes|yeah|isn'?t\s+it|is\s+it|or\s+not|true)\s*\?\s*$", re.IGNORECASE)
_ASIDE = re.compile(r"\s*\((?=[^)]*\b(?:i|my|we|our|me|you|story|sorry|lol|haha)\b)[^)]*\)", re.IGNORECASE)
_CLAIMED = re.compile(
    r"^(?P<subject>[^,?]{2,60}?)\s+(?P<verb>is|are|was|were|has|have|had)\s+(?P<rest>[^?]*\S)\s*\?\s*$", re.IGNORECASE
)
_COMPARED = re.compile(
    r"^(?P<subject>[^,?]{2,40}?)\s+(?P<rest>(?:more\s+\w+|less\s+\w+|[a-z]{3,}er)\s+than\s+[^?\d]+)\?\s*$", re.IGNORECASE
)
# "which countries border at least 8 others", "which of Peru and Chile is bigger"
_OTHERS = re.compile(
    rf"^(?P<head>(?:and\s+)?(?:which|what)\s+(?P<kind>[^\W\d]+)\b.*?\b(?:{_NUMBER}))\s+others\b", re.IGNORECASE
)
_OF_TWO = re.compile(
    r"^which\s+of\s+(?P<one>[^,?]+?)\s+(?:and|or)\s+(?P<other>[^,?]+?)\s+(?P<rest>(?:is|was|has|had|have|are)\s+"
    r"(?:the\s+)?(?:more|fewer|less|[a-z]{3,}er)\b[^?]*?)\s*\?*\s*$",
    re.IGNORECASE,
)
# "are there any dragons that can't fly? which ones"
_WHICH_ONES = re.compile(
    r"^(?:\W*(?:i\s+wonder|so|and)\W+)?(?:are|is)\s+there\s+(?:any\s+)?(?P<rest>.+?)[?,.]+\s*(?:and\s+)?(?:if\s+so\W+)?(?:please\s+)?"
    r"(?:which|what|who|name|list)(?:\s+(?:ones?|them))?(?:\s+are\s+(?:they|these))?\W*$",
    re.IGNORECASE,
)
_ANY_LARGER = re.compile(
    r"^\W*(?:are|is)\s+any\s+(?P<kind>(?:[^\W\d]+\s+){1,3}?)(?P<rest>(?:[a-z]{3,}er|more\s+\w+|less\s+\w+)\s+than\s+[^,?]+?)[,?]\s*"
    r"(?:and\s+)?(?:if\s+so\W+)?(?:which|what)(?:\s+ones?)?(?:\s+are\s+they)?\W*$",
    re.IGNORECASE,
)
_ORDINALS = {
    "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip
_ORDINAL = re.compile(
    rf"\b(?P<ordinal>(?P<digits>\d+)(?:st|nd|rd|th)|{'|'.join(_ORDINALS)})[\s-]+(?P<noun>[^\W\d_]+)", re.IGNORECASE
)
_NO_NOUNS = frozenset("most least more less century".split())
# "is Peru or Chile bigger"
_WHETHER_OR = re.compile(
    r"^(?:is|was)\s+(?P<one>[^,?]+?)\s+or\s+(?P<other>[^,?]+?)\s+(?:the\s+)?(?P<rest>(?:more|less)\s+\w+|[a-z]{3,}er|[a-z]{3,}est)\s*\?*\s*$",
    re.IGNORECASE,
)
# "through which countries does the Rhine not flow" as "... doesn't the Rhine flow": what stands before "not" is denied too.
_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had)"
_NOT_BEHIND = re.compile(
    rf"(?<=\w )(?P<verb>{_AUXILIARY})\s+(?P<subject>(?:the\s+)?"
    rf"(?:(?!(?:and|but|or|that|who|which|in|on|at|to|by|than|an?|no|it|{_AUXILIARY})\b)[^\s,?]+\s+){{1,4}}?)"
    r"not\s+(?=[^\W\d])",
    re.IGNORECASE,
)
_PLAIN_VERBS = frozenset(("do", "does", "did"))
# "is Peru not a member of NATO" as "isn't Peru ...": whether it is one is what the answer tells.
_CLAIM_NOT = re.compile(
    r"^(?P<opens>\W*(?:(?i:and|so|but)\s+)?)(?P<verb>(?i:is|are|was|were|do|does|did|has|have))\s+"
    r"(?P<subject>(?:(?i:the)\s+)?[^\W\da-z][^\s,?]*(?:\s+(?:of\s+|the\s+)*[^\W\da-z][^\s,?]*){0,3}|it|he|she|they)\s+not\s+"
    r"(?!(?:only|just|more|less|fewer)\b)"
)
# "in which countries is Spanish not an official language"
_NOT_AS = re.compile(
    r"^(?P<opens>\W*(?:and\s+|so\s+)?)in\s+(?P<asked>(?:which|what)\s+[^,?]{3,40}?)\s+(?:is|are)\s+(?P<value>[^,?]{2,30}?)\s+"
    r"not\s+(?P<role>(?:an?|the)\s)",
    re.IGNORECASE,
)
# "The main exports" are those that are on record; "the main religion" is the first of them.
_MAIN = re.compile(
    r"\b(?:(?:main|chief|principal)\s+(?=(?:[^\W\d]+\s+){0,2}?[^\W\d]{2,}[^\Wsui]s\b)|"
    r"(?:mainly|chiefly|mostly|primarily|principally)\s+(?=(?:export|import|produc|trad|sell|buy)))",
    re.IGNORECASE,
)
_NO_CLAIM = frozenset(
    "which what who whom whose where when why how that and or list name tell show give count find many".split()
)
_LIKE, _FEWEST = 0.8, 5


def rewritten(question: str, is_known: Callable[[str], bool] = lambda word: True, vocabulary: Collection[str] = ()) -> str:
    """The question in plain order and words. `is_known` tells of a word whether it is one of the knowledge base's, and
    `vocabulary` are the words that it has for relations and kinds."""
    question = _MAIN.sub("", _counted_in_words(spelt(_asked_for_which(question), is_known, vocabulary), is_known))
    where_known = table("rewrites_where_known").items()
    tables = (phrases for known, phrases in where_known if any(is_known(each) for each in known.split()))
    for word, words in chain(table("rewrites").items(), *(each.items() for each in tables)):
        question = re.sub(rf"\b{word}\b", words, question, flags=re.IGNORECASE)
    question = _NOT_AS.sub(r"\g<opens>\g<asked> do not have \g<value> as \g<role>", question)
    question = _ORDERED_IN_TIME.sub(
        lambda each: f"{each[1]}{'earlier' if each[2].lower() == 'before' else 'later'} than ",
        _ROW_AHEAD.sub(r"\2\1 ", question),
    )
    question = _BEHIND.sub(lambda each: f"{'at most' if each[3].lower() in _DOWN else 'at least'} {each[1]}{each[2]}", question)
    question = _WHETHER_OR.sub(r"which is \g<rest>, \g<one> or \g<other>?", question)
    question = _OF_TWO.sub(r"which \g<rest>, \g<one> or \g<other>?", _OTHERS.sub(r"\g<head> other \g<kind>", question))
    question = _CLAIM_NOT.sub(r"\g<opens>\g<verb>n't \g<subject> ", _NOT_BEHIND.sub(_denied_ahead, question))
    return _in_order(_YEAR.sub("", _THAN.sub(r"\1 than ", _ONE.sub(r"\1 1", question))))


def _denied_ahead(match: re.Match[str]) -> str:
    subject = match["subject"]
    named = subject.lower().startswith("the ") or subject[:1].isupper()
    return f"{match['verb']}n't {subject}" if named or match["verb"].lower() in _PLAIN_VERBS else match[0]


def core(question: str) -> str:
    """The part of a question that asks; all of it where a word may point to another part, or where no part stands out."""
    plainer = _CONFIRM.sub("?", _TAIL.sub("", _ASIDE.sub("", _OPENING.sub("", question)))).strip()
    sentences = [each for each in _SENTENCE.split(plainer) if each]
    asking = [each for each in sentences if _FIRST.match(each) or each.rstrip().endswith("?")]
    if len(sentences) > 1 and len(asking) == 1 and not _points(asking[0]) and _is_talk(sentences, asking[0]):
        plainer = asking[0]
    lead = _LEAD.match(plainer)
    if lead is not None and _words(lead["lead"]) & _TALK and not _points(lead["core"]) and not _FIRST.match(plainer):
        plainer = lead["core"]
    return plainer


def with_claim(question: str, is_named: Callable[[str], bool]) -> str:
    """ "Is there any green in the flag of Jamaica?" as a claim about what is named, and not about anything that is there."""
    claim = _IS_THERE.match(question)
    return f"is {claim['thing']} {claim['rest']}" if claim is not None and is_named(claim["thing"]) else question


def without_world(question: str, is_named: Callable[[str], bool]) -> str:
    """A question for the most of something, or how many, without "in the world"; not where the Earth `is_named`, of planets."""
    if not _OF_ALL.search(question):
        return question
    return _WORLD.sub(lambda each: each[0] if each["name"] and is_named(each["name"]) else "", question)


def _asked_for_which(question: str) -> str:
    """ "Are there dragons that can't fly? Which ones?" asks which, and not whether."""
    return _ANY_LARGER.sub(r"which \g<kind>are \g<rest>?", _WHICH_ONES.sub(r"which \g<rest>?", question))


def _counted_in_words(question: str, is_known: Callable[[str], bool]) -> str:
    """ "The 8th level", "in the sixth period" as "level 8", "period 6", but for names that are written so."""

    def ahead(match: re.Match[str]) -> str:
        ordinal, noun = match["ordinal"].lower(), match["noun"]
        number = match["digits"] or str(_ORDINALS[ordinal])
        named = is_known(match[0].lower())
        compared = noun.lower().endswith("est") or noun.lower() in _NO_NOUNS
        return match[0] if named or compared or not is_known(noun.lower()) else f"{noun} {number}"

    return _ORDINAL.sub(ahead, question)


def _is_talk(sentences: Collection[str], asking: str) -> bool:
    """Whether the sentences beside the one that asks are about the person who asks."""
    return all(_words(each) & _TALK for each in sentences if each != asking)


def _words(text: str) -> set[str]:
    return {each.plain for each in tokens_of(text)}


def _points(text: str) -> bool:
    words = [each.plain for each in tokens_of(text)]
    return bool(set(words) & _POINTS or set(words[-1:]) & _OPEN or set(words[:_EARLY]) & _OWNS or _THAT.search(text))


def spelt(question: str, is_known: Callable[[str], bool], vocabulary: Collection[str] = ()) -> str:
    """The question with slips of the pen mended in the words that any question may use ("wich", "neigbours", "heighest"),
    else, where it is no name, in those of `vocabulary`."""
    mended = question
    for token in reversed(tokens_of(question)):
        word = token.text.lower()
        slip = table("slips").get(word)
        if not word.isalpha() or is_known(token.plain) or (is_general(token) and not slip):
            continue
        better = slip or _nearest(word) or (_alike(word, vocabulary) if token.text.islower() else None)
        if better:
            mended = f"{mended[: token.start]}{better}{mended[token.end :]}"
    return mended


@cache
def _nearest(word: str) -> str | None:
    return _alike(word, _mendable())


def _alike(word: str, words: Collection[str]) -> str | None:
    """Which of `words` a slip of the pen was for."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    if len(word) < _FEWEST:
        return None
    choices = [each for each in words if each[0] == word[0]]
    near = process.extractOne(word, choices, scorer=OSA.normalized_similarity, score_cutoff=_LIKE)
    return str(near[0]) if near else None


@cache
def _mendable() -> tuple[str, ...]:
    plurals = (plural(each) for row in (*table("kinds")["rows"], *table("synonyms")["rows"]) for each in row.split())
    return tuple(sorted({each for each in (*general_words(), *plurals) if len(each) >= _FEWEST - 1}))


def _in_order(question: str) -> str:
    """ "Brazil is larger than Peru?" and "Nile longer than Amazon?" as questions of yes or no."""
    if not _words(question) & _NO_CLAIM:
        if (compared := _COMPARED.match(question)) and not _words(compared["subject"]) & {
            "is",
            "are",
            "does",
            "do",
            "was",
            "were",
        }:
            return f"is {compared['subject']} {compared['rest'].strip()}?"
        if (claimed := _CLAIMED.match(question)) and _opens_with_thing(claimed["subject"]):
            verb = claimed["verb"].lower()
            has = verb in ("has", "have", "had")
            return f"{'does' if has else verb} {claimed['subject']} {'have ' if has else ''}{claimed['rest']}?"
    return question


def _opens_with_thing(subject: str) -> bool:
    """Whether a claim may be about what is named: not "it", "there" or a question's own verb."""
    words = [plain(each) for each in subject.split()]
    return bool(words) and words[0] not in stop_words() - {"the", "all", "every", "a", "an"} and bool(stem(words[-1]))
