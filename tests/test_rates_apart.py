"""What is paid by the month is told of many things: another sum of that kind changes none of them."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.gleaner import Gleaner
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "LA-8")


def told(*texts: str) -> list[str]:
    gleaner = Gleaner()
    for n, text in enumerate(texts):
        gleaner.read(spoken(text, n=n))
    return [point.text for point in gleaner.digest().points]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (
            "We signed with Helvetia for the car, 89 a month.",
            "We cancelled O2 and are now with Vodafone, 44.95 a month.",
        ),
        (
            "Our office is with Regus, 900 a month.",
            "We've cancelled AWS and are now at Hetzner, 240 a month.",
        ),
        (
            "Mia signed up for ballet on Tuesdays, 45 a month.",
            "Jakob stopped football and is now doing judo, 30 a month.",
        ),
        (
            "We signed with Allianz for the house, 31 per month.",
            "We left Spotify and are now with Deezer, 11 per month.",
        ),
        (
            "Die Haftpflicht haben wir bei der Huk unterschrieben, 12 Euro im Monat.",
            "Beim Handy haben wir gekündigt und sind jetzt bei Congstar, 20 Euro im Monat.",
        ),
    ],
)
def test_another_rate_of_the_same_kind_takes_nothing_away(first: str, later: str) -> None:
    assert {first, later} <= {*told(first, "We planted beans.", later)}


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("The garage is 90 a month.", "The garage is 110 a month now."),
        ("I take methotrexate 15 mg.", "I go down to 10 mg methotrexate now."),
        ("The dose is 20 ml sirup.", "We raise it to 25 ml sirup now."),
    ],
)
def test_another_rate_of_the_same_thing_does(first: str, later: str) -> None:
    now = told(first, "We planted beans.", later)
    assert first not in now
    assert later in now


def test_of_an_appointment_that_was_moved_nothing_old_is_left() -> None:
    """Neither the day nor the hour holds: `Handover is on […] at 10:00` told a wrong one."""
    now = told(
        "Handover is on 30 August at 10:00.",
        "We planted beans.",
        "The handover was moved, it's now 27 August, 2 pm.",
    )
    assert not [text for text in now if "10:00" in text or "30 August" in text]
    assert not [text for text in now if text.startswith("Handover is on")]


def test_the_hour_stays_where_only_the_day_was_moved() -> None:
    now = told(
        "Handover is on 30 August at 10:00.",
        "We planted beans.",
        "The handover was moved, it's now 27 August.",
    )
    assert [text for text in now if "10:00" in text]
    assert not [text for text in now if "30 August" in text]
