"""A fault told by what one sees is a fault, and stands until somebody mends it."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.symptoms import tells_fault
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "LA-10")

SAID = [("user", "Help me with the scanner."), ("agent", "Put the page in and press Start.")]


EVERYDAY = [
    "They don't open on Sundays.",
    "The kids don't start school again until the 13th.",
    "It won't start until 8pm.",
    "The notice period doesn't start until the goods are inspected.",
    "The picture is black and white.",
    "The app is now white, as I wanted.",
    "Nothing happened at the meeting.",
    "I couldn't save any money last year.",
    "It does not run in our family.",
    "Still nothing from Marie, she is on holiday.",
]
FAULT = ("user", "the scan page is blank")


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
        "The build fails on Windows.",
        "It won't save my changes.",
        "I pressed the button but nothing happened.",
        "It doesn't load on my phone.",
        "The file won't open when I double-click it.",
        "It's stuck at 40%",
        "My printer no longer prints.",
        "I can't open the attachment.",
        "L'imprimante ne répond plus.",
    ],
)
def test_a_fault_is_heard_by_what_one_sees(text: str) -> None:
    assert tells_fault(parse_sentence(text))


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
        *EVERYDAY,
        "We don't open before ten.",
        "The museum doesn't open today.",
        "The page is blank now, good.",
        "The text is white.",
        "My calendar is empty on Friday.",
        "I couldn't connect with her family.",
        "It won't stop raining.",
        "Nothing changed in Berlin.",
        "I can't start before May.",
        "It takes forever to get a permit.",
        "Turns out my sister is coming too.",
        "I failed the exam.",
        "We can't start the project before June.",
        "The map is gone, I sold it.",
        "That won't work.",
        "The phone is broken, so I bought a new one.",
        "This no longer works for our marriage.",
        "Er geht nicht zur Schule.",
        "Il ne répond pas à mes lettres.",
        "我快崩溃了",
        "안 돼!",
    ],
)
def test_what_only_sounds_so_is_none(text: str) -> None:
    assert not tells_fault(parse_sentence(text))


@pytest.mark.parametrize("text", EVERYDAY)
def test_what_is_told_of_everyday_life_waits_for_no_answer(text: str) -> None:
    digest = gleaned(*SAID, ("user", text), ("agent", "Which one do you mean?"))
    assert of("failure", digest) == []
    assert [p.text for p in digest.points if p.kind == "open_item" and p.by == "user"] == []
    assert text in of("fact", digest)


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        ("The form doesn't load until I press reload.", True),
        ("The script doesn't run in our pipeline.", True),
        ("The term doesn't start before May.", False),
        ("The pool does not open on Mondays.", False),
    ],
)
def test_a_fault_told_by_name_is_a_request_and_a_timetable_is_none(text: str, waits: bool) -> None:
    digest = gleaned(*SAID, ("user", text), ("agent", "One moment."))
    assert (text in of("open_item", digest)) is waits


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
    assert past(gleaned(*SAID, FAULT, *after))


def past(digest: Digest) -> bool:
    """It is no fault any more, and told all the same."""
    told = [*of("request", digest), *of("open_item", digest), *of("fact", digest)]
    assert (FAULT[1] in told) is not (FAULT[1] in of("failure", digest))
    return FAULT[1] in told


@pytest.mark.parametrize(
    "reply",
    [
        "The template path was wrong. I corrected it and the page loads again.",
        "The bug was in scan.js. I fixed it.",
        "I fixed the broken selector.",
        "The service had crashed. I restarted it.",
        "A missing import made it fail. I've put it back, so it doesn't crash any more.",
        "The style sheet could not be found because of a typo. It's corrected and loads again.",
        "Turns out the cache was stale. I cleared it.",
        "I've updated scan.html. The path was wrong there.",
        "I've put the driver back. An update had broken it.",
        "Der Pfad war falsch, das ist korrigiert.",
    ],
)
def test_who_mends_a_fault_names_its_cause(reply: str) -> None:
    assert past(gleaned(*SAID, FAULT, ("agent", reply)))


@pytest.mark.parametrize(
    "reply",
    [
        "I restarted the service. It still fails.",
        "I corrected the path, but the page doesn't load.",
        "I looked into the log.",
        "Once you restart the service, it works again.",
        "I could not fix it.",
        "I'll fix it.",
        "I cleared the cache. Unfortunately the problem persists.",
    ],
)
def test_a_deed_in_vain_or_to_come_mends_nothing(reply: str) -> None:
    assert not past(gleaned(*SAID, FAULT, ("agent", reply)))


@pytest.mark.parametrize("ranges", [1, 2, 3])
@pytest.mark.parametrize(
    "words",
    [
        "That helped.",
        "It was my ad blocker, solved.",
        "Ok, it loads again.",
        "That did the trick, thanks.",
        "I can see it now.",
        "Never mind, my mistake.",
        "Jetzt geht es.",
        "ok. now the footer should be green",
        "Oh, it was the cache.",
        "Great, it's working.",
        "It works now. But the print button is broken.",
    ],
)
def test_who_is_helped_or_goes_on_to_other_work_has_done_with_it(words: str, ranges: int) -> None:
    talk = (*SAID, FAULT, ("agent", "Reload it."), ("user", words), ("agent", "Good."))
    assert past(gleaned(*talk, ranges=ranges))


@pytest.mark.parametrize(
    "words",
    [
        "That helped a bit, but it is still blank.",
        "Still blank. Make the footer green.",
        "The page is blank in the other browser, too. Make the footer green.",
        "Please fix it.",
        "Look at the scan page again.",
    ],
)
def test_a_fault_that_she_comes_back_to_stands(words: str) -> None:
    digest = gleaned(*SAID, FAULT, ("agent", "Reload it."), ("user", words))
    assert not past(digest)


def test_what_is_told_beside_a_fault_is_told_with_it() -> None:
    told = "I put the new firmware 4.2 on the Epson ET-2850. The scan page is blank."
    digest = gleaned(*SAID, ("user", told), ("agent", "Which browser is it?"))
    assert of("failure", digest) == [told]


def test_a_fault_told_with_a_request_is_its_ground() -> None:
    asked = "The page is blank. Please look into the log."
    digest = gleaned(*SAID, ("user", asked), ("agent", "One moment."))
    assert of("failure", digest) == []
    assert asked in of("open_item", digest)
