"""Twenty people at once on one process: conversations stay apart, and a simple question is answered soon."""

from collections.abc import Iterator

import pytest

from benchmarks.chat import measure, report, serving

PEOPLE = 20
BOUND_SECONDS = 3.0  # the aim is 0.5; machines that test several things at once are slower than those that serve


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as url:
        yield url


@pytest.mark.slow
def test_twenty_people_at_once_are_answered_soon_and_apart(url: str) -> None:
    found = measure(url, PEOPLE, questions=8)
    print(report(found))
    assert found.answers == PEOPLE * 8
    assert found.mixed == 0
    assert found.seconds_p95 < BOUND_SECONDS
