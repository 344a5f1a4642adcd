"""Events too large for the socket go by the spool, whole; what is larger still is cut, and told of."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import everthread
from everthread.edges.daemon.trace import read_trace
from everthread.edges.harnesses import event_desk
from everthread.edges.install.checkup import checkup
from everthread.edges.install.machine import this_machine
from everthread.services.upkeep.diagnose import Finding
from support.daemon import Daemon, daemon, house, short_home, wait_for  # noqa: F401 - fixtures

pytestmark = pytest.mark.slow


def test_a_prompt_that_is_too_large_for_the_socket_is_kept_whole(
    daemon: Daemon,  # noqa: F811 - the fixture
    tmp_path: Path,
) -> None:
    prompt = f"{'lorem ipsum dolor ' * 1_000_000}and the word is KIWI."
    told = {"session_id": "s", "cwd": str(tmp_path), "prompt": prompt}
    assert daemon.hook("claude-code", "UserPromptSubmit", told).code == 0
    assert daemon.hook("claude-code", "UserPromptSubmit", {**told, "prompt": "Go on."}).code == 0
    wait_for(lambda: read_trace(daemon.home).waiting == 0, "it waits in the spool")
    assert daemon.down() == 0
    with everthread.connect(settings=daemon.settings, background=False) as engine:
        (agent,) = engine.agents()
        texts = [message.text for message in agent.messages(limit=9)]
    assert [len(text) for text in texts] == [len(prompt), len("Go on.")]
    assert texts[0].endswith("KIWI.")
    assert read_trace(daemon.home).cut == 0


def test_what_is_too_large_even_for_the_spool_is_cut_with_a_mark_and_told_of(
    daemon: Daemon,  # noqa: F811 - the fixture
    tmp_path: Path,
) -> None:
    prompt = "ü\n" + "a long word " * 100_000
    told = {"session_id": "s", "cwd": str(tmp_path), "prompt": prompt}
    body = json.dumps(told).encode()
    place = daemon.places.spool / "late"
    head = (
        f"POST /hook/claude-code/UserPromptSubmit HTTP/1.1\r\ncontent-length: {len(body) - 9}\r\n"
        f"x-everthread-ticket: {time.time_ns():020}-1\r\nx-everthread-cut: {len(body)}\r\n\r\n"
    )
    place.write_bytes(head.encode() + body[:-9])
    place.rename(place.with_name(f"{time.time_ns():020}-1-{place.stat().st_size}"))
    wait_for(lambda: read_trace(daemon.home).cut == 1, "nobody is told of it")
    assert "was too large" in daemon.log
    assert daemon.down() == 0
    with everthread.connect(settings=daemon.settings, background=False) as engine:
        (agent,) = engine.agents()
        (message,) = agent.messages(limit=9)
    kept, _, mark = message.text.partition("\n\n[")
    assert prompt.startswith(kept) and len(kept) > 1_000_000
    assert f"[{mark}" == event_desk.CUT
    (found,) = [c for c in checkup_of(daemon) if c.check == "spool"]
    assert not found.fine and "too large" in found.says


def checkup_of(daemon: Daemon) -> list[Finding]:  # noqa: F811 - its type
    return checkup(this_machine(daemon.settings), {})
