"""Model files: skops for everybody, pickle and joblib only for those who say that they trust the file."""

import hashlib
import io
import json
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from backend.errors import ModelError
from backend.program.settings import LARGEST_UNPACKED
from backend.storage.unpacked_size import check_archive
from ttm.tabular.data.schema import Schema
from ttm.tabular.model.model import CrossValidationScores, Model
from ttm.tabular.model.native_files import is_native, read_native

PICKLES = (".pkl", ".pickle", ".joblib")
# Types that a skops file may hold without being allowed by name: plain Python objects whose attributes skops checks in
# turn. The fitted trees inside (xgboost.core.Booster, lightgbm.basic.Booster, sklearn.tree._tree.Tree, ...) are left
# out on purpose: native code follows the indices in them unchecked, so a crafted file could crash the process or read
# memory out of bounds. A user who trusts the origin of a file allows them by name.
KNOWN_SAFE = frozenset(
    {
        "collections.OrderedDict",
        "lightgbm.sklearn.LGBMClassifier",
        "lightgbm.sklearn.LGBMRegressor",
        "numpy.dtype",
        "ttm.tabular.data.encoding.FrameEncoder",
        "xgboost.sklearn.XGBClassifier",
        "xgboost.sklearn.XGBRegressor",
    }
)
# Modules whose types have moved since files with them were written: their name then, and now.
MOVED = {"ttm.encoding": "ttm.tabular.data.encoding"}
SCHEMA = "schema.json"  # the part of a skops file that names the types
# What the model files that come with the demos hold beyond that; for those files only.
DEMO_TYPES = ("xgboost.core.Booster",)


def read_estimator(
    path: Path, trusted: Sequence[str] = (), allow_pickle: bool = False, megabytes: int = LARGEST_UNPACKED
) -> Any:
    """Load a fitted estimator.

    Raises ModelError if the file is no model, has more than so many megabytes when it is unpacked, holds types outside
    KNOWN_SAFE that `trusted` does not name, or is a pickle or joblib file without `allow_pickle`.
    """
    if path.is_dir():
        raise ModelError(f"{path} is a folder; name the file of the model in it.")
    if not path.is_file():
        raise ModelError(f"There is no model file {path}.")
    if path.suffix.lower() in PICKLES:
        return _unpickled(path, allow_pickle)
    if is_native(path):
        return read_native(path, trusted)
    return _from_skops(path, trusted, megabytes)


def load_model(path: str | Path, schema: Schema, *, trusted: Sequence[str] = (), allow_pickle: bool = False) -> Model:
    """Load a model file and check that it fits the schema; see `read_estimator` for what is refused."""
    path = Path(path)
    return model_from_estimator(read_estimator(path, trusted, allow_pickle), path, schema)


def model_from_estimator(estimator: Any, path: Path, schema: Schema) -> Model:
    """Wrap an estimator read from `path`, with the description and scores that `save_model` left beside it, if any."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    about = _about(path, digest)
    kind = type(_last_step(estimator)).__name__
    scores = CrossValidationScores(**about["scores"]) if about.get("scores") else None
    return Model(
        estimator,
        schema,
        name=about.get("name", kind),
        fingerprint=digest,
        scores=scores,
        description=about.get("description", f"a {kind} loaded from {path.name}"),
    )


def save_model(model: Model, path: Path) -> None:
    """Write the estimator as a skops file, and a JSON file of the same name with its description and scores."""
    _skops().dump(model.estimator, path, compression=zipfile.ZIP_DEFLATED, compresslevel=9)
    about = {
        "name": model.name,
        "description": model.description,
        "scores": asdict(model.scores) if model.scores else None,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    path.with_suffix(".json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")


def _about(path: Path, digest: str) -> dict[str, Any]:
    """What stands beside the model file, unless it speaks of another one."""
    try:
        about = json.loads(path.with_suffix(".json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) and about.get("sha256") == digest else {}


def _last_step(estimator: Any) -> Any:
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if steps else estimator


def _from_skops(path: Path, trusted: Sequence[str], megabytes: int) -> Any:
    skops = _skops()
    try:
        with path.open("rb") as file:
            check_archive(file, path.name, ModelError, megabytes)
        content = _with_present_names(path.read_bytes())
        untrusted = skops.get_untrusted_types(data=content)
    except ModelError:
        raise
    except Exception as error:  # zipfile, json and skops raise all sorts of things for a file that is none of theirs
        raise ModelError(
            f"{path} is not a skops model file ({type(error).__name__}). Save the model with "
            "skops.io.dump, or give a pickle or joblib file with --allow-pickle if you trust it."
        ) from error
    refused = sorted(set(untrusted) - KNOWN_SAFE - set(trusted))
    if refused:
        raise ModelError(
            f"The model file {path} is refused because it holds {', '.join(refused)}: a crafted file "
            "could run code or crash the app with them. If you trust its origin, allow them by name: "
            f"--trusted-types {','.join(refused)}"
        )
    try:
        return skops.loads(content, trusted=untrusted)
    except Exception as error:  # a damaged file, or one written by an incompatible version
        raise ModelError(f"The model file {path} does not load: {type(error).__name__}: {error}") from error


def _with_present_names(content: bytes) -> bytes:
    """Return a skops file with the present names of types that have moved, so that files of earlier versions load."""
    with zipfile.ZipFile(io.BytesIO(content)) as before:
        schema = before.read(SCHEMA).decode()
        renamed = schema
        for old, new in MOVED.items():
            renamed = renamed.replace(f'"__module__": "{old}"', f'"__module__": "{new}"')
        if renamed == schema:
            return content
        after = io.BytesIO()
        with zipfile.ZipFile(after, "w") as made:
            for name in before.namelist():
                made.writestr(name, renamed if name == SCHEMA else before.read(name))
        return after.getvalue()


def _skops() -> Any:
    """skops.io, imported without torch and pytest.

    It looks for estimators in every package of scikit-learn, some of which import these where they are installed: seconds at
    each start. A package that cannot be imported is passed over, and a None in its place says so.
    """
    hidden = [name for name in ("sklearn.externals.array_api_compat.torch", "pytest") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        import skops.io

        return skops.io
    finally:
        for name in hidden:
            del sys.modules[name]


def _unpickled(path: Path, allow_pickle: bool) -> Any:
    if not allow_pickle:
        raise ModelError(
            f"{path} is a pickle, which can run any code when it is loaded. Save the model with "
            "skops.io.dump instead, or start with --allow-pickle if you trust the file."
        )
    import joblib

    try:
        return joblib.load(path)
    except Exception as error:  # unpickling can raise anything
        raise ModelError(f"The model file {path} does not load: {type(error).__name__}: {error}") from error
