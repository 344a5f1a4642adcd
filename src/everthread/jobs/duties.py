"""What the worker can do, and what the scheduler asks for at which interval."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from everthread.domain.jobs import Duty, Job
from everthread.domain.times import DAY, HOUR, MINUTE, SECOND
from everthread.ports import HomeIdentity, House
from everthread.services.job_names import (
    CHANGES,
    CHECKPOINT,
    COMPACTION,
    CORRECT,
    DELIVER,
    DISTILL,
    ENDED,
    EXTRACT,
    FLUSH,
    FOLLOW_FILES,
    LEARN,
    REFRESH,
    RENEW_FILES,
    SCORE,
    SCRUB,
    SETTLE,
    UNSHARE,
    WITHDRAW,
    addressed_kind,
)

from .loading import DISTILLING, ENDING, SCORING, load
from .pause import Pause, WorkerLeaving

Handler = Callable[[House, Job, Pause], None]

SWEEP_TURNS = "turns.sweep"
REMOVE_EPHEMERAL = "threads.remove-ephemeral"
FOLLOW = "index.follow"
CHECK = "index.check"
KEEP_WITHIN = "store.keep-within"
PURGE = "messages.purge"
SWEEP_RECEIPTS = "receipts.sweep"
ASK_SCORES = "receipts.ask-scores"
PRUNE = "checkpoints.prune"
WATCH = "tasks.watch"
ANY_LEASE = 2**62
SWEEP_EXCHANGES = "exchanges.sweep"
SWEEP_SESSIONS = "sessions.sweep"
SWEEP_DAILY = "sessions.sweep-daily"


def _sweep(house: House, _job: Job, pause: Pause) -> None:
    from everthread.services.upkeep.retain import sweep_turns

    sweep_turns(house, pause)


def _remove(house: House, _job: Job, pause: Pause) -> None:
    from everthread.services.upkeep.retain import remove_ephemeral

    remove_ephemeral(house, pause)


def _follow(house: House, _job: Job, pause: Pause) -> None:
    from everthread.services.memory.index import follow_all

    def step() -> None:
        pause.or_leave()
        pause.between()  # vectors of many texts take minutes, and a thread fills up meanwhile

    # What is left over comes with the next round of this duty.
    with suppress(WorkerLeaving):
        if not follow_all(house, step):
            # Back into the queue, behind what else is due.
            now = house.clock.now()
            house.store.write(
                lambda r: r.jobs.add(FOLLOW, "{}", due_at=now + SECOND, now=now, once="more")
            )


def _check(house: House, _job: Job, pause: Pause) -> None:
    from everthread.services.memory.index import check_all

    check_all(house, pause)


def _keep_within(house: House, _job: Job, pause: Pause) -> None:
    from everthread.services.upkeep.shrink import keep_within

    # What is left over comes with the next round of this duty.
    with suppress(WorkerLeaving):
        if not keep_within(house, pause.or_leave):
            now = house.clock.now()
            house.store.write(
                lambda r: r.jobs.add(KEEP_WITHIN, "{}", due_at=now + SECOND, now=now, once="more")
            )


def _purge(house: House, _job: Job, pause: Pause) -> None:
    from everthread.services.upkeep.purge import purge

    # What is left over comes with the next round of this duty.
    with suppress(WorkerLeaving):
        purge(house, pause.or_leave)


def _distill(house: House, job: Job, pause: Pause) -> None:
    from everthread.services.distilling.pressure import Pressure

    told = json.loads(job.payload)
    pause.pressure = Pressure(house, told["agent"], told["thread"])
    load(DISTILLING, pause)
    from everthread.services.distilling.distill_job import run_distill_job
    from everthread.services.distilling.stages import LeftOff

    left_off: list[WorkerLeaving] = []

    def or_leave() -> None:
        try:
            pause()
        except WorkerLeaving as leaving:
            left_off.append(leaving)
            raise LeftOff from leaving

    run_distill_job(house, told["agent"], told["thread"], pause=or_leave)
    if left_off:
        # By now its receipt is closed. What was asked for is still to be done.
        raise left_off[0]


def _score(house: House, job: Job, pause: Pause) -> None:
    load(SCORING, pause)
    from everthread.services.distilling.review import run_score_job

    told = json.loads(job.payload)
    between = pause.between  # a thread that fills up would soon let a turn wait
    which = told["agent"], told["receipt"]
    run_score_job(house, *which, pause=pause, between=between, nobody_waits=True)


def _correct(house: House, job: Job, pause: Pause) -> None:
    from everthread.services.distilling.correct import correct_views

    correct_views(house, json.loads(job.payload)["agent"], pause=pause)


def _flush(house: House, _job: Job, _pause: Pause) -> None:
    from everthread.services.distilling.flush import retry

    retry(house)


def _sweep_receipts(house: House, _job: Job, _pause: Pause) -> None:
    from everthread.services.distilling.lease import sweep_receipts

    sweep_receipts(house)
    # A look first: what writes files is slow to load, and most of the time nothing waits.
    if house.store.read(lambda r: r.intents.open(limit=1)):
        _flush(house, _job, _pause)


def _ask_scores(house: House, _job: Job, _pause: Pause) -> None:
    from everthread.services.distilling.unscored import ask_unscored

    ask_unscored(house)


def _withdraw(house: House, job: Job, _pause: Pause) -> None:
    from everthread.services.forgetting.erase import withdraw

    told = json.loads(job.payload)
    withdraw(house, told["agent"], told["sections"])


def _unshare(house: House, job: Job, _pause: Pause) -> None:
    from everthread.services.forgetting.unshare import run_unshare_job

    run_unshare_job(house, job.payload)


def _follow_files(house: House, job: Job, pause: Pause) -> None:
    from everthread.services.forgetting.follow import follow

    follow(house, json.loads(job.payload)["agent"], pause)


def _renew_files(house: House, job: Job, _pause: Pause) -> None:
    from everthread.services.distilling.memory_file import renew

    renew(house, json.loads(job.payload)["agent"])


def _settle(house: House, _job: Job, _pause: Pause) -> None:
    from everthread.services.forgetting.settle import settle

    settle(house)


def _scrub(house: House, job: Job, pause: Pause) -> None:
    from everthread.services.upkeep.purge import scrub

    scrub(house, json.loads(job.payload)["agent"], pause)


def _checkpoint(house: House, job: Job, pause: Pause) -> None:
    from everthread.services.harness.checkpoint import run_checkpoint_job

    run_checkpoint_job(house, job.payload, pause)


def _compaction(house: House, job: Job, pause: Pause) -> None:
    from everthread.services.harness.compaction import run_compaction_job

    run_compaction_job(house, job.payload, pause)


def _extract(house: House, job: Job, pause: Pause) -> None:
    from everthread.services.harness.extract import run_extract_job

    run_extract_job(house, job.payload, pause)


def _conclude(house: House, job: Job, pause: Pause) -> None:
    load(ENDING, pause)
    from everthread.services.ending.conclude import run_conclude_job

    run_conclude_job(house, job.payload, pause)


def _sweep_sessions(house: House, job: Job, pause: Pause) -> None:
    from everthread.services.ending.sweep import DAILY, HOURLY, sweep_sessions

    # What is left over comes with the next round of this duty.
    with suppress(WorkerLeaving):
        most = DAILY if job.kind == SWEEP_DAILY else HOURLY
        sweep_sessions(house, pause.or_leave, most=most)


def _learn(house: House, _job: Job, pause: Pause) -> None:
    from everthread.services.scorer.train import train_all

    # What is left over comes with the next round of this duty.
    with suppress(WorkerLeaving):
        train_all(house, pause.or_leave)


def _prune(house: House, _job: Job, _pause: Pause) -> None:
    from everthread.services.harness.prune import prune

    prune(house)


def _sweep_exchanges(house: House, _job: Job, pause: Pause) -> None:
    from everthread.services.exchanges.exchange import sweep

    sweep(house, pause)


def _watch(house: House, _job: Job, pause: Pause) -> None:
    # A look first: what works at tasks is slow to load, and most of the time there is none.
    now = house.clock.now()
    # Only tasks run commands: where there is none, the processes of others are not looked at.
    if house.commands is not None and house.store.read(lambda r: r.tasks.any()):
        house.commands.sweep()
    if house.store.read(lambda r: r.outbox.due(now=now, limit=1)):
        from everthread.services.tasks.events import ask_due

        ask_due(house)
    if house.store.read(lambda r: r.sittings.lapsed(now=ANY_LEASE, limit=1)):
        from everthread.services.tasks.sessions.watch import sweep_sittings

        sweep_sittings(house, pause)


def _deliver(house: House, _job: Job, pause: Pause) -> None:
    from everthread.services.tasks.events import deliver_due

    deliver_due(house, pause)


def _changes(house: House, job: Job, _pause: Pause) -> None:
    from everthread.services.tasks.checkpoints.write import run_changes_job

    run_changes_job(house, job.payload)


def _refresh(house: House, job: Job, _pause: Pause) -> None:
    from everthread.services.tasks.sessions.context_growth import run_refresh_job

    run_refresh_job(house, job.payload)


# In the order in which they are taken up where several are due: a full view waits for no index.
HANDLERS: Mapping[str, Handler] = {
    SWEEP_TURNS: _sweep,
    WATCH: _watch,
    CHANGES: _changes,
    REFRESH: _refresh,
    CHECKPOINT: _checkpoint,
    DISTILL: _distill,
    CORRECT: _correct,
    REMOVE_EPHEMERAL: _remove,
    UNSHARE: _unshare,
    SETTLE: _settle,
    SCRUB: _scrub,
    WITHDRAW: _withdraw,
    FOLLOW_FILES: _follow_files,
    RENEW_FILES: _renew_files,
    FOLLOW: _follow,
    CHECK: _check,
    SCORE: _score,
    COMPACTION: _compaction,
    EXTRACT: _extract,
    ENDED: _conclude,
    SWEEP_SESSIONS: _sweep_sessions,
    SWEEP_DAILY: _sweep_sessions,
    PRUNE: _prune,
    LEARN: _learn,
    DELIVER: _deliver,
    FLUSH: _flush,
    SWEEP_RECEIPTS: _sweep_receipts,
    ASK_SCORES: _ask_scores,
    PURGE: _purge,
    KEEP_WITHIN: _keep_within,
    SWEEP_EXCHANGES: _sweep_exchanges,
}
OF_PLACES = frozenset({FLUSH, WITHDRAW, FOLLOW_FILES, RENEW_FILES})
OF_HOMES = frozenset({DELIVER})


def handlers_of(handlers: Mapping[str, Handler], here: HomeIdentity) -> Mapping[str, Handler]:
    """What a worker takes here: what is for anybody, and what is for this home or this place alone."""
    found: dict[str, Handler] = {}
    for kind, handler in handlers.items():
        found[kind] = handler
        to = here.files if kind in OF_PLACES else here.home if kind in OF_HOMES else ""
        found[addressed_kind(kind, to)] = handler
    return found


DUTIES: Sequence[Duty] = (
    Duty(SWEEP_TURNS, MINUTE),
    Duty(WATCH, MINUTE),
    Duty(REMOVE_EPHEMERAL, HOUR),
    Duty(FOLLOW, MINUTE),
    Duty(CHECK, DAY),
    Duty(PURGE, HOUR),
    Duty(KEEP_WITHIN, HOUR),
    Duty(SWEEP_RECEIPTS, MINUTE),
    Duty(ASK_SCORES, HOUR),
    Duty(PRUNE, HOUR),
    Duty(LEARN, 10 * MINUTE),
    Duty(SWEEP_EXCHANGES, MINUTE),
    Duty(SWEEP_SESSIONS, HOUR),
    Duty(SWEEP_DAILY, DAY),
)
