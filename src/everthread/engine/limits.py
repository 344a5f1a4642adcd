"""Wait for something only so long, let only a few do it at once, and do it beside an event loop."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

T = TypeVar("T")

IDLE = 10.0
"""Seconds after which a thread that was asked for nothing ends."""


AT_ONCE, IN_LINE, LOOK = 2, 4, 0.02
"""How many recover at once; how many that nobody announced are at it or wait; seconds between looks."""

ASIDE = 8
"""Threads that store for streams: the store writes one at a time, and who waits for it shares a commit."""


class _Job:
    """A piece of work, and what came of it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._under_way = threading.Lock()
        self._under_way.acquire()
        self.result: Any = None
        self.failed: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self._work()
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            self.failed = error

    def end(self) -> None:
        self._under_way.release()

    def ended(self, seconds: float) -> bool:
        """Did it end within that time?"""
        if not self._under_way.acquire(timeout=seconds):
            return False
        self._under_way.release()
        return True


class _Hand:
    """A thread that works, and waits for more among those that are idle: to start one takes longer
    than many a recall waits for the processor."""

    def __init__(self, idle: deque[_Hand]) -> None:
        self._idle = idle
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        threading.Thread(target=self._live, name="everthread-recall", daemon=True).start()

    def take(self, job: _Job | None) -> None:
        """Work on that; None: no more."""
        self._jobs.put(job)

    def _live(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=IDLE)
            except Empty:
                try:
                    self._idle.remove(self)
                except ValueError:
                    continue  # somebody has just taken it from there
                return
            if job is None:
                return
            job.run()
            self._idle.append(self)
            job.end()
            del job  # what was found is not kept until the next one comes


class TimeLimit:
    """Runs work with a time limit. While something late is under way, nothing new begins."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._idle: deque[_Hand] = deque()
        self._late: _Job | None = None

    def run(self, work: Callable[[], T]) -> T:
        """What the work returns or raises; `TimeoutError` where that takes too long."""
        late = self._late
        if late is not None and not late.ended(0):
            raise TimeoutError("the recall of an earlier turn is still under way")
        job = _Job(work)
        try:
            hand = self._idle.pop()
        except IndexError:
            hand = _Hand(self._idle)
        hand.take(job)
        if not job.ended(self._seconds):
            self._late = job
            raise TimeoutError(f"it took longer than {self._seconds:g} s")
        if job.failed is not None:
            raise job.failed
        return job.result

    def stop(self) -> None:
        """Give what is late one more such time to end: the store is about to close under it."""
        if self._late is not None:
            self._late.ended(self._seconds)
        with suppress(IndexError):
            while True:
                self._idle.pop().take(None)


class FewAtOnce:
    """Work that a few do at once, and a few more wait for: what it takes is taken from everybody else."""

    def __init__(self, at_once: int = AT_ONCE, in_line: int = IN_LINE) -> None:
        self._at_once = threading.BoundedSemaphore(at_once)
        self._line = threading.BoundedSemaphore(in_line)

    @contextmanager
    def turn(self, late: Callable[[], bool], *, waits: bool) -> Generator[bool]:
        """Is it one's turn? Who does not wait is sent away from a line that is full, anybody when it
        gets late."""
        if waits:
            with self._work_slot(late) as mine:
                yield mine
        elif self._line.acquire(blocking=False):
            try:
                with self._work_slot(late) as mine:
                    yield mine
            finally:
                self._line.release()
        else:
            yield False

    @contextmanager
    def _work_slot(self, late: Callable[[], bool]) -> Generator[bool]:
        mine = self._at_once.acquire(blocking=False)
        while not mine and not late():
            mine = self._at_once.acquire(timeout=LOOK)
        try:
            yield mine
        finally:
            if mine:
                self._at_once.release()


class Aside:
    """Threads for what an asynchronous stream has to store; nothing that waits for a turn belongs here.

    They are the engine's own. Those of the event loop may all be taken by turns that wait for the very
    turn that is to end, and then it would never end.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = threading.local()
        self._pool: ThreadPoolExecutor | None = None
        self._over = False

    async def run(self, work: Callable[..., None], *given: Any) -> None:
        """Until it is done. After the end of the engine at once, for the error that this gives."""
        from asyncio import wrap_future

        begun = self._begin(work, given)
        if begun is None:
            work(*given)
        else:
            await wrap_future(begun)

    def stop(self) -> None:
        """Wait for what is under way, and let the threads go: the store is about to close."""
        with self._lock:
            self._over = True
            pool, self._pool = self._pool, None
        if pool is not None:
            # An engine that nobody holds any more ends wherever it was held last, maybe in here.
            pool.shutdown(wait=not hasattr(self._inside, "mark"))

    def _begin(self, work: Callable[..., None], given: tuple[Any, ...]) -> Future[None] | None:
        with self._lock:
            if self._over:
                return None
            if self._pool is None:
                from concurrent.futures import ThreadPoolExecutor

                self._pool = ThreadPoolExecutor(
                    ASIDE, thread_name_prefix="everthread-aside", initializer=self._mark
                )
            return self._pool.submit(copy_context().run, work, *given)

    def _mark(self) -> None:
        self._inside.mark = True
