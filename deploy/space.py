"""Put the commit that is checked out onto a Hugging Face Space, which then builds and starts it.

    hf auth login                                    # once; or set HF_TOKEN to a token that may write
    python deploy/space.py USERNAME/parley           # makes the Space if there is none; --private hides it

Files go over HTTP, where the hub itself stores binary ones as large files: neither Git LFS nor a Git remote is needed.
"""

import argparse
import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from httpx2 import TransportError  # what the hub's client uses
from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalTokenNotFoundError, OfflineModeIsEnabled

ROOT = Path(__file__).parent.parent
LARGE_FILE = "filter=lfs diff=lfs merge=lfs -text"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="deploy/space.py", description="Put this commit onto a Hugging Face Space.")
    parser.add_argument("space", metavar="USERNAME/NAME")
    parser.add_argument("--private", action="store_true", help="make a new Space that only you can open")
    args = parser.parse_args(argv)
    try:
        with tempfile.TemporaryDirectory() as folder:
            commit = export(ROOT, Path(folder))
            address = publish(HfApi(), args.space, Path(folder), f"Parley at {commit}", args.private)
    except (FileNotFoundError, subprocess.CalledProcessError):
        print(f"{ROOT} is no Git checkout, or Git is not installed: what to upload is not known.", file=sys.stderr)  # noqa: T201
        return 2
    except LocalTokenNotFoundError:
        print("Nobody is signed in: run `hf auth login`, or set HF_TOKEN.", file=sys.stderr)  # noqa: T201
        return 2
    except (HfHubHTTPError, HFValidationError, OfflineModeIsEnabled, TransportError) as error:
        print(f"The Space {args.space} could not be written: {error}", file=sys.stderr)  # noqa: T201
        return 2
    print(f"{address} now builds this commit; its page shows the log.")  # noqa: T201
    return 0


def export(checkout: Path, folder: Path) -> str:
    """Write the files of the commit that is checked out into `folder`, ready for a Space. Return the short id of the commit."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=checkout, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    attributes = folder / ".gitattributes"
    attributes.write_text(large_files(attributes.read_text(encoding="utf-8")), encoding="utf-8")
    described = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=checkout, check=True, capture_output=True, text=True
    )
    return described.stdout.strip()


def large_files(attributes: str) -> str:
    """The text of a .gitattributes file in which what was only binary belongs to Git LFS."""
    lines = (line.rstrip() for line in attributes.splitlines())
    return "".join(
        f"{line.removesuffix(' binary')} {LARGE_FILE}\n" if line.endswith(" binary") else f"{line}\n" for line in lines
    )


def publish(hub: HfApi, space: str, folder: Path, message: str, private: bool) -> str:
    """Make the Space if there is none and have it hold exactly what `folder` holds. Return its address."""
    address = hub.create_repo(space, repo_type="space", space_sdk="gradio", private=private, exist_ok=True)
    hub.upload_folder(repo_id=space, repo_type="space", folder_path=folder, commit_message=message, delete_patterns="*")
    return str(address)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
