"""What an installation did, so that it can be taken back byte for byte: one file per harness.

Written before anything is changed, so that a crash in between loses nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from everthread.domain.errors import InstallRefused

from .changes import Made

FOLDER = "install"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that we changed or made."""

    path: Path
    before: bytes | None
    """What was there; None: nothing."""
    after: str
    """The digest of what we left."""
    owned: bool
    exact: bool = True
    """Is `before` free of our entries? If not, they are taken out one by one."""
    made: Made = ()


@dataclass(frozen=True, slots=True)
class InstallLog:
    """What was done for one harness."""

    harness: str
    form: str
    version: str
    program: str = ""
    """The interpreter that its hooks run."""
    files: Sequence[ChangedFile] = ()
    folders: Sequence[Path] = field(default=())
    """Those that were not there before, outermost first."""


def log_path(home: Path, harness: str) -> Path:
    return home / FOLDER / f"{harness}.json"


def load(home: Path, harness: str) -> InstallLog | None:
    """What is known of an installation; None if there is none."""
    path = log_path(home, harness)
    try:
        held = cast("dict[str, Any]", json.loads(path.read_bytes()))
        return InstallLog(
            harness=held["harness"],
            form=held["form"],
            version=held["version"],
            program=held["program"],
            files=[_file_from_json(each) for each in held["files"]],
            folders=[Path(each) for each in held["folders"]],
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as wrong:
        raise InstallRefused(
            f"{path} cannot be read ({wrong}); set it aside, then `everthread uninstall {harness}` "
            "removes our entries one by one"
        ) from wrong


def _file_from_json(held: dict[str, Any]) -> ChangedFile:
    before: str | None = held["before"]
    return ChangedFile(
        path=Path(held["path"]),
        before=None if before is None else base64.b64decode(before),
        after=held["after"],
        owned=held["owned"],
        exact=held["exact"],
        made=tuple(tuple(each) for each in held["made"]),
    )


def save(home: Path, book: InstallLog) -> None:
    """Write it whole, for nobody but us: settings may hold keys."""
    path = log_path(home, book.harness)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    document = {
        "harness": book.harness,
        "form": book.form,
        "version": book.version,
        "program": book.program,
        "files": [_file_as_json(kept) for kept in book.files],
        "folders": [str(each) for each in book.folders],
    }
    fresh = path.with_suffix(".new")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _file_as_json(kept: ChangedFile) -> dict[str, object]:
    before = None if kept.before is None else base64.b64encode(kept.before).decode("ascii")
    return {
        "path": str(kept.path),
        "before": before,
        "after": kept.after,
        "owned": kept.owned,
        "exact": kept.exact,
        "made": [list(each) for each in kept.made],
    }


def forget(home: Path, harness: str) -> None:
    """The installation is gone."""
    path = log_path(home, harness)
    path.unlink(missing_ok=True)
    if path.parent.is_dir() and not any(path.parent.iterdir()):
        path.parent.rmdir()
