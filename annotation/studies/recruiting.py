"""A platform that sends people to a study, and how they are sent back (`[recruiting]` in study.toml)."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Literal, Self
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, model_validator

from annotation.tasks.task_type import is_web_address
from annotation.words.catalogue import translate

PlatformName = Literal["prolific", "mturk", "sona"]
# What the address of somebody who comes from there holds: the name of their id.
ID_NAMES: Mapping[PlatformName, str] = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "sona": "survey_code"}
RETURN_TO: Mapping[PlatformName, str] = {"prolific": "https://app.prolific.com/submissions/complete?cc={code}"}
ID_FORM = re.compile(r"[A-Za-z0-9_-]{1,100}")


class Recruiting(BaseModel):
    """`places`: how many people are let in; `time_out`: after how many minutes without a sign of somebody who has handed in
    nothing their place is free again; `completed`, `ended`: the code for who has done everything, and for whose part was ended;
    `return_to`: an address in which `{code}` and `{id}` are filled in, for platforms that have one; `reward`: what the platform
    pays by itself to each who is approved, beyond which what was earned is a bonus."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    platform: PlatformName
    places: int = Field(ge=1)
    time_out: float | None = Field(None, gt=0)
    completed: str = Field("", max_length=100)
    ended: str = Field("", max_length=100)
    return_to: str = ""
    reward: Decimal | None = Field(None, ge=0, decimal_places=2)

    @model_validator(mode="after")
    def _can_return(self) -> Self:
        if self.return_to and not is_web_address(self.way_back("code", "id")):
            raise ValueError(
                translate(
                    "return_to is {return_to}, which is no address that begins with https:// or http://",
                    return_to=repr(self.return_to),
                )
            )
        return self

    @property
    def prefix(self) -> str:
        """What stands before the id in the name of somebody who came from there."""
        return f"{self.platform}:"

    @property
    def id_name(self) -> str:
        return ID_NAMES[self.platform]

    def way_back(self, code: str, identity: str) -> str:
        """The address to return to; empty where the platform has none."""
        address = self.return_to or RETURN_TO.get(self.platform, "")
        return address.replace("{code}", quote(code, safe="")).replace("{id}", quote(identity, safe=""))
