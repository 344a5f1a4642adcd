"""A rule that names its last day holds until then, and is told to nobody after it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.memory.memories import is_valid
from everthread.domain.text.rule_periods import end_of_rule, has_ended
from everthread.domain.times import DAY, ms_of, text_of
from everthread.services.distilling.memory_file import write_listing
from everthread.testing import FrozenClock
from support.sitting import work_off
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "LA-18")

TUESDAY = "2025-03-04T09:00:00Z"
FREEZE = "Never deploy until Monday, we have an audit."
AWAY = "Pieter is on holiday until 13 March, don't plan anything with him."
ALWAYS = "Never deploy on Fridays."


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(TUESDAY)


@pytest.fixture
def et(tmp_path: Path, clock: FrozenClock) -> Iterator[Everthread]:
    settings = Settings(workspace=str(tmp_path), embedder="off")
    with everthread.connect("memory://", settings=settings, clock=clock, background=False) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada")


def _end(text: str) -> str | None:
    found = end_of_rule(text, ms_of(TUESDAY))
    return None if found is None else text_of(found)[:10]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("No deploys until Monday.", "2025-03-11"),
        ("No deploys till Monday please.", "2025-03-11"),
        (FREEZE, "2025-03-11"),
        ("Please don't merge anything until 14 March, we are releasing.", "2025-03-15"),
        ("Don't call me until Thursday, I'm in meetings.", "2025-03-07"),
        ("Don't send invoices to Kern until the end of the month.", "2025-04-01"),
        ("Until Friday please answer in German, my mother reads along.", "2025-03-08"),
        ("Until Monday, don't restart the server.", "2025-03-11"),
        (AWAY, "2025-03-14"),
        ("No deploys through December.", "2026-01-01"),
        ("No deploys until the end of the week.", "2025-03-10"),
        ("Don't pay the rent until the 15th.", "2025-03-16"),
        ("Lisa is ill until Friday, don't call her.", "2025-03-08"),
        ("Don't plan anything with Pieter, he's on holiday until 13 March.", "2025-03-14"),
    ],
)
def test_the_end_is_that_of_the_day(text: str, end: str) -> None:
    assert _end(text) == end


@pytest.mark.parametrize(
    "text",
    [
        ALWAYS,
        "Never deploy on Fridays until the pipeline is green.",
        "Don't wait until Monday to tell me about errors.",
        "Never leave a review open until Friday.",
        "Don't tell Ben I'm away until Friday.",
        "Never say that the shop is open until Monday.",
        "Never promise delivery until Friday without asking the warehouse.",
        "No alcohol until Sunday is Tom's rule, not mine.",
        "No deploys until Monday, and never on Fridays.",
        "No deploys until Monday, then only with my ok.",
        "No deploys until Monday, and no merges without my ok.",
        "No deploys until Monday or Tuesday.",
        "No calls from Monday until Thursday.",
        "No refunds on tickets bought until Friday.",
        "No meat until Easter every year.",
        "Always keep invoices until the end of the year.",
        "Always answer in German until I say otherwise.",
        "Never call me after nine, I was ill until Friday.",
        "Pieter is on holiday until 13 March, never send invoices without my ok.",
        "Pieter is on holiday until 13 March, so use British spelling from now on.",
        "Don't share passwords with anyone, I'm away until Monday.",
        "I'm away until Monday, don't tell me jokes.",
        "Anna is on leave until 5 May, don't rename the files.",
        "Pieter is away until Monday, don't email Ruth.",
        "He's away until Monday. Don't email him.",
        "Don't mute alerts until Monday.",
        "Never pause the campaign until Monday.",
        "Don't lend the van until Monday.",
        "Don't promise delivery until Friday.",
        "No vouchers until 31 December.",
        "Don't buy passes until June.",
        "Never pay rent until the 3rd.",
        "Never deploy until the end of the month.",
        "Don't pay suppliers until the end of the month.",
        "Don't reply to angry mails until tomorrow.",
        "Never sign anything until tomorrow.",
        "We never deploy until Tuesday, it's safer.",
        "No meat until Sunday, as usual.",
        "Never post the newsletter until Thursday, it's our weekly day.",
        "Don't ship until Friday, says Tom.",
        "Never deploy until Monday, if it's a Friday.",
        "Don't tell customers we ship until Friday.",
        "I'm away until Monday, don't call me Bob.",
        "I'm away until Friday, don't text me links.",
        "Tom is away until Friday, don't ask him about Eva.",
        "Tom is away until Friday, don't expect him to be polite.",
        "Don't ask me twice, I'm away until Monday.",
        "Never invite Bob until Friday, the saying goes.",
        "No meetings until Monday, Tom jokes.",
        "No updates until the 1st, rule of thumb.",
        "No calls until tomorrow? Fine.",
        "Don't email him, Pieter is away until Monday, and lock the door.",
        f"Don't deploy until Monday, {'we are at it ' * 20}.",
    ],
)
def test_a_day_that_is_not_the_rules_ends_nothing(text: str) -> None:
    assert _end(text) is None


def _read(said: str, *, before: Digest = EMPTY, days: int = 0) -> Digest:
    gleaner = Gleaner(before)
    for n, (text, by) in enumerate(((said, "user"), ("Understood.", "agent"))):
        key = 10 * days + n + 1
        gleaner.read(spoken(text, by, n=key, at_ms=ms_of(TUESDAY) + days * DAY))
    return gleaner.digest()


@pytest.mark.parametrize("rule", [FREEZE, AWAY, "Petra is on holiday till Monday."])
def test_the_digest_carries_it_until_then(rule: str) -> None:
    first = _read(rule)
    (fact,) = memories_of(EMPTY, first)
    assert fact.text == rule and fact.until_ms is not None
    assert any(p.text == rule for p in _read("Good morning.", before=first, days=2).points)
    later = _read("Good morning.", before=first, days=12)
    assert not any(rule in p.text for p in later.points)


def test_the_digest_carries_what_names_no_end() -> None:
    later = _read("Good morning.", before=_read(ALWAYS), days=400)
    assert any(p.text == ALWAYS for p in later.points)


def test_what_is_remembered_as_a_rule_ends_on_its_day(ada: Agent, clock: FrozenClock) -> None:
    kept = ada.remember("No deploys until Monday.", kind="rule")
    assert kept.valid_to is not None and kept.valid_to.isoformat()[:10] == "2025-03-11"
    assert ada.remember("No deploys until Monday is what Tom says.").valid_to is None
    dated = ada.remember("Never touch prices until Friday.", kind="rule", valid_to="2025-05-01")
    assert dated.valid_to is not None and dated.valid_to.month == 5  # what is said outright counts
    clock.forward(hours=9 * 24)
    assert not is_valid(kept, at=clock.now())
    again = ada.remember("No deploys until Monday.", kind="rule")
    assert again.valid_to is not None and again.valid_to.isoformat()[:10] == "2025-03-18"


def test_a_rule_of_a_session_ends_on_its_day(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    for said in ("Good morning.", FREEZE, "Which river flows through Lisbon?"):
        ada.turn(said).done("Understood.")
    ada.end_session()
    work_off(et)
    (memory,) = [m for m in ada.memories() if m.text == FREEZE]
    assert is_valid(memory, at=clock.now())
    clock.forward(hours=9 * 24)
    assert not is_valid(memory, at=clock.now())


def test_memory_md_lists_it_until_then(
    et: Everthread, ada: Agent, clock: FrozenClock, tmp_path: Path
) -> None:
    rows = [f"What is {n} plus one? " + "Owls. " * 60 for n in range(12)]
    for each in (FREEZE, ALWAYS, *rows):
        ada.turn(each).done("Understood.")
        clock.forward(minutes=1)
    assert ada.distill() is not None
    (file,) = tmp_path.rglob("MEMORY.md")
    assert FREEZE in file.read_text("utf-8") and ALWAYS in file.read_text("utf-8")
    clock.forward(hours=9 * 24)
    assert write_listing(et.house, ada.row).ok
    assert FREEZE not in file.read_text("utf-8") and ALWAYS in file.read_text("utf-8")


def test_an_end_needs_its_word() -> None:
    """(A quick look before a long one): nothing is read where no end is named."""
    assert not has_ended(ALWAYS, ms_of(TUESDAY), ms_of(TUESDAY) + 999 * DAY)


def test_it_does_not_matter_where_a_range_ends() -> None:
    at = ms_of(TUESDAY)
    said = [(FREEZE, 0), ("Good morning.", 2), (ALWAYS, 3), ("How are you?", 12), ("Well?", 12)]
    rows = [spoken(text, n=n + 1, at_ms=at + days * DAY) for n, (text, days) in enumerate(said)]
    whole, parts = Gleaner(), EMPTY
    for row in rows:
        whole.read(row)
        part = Gleaner(parts)
        part.read(row)
        parts = part.digest()
    for digest in (whole.digest(), parts):
        assert [p.text for p in digest.points if p.kind == "rule"] == [ALWAYS]
        assert not any(FREEZE in p.text for p in digest.points)
