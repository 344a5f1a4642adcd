"""What the agent said that it needs, and was put off, waits no longer once it is handed over."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

ASKED = "How many did we lose last week?"
NEEDS = "I'd need the nginx access log or the sender's delivery report."
LATER = "will paste later. the queue dies on restart, so we take a table"
OTHER = ("How high is the tower?", "It is 40 metres high.")


def left(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "open_item" and p.by == "agent"]


@pytest.mark.parametrize(
    "given",
    [
        "good. here's nginx for last week: `504 /hook: 1,274`",
        "Here are the nginx logs.",
        "ok, pasted the delivery report below",
        "I've attached the access log",
    ],
)
def test_what_is_handed_over_is_needed_no_longer(given: str) -> None:
    digest = read(
        ASKED, f"Can't tell from the code. {NEEDS}", LATER, "OK.", given, "Thanks.", *OTHER
    )
    assert NEEDS not in left(digest)


@pytest.mark.parametrize(
    "said",
    [
        "here's the new logo: `logo.svg`",
        "did you say you need the nginx log?",
        "nginx runs on port 80",
        "I'll paste the nginx log tomorrow",
    ],
)
def test_until_then_it_is(said: str) -> None:
    digest = read(ASKED, f"Can't tell from the code. {NEEDS}", LATER, "OK.", said, "Fine.", *OTHER)
    assert NEEDS in left(digest)
