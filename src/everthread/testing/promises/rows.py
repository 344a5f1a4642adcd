"""Rows to try a store with."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Draft, Message, content_column
from everthread.domain.conversation.sessions import Session, new_session
from everthread.domain.conversation.threads import Thread, ThreadKind, primary_key
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.distilling.receipts import Intent, Receipt, Sentence, SummaryRow, sentence
from everthread.domain.given.injections import GivenItem, Injection
from everthread.domain.memory.memories import Memory, new_memory, sources_text, tags_text
from everthread.domain.memory.notes import Note
from everthread.domain.times import ms_of
from everthread.ports import Records, Store

NOON = ms_of("2026-02-20T12:00:00Z")
PATIENCE = 30.0


def new_id() -> bytes:
    return secrets.token_bytes(16)


def agent_in(store: Store, name: str = "ada") -> Scope:
    """The scope of a new agent."""
    return Scope(store.write(lambda r: r.agents.add(name, window=200_000, now=NOON)).ref)


def thread_in(
    store: Store,
    scope: Scope,
    key: str = "heartbeat:morning",
    kind: ThreadKind = "background",
    *,
    now: int = NOON,
) -> Thread:
    return store.write(lambda r: r.threads.add(scope, key=key, kind=kind, now=now))


def primary_in(store: Store, scope: Scope, name: str = "ada") -> Thread:
    return thread_in(store, scope, primary_key(name), "primary")


def a_session(thread: Thread, **changes: Any) -> Session:
    """A session that no store has seen yet."""
    key_id = new_id()
    fresh = new_session(thread.agent_ref, thread.ref, key_id, state="active", started=NOON)
    session = fresh._replace(key=f"session-{key_id.hex()}", channel="webchat")
    return session._replace(**changes)


def session_in(store: Store, scope: Scope, thread: Thread, **changes: Any) -> Session:
    return store.write(lambda r: r.sessions.add(scope, a_session(thread, **changes)))


def a_turn(session: Session, **changes: Any) -> TurnRow:
    """An open turn that no store has seen yet."""
    turn = TurnRow(
        ref=0,
        agent_ref=session.agent_ref,
        key_id=new_id(),
        thread_ref=session.thread_ref,
        session_ref=session.ref,
        number=1,
        state="open",
        owner="host:1:aa",
        lease_until=NOON + 60_000,
        model="a-model",
        window=200_000,
        view_version=0,
        first_seq=1,
        last_seq=1,
        system_hash=None,
        tools_hash=None,
        block_hash=None,
        computed_tokens=10,
        context_tokens=11,
        reported=None,
        error=None,
        opened_ms=NOON,
        closed_ms=None,
        entry=0,
    )
    return turn._replace(**changes)


def turn_in(store: Store, scope: Scope, session: Session, **changes: Any) -> TurnRow:
    return store.write(lambda r: r.turns.add(scope, a_turn(session, **changes)))


def a_memory(text: str = "Prefers tabs", **changes: Any) -> Memory:
    """A memory that no store has seen yet; `sources` and `tags` as lists."""
    sources, tags = changes.pop("sources", ()), changes.pop("tags", ())
    memory = new_memory(new_id(), text, kind="fact", origin="user", now=NOON)
    memory = memory._replace(tags_json=tags_text(tags), sources_json=sources_text(sources))
    return memory._replace(**changes)


def memory_in(store: Store, scope: Scope, **changes: Any) -> Memory:
    return store.write(lambda r: r.memories.add(scope, a_memory(**changes)))


def note_in(store: Store, scope: Scope, **changes: Any) -> Note:
    note = Note(0, 0, new_id(), None, "note", "Ask Mel about it", "agent", NOON, None, 0)
    return store.write(lambda r: r.notes.add(scope, note._replace(**changes)))


def injection_in(
    store: Store,
    scope: Scope,
    session: Session,
    text: str | None = "what was given",
    *refs: bytes,
    **changes: Any,
) -> Injection:
    """An injection of that text, holding those memories."""
    size = 0 if text is None else len(text.encode())
    blank = Injection(
        ref=0,
        agent_ref=0,
        key_id=new_id(),
        thread_ref=session.thread_ref,
        session_ref=session.ref,
        turn_ref=None,
        epoch=0,
        purpose="recall",
        reason="recalled",
        body_hash=None,
        size=size,
        tokens=size // 4,
        at_ms=NOON,
        entry=0,
    )
    items = [GivenItem(n, "fact", ref, 0.5, "words") for n, ref in enumerate(refs, 1)]
    given = blank._replace(**changes)
    return store.write(lambda r: r.injections.add(scope, given, text, items))


def a_receipt(thread: Thread, **changes: Any) -> Receipt:
    """An open receipt that no store has seen yet."""
    receipt = Receipt(
        ref=0,
        agent_ref=thread.agent_ref,
        key_id=new_id(),
        thread_ref=thread.ref,
        number=None,
        outcome="open",
        mode="full",
        distiller="plain",
        owner="host:1:aa",
        lease_until=NOON + 60_000,
        turn_count=7,
        messages_before=40,
        messages_after=40,
        tokens_before=9_000,
        tokens_after=9_000,
        facts_extracted=0,
        decisions_extracted=0,
        open_items_extracted=0,
        flush_succeeded=None,
        struck=0,
        fired_json='[{"name": "messages", "value": 40, "limit": 30}]',
        detail_json="{}",
        score_json=None,
        errors_json="[]",
        opened_ms=NOON,
        closed_ms=None,
        undone_ms=None,
        undone_seq=None,
        entry=0,
    )
    return receipt._replace(**changes)


def receipt_in(store: Store, scope: Scope, thread: Thread, **changes: Any) -> Receipt:
    return store.write(lambda r: r.receipts.add(scope, a_receipt(thread, **changes)))


def closed_in(
    store: Store, scope: Scope, thread: Thread, number: int | None = 1, **changes: Any
) -> Receipt:
    """A receipt that was opened and closed: by default one that stands."""
    told: dict[str, Any] = {"outcome": "ok", "number": number, "closed_ms": NOON + 1, **changes}
    return receipt_in(store, scope, thread, **told)


def summary_in(
    store: Store,
    scope: Scope,
    receipt: Receipt,
    text: str = "what was said",
    digest: str = '{"points":[]}',
    sentences: Sequence[Sentence] | None = None,
    **changes: Any,
) -> SummaryRow:
    """A summary that the view shows from its version 1 on."""
    row = SummaryRow(
        0, new_id(), receipt.thread_ref, receipt.ref, 1, None, None, None, 12, NOON + 1, 0
    )
    told = (
        [sentence(1, "Task Context", text, (new_id(),), "verbatim", shown=True)]
        if sentences is None
        else sentences
    )
    fresh = row._replace(**changes)
    return store.write(lambda r: r.summaries.add(scope, fresh, text, digest, told))


def entries_salted(store: Store, scope: Scope, subject: bytes) -> list[bool]:
    """Of each entry about a row: does it have its salt?"""
    entries = store.read(lambda r: r.timeline.about(scope, subject))
    return [entry.salt is not None for entry in entries]


def intent_in(store: Store, scope: Scope, receipt: Receipt, **changes: Any) -> Intent:
    blank = Intent(0, 0, new_id(), receipt.ref, "write", "open", "{}", 0, None, NOON, None)
    return store.write(lambda r: r.intents.add(scope, blank._replace(**changes)))


def a_draft(content: str | list[dict[str, Any]], **changes: Any) -> Draft:
    form, column = content_column(content)
    return Draft("user", "user", form, column, at_ms=NOON, tokens=3)._replace(**changes)


def append(
    store: Store,
    scope: Scope,
    thread: Thread,
    *drafts: Draft,
    session: Session | None = None,
    turn: TurnRow | None = None,
    now: int = NOON,
) -> Sequence[Message]:
    """Append as a service does: in one transaction that holds the thread."""

    def work(records: Records) -> Sequence[Message]:
        held = records.threads.hold(scope, thread.ref)
        stored = records.messages.append(
            scope,
            held,
            drafts,
            session=None if session is None else session.ref,
            turn=None if turn is None else turn.ref,
            now=now,
        )
        if session is not None and stored:
            seqs = (stored[0].seq, stored[-1].seq)
            records.sessions.touch(
                scope, session.ref, at=now, human=False, messages=len(stored), seqs=seqs
            )
        return stored

    return store.write(work)


def run_together(*jobs: Callable[[], object]) -> list[BaseException]:
    """Run them in threads of their own, started together; what they raised."""
    raised: list[BaseException] = []
    gate = threading.Barrier(len(jobs))

    def run(job: Callable[[], object]) -> None:
        gate.wait(PATIENCE)
        try:
            job()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            raised.append(error)

    threads = [threading.Thread(target=run, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE * 2)
    assert not any(thread.is_alive() for thread in threads), "a writer hangs"
    return raised
