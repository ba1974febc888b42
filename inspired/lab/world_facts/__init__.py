"""How `world.ttl.gz` is made from public data packages: `python -m inspired build-kb`.

Each module of `economy/`, `geography/` and `society/` adds one field of knowledge to a `Facts`; `world.py` calls them in order,
`turtle_file.py` writes the outcome. The packages are needed here only, and nowhere else in Parley: `requirements.txt` in this
folder names them.
"""
