"""Remember: merge what says the same, supersede what it contradicts, refuse what is junk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checks import checked_text, optional_text
from everthread.domain.conversation.messages import Message
from everthread.domain.errors import MemoryRefused
from everthread.domain.given.packing import strip_frames
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.memory.endings import ended_by, may_end
from everthread.domain.memory.junk import why_junk
from everthread.domain.memory.lifts import may_lift
from everthread.domain.memory.memories import (
    LONGEST_TEXT,
    Memory,
    Origin,
    ParsedMemory,
    Reach,
    Whose,
    checked_kind,
    checked_share,
    clean_tags,
    evidence_text,
    is_valid,
    new_memory,
    parse,
    sources_text,
    tags_text,
)
from everthread.domain.memory.merging import (
    begins_later,
    continue_series,
    earlier_reports,
    is_replay,
    make_version,
    may_replace,
    merge,
    said_ms,
    same_readers,
)
from everthread.domain.memory.places import is_rehomed
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.evidence import commits_in
from everthread.domain.text.fences import strip_unseen
from everthread.domain.text.sayings import likeness_of, shares_word, trim_blanks
from everthread.domain.text.tellings.told_anew import no_longer_holds
from everthread.ports import House, Records
from everthread.services.archive.sources import messages_named
from everthread.services.places import ask_for_files

from .evidence import digests
from .named import checked_names, with_replaced
from .provenance import said_times
from .shared import Owners, hold_shared, home_of, shared_memories
from .wish_checks import (
    checked_origin,
    checked_period,
    checked_project,
    checked_reach,
    checked_tags,
)

MOST_COMPARED = 2_000
"""So many of the memories last said are compared with a new one: the work stays bounded."""

REDACTED = "redacted"
"""The tag of a memory out of which a secret was taken."""

Outcome = Literal["kept", "merged", "known", "overtaken"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be remembered, as the caller says it."""

    text: object
    kind: object = "fact"
    reach: object = "agent"
    origin: object = "user"
    project: object = None
    principal: object = None
    tags: Sequence[str] = ()
    sources: Sequence[Message | str] = ()
    confidence: object = None
    importance: object = None
    valid_from: object = None
    valid_to: object = None
    receipt: int | None = None
    replaces: Sequence[Memory | str] = ()
    """What it takes the place of, by their ids: whoever says so has read both."""


class Remembered(NamedTuple):
    """A memory, and how it came to be: a new row, one that was said again, or nothing new at all.

    What is `overtaken` came late: something else was said since its messages, and stands.
    """

    memory: Memory
    outcome: Outcome
    superseded: Sequence[Memory] = ()


def remember(house: House, agent: AgentRow, wish: Wish, owners: Owners = None) -> Remembered:
    """Keep it. What says the same is merged, what it replaces or plainly contradicts is superseded.

    What reaches user-wide may stand in the place of what other agents share, of the `owners` alone.
    """
    fresh = prepare(house, wish)
    names = checked_names(wish.replaces)
    filed = _agents_with_files(house, agent, fresh.reach)

    def work(records: Records) -> Remembered:
        # Under the lock from the first look on: two who say the same at once must not both add it.
        scope = Scope(agent.ref)
        if fresh.reach == "user":
            hold_shared(records, scope)
        else:
            records.memories.hold(scope)
        sources = messages_named(records, scope, wish.sources)
        _must_not_be_forgotten(records, scope, sources, fresh.origin)
        session = next((m.session_ref for m in sources if m.session_ref is not None), None)
        told = fresh._replace(
            sources_json=sources_text([message.key for message in sources]), session_ref=session
        )
        told, named = with_replaced(records, scope, told, names, owners)
        near = near_memories(told, _kept_beside(records, scope, told, owners))
        kept = settle(records, scope, told, near, named=named)
        for ref in {old.agent_ref for old in kept.superseded}:  # MEMORY.md may list them
            ask_for_files(house, records, Scope(ref), here=ref in filed)
        return kept

    return house.store.write(work)


def _agents_with_files(house: House, agent: AgentRow, reach: Reach) -> set[int]:
    """Of those whose memories it may replace: the agents that have files here."""
    if house.workspace is None:
        return set()
    agents = house.store.read(lambda r: r.agents.all()) if reach == "user" else [agent]
    return {row.ref for row in agents if house.workspace.there(row.name)}


def prepare(house: House, wish: Wish) -> Memory:
    """The memory that a wish asks for, without its sources; what is no memory is refused."""
    origin, reach = checked_origin(wish.origin), checked_reach(wish.reach)
    kind = checked_kind(wish.kind)
    given = checked_text("a memory", wish.text, longest=LONGEST_TEXT)
    said = parse(strip_frames(given) or given)
    text, secret = text_without_secrets(trim_blanks(strip_unseen(said.text)))
    why = why_junk(text, origin=origin, kind=kind)
    if why is not None:
        raise MemoryRefused(f"this is not kept as a memory: {why}")
    if secret and reach == "user":
        reach = "agent"  # what held a secret is not mirrored to every agent
    project = checked_project(house, wish.project, reach)
    now = house.clock.now()
    start, end = checked_period(wish.valid_from, wish.valid_to)
    if start is None and end is None and kind == "rule" and origin == "user":
        from everthread.domain.text.rule_periods import end_of_rule  # noqa: PLC0415 - of rules alone

        end = end_of_rule(text, now)
    fresh = new_memory(house.ids.new(), text, kind=kind, origin=origin, now=now)
    return fresh._replace(
        reach=reach,
        project=project,
        principal=optional_text("principal", wish.principal),
        confidence=checked_share("confidence", wish.confidence, fresh.confidence),
        importance=checked_share("importance", wish.importance, fresh.importance),
        # Only a person pins: a text from elsewhere must not make itself important for ever.
        pinned=int(said.pinned and origin == "user"),
        tags_json=tags_text(_tags(said, wish, secret=secret)),
        evidence_json=evidence_text(digests(house, text, project), commits_in(text)),
        receipt_ref=wish.receipt,
        valid_from_ms=start,
        valid_to_ms=end,
    )


def settle(
    records: Records,
    scope: Scope,
    fresh: Memory,
    near: Sequence[Memory] | None = None,
    *,
    named: Sequence[Memory] = (),
    drawn: bool = False,
    now: int | None = None,
) -> Remembered:
    """Find its place among what is kept: a new row, a merge, a new version.

    `named` is what it is said to replace; `near` is what it has to be compared with, where somebody has
    looked for that already. `drawn`: nobody asked for it, so that of reports the newest may stand for
    all. One that has a row already comes back in it; then `now` tells that it does so later than it was
    made.
    """
    now = fresh.created_ms if now is None else now
    if near is None:
        near = near_memories(fresh, _kept(records, scope))
    named = [old for old in named if old.text != fresh.text]
    near = [old for old in near if old not in named]
    # Who names no message says it now; else those tell when it was said.
    dated = drawn or bool(fresh.sources)
    if dated and (later := _overtaking_memory(records, scope, fresh, near)) is not None:
        over = replace(records, scope, later, named, now=now)
        return _place_overtaken(records, scope, fresh, later, now)._replace(superseded=over)
    before = earlier_reports(fresh, near) if drawn else []
    place = _place_report if before else _place
    kept, outcome, over = place(records, scope, fresh, before or near, now)
    if outcome != "known" or named:
        left = [old for old in near if old.key_id not in (kept.key_id, *(m.key_id for m in over))]
        beside = _rules_beside(records, scope, fresh) if drawn else near
        wrong = ended_by(fresh, [m for m in left if may_replace(fresh, m)], beside)
        if dated and wrong:  # nothing that was said later is wrong by what was said before
            said = said_times(records, scope, [kept, *wrong])
            wrong = [m for m in wrong if said[m.key_id] <= said[kept.key_id]]
        wrong = [*named, *wrong]
        if begins_later(fresh):
            _bound_old(records, scope, kept, wrong, now)
        else:
            over = [*over, *replace(records, scope, kept, wrong, now=now)]
    return Remembered(kept, outcome, over)


def _kept(records: Records, scope: Scope) -> Sequence[Memory]:
    return records.memories.all(scope, state="kept", limit=MOST_COMPARED)


def _kept_beside(records: Records, scope: Scope, fresh: Memory, owners: Owners) -> Sequence[Memory]:
    """What it is compared with; what reaches user-wide also with what other agents keep so."""
    own = _kept(records, scope)
    if fresh.reach != "user":
        return own
    reader = Scope(scope.agent, principal=fresh.principal)
    return [*own, *shared_memories(records, reader, owners)[-MOST_COMPARED:]]


def near_memories(
    fresh: Memory, kept: Sequence[Memory], whose: Whose | None = None
) -> list[Memory]:
    """What it may be one with, or speak against: for the same readers, of its family, true today.

    `whose` tells for whom what is kept is where that was not put down: it was drawn before that was known.
    """

    def owned(old: Memory) -> Memory:
        if whose is None or fresh.principal is None or old.principal is not None:
            return old
        return old._replace(principal=whose(old.sources))

    sharing = shares_word(fresh.text, [old.text for old in kept])
    return [
        old
        for old, shares in zip(kept, sharing, strict=True)
        if (shares or is_rehomed(fresh.text, old.text) or no_longer_holds(fresh.text, old.text))
        and may_end(fresh, old)
        and is_valid(old, at=fresh.created_ms)
        and same_readers(fresh, owned(old))
    ]


def _store_memory(records: Records, scope: Scope, memory: Memory, now: int) -> Memory:
    """In a row of its own; in the one it had, where a distillation that drew it was undone."""
    if memory.ref:
        return records.memories.restore(scope, memory, now=now)
    return records.memories.add(scope, memory._replace(updated_ms=max(memory.updated_ms, now)))


def _place(
    records: Records, scope: Scope, fresh: Memory, near: Sequence[Memory], now: int
) -> tuple[Memory, Outcome, Sequence[Memory]]:
    """Merged with what says the same, or in its place, or beside all others; what it replaced."""
    for old in near:
        likeness = likeness_of(fresh.text, old.text)
        if likeness is None:
            continue
        home = home_of(scope, old)
        if may_replace(fresh, old, likeness):
            both = make_version(fresh, _brought_to(scope, home, old))
            kept = _store_memory(records, scope, both, now)
            over = records.memories.supersede(home, old, kept.key_id, now=now)
            return kept, "kept", [over]
        # What says less than the other is another statement: `lock the door`, `lock the door at night`.
        if likeness == "same":
            if is_replay(fresh, old):
                return old, "known", []
            both = merge(_brought_to(home, scope, fresh), old)
            told = max(both.updated_ms, now)
            return records.memories.merge(home, both, now=told), "merged", []
    return _store_memory(records, scope, fresh, now), "kept", []


def _brought_to(there: Scope, home: Scope, memory: Memory) -> Memory:
    """As another agent takes it: each one's memories rest on messages of its own."""
    return memory if there == home else memory._replace(sources_json=sources_text([]))


def _rules_beside(records: Records, scope: Scope, fresh: Memory) -> Sequence[Memory]:
    """All that a lift could mean: whoever drew it looked at some of them only."""
    if not may_lift(fresh.text):
        return ()
    return near_memories(fresh, _kept(records, scope))


def _place_report(
    records: Records, scope: Scope, fresh: Memory, before: Sequence[Memory], now: int
) -> tuple[Memory, Outcome, Sequence[Memory]]:
    """The newest report in the place of all before it; one that comes late is only counted."""
    last = before[-1]
    if said_ms(fresh) >= said_ms(last):
        kept, over = _store_memory(records, scope, continue_series(fresh, before), now), before
    else:
        all_of_it = continue_series(last, [*before[:-1], fresh])
        told = max(all_of_it.updated_ms, now)
        kept, over = records.memories.merge(scope, all_of_it, now=told), before[:-1]
    gone = [records.memories.supersede(scope, old, kept.key_id, now=now) for old in over]
    return kept, "kept" if kept.key_id == fresh.key_id else "merged", gone


def _overtaking_memory(
    records: Records, scope: Scope, fresh: Memory, near: Sequence[Memory]
) -> Memory | None:
    """What was said later and speaks against it, the last of several; none where something says the same."""
    against = [m for m in near if may_replace(m, fresh) and contradicts(m.text, fresh.text)]
    if not against or any(likeness_of(fresh.text, old.text) for old in near):
        return None
    said = said_times(records, scope, [fresh, *against])
    last = max(against, key=lambda m: said[m.key_id])
    return last if said[last.key_id] > said[fresh.key_id] else None


def _place_overtaken(
    records: Records, scope: Scope, fresh: Memory, later: Memory, now: int
) -> Remembered:
    """In a row of its own that is superseded at once, so that it is known and its messages rank below."""
    for one in records.memories.lineage(scope, later):
        if one.text == fresh.text and not set(one.sources).isdisjoint(fresh.sources):
            return Remembered(one, "known")
    kept = _store_memory(records, scope, fresh, now)
    (over,) = replace(records, scope, later, [kept], now=now)
    return Remembered(over, "overtaken")


def settle_again(records: Records, scope: Scope, memory: Memory, *, now: int) -> Memory:
    """What had taken its place was undone: it stands again, unless another says it, or overtakes it."""
    back = records.memories.restore(scope, memory._replace(state="kept", successor=None), now=now)
    near = near_memories(back, [old for old in _kept(records, scope) if old.ref != back.ref])
    same = (old for old in near if likeness_of(back.text, old.text) not in (None, "fuller"))
    over = next(same, None) or _overtaking_memory(records, scope, back, near)
    return back if over is None else replace(records, scope, over, [back], now=now)[0]


def _bound_old(
    records: Records, scope: Scope, kept: Memory, over: Sequence[Memory], now: int
) -> None:
    """What will be so from some time on leaves what is so until then."""
    assert kept.valid_from_ms is not None, "it begins later"
    for old in over:
        home = home_of(scope, old)
        records.memories.bound(home, old, until=kept.valid_from_ms, now=now)


def replace(
    records: Records, scope: Scope, kept: Memory, over: Sequence[Memory], *, now: int
) -> Sequence[Memory]:
    """Supersede these; what only they rest on is ranked below from now on."""
    gone: list[Memory] = []
    for old in over:
        home = home_of(scope, old)
        stale = [source for source in old.sources if source not in kept.sources]
        records.memories.withhold(home, old, stale, "superseded")
        gone.append(records.memories.supersede(home, old, kept.key_id, now=now))
    return gone


def _must_not_be_forgotten(
    records: Records, scope: Scope, sources: Sequence[Message], origin: Origin
) -> None:
    """What was forgotten must not come back by being extracted once more. A person may say it anew."""
    if origin == "user" or not sources:
        return
    withheld = records.memories.withheld(scope)
    if any(withheld.get(message.key) == "forgotten" for message in sources):
        raise MemoryRefused("this is not kept as a memory: it comes from what was forgotten")


def text_without_secrets(text: str) -> tuple[str, bool]:
    """The text without secrets, and whether there were any."""
    clean = strip_secrets(text)
    return clean, clean != text


def _tags(said: ParsedMemory, wish: Wish, *, secret: bool) -> Sequence[str]:
    given = clean_tags(wish.tags if isinstance(wish.tags, str) else checked_tags(wish.tags))
    return clean_tags([*said.tags, *given, *([REDACTED] if secret else [])])
