"""The command line: parse, call one verb of the engine, show what it answers.

Whoever stops a command at once stops it before anything of it is loaded: what is here needs next to no
time, and from `main` on Ctrl-C ends it quietly.
"""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False
"""As in `everthread`: `typing` takes longer to load than all that is here."""

if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["main"]

STOPPED = 130
"""As in `exits`, which is not loaded yet."""


def main() -> NoReturn:
    """The command `everthread`."""
    try:
        _run()
    except KeyboardInterrupt:
        # Before the command is loaded, or once more while it tells that it was stopped.
        sys.stderr.write("everthread: stopped\n")
        sys.exit(STOPPED)


def _run() -> NoReturn:
    if sys.argv[1:] == ["mcp"] and sys.stdin and sys.stdout and not sys.stdin.isatty():
        # A harness waits for it at the start of each session: nothing else is loaded.
        from everthread.edges.mcp.bridge import serve_here

        serve_here()
    import atexit

    # The first to be registered is the last to be called.
    atexit.register(_ignore_interrupts)
    # What a command loads is no garbage, and to look for some among it takes a twentieth of its time.
    gc.set_threshold(20_000)
    from .app import main as run

    run()


def _ignore_interrupts() -> None:
    """All is done and told, and the interpreter only tidies up: an interrupt would change the exit code."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
