"""The command as one who may not do all: root may, so it becomes nobody first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .commands import Answer, clean_environment

# What is needed later is loaded by then: nobody may not read all of the disk.
AS_NOBODY = """
import contextlib, io, os, sys
from everthread.edges.cli.app import run
cut = sys.argv.index("--then")
with contextlib.redirect_stdout(io.StringIO()):
    run(sys.argv[1:cut])
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
sys.exit(run(sys.argv[cut + 1:]))
"""


def as_nobody(home: Path, *words: str | Path, warm: tuple[str | Path, ...]) -> Answer:
    """The command's answer in that home, after `warm` was done as somebody who may."""
    program = [sys.executable, "-c", AS_NOBODY, *map(str, warm), "--then", *map(str, words)]
    env = {**clean_environment(home), "EVERTHREAD_HOME": str(home / "data")}
    done = subprocess.run(program, env=env, cwd=home, capture_output=True, text=True, check=False)
    return Answer(done.returncode, done.stdout, done.stderr)


def give_to_nobody(folder: Path) -> None:
    """All of the folder belongs to whom the command runs as."""
    if os.getuid() == 0:
        for place in (folder, *folder.rglob("*")):
            os.chown(place, 65534, 65534)
