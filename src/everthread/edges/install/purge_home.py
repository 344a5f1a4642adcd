"""Remove everything that was ever kept, after a clear question."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.errors import InstallRefused
from everthread.edges.daemon import running_daemon
from everthread.edges.daemon.places import Places
from everthread.settings import FILE, STORE

if TYPE_CHECKING:
    from everthread.settings import Settings

# What only a home folder of ours has in it.
SIGNS = (STORE, FILE, "agents", "run", "spool", "install")


class PurgePlan(NamedTuple):
    """The folder that would go."""

    home: Path
    """By its name; what it leads to goes, and a link with it."""
    says: str


def purge_plan(settings: Settings) -> PurgePlan:
    """What a purge would remove, in words. A folder that may not be ours is refused."""
    home = settings.home
    real, user = home.resolve(), Path.home().resolve()
    if real == user or real in user.parents:
        raise InstallRefused(f"{home} is not a folder of Everthread's alone; nothing was removed")
    if home.exists() and not any((home / sign).exists() for sign in SIGNS):
        raise InstallRefused(f"{home} does not look like Everthread's; nothing was removed")
    size = sum(path.stat().st_size for path in real.rglob("*") if path.is_file())
    place = f"{home} with {real}, to which it leads," if home.is_symlink() else str(home)
    says = f"{place} and all that was kept in it would be removed ({size / 1e6:,.1f} MB)"
    if settings.store and not Path(settings.store).resolve().is_relative_to(real):
        says += "; the store that is elsewhere stays: remove it yourself"
    return PurgePlan(home, says)


def purge(what: PurgePlan) -> None:
    """Stop the daemon, then remove the folder."""
    places = Places(what.home)
    if not running_daemon.stop(places):
        raise InstallRefused("the daemon does not stop; kill it first, nothing was removed")
    if places.socket.parent != places.run:
        shutil.rmtree(places.socket.parent, ignore_errors=True)
    if what.home.exists():
        shutil.rmtree(what.home.resolve())
    if what.home.is_symlink():
        what.home.unlink()
