"""A program that drops an Everthread without closing it keeps no thread, no file and no turn of it."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import everthread
from everthread.domain.errors import StoreFailed


def threads() -> set[threading.Thread]:
    """By identity: a thread of an earlier test may still be ending when this one begins."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("everthread")}


def files(store: Path) -> int:
    found = 0
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # another thread has closed it meanwhile
            found += os.path.realpath(link).startswith(str(store.parent))
    return found


def in_time(true: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


def talk_and_drop(store: Path, n: int) -> None:
    agent = everthread.connect(store).agent("ada")
    with agent.turn(f"question {n}") as turn:
        turn.done(f"answer {n}")


def test_what_is_dropped_is_let_go_and_told(tmp_path: Path) -> None:
    store = tmp_path / "everthread.db"
    before = threads()
    for n in range(4):
        with pytest.warns(ResourceWarning, match=r"dropped without close\(\)"):
            talk_and_drop(store, n)
            gc.collect()
    assert in_time(lambda: threads() <= before and files(store) == 0), (threads(), files(store))
    with everthread.connect(store, background=False) as et:
        assert len(et.agent("ada").messages()) == 8
        assert et.verify("ada").sound


def test_a_turn_that_was_dropped_with_it_holds_up_nobody(tmp_path: Path) -> None:
    """Its lease is let go of; nobody waits for the minute that it would still run."""
    store = tmp_path / "everthread.db"
    turn = everthread.connect(store).agent("ada").turn("Hello?")
    with pytest.warns(ResourceWarning, match="dropped"):
        del turn
        gc.collect()
    assert in_time(lambda: files(store) == 0)
    began = time.monotonic()
    with everthread.connect(store, background=False) as et, et.agent("ada").turn("Again") as turn:
        turn.done("Yes.")
    assert time.monotonic() - began < 45


def test_whoever_holds_an_agent_or_a_turn_holds_all_of_it(tmp_path: Path) -> None:
    agent = everthread.connect(tmp_path / "everthread.db").agent("ada")
    turn = agent.turn("Hello?")
    engine = agent._engine
    del agent
    gc.collect()
    turn.done("Yes.")
    assert turn.state == "done"
    engine.close()  # pyright: ignore[reportAttributeAccessIssue]


def test_what_was_closed_is_dropped_in_silence(tmp_path: Path) -> None:
    before = threads()
    for n in range(3):
        with everthread.connect(tmp_path / "everthread.db") as et:
            et.agent("ada").turn(f"question {n}").done("Yes.")
        del et
        gc.collect()
    assert in_time(lambda: threads() <= before)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_is_told_what_works_after_a_fork(tmp_path: Path) -> None:
    """To connect in the child is refused too: the words must not send anybody there."""
    store = tmp_path / "everthread.db"
    told = tmp_path / "told"
    with everthread.connect(store, background=False) as et:
        et.agent("ada")
        child = os.fork()
        if not child:
            said: list[str] = []
            for work in (et.agents, lambda: everthread.connect(store, background=False)):
                try:
                    work()
                except StoreFailed as refused:
                    said.append(str(refused))
            told.write_text("\n".join(said))
            os._exit(0)
        os.waitpid(child, 0)
    used, opened = told.read_text().splitlines()
    advice = "connect only after the fork, or close the store before it"
    assert used.endswith(advice)
    assert opened.endswith(advice)
