"""`parley serve` opens Parley on http://127.0.0.1:7860; `parley serve --help` lists the choices."""

from collections.abc import Sequence

from backend.program import command_line
from backend.program.settings import Settings, add_options, read_settings
from parley.process import suit_many_threads


def settings_from(argv: Sequence[str], program: str = "app.py") -> Settings:
    """Read the choices of one run. Raises SettingsError."""
    parser = command_line.CommandLineParser(prog=program, description="Start Parley and serve it to browsers.")
    add_options(parser)
    return read_settings(vars(parser.parse_args(argv)))


def main(argv: Sequence[str], program: str = "app.py") -> None:
    """Build the app and serve it until interrupted. Raises a ParleyError if something that it needs cannot be used."""
    settings = settings_from(argv, program)
    suit_many_threads()
    # skops asks each loaded module, in the order of loading, for each of 800 functions that mostly are in this one.
    import scipy.special  # noqa: F401

    from parley.app import build, launch  # the screens take seconds to import; --help and a wrong option do not wait for them

    launch(build(settings), settings)
