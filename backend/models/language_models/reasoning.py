"""Telling what a reasoning model thinks from what it answers."""

import re

# The ends of thoughts: of DeepSeek R1, QwQ, Qwen 3 and most others; of Magistral; of gpt-oss without a parser.
_END = re.compile(r"</(?:think|thinking|thought|reasoning)>|\[/THINK\]|<\|channel\|>final<\|message\|>", re.IGNORECASE)
_BEGIN = re.compile(r"\s*(?:<(?:think|thinking|thought|reasoning)>|\[THINK\]|<\|channel\|>analysis)", re.IGNORECASE)


def without_reasoning(text: str) -> tuple[str, bool]:
    """Return what follows the reasoning in a reply, and whether there was any.

    The beginning of the reasoning may be missing, since some chat templates write it into the prompt; where its end is
    missing, the reply was cut and holds nothing else.
    """
    ends = list(_END.finditer(text))
    if ends:
        return text[ends[-1].end() :].lstrip(), True
    return ("", True) if _BEGIN.match(text) else (text, False)
