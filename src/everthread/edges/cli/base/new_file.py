"""A new file for what a command was asked to write: whole under its name, or not there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from everthread.domain.errors import BadInput


@contextmanager
def private_file(file: Path) -> Generator[TextIO]:
    """A new file that only its owner may read; until it is finished, it bears another name.

    If it cannot be finished it is gone again; who is killed leaves `NAME.….partial` behind.
    """
    _must_be_new(file)
    try:
        handle, name = tempfile.mkstemp(
            prefix=f"{file.name}.", suffix=".partial", dir=file.absolute().parent
        )
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(
            f"there is no folder {file.parent}; make it first, or name another file"
        ) from None
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        _must_be_new(file)
        draft.rename(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _must_be_new(file: Path) -> None:
    if os.path.lexists(file):
        raise BadInput(f"{file} exists already; name a new file")
