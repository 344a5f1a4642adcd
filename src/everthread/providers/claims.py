"""Claims on the folders of agents: a file in each says which agent of which store writes there.

Two stores may have an agent of one name, and one folder for both would be written over by each in
turn. A store that was moved keeps the ids of its agents, one that was made anew keeps its place: who
has either in common with the claim goes on in that folder.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from everthread.ports.workspace import Owner

from .durable import look, swap

CLAIM = ".everthread.owner"
WHERE = ("host", "hostaddr", "port", "dbname", "service", "options")
"""What in the address of a server says which tables are meant."""


class Taken(Exception):
    """Somebody else was quicker: the folder is theirs."""


def claimed_by(folder: Path, owner: Owner) -> bool | None:
    """Is the folder that owner's? None: nobody has claimed it."""
    found = look(folder / CLAIM).text
    if not found:
        return None
    store, _, agent = found.strip().partition(" ")
    return store == owner.store or agent == owner.agent


def claim(folder: Path, owner: Owner) -> None:
    """Note that it is theirs; `Taken` where it is somebody else's. Call under the folder's lock."""
    found = look(folder / CLAIM)
    if claimed_by(folder, owner) is False:
        raise Taken
    text = f"{owner.store} {owner.agent}\n"
    if found.text != text:
        swap(found, text)


def address_of(target: str) -> str:
    """Where a store is, hashed; the same whoever asks for it, and from one start to the next."""
    if target != "memory://" and "://" not in target:
        target = str(Path(target).expanduser().absolute())
    elif "://" in target:
        parts = urlsplit(target)
        told = sorted((name, value) for name, value in parse_qsl(parts.query) if name in WHERE)
        target = repr((parts.netloc.rpartition("@")[2].lower(), parts.path, told))
    return hashlib.sha256(target.encode(errors="surrogatepass")).hexdigest()[:16]
