"""The queries that the tab offers to begin with."""

import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict


class ExampleQuery(BaseModel):
    """A query with its question and the names of its entities, by id."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    question: str
    names: dict[str, str]
    sparql: str


@cache
def examples() -> dict[str, ExampleQuery]:
    """By label, in the order in which they are offered."""
    read = tomllib.loads(Path(__file__).with_name("examples.toml").read_text(encoding="utf-8"))
    result = [ExampleQuery.model_validate(each) for each in read["example"]]
    return {each.label: each.model_copy(update={"sparql": each.sparql.strip()}) for each in result}
