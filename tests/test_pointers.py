"""What a start is told of a session of days ago: the way back to it, and what is open in it.

Requirements: R-46, X-7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.harness.recovery import POINTER_CHARS
from support.commands import Cli, Here
from support.harness import Bench, bench

PUMP = "Please rewrite pump.py so that it retries 3 times, I need it by Monday."
DAYS = 3 * 24


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def q(cli: Cli) -> Iterator[Bench]:
    """A harness on the store that the command opens."""
    place = cli.home / "data"
    place.mkdir(parents=True, exist_ok=True)
    with bench(cli.home, str(place / "everthread.db")) as made:
        yield made


def sat_through(q: Bench, *turns: tuple[str, str]) -> None:
    """A session that is long enough to be summed up."""
    w = q.window()
    w.start()
    for n in range(5):
        w.turn(f"Please check valve {13 * n} of line B.", f"Valve {13 * n} is at {n + 2} l/s.")
    for text, reply in turns:
        w.turn(text, reply)
    w.end()
    q.work()


def test_the_way_back_works_as_it_is_printed(cli: Cli, q: Bench):
    sat_through(q, (PUMP, "I will do that later."))
    q.clock.forward(hours=DAYS)
    given = q.window("s-2").start()
    (command,) = re.findall(r"`everthread (sessions resume[^`]*)`", given)
    told = cli(*command.split())
    assert told.code == 0 and PUMP in told.out


def test_continue_takes_no_session_in_which_nothing_was_said(cli: Cli, q: Bench):
    """A harness opens a session when it starts; who asks for the newest means the one before."""
    sat_through(q, (PUMP, "I will do that later."))
    q.clock.forward(hours=DAYS)
    q.window("s-2").start()
    told = cli("sessions", "resume", "--continue")
    assert told.code == 0 and PUMP in told.out


def test_what_is_open_is_told_whole_beside_the_pointer(q: Bench):
    """The pointer and the summary take nothing of its room."""
    asked = [
        "Please write the migration guide in docs/migrate.md, with a table of all settings that were "
        "renamed in this release, their old and new defaults and an example for each of them.",
        "Please rename the class Ledger to Journal in src/books, in tests/books and in the notebooks "
        "below analysis, with the fixtures, the docstrings and the file names that speak of it.",
        "Please add an index to the column paid_at of the table invoices, measure the slow report "
        "of October before and after it, and put both figures into docs/performance.md.",
    ]
    sat_through(q, *((text, "I will do that later.") for text in asked))
    q.clock.forward(hours=DAYS)
    given = q.window("s-2").start()
    left = given.partition("### Open requests\n")[2].partition("</everthread-session>")[0]
    assert len([text for text in asked if text in left]) == 3
    assert len(left) <= POINTER_CHARS


@pytest.mark.parametrize(
    "reply",
    ["Done: pump.py retries 3 times, tests pass.", "I rewrote pump.py; it retries 3 times now."],
)
@pytest.mark.parametrize("hours", [1, DAYS])
def test_what_is_done_is_nowhere_left_open(q: Bench, reply: str, hours: int):
    sat_through(q, (PUMP, reply))
    q.clock.forward(hours=hours)
    given = q.window("s-2").start()
    assert "Left open" not in given and "### Open requests" not in given


@pytest.mark.parametrize("hours", [1, DAYS])
def test_the_summary_and_the_list_say_the_same_of_what_is_open(q: Bench, hours: int):
    sat_through(q, (PUMP, "I'll rewrite pump.py on Monday."))
    q.clock.forward(hours=hours)
    given = q.window("s-2").start()
    assert "Left open: the user asked to rewrite pump.py" in given
    assert f'open: "{PUMP}"' in given


def test_of_a_session_too_short_to_be_summed_up_the_last_words_are_told(q: Bench):
    """Nothing else would say what the newest work was; days later nobody remembers an id."""
    w = q.window()
    w.start()
    w.turn("Write the webhook endpoint for Adyen.", "The endpoint checks the signature first.")
    w.turn("The release moved to 4 December.", "Noted.")
    w.turn("Commit it.", "Committed as `c01dbee`.")
    w.end()
    q.work()
    q.clock.forward(hours=DAYS)
    first = q.window("s-2").start().partition("</everthread-session>")[0]
    assert "### Summary" not in first
    assert "The release moved to 4 December." in first
    assert "Committed as `c01dbee`." in first
    assert len(first) <= 2 * POINTER_CHARS
    sat_through(q, (PUMP, "Done: pump.py retries 3 times."))
    q.clock.forward(hours=DAYS)
    again = q.window("s-3").start().partition("</everthread-session>")[0]
    assert "### Summary" in again and "### Last prompts" not in again
