"""How each model is asked: which protocol, where, how many calls at once, what a token costs. Facts in `profiles.toml`."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from backend.errors import FaithfulnessError
from backend.language_models import LanguageModel, OpenAIEndpoint, PackagedModel
from faithfulness.prompting import PROTOCOLS, Protocol

PROFILES = Path(__file__).with_name("profiles.toml")


class Profile(BaseModel):
    """Prices are in US dollars for a million tokens; `key` names an environment variable and is never the key itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    protocol: Literal["chat", "continuation"] = "chat"
    base_url: str | None = None
    key: str = "OPENAI_API_KEY"
    packaged: bool = False
    in_flight: int = Field(8, ge=1, le=256)
    prompt_price: float = Field(0.0, ge=0)
    completion_price: float = Field(0.0, ge=0)

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """US dollars."""
        return (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / 1_000_000

    def identity(self) -> tuple[str, ...]:
        """What tells the replies of this model from those of another one of the same name elsewhere."""
        return (self.name, "packaged" if self.packaged else self.base_url or "")

    def open(self) -> LanguageModel:
        """The model itself; nothing is loaded or asked yet. Raises FaithfulnessError if it is not known where it is."""
        if self.packaged:
            return PackagedModel()
        if not self.base_url:
            raise FaithfulnessError(
                f"It is not known where {self.name} is: give --base-url, such as http://localhost:8000/v1, or choose one of "
                f"{', '.join(name for name in profiles() if name != 'default')}."
            )
        return OpenAIEndpoint(self.base_url, self.name, os.environ.get(self.key, ""))

    def open_protocol(self) -> Protocol:
        return PROTOCOLS[self.protocol]()


@cache
def profiles() -> dict[str, dict[str, object]]:
    return tomllib.loads(PROFILES.read_text(encoding="utf-8"))


def profile_of(name: str, base_url: str | None = None, **overrides: object) -> Profile:
    """The profile of a model by its name; what is given overrides what the file says. None leaves it as it is."""
    known = {**profiles()["default"], **profiles().get(name, {})}
    given = {key: value for key, value in {"base_url": base_url, **overrides}.items() if value is not None}
    if base_url is not None:
        known.pop("packaged", None)
    return Profile.model_validate({**known, **given, "name": name})
