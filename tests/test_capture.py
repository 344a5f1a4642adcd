"""What is said in a harness is kept once, whatever comes at once, twice, or from another place."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Everthread, Settings
from everthread.domain.harness.happenings import Happening, Line, Reading
from everthread.edges.harnesses import event_desk
from everthread.edges.harnesses.privacy import switch
from everthread.services.harness import capture
from support.harness import Bench, Window, bench
from support.stores import ABOVE, fresh

SECRET = "The secret word is xylophone."
PROMPT = "Please fix the parser."


@pytest.fixture(params=ABOVE)
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as made:
        yield made


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    """The quick one."""
    with bench(tmp_path) as made:
        yield made


def elsewhere(w: Window, place: str, *, kind: Any = "reply", most: int = 10_000) -> None:
    """An event of the session whose transcript stands in another place now."""

    def read(_place: str, cursor: str) -> Reading:
        start = int(cursor or 0)
        end = min(start + most, len(w.lines))
        return Reading(w.lines[start:end], str(end), whole=end == len(w.lines))

    folder = str(w.bench.project)
    w.bench.agent.attend(Happening(w.harness, kind, w.session, folder, transcript=place), read)


# Two at once, and a kill


def test_another_event_may_read_the_same_lines_meanwhile(b: Bench):
    w = b.window()
    w.prompt(PROMPT)
    w.write("assistant", "Fixed it.")
    during = [lambda: w.tell("reply", text="Fixed it.")]

    def slowly(place: str, cursor: str) -> Reading:
        found = w.read(place, cursor)
        while during:
            during.pop()()
        return found

    end = Happening(w.harness, "end", w.session, str(b.project), transcript=w.session)
    b.agent.attend(end, slowly)
    assert b.words() == [PROMPT, "Fixed it."]


def test_what_two_events_bring_at_once_is_kept_once(b: Bench):
    """Stop and SessionEnd, or OpenCode's session.idle and dispose, come at the same time."""
    for n in range(6):
        w = b.window(f"s-{n}")
        w.prompt(f"Prompt {n}")
        for _ in range(20):
            w.tool("make test", "12 passed")
        w.write("assistant", f"Reply {n}")
        both = threading.Barrier(2)

        def tell(kind: str, text: str | None, w: Window = w, at: threading.Barrier = both) -> None:
            at.wait()
            w.tell(kind, text=text)

        asked = (("reply", f"Reply {n}"), ("compacting", None))
        telling = [threading.Thread(target=tell, args=each) for each in asked]
        for each in telling:
            each.start()
        for each in telling:
            each.join()
    said = Counter(b.words())
    assert set(said) == {f"{who} {n}" for who in ("Prompt", "Reply") for n in range(6)}
    assert set(said.values()) == {1}


def test_a_kill_inside_a_long_reading_doubles_nothing(b: Bench, monkeypatch: pytest.MonkeyPatch):
    w = b.window()
    w.prompt(PROMPT)
    for n in range(600):
        w.tool(f"cat {n}", "12 passed")
    w.write("assistant", "The subagent is done.", child="a1")
    real, left = capture.store_drafts, [1]

    def dies(*given: Any) -> int:
        if not left:
            raise KeyboardInterrupt
        left.pop()
        return real(*given)

    monkeypatch.setattr(capture, "store_drafts", dies)
    with pytest.raises(KeyboardInterrupt):
        w.reply("Fixed it.")
    monkeypatch.undo()
    w.tell("end")
    assert sorted(b.words()) == ["Fixed it.", PROMPT, "The subagent is done."]
    assert len(b.agent.messages(limit=10_000)) == 1_203


# Stated again


def test_a_line_that_is_stated_again_is_known(b: Bench):
    """OpenCode changes a message when its turn ends, long after it was read."""
    w = b.window()
    w.turn("Go on.", "Going.")
    w.lines += w.lines
    w.tell("reply")
    assert b.words() == ["Go on.", "Going."]
    b.clock.forward(minutes=1)
    w.prompt("Go on.")  # and what is said again is said again
    w.tell("reply", text="Going.")
    assert b.words() == ["Go on.", "Going.", "Go on.", "Going."]


# From another place


@pytest.mark.parametrize("most", [10_000, 3])
def test_a_transcript_that_moved_brings_only_what_is_new(b: Bench, most: int):
    w = b.window()
    for n in range(3):
        w.prompt(f"Please do step {n}.")
        for _ in range(60):
            w.tool("make test", "12 passed")
        w.tell("reply", text=f"Step {n} is done.")
        w.write("assistant", f"Step {n} is done.")
        b.clock.forward(minutes=1)
    w.end()
    before = b.words()
    assert len(before) == 6
    w.write("user", "And the next.", human=True)
    elsewhere(w, "moved", most=most)
    assert b.words() == [*before, "And the next."]
    w.write("user", "And the next.", human=True)  # the same words again are said again
    elsewhere(w, "moved")
    assert b.words() == [*before, "And the next.", "And the next."]


def test_what_interrupts_the_first_reading_of_a_moved_transcript_doubles_nothing(q: Bench):
    w = q.window()
    for n in range(4):
        w.turn(f"Please do step {n}.", f"Step {n} is done.")
    before, told = q.words(), []

    def twice(_place: str, cursor: str) -> Reading:
        told.append(cursor)
        if len(told) == 2:
            raise KeyboardInterrupt
        start = int(cursor or 0)
        return Reading(w.lines[start : start + 3], str(start + 3), whole=False)

    moved = Happening(w.harness, "reply", w.session, str(q.project), transcript="moved")
    with pytest.raises(KeyboardInterrupt):
        q.agent.attend(moved, twice)
    elsewhere(w, "moved")
    assert q.words() == before


def test_what_was_forgotten_does_not_come_back_from_another_place(b: Bench):
    told = "Never tell anybody about the violet elephant project."
    w = b.window()
    w.turn(told, "Noted.")
    w.end()
    b.work()
    for memory in b.agent.memories():
        b.agent.forget(memory.id)
    elsewhere(w, "archived")
    b.work()
    assert told not in [hit.text for hit in b.agent.recall("violet elephant project")]
    assert b.words().count(told) == 1


# Erased


def erase(b: Bench) -> None:
    b.et.erase(b.agent)
    b.agent = b.et.agent(b.agent.name)  # its thread is a new one


def test_erased_words_stay_erased_though_the_transcript_keeps_them(b: Bench):
    w = b.window()
    w.turn(SECRET, "Noted xylophone.")
    b.clock.forward(minutes=1)
    erase(b)
    b.clock.forward(minutes=1)
    w.turn("Go on.", "Going.")
    elsewhere(w, "moved")
    assert b.words() == ["Go on.", "Going."]
    assert b.et.verify(b.agent).sound


def test_an_event_of_before_the_erasure_brings_nothing(q: Bench):
    w = q.window()
    w.turn("Hello.", "Hi.")
    spooled = q.clock.now()
    q.clock.forward(minutes=1)
    erase(q)
    w.tell("prompt", text=SECRET, at=spooled)
    assert q.words() == []


def test_a_line_without_a_time_may_be_one_that_was_erased(q: Bench):
    w = q.window()
    w.turn("Hello.", "Hi.")
    w.lines = [timeless(line) for line in w.lines]
    erase(q)
    w.tell("reply")
    assert q.words() == []
    w.write("user", "From now on.", human=True)
    w.lines[-1] = timeless(w.lines[-1])
    w.tell("reply")
    assert q.words() == ["From now on."]


def timeless(line: Line) -> Line:
    return line._replace(entry={k: v for k, v in line.entry.items() if k != "at"})


def test_a_fork_of_an_erased_session_does_not_bring_it_back(q: Bench):
    w = q.window()
    w.turn(SECRET, "Noted xylophone.")
    q.clock.forward(minutes=1)
    erase(q)
    q.clock.forward(minutes=1)
    fork = replace(w, session="s-2", lines=[*w.lines])
    fork.start("fork")
    fork.turn("Try another way.", "Sure.")
    assert q.words() == ["Try another way.", "Sure."]


def test_a_session_that_was_never_here_is_not_erased_with_the_others(q: Bench):
    w, other = q.window(), q.window("s-2")
    w.turn("Hello.", "Hi.")
    other.write("user", "Typed where no hook was.", human=True)
    at = q.clock.now()
    q.clock.forward(minutes=1)
    erase(q)
    other.tell("reply", at=at)
    assert q.words() == ["Typed where no hook was."]


def test_the_summary_of_an_erased_session_is_not_kept(q: Bench):
    w = q.window()
    w.turn(SECRET, "Noted.")
    erase(q)
    w.turn("Go on.", "Going.")
    w.tell("compacting")
    w.start("compact")
    w.write("system", "They told xylophone.", summary=True)
    w.tell("reply")
    assert all(one.summary_hash is None for one in q.agent.compactions())


# Images


def test_a_prompt_with_an_image_is_kept_once(b: Bench):
    asked = "What is wrong in this screenshot? [Image #1]"
    w = b.window()
    w.prompt(asked, written=False)
    image = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    words = {"type": "text", "text": asked}
    w.write("user", [words, {"type": "image", "source": image}], human=True)
    w.reply("The button.")
    assert b.words() == [asked, "The button."]


# Private


SESSION = "5b0c2a3e-7d54-4f0e-9d6a-3c1c8a2f9b10"
SUMMARY = "The parser was fixed. Their diagnosis is lupus."


class Beside:
    """Events as they come from a harness, whose transcript is written in its own form."""

    def __init__(self, folder: Path, engine: Everthread, settings: Settings) -> None:
        self.engine, self.settings = engine, settings
        self.project, self.transcript = folder / "shop", folder / f"{SESSION}.jsonl"
        self.project.mkdir()
        self.now = datetime.now(UTC) - timedelta(hours=1)

    def tell(self, harness: str, event: str, **more: Any) -> None:
        told = {
            "session_id": SESSION,
            "cwd": str(self.project),
            "transcript_path": str(self.transcript),
            **more,
        }
        event_desk.answer(self.engine, self.settings, harness, event, json.dumps(told).encode(), {})

    def write(self, **row: Any) -> None:
        self.now += timedelta(seconds=1)
        with self.transcript.open("a") as file:
            file.write(json.dumps({**row, "timestamp": self.now.isoformat()}) + "\n")

    def private(self, *, session: str = "", folder: str = "") -> None:
        """Private for a second, as of now."""
        at = int(self.now.timestamp() * 1_000)
        home = self.settings.home
        switch(home, now=at, on=True, session=session, folder=folder)
        switch(home, now=at + 1_000, on=False, session=session, folder=folder)

    def summaries(self) -> Sequence[bool]:
        """Of each compaction, whether its summary is kept."""
        (agent,) = self.engine.agents()
        return [one.summary_hash is not None for one in agent.compactions()]


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Beside]:
    settings = Settings(
        home=tmp_path / "home", durability="process", embedder="off", recall_seconds=30
    )
    target = tmp_path / "home" / "everthread.db"
    with everthread.connect(target, background=False, settings=settings) as engine:
        yield Beside(tmp_path, engine, settings)


def claude_compacts(house: Beside) -> None:
    house.tell("claude-code", "PreCompact", trigger="auto")
    house.tell("claude-code", "SessionStart", source="compact")
    house.tell("claude-code", "PostCompact", compact_summary=SUMMARY)


@pytest.mark.parametrize("whose", ["nobody", "session", "folder"])
def test_a_summary_that_can_tell_what_was_private_is_not_kept(beside: Beside, whose: str):
    said = {"role": "user", "content": PROMPT}
    beside.write(type="user", uuid="u1", sessionId=SESSION, message=said)
    if whose == "session":
        beside.private(session=SESSION)
    elif whose == "folder":
        beside.private(folder=str(beside.project))
    claude_compacts(beside)
    assert beside.summaries() == [whose == "nobody"]


def test_a_session_that_began_later_has_nothing_private_in_its_summary(beside: Beside):
    beside.private(folder=str(beside.project))
    beside.now += timedelta(minutes=1)
    said = {"role": "user", "content": PROMPT}
    beside.write(type="user", uuid="u1", sessionId=SESSION, message=said)
    claude_compacts(beside)
    assert beside.summaries() == [True]


@pytest.mark.parametrize("private", [False, True])
def test_codexs_summary_is_not_kept_either(beside: Beside, *, private: bool):
    words = [{"type": "input_text", "text": PROMPT}]
    payload = {"type": "message", "role": "user", "content": words}
    beside.write(type="response_item", payload=payload)
    if private:
        beside.private(session=SESSION)
    beside.tell("codex", "PreCompact", trigger="auto")
    beside.write(type="compacted", payload={"message": SUMMARY})
    beside.tell("codex", "PostCompact", trigger="auto")
    assert beside.summaries() == [not private]


@pytest.mark.parametrize("private", [False, True])
def test_geminis_compression_is_noticed_but_its_summary_not_kept(beside: Beside, *, private: bool):
    beside.write(id="m1", type="user", content=PROMPT)
    beside.tell("gemini", "AfterAgent")
    if private:
        beside.private(session=SESSION)
    beside.write(id="m2", type="user", content=f"<state_snapshot>{SUMMARY}</state_snapshot>")
    beside.tell("gemini", "AfterAgent")
    assert beside.summaries() == [not private]
