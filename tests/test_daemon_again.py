"""An event that was stored, and whose answer got lost with the daemon, comes again by the spool."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

import everthread
from everthread.edges.daemon.events import LONG_AGO, Event
from everthread.edges.daemon.trace import waiting_events
from support.daemon import Daemon, daemon, house, short_home, wait_for

__all__ = ["daemon", "house", "short_home"]


def _sent(house: Daemon, event: str, ticket: str, body: Mapping[str, str]) -> bytes:
    """The event as the client sends it over the socket; it waits for the answer."""
    told = json.dumps(body).encode()
    head = (
        f"POST /hook/claude-code/{event} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        f"content-length: {len(told)}\r\nx-everthread-ticket: {ticket}\r\n"
        "x-everthread-ms: 30000\r\n\r\n"
    )
    sent = head.encode() + told
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(60)
        line.connect(str(house.socket))
        line.sendall(sent)
        with line.makefile("rb") as answer:
            assert b" 200 " in answer.readline()
            answer.read()
    return sent


@pytest.mark.slow
@pytest.mark.req("R-45")
def test_what_was_stored_before_the_daemon_was_killed_is_not_stored_again(
    daemon: Daemon, short_home: Path
) -> None:
    """The client had gone or heard nothing, and spooled it: the next daemon knows no tickets."""
    project = short_home.parent / "project"
    project.mkdir()
    about = {"session_id": "s-1", "cwd": str(project)}
    events = {
        "UserPromptSubmit": {**about, "prompt": "Fix the parser."},
        "Stop": {**about, "last_assistant_message": "It is fixed."},
    }
    sent: dict[str, bytes] = {}
    for event, body in events.items():
        # Met a moment ago: it waited in the socket.
        ticket = f"{time.time_ns() - 300_000_000:020}-77"
        sent[ticket] = _sent(daemon, event, ticket, {**body, "hook_event_name": event})
    daemon.kill()
    for ticket, request in sent.items():
        (daemon.places.spool / f"{ticket}-{len(request)}").write_bytes(request)
    daemon.up()
    wait_for(lambda: waiting_events(daemon.places) == [], "the spool was not drained")
    daemon.down()
    with everthread.connect(settings=daemon.settings, background=False) as et:
        said = [str(m.text) for a in et.agents() for m in a.messages(limit=100)]
    assert said == ["Fix the parser.", "It is fixed."]


@pytest.mark.parametrize(
    ("ago", "near", "known"),
    [(0.5, True, True), (LONG_AGO + 5, True, False), (-5.0, True, False), (0.5, False, False)],
    ids=["a moment ago", "long ago", "in the future", "by another clock"],
)
def test_only_a_clock_that_is_ours_tells_when_an_event_happened(
    ago: float, near: bool, known: bool
) -> None:
    ticket = f"{time.time_ns() - int(ago * 1e9):020}-77"
    event = Event("claude-code", "Stop", b"", {}, ticket=ticket, ms=600_000, near=near)
    assert (event.met == event.at) is known
    assert known or event.met is None
