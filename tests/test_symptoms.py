"""A fault told by what one sees is a fault, and stands until somebody mends it."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.reading import Gleaner
from everthread.domain.text.speech import heard
from everthread.domain.text.symptoms import faulty
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "LA-10")

SAID = [("user", "Help me with the scanner."), ("agent", "Put the page in and press Start.")]


def gleaned(*said: tuple[str, str], ranges: int = 1) -> Digest:
    """The digest of a talk, read in so many ranges."""
    digest, each = EMPTY, -(-len(said) // ranges)
    for first in range(0, len(said), each):
        gleaner = Gleaner(digest)
        for n, (who, text) in enumerate(said[first : first + each], start=first + 1):
            gleaner.read(spoken(text, who, n=n))  # pyright: ignore[reportArgumentType]
        digest = gleaner.digest()
    return digest


def of(kind: str, digest: Digest) -> list[str]:
    return [point.text for point in digest.points if point.kind == kind]


@pytest.mark.parametrize(
    "text",
    [
        "It still hangs at step 3",
        "nothing shows up",
        "The page is blank.",
        "The screen stays black.",
        "It won't open.",
        "Same error.",
        "still nothing",
        "I can't log in to the portal",
        "The export takes forever.",
        "Die Seite bleibt leer.",
        "Der Drucker druckt nicht.",
        "Rien ne se passe.",
        "La pantalla se queda en blanco.",
        "页面是空白的",
        "画面が表示されない",
    ],
)
def test_a_fault_is_heard_by_what_one_sees(text: str) -> None:
    assert faulty(heard(text))


@pytest.mark.parametrize(
    "text",
    [
        "Make sure the page is blank.",
        "If the page is blank, tell me.",
        "Is the page blank?",
        "It doesn't matter.",
        "Das hängt davon ab.",
        "I can't wait!",
        "My dog won't eat.",
        "Nothing beats a good cup of tea.",
        "It's still early.",
        "He keeps asking me.",
        "That doesn't show respect.",
    ],
)
def test_what_only_sounds_so_is_none(text: str) -> None:
    assert not faulty(heard(text))


@pytest.mark.parametrize("ranges", [1, 2, 3])
def test_a_fault_that_nobody_mended_stands_as_one(ranges: int) -> None:
    talk = [
        *SAID,
        ("user", "nothing shows up"),
        ("agent", "Try to switch it off and on again."),
        ("user", "How much is a new one?"),
        ("agent", "About 90 euros."),
    ]
    digest = gleaned(*talk, ranges=ranges)
    assert of("failure", digest) == ["nothing shows up"]
    assert "nothing shows up" not in of("request", digest)


@pytest.mark.parametrize(
    "after",
    [
        [("agent", "I've replaced the driver of the scanner.")],
        [("agent", "Try again."), ("user", "It works now."), ("agent", "Good.")],
        [("agent", "Try again."), ("user", "Thanks!"), ("agent", "You're welcome.")],
        [
            ("agent", "Try again."),
            ("user", "How much is a new one?"),
            ("agent", "About 90 euros."),
            ("user", "The scan page is fixed, the path was wrong."),
            ("agent", "Good."),
        ],
    ],
)
def test_a_fault_that_was_mended_is_past(after: list[tuple[str, str]]) -> None:
    digest = gleaned(*SAID, ("user", "the scan page is blank"), *after)
    assert of("failure", digest) == []
    told = [*of("request", digest), *of("open_item", digest)]
    assert "the scan page is blank" in told


def test_a_fault_told_with_a_request_is_its_ground() -> None:
    asked = "The page is blank. Please look into the log."
    digest = gleaned(*SAID, ("user", asked), ("agent", "One moment."))
    assert of("failure", digest) == []
    assert asked in of("open_item", digest)
