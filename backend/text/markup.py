"""Text of people, data and models, made safe to show: exactly its characters appear, whatever they would mean in markup."""

import html
import re

# What begins a list, heading or rule at the start of a line, and what has a meaning anywhere in it.
_MARKUP = re.compile(
    r"""^(?:[#+=-]|\d+(?=[.)])) | [\\&<>`*_\[\]|~$@] | (?<=\w):(?=//) | (?<=www)\.""", re.IGNORECASE | re.VERBOSE
)


def escape_html(text: object) -> str:
    """`text` as HTML that shows exactly these characters."""
    return html.escape(str(text), quote=True)


def escape_markdown(text: object) -> str:
    """`text` as Markdown that shows these characters: no emphasis, link, list, table, formula or HTML comes out of it.

    Line breaks stay; spaces at the ends of lines go.
    """
    lines = (line.strip() for line in str(text).splitlines())
    return "<br>".join(_MARKUP.sub(lambda match: f"&#{ord(match[0][0])};{match[0][1:]}", line) for line in lines)
