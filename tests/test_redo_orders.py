"""In whatever order distillations are undone and redone, memories are those of having all. (R-15)"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.distilling.receipts import Receipt
from support.desk import Desk, desk_in

pytestmark = pytest.mark.req("R-15")

MEMCACHED = "We decided to use Memcached for the cache."
REDIS = "I changed my mind about Memcached: we use Redis for the cache instead."

ENDING = [
    (MEMCACHED, REDIS),
    (
        "Never restart the mail server during the day.",
        "The rule about restarting the mail server no longer applies.",
    ),
    (
        "Please remind me to send the invoice to Kilmore Ltd.",
        "I have sent the invoice to Kilmore Ltd.",
    ),
    ("Always deploy the parser on Fridays.", "Never deploy the parser on Fridays."),
    ("I prefer tabs over spaces.", "I prefer spaces over tabs now."),
]
BESIDE = [
    (MEMCACHED, "We decided to use Redis for the sessions."),
    (
        "Never restart the mail server during the day.",
        "The rule about restarting the print server no longer applies.",
    ),
    (
        "Please remind me to send the invoice to Kilmore Ltd.",
        "I have sent the offer to Farrow Ltd.",
    ),
    ("Always run make check before you commit.", "Always run make check before you commit."),
]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


def distilled(desk: Desk, part: int, said: str | None = None) -> Receipt:
    if said is not None:
        desk.turn(said, "Noted.")
    for n in range(12):
        desk.turn(f"Lamp {part}-{n} is at street {n}.", f"Lamp {part}-{n} is on the list.")
    return desk.ada.distill()


def memories(desk: Desk) -> list[tuple[str, int]]:
    """What holds, and what is over."""
    house, scope = desk.et.house, desk.ada.scope
    kept = house.store.read(lambda r: r.memories.all(scope, state="kept", limit=999))
    return sorted((m.text, m.valid_to_ms or 0) for m in kept)


def live(desk: Desk) -> list[str]:
    return sorted(m.text for m in desk.ada.memories(limit=999))


ORDERS = [
    (gone, back)
    for gone in itertools.permutations((0, 1))
    for back in itertools.permutations((0, 1))
]


@pytest.mark.parametrize(("first", "then"), [*ENDING, *BESIDE])
def test_two_of_which_the_second_may_end_what_the_first_told(
    desk: Desk, first: str, then: str
) -> None:
    receipts = [distilled(desk, 0, first), distilled(desk, 1, then)]
    before, told = memories(desk), live(desk)
    assert (first in told) is ((first, then) in BESIDE)
    for gone, back in ORDERS:
        for n in gone:
            desk.et.undo(receipts[n].id)
        for n in back:
            desk.et.redo(receipts[n].id)
        assert memories(desk) == before, (gone, back)
        assert live(desk) == told
    assert desk.et.verify(desk.ada).faults == []


@pytest.mark.parametrize("back", [*itertools.permutations((0, 1, 2))])
def test_three_of_which_one_lies_between(desk: Desk, back: tuple[int, ...]) -> None:
    receipts = [
        distilled(desk, 0, MEMCACHED),
        distilled(desk, 1),
        distilled(desk, 2, REDIS),
    ]
    before = memories(desk)
    for n in (2, 1, 0):
        desk.et.undo(receipts[n].id)
    assert MEMCACHED not in live(desk)
    for n in back:
        desk.et.redo(receipts[n].id)
    assert memories(desk) == before
    assert MEMCACHED not in live(desk)


def test_what_ended_again_is_open_again_when_that_is_undone(desk: Desk) -> None:
    one, two = distilled(desk, 0, MEMCACHED), distilled(desk, 1, REDIS)
    keys = [sorted(r.detail) for r in desk.ada.receipts()]
    for _ in range(2):
        for receipt in (two, one):
            desk.et.undo(receipt.id)
        for receipt in (two, one):
            desk.et.redo(receipt.id)
        assert MEMCACHED not in live(desk)
        assert [sorted(r.detail) for r in desk.ada.receipts()] == keys
    desk.et.undo(two.id)
    assert MEMCACHED in live(desk)
    assert REDIS not in live(desk)


def test_it_ends_also_after_the_later_one_was_redone_twice_without_it(desk: Desk) -> None:
    one, two = distilled(desk, 0, MEMCACHED), distilled(desk, 1, REDIS)
    before = memories(desk)
    for what, receipt in [("undo", two), ("undo", one), *(("redo", two), ("undo", two)) * 2]:
        getattr(desk.et, what)(receipt.id)
    for receipt in (two, one):
        desk.et.redo(receipt.id)
    assert memories(desk) == before


def test_what_a_person_put_down_meanwhile_is_hers(desk: Desk) -> None:
    one, two = distilled(desk, 0, MEMCACHED), distilled(desk, 1, REDIS)
    for receipt in (two, one):
        desk.et.undo(receipt.id)
    desk.et.redo(two.id)
    desk.clock.forward(minutes=5)
    desk.ada.remember(MEMCACHED, kind="decision")
    stood = live(desk)
    desk.et.redo(one.id)
    assert (MEMCACHED in live(desk)) is (MEMCACHED in stood)


def test_nothing_is_left_of_what_was_forgotten_meanwhile(desk: Desk) -> None:
    one, two = distilled(desk, 0, MEMCACHED), distilled(desk, 1, REDIS)
    (gone,) = [
        m
        for m in desk.et.house.store.read(
            lambda r: r.memories.all(desk.ada.scope, state="kept", limit=999)
        )
        if m.text == MEMCACHED
    ]
    for receipt in (two, one):
        desk.et.undo(receipt.id)
    desk.et.redo(two.id)
    desk.ada.forget(gone.id)
    assert all("before" not in e for e in _about(desk, two, gone.key_id.hex()))
    desk.et.redo(one.id)
    assert MEMCACHED not in live(desk)
    assert desk.et.verify(desk.ada).faults == []


@pytest.mark.parametrize("gone", [(0, 1), (1, 0)])
def test_words_that_were_forgotten_end_nothing(desk: Desk, gone: tuple[int, int]) -> None:
    receipts = [distilled(desk, 0, MEMCACHED), distilled(desk, 1, REDIS)]
    (told,) = [m for m in desk.ada.memories(limit=999) if m.text == REDIS]
    desk.ada.forget(told.id)
    for n in gone:
        desk.et.undo(receipts[n].id)
    for n in (1, 0):
        desk.et.redo(receipts[n].id)
    assert REDIS not in live(desk)
    assert MEMCACHED in live(desk)
    assert all("to_end" not in r.detail for r in desk.ada.receipts())


def _about(desk: Desk, receipt: Receipt, memory: str) -> list[dict[str, Any]]:
    detail = desk.ada.receipt(receipt.id).receipt.detail
    held = [*detail.get("effects", ()), *detail.get("to_end", ())]
    return [effect for effect in held if effect["memory"] == memory]
