"""The command line: parse, call one verb of the engine, show what it answers."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn

__all__ = ["main"]

STOPPED = 130
"""As in `exits`, which is not loaded yet."""


def main() -> NoReturn:
    """The command `everthread`."""
    if sys.argv[1:] == ["mcp"] and sys.stdin and sys.stdout and not sys.stdin.isatty():
        # A harness waits for it at the start of each session: nothing else is loaded.
        from everthread.edges.mcp.bridge import serve_here

        serve_here()
    # What a command loads is no garbage, and to look for some among it takes a twentieth of its time.
    gc.set_threshold(20_000)
    try:
        from .app import main as run
    except KeyboardInterrupt:
        # Who stops a command before it is loaded stops it all the same.
        sys.stderr.write("everthread: stopped\n")
        sys.exit(STOPPED)
    run()
