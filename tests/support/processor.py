"""What a piece of work takes of the processor, whatever else goes on in this process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def seconds_of(work: Callable[[], object]) -> float:
    """Of this thread alone. What other tests left behind is not swept up meanwhile: that may take longer
    than the work itself, and falls into it by chance.
    """
    swept = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        work()
        return time.thread_time() - began
    finally:
        if swept:
            gc.enable()
