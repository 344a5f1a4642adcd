"""`MEMORY.md` names each line by the memory it is kept as, and shows what a person made of it by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from everthread import Everthread, Settings
from everthread.domain.gleaning.digest import Point
from everthread.domain.memory.memories import new_memory, sources_text
from everthread.services.distilling import memory_file
from everthread.services.distilling.memory_file import ids_of
from everthread.testing import FrozenClock
from support.sitting import work_off

RULE, LATER = "Never deploy on Fridays.", "Never restart production without asking me."


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def et(tmp_path: Path, clock: FrozenClock) -> Iterator[Everthread]:
    settings = Settings(workspace=str(tmp_path / "files"), embedder="off")
    with everthread.connect("memory://", settings=settings, clock=clock, background=False) as et:
        yield et


def distilled(et: Everthread, clock: FrozenClock, *said: str, principal: str | None = None) -> None:
    rows = [f"What is {n} plus one? " + "Owls. " * 60 for n in range(12)]
    for each in (*said, *rows):
        et.agent("ada").turn(each, principal=principal).done("Understood.")
        clock.forward(minutes=1)
    assert et.agent("ada").distill() is not None


def session(et: Everthread, clock: FrozenClock, said: str) -> None:
    et.agent("ada").turn(said).done("Understood.")
    et.agent("ada").end_session()
    work_off(et)
    clock.forward(minutes=1)


def lines(folder: Path) -> dict[str, str]:
    """What is listed, each with its id; empty where it has none."""
    (file,) = folder.rglob("MEMORY.md")
    found = re.findall(r"^- (.*) \(2026-\d\d-\d\d(?:, ([0-9a-f]{8}))?\)$", file.read_text(), re.M)
    return dict(found)


@pytest.mark.parametrize("other", ["kim", "project"])
def test_the_same_words_of_another_are_another_memory(
    et: Everthread, tmp_path: Path, clock: FrozenClock, other: str
) -> None:
    """Whoever corrects the line by its id must not change what somebody else has."""
    ada = et.agent("ada")
    if other == "kim":
        hers = ada.remember(RULE, kind="rule", principal="kim")
    else:
        hers = ada.remember(RULE, kind="rule", scope="project", project=str(tmp_path))
    clock.forward(minutes=1)
    distilled(et, clock, RULE)
    (own,) = (m for m in ada.memories() if m.text == RULE and m.id != hers.id)
    assert lines(tmp_path) == {RULE: own.id[-8:]}


def test_a_line_that_only_another_has_as_a_memory_has_no_id() -> None:
    point = Point("rule", RULE, (b"one",), "user", 0)
    own = new_memory(b"\1" * 16, RULE, kind="rule", origin="user", now=0)
    hers = own._replace(principal="kim", sources_json=sources_text([b"two"]))
    assert ids_of([point], [hers]) == {}
    assert ids_of([point], [own]) == {point: "01" * 4}
    assert ids_of([point], [hers._replace(sources_json=sources_text([b"one"]))]) == {
        point: "01" * 4
    }


def test_what_was_kept_long_ago_is_still_known_as_kept(
    et: Everthread, tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_file, "LOOKED_THROUGH", 3)
    distilled(et, clock, RULE)
    for n in range(6):
        et.agent("ada").remember(f"Lamp {n} hangs in room {7 * n + 100}.")
    session(et, clock, LATER)
    known = {m.text: m.id[-8:] for m in et.agent("ada").memories(limit=50)}
    assert lines(tmp_path) == {RULE: known[RULE], LATER: known[LATER]}


@pytest.mark.parametrize("principal", [None, "kim"])
@pytest.mark.parametrize(
    ("said", "corrected"),
    [
        (RULE, "Never deploy on a Friday."),
        (RULE, "Never deploy on Thursdays."),
        ("I prefer tea over coffee.", "I prefer green tea over coffee."),
        ("We decided to keep PostgreSQL 14 for the move.", "We decided to keep PostgreSQL 14."),
    ],
    ids=["same", "other", "fuller", "narrower"],
)
def test_a_correction_by_hand_is_listed_in_its_own_words(
    et: Everthread,
    tmp_path: Path,
    clock: FrozenClock,
    said: str,
    corrected: str,
    principal: str | None,
) -> None:
    """However much it says of what was said: the old words are listed no more."""
    distilled(et, clock, said, principal=principal)
    ada = et.agent("ada")
    (old,) = ada.memories()
    fresh = ada.edit(old.id, corrected)
    work_off(et)
    assert lines(tmp_path) == {corrected: fresh.id[-8:]}
    again = ada.edit(fresh.id, f"{corrected[:-1]}, as I said.")
    work_off(et)
    assert lines(tmp_path) == {again.text: again.id[-8:]}
    ada.forget(again.id)
    work_off(et)
    assert not list(tmp_path.rglob("MEMORY.md")) or lines(tmp_path) == {}


@pytest.mark.parametrize(
    ("said", "corrected", "until"),
    [
        ("No deploys until Monday.", "No deploys.", None),
        ("No deploys until Monday.", "No deploys until Friday.", "2026-02-28"),
        ("No deploys until Monday.", "No deploys at all until Monday.", "2026-02-24"),
        ("No deploys.", "No deploys until Monday.", "2026-03-03"),
    ],
)
def test_a_last_day_goes_with_the_words_that_named_it(
    et: Everthread, clock: FrozenClock, said: str, corrected: str, until: str | None
) -> None:
    """Who takes `until Monday` out of a rule wants it to hold on; who leaves it in means the same Monday."""
    ada = et.agent("ada")
    rule = ada.remember(said, kind="rule")
    clock.forward(hours=4 * 24)
    found = ada.edit(rule.id, corrected)
    assert (None if found.valid_to is None else f"{found.valid_to:%Y-%m-%d}") == until


def test_a_last_day_that_was_given_beside_the_words_stays(et: Everthread) -> None:
    ada = et.agent("ada")
    rule = ada.remember("No deploys.", kind="rule", valid_to="2026-03-01T00:00:00Z")
    assert ada.edit(rule.id, "No deploys at all.").valid_to == rule.valid_to
