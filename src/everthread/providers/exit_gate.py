"""What must be over when the interpreter ends: native code in a daemon thread would abort the program."""

from __future__ import annotations

import atexit
import os
import threading
from types import TracebackType

PATIENCE = 5.0


class Gate:
    """`with gate:` around native work. At the program's end it lets what is inside finish and keeps
    every other thread outside, for ever: they are daemons, and end with the program. The main thread
    passes even then, since it may close an engine on its way out.
    """

    def __init__(self) -> None:
        self._reset()
        atexit.register(self.shut)
        if hasattr(os, "register_at_fork"):
            # Whoever was inside is not in the child.
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._ending = False

    def __enter__(self) -> None:
        with self._changed:
            while self._ending and threading.current_thread() is not threading.main_thread():
                self._changed.wait()
            self._inside += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()

    def shut(self) -> None:
        with self._changed:
            self._ending = True
            self._changed.wait_for(lambda: self._inside == 0, timeout=PATIENCE)
