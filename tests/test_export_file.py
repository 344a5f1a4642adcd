"""`everthread export -o FILE`: under that name there is all of it, or nothing."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

import everthread
from support.commands import COMMAND, Here

MANY = 20_000


@pytest.fixture
def cli(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.mark.slow
@pytest.mark.req("R-30")
def test_an_export_that_is_killed_leaves_no_file_of_that_name(cli: Here, tmp_path: Path) -> None:
    with everthread.connect(tmp_path / "data" / "everthread.db", background=False) as et:
        et.agent("ada").record([{"role": "user", "content": f"number {n}"} for n in range(MANY)])
    folder = tmp_path / "out"
    folder.mkdir()
    file = folder / "all.jsonl"
    running = subprocess.Popen([COMMAND, "export", "--raw", "-o", file], env=cli.env)
    until = time.monotonic() + 60
    while time.monotonic() < until and not any(each.stat().st_size for each in folder.iterdir()):
        time.sleep(0.001)
    running.send_signal(signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL, "it was in the middle"
    left = [each.name for each in folder.iterdir()]
    assert len(left) == 1 and left[0].startswith("all.jsonl.") and left[0].endswith(".partial")
    assert cli("export", "--raw", "-o", file).code == 0, "the name is still free"
    assert len(file.read_text().splitlines()) > MANY
    assert file.stat().st_mode & 0o777 == 0o600
