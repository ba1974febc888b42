"""What `[[settings.part]]` of a task of one's own holds, and its items: any columns."""

import re
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from annotation.words.catalogue import translate

CustomKind = Literal["show", "link", "table", "picture", "write", "choose", "several", "rate", "slider", "mark", "rank", "pair"]
ASKED = frozenset({"write", "choose", "several", "rate", "slider", "mark", "rank", "pair"})
WITH_OPTIONS = frozenset({"choose", "several", "rank", "pair"})
STORED = ({"fields"}, {"fields", "pictures"})  # keys of an item as it is kept
MOST_STEPS = 1001


class CustomItem(BaseModel):
    """An item of any columns. `pictures`: the digests of the pictures that the study keeps, by the column that names them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fields: dict[str, Any]
    pictures: dict[str, str] = Field(default_factory=dict, exclude_if=lambda digests: not digests)

    @model_validator(mode="before")
    @classmethod
    def _columns(cls, row: Any) -> Any:
        whole = isinstance(row, dict) and not (set(row) in STORED and isinstance(row["fields"], dict))
        return {"fields": row} if whole else row


class CustomCondition(BaseModel):
    """That an earlier part has this answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: str
    answer: str


class CustomPart(BaseModel):
    """`column`: of a table's rows (a list of objects), a link's address, a picture's file or address, or the text whose words
    are marked; `columns`: the two texts of a pair, whose sides are drawn for each worker. `alt`: what a picture shows, for who
    does not see it; a pair that has one is of pictures. `options`: what is chosen among; of a pair the labels for the left
    side, the right side, and perhaps for neither. `ends` name the ends of a scale. `source`: a column that a written text is to
    say in other words. `pattern`: what a written text has to match, said in `hint`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: CustomKind
    text: str = ""
    name: str = Field("", pattern=r"^\w*$", max_length=100)
    column: str = ""
    columns: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    scale: tuple[int, int] = (1, 5)
    ends: tuple[str, ...] = ()
    required: bool = True
    when: CustomCondition | None = None
    alt: str = ""
    source: str = ""
    pattern: str = ""
    hint: str = ""
    shortest: int = Field(0, ge=0)
    longest: int | None = Field(None, ge=1)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.kind in ASKED) != bool(self.name):
            raise ValueError(
                translate("a part of kind {kind} needs a name", kind=self.kind)
                if self.kind in ASKED
                else translate("a part of kind {kind} has no name", kind=self.kind)
            )
        if self.kind in WITH_OPTIONS and (len(self.options) < 2 or len(set(self.options)) < len(self.options)):
            raise ValueError(translate("a part of kind {kind} needs two options or more, all different", kind=self.kind))
        if self.kind == "pair" and (len(self.columns) != 2 or len(self.options) > 3):
            raise ValueError(
                translate("a pair needs columns with two names, and two or three options: left, right, perhaps neither")
            )
        if self.kind in ("table", "link", "picture", "mark") and not self.column:
            raise ValueError(translate("a part of kind {kind} needs the column that it is about", kind=self.kind))
        if (self.kind == "picture") > bool(self.alt.strip()) or (self.alt and self.kind not in ("picture", "pair")):
            raise ValueError(
                translate("a picture needs alt: what it shows, in words; other parts have none, but a pair of pictures")
            )
        if not 0 < self.scale[1] - self.scale[0] < MOST_STEPS or len(self.ends) not in (0, 2):
            raise ValueError(translate("a scale goes from a number to a larger one, and has two ends or none"))
        try:
            re.compile(self.pattern)
        except re.error as error:
            raise ValueError(
                translate("pattern {pattern} is no regular expression: {error}", pattern=repr(self.pattern), error=error)
            ) from error
        return self


class CustomSettings(BaseModel):
    """`part`: the parts, top to bottom."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: tuple[CustomPart, ...] = Field(min_length=1)

    def named_pictures(self, content: CustomItem) -> dict[str, Any]:
        """What an item calls its pictures, by column; of a picture that may be missing only where there is one."""
        shown = [(column, part.required) for part in self.part if part.alt for column in (part.columns or (part.column,))]
        named = {column: content.fields.get(column) for column, _ in shown}
        return {column: named[column] for column, required in shown if required or named[column]}

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        seen: dict[str, CustomPart] = {}
        for part in self.part:
            if part.when is not None and part.when.part not in seen:
                raise ValueError(translate("when.part is {part}, but no earlier part is called so", part=repr(part.when.part)))
            if part.name in seen:
                raise ValueError(translate("two parts are called {name}", name=repr(part.name)))
            if part.name:
                seen[part.name] = part
        if not seen:
            raise ValueError(translate("no part asks for anything"))
        return self
