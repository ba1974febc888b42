"""How a program of Parley begins and ends: settings, the command line, optional packages, the version."""
