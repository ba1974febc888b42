"""`python -m annotation serve`: open one study in browsers, and nothing else of Parley."""

import argparse
import os

from annotation.commands.places import add_place, add_study, database_of, settings_of
from backend.program.settings import add_options

ADDRESS = ("host", "port", "trusted_proxies")


def arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_options(parser, ADDRESS)
    add_place(parser)


def run(args: argparse.Namespace) -> None:
    # Before the first import of gradio, which else reports that it was started.
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    from annotation.studies.study import open_study
    from annotation.ui.served import serve

    database = database_of(args)
    settings = settings_of(args, **{name: getattr(args, name) for name in ADDRESS if hasattr(args, name)})
    serve(open_study(database, args.study), settings)
