"""A server with the OpenAI interface, on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faithfulness.run.planted import Endpoint


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()
