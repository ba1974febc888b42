"""Knowledge bases: the one that ships with Parley, and those that people bring."""
