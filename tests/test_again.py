"""Who says once more what they said before is given what was answered then, not their own words."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import everthread
from everthread import Agent, Settings, Thread
from everthread.domain.given.packing import OPENING
from everthread.testing import FrozenClock
from support.harness import bench
from support.stores import EACH, fresh

PRINTED = """FAILED tests/test_sepa.py::test_reads_iban - ValueError: IBAN checksum mismatch for DE89 3704
    def test_reads_iban():
>       assert read("DE89 3704").valid
sepa/reader.py:41: ValueError
1 failed, 211 passed in 3.20s"""
SOLVED = (
    "The fixture has a wrong check digit. I corrected tests/fixtures/iban.txt and all is green."
)


@contextmanager
def opened(target: str) -> Generator[Agent]:
    clock, settings = (
        FrozenClock("2026-02-20T10:00:00Z"),
        Settings(embedder="off", recall_seconds=10.0),
    )
    with everthread.connect(target, clock=clock, background=False, settings=settings) as et:
        yield et.agent("ada")


@pytest.fixture
def ada() -> Iterator[Agent]:
    with opened("memory://") as agent:
        yield agent


def long_ago(ada: Agent, *said: tuple[str, str]) -> Thread:
    """Said and answered where the view does not show it."""
    thread = ada.thread("long-ago", kind="background")
    thread.record([{"role": role, "content": content} for role, content in said])
    return thread


def given(ada: Agent, text: str) -> str:
    """What a turn with these words is given."""
    with ada.turn(text) as turn:
        last = turn.messages[-1]["content"]
        turn.done("I look at it.")
    blocks = [last] if isinstance(last, str) else [block["text"] for block in last]
    return "\n".join(block for block in blocks if block.startswith(OPENING))


@pytest.mark.req("A-7", "X-18")
@pytest.mark.parametrize("engine", EACH)
def test_a_printout_that_comes_again_is_given_what_solved_it(engine: str, tmp_path: Path) -> None:
    with fresh(engine, tmp_path) as where, opened(where.target) as ada:
        long_ago(ada, ("user", PRINTED), ("assistant", SOLVED))
        told = given(ada, PRINTED)
    assert SOLVED in told
    assert "checksum mismatch" not in told


def test_though_its_figures_differ(ada: Agent) -> None:
    """No two runs take the same time."""
    long_ago(ada, ("user", PRINTED), ("assistant", SOLVED))
    told = given(ada, f"And again:\n{PRINTED.replace('3.20s', '4.07s').replace(':41', ':44')}")
    assert SOLVED in told
    assert "checksum mismatch" not in told


def test_the_answer_is_what_the_agent_said_in_the_end(ada: Agent) -> None:
    long_ago(
        ada,
        ("user", PRINTED),
        ("assistant", "Let me look at the fixture first, and then at the reader."),
        ("assistant", SOLVED),
        ("user", "Thanks! Now the importer."),
        ("assistant", "The importer is a matter of its own, and takes longer."),
    )
    told = given(ada, PRINTED)
    assert SOLVED in told
    assert "fixture first" not in told and "importer" not in told


def test_what_was_said_to_a_clock_is_no_answer(ada: Agent) -> None:
    """A heartbeat between the answer and the person's next word."""
    long_ago(ada, ("user", PRINTED), ("assistant", SOLVED))
    beat = {"role": "user", "content": "Anything urgent?", "origin": "system"}
    reply = {"role": "assistant", "content": "I looked through the inbox and nothing is urgent."}
    ada.thread("long-ago", kind="background").record([beat, reply])
    told = given(ada, PRINTED)
    assert SOLVED in told
    assert "inbox" not in told


@pytest.mark.parametrize("answer", ["ok", "HEARTBEAT_OK", "Done."])
def test_an_answer_that_says_nothing_is_none(ada: Agent, answer: str) -> None:
    long_ago(ada, ("user", PRINTED), ("assistant", answer))
    assert given(ada, PRINTED) == ""


def test_nor_is_what_was_never_answered(ada: Agent) -> None:
    long_ago(ada, ("user", PRINTED), ("user", "Never mind."), ("assistant", SOLVED))
    assert "checksum mismatch" not in given(ada, PRINTED)


def test_what_only_speaks_of_the_same_stays(ada: Agent) -> None:
    """It says more than what is said now."""
    said = "The IBAN checksum mismatch in sepa/reader.py came from a wrong fixture, says Bob."
    long_ago(ada, ("user", said), ("assistant", "I see, then the reader is fine."))
    assert "says Bob" in given(ada, "There is an IBAN checksum mismatch in sepa/reader.py again.")


@pytest.mark.req("R-43")
def test_an_answer_that_was_forgotten_is_not_given(ada: Agent) -> None:
    thread = long_ago(ada, ("user", PRINTED), ("assistant", SOLVED))
    memory = ada.remember("Prefers parrots over owls", sources=thread.messages()[-1:])
    ada.forget(memory.id)
    assert "fixture" not in given(ada, PRINTED)


def test_beside_a_harness_too(tmp_path: Path) -> None:
    with bench(tmp_path) as b:
        first = b.window("s-0")
        first.turn(PRINTED, SOLVED)
        first.end()
        b.clock.forward(hours=100)
        other = b.window("s-other")  # the start tells of the last one
        other.turn("Which owl is the largest?", "Blakiston's fish owl.")
        other.end()
        b.clock.forward(hours=100)
        second = b.window("s-1")
        second.start()
        told = second.prompt(PRINTED)
        assert SOLVED in told
        assert "checksum mismatch" not in told
