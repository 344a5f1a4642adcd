"""The door of the worker process: its parent spawns it and tells it what to open."""

from __future__ import annotations

from everthread.jobs.apart import die_with_parent, read_order, serve
from everthread.jobs.worker import Worker
from everthread.settings import Settings
from everthread.wiring import connect


def main() -> None:
    order = read_order()
    die_with_parent(order["parent"])
    settings = Settings(**order["settings"])
    engine = connect(order["store"], settings=settings.with_(worker="off"))
    # Its own process disturbs nobody: no rests between steps.
    serve(Worker(engine.house, rest=0.0))
    engine.close()


if __name__ == "__main__":
    main()
