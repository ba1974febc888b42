"""How each model is asked: which protocol, where, how many calls at once, what a token costs. Facts in `profiles.toml`."""

import json
import os
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.errors import FaithfulnessError
from backend.models.language_models import (
    PACKAGED_MODEL,
    LanguageModel,
    OpenAIEndpoint,
    PackagedModel,
    Way,
    packaged_through_transformers,
)
from faithfulness.method.prompting import PROTOCOLS, Protocol

PROFILES = Path(__file__).with_name("profiles.toml")
TRANSFORMERS = "transformers:"
VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
KEY_NEEDED = "A key is given by the name of the environment variable that holds it, such as OPENAI_API_KEY; never as itself."
# Calls at once for a model that transformers runs here: as many as it answers in one go.
BATCH = 4


class Profile(BaseModel):
    """Prices are in US dollars for a million tokens; `key` names an environment variable and is never the key itself.
    `seconds` is what a call takes, for the estimate before a run; `reply_tokens` is the limit of a reply where the protocol's
    own is too small, as for models that reason, `timeout` the seconds that a server has for the whole of one, and `retries` how
    often a failed request is made again at once. `fields` are sent with every request beside the usual ones. `interface` is the
    endpoint that chats go to; with `log_probabilities` the server is asked for those of its tokens. `threads` are those of
    llama.cpp on this computer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    protocol: Literal["chat", "continuation", "paper"] = "chat"
    base_url: str | None = None
    key: str = Field("OPENAI_API_KEY", pattern=VARIABLE)
    packaged: bool = False
    transformers: str | None = None
    dtype: Literal["float32", "bfloat16"] = "float32"
    deterministic: bool = False
    threads: int | None = Field(None, ge=1, le=256)
    guide: Way | None = None
    reply_tokens: int | None = Field(None, ge=1)
    timeout: float = Field(60.0, gt=0)
    retries: int = Field(3, ge=0, le=20)
    temperature: float = Field(0.0, ge=0, le=2)
    interface: Literal["chat", "responses"] = "chat"
    log_probabilities: bool = False
    fields: dict[str, Any] = Field(default_factory=dict)
    in_flight: int = Field(8, ge=1, le=256)
    seconds: float = Field(1.0, gt=0)
    prompt_price: float = Field(0.0, ge=0)
    completion_price: float = Field(0.0, ge=0)

    @property
    def engine(self) -> str:
        """What runs the model, and whether its replies depend on their prompts alone, in words for a report."""
        if not self.here:
            return f"a server at {self.base_url}"
        runs = f"transformers, {self.dtype}" if self.transformers else "llama.cpp"
        return f"{runs}, {'deterministic' if self.deterministic else 'fast (prompts share what they have in common)'}"

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        """US dollars."""
        return (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / 1_000_000

    def identity(self) -> tuple[str, ...]:
        """What tells the replies of this model from those of another one of the same name elsewhere."""
        where = "packaged" if self.packaged else self.base_url or ""
        through = (f"{TRANSFORMERS}{self.transformers}", self.dtype) if self.transformers else (where,)
        beside = [json.dumps([self.temperature, self.fields], sort_keys=True)] if self.temperature or self.fields else []
        flags = [name for name in ("deterministic", "log_probabilities") if getattr(self, name)]
        return (self.name, *through, *flags, *beside)

    @property
    def here(self) -> bool:
        """Whether the model runs inside the process that asks it, rather than on a server."""
        return self.packaged or self.transformers is not None

    def open(self, key: str | None = None) -> LanguageModel:
        """The model itself; nothing is loaded or asked yet. Without a `key` the environment's is used.

        Raises FaithfulnessError if it is not known where the model is.
        """
        if self.transformers == PACKAGED_MODEL:
            return packaged_through_transformers(self.dtype, self.deterministic, self.name)
        if self.transformers:
            from backend.models.language_models.hugging_face import open_transformers

            return open_transformers(self.transformers, self.dtype, self.deterministic, self.name)
        if self.packaged:
            return PackagedModel(self.deterministic, self.threads, self.log_probabilities)
        if not self.base_url:
            raise FaithfulnessError(
                f"It is not known where {self.name} is: give --base-url, such as http://localhost:8000/v1, write "
                f"{TRANSFORMERS}NAME_OR_FOLDER for a model of the Hugging Face hub, or choose one of "
                f"{', '.join(name for name in profiles() if name != 'default')}."
            )
        return OpenAIEndpoint(
            self.base_url, self.name, self.api_key() if key is None else key, self.timeout, self.retries, self.fields,
            temperature=self.temperature, interface=self.interface, log_probabilities=self.log_probabilities,
        )  # fmt: skip

    def api_key(self) -> str:
        """What the environment holds under `key`, empty if nothing."""
        return os.environ.get(self.key, "")

    def open_protocol(self) -> Protocol:
        """Raises FaithfulnessError if the guide does not fit the protocol, or the model cannot be guided."""
        if self.guide and self.transformers:
            raise FaithfulnessError(f'{self.name}: guide = "{self.guide}" is for servers; transformers takes none.')
        if self.interface == "responses" and self.protocol == "continuation":
            raise FaithfulnessError(
                f"{self.name}: the responses endpoint answers chats only; with it the protocol is chat or paper."
            )
        return PROTOCOLS[self.protocol](self.guide, self.reply_tokens)


@cache
def profiles() -> dict[str, dict[str, object]]:
    return tomllib.loads(PROFILES.read_text(encoding="utf-8"))


def profile_of(name: str, base_url: str | None = None, **overrides: object) -> Profile:
    """The profile of a model by its name; what is given overrides what the file says. None leaves it as it is.

    `transformers:NAME_OR_FOLDER` runs such a model here; that of the packaged model is asked like the packaged model.
    Raises FaithfulnessError if an override does not fit.
    """
    through = name.removeprefix(TRANSFORMERS) if name.startswith(TRANSFORMERS) else None
    known = {**profiles()["default"], **profiles().get(name if through is None else through, {})}
    if through is not None:
        known = {**known, "transformers": through, "in_flight": BATCH}
    stated = {key: value for key, value in {"base_url": base_url, **overrides}.items() if value is not None}
    if stated.get("guide") == "none" or (stated.get("guide") is None and known.get("guide") == "none"):
        known.pop("guide", None)
        stated.pop("guide", None)
    if base_url is not None:
        known.pop("packaged", None)
    try:
        return Profile.model_validate({**known, **stated, "name": name})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        setting = ".".join(str(part) for part in first["loc"])
        if setting == "key":  # it may be the key itself, which no message repeats
            raise FaithfulnessError(KEY_NEEDED) from None
        raise FaithfulnessError(f"The profile of {name}: {setting} cannot be {first['input']!r} ({first['msg']}).") from error
