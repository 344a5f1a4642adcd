"""Whatever has an id is found by it or by how it ends: one rule, and one way to say no."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import everthread
from everthread import Agent, Everthread, errors
from everthread.domain.lookup import Lookup

Look = Callable[[Everthread, Agent, str], object]

KINDS: dict[str, tuple[Look, type[errors.EverthreadError], str]] = {
    "memory": (lambda _, ada, name: ada.memory(name), errors.MemoryUnknown, "memories list"),
    "note": (lambda _, ada, name: ada.unnote(name), errors.NoteUnknown, "notes list"),
    "session": (lambda _, ada, name: ada.session(name), errors.SessionUnknown, "sessions list"),
    "receipt": (lambda et, _, name: et.undo(name), errors.ReceiptUnknown, "receipts"),
    "receipt of an agent": (
        lambda _, ada, name: ada.receipt(name),
        errors.ReceiptUnknown,
        "receipts",
    ),
    "checkpoint": (
        lambda _, ada, name: ada.find_checkpoint(name),
        errors.CheckpointUnknown,
        "checkpoints list",
    ),
    "compaction": (
        lambda _, ada, name: ada.compaction(name),
        errors.CompactionUnknown,
        "compactions list",
    ),
    "exchange": (lambda _, ada, name: ada.exchange(name), errors.ExchangeUnknown, "exchanges list"),
    "incident": (
        lambda _, ada, name: ada.resolve_incident(name, "it is fine"),
        errors.IncidentUnknown,
        "incidents",
    ),
    "token": (lambda et, _, name: et.revoke_token(name), errors.TokenUnknown, "token list"),
}


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", background=False) as engine:
        yield engine


@pytest.mark.req("R-48")
@pytest.mark.parametrize("kind", KINDS)
def test_what_there_is_not_is_told_in_the_same_words_for_every_kind(
    et: Everthread, kind: str
) -> None:
    look, unknown, shown = KINDS[kind]
    ada, what = et.agent("ada"), kind.split(maxsplit=1)[0]
    for name in ("beefbeef", "no such thing"):
        with pytest.raises(unknown, match=f"no {what} '{name}'; `everthread {shown}` shows"):
            look(et, ada, name)
    for short in ("1", "abc"):
        with pytest.raises(
            unknown, match=f"'{short}' is too short to name an? {what}; .*at least 4"
        ):
            look(et, ada, short)


@pytest.mark.req("R-48")
def test_an_ending_that_fits_several_is_no_name() -> None:
    sought = Lookup("note", "notes", "everthread notes list", errors.NoteUnknown)
    ids = ["11aa22bb", "77aa22bb", "11aa22cc"]

    def ending(digits: str) -> list[str]:
        return [each for each in ids if each.endswith(digits)]

    assert sought.found("22-CC", ending) == "11aa22cc"
    with pytest.raises(errors.NoteUnknown, match="'22bb' fits 2 notes; give more of the id"):
        sought.found("22bb", ending)
    with pytest.raises(errors.BadInput, match="the id of a note must"):
        sought.found(" ", ending)
