"""What a message says has ended ("if she quit smoking", "had he given up the drink"): a change of a yes-or-no column to no.

The corpus has such words in six messages that change such a column, five of them to no: too few for the encoder, which read
four of seven such questions about another table as a change to yes.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from ttm.language.parse import Change, Parse
from ttm.parsers.linker.schema_linking.mentions import SchemaMention

NEAR = 3  # words between the end and what ends
_ENDS = re.compile(
    r"\b(?:quit(?:s|ting)?|stop(?:s|ped|ping)?|ceased?|g[ai]ve(?:s|n)? up|giving up|pack(?:s|ed|ing)?"
    r" (?:it )?in|kick(?:s|ed|ing)?|no longer|not any ?more|come off|came off|coming off)\b"
)


def with_ended(parse: Parse, text: str, mentions: Sequence[SchemaMention]) -> Parse:
    """The parse with the columns set to no that end by the words of a message, `text`; where it changes one column alone, that
    column, whatever it is called ("packed in the fags")."""
    changed = [step.feature for step in parse.steps if isinstance(step, Change) and step.value == "true"]
    ends = [text[: match.end()].count(" ") + 1 for match in _ENDS.finditer(text)]
    if not changed or not ends:
        return parse
    named = {
        one.name.feature.token for one in mentions if one.name.feature is not None
        if any(0 <= one.start - end <= NEAR for end in ends)
    }  # fmt: skip
    ended = named & {*changed} or ({*changed} if len(changed) == 1 and not named else set())
    steps = tuple(
        replace(step, value="false") if isinstance(step, Change) and step.feature in ended and step.value == "true" else step
        for step in parse.steps
    )
    return Parse(steps)
