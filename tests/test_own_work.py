"""`Where do I work?` has one word, and that is small talk elsewhere: of oneself it is the question."""

from __future__ import annotations

import pytest

from everthread.domain.given.usefulness import bears_on, telling_words

pytestmark = pytest.mark.req("A-14")


@pytest.mark.parametrize(
    "asked", ["Where do I work?", "where do i work again?", "When do we work?"]
)
@pytest.mark.parametrize("text", ["I work at Siemens", "The user works at Siemens"])
def test_who_asks_where_she_works_is_told(asked: str, text: str) -> None:
    assert bears_on(text, telling_words(asked), memory=True)


@pytest.mark.parametrize(
    "asked", ["Does it work?", "How does it work?", "I work.", "Good work, thanks"]
)
def test_elsewhere_the_word_tells_nothing(asked: str) -> None:
    assert not bears_on("I work at Siemens", telling_words(asked), memory=True)


def test_a_short_word_that_is_all_of_the_question_is_found_in_what_is_kept() -> None:
    assert bears_on("the crc is 7", telling_words("which crc?"), memory=True)
    assert not bears_on("the sum is 7", telling_words("which crc?"), memory=True)
