"""An engine that its program drops without closing it: its threads and files go with it."""

from __future__ import annotations

import _thread
import logging
import os
import threading
import warnings
import weakref
from typing import TYPE_CHECKING

from everthread.domain.errors import EverthreadError

if TYPE_CHECKING:
    from everthread.engine import Everthread
    from everthread.engine.teardown import Teardown

log = logging.getLogger("everthread")


def close_when_dropped(engine: Everthread) -> Everthread:
    """The engine, whose store is closed once nobody holds it any more, nor an agent or turn of it."""
    # At the end of the program everything goes by itself.
    weakref.finalize(engine, _on_drop, engine.leaving, os.getpid()).atexit = False
    return engine


def _on_drop(leaving: Teardown, process: int) -> None:
    """Runs in a finalizer, anywhere and in any thread: no lock, no I/O."""
    # What was open before a fork is the parent's.
    if leaving.over or process != os.getpid():
        return
    _thread.start_new_thread(_begin, (leaving,))
    warnings.warn(
        f"an Everthread of {leaving.house.store.location} was dropped without close(); "
        "use `with everthread.connect() as et:` or close it",
        ResourceWarning,
        stacklevel=2,
    )


def _begin(leaving: Teardown) -> None:
    threading.Thread(target=_leave, args=(leaving,), name="everthread-leave", daemon=True).start()


def _leave(leaving: Teardown) -> None:
    try:
        leaving.leave()
    except EverthreadError as trouble:
        # Nobody is there to hear it. What is not written waits in the store, as after a crash.
        log.warning("an Everthread that was dropped could not be closed: %s", trouble)
