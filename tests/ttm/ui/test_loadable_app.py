"""A page made for `gr.load` answers inside the app of somebody else, each visitor in a conversation of their own."""

import gradio as gr
import pandas as pd
import pytest
from gradio.external import from_spaces_blocks
from gradio_client import Client

import ttm
from tests.served_app import serving

pytestmark = [
    pytest.mark.slow,
    # gradio hands the theme of the loaded page on to where its version 6 no longer takes one.
    pytest.mark.filterwarnings("ignore:The parameters have been moved from the Blocks constructor"),
]


def test_a_loaded_page_answers_and_goes_on() -> None:
    frame = pd.DataFrame({"age": range(20, 80), "churn": ["yes", "no"] * 30})
    chat = ttm.talk(lambda rows: (rows["age"] > 40) * 0.8, frame, target="churn", parser="linker")
    with serving(chat.app(loadable=True)) as address:
        # What `gr.load("spaces/NAME")` does after it has looked up the address of the Space.
        loaded = gr.load(address, src=lambda name, token: from_spaces_blocks(name, token))
        with serving(loaded) as elsewhere:
            client = Client(elsewhere, verbose=False, analytics_enabled=False)
            first, conversation, _ = client.predict("how many instances have age above <b>50</b>?", "", api_name="/ask")
            second, same, _ = client.predict("and what does the model predict for them?", conversation, api_name="/ask")
            other, another, _ = client.predict("how many instances are there?", "", api_name="/ask")
    assert (frame["age"] > 50).sum() == 29
    assert "<strong>29</strong> instances" in first
    assert "&lt;b&gt;50&lt;/b&gt;" in first
    assert "(29 of 60)" in second
    assert same == conversation
    assert another not in ("", conversation)
    assert "above 50" not in other
    assert chat.answers == ()
