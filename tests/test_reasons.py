"""A statement says the same with a reason and without one."""

from __future__ import annotations

import pytest

from everthread.domain.memory.contradictions import contradicts
from everthread.domain.text.reasons import without_reason

pytestmark = pytest.mark.req("B-16", "X-18")


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("We ship on 4 December because of the holidays.", "We ship on 4 December"),
        (
            "The budget was cut to 3,500 euros, due to the delay",
            "The budget was cut to 3,500 euros",
        ),
        ("Wir treffen uns am Montag, weil Jana krank ist.", "Wir treffen uns am Montag"),
        ("On livre lundi parce que le client est absent", "On livre lundi"),
        ("La reunión es el lunes porque Ana viaja.", "La reunión es el lunes"),
    ],
)
def test_the_reason_is_left_out(text: str, alone: str) -> None:
    assert without_reason(text) == alone


@pytest.mark.parametrize(
    "text",
    [
        "We ship on 4 December.",
        "The build is slow, but not because of the tests.",
        "That is because the cache is cold.",
        "The rent is due to the landlord by the third: 900 euros",
        "Because of the holidays we ship on 4 December.",
        "We waited because of the holidays; the date is 4 December.",
        "We have used Go since the start",
    ],
)
def test_what_is_no_reason_at_the_end_stays(text: str) -> None:
    assert without_reason(text) == text


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (
            "The launch moved to 4 December because of the holidays.",
            "The launch is on 27 November.",
        ),
        ("The deadline is Monday because the client is away.", "The deadline is Friday."),
        (
            "The deadline is Monday.",
            "The deadline is Friday because the client leaves on Saturday.",
        ),
        ("The budget was cut to 3,500 euros due to the delay.", "The budget is 4,000 euros."),
    ],
)
def test_a_reason_saves_no_old_value(new: str, old: str) -> None:
    assert contradicts(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The launch went well because of the team.", "The launch is on 27 November."),
        ("Lena stays in Bonn because the job is in Bonn.", "Lena likes Cologne."),
        ("The deploy failed because the port is 8090.", "The port is 8080 because of the proxy."),
    ],
)
def test_a_reason_ends_nothing(new: str, old: str) -> None:
    assert not contradicts(new, old)
