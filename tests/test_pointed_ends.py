"""What ends without its name: by a word that points at the only thing of its kind, or by its number."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

OTHER = ("How high is the tower?", "40 metres.")
LATER = "I'll do that tomorrow."
PAY = "i need to pay the deposit by friday"
RENEW = "Can you remind me to renew my passport before the trip?"
TICKET = "Please close OPS-2211 after standup."
MAP = "I should also redo the map by friday."


def is_open(digest: Digest, text: str) -> bool:
    return any(text in p.text for p in digest.points if p.kind == "open_item")


@pytest.mark.parametrize(
    ("item", "end"),
    [
        (PAY, "tom paid it yesterday!"),
        (PAY, "ok, paid it."),
        (RENEW, "passport done, picked it up today"),
        (TICKET, "closing OPS-2211, disk 62, lag zero"),
        (TICKET, "OPS-2211 is resolved."),
        (MAP, "I redid the map"),
    ],
)
def test_it_is_over(item: str, end: str) -> None:
    assert is_open(read(*OTHER, item, LATER, *OTHER), item)
    assert not is_open(read(*OTHER, item, LATER, *OTHER, end, "Good."), item)


@pytest.mark.parametrize(
    ("item", "end"),
    [
        (PAY, "tom sold it yesterday!"),
        (PAY, "has tom paid it?"),
        (PAY, "tom paid it. The bank rejected it, though."),
        (PAY, "we'll be happy once tom paid it"),
        (RENEW, "the passport office is closed"),
        (TICKET, "closing OPS-2212"),
        (TICKET, "OPS-2211 is not closed."),
    ],
)
def test_it_is_open_still(item: str, end: str) -> None:
    assert is_open(read(*OTHER, item, LATER, *OTHER, end, "Good."), item)


def test_of_two_that_are_to_be_paid_none_is_meant() -> None:
    both = (PAY, "OK.", "i need to pay the band by monday", "OK.")
    found = read(*OTHER, *both, "tom paid it yesterday!", "Good.")
    assert is_open(found, PAY) and is_open(found, "band")
