"""Claims on the folders of agents: a file in each says which agent of which store writes there.

Two stores may have an agent of one name, and one folder for both would be written over by each in
turn. A store that was moved keeps the ids of its agents, one that was made anew keeps its place: who
has either in common with the claim goes on in that folder. A copy has the ids too, but the store that it
was made of is still where the claim says: what is done in a copy must not touch the files of the other.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from everthread.ports.workspace import Owner

from .durable_files import read_file, swap

CLAIM = ".everthread.owner"
WHERE = ("host", "hostaddr", "port", "dbname", "service", "options")
"""What in the address of a server says which tables are meant."""


class FolderTaken(Exception):
    """Somebody else was quicker: the folder is theirs."""


def claimed_by(folder: Path, owner: Owner) -> bool | None:
    """Is the folder that owner's? None: nobody has claimed it."""
    held = _claim_in(folder)
    if held is None:
        return None
    return held.store == owner.store or (held.agent == owner.agent and not _lives(held, owner))


def is_original(folder: Path, owner: Owner) -> bool:
    """Is it the folder of a store that is still there, and that the owner's is a copy of?"""
    held = _claim_in(folder)
    if held is None or held.store == owner.store:
        return False
    return held.agent == owner.agent and _lives(held, owner)


def claim(folder: Path, owner: Owner) -> None:
    """Note that it is theirs; `Taken` where it is somebody else's. Call under the folder's lock."""
    found = read_file(folder / CLAIM)
    if claimed_by(folder, owner) is False:
        raise FolderTaken
    text = f"{owner.store} {owner.agent} {quote(owner.file)}".rstrip() + "\n"
    if found.text != text:
        swap(found, text)


def _claim_in(folder: Path) -> Owner | None:
    found = read_file(folder / CLAIM).text
    if not found:
        return None
    store, _, rest = found.strip().partition(" ")
    agent, _, file = rest.partition(" ")
    return Owner(store, agent, unquote(file))


def _lives(held: Owner, owner: Owner) -> bool:
    """Is that store still there, beside the owner's? Of a server nobody knows."""
    try:
        there = bool(held.file) and Path(held.file).exists()
        return there and not (owner.file and Path(held.file).samefile(owner.file))
    except OSError:
        return True  # a disk that does not answer is no sign that the store is gone


def file_of(target: str) -> str:
    """The path of a store that is a file; empty for others."""
    return "" if "://" in target else str(Path(target).expanduser().absolute())


def address_of(target: str) -> str:
    """Where a store is, hashed; the same whoever asks for it, and from one start to the next."""
    if "://" not in target:
        target = file_of(target)
    else:
        parts = urlsplit(target)
        told = sorted((name, value) for name, value in parse_qsl(parts.query) if name in WHERE)
        target = repr((parts.netloc.rpartition("@")[2].lower(), parts.path, told))
    return hashlib.sha256(target.encode(errors="surrogatepass")).hexdigest()[:16]
