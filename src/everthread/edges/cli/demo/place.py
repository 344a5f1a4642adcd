"""Where the example's store lies: fresh each time, and never in the place of somebody's own."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from everthread.domain.errors import BadInput, StoreBusy

STORE = "everthread.db"
MARK = "made-by-everthread-demo"


@contextmanager
def fresh_store(given: str | None, home: Path) -> Generator[Path]:
    """The path of a store that does not exist yet."""
    if given is None:
        with _demo_store(home / "demo") as path:
            yield path
        return
    path = Path(given).expanduser().absolute()
    if "://" in given:
        raise BadInput("the demo makes an embedded store: give --store the path of a new file")
    if path.exists():
        raise BadInput(
            f"{path} exists already and is left alone: give --store the path of a new file"
        )
    yield path


@contextmanager
def _demo_store(folder: Path) -> Generator[Path]:
    """The demo's own folder, emptied of the store that the last demo left."""
    mark = folder / MARK
    if (folder / STORE).exists() and not mark.exists():
        raise BadInput(
            f"{folder / STORE} was not made by the demo and is left alone; give --store another path"
        )
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = os.open(mark, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise StoreBusy(f"another demo is running in {folder}; wait for its end") from None
    try:
        for old in folder.glob(f"{STORE}*"):
            if old.is_dir():
                shutil.rmtree(old)
            else:
                old.unlink()
        yield folder / STORE
    finally:
        os.close(lock)
