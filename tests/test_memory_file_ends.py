"""`MEMORY.md` lists what the end of a session drew, though no distillation was made since."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from everthread import Everthread, Settings
from everthread.services.distilling import memory_file
from everthread.testing import FrozenClock
from support.sitting import work_off

RULE, LATER = "Never deploy on Fridays.", "Never restart production without asking me."


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def et(tmp_path: Path, clock: FrozenClock) -> Iterator[Everthread]:
    settings = Settings(workspace=str(tmp_path), embedder="off")
    with everthread.connect("memory://", settings=settings, clock=clock, background=False) as et:
        yield et


def talk(et: Everthread, clock: FrozenClock, *said: str, distil: bool = False) -> None:
    rows = [f"What is {n} plus one? " + "Owls. " * 60 for n in range(12 if distil else 0)]
    for each in (*said, *rows):
        et.agent("ada").turn(each).done("Understood.")
        clock.forward(minutes=1)
    if distil:
        assert et.agent("ada").distill() is not None


def listed(folder: Path) -> str:
    (found,) = folder.rglob("MEMORY.md")
    return found.read_text("utf-8")


@pytest.mark.req("D-22")
def test_what_a_session_drew_is_listed_when_it_ends(
    et: Everthread, tmp_path: Path, clock: FrozenClock
) -> None:
    """(D-22, D-24): by the job that sees to the end; the next distillation lists it no second time."""
    talk(et, clock, RULE, distil=True)
    assert RULE in listed(tmp_path) and LATER not in listed(tmp_path)

    talk(et, clock, LATER, "We decided to keep PostgreSQL 14 for the move.")
    et.agent("ada").end_session()
    work_off(et)
    text = listed(tmp_path)
    assert RULE in text and LATER in text and "PostgreSQL 14" in text

    talk(et, clock, distil=True)
    assert listed(tmp_path).count(LATER) == 1


def test_what_was_forgotten_since_is_listed_no_more(
    et: Everthread, tmp_path: Path, clock: FrozenClock
) -> None:
    talk(et, clock, RULE, distil=True)
    talk(et, clock, LATER)
    et.agent("ada").end_session()
    work_off(et)
    (drawn,) = (m for m in et.agent("ada").memories() if m.text == LATER)
    et.agent("ada").forget(drawn.id)
    work_off(et)
    assert RULE in listed(tmp_path) and LATER not in listed(tmp_path)


def test_what_no_session_drew_is_not_listed(
    et: Everthread, tmp_path: Path, clock: FrozenClock
) -> None:
    talk(et, clock, RULE, distil=True)
    et.agent("ada").remember("Never call Tom before noon.", kind="rule")
    talk(et, clock, LATER)
    et.agent("ada").end_session()
    work_off(et)
    assert LATER in listed(tmp_path) and "before noon" not in listed(tmp_path)


@pytest.mark.req("D-22")
def test_what_was_said_long_before_its_session_was_seen_to_has_the_day_it_was_said(
    et: Everthread, tmp_path: Path, clock: FrozenClock
) -> None:
    """(D-22): a program that ends at once leaves its sessions to the next one, days later."""
    talk(et, clock, RULE, distil=True)
    talk(et, clock, LATER)
    et.agent("ada").end_session()
    clock.forward(hours=5 * 24)
    work_off(et)
    assert f"{LATER} (2026-02-20, " in listed(tmp_path)


@pytest.mark.req("R-15", "D-22")
def test_undone_and_redone_it_lists_what_it_listed_before(
    et: Everthread, tmp_path: Path, clock: FrozenClock
) -> None:
    """(R-15): also what the end of a session drew since, whichever distillation is undone."""
    talk(et, clock, RULE, distil=True)
    talk(et, clock, "I prefer tea over coffee.", distil=True)
    talk(et, clock, LATER)
    et.agent("ada").end_session()
    work_off(et)
    before = listed(tmp_path)
    assert LATER in before
    for receipt in et.agent("ada").receipts():
        clock.forward(minutes=5)
        et.undo(receipt.id)
        assert LATER in listed(tmp_path)
        et.redo(receipt.id)
        assert listed(tmp_path) == before


def test_what_a_distillation_leaves_in_the_view_is_still_listed(
    et: Everthread, tmp_path: Path, clock: FrozenClock
) -> None:
    """Its digest holds nothing of the newest messages yet; one that is refused changes nothing at all."""
    talk(et, clock, RULE, distil=True)
    talk(et, clock, LATER)
    et.agent("ada").end_session()
    work_off(et)
    clock.forward(hours=9)
    outcomes = [et.agent("ada").distill().outcome for _ in range(2)]
    assert outcomes == ["ok", "refused"]
    assert listed(tmp_path).count(LATER) == 1
    talk(et, clock, "Always answer in French when I write in French.")
    et.agent("ada").end_session()
    work_off(et)
    assert listed(tmp_path).count(LATER) == 1 and "in French" in listed(tmp_path)


@pytest.mark.req("D-22")
def test_of_too_much_that_was_drawn_the_newest_is_listed(
    et: Everthread, tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(D-22): and what is remembered besides, however much, takes no place of it."""
    monkeypatch.setattr(memory_file, "LOOKED_AT", 2)
    talk(et, clock, "The owls are fed at dusk.", distil=True)
    for said in (RULE, LATER, "Never call the landlord before noon."):
        et.agent("ada").remember(f"I like the {len(said)} bus stops of our town.")
        talk(et, clock, said)
        et.agent("ada").end_session()
        work_off(et)
    text = listed(tmp_path)
    assert LATER in text and "before noon" in text and RULE not in text
    assert text.index(LATER) < text.index("before noon"), "in the order in which they came"


def test_every_line_ends_with_the_id_by_which_it_is_edited_and_forgotten(
    et: Everthread, tmp_path: Path, clock: FrozenClock
) -> None:
    ada = et.agent("ada")
    talk(et, clock, RULE, "We decided to keep PostgreSQL 14 for the move.", distil=True)
    kept, unkept = _lines(listed(tmp_path))
    assert RULE in {text for text, _ in kept}
    for text, memory in kept:
        assert ada.memory(memory).text in text
    ids = {memory.id[-8:] for memory in ada.memories(limit=1_000)}
    assert {memory for _, memory in kept} <= ids
    texts = [memory.text for memory in ada.memories(limit=1_000)]
    assert not any(line.startswith(text) for line in unkept for text in texts)

    (rule,) = (memory for text, memory in kept if text == RULE)
    ada.edit(rule, "Never deploy on Fridays or Mondays.")
    work_off(et)
    edited = dict(_lines(listed(tmp_path))[0])
    assert RULE not in edited and "Never deploy on Fridays or Mondays." in edited
    ada.forget(edited["Never deploy on Fridays or Mondays."])
    work_off(et)
    assert "Never deploy" not in listed(tmp_path)


def test_what_only_the_summary_tells_is_listed_as_that(
    et: Everthread, tmp_path: Path, clock: FrozenClock
) -> None:
    short = "I prefer tea."  # too short for a memory
    talk(et, clock, RULE, short, distil=True)
    assert short not in {memory.text for memory in et.agent("ada").memories(limit=1_000)}
    kept, unkept = _lines(listed(tmp_path))
    assert ([text for text, _ in kept], unkept) == ([RULE], [short])


def _lines(text: str) -> tuple[list[tuple[str, str]], list[str]]:
    """What is kept, each with its id; and what only the summary tells."""
    kept, _, unkept = text.partition("### Not kept as memories")
    ids = re.findall(r"^- (.*) \([^()]*, ([0-9a-f]{8})\)$", kept, re.MULTILINE)
    assert len(ids) == len(re.findall(r"^- (?!\.\.\.)", kept, re.MULTILINE))
    return ids, re.findall(r"^- (.*) \([^()]*\)$", unkept, re.MULTILINE)
