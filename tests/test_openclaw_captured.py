"""What OpenClaw really tells: each event restates the conversation, and nothing is kept twice."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

from everthread.edges.harnesses.openclaw import OpenClaw

FOLDER = Path(__file__).parent / "fixtures" / "harnesses" / "openclaw" / "2026.9.6" / "captured"


def events(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


def test_a_message_has_one_name_in_all_events():
    """Its form and its time change from one event to the next."""
    dialect = OpenClaw()
    names: dict[str, set[str]] = defaultdict(set)
    for told in events("payloads.jsonl"):
        payload = told["payload"]
        assert isinstance(payload, dict)
        happening = dialect.parse(str(told["event"]), payload, {})
        assert happening is not None
        for line in dialect.lines(happening):
            text = str(line.entry["content"])
            if line.human and not text.endswith("…"):  # the long ones were cut and are alike
                names[text].add(str(line.entry["id"]))
    assert len(names) >= 4
    assert [text for text, found in names.items() if len(found) > 1] == []


def test_a_reset_tells_of_the_same_session_as_the_start():
    """`command:reset` of the older hooks names it only in the entry that it carries."""
    dialect = OpenClaw()
    sessions = set[str]()
    for told in events("legacy.jsonl"):
        payload = told["payload"]
        assert isinstance(payload, dict)
        happening = dialect.parse(str(told["event"]), payload, {"PWD": "/home/ada/project"})
        assert happening is not None
        sessions.add(happening.session)
    assert len(sessions) == 1
