"""The version of Parley: in the app, in `parley --version`, and in every file that Parley writes for others."""

VERSION = "0.2.0"
