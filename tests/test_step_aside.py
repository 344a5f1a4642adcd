"""Work beside turns: it lets them in every few steps, and nothing is overheard or learnt otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import everthread
from everthread import Everthread, Settings
from everthread.domain.agents import Scope
from everthread.domain.gleaning.facts import Fact
from everthread.domain.memory.memories import Memory
from everthread.domain.times import MINUTE
from everthread.ports import Records
from everthread.services.distilling.distill_job import run_distill_job
from everthread.services.distilling.learn import compare, draw_memories, learn
from everthread.services.distilling.review import run_score_job
from everthread.services.job_names import DISTILL
from everthread.services.memory.remember import near_memories, settle
from everthread.testing import FrozenClock
from support.chance import few
from support.desk import desk_in

# ---- a turn asks for a distillation once, and is never overheard


def asked(et: Everthread) -> list[str]:
    """The states of all askings for a distillation."""
    jobs = et.house.store.read(lambda r: r.jobs.all())
    return sorted(job.state for job in jobs if job.kind == DISTILL)


def claimed(et: Everthread) -> None:
    now = et.house.clock.now()
    et.house.store.write(lambda r: r.jobs.claim("w", (DISTILL,), now=now, until=now + MINUTE))


@pytest.mark.req("A-12")
def test_a_turn_while_a_distillation_runs_is_noticed_and_the_next_one_need_not_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from everthread.services.distilling import notice

    written: list[int] = []
    ask = notice.ask_distillation

    def counted(house: Any, scope: Scope, thread: int) -> None:
        written.append(thread)
        ask(house, scope, thread)

    monkeypatch.setattr(notice, "ask_distillation", counted)
    with desk_in(tmp_path, distill_messages=20) as desk:
        desk.talk(0, 12)
        assert (asked(desk.et), len(written)) == (["due"], 1)
        claimed(desk.et)
        desk.talk(12, 13)
        assert asked(desk.et) == ["due", "running"], "what runs may have missed this turn"
        desk.talk(13, 16)
        assert (asked(desk.et), len(written)) == (["due", "running"], 2)


# ---- what is drawn finds the same place as if each were compared with all there is

SAYINGS = (
    "The project uses npm.",
    "The project uses pnpm instead of npm.",
    "The project uses npm for the build and the tests.",
    "The project uses npm for the build.",
    "Caching is on for the staging server.",
    "Caching is off for the staging server.",
    "The user prefers tabs over spaces.",
    "The user prefers spaces over tabs.",
    "The staging server listens on port 8080.",
    "The staging server listens on port 8081.",
    "The user prefers no tabs in the staging config.",
)


class Telling(NamedTuple):
    text: str
    kind: str
    by: Any


tellings = st.lists(
    st.builds(
        Telling,
        st.sampled_from(SAYINGS),
        st.sampled_from(["fact", "preference", "correction"]),
        st.sampled_from(["user", "agent", "tool"]),
    ),
    max_size=7,
)


class Mind:
    """An agent's memory, and who tells it something."""

    def __init__(self, et: Everthread) -> None:
        self.house = et.house
        self.scope = Scope(et.agent("ada").row.ref)
        self._told = 0

    def prepared(self, told: Sequence[Telling]) -> list[Memory]:
        facts: list[Fact] = []
        for each in told:
            self._told += 1
            facts.append(Fact(each.kind, each.text, (self._told.to_bytes(16, "big"),), each.by, 1))
        return draw_memories(self.house, facts, None)

    def settled(self, told: Sequence[Telling]) -> None:
        """Said one by one, as a person does."""
        for memory in self.prepared(told):
            self.house.store.write(lambda r, m=memory: settle(r, self.scope, m))

    def rows(self) -> list[tuple[Any, ...]]:
        """All memories, as far as they do not depend on their keys."""

        def work(records: Records) -> Sequence[Memory]:
            return records.memories.all(self.scope, state=None, limit=1_000)

        memories = self.house.store.read(work)
        texts = {m.key_id: (m.ref, m.text) for m in memories}
        return sorted(
            (
                m.ref, m.text, m.state, m.kind, m.origin, m.said, m.confidence, m.importance,
                m.sources_json, texts.get(m.successor or b""),
            )
            for m in memories
        )  # fmt: skip

    def withheld(self) -> Any:
        return self.house.store.read(lambda r: r.memories.withheld(self.scope))


def one_by_one(records: Records, scope: Scope, fresh: Sequence[Memory], known: list[int]) -> None:
    """The long way: each is compared with all that is kept by then, the oldest acquaintance first."""
    for memory in fresh:
        rows = [records.memories.get(scope, ref) for ref in dict.fromkeys(known)]
        near = near_memories(memory, [m for m in rows if m.state == "kept"])
        told = settle(records, scope, memory, near)
        known.append(told.memory.ref)


@contextmanager
def mind() -> Generator[Mind]:
    clock = FrozenClock()
    chosen = Settings(embedder="off")
    with everthread.connect("memory://", clock=clock, background=False, settings=chosen) as et:
        yield Mind(et)


def kept_refs(records: Records, scope: Scope) -> list[int]:
    return [m.ref for m in records.memories.all(scope, state="kept", limit=1_000)]


NPM, PNPM = Telling(SAYINGS[0], "fact", "user"), Telling(SAYINGS[1], "fact", "user")
ON, OFF = Telling(SAYINGS[4], "fact", "user"), Telling(SAYINGS[5], "fact", "agent")


@pytest.mark.req("R-43")
@given(before=tellings, fresh=tellings, meanwhile=tellings)
@example(before=[], fresh=[NPM, PNPM], meanwhile=[])
@example(before=[], fresh=[ON, ON, ON], meanwhile=[])
@example(before=[NPM], fresh=[PNPM, PNPM], meanwhile=[ON])
@example(before=[], fresh=[NPM, NPM, PNPM], meanwhile=[])
@settings(max_examples=few(400))
def test_what_is_compared_ahead_finds_its_place_as_if_compared_with_all_there_is(
    before: list[Telling], fresh: list[Telling], meanwhile: list[Telling]
) -> None:
    with mind() as ours, mind() as model:
        for each in (ours, model):
            each.settled(before)
        memories = ours.prepared(fresh)
        ahead = compare(ours.house, ours.scope, memories, lambda: None)
        ours.settled(meanwhile)
        ours.house.store.write(lambda r: learn(r, ours.scope, ahead))

        memories = model.prepared(fresh)
        known = model.house.store.read(lambda r: kept_refs(r, model.scope))
        model.settled(meanwhile)
        later = model.house.store.read(lambda r: kept_refs(r, model.scope))
        known += sorted(ref for ref in later if ref not in known)
        model.house.store.write(lambda r: one_by_one(r, model.scope, memories, known))

        assert ours.rows() == model.rows()
        assert ours.withheld() == model.withheld()


# ---- no long stretch without a pause


class Stretch:
    """Counts the calls of functions between two pauses: as many on a slow machine as on a fast one."""

    def __init__(self, *, counted: bool = True) -> None:
        self.counted = counted
        self.longest = 0
        self.place = ""
        self.pauses = 0
        self._calls = 0

    def pause(self) -> None:
        if self._calls > self.longest:
            self.longest, self.place = self._calls, "".join(traceback.format_stack(limit=5))
        self._calls = 0
        self.pauses += 1

    def _note(self, _frame: FrameType, event: str, _what: object) -> None:
        self._calls += event in ("call", "c_call")

    def of(self, work: Callable[[], object]) -> None:
        if not self.counted:
            work()
            return
        self._calls = 0
        before = sys.getprofile()
        sys.setprofile(self._note)
        try:
            work()
        finally:
            sys.setprofile(before)
        self.pause()


LONG = "\n\n".join(
    f"{n}. Please make part_{n}.py read `settings_{n}.toml`, never the old file. We decided that service "
    f"{n} listens on port {8000 + n}, because host-{n}.example is full. Is that right?\n\n"
    f"```\nrun --all {n}\nok {n}\n```"
    for n in range(70)
)


def stretches_of(folder: Path, *, counted: bool = True) -> tuple[Stretch, Stretch]:
    """Of a distillation, and of its score with the repair."""
    chosen: dict[str, Any] = {
        "distill_messages": 40,
        "score_seconds": 60.0,
        "score_threshold": 100.0,
    }
    with desk_in(folder, **chosen) as desk:
        desk.talk(0, 20)
        desk.turn(f"This is the plan.\n\n{LONG}", "I begin with the first part.")
        desk.talk(20, 40)
        house, agent, thread = desk.et.house, desk.ada.row.ref, desk.ada.primary.ref
        made, scored = Stretch(counted=counted), Stretch(counted=counted)
        made.of(lambda: run_distill_job(house, agent, thread, pause=made.pause))
        (receipt,) = desk.ada.receipts()
        assert receipt.outcome == "ok"
        scored.of(lambda: run_score_job(house, agent, receipt.ref, pause=scored.pause))
        (receipt,) = desk.ada.receipts()
        assert any("repaired" in error for error in receipt.errors)
    return made, scored


@pytest.mark.slow
def test_a_distillation_and_its_score_let_others_in_every_few_milliseconds(tmp_path: Path) -> None:
    """Ten thousand calls take two to three milliseconds; a turn that comes then waits for all of them."""
    # What is loaded and compiled once does not count.
    stretches_of(tmp_path / "first", counted=False)
    made, scored = stretches_of(tmp_path / "second")
    assert made.longest < 32_000, made.place
    assert scored.longest < 42_000, scored.place


# ---- what a job needs is loaded in steps

LOADED = """
import sys
import everthread.wiring
from everthread.jobs import duties, loading

def ours():
    return {name for name in sys.modules if name.startswith("everthread.")}

steps = []
loading.load(getattr(loading, sys.argv[1]), lambda: steps.append(ours()))
before = ours()
steps.append(before)
assert len(steps) > 10, len(steps)
for earlier, later in zip(steps, steps[1:]):
    assert len(later - earlier) <= 8, sorted(later - earlier)
for name in sys.argv[2:]:
    __import__(name)
assert ours() == before, sorted(ours() - before)
"""


@pytest.mark.parametrize(
    ("steps", "needed"),
    [
        ("DISTILLING", ["distilling.distill_job", "distilling.stages"]),
        ("SCORING", ["distilling.review"]),
        ("ENDING", ["ending.conclude"]),
    ],
)
def test_what_a_job_needs_is_loaded_before_it_in_small_steps(steps: str, needed: list[str]) -> None:
    names = [f"everthread.services.{each}" for each in needed]
    command = [sys.executable, "-c", LOADED, steps, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


IDLE = """
import sys
import everthread
from everthread.jobs.worker import Worker

with everthread.connect(sys.argv[1], background=False) as et:
    et.agent("ada").turn("We use port 8123.").done("Noted.")
    worker, done = Worker(et.house), 0
    while worker.step():
        done += 1
assert done > 10, done
print(*(name for name in sys.modules if name.startswith("everthread.domain.gleaning.")))
"""


def test_duties_that_find_nothing_to_do_load_nothing_that_reads_what_was_said(
    tmp_path: Path,
) -> None:
    """They come by themselves, with the first event of a day: a worker is there for them in no time."""
    command = [sys.executable, "-c", IDLE, str(tmp_path / "store.db")]
    env = {**os.environ, "EVERTHREAD_HOME": str(tmp_path), "EVERTHREAD_EMBEDDER": "off"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = {name.rpartition(".")[2] for name in done.stdout.split()}
    assert loaded <= {"digest", "offers", "choices", "answer_pairs"}
