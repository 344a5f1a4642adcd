"""The door of the worker process: its parent spawns it and tells it what to open."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from everthread.jobs.worker import Worker
from everthread.jobs.worker_process import IDLE_SECONDS, NEEDED, die_with_parent, read_order, serve
from everthread.settings import Settings
from everthread.wiring import connect


def main() -> int:
    order = read_order()
    die_with_parent(order["parent"])
    if "://" not in order["store"] and not Path(order["store"]).expanduser().exists():
        return 0  # it was moved away since; to open it would begin a new one in its place
    # The same home folder as its parent: what is for that alone is taken by no other worker.
    told: dict[str, Any] = {**order["settings"], "home": Path(order["settings"]["home"])}
    settings = Settings(**told)
    engine = connect(order["store"], settings=settings.with_(worker="off"))
    # Its own process disturbs nobody: no rests between steps.
    worker, embedder = Worker(engine.house, rest=0.0), engine.house.embedder
    # While it holds the model it stays: who asks again soon wants a vector, not a process that starts.
    stay = IDLE_SECONDS if embedder is None else settings.embedder_idle_seconds
    drain, idle = settings.drain_seconds, max(IDLE_SECONDS, stay)
    needed = serve(worker, drain_seconds=drain, idle_seconds=idle, embedder=embedder)
    engine.close()
    return NEEDED if needed else 0


if __name__ == "__main__":
    sys.exit(main())
