"""What people say that they will do themselves is told as open, until it is done or long ago."""

from __future__ import annotations

from pathlib import Path

import pytest

import everthread
from everthread import Settings
from everthread.domain.gleaning.digest import EMPTY, Digest, Point, digest_text, read_digest
from everthread.domain.gleaning.facts import closed_of, memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.open_items.promises import MOST, STALE
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.promise_forms import promises, tells_done
from everthread.testing import FrozenClock
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")

RING = "I'll ring the roofer about the gutter on Monday."


@pytest.mark.parametrize(
    "text",
    [
        RING,
        "I will send the lease to Mrs Ott tomorrow.",
        "We still have to pay the deposit for the hall.",
        "I need to renew the parking permit.",
        "I'm going to ask Tom about the trailer.",
        "Leave it with me, the form is on my desk.",
        "Ich muss noch den Klempner anrufen.",
    ],
)
def test_who_promises_is_heard(text: str) -> None:
    assert promises(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "I'll take the second one.",
        "I'll be at the station by six.",
        "I won't ring the roofer.",
        "If I ring the roofer he will only laugh.",
        "Shall I ring the roofer?",
        "I rang the roofer.",
        "He said he would pay.",
        "I have read the report.",
        "I have paint on my hands.",
        "We have review meetings on Mondays.",
    ],
)
def test_who_chooses_tells_or_doubts_promises_nothing(text: str) -> None:
    assert not promises(parse_sentence(text))


def test_what_was_done_and_what_was_not() -> None:
    assert tells_done(parse_sentence("Rang the roofer, the gutter is a week's work."))
    assert not tells_done(parse_sentence("I still haven't rung the roofer."))
    assert not tells_done(parse_sentence("Did you ring the roofer?"))


def read(*texts: str, before: Digest = EMPTY, start: int = 1) -> Digest:
    gleaner = Gleaner(before)
    for n, text in enumerate(texts):
        gleaner.read(spoken(text, n=start + 2 * n))
        gleaner.read(spoken("Good to know.", "agent", n=start + 2 * n + 1))
    return read_digest(digest_text(gleaner.digest()))


def promised(digest: Digest) -> list[Point]:
    return [p for p in digest.points if p.kind == "open_item" and p.by == "user" and not p.pinned]


def rows(first: int, last: int) -> list[str]:
    return [f"Row {n} of the vines is pruned by Mel." for n in range(first, last)]


def test_it_is_open_and_asks_nothing_of_the_agent() -> None:
    digest = read("Hello.", RING, *rows(0, 3))
    assert [p.text for p in promised(digest)] == [RING]
    assert not any(p.pinned for p in digest.points if p.kind == "open_item")
    assert RING in [f.text for f in memories_of(EMPTY, digest) if f.kind == "open_item"]


def test_when_it_is_told_as_done_it_is_not_and_its_memory_ends() -> None:
    before = read("Hello.", RING, *rows(0, 3))
    after = read("Rang the roofer, the gutter takes him a day.", before=before, start=50)
    assert promised(after) == []
    assert [p.text for p in closed_of(before, after).points] == [RING]


def test_that_it_is_not_done_yet_leaves_it_open() -> None:
    before = read("Hello.", RING)
    after = read("I have not called the roofer about the gutter yet.", before=before, start=50)
    assert [p.text for p in promised(after)][:1] == [RING]


@pytest.mark.parametrize(
    ("promise", "deed"),
    [
        ("I'll book the hotel in Lisbon.", "Booked the flight to Lisbon."),
        ("I'll book the hotel in Lisbon.", "We decided on Lisbon, the hotel has a garden."),
        ("We still have to pay the deposit for the hall.", "Paid the deposit for the hut."),
        ("I'll update the changelog.", "I updated the build, the changelog check is gone."),
        ("I'll tell Mr Singh on Monday.", "Mr Singh told me about the boiler."),
        ("I'll ring Mrs Ott about the lease.", "Mrs Ott called about the leak."),
        ("I'll send the lease to Mrs Ott.", "The lease came by post from Mrs Ott."),
    ],
)
def test_another_deed_and_anothers_deed_leave_it_open(promise: str, deed: str) -> None:
    after = read(deed, before=read("Hello.", promise), start=50)
    assert promise in [p.text for p in promised(after)]


@pytest.mark.parametrize(
    ("promise", "deed"),
    [
        ("I'll book the hotel in Lisbon.", "The hotel is booked."),
        ("I'll book the plumber for the kitchen tap.", "Booked the plumber, he comes Friday."),
        ("We still have to pay the deposit for the hall.", "Deposit paid."),
        ("I'll ring Mrs Ott about the lease.", "Spoke to Mrs Ott."),
        ("I'll fix the login page tonight.", "Login page done."),
    ],
)
def test_what_was_done_in_other_words_is_done(promise: str, deed: str) -> None:
    before = read("Hello.", promise)
    assert promised(before)
    assert promised(read(deed, before=before, start=50)) == []


def test_what_the_agent_reports_as_done_is_done() -> None:
    gleaner = Gleaner(read("Hello.", "I'll send the lease to Mrs Ott tomorrow."))
    gleaner.read(spoken("Anything else?", n=50))
    gleaner.read(spoken("I've sent the lease to Mrs Ott.", "agent", n=51))
    assert promised(gleaner.digest()) == []


def test_after_long_it_is_told_no_more_wherever_one_cuts() -> None:
    for cut in (1, STALE // 2, STALE):
        digest = read("Hello.", RING, *rows(0, cut))
        assert promised(digest)
        digest = read(*rows(cut, STALE), before=digest, start=200)
        assert promised(digest)
        after = read(*rows(STALE, STALE + 2), before=digest, start=400)
        assert promised(after) == []
        assert closed_of(digest, after).points == []  # nobody saw it done


def test_only_the_newest_are_carried() -> None:
    trades = (
        "baker cooper dyer fuller glover hatter joiner locksmith mason nailer potter saddler tanner"
    )
    names = [f"I'll ring the {trade} about the keys." for trade in trades.split()]
    before = read("Hello.", *names[:MOST])
    digest = read(*names[MOST:], before=before, start=100)
    assert len(promised(digest)) == MOST
    assert promised(digest)[-1].text == names[-1]
    assert closed_of(before, digest).points == []


def test_a_promise_that_names_nothing_is_told_with_what_it_leans_on_or_not_at_all() -> None:
    digest = read("Hello.", "The gutter leaks again. I'll sort it tomorrow.", "Will do.")
    assert [p.text for p in promised(digest)] == ["The gutter leaks again. I'll sort it tomorrow."]


def test_a_summary_tells_it_as_promised(tmp_path: Path) -> None:
    kept = Settings(workspace=str(tmp_path / "files"), embedder="off")
    clock = FrozenClock("2026-03-02T09:00:00Z")
    with everthread.connect("memory://", settings=kept, clock=clock, background=False) as et:
        ada = et.agent("ada")
        for text in ("Hello.", RING, *rows(0, 12)):
            ada.turn(text).done("Good to know.")
        ada.distill()
        assert f'- User, 2 Mar, promised: "{RING}"' in (ada.context().summary or "")
