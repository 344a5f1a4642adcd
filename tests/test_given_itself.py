"""Whoever has a thing at hand may give it itself where its id is asked for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Everthread
from everthread.domain.lookup import id_said
from everthread.errors import BadInput, MemoryUnknown


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", background=False) as engine:
        yield engine


def test_a_memory_or_a_note_stands_for_its_id(et: Everthread):
    ada = et.agent("ada")
    tea = ada.remember("Tea is at four.")
    assert ada.memory(tea) == tea
    later = ada.edit(tea, "Tea is at five.")
    assert [version.memory.text for version in ada.history(later)] == [tea.text, later.text]
    assert ada.purged_sources(later) == [] and ada.freshness(later) == "unknown"
    ada.forget(later)
    assert ada.memories() == []
    ada.unnote(ada.note("Ask Mel."))
    assert ada.notes() == []


def test_a_session_stands_for_its_id(et: Everthread):
    ada = et.agent("ada")
    with ada.turn("Hello.") as turn:
        turn.done("Hello.")
    (session,) = ada.sessions()
    assert ada.session(session).id == ada.resume(session).id == session.id
    with ada.turn("Again.", session=session) as turn:  # pyright: ignore[reportArgumentType]
        turn.done("Yes.")
        assert turn.session.id == session.id
    assert et.session(ada, session).session.id == session.id
    assert ada.injections(session=session) == [] and et.timeline(ada, session=session)
    assert ada.end_session(session).id == session.id


def test_a_receipt_stands_for_its_id(et: Everthread):
    ada = et.agent("ada")
    for n in range(20):
        ada.turn(f"I weeded row {n} of the onions.").done(f"Row {n} is noted. " * 20)
    receipt = ada.distill()
    assert ada.receipt(receipt).receipt.id == receipt.id
    assert et.undo(receipt).receipt.outcome == "undone"
    assert et.redo(receipt).receipt.standing


def test_what_is_no_such_thing_is_refused_by_name(et: Everthread):
    ada = et.agent("ada")
    note = ada.note("Ask Mel.")
    with pytest.raises(MemoryUnknown, match="no memory"):
        ada.forget(note)  # pyright: ignore[reportArgumentType]
    with pytest.raises(BadInput, match="the id of a memory must be text"):
        ada.forget(5)  # pyright: ignore[reportArgumentType]
    assert id_said("1a2b") == "1a2b" and id_said(None) is None
