"""What a person can choose before Parley starts: command line, then `PARLEY_*` in the environment, then `.env`.

What none of them names may follow from where Parley runs: the variables of Gradio and of hosting platforms, and Hugging Face
Spaces. `Settings(...)` itself reads nothing but its arguments; only `read_settings` looks outside.
"""

import argparse
import ipaddress
import os
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from backend.errors import SettingsError
from backend.network.addresses import is_loopback

PREFIX = "PARLEY_"
# Megabytes.
LARGEST_UPLOAD, LARGEST_UNPACKED = 200, 200
SHORTEST_CODE = 12
NUMBERED_ROWS = "-"  # in place of a column of ids
SECRET = ("review_code",)  # settings whose values no message repeats


class Settings(BaseModel):
    """The choices of one run; immutable, and shared by everything in the process."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    host: str = Field("127.0.0.1", description="address to listen on; 0.0.0.0 lets other computers in")
    port: int = Field(7860, ge=0, le=65535, description="port to listen on; 0 takes the first free one from 7860")
    root_path: str = Field(
        "", pattern=r"^(/[^/\s?#]+)*$|^https?://\S+$", description="path or address under which a proxy serves Parley: /parley"
    )
    public: bool = Field(
        False, description="treat all who come as strangers, also where host is loopback, as behind a proxy of this computer"
    )
    allow_private_addresses: bool = Field(
        False,
        description="let visitors name servers of the private network, as in a lab; always so while nobody but this "
        "computer can come, never on a Space",
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="proxies whose X-Forwarded-For is believed, by address or network, such as 127.0.0.1 or "
        "10.0.0.0/8; separate them by commas",
    )
    data_dir: Path = Field(Path(".parley"), description="folder for the database and the cache; made if missing")
    database_url: str | None = Field(None, description="SQLAlchemy URL of a database, in place of the one in data_dir")
    dataset: str = Field("diabetes", min_length=1, description="diabetes, german, compas or a folder with dataset.toml")
    data: Path | None = Field(None, description="your own table in place of dataset: a CSV file with a header line")
    target: str | None = Field(None, min_length=1, description="the column of data that is to be predicted")
    task: Literal["classification", "regression"] | None = Field(
        None, description="classification or regression, where the target holds whole numbers that could be either"
    )
    id_column: str | None = Field(
        None, min_length=1, description=f"the column of data that identifies rows; {NUMBERED_ROWS} numbers them from 0 on"
    )
    model: Path | None = Field(None, description="a model for data, saved with skops; without one, a model is trained")
    config: Path | None = Field(None, description="a dataset.toml that describes data: units, names, definitions")
    second: Path | None = Field(None, description="a second table with the same columns, as a CSV file: drift and outliers")
    trusted_types: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="types that a model file may contain besides the known ones; separate names by commas"
    )
    allow_pickle: bool = Field(
        False, description="also load model as a pickle or joblib file; such a file can run any code on this computer"
    )
    parser: str = Field(
        "learned",
        min_length=1,
        description="how questions about data are understood: learned, learned:second=off (a third of the time, and more is "
        "misread), linker, nearest, few-shot, seq2seq:NAME_OR_FOLDER or the folder of a model made by `python -m ttm finetune`",
    )
    kb: str | None = Field(
        None,
        min_length=1,
        description="knowledge base to ask, in place of the one that comes with Parley: an RDF file, a "
        "folder made by `python -m inspired load-kb`, or the address of a SPARQL endpoint",
    )
    kb_wording: str | None = Field(
        None,
        min_length=1,
        description="what words the steps of a question, in place of templates: a folder made by "
        "`python -m inspired train subquestion`, or a model of the Hugging Face hub",
    )
    study: Path | None = Field(None, description="folder of an annotation study that is opened at the start")
    study_lead: str | None = Field(
        None, min_length=1, description="Hugging Face username that leads study, where people sign in with such accounts"
    )
    review_code: str | None = Field(
        None,
        min_length=SHORTEST_CODE,
        description="what a reviewer types to see and decide on what all visitors wrote, where "
        "strangers can come; without it they see their own, and nobody decides there",
    )
    largest_upload: int = Field(LARGEST_UPLOAD, ge=1, description="megabytes that a file may have that a visitor uploads")
    largest_unpacked: int = Field(
        LARGEST_UNPACKED, ge=1, description="megabytes that a model file, or a visitor's packed rows, may have once unpacked"
    )
    operations: Path | None = Field(
        None, description="folder of .py files that add operations, explainers, task types or baselines; they can run any code"
    )
    seed: int = Field(0, ge=0, le=2**32 - 1, description="start of every random draw: equal seeds, equal answers")

    @field_validator("trusted_types", "trusted_proxies", mode="before")
    @classmethod
    def _names_between_commas(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(name.strip() for name in value.split(",") if name.strip())
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        # A name, or the "*" of other servers, would have visitors say themselves where they call from.
        return tuple(str(ipaddress.ip_network(each, strict=False)) for each in value)

    @model_validator(mode="after")
    def _own_data_is_complete(self) -> Self:
        if self.data is None:
            stray = [name for name in ("target", "task", "id_column", "model", "config") if getattr(self, name) is not None]
            if stray:
                raise ValueError(f"{_option(stray[0])} describes your own table and needs --data FILE.csv beside it")
        elif self.target is None and self.config is None:
            raise ValueError("--data needs --target COLUMN, or a --config file that names the target")
        if self.study_lead is not None and self.study is None:
            raise ValueError("--study-lead needs --study FOLDER, which it leads")
        if self.allow_pickle and self.model is None:
            raise ValueError("--allow-pickle only goes with --model FILE")
        return self

    @property
    def open_to_strangers(self) -> bool:
        """Whether others than the person at this computer can come: host is not loopback, or a proxy stands in front."""
        return self.public or bool(self.root_path) or not is_loopback(self.host)

    @property
    def visitors_reach_private(self) -> bool:
        """Whether an address that a visitor names may lie on this computer or in its private network."""
        return self.allow_private_addresses or not self.open_to_strangers

    @property
    def database_address(self) -> str:
        """SQLAlchemy URL of the database in use: `database_url`, or a SQLite file in `data_dir`."""
        return self.database_url or f"sqlite:///{(self.data_dir / 'parley.sqlite').absolute()}"

    @property
    def cache_dir(self) -> Path:
        return self.data_dir / "cache"


def add_options(parser: argparse.ArgumentParser, names: Collection[str] = tuple(Settings.model_fields)) -> None:
    """Give `parser` an option for each setting in `names`; an option that is not used leaves no trace in the result."""
    for name in names:
        field = Settings.model_fields[name]
        about = field.description if field.default in (None, False, (), "") else f"{field.description} ({field.default})"
        if isinstance(field.default, bool):
            parser.add_argument(_option(name), action="store_true", default=argparse.SUPPRESS, help=about)
        else:
            parser.add_argument(_option(name), metavar=METAVARS[name], default=argparse.SUPPRESS, help=about)


def read_settings(overrides: Mapping[str, Any] | None = None, env_file: Path | str | None = ".env") -> Settings:
    """Settings from `overrides` (of the command line), the environment and `env_file`, the first to speak wins.

    Raises SettingsError naming the setting and what it accepts.
    """
    try:
        read = _Outside(_env_file=env_file, **(overrides or {}))  # type: ignore[call-arg]  # hidden by Settings
    except ValidationError as error:
        raise SettingsError(_in_words(error)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"Cannot read {env_file}: {error}.") from error
    if os.environ.get("SPACE_ID") and read.allow_private_addresses:
        raise SettingsError("--allow-private-addresses cannot be used on a Space, where strangers would reach its network.")
    return Settings(**{name: getattr(read, name) for name in read.model_fields_set})


METAVARS = {
    "host": "ADDRESS",
    "port": "NUMBER",
    "root_path": "PATH",
    "data_dir": "FOLDER",
    "database_url": "URL",
    "dataset": "NAME",
    "data": "FILE.csv",
    "target": "COLUMN",
    "task": "NAME",
    "id_column": "COLUMN",
    "model": "FILE.skops",
    "config": "FILE.toml",
    "second": "FILE.csv",
    "trusted_proxies": "ADDRESSES",
    "trusted_types": "NAMES",
    "parser": "NAME|FOLDER",
    "kb": "FILE|FOLDER|URL",
    "kb_wording": "FOLDER|NAME",
    "study": "FOLDER",
    "study_lead": "USERNAME",
    "review_code": "CODE",
    "largest_upload": "MEGABYTES",
    "largest_unpacked": "MEGABYTES",
    "operations": "FOLDER",
    "seed": "NUMBER",
}


class _Outside(BaseSettings, Settings):
    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file_encoding="utf-8", env_ignore_empty=True, dotenv_filtering="match_prefix"
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[Any, ...]:
        return init_settings, env_settings, dotenv_settings, _from_the_host


# What others call a setting of ours; the first that is set counts.
OTHER_NAMES = {
    "host": ("GRADIO_SERVER_NAME",),
    "port": ("GRADIO_SERVER_PORT", "PORT"),
    "root_path": ("GRADIO_ROOT_PATH",),
}
# Where a Space keeps files over a restart, if its owner pays for that.
PERSISTENT = Path("/data")
# The network in which the proxies of Spaces stand; nothing else reaches the container of one.
PROXIES_OF_SPACES = "10.0.0.0/8"


def _from_the_host() -> dict[str, Any]:
    """The settings that follow from where Parley runs, by name."""
    chosen: dict[str, Any] = {}
    for name, variables in OTHER_NAMES.items():
        values = [os.environ[variable] for variable in variables if os.environ.get(variable)]
        chosen |= {name: values[0]} if values else {}
    return _on_spaces() | chosen if os.environ.get("SPACE_ID") else chosen


def _on_spaces() -> dict[str, Any]:
    # Hugging Face Spaces reaches the app from outside its container, and sets SPACE_ID. A Space may not write beside its code.
    folders = (PERSISTENT / "parley", Path(".parley"), Path(tempfile.gettempdir()) / "parley")
    writable = [folder for folder in folders if os.access(folder if folder.exists() else folder.parent, os.W_OK)]
    return {
        "host": "0.0.0.0",
        "public": True,
        "trusted_proxies": PROXIES_OF_SPACES,
        **({"data_dir": writable[0]} if writable else {}),
    }


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _in_words(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    reason = first["msg"].removeprefix("Value error, ")
    if not first["loc"]:
        return f"{reason[0].upper()}{reason[1:]}."
    name = str(first["loc"][0]).lower().removeprefix(PREFIX.lower())
    if first["type"] == "extra_forbidden":
        return f"There is no setting {PREFIX}{name.upper()}. Known settings: {', '.join(Settings.model_fields)}."
    if name not in Settings.model_fields:
        return f"{first['loc'][0]}: {reason}."
    variables = [PREFIX + name.upper(), *(variable for variable in OTHER_NAMES.get(name, ()) if os.environ.get(variable))]
    value = "what it is" if name in SECRET else repr(first["input"])
    return f"{_option(name)} (or {', '.join(variables)}) cannot be {value}: {reason[0].lower()}{reason[1:]}."
