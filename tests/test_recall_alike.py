"""What a better hit says already is not brought again; a long printout is compared to its end."""

from __future__ import annotations

from everthread.domain.recall.final_scores import COMPARED, one_of_each, ranked_message
from support.spoken import spoken

HEAD = " ".join(f"line{n} ok" for n in range(COMPARED // 5))


def brought(*texts: str) -> list[int]:
    """Which of these texts, best first, are shown."""
    found = [
        ranked_message(spoken(text, n=n), 1 - n / 10, {}, superseded=False)
        for n, text in enumerate(texts, 1)
    ]
    return [each.message.seq for each in one_of_each(found, 5).filled(5) if each.message]


def test_the_same_words_come_once() -> None:
    assert brought("The port is 8080.", "the port is 8080", "The port is 8081.") == [1, 3]


def test_long_texts_that_end_otherwise_are_two() -> None:
    assert brought(f"{HEAD} all passed", f"{HEAD} one failed") == [1, 2]


def test_long_texts_that_are_the_same_come_once() -> None:
    assert brought(f"{HEAD} all passed", f"{HEAD} all passed") == [1]
