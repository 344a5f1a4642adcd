"""`everthread import` of a folder: what may not be read is told, and what is read stays as it was."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.nobody import as_nobody, give_to_nobody

pytestmark = pytest.mark.slow


@pytest.fixture
def home() -> Iterator[Path]:
    """A home folder that another user may reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="everthread-test-") as name:
        yield Path(name)


def chat(folder: Path, name: str) -> Path:
    """A session of Claude Code."""
    folder.mkdir(parents=True, exist_ok=True)
    row = {
        "type": "user",
        "uuid": f"u-{name}",
        "sessionId": name,
        "cwd": "/home/ada/project",
        "timestamp": "2026-10-02T09:00:00.000Z",
        "message": {"role": "user", "content": f"Is this {name}?"},
    }
    (folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    return folder / f"{name}.jsonl"


def test_a_folder_that_may_not_be_read_is_not_called_empty(home: Path) -> None:
    file = chat(home / "chats", "one")
    give_to_nobody(home)
    file.parent.chmod(0)
    warm = ("import", home, "--dry-run")
    for more in ((), ("--dry-run",), ("--list",)):
        code, out, err = as_nobody(home, "import", file.parent, *more, warm=warm)
        assert (code, out) == (5, "")
        assert err == f"everthread: {file.parent}: Permission denied\n"


def test_what_in_a_folder_may_not_be_read_is_told_and_the_rest_comes_in(home: Path) -> None:
    chats = home / "chats"
    chat(chats / "open", "one")
    file, closed = chat(chats / "open", "two"), chat(chats / "closed", "three").parent
    give_to_nobody(home)
    file.chmod(0)
    closed.chmod(0)
    words = ("import", chats, "--dry-run", "--json")
    code, out, err = as_nobody(home, *words, warm=words)
    assert code == 0 and json.loads(out)["messages"] == 1
    assert sorted(err.splitlines()) == [
        f"everthread: left out: {closed}: Permission denied",
        f"everthread: left out: {file}: Permission denied",
    ]
