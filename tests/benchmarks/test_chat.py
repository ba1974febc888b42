"""Eight people at once on one process: conversations stay apart, and every question is answered."""

from collections.abc import Iterator

import pytest

from benchmarks.chat.talks import measure, report, serving

PEOPLE, QUESTIONS = 8, 3


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as url:
        yield url


@pytest.mark.slow
def test_people_who_ask_at_once_are_answered_and_kept_apart(url: str) -> None:
    found = measure(url, PEOPLE, questions=QUESTIONS)
    print(report(found))
    assert found.answers == PEOPLE * QUESTIONS
    assert found.mixed == 0
