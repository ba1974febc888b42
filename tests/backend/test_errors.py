"""What a browser shows of an error: not too long, and nothing of where things lie on the server."""

import pytest

from backend.errors import LONGEST_SHOWN, ParleyError


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("/tmp/gradio/0a1b/table.csv has no header.", "table.csv has no header."),
        ("Cannot open '/home/ann/.parley/parley.sqlite': no space.", "Cannot open 'parley.sqlite': no space."),
        ("The database sqlite:////data/parley/parley.sqlite cannot be used.", "The database parley.sqlite cannot be used."),
        (r"C:\Users\ann\table.csv, line 3: too long.", "table.csv, line 3: too long."),
        (
            "Write rows/2024 or 3/4 of http://localhost:8000/v1/models.",
            "Write rows/2024 or 3/4 of http://localhost:8000/v1/models.",
        ),
        ("https://example.org/a/b/c.json did not answer.", "https://example.org/a/b/c.json did not answer."),
        ("Use /ttm_chat, and/or --root-path /parley.", "Use /ttm_chat, and/or --root-path /parley."),
    ],
)
def test_folders_of_the_server_are_left_out_and_addresses_stay(message: str, shown: str) -> None:
    assert ParleyError(message).shown == shown
    assert ParleyError(message).message == message


def test_a_long_message_is_cut_where_it_is_shown() -> None:
    error = ParleyError("Unknown keys: " + ", ".join(f"key{number}" for number in range(60_000)))
    assert len(error.shown) == LONGEST_SHOWN
    assert error.shown.startswith("Unknown keys: key0, ")
    assert error.shown.endswith("…")
