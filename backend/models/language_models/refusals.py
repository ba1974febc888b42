"""What a server's refusal means: its own sentence, which parameter it names, and what else it will refuse.

Servers with the OpenAI interface word and wrap their errors differently; here is what OpenAI, Azure, Anthropic, Google,
Mistral, vLLM, llama.cpp and Ollama send.
"""

import re
from collections.abc import Collection, Mapping

from backend.errors import Blame

LONGEST_SENTENCE = 300
PASSING = (408, 409, 429)  # beside 5xx, the statuses after which the same request may be answered
# Models that reason count their thoughts too, and so take the limit under another name.
SUCCESSORS = {"max_tokens": "max_completion_tokens"}
_CODES = {"unsupported_parameter", "unsupported_value", "unknown_parameter"}
_NOT_TAKEN = re.compile(
    r"unsupported|not supported|(does|do)(n't| not) support|unknown|unrecogni[sz]ed|unexpected|deprecated|"
    r"not (permitted|allowed)",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context (length|size|window)|too (long|large|many tokens)|maximum (context|number of tokens)|"
    r"exceed\w*[^.]*(tokens|length)|reduce the length",
    re.IGNORECASE,
)
# "This model is only supported in v1/responses and not in v1/chat/completions."
_RESPONSES = re.compile(r"only [a-z ]*\bv1/responses|use (the )?(/?v1/)?responses (api|endpoint)", re.IGNORECASE)
# Parameters whose names are English words as well.
_ENGLISH = {"stop", "temperature", "include"}
_FILTERED = re.compile(r"content[_ ](filter|management|policy)|moderation|flagged|safety", re.IGNORECASE)
_NO_MONEY = re.compile(r"insufficient[_ ](quota|balance|credit)|exceeded your current quota|credit balance", re.IGNORECASE)
_NO_ENTRY = re.compile(r"(api|x-api)[-_ ]?key (is )?(not valid|invalid)|(invalid|incorrect) (x-)?(api[-_ ])?key", re.IGNORECASE)


def server_sentence(body: object) -> str:
    """Return what a server says in the body of an error, as one line; empty where it says nothing a person can read."""
    if isinstance(body, str):
        line = " ".join(body.split())
        shown = line if len(line) <= LONGEST_SENTENCE else f"{line[:LONGEST_SENTENCE]} …"
        return "" if line.startswith("<") else shown
    if isinstance(body, list | tuple):
        return server_sentence(body[0]) if body else ""
    if not isinstance(body, Mapping):
        return ""
    if isinstance(body.get("msg"), str) and isinstance(body.get("loc"), list):
        return server_sentence(f"{'.'.join(map(str, body['loc']))}: {body['msg']}")
    return next((text for key in ("error", "message", "detail") if (text := server_sentence(body.get(key)))), "")


def refused_parameter(body: object, sent: Collection[str]) -> str | None:
    """Return which of the `sent` parameters a refusal names as one that the model does not take."""
    sentence = server_sentence(body)
    facts = _facts(body)
    if _TOO_LONG.search(sentence) or not (facts.get("code") in _CODES or _NOT_TAKEN.search(sentence)):
        return None
    if facts.get("param") in sent:
        return str(facts["param"])
    positions = {name: match.start() for name in sent if (match := _named(name).search(sentence))}
    return min(positions, key=lambda name: positions[name], default=None)


def blame_of(status: int, body: object) -> Blame:
    """Return what a refusal of this status is about."""
    facts = _facts(body)
    text = " ".join([server_sentence(body), *(str(facts.get(key, "")) for key in ("code", "type"))])
    if status == 429:
        return Blame.SETUP if is_out_of_money(body) else Blame.MOMENT
    if status >= 500 or status in PASSING:
        return Blame.MOMENT
    if _FILTERED.search(text) or _TOO_LONG.search(text.replace("_", " ")):
        return Blame.TEXT
    return Blame.SETUP if status in (401, 402, 403, 404) or _NO_ENTRY.search(text) else Blame.UNCLEAR


def is_out_of_money(body: object) -> bool:
    """Whether nothing but a payment would make the server answer again, so that waiting is of no use."""
    return bool(_NO_MONEY.search(f"{server_sentence(body)} {_facts(body).get('code', '')}"))


def wants_responses(body: object) -> bool:
    """Whether a refusal says that the model answers at the responses endpoint only."""
    return bool(_RESPONSES.search(server_sentence(body)))


def _facts(body: object) -> Mapping[str, object]:
    """The innermost record of an error that has a message of its own."""
    if isinstance(body, list | tuple):
        return _facts(body[0]) if body else {}
    if not isinstance(body, Mapping):
        return {}
    return _facts(body["error"]) if isinstance(body.get("error"), Mapping) else body


def _named(parameter: str) -> re.Pattern[str]:
    """Names that are also English words ("stop") count in quotes, in a path or before a colon only."""
    name = re.escape(parameter)
    return re.compile(rf"(?<!\w){name}(?!\w)" if parameter not in _ENGLISH else rf"['\"`.]{name}\b|\b{name}['\"`:]")
