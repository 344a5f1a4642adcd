"""The flush: what a distillation leaves in files that people read. Intended, written, settled.

The intent is in the store before a file is touched. A disk that fails is told and tried again, and
never stops a distillation; what a crash left half done is written or taken out later.
"""

from __future__ import annotations

import json
import logging

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.daily import managed
from everthread.domain.distillation import EMPTY, Digest, read_digest
from everthread.domain.receipts import Intent, Receipt
from everthread.domain.times import MINUTE
from everthread.ports import Flush, Flushed, House, Records

from .chores import FLUSH

log = logging.getLogger("everthread")

MOST = 1_000
RETRY = MINUTE

NOWHERE = Flushed(ok=False, error="there is no workspace to write to")


def intend(
    house: House, records: Records, scope: Scope, receipt: Receipt, order: Flush, what: str
) -> Intent:
    """Put down what is to be written or taken out, before any file is touched."""
    payload = json.dumps(order._asdict(), ensure_ascii=True)
    now = house.clock.now()
    fresh = Intent(0, 0, house.ids.new(), receipt.ref, what, "open", payload, 0, None, now, None)
    return records.intents.add(scope, fresh)


def carry_out(house: House, agent: AgentRow, intent: Intent) -> Flushed:
    """Do what the intent says. Trouble is told, not raised."""
    if house.workspace is None:
        return NOWHERE
    order = Flush(**json.loads(intent.payload))
    act = house.workspace.write if intent.what == "write" else house.workspace.withdraw
    done = act(agent.name, order)
    if not done.ok:
        log.warning("the files of %s could not be written: %s", agent.name, done.error)
    return done


def settle(house: House, records: Records, scope: Scope, intent: Intent, done: Flushed) -> None:
    """Note how it went; what failed stays open, and is asked for again."""
    now = house.clock.now()
    if house.workspace is None:
        # Nothing to try again: the receipt says that it was written nowhere.
        records.intents.settle(scope, intent, "void", error=done.error, now=now)
        return
    state = "done" if done.ok else "open"
    records.intents.settle(scope, intent, state, error=done.error, now=now)
    if not done.ok:
        records.jobs.add(FLUSH, "{}", due_at=now + RETRY, now=now, once="retry")


def retry(house: House) -> int:
    """Try again what is open and whose distillation has ended; how many are left."""
    left = 0
    for intent in house.store.read(lambda r: r.intents.open(limit=MOST)):
        scope = Scope(intent.agent_ref)
        agent, receipt = house.store.read(
            lambda r, s=scope, i=intent: (r.agents.get(s), r.receipts.get(s, i.receipt_ref))
        )
        if receipt.outcome == "open":
            continue  # whoever is at work on it sees to it
        done = carry_out(house, agent, _present(house, scope, receipt, intent))
        house.store.write(
            lambda r, s=scope, i=intent, d=done, c=receipt: _settled(house, r, s, i, c, d)
        )
        left += not done.ok
    return left


def _present(house: House, scope: Scope, receipt: Receipt, intent: Intent) -> Intent:
    """The intent as it is to be carried out now: MEMORY.md says what is so today, not what was then."""
    digest = house.store.read(lambda r: primary_digest(r, scope))
    order = Flush(**json.loads(intent.payload))._replace(managed=managed(digest.points))
    # What never came to stand has nothing to say in a file.
    what = intent.what if receipt.outcome != "failed" else "withdraw"
    return intent._replace(what=what, payload=json.dumps(order._asdict()))


def _settled(
    house: House, records: Records, scope: Scope, intent: Intent, receipt: Receipt, done: Flushed
) -> None:
    now = house.clock.now()
    if done.ok and receipt.outcome == "failed":
        records.intents.settle(scope, intent, "void", error=None, now=now)
        return
    settle(house, records, scope, intent, done)
    if done.ok and intent.what == "write" and not receipt.flush_succeeded:
        told = receipt._replace(flush_succeeded=1)
        records.receipts.change(scope, told, "receipt.flushed", now=now)


def primary_digest(records: Records, scope: Scope) -> Digest:
    """What `MEMORY.md` speaks of: the primary thread, whichever thread is flushed."""
    return standing_digest(records, scope, records.threads.all(scope)[0].ref)


def standing_digest(records: Records, scope: Scope, thread: int) -> Digest:
    """What is carried forward on the thread as it stands."""
    row = records.threads.get(scope, thread)
    summary = records.summaries.at(scope, thread, row.view_version)
    text = "" if summary is None else records.summaries.digest(scope, summary)
    return read_digest(text) if text else EMPTY
