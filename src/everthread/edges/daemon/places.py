"""Where the daemon keeps its things in the home folder."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from everthread.domain.errors import StoreFailed

LONGEST_SOCKET = 100
"""Bytes of a Unix socket's path that every system takes."""

OURS = 0o700


@dataclass(frozen=True, slots=True)
class Places:
    """The files of one home folder that have to do with the daemon."""

    home: Path

    @property
    def run(self) -> Path:
        return self.home / "run"

    @property
    def socket(self) -> Path:
        """The Unix socket; in a short folder of ours where the home folder's path is too long."""
        usual = self.run / "daemon.sock"
        if len(os.fsencode(usual)) <= LONGEST_SOCKET:
            return usual
        mark = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]
        return Path(f"/tmp/everthread-{os.getuid()}") / mark / "daemon.sock"

    @property
    def state(self) -> Path:
        return self.run / "daemon.json"

    @property
    def lock(self) -> Path:
        return self.run / "daemon.lock"

    @property
    def port(self) -> Path:
        return self.run / "port"

    @property
    def token(self) -> Path:
        """The secret of whoever may do everything on this machine."""
        return self.run / "token"

    @property
    def trace(self) -> Path:
        return self.run / "trace.json"

    @property
    def starting(self) -> Path:
        """Made by a hook that starts a daemon, so that ten hooks start one."""
        return self.run / "starting"

    @property
    def stopped(self) -> Path:
        """Left by `everthread down`: only a new session starts the daemon again."""
        return self.run / "stopped"

    @property
    def spool(self) -> Path:
        return self.home / "spool"

    @property
    def torn(self) -> Path:
        """Spooled events that cannot be read."""
        return self.spool / "torn"

    @property
    def failed(self) -> Path:
        """Spooled events that failed each time."""
        return self.spool / "failed"

    @property
    def replaying(self) -> Path:
        """Which spooled event is being tried; left behind if the daemon ends at it."""
        return self.spool / "replaying"

    @property
    def dropped(self) -> Path:
        """A byte for each event that the spool could not take: it was full, or could not be written."""
        return self.spool / "dropped"

    @property
    def unanswered(self) -> Path:
        """A byte for each event that the daemon at EVERTHREAD_URL did not take."""
        return self.spool / "unanswered"

    @property
    def log(self) -> Path:
        return self.home / "logs" / "daemon.log"

    @property
    def hooks(self) -> Path:
        return self.home / "hooks"

    def make(self) -> None:
        """Make the folders, for nobody but us."""
        for folder in (self.home, self.run, self.spool, self.log.parent):
            folder.mkdir(mode=OURS, parents=True, exist_ok=True)
        self.run.chmod(OURS)
        self.spool.chmod(OURS)
        if self.socket.parent != self.run:
            for folder in (self.socket.parent.parent, self.socket.parent):
                folder.mkdir(mode=OURS, exist_ok=True)
                _must_be_ours(folder)


def _must_be_ours(folder: Path) -> None:
    """In a folder that all may write to, somebody else may have been there first."""
    seen = folder.lstat()
    if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.getuid() or seen.st_mode & 0o077:
        raise StoreFailed(
            f"{folder} is not a folder of yours alone; remove it, or choose a shorter EVERTHREAD_HOME"
        )
