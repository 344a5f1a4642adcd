"""Where a summary is short, it tells what the person asked and said before what the agent claimed."""

from __future__ import annotations

import pytest

from everthread.domain.conversation.messages import Origin
from everthread.domain.distilling.summaries import Summary, render
from everthread.domain.gleaning.digest import WORDS, Digest, Point, Trace
from everthread.providers.tokenizer import BpeTokenizer

pytestmark = pytest.mark.req("A-6", "A-21")

MINUTE = 60_000
count = BpeTokenizer().count

WISHES = (
    "The harbour map should open on the inner basin, not on the whole coast.",
    "Berths that are let for the season are to be drawn in a darker blue.",
    "Skippers pay by the night, and the crane is charged by the half hour.",
    "The list for the harbour master needs one row a boat, sorted by length.",
    "When a boat leaves early the rest of what was paid goes to its next stay.",
    "Guests without a boat get no card for the gate, only a code for a day.",
)
CLAIMS = (
    "The gate service reads its codes from `gate.py` and holds them for a day.",
    "The crane table has 14 columns, of which `rate_half_hour` is read twice.",
    "Tiles of the map are cut at zoom 12 and kept under `static/tiles`.",
    "The night rate is rounded in `billing.py`, line 88, before tax is added.",
    "The list query joins `boats` and `stays` and takes 40 ms on the test data.",
    "Early leaving is read from `stays.left_at`, which is empty in most rows.",
)


def told(kind: str, text: str, by: Origin, n: int) -> Point:
    source = (n.to_bytes(16, "big"),)
    return Point(kind, text, source, by, n * MINUTE, 0.7, verbatim=by == "user")


def harbour(tokens: int) -> Summary:
    """A talk in which every wish was followed by a claim, and files were named all along."""
    said = [told(WORDS, text, "user", 2 * n) for n, text in enumerate(WISHES, 1)]
    claimed = [told("fact", text, "agent", 2 * n + 1) for n, text in enumerate(CLAIMS, 1)]
    points = sorted((*said, *claimed), key=lambda point: point.at_ms)
    ledger = [
        Trace("identifier", name, "", ((n + 1).to_bytes(16, "big"),), n * MINUTE, 2, 0.7)
        for n, name in enumerate(("rate_half_hour", "left_at", "GateCode", "BerthList"))
    ]
    digest = Digest(tuple(points), tuple(ledger), 24, MINUTE, 24 * MINUTE)
    return render(digest, number=1, tokens=tokens, count=count)


def test_a_short_summary_tells_all_that_the_person_said_before_an_agents_second_claim() -> None:
    """A-21"""
    shown = harbour(260)
    assert [text for text in WISHES if text in shown.text] == list(WISHES)
    # The best of each kind is told, so that no kind is missing altogether.
    assert sum(text in shown.text for text in CLAIMS) <= 1


def test_where_there_is_room_the_claims_are_told_as_well() -> None:
    shown = harbour(900)
    assert all(text in shown.text for text in (*WISHES, *CLAIMS))


def test_what_says_more_is_told_though_it_was_said_early() -> None:
    """A little more to the point outweighs a place at the end: else the first half of a talk is lost."""
    points = [told(WORDS, f"{text} Day {n}.", "user", n) for n, text in enumerate(WISHES * 3, 1)]
    early = points[3] = points[3]._replace(weight=0.85)
    digest = Digest(tuple(points), (), 18, MINUTE, 18 * MINUTE)
    shown = render(digest, number=1, tokens=240, count=count)
    assert early.text in shown.text
    assert points[5].text not in shown.text
    assert points[-1].text in shown.text


def test_what_a_person_told_once_is_no_state_of_things() -> None:
    """`It is still too slow` was so when she said it: it stands with what she asked for."""
    slow = told("fact", "The crane list is still too slow with 300 boats.", "user", 1)
    runs = told("state", "All 41 tests pass.", "agent", 2)
    shown = render(
        Digest((slow, runs), (), 4, MINUTE, 4 * MINUTE), number=1, tokens=400, count=count
    )
    task, _, rest = shown.text.partition("## Current State")
    assert slow.text in task
    assert "## Task Context" in task
    assert runs.text in rest
