"""The gold suite format: what is written can be read again, and a bad file is refused as a whole with its bad lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.parses.gold_suite import one_line, read_suite, suite_text
from annotation.parses.pairs import Imported
from backend.errors import AnnotationError, ParseError


def _anything(parse: str) -> None:
    pass


def _no_x(parse: str) -> None:
    if "x" in parse:
        raise ParseError('"x" does not fit here. Here could stand: y.')


lines = st.text(st.characters(exclude_categories=["Cs", "Cc"])).map(one_line).filter(bool)


@given(st.dictionaries(lines, st.sampled_from(["predict [E]", "filter id 5 and show [E]"])))
def test_what_is_written_is_read_again(pairs: dict[str, str]) -> None:
    if pairs:
        read = read_suite(suite_text(pairs.items()).encode(), _anything)
        assert {pair.utterance: pair.parse for pair in read} == pairs


def test_the_format_is_the_published_one() -> None:
    assert suite_text([("why\n5?", "filter id 5 and explain features [e]")]) == (
        "why 5?\nfilter id 5 and explain features [E]\n\n"
    )
    assert suite_text([("a", "show")]) == suite_text([("a", "show  [E]")]) == "a\nshow [E]\n\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_files_of_other_computers_are_read(end: str) -> None:
    text = end.join(["", "\ufeffa"[1:], "show [E]  ", "", " ", "", "b", "label [E]"])
    pairs = [Imported("a", "show [E]", 2), Imported("b", "label [E]", 7)]
    assert read_suite(text.encode(), _anything) == pairs
    assert read_suite(b"\xef\xbb\xbf" + text.encode(), _anything) == pairs


def test_a_pair_that_stands_twice_counts_once() -> None:
    assert len(read_suite(b"a\nfilter id 5 and show [E]\n\na\nFilter id 5 and show [e]\n\n", _anything)) == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a\nshow [E]\n\nb\n\n", "Line 4 stands alone; an utterance needs its parse"),
        (b"a\nshow [E]\nb\nshow [E]\n\n", "Line 3: .* empty line"),
        (b"a\nshow [E]\n\nb\nx [E]\n\n", "Line 5: .*Here could stand: y"),
        (b"a\nshow [E]\n\na\nlabel [E]\n\n", "Line 4: the utterance of line 1 again"),
        (b"a\nshow [E]\n\nb\xff\nlabel [E]\n\n", "Line 4 is not UTF-8"),
        (b"a\nshow [E]\n\nb\0\nlabel [E]\n\n", "Line 4: .*NUL"),
        (b"\n \n", "empty"),
        (b"a" * 20_000_001, "at most"),
    ],
)
def test_a_bad_file_is_refused_with_its_bad_lines(content: bytes, says: str) -> None:
    with pytest.raises(AnnotationError, match=says):
        read_suite(content, _no_x)


def test_of_many_bad_lines_the_first_are_named_and_the_rest_counted() -> None:
    with pytest.raises(AnnotationError) as caught:
        read_suite(b"".join(b"q%d\nx [E]\n\n" % number for number in range(8)), _no_x)
    assert caught.value.message.count("Line ") == 5
    assert "And 3 more." in caught.value.message
