"""Choosing the model: the fields, and what is opened for them.

A typed key goes from its field into the model that is opened, and nowhere else: it is in no state, file, log or message. The
keys of the person who runs Parley are never used here, since a visitor names the address that a key is sent to.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import gradio as gr

from backend.errors import FaithfulnessError
from backend.models.language_models import PACKAGED_MODEL, LanguageModel, OpenAIEndpoint, PackagedModel
from backend.network.addresses import refuse_private_number
from backend.network.visitor_transport import visitor_client
from faithfulness.method.prompting import PROTOCOLS
from faithfulness.method.regions import Splitter
from faithfulness.runs.profiles import Profile, profile_of, profiles

PACKAGED = "SmolLM2-135M, on this computer"
SERVER = "A server with the OpenAI interface"
PROTOCOL_CHOICES = [(protocol.name, key) for key, protocol in PROTOCOLS.items()]
# What a visitor's call may take, and how often it is sent again: a server that never answers holds a thread so long.
VISITOR_SECONDS, VISITOR_RETRIES = 60.0, 1
CUTS = {
    "Equal parts, moved to sentence ends": Splitter.SENTENCES,
    "Equal numbers of words (the paper, to the letter)": Splitter.WORDS,
}


@cache
def packaged_model() -> PackagedModel:
    """One for the process: its weights are loaded once, at the first question."""
    return PackagedModel()


def chosen_profiles(choice: str, address: str, names: Sequence[str], protocol: str | None) -> tuple[Profile, ...]:
    """The profiles of the models that were chosen; without a protocol, each has that of `runs/profiles.toml`.

    Raises FaithfulnessError naming what is missing.
    """
    if choice == PACKAGED:
        return (profile_of(PACKAGED_MODEL, protocol=protocol),)
    address = (address or "").strip()
    wanted = list(dict.fromkeys(name.strip() for name in names if name and name.strip()))
    if address and not address.startswith(("http://", "https://")):
        raise FaithfulnessError("The address of a server starts with http:// or https://, such as http://localhost:8000/v1.")
    profiles = tuple(profile_of(name, address or None, protocol=protocol) for name in wanted)
    if any(profile.transformers for profile in profiles):
        raise FaithfulnessError("Models that transformers loads are not offered to visitors; see `python -m faithfulness run`.")
    if not profiles or any(not profile.packaged and not profile.base_url for profile in profiles):
        raise FaithfulnessError("A server needs its address (such as http://localhost:8000/v1) and the name of a model.")
    return profiles


def open_model(profile: Profile, key: str, private: bool = False) -> LanguageModel:
    """The model of a profile, asked with the key that was typed; nothing is sent yet.

    A visitor's address may lie in the private network only if `private`; one of `runs/profiles.toml` is the operator's choice.
    """
    if profile.packaged:
        return packaged_model()
    if not profile.base_url:
        raise FaithfulnessError(f"It is not known where {profile.name} is.")
    listed = profile.base_url == profiles().get(profile.name, {}).get("base_url")
    if not (private or listed):
        refuse_private_number(profile.base_url)  # before anything that takes time is made for it
    client = partial(visitor_client, private or listed, VISITOR_SECONDS)
    return OpenAIEndpoint(profile.base_url, profile.name, key.strip(), VISITOR_SECONDS, VISITOR_RETRIES, client=client)


@dataclass(frozen=True)
class ModelFields:
    """`inputs` in the order of `chosen_profiles` and then the key."""

    choice: gr.Radio
    address: gr.Textbox
    names: gr.Dropdown
    key: gr.Textbox
    server: gr.Group

    @property
    def inputs(self) -> list[Any]:
        return [self.choice, self.address, self.names, self.key]


def place(several: bool, about_key: str) -> ModelFields:
    """The fields, for one model or for several."""
    known = [name for name, facts in profiles().items() if facts.get("base_url")]
    choice = gr.Radio([PACKAGED, SERVER], value=PACKAGED, label="Model")
    with gr.Group(visible=False) as server:
        address = gr.Textbox(
            label="Address", placeholder="http://localhost:8000/v1", info="Left empty, that of a model in the list is used."
        )
        names = gr.Dropdown(
            known, value=[] if several else "", multiselect=several, allow_custom_value=True,
            label="Names of the models" if several else "Name of the model", info="Choose, or type another and press Enter.",
        )  # fmt: skip
        key = gr.Textbox(label="Key", type="password", info=about_key)
    return ModelFields(choice, address, names, key, server)


def show_server(choice: str) -> Any:
    return gr.update(visible=choice == SERVER)
