"""What a session is owed reaches that session, once, however its events come, are lost or overtaken.

Requirements: B-22, B-26, LB-4, LB-7, R-1, R-21, R-23, R-25, R-26, R-28, R-45.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.harness.happenings import Happening
from everthread.domain.harness.recovery import restored_text
from everthread.edges.harnesses.openclaw import OpenClaw
from everthread.engine import attending
from everthread.services.attending import prompt as attend_prompt
from everthread.services.attending import recover
from everthread.services.attending import start as attend_start
from everthread.services.harness import fold
from everthread.services.harness.prune import prune
from support.harness import Bench, Window, bench
from support.stores import ABOVE, fresh

RULE = "Never touch schema.sql."
OPEN = "Please also write the migration guide in docs/migrate.md."
VAULT = "The billing gateway reads its password from vault path kv/orders/gateway-17."
ASKED = "From which vault path does the billing gateway read its password?"
LEFT_OUT = "What the compaction of this conversation left out"


@pytest.fixture(params=ABOVE)
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as made:
        yield made


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    """The quick one."""
    with bench(tmp_path) as made:
        yield made


def detailed(w: Window, start: int, end: int) -> None:
    """So many particulars that neither a summary nor what is given back has room for them."""
    for n in range(start, end):
        w.turn(
            f"Set MAX_RETRIES_{n} to {1000 + n} in config/service_{n}.yaml, ticket OPS-{4000 + n}, "
            f"because node-{n}.example.org failed with error E{7000 + n} at port {9000 + n}.",
            f"I set MAX_RETRIES_{n} to {1000 + n}.",
        )


def waiting(b: Bench) -> list[str]:
    return [line for c in b.agent.compactions() for line in json.loads(c.restore_json)]


# Compactions


def test_a_compaction_that_was_cancelled_hides_nothing_of_what_an_earlier_one_dropped(b: Bench):
    w = b.window()
    w.start()
    w.turn(VAULT, "Noted.")
    w.turn("Please list the files.", "a b c")
    w.compact("We worked.")
    b.work()
    w.prompt("go on")
    w.tell("compacting", trigger="manual")  # and then the user thought better of it
    assert "gateway-17" in w.prompt(ASKED)


@pytest.mark.slow
def test_what_is_restored_and_finds_no_room_comes_with_the_prompts_after(tmp_path: Path):
    """R-21."""
    with bench(tmp_path, start_chars=500) as b:
        w = b.window()
        w.start()
        detailed(w, 0, 24)
        w.compact("We worked.")
        b.work()
        w.prompt("next please")
        promised = b.agent.restore(b.agent.compactions()[0].id)
        assert sum(map(len, promised)) > attend_prompt.RESTORED_CHARS
        given = "\n".join(w.prompt(f"and on with part {n}") for n in range(20))
        assert all(f"- {line}" in given for line in promised)
        assert not waiting(b)


def test_what_is_restored_of_an_earlier_compaction_comes_too(b: Bench):
    w = b.window()
    w.start()
    detailed(w, 0, 24)  # more than comes with the next prompts by itself
    w.compact("We worked.")
    b.work()
    given = [w.prompt("next please")]
    (first,) = b.agent.compactions()
    detailed(w, 24, 26)
    w.compact("We worked on.")
    b.work()
    while LEFT_OUT in (more := w.prompt("next please")):
        given.append(more)
    (line,) = b.agent.restore(first.id, [1])
    assert f"- {line}" not in "\n".join(given)
    assert f"- {line}" in w.prompt("and then what")
    assert not waiting(b)


def test_each_summary_goes_to_its_compaction_though_nobody_announced_it(b: Bench):
    """Codex tells the summary in its transcript, before the start that follows."""
    w = b.window(harness="codex")
    w.start()
    for n in range(2):
        w.turn(f"Set MAX_RETRIES_{n} to {1000 + n}.", f"Set {n}.")
        w.write("user", f"SUMMARY {n}", summary=True)
        w.tell("compacted", trigger="auto")
        w.start("compact")
        b.work()
    found = [*reversed(b.agent.compactions())]
    read = b.et.house.store.read
    told = [read(lambda r, c=c: r.compactions.summary(b.agent.scope, c)) for c in found]
    assert told == ["SUMMARY 0", "SUMMARY 1"]
    assert [(c.first_seq, c.last_seq) for c in found] == [(1, 2), (3, 4)]


def test_a_summary_tells_that_it_happened_and_the_next_prompt_is_given_back_to(q: Bench):
    """R-45: neither the end of it nor the start after it was told."""
    w = q.window(harness="codex")
    w.start()
    w.turn(RULE, "I will not.")
    w.tell("compacting", trigger="auto")
    w.write("user", "We worked.", summary=True)
    w.reply("On I go.")
    assert RULE in w.prompt("Where were we?")


def test_what_the_spool_tells_late_of_a_compaction_tells_of_that_one(q: Bench):
    """Each of its events came by the spool, after the session had gone on."""
    w = q.window()
    w.start()
    w.turn(RULE, "I will not.")
    at = q.clock.now()
    w.compact("We worked.")
    w.turn("Try another way.", "sure")
    w.tell("compacting", trigger="auto", at=at)
    w.start("compact", at=at)
    w.tell("compacted", text="We worked.", at=at)
    (found,) = q.agent.compactions()
    assert found.last_seq == 2
    assert RULE not in w.prompt("And now?")


def test_a_summary_that_is_read_again_is_not_that_of_an_announced_one(q: Bench):
    w = q.window()
    w.start()
    w.turn(RULE, "I will not.")
    w.compact("We worked.")
    w.tell("compacting", trigger="manual")
    w.write("user", "We worked.", summary=True)
    w.reply("On I go.")
    assert [c.state for c in q.agent.compactions()] == ["open", "given"]


def test_what_is_given_after_it_was_measured_is_measured_too(
    q: Bench, monkeypatch: pytest.MonkeyPatch
):
    """The worker may be quicker than the start that follows the compaction."""
    w = q.window()
    w.start()
    detailed(w, 0, 8)
    w.tell("compacting", trigger="auto")
    w.write("user", "We worked.", summary=True)
    w.tell("compacted")
    q.work()
    assert waiting(q)
    real = attend_start.start_block

    def slow(*told: Any, **more: Any) -> Any:
        q.work()
        return real(*told, **more)

    monkeypatch.setattr(attend_start, "start_block", slow)
    w.start("compact")
    q.work()
    (found,) = q.agent.compactions()
    outcome = q.agent.compaction_outcome(found)
    assert outcome is not None
    assert outcome.given > 0.5
    assert set(waiting(q)) <= {one.line for one in outcome.missing}


# What was owed


def test_a_clear_that_was_missed_is_still_a_clear(b: Bench):
    """R-25, R-45."""
    first = b.window("s-0")
    first.turn(OPEN, "Later.")
    first.end("clear")
    b.work()
    w = b.window()
    w.start("clear", at=b.clock.now())  # from the spool: nobody waited
    given = w.prompt("Something quite different: write a poem.")
    assert "The last session here" in given
    assert OPEN not in given.partition("<everthread-recall>")[0]


def test_what_nobody_heard_comes_with_the_next_prompt_all_of_it(tmp_path: Path):
    """R-45: the missed start, what a compaction left out, what bears on the prompt."""
    with bench(tmp_path, start_chars=500) as b:
        w = b.window()
        w.start()
        w.turn(VAULT, "Noted.")
        detailed(w, 0, 10)
        w.tell("compacting", trigger="auto")
        w.start("compact", at=b.clock.now())
        w.tell("compacted", text="We worked.")
        b.work()
        told = Happening("claude-code", "prompt", "s-1", str(b.project), text=ASKED)
        assert b.agent.attend(told, w.read, seconds=0.0).context == ""
        held = waiting(b)
        assert held
        given = w.prompt(ASKED)
        assert "compacted a moment ago" in given
        assert held[0] in given
        assert "gateway-17" in given


def test_what_the_session_is_owed_does_not_go_to_its_subagent(tmp_path: Path):
    """R-26."""
    with bench(tmp_path, start_chars=500) as b:
        w = b.window(harness="codex")
        w.start()
        detailed(w, 0, 10)
        w.tell("compacting", trigger="auto", child="sub1")
        assert not b.agent.compactions()
        w.compact("We worked.")
        b.work()
        told = w.tell("prompt", text="Look at x.", child="sub1", human=False)
        assert told.context == ""
        w.tell("end", child="sub1", reason="other")
        assert w.row.state == "active"
        assert LEFT_OUT in w.prompt("go on then")


# Which session


def test_many_subagents_do_not_hide_the_session(b: Bench):
    w = b.window()
    w.start()
    w.prompt(OPEN)
    for n in range(60):
        b.clock.forward(seconds=1)
        w.write("assistant", f"Found {n}.", child=f"a{n}")
        w.tell("child_end", child=f"a{n}")
    assert {b.agent.session(f"s-1:a{n}").state for n in range(60)} == {"complete"}
    assert b.agent.checkpoint("The parser works.").session_ref == w.row.ref
    w.end()
    b.work()
    assert OPEN in b.window("s-2").start()
    assert b.agent.session("s-2").previous_ref == w.row.ref


def test_an_end_that_the_spool_brings_late_ends_nothing(q: Bench):
    w = q.window()
    w.start()
    w.turn("Please migrate the orders table.", "ok")
    ended = q.clock.now()
    q.clock.forward(seconds=30)
    w.start("resume")
    w.tell("end", reason="other", at=ended)
    assert w.row.state == "active"
    w.turn("Now rename the column.", "ok")
    w.tell("end", reason="other", at=ended)
    assert w.row.state == "active"
    w.tell("end", reason="other", at=q.clock.now())
    assert w.row.state == "complete"


def test_the_last_checkpoint_is_the_newest_though_the_clock_stepped_back(b: Bench):
    w = b.window()
    w.start()
    w.turn("We began with step one of the plan.", "did one")
    b.agent.checkpoint("first")
    b.clock.forward(hours=-2)
    w.turn(OPEN, "Later.")
    w.end()
    b.work()
    newest = b.agent.checkpoints()[0]
    assert (newest.kind, newest.through_seq) == ("session_end", w.row.last_seq)
    assert OPEN in b.window("s-2").start()


def test_where_a_session_stood_is_told_though_its_checkpoint_goes_meanwhile(
    q: Bench, monkeypatch: pytest.MonkeyPatch
):
    """Old ones are pruned by the daemon while a command looks at one of them."""
    w = q.window()
    w.start()
    w.turn(OPEN, "Later.")
    w.end()
    q.work()
    q.clock.forward(hours=400 * 24)
    write = recover.write_checkpoint

    def and_prune(*args: Any, **named: Any) -> Any:
        try:
            return write(*args, **named)
        finally:
            monkeypatch.setattr(recover, "write_checkpoint", write)
            assert prune(q.et.house)

    monkeypatch.setattr(recover, "write_checkpoint", and_prune)
    assert OPEN in q.agent.recovery(w.row.key)


# Clear and reset


def test_what_was_cleared_is_remembered_and_leaves_no_checkpoint(b: Bench):
    """LB-4, R-1."""
    w = b.window()
    w.turn(RULE, "I will not.")
    w.end("clear")
    b.work()
    assert [m.text for m in b.agent.memories()] == [RULE]
    assert not b.agent.checkpoints()


def reset(b: Bench) -> Window:
    """A session of OpenClaw that was begun anew under its old id."""
    w = b.window(harness="openclaw", keeps=False)
    w.start()
    w.turn(VAULT, "Noted.")
    w.turn(RULE, "I will not.")
    w.end("reset")
    b.clock.forward(seconds=1)
    return w


def test_a_session_that_is_reset_is_given_a_pointer_and_nothing_else(b: Bench):
    """R-25: its id stays the same; so does what it is given with each request (R-23)."""
    w = reset(b)
    given = w.start("clear")
    assert "The last session here" in given
    assert RULE not in given
    assert w.start("clear") == given


def test_what_was_said_before_a_reset_is_recalled_in_it(b: Bench):
    w = reset(b)
    w.start("clear")
    assert "gateway-17" in w.prompt(ASKED)


def test_a_compaction_after_a_reset_stands_for_what_was_said_since(b: Bench):
    w = reset(b)
    w.start("clear")
    w.turn("Always answer in French.", "Oui.")
    told, back = w.compact("On parle.")
    assert "French" in told and "French" in back
    assert RULE not in told and RULE not in back.partition("<everthread-recall>")[0]
    (found,) = b.agent.compactions()
    assert (found.first_seq, found.last_seq) == (5, 6)


def test_what_was_said_before_a_reset_is_remembered_though_the_worker_comes_late(b: Bench):
    w = reset(b)
    w.start("clear")
    w.turn("Write a poem about rain.", "drops")
    b.work()
    assert RULE in [m.text for m in b.agent.memories()]


def test_what_waited_when_a_session_was_reset_does_not_follow(tmp_path: Path):
    with bench(tmp_path, start_chars=500) as b:
        w = b.window(harness="openclaw")
        w.start()
        detailed(w, 0, 10)
        w.compact("We worked.")
        b.work()
        assert waiting(b)
        b.clock.forward(seconds=1)
        w.start("clear")
        assert LEFT_OUT not in w.prompt("Write a poem.")


def test_a_reset_that_the_spool_brings_late_resets_nothing(q: Bench):
    w = q.window(harness="openclaw")
    at = q.clock.now()
    w.turn(VAULT, "Noted.")
    w.start("clear", at=at)
    assert "gateway-17" not in w.prompt(ASKED)


@pytest.mark.parametrize(
    ("told", "start", "previous"),
    [
        ({}, "startup", None),
        ({"resumedFrom": "oc-1"}, "clear", None),
        ({"resumedFrom": "oc-0"}, "startup", "oc-0"),
    ],
)
def test_openclaw_tells_a_reset_from_a_session_that_follows_another(
    told: dict[str, str], start: str, previous: str | None
):
    """R-28."""
    parsed = OpenClaw().parse("session_start", {"sessionId": "oc-1", **told}, {})
    assert parsed is not None
    assert (parsed.start, parsed.previous) == (start, previous)


# Forks


def test_a_compaction_in_a_fork_keeps_the_rules_from_before_it(b: Bench):
    parent = b.window("s-0")
    parent.start()
    parent.turn(RULE, "I will not.")
    w = b.window("s-1", lines=list(parent.lines))
    w.start("fork")
    parent.turn("Always answer in French.", "Oui.")
    w.turn("Try another way.", "sure")
    told, back = w.compact()
    assert RULE in told and RULE in back
    assert "French" not in told + back.partition("<everthread-recall>")[0]


def test_a_fork_is_of_the_session_of_the_same_process(q: Bench):
    parent = q.window("s-0", owner="one")
    parent.start()
    parent.turn(RULE, "I will not.")
    other = q.window("s-2", owner="two")
    other.start()
    other.turn("Always answer in French.", "Oui.")
    w = q.window("s-3", owner="one")
    w.start("fork")
    w.turn("Try another way.", "sure")
    told, _ = w.compact()
    assert RULE in told
    assert "French" not in told


def test_a_heading_that_promises_lines_does_not_stand_alone():
    assert restored_text(EMPTY, "What must not be lost of it:", 4_000) == ""


# In time


def test_a_start_does_not_wait_until_all_is_folded(q: Bench, monkeypatch: pytest.MonkeyPatch):
    """The end of the session is told; the worker sees to the rest."""
    w = q.window("s-0")
    w.start()
    for n in range(20):
        w.tool(f"make check-{n}", f"FAILED tests/test_{n}.py - KeyError: 'tax_{n}'")
    w.turn(OPEN, "Later.")
    w.end()
    monkeypatch.setattr(attending, "CATCHING_UP", 0.0)
    assert OPEN in q.window().start()
    assert q.agent.checkpoints()[0].through_seq < w.row.last_seq
    q.work()
    assert q.agent.checkpoints()[0].through_seq == w.row.last_seq


def test_the_end_of_a_session_is_told_without_what_takes_too_long_to_read(
    q: Bench, monkeypatch: pytest.MonkeyPatch
):
    w = q.window("s-0")
    w.start()
    w.turn("Good morning.", "Good morning.")
    w.turn(OPEN, "Later.")
    w.tool("make logs", "ERROR src/far_too_long.py:1 failed\n" * 500)
    w.end()
    monkeypatch.setattr(attending, "CATCHING_UP", 0.0)
    monkeypatch.setattr(fold, "TAIL", 5_000)
    given = q.window().start()
    assert OPEN in given
    assert "far_too_long.py" not in given
