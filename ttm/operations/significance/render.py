"""Words and a table for whether the last answer is beyond chance."""

from collections.abc import Callable
from typing import Any

from ttm.operations.breakdowns.render import p_text
from ttm.operations.rendering.answer import Answer, AnswerTable, escape
from ttm.operations.significance.run import ChanceTest, Significance
from ttm.tabular.data.schema import Schema


def significance(result: Significance, schema: Schema) -> Answer:
    rows = tuple((one.what, one.method, _p(one), _verdict(one)) for one in result.tests)
    table = AnswerTable("", ("between", "test", "p", ""), rows)
    if len(result.tests) == 1:
        return Answer(_single(result.tests[0]))
    clear = sum(one.is_clear is True for one in result.tests)
    text = f"**{clear} of {len(result.tests)}** differences in the last answer are beyond chance at the 5% level."
    return Answer(text, (table,))


def _single(one: ChanceTest) -> str:
    start = f"Between {escape(one.what)}" if " and " in one.what else f"For {escape(one.what)}"
    if one.is_clear is None:
        return f"{start}, that cannot be tested: there are too few rows, or they do not vary."
    how = f"{one.method}, {p_text(one.p)}" if one.p is not None else f"by the {one.method}"
    if one.is_clear:
        return f"**Yes.** {start}, chance alone would hardly make such a difference or connection ({how})."
    return (
        f"**No.** {start}, chance alone could well make such a difference or connection ({how}). That does not show that there "
        "is none: more rows might."
    )


def _p(one: ChanceTest) -> str:
    return "" if one.p is None else p_text(one.p).removeprefix("p = ").removeprefix("p ")


def _verdict(one: ChanceTest) -> str:
    return {None: "cannot be tested", True: "beyond chance", False: "no clear difference"}[one.is_clear]


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {Significance: significance}
