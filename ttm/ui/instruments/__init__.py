"""What is done by mouse beside the chat, each with a button that puts the same into the conversation."""

from pathlib import Path

SCRIPT = Path(__file__).with_name("instruments.js")
STYLE = Path(__file__).with_name("instruments.css")
