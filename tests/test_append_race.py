"""What somebody appends to a file while we replace it is never lost."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from everthread.providers import durable_files
from everthread.providers.durable_files import read_file, swap

pytestmark = pytest.mark.req("A-40")

APPENDER = """
n=0
while [ ! -e "$0/stop" ]; do
  echo "line $n" >> "$0/MEMORY.md"
  echo "line $n" >> "$0/wrote"
  n=$((n+1))
  sleep 0.004
done
"""


def test_of_a_busy_appender_no_line_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_text("# Mine\n")
    with subprocess.Popen(["/bin/sh", "-c", APPENDER, str(tmp_path)]) as appender:
        swapped = 0
        for n in range(2_000):
            found = read_file(file)
            kept = "".join(
                line for line in (found.text or "").splitlines(True) if not line.startswith("ours ")
            )
            swapped += swap(found, f"ours {n}\n{kept}")
            if swapped >= 200:
                break
        (tmp_path / "stop").touch()
        appender.wait()
    assert swapped >= 200, "somebody else keeps changing it"
    there = (tmp_path / "MEMORY.md").read_text().splitlines()
    wrote = (tmp_path / "wrote").read_text().splitlines()
    assert len(wrote) > 50
    assert [line for line in wrote if line not in set(there)] == []
    assert len([line for line in there if line.startswith("line ")]) == len(wrote), "each once"


@pytest.mark.parametrize("text", ["ours\n", "ours", None])
def test_what_comes_to_the_old_file_after_it_is_replaced_is_brought_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    """A handle that was opened before goes on writing to the old file."""
    file = tmp_path / "MEMORY.md"
    file.write_text("mine\n")
    handle = os.open(file, os.O_WRONLY | os.O_APPEND)
    slept = durable_files.time.sleep

    def late(seconds: float) -> None:
        monkeypatch.setattr(durable_files.time, "sleep", slept)
        os.write(handle, b"later\n")
        slept(seconds)

    monkeypatch.setattr(durable_files.time, "sleep", late)
    assert swap(read_file(file), text)
    os.close(handle)
    assert file.read_text() == ("later\n" if text is None else "ours\nlater\n")


def test_a_file_that_nobody_appends_to_holds_what_was_put_there(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_text("a much longer text than what comes now\n")
    assert swap(read_file(file), "short")
    assert file.read_text() == "short"
    assert swap(read_file(file), None)
    assert not file.exists()
    assert swap(read_file(file), "new")
    assert file.read_text() == "new"
