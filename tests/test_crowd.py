"""Many sessions begin in the same second: what they recover is read once, and holds nobody else up.

Requirements: B-26, R-23, R-45.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.engine import attending
from everthread.engine.limits import FewAtOnce
from everthread.services.attending import recover
from everthread.services.harness import end_digests, fold
from support.harness import Bench, bench

OPEN = "Please also write the migration guide in docs/migrate.md."
RULE = "Never touch schema.sql."


@pytest.fixture
def b(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each message is read to find out where its session stood. A start reads ends alone."""
    found: Counter[str] = Counter()
    real = Gleaner.read

    def noted(self: Gleaner, message: Message) -> None:
        found[message.text] += 1
        real(self, message)

    monkeypatch.setattr(Gleaner, "read", noted)
    monkeypatch.setattr(recover, "MANY", 2)
    monkeypatch.setattr(fold, "_ENDS", end_digests.EndDigests())
    return found


def _before(b: Bench) -> None:
    w = b.window("s-0")
    w.start()
    w.turn(RULE, "I will not.")
    w.turn(OPEN, "Later.")
    w.end()


def never() -> bool:
    return False


# Read once


def test_sessions_that_begin_together_share_what_was_read_for_the_first(
    b: Bench, read: Counter[str]
):
    _before(b)
    read.clear()
    for n in range(1, 6):
        assert OPEN in b.window(f"s-{n}").prompt("go on", written=False)
    assert read[OPEN] == 1


def test_what_is_said_since_is_read_too(b: Bench, read: Counter[str]):
    _before(b)
    assert OPEN in b.window("s-1").start()
    again = b.window("s-0")
    again.start("resume")
    again.turn("Please rename tax_rate to vat_rate in billing.py.", "Later.")
    again.end()
    given = b.window("s-2").start()
    assert "vat_rate" in given
    assert OPEN in given
    assert read[OPEN] == 2


def test_no_more_ends_are_held_than_a_few():
    held = end_digests.EndDigests()
    for n in range(3 * end_digests.MOST):
        held.keep(held.made_of(f"state {n}", ()), fold.EMPTY)
    assert held.get(held.made_of("state 0", ())) is None
    assert held.get(held.made_of(f"state {3 * end_digests.MOST - 1}", ())) is fold.EMPTY


# In turn


def test_who_does_not_wait_is_sent_away_from_a_line_that_is_full():
    few = FewAtOnce(at_once=1, in_line=1)
    with few.turn(never, waits=False) as first, few.turn(never, waits=False) as second:
        assert first
        assert not second
    with few.turn(never, waits=False) as mine:
        assert mine


def test_who_waits_has_its_turn_when_the_one_before_is_done():
    few = FewAtOnce(at_once=1, in_line=1)
    began, had = threading.Event(), list[bool]()

    def late() -> bool:
        began.set()
        return False

    def other() -> None:
        with few.turn(late, waits=True) as mine:
            had.append(mine)

    with few.turn(never, waits=False) as first:
        assert first
        waiter = threading.Thread(target=other)
        waiter.start()
        assert began.wait(10)
        assert not had
    waiter.join(10)
    assert had == [True]


def test_who_waits_goes_without_when_it_gets_late():
    few = FewAtOnce(at_once=1, in_line=2)
    with few.turn(never, waits=True), few.turn(lambda: True, waits=True) as mine:
        assert not mine
    with few.turn(lambda: True, waits=True) as mine:
        assert mine, "nobody is there: nothing is waited for"


def test_what_fails_gives_its_place_back():
    few = FewAtOnce(at_once=1, in_line=1)
    for _ in range(3):
        with pytest.raises(KeyError), few.turn(never, waits=False) as mine:
            assert mine
            raise KeyError("oh")


@pytest.mark.req("R-45")
def test_a_prompt_is_stored_and_answered_while_many_recover_and_the_next_one_is_given_it(b: Bench):
    _before(b)
    with ExitStack() as others:
        while others.enter_context(b.et.few.turn(lambda: True, waits=False)):
            pass
        for _ in range(2):
            others.enter_context(b.et.few.turn(lambda: True, waits=False))
        w = b.window("s-1")
        assert OPEN not in w.prompt("what now?")
        assert b.words()[-1] == "what now?"
    assert OPEN in w.prompt("go on")
    assert OPEN not in w.prompt("go on, please"), "once is enough"


@pytest.mark.req("R-45")
def test_a_start_that_comes_too_late_for_its_turn_is_given_it_with_the_first_prompt(
    b: Bench, monkeypatch: pytest.MonkeyPatch
):
    _before(b)
    monkeypatch.setattr(attending, "CATCHING_UP", 0.0)
    w = b.window("s-1")
    with ExitStack() as others:
        while others.enter_context(b.et.few.turn(lambda: True, waits=True)):
            pass
        assert w.start() == ""
    assert OPEN in w.prompt("go on")


def test_a_compaction_is_given_back_to_however_many_recover(b: Bench):
    w = b.window("s-1")
    w.start()
    w.turn(RULE, "I will not.")
    with ExitStack() as others:
        while others.enter_context(b.et.few.turn(lambda: True, waits=True)):
            pass
        assert RULE in w.compact()[1]


# The first one


def test_a_daemon_loads_what_a_start_needs_before_the_first_one_comes():
    """And not what takes much memory: that comes with the first event."""
    program = (
        "import sys\n"
        "from everthread.edges.daemon.events import Hooks\n"
        "Hooks(None, None, None).warm()\n"
        "print(*(name in sys.modules for name in ("
        "'everthread.services.attending.attend', 'everthread.domain.gleaning.gleaner',"
        "'rs_bpe', 'numpy')))"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert told.stdout.split() == ["True", "True", "False", "False"]
