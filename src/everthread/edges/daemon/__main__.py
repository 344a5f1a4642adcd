"""The daemon as hooks and services start it: python -m everthread.edges.daemon [--detached] HOME."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

OF_A_SESSION = ("AGENT", "PRIVATE", "TOKEN", "URL")
"""Variables of ours that one session sets for itself. A daemon that it starts serves all sessions."""


def main(arguments: list[str]) -> int:
    """Serve the home folder that is named last."""
    from everthread.settings import Settings  # noqa: PLC0415 - after the session is our own

    from .places import Places  # noqa: PLC0415 - as above
    from .process import serve  # noqa: PLC0415 - as above
    from .trace import note_start_failure  # noqa: PLC0415 - as above

    if "--detached" in arguments:
        with suppress(OSError):  # we lead a session already
            os.setsid()
    os.chdir("/")
    os.umask(0o077)
    home = Path(arguments[-1])
    for name in OF_A_SESSION:
        os.environ.pop(f"EVERTHREAD_{name}", None)
    os.environ["EVERTHREAD_HOME"] = str(home)
    try:
        ended = serve(Settings.load(home))
    except Exception as error:
        # Nobody may read our stderr: `doctor` tells it.
        with suppress(OSError):
            note_start_failure(Places(home), error)
        raise
    sys.stderr.write(f"everthread: {ended}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
