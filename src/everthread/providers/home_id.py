"""The id of a home folder: made once, kept in it, so that it goes where the folder goes."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import socket
from contextlib import suppress
from pathlib import Path

from everthread.ports.home_identity import ANYWHERE, HomeIdentity

from .durable_files import make_folder, sync

NAME = "home.id"
_ID = re.compile(r"[0-9a-f]{16}")


def home_identity(home: Path, files: Path | None, *, new: bool) -> HomeIdentity:
    """Who we are, with that home folder and that folder for the files of agents.

    Nobody in particular where there is no home folder, unless a `new` one may be made for this.
    """
    if not new and not home.is_dir():
        return ANYWHERE
    name = home_id(home)
    if files is None:
        return HomeIdentity(home=name)
    place = files.absolute()
    # A home that is moved takes the files in it along: only where they lie in it may count.
    inside = place.relative_to(home) if place.is_relative_to(home) else place
    return HomeIdentity(name, _hash_of(name, str(inside)), f"{socket.gethostname()}:{place}")


def home_id(home: Path) -> str:
    """Its id; where none can be kept, one that this machine always gives to that folder."""
    place = home / NAME
    try:
        return _read_id(place) or _make_id(home, place)
    except OSError:
        return _hash_of(socket.gethostname(), str(home))


def _make_id(home: Path, place: Path) -> str:
    make_folder(home)
    fresh = home / f".{NAME}.{os.getpid()}.{secrets.token_hex(4)}"
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(f"{secrets.token_hex(8)}\n")
        if not _read_id(place) and place.exists():
            place.unlink()  # somebody emptied it
        with suppress(FileExistsError):
            os.link(fresh, place)  # whole or not at all, and the first one stays
        sync(home)
    finally:
        fresh.unlink(missing_ok=True)
    return _read_id(place)


def _read_id(place: Path) -> str:
    try:
        found = place.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        return ""
    return found if _ID.fullmatch(found) else ""


def _hash_of(*parts: str) -> str:
    joined = "\n".join(parts).encode(errors="surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:16]
