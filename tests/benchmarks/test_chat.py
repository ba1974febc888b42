"""Twenty people at once on one process: conversations stay apart, and every question is answered."""

from collections.abc import Iterator

import pytest

from benchmarks.chat.talks import measure, report, serving

PEOPLE = 20


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as url:
        yield url


@pytest.mark.slow
def test_twenty_people_at_once_are_answered_and_kept_apart(url: str) -> None:
    found = measure(url, PEOPLE, questions=8)
    print(report(found))
    assert found.answers == PEOPLE * 8
    assert found.mixed == 0
