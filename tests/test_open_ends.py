"""What was asked for is open no longer once it was done, given or settled; and stays so where it was not."""

from __future__ import annotations

import pytest

from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13")


def waiting(*texts: str) -> list[str]:
    return [
        p.text for p in gleaned_in_turn(*texts).points if p.kind == "open_item" and p.by == "user"
    ]


OVER = (
    ("Write fetch.py", "On it.", "Nice weather today.", "src/fetch.py is written, 64 lines."),
    (
        "Remind me to order 50 kg of clay from Carl Jäger.",
        "Will do.",
        "Clay is ordered, by the way.",
        "Great.",
    ),
    ("Can you send me the invoice template?", "One moment.", "Found it, thanks.", "Good."),
    ("Ask Bob for the key.", "I'll write to him.", "Bob gave me the key this morning.", "Great."),
    (
        "I still don't know what to do about flowers.",
        "We can look later.",
        "My aunt does the flowers, settled.",
        "Good.",
    ),
    ("Call me Mo.", "I'll call you Mo from now on."),
    (
        "We marry on Saturday 12 June with 90 guests.",
        "I'll keep track: Saturday 12 June, around 90 guests.",
    ),
)
WAITING = (
    ("Write fetch.py", "On it.", "Nice weather today.", "src/push.py is written, 64 lines."),
    ("Write fetch.py", "On it.", "Nice weather today.", "fetch.py is not written yet."),
    (
        "Remind me to order 50 kg of clay from Carl Jäger.",
        "Will do.",
        "The glaze is ordered, by the way.",
        "Great.",
    ),
    (
        "Ask Bob for the key.",
        "I'll write to him.",
        "Bob gave me the parcel this morning.",
        "Great.",
    ),
    ("Ask Bob for the key.", "I'll write to him.", "Anna gave me the key to the shed.", "Great."),
    ("Ask Jo for the keys.", "I'll write.", "Joanna gave me the keys.", "Great."),
    ("Ask Jo for the report.", "I'll write.", "Jo gave me the wrong report.", "Oh."),
    ("Ask Jo for the report.", "I'll write.", "Jo gave me half of the report.", "Oh."),
    (
        "Ask Eva for the password.",
        "I'll write.",
        "Eva gave a talk about the password policy.",
        "Nice.",
    ),
    ("Please fix src/api/config.py.", "On it.", "I fixed tests/config.py.", "Good."),
    (
        "I still don't know which hotel to take.",
        "We can look later.",
        "The hotel restaurant is booked on Sunday.",
        "Good.",
    ),
    ("Ask Bob for the key.", "I'll write to him.", "Has Bob given you the key yet?", "Not yet."),
    (
        "I still don't know what to do about flowers.",
        "We can look later.",
        "The cake is settled.",
        "Good.",
    ),
    ("Call me tomorrow.", "I'll remind you then."),
)


@pytest.mark.parametrize("talk", OVER, ids=lambda talk: talk[0])
def test_it_is_over(talk: tuple[str, ...]) -> None:
    assert talk[0] not in waiting(*talk)


@pytest.mark.parametrize("talk", WAITING, ids=lambda talk: " / ".join((talk[0], talk[-2])))
def test_it_waits_on(talk: tuple[str, ...]) -> None:
    assert talk[0] in waiting(*talk)
