"""What terms of the trade mean, whatever the data set."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from ttm.tabular.data.schema import Schema


@dataclass(frozen=True)
class TradeTerm:
    """One entry of terms.toml; see there."""

    called: tuple[str, ...]
    text: str
    next: str
    of: str = ""
    method: bool = False

    def fits(self, schema: Schema) -> bool:
        """Whether a model of this data set has what the term means."""
        return not self.of or (self.of == "classes") == schema.target.is_classification


@lru_cache(maxsize=1)
def terms() -> dict[str, TradeTerm]:
    """The terms by their names in the language."""
    content = tomllib.loads(resources.files(__package__).joinpath("terms.toml").read_text("utf-8"))
    return {name: TradeTerm(tuple(entry.pop("called")), **entry) for name, entry in content.items()}
