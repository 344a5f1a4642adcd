"""A row of which a byte was flipped: `verify` names it and goes on, and whoever reads it is told which."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.errors import StoreDamaged, StoreFailed
from everthread.domain.ids import id_text
from support.commands import Cli, Here

pytestmark = pytest.mark.req("R-33")

LONG = "a long story " * 1_000
CALL: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
FLIPPED = {
    "the hash of a large text": "SET content = 'g' || substr(content, 2) WHERE form = 2",
    "the hash of a large part": "SET content = replace(content, '\"body\":', '\"bodx\":') WHERE form = 3",
    "a letter of that JSON's form": "SET content = replace(content, '}', ']') WHERE form = 3",
    "a letter of a small JSON's form": "SET content = 'K' || substr(content, 2) WHERE form = 1",
    "the form of a text": "SET form = 2 WHERE content = 'fine'",
    "the form of a text, to blocks": "SET form = 1 WHERE content = 'fine'",
    "the form of a text, to none there is": "SET form = 7 WHERE content = 'fine'",
    "the form of a small JSON": "SET form = 3 WHERE form = 1",
    "a byte that is no letter": "SET content = cast(x'e6' || 'ine' AS TEXT) WHERE content = 'fine'",
    "a byte in a name": "SET name = cast(x'ff' AS TEXT) WHERE content = 'fine'",
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    with everthread.connect(path, background=False) as et:
        for name in ("ada", "bob"):
            agent = et.agent(name)
            agent.turn(LONG).done("fine")
            turn = agent.turn("Look.").add([CALL])
            turn.tool_result("t1", [{"type": "text", "text": LONG}, {"type": "text", "text": "x"}])
            turn.done("I see.")
    return path


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


def flip(store: Path, what: str) -> bytes:
    """Change the row of ada's, and tell its id."""
    with closing(sqlite3.connect(store, isolation_level=None)) as db:
        for (name,) in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            db.execute(f"DROP TRIGGER {name}")
        db.execute("PRAGMA ignore_check_constraints = ON")
        ada = "agent_id = (SELECT agent_id FROM agents WHERE name = 'ada')"
        changed = db.execute(f"UPDATE messages {FLIPPED[what]} AND {ada} RETURNING id").fetchall()
    assert len(changed) == 1
    return changed[0][0]


@pytest.mark.parametrize("what", FLIPPED)
def test_verify_names_the_row_and_goes_on(store: Path, what: str) -> None:
    key = id_text(flip(store, what))
    with everthread.connect(store, background=False) as et:
        faults = et.verify(et.known_agent("ada")).faults
        assert ("message", key, "the row was changed") in [fault[1:] for fault in faults]
        # Besides that row, at most the body that nobody can name any more.
        assert {fault.event for fault in faults} <= {"message", "body"}
        assert et.verify(et.known_agent("bob")).sound


@pytest.mark.parametrize("what", FLIPPED)
def test_the_commands_end_as_they_do_for_damage(cli: Cli, store: Path, what: str) -> None:
    key = id_text(flip(store, what))
    checked = cli("verify", "--store", str(store))
    assert checked.code == 1 and key in checked.out and "bob is sound" in checked.out
    shown = cli("messages", "--agent", "ada", "--store", str(store))
    assert shown.code in (0, 5), shown.err
    assert "a fault in Everthread itself" not in shown.err


SHOWN_AS_THEY_ARE = {"the hash of a large part", "the form of a small JSON"}
"""Nothing tells these from what somebody wrote, but the timeline."""


@pytest.mark.parametrize("what", FLIPPED)
def test_whoever_reads_it_is_told_which_message_it_is(store: Path, what: str) -> None:
    key = id_text(flip(store, what))
    with everthread.connect(store, background=False) as et:
        ada = et.known_agent("ada")
        try:
            read = [(message.text, message.blocks) for message in ada.messages()]
        except StoreFailed as told:
            # Where no text can be had of the row, not even its id can.
            assert key in str(told) or isinstance(told, StoreDamaged)
        else:
            assert len(read) == 6 and what in SHOWN_AS_THEY_ARE
        assert [message.text for message in et.known_agent("bob").messages()][1] == "fine"


def test_what_is_whole_is_sound_and_shown(cli: Cli, store: Path) -> None:
    assert cli("verify", "--store", str(store)).code == 0
    assert cli("messages", "--agent", "ada", "--store", str(store)).code == 0
