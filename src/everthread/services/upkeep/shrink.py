"""Keep the store within its disk budget: old output of tools gives way, and free space goes back.

What people and agents said is never dropped. Everything here is done in small steps and can be left
off after each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.distilling.shrinking import (
    Output,
    Savings,
    Use,
    calls_of,
    outputs_of,
    shrunk_text,
)
from everthread.domain.errors import BodyDamaged
from everthread.domain.ids import LANE, SEQ_BITS
from everthread.domain.times import DAY

if TYPE_CHECKING:
    from everthread.domain.conversation.threads import Thread
    from everthread.ports import House, Records

MEGABYTE = 1_000_000

YOUNGEST = DAY
"""Output that is newer stays whole: it is what the agent still works with."""

ENOUGH = 0.95
"""Once there is too much, it is brought down to this share of the budget."""

WARNING = 0.9
"""From this share on `doctor` speaks of it."""

PAGE = 500
"""Messages looked through at once."""

CALLS_BACK = 500
"""So many messages before them are looked through for the calls of their results."""

CALLS_KNOWN = 20_000
"""Calls that are remembered while looking, the newest."""

BATCH = 20
BATCH_BYTES = 4 * MEGABYTE
"""What is shrunk in one transaction, at most."""

RESERVE = 8 * MEGABYTE
"""Free space that stays in the store: what comes next need not ask the disk for it."""

STEP = MEGABYTE
"""What is given back in one step: a writer waits no longer than that takes."""

SHARE = 512 * MEGABYTE
"""What one run shrinks or gives back before it looks what else is due."""

Pause = Callable[[], None]


class Disk(NamedTuple):
    """How much room the store and its index take, and what was given up for it."""

    used: int
    """Bytes that hold something."""
    free: int
    """Bytes on disk that are free for what comes."""
    budget: int
    """Bytes that may be used; 0: no budget."""
    shrunk: Savings

    @property
    def share(self) -> float:
        return self.used / self.budget if self.budget else 0.0

    @property
    def over(self) -> bool:
        return self.share > 1


def disk(house: House) -> Disk:
    """The meter."""
    space = house.store.space()
    used = space.used + house.index.size()
    budget = house.policy.disk_budget_mb * MEGABYTE
    return Disk(used, space.free, budget, house.store.read(lambda r: r.outputs.saved()))


def keep_within(house: House, pause: Pause) -> bool:
    """Shrink what has to be, give back what is free; False if there is more to do."""
    now = disk(house)
    done = True
    if now.over:
        weigh(house, pause)
        done = _lighten(house, now, pause) < SHARE
    return reclaim(house, pause) < SHARE and done


def _lighten(house: House, now: Disk, pause: Pause) -> int:
    """Shrink until little enough is used; how many bytes of output that took.

    What lay packed frees less than its length, so it is measured again until there is nothing to shrink.
    """
    enough = int(ENOUGH * now.budget)
    given = 0
    while now.used > enough and given < SHARE:
        step = shrink(house, now.used - enough, pause)
        if not step:
            break
        given += step
        now = disk(house)
    return given


def is_exhausted(house: House) -> bool:
    """Was all of it looked through, and is there nothing left that may give way?"""
    if not house.store.read(_all_weighed):
        return False
    return next(_candidates(house, house.clock.now() - YOUNGEST), None) is None


# Which bodies are output of tools -------------------------------------------------------------------


def weigh(house: House, pause: Pause) -> None:
    """Look through the messages that nobody has looked through yet, of all agents."""
    for agent in house.store.read(lambda r: r.agents.all()):
        scope = Scope(agent.ref)
        for thread in house.store.read(lambda r, s=scope: _lasting_threads(r, s)):
            _weigh_thread(house, scope, thread, pause)


def _lasting_threads(records: Records, scope: Scope) -> list[Thread]:
    """Ephemeral threads go by themselves; until then what they use stays whole."""
    return [thread for thread in records.threads.all(scope) if thread.kind != "ephemeral"]


def _all_weighed(records: Records) -> bool:
    scopes = [Scope(agent.ref) for agent in records.agents.all()]
    return all(
        records.outputs.weighed(scope, thread.ref) >= thread.last_seq
        for scope in scopes
        for thread in _lasting_threads(records, scope)
    )


def _weigh_thread(house: House, scope: Scope, thread: Thread, pause: Pause) -> None:
    after = house.store.read(lambda r: r.outputs.weighed(scope, thread.ref))
    calls = _calls_before(house, scope, thread, after)
    while after < thread.last_seq:
        until = min(after + PAGE, thread.last_seq)
        uses = house.store.read(
            lambda r, a=after, u=until: _uses(r, scope, thread.ref, (a + 1, u), calls)
        )
        moved = house.store.write(
            lambda r, a=after, u=until, found=uses: r.outputs.weigh(
                scope, thread.ref, found, after=a, until=u
            )
        )
        if not moved:
            return  # somebody else is at it
        after = until
        pause()


def _calls_before(house: House, scope: Scope, thread: Thread, after: int) -> dict[str, str]:
    calls: dict[str, str] = {}
    first = max(after - CALLS_BACK + 1, 1)
    if after:
        house.store.read(lambda r: _uses(r, scope, thread.ref, (first, after), calls))
    return calls


def _uses(
    records: Records, scope: Scope, thread: int, seqs: tuple[int, int], calls: dict[str, str]
) -> list[Use]:
    """What tools answered in these messages; the calls among them are added to those that are known."""
    found: list[Use] = []
    for written in records.outputs.written(scope, thread, *seqs):
        found += outputs_of(written, calls)
        calls.update(calls_of(written.form, written.content))
    while len(calls) > CALLS_KNOWN:
        del calls[next(iter(calls))]
    return found


# What gives way -------------------------------------------------------------------------------------


def shrink(house: House, wanted: int, pause: Pause) -> int:
    """Shrink the oldest output until that many bytes are saved; how many were."""
    saved = 0
    most = min(wanted, SHARE)
    batch: list[tuple[Output, str | None]] = []
    held = 0
    for output, whole in _candidates(house, house.clock.now() - YOUNGEST):
        batch.append((output, shrunk_text(whole)))
        held += len(whole)
        if len(batch) == BATCH or held >= min(BATCH_BYTES, most - saved):
            saved += _shrink_batch(house, batch)
            batch, held = [], 0
            pause()
        if saved >= most:
            return saved
    return saved + _shrink_batch(house, batch)


def _shrink_batch(house: House, batch: Sequence[tuple[Output, str | None]]) -> int:
    now = house.clock.now()

    def work(records: Records) -> int:
        saved = 0
        for output, kept in batch:
            scope = Scope(output.agent_ref)
            if kept is None:
                records.outputs.spare(scope, output)
            elif (done := records.outputs.shrink(scope, output, kept, now=now)) is not None:
                saved += done.size - done.kept_size
        return saved

    return house.store.write(work) if batch else 0


def _candidates(house: House, before: int) -> Iterator[tuple[Output, str]]:
    """Bodies that may shrink, with their contents, oldest first."""
    after = (0, 0)
    while page := house.store.read(
        lambda r, a=after: r.outputs.oldest(before=before, after=a, limit=BATCH)
    ):
        for output in page:
            whole = house.store.read(lambda r, o=output: _content(r, o))
            if whole is not None:
                yield output, whole
        after = (page[-1].at_ms, page[-1].body_ref)


def _content(records: Records, output: Output) -> str | None:
    """The content, unless a view still shows it: what a model was sent must not change under it."""
    scope = Scope(output.agent_ref)
    if any(_is_shown(records, scope, place) for place in records.outputs.places(scope, output)):
        return None
    try:
        return records.bodies.get(scope, [output.hash]).get(output.hash)
    except BodyDamaged:
        return None  # it is for `verify` to name, and what is sound can still shrink


def _is_shown(records: Records, scope: Scope, place: int) -> bool:
    lane, seq = place >> SEQ_BITS, place % LANE
    if lane % 2:
        return False  # the archive is in no view
    thread = records.threads.get(scope, lane // 2)
    hidden = records.marks.hiding(scope, thread.ref, version=thread.view_version)
    return not any(span.first <= seq <= span.last for span in hidden)


# What goes back to the disk -------------------------------------------------------------------------


def reclaim(house: House, pause: Pause) -> int:
    """Give back free space but for a reserve; how many bytes went."""
    given = 0
    spare = house.store.space().free - RESERVE
    while given < min(spare, SHARE) and (step := house.store.reclaim(STEP)):
        given += step
        pause()
    return given


def vacuum(house: House) -> tuple[Disk, Disk]:
    """Write the whole store anew, without gaps; how it stood before and stands now."""
    before = disk(house)
    house.store.compact()
    house.store.settle()
    return before, disk(house)
