"""Two events of one session at the same moment: what the session is owed is given to one of them.

Requirements: R-1, R-23, R-25, R-45.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Everthread, Settings
from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.happenings import Happening, Reading
from everthread.services.attending import prompt as attend_prompt
from everthread.services.attending import start as attend_start
from support.harness import Bench, Window, bench
from support.stores import EACH, fresh

RULE = "Never touch schema.sql."
RECOVERY = "## Session Recovery Context"

Event = Callable[[Window], str]


def logged(et: Everthread, session: Session, purpose: str) -> int:
    scope = Scope(session.agent_ref)
    rows = et.house.store.read(lambda r: r.injections.all(scope, session=session.ref, limit=99))
    return sum(row.purpose == purpose for row in rows)


class Pair:
    """Two programs at one store, with a window each of the same session."""

    def __init__(self, one: Bench, other: Bench, patch: pytest.MonkeyPatch) -> None:
        self.one, self.other = one, other
        self._patch = patch

    def at_once(self, first: Event, second: Event, **more: Any) -> list[str]:
        """What both are given, where each has made up its mind before either has written."""
        meet = threading.Barrier(2, timeout=120)
        plain = attend_start.due_block

        def due(*args: Any) -> Any:
            told = plain(*args)
            meet.wait()
            return told

        self._patch.setattr(attend_start, "due_block", due)
        self._patch.setattr(attend_prompt, "due_block", due)
        windows = [Window(each, "s-1", **more) for each in (self.one, self.other)]
        with ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(e, w) for e, w in zip((first, second), windows, strict=True)]
            return [job.result(60) for job in jobs]

    def logged(self, purpose: str) -> int:
        session = self.one.agent.session("s-1")
        return logged(self.one.et, session, purpose)


@pytest.fixture(params=EACH)
def pair(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Pair]:
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as one:
        before = one.window("s-0")
        before.start()
        before.turn(RULE, "Understood.")
        before.end()
        one.work()
        one.clock.forward(minutes=5)
        settings = Settings(durability="process", embedder="off", workspace=str(tmp_path / "files"))
        with everthread.connect(
            where.target, settings=settings, clock=one.clock, background=False
        ) as et:
            other = Bench(et, et.known_agent(one.agent.name), one.clock, one.project)
            yield Pair(one, other, monkeypatch)


def start(window: Window) -> str:
    return window.start()


def typed(window: Window) -> str:
    return window.prompt(f"What may I not touch, asks {id(window)}?", written=False)


@pytest.mark.parametrize(
    ("first", "second"),
    [(start, start), (start, typed), (typed, typed)],
    ids=["two starts", "a start and a prompt", "two prompts"],
)
def test_a_recovery_is_given_to_one_of_two(pair: Pair, first: Event, second: Event) -> None:
    given = pair.at_once(first, second)
    assert sorted(RECOVERY in text for text in given) == [False, True]
    assert pair.logged("start") == 1
    assert pair.one.et.verify(pair.one.agent).sound


def test_what_is_given_back_after_a_compaction_is_given_to_one_of_two(pair: Pair) -> None:
    window = pair.one.window()
    window.start()
    window.turn(RULE, "Understood.")
    window.tell("compacting", trigger="auto")
    window.tell("compacted")
    given = pair.at_once(typed, typed)
    assert sorted("compacted a moment ago" in text for text in given) == [False, True]
    assert pair.logged("compaction") == 1


def test_who_does_not_keep_it_is_given_the_same_bytes(pair: Pair) -> None:
    """R-23."""
    first, second = pair.at_once(start, start, keeps=False)
    assert RECOVERY in first
    assert first == second
    assert pair.logged("start") == 1


def test_what_a_compaction_left_out_is_given_to_one_of_two(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = pair.one.window()
    window.start()
    for n in range(10):
        window.turn(
            f"Set MAX_RETRIES_{n} to {1000 + n} in config/service_{n}.yaml, ticket OPS-{4000 + n}, "
            f"because node-{n}.example.org failed with error E{7000 + n} at port {9000 + n}.",
            f"I set MAX_RETRIES_{n} to {1000 + n}.",
        )
    monkeypatch.setattr(attend_start, "start_block", lambda *_, **__: NO_START)
    window.tell("compacting", trigger="auto")
    window.start("compact", at=pair.one.clock.now())
    window.tell("compacted", text="We worked.")
    pair.one.work()
    meet = threading.Barrier(2, timeout=120)
    plain = attend_prompt._missing_block

    def missing(*args: Any) -> Any:
        told = plain(*args)
        assert told is not None
        meet.wait()
        return told

    monkeypatch.setattr(attend_prompt, "_missing_block", missing)
    windows = [Window(each, "s-1") for each in (pair.one, pair.other)]
    with ThreadPoolExecutor(2) as pool:
        given = list(pool.map(typed, windows))
    assert sorted("left out" in text for text in given) == [False, True]


NO_START = attend_start.GivenBlock("", "compaction", reason="nothing, so that all of it waits")

CHILD = """
import json, sys, time
import everthread
from everthread import Settings
from everthread.domain.harness.happenings import Happening, Reading

store, folder, files, rounds = sys.argv[1:]
settings = Settings(durability="process", embedder="off", workspace=files)
with everthread.connect(store, settings=settings, background=False) as et:
    agent = et.known_agent("project-1a2b3c")
    begin = float(sys.stdin.readline())
    heard = []
    for n in range(int(rounds)):
        time.sleep(max(0.0, begin + 0.4 * n - time.time()))
        told = Happening("claude-code", "start", f"s-{n + 1}", folder, start="startup")
        heard.append(agent.attend(told, lambda place, cursor: Reading([], cursor)).context)
print(json.dumps(heard), flush=True)
"""


def process(*args: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *args], stdin=pipe, stdout=pipe, text=True
    )


def said(child: subprocess.Popen[str], line: str) -> list[str]:
    """What it was given, after it was told when to begin."""
    return json.loads(child.communicate(line, timeout=120)[0].splitlines()[-1])


@pytest.mark.slow
def test_two_processes_at_one_moment(tmp_path: Path) -> None:
    target, rounds, project = str(tmp_path / "everthread.db"), 6, tmp_path / "project"
    project.mkdir()
    files = str(tmp_path / "files")
    settings = Settings(durability="process", embedder="off", workspace=files)
    with everthread.connect(target, settings=settings, background=False) as et:
        agent = et.agent("project-1a2b3c")
        before = Happening("claude-code", "start", "s-0", str(project), start="startup")
        for happening in (
            before,
            before._replace(kind="prompt", text=RULE),
            before._replace(kind="reply", text="Understood."),
            before._replace(kind="end", reason="other"),
        ):
            agent.attend(happening, lambda _, cursor: Reading([], cursor))
        children = [process(target, str(project), files, str(rounds)) for _ in range(2)]
        begin = f"{time.time() + 3}\n"
        try:
            with ThreadPoolExecutor(2) as pool:
                heard = list(pool.map(said, children, [begin, begin]))
        finally:
            for child in children:
                child.kill()
                child.wait()
        for n, both in enumerate(zip(*heard, strict=True), 1):
            assert sorted(RULE in text for text in both) == [False, True], n
            assert logged(et, agent.session(f"s-{n}"), "start") == 1
