"""Bulk append of what was said elsewhere or earlier. Idempotent by (source, id)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checks import checked_text
from everthread.domain.conversation.beats import is_wake_up, mark_known_beat
from everthread.domain.conversation.entries import check_keys
from everthread.domain.conversation.messages import ORIGINS as SENDERS
from everthread.domain.conversation.messages import (
    SOURCES,
    TEXT,
    Block,
    Draft,
    Origin,
    Role,
    Source,
    content_column,
    results_in,
)
from everthread.domain.conversation.replies import read_message
from everthread.domain.conversation.sessions import Session, continues
from everthread.domain.conversation.threads import Thread, must_be_open
from everthread.domain.conversation.tokens import PER_MESSAGE, blocks_tokens, content_tokens
from everthread.domain.errors import BadInput, BlockInvalid, QuotaReached
from everthread.domain.given.packing import strip_content, strip_frames
from everthread.domain.times import STEP_BACK_LIMIT, ms_of, settle_clock, text_of
from everthread.ports import House, Records

from .channel_ids import ChannelIds
from .end import ask_if_over
from .record_owners import ReplyOwners, owned_reply
from .record_sessions import group_by_session, keeps_alive, session_after, session_by_key
from .sessions import ANYWHERE, NOTHING_STORED, Seat, hours_of, is_open_to
from .view import LOOK_BACK, tail

CHUNK = 1_000
LONGEST_FIELD = 1_000
BARE = 2
"""An entry with so few fields says who and what, and nothing about itself."""

ORIGINS: dict[Role, Origin] = {"user": "user", "assistant": "agent", "system": "system"}

# By place and not by `_replace`, which takes three times as long: these are on every append's way.
AT, ARCHIVED = map(Draft._fields.index, ("at_ms", "archived"))

JUST_NOW = 1 << 62
"""The time of an entry that names none, until it is stored: later than all that do."""


class Recorded(NamedTuple):
    """How many messages were new, and how many that source had brought before."""

    added: int
    known: int
    changed: tuple[str, ...] = ()
    """Ids of known ones that came with another text or role this time: the first stays, messages are
    never edited. Where it is another message, give it an id of its own, or its `channel`.
    """


def record(
    house: House,
    agent: AgentRow,
    thread: int,
    entries: Sequence[Mapping[str, Any]],
    source: str,
    wanted: Seat,
    stored: Callable[[int], None] = lambda _new: None,
) -> Recorded:
    """Store the entries in the order they were said; each chunk is one transaction, and `stored` hears of
    it how many were new.
    """
    if source not in SOURCES or source == "turn":
        raise BadInput(
            f"source must be record, hook or import; got {source!r}. To tell ids of two channels apart, "
            "give the channel: record(…, channel='slack')"
        )
    check_keys(entries)
    count = house.tokenizer.count
    drafts = _draft_all(entries, source, count)
    ids = None if wanted.channel is None else ChannelIds(wanted.channel)
    if ids is not None:
        drafts = ids.name(house, Scope(agent.ref), drafts)
    if len(drafts) > 1:
        drafts.sort(key=lambda draft: draft.at_ms)
    if drafts[0].at_ms != JUST_NOW:
        _check_times(drafts, house.clock.now())
    few = len(drafts) <= CHUNK
    added = 0
    for chunk in [drafts] if few else _chunks(house, agent, thread, drafts):
        try:
            new = house.store.write(
                lambda r, c=chunk: store_drafts(house, r, agent, thread, c, wanted)
            )
            added += new
            stored(new)
        except QuotaReached as reached:
            if not added:
                raise
            kept = f"Only the first {added:,} entries were stored"
            raise QuotaReached(str(reached).replace(NOTHING_STORED, kept)) from reached
    known = len(drafts) - added
    changed = _changed_ids(house, agent, drafts) if known else ()
    return Recorded(added, known, changed if ids is None else tuple(map(ids.bare, changed)))


def _changed_ids(house: House, agent: AgentRow, drafts: Sequence[Draft]) -> tuple[str, ...]:
    """Which ids stand for something else than what was given now. What is stored is not touched."""
    scope, source = Scope(agent.ref), drafts[0].source
    found: dict[str, None] = {}
    for start in range(0, len(drafts), CHUNK):
        some = drafts[start : start + CHUNK]
        told = house.store.read(lambda r, s=some: r.messages.differing(scope, source, s))
        found.update(dict.fromkeys(told))
    return tuple(found)


def _check_times(drafts: Sequence[Draft], now: int) -> None:
    """What lies in the future would make everything said until then look old."""
    for draft in reversed(drafts):
        if draft.at_ms != JUST_NOW:
            check_time(draft.at_ms, now)
            return


def check_time(at: int, now: int) -> None:
    """Refuse what was said in the future; what names no time is said just now."""
    if JUST_NOW > at > now + STEP_BACK_LIMIT:
        raise BadInput(
            f"an entry is dated {text_of(at)}, in the future; give `at` as ISO-8601 text, "
            "a datetime, or seconds (not milliseconds)"
        )


def _chunks(
    house: House, agent: AgentRow, thread: int, drafts: Sequence[Draft]
) -> Iterator[Sequence[Draft]]:
    """One transaction each; since there are several, what enters the view is settled beforehand."""
    scope = Scope(agent.ref)
    view_at = house.store.read(lambda r: r.threads.get(scope, thread)).view_at
    # Everything but the last chunk is older than the tail, hence archive.
    placed = _archive_older(house, agent, drafts, view_at)
    for start in range(0, len(placed), CHUNK):
        yield placed[start : start + CHUNK]


def _draft_all(
    entries: Sequence[Mapping[str, Any]], source: Source, count: Callable[[str], int]
) -> list[Draft]:
    drafts: list[Draft] = []
    try:
        for entry in entries:
            drafts.append(draft_entry(entry, source, count))
    except BlockInvalid as wrong:
        raise BlockInvalid(f"entry {len(drafts)}: {wrong}; nothing was stored") from wrong
    return drafts


def draft_entry(entry: Mapping[str, Any], source: Source, count: Callable[[str], int]) -> Draft:
    """An entry as it is stored, without its time where it has none."""
    # A dict first: to ask whether something else is a mapping takes longer.
    if not isinstance(entry, (dict, Mapping)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"an entry is a dict with role and content; got {type(entry).__name__}")
    if len(entry) == BARE and (plain := _draft_plain(entry, source, count)) is not None:
        return plain
    said, tokens = _draft_head(*read_message(entry), source, count)
    if len(entry) == BARE:
        return mark_known_beat(Draft._make((*said, None, None, None, False, tokens, JUST_NOW)))
    at = entry.get("at")
    named = (_field(entry, "id"), _field(entry, "name"), _field(entry, "principal"))
    when = JUST_NOW if at is None else ms_of(at)
    draft = Draft._make((*said, *named, False, tokens, when))
    return _with_origin(draft, entry.get("origin"))


def _draft_plain(
    entry: Mapping[str, Any], source: Source, count: Callable[[str], int]
) -> Draft | None:
    """A text and who said it, as most entries are: the same draft with half of the calls."""
    role, content = entry.get("role"), entry.get("content")
    if type(role) is not str or role not in ORIGINS or not isinstance(content, str):
        return None
    form, text = content_column(strip_frames(content) if role == "user" else content)
    if form != TEXT:
        return None
    tokens = PER_MESSAGE + count(text)
    named = None, None, None
    origin = "system" if role == "user" and is_wake_up(text) else ORIGINS[role]
    return Draft._make((role, origin, form, text, "said", source, *named, False, tokens, JUST_NOW))


def draft_line(entry: Mapping[str, Any], source: Source, count: Callable[[str], int]) -> Draft:
    """The same for an entry that a dialect read from a transcript: plain JSON, and named."""
    said, tokens = _draft_head(entry["role"], entry["content"], source, count)
    at = entry.get("at")
    when = JUST_NOW if at is None else ms_of(at)
    draft = Draft._make((*said, entry["id"], None, None, False, tokens, when))
    return _with_origin(draft, entry.get("origin"))


def _with_origin(draft: Draft, origin: object) -> Draft:
    """The draft as that of who sent it, whatever its role: a heartbeat comes as the user's."""
    if origin is None:
        return mark_known_beat(draft)
    if origin not in SENDERS:
        raise BadInput(f"origin must be one of {', '.join(SENDERS)}; got {origin!r:.40}")
    return draft._replace(origin=origin)


def _draft_head(
    role: Role, content: str | list[Block], source: Source, count: Callable[[str], int]
) -> tuple[tuple[Role, Origin, int, str, str, Source], int]:
    """The first fields of a draft, and its tokens."""
    if role == "user":
        content = strip_content(content)
    form, column = content_column(content)
    if isinstance(content, str):
        tokens, origin = content_tokens(count, form, column), ORIGINS[role]
    else:
        # The blocks are at hand: to read them out of the column again takes longer than to count.
        tokens, origin = PER_MESSAGE + blocks_tokens(count, content), _origin(role, content)
    return (role, origin, form, column, "said", source), tokens


def _origin(role: Role, content: list[Block]) -> Origin:
    if role == "user" and any(results_in(content)):
        return "tool"
    return ORIGINS[role]


def _field(entry: Mapping[str, Any], name: str) -> str | None:
    value = entry.get(name)
    if value is None:
        return None
    text = str(value)
    return checked_text(name, text, longest=LONGEST_FIELD)


def _archive_older(
    house: House, agent: AgentRow, drafts: Sequence[Draft], view_at: int
) -> Sequence[Draft]:
    """Older than the view, a harness's or an import's: archive. Of the newer, the tail is not."""
    first = drafts[0]
    if len(drafts) == 1 and first.source == "record" and first.at_ms >= view_at:
        return drafts
    if first.source != "record":
        return _mark_archived(drafts)
    newer = [n for n, d in enumerate(drafts) if d.at_ms >= view_at and not d.archived]
    newest = newer[-house.policy.tail_messages - LOOK_BACK :]
    shown = tail(house, [drafts[n] for n in newest], window=agent.window)
    if len(shown) == len(drafts):
        return drafts
    kept = {newest[n] for n in shown}
    return _mark_archived(drafts, kept)


def _mark_archived(drafts: Sequence[Draft], kept: Container[int] = ()) -> list[Draft]:
    make = Draft._make
    return [
        d if n in kept else make((*d[:ARCHIVED], True, *d[ARCHIVED + 1 :]))
        for n, d in enumerate(drafts)
    ]


def store_drafts(
    house: House,
    records: Records,
    agent: AgentRow,
    ref: int,
    drafts: Sequence[Draft],
    wanted: Seat,
) -> int:
    """Append those that are new, in this very transaction; how many there were."""
    scope = Scope(agent.ref)
    thread = records.threads.hold(scope, ref)
    must_be_open(thread)
    now = house.clock.now()
    unknown = _new_drafts(records, scope, drafts)
    if not unknown:
        return 0
    if len(unknown) == 1 and wanted is ANYWHERE:
        hours = hours_of(house, agent)
        if _append_to_current(records, scope, thread, unknown[0], hours=hours, now=now):
            return 1
    placed = _archive_older(house, agent, unknown, thread.view_at)
    fresh_ones = _with_times(placed, settle_clock(now, thread.view_at))
    owners = ReplyOwners(records, scope, wanted.channel)
    if wanted.session is not None:
        named = session_by_key(house, records, agent, thread, fresh_ones[0], wanted)
        owned = owners.give(named.ref, fresh_ones)
        _append(records, scope, thread, session_after(records, named, fresh_ones), owned, now)
        return len(fresh_ones)
    for session, group in group_by_session(house, records, agent, thread, fresh_ones, wanted):
        _append(records, scope, thread, session, owners.give(session.ref, group), now)
    return len(fresh_ones)


def _append_to_current(
    records: Records, scope: Scope, thread: Thread, draft: Draft, *, hours: float, now: int
) -> bool:
    """Store a lone entry that enters the view in the session that goes on: the usual append.

    False for any other, with nothing stored: what is archive and what opens a session is for the
    general way to decide. Where this one stores, that one would have stored the same.
    """
    if draft.source != "record" or draft.at_ms < thread.view_at:
        return False
    said = _with_times((draft,), settle_clock(now, thread.view_at))
    at = said[0].at_ms
    session = records.sessions.latest(scope, thread.ref, at=at)
    if session is None or not is_open_to(session, ANYWHERE):
        return False
    pulse = session.pulse_for(human=draft.origin == "user")
    if not continues(pulse, at=at, hours=hours):
        return False
    human = keeps_alive(records, session, draft, at)
    said = [owned_reply(records, scope, session, said[0], at)]
    stored = records.messages.append(scope, thread, said, session=session.ref, turn=None, now=now)
    seqs = stored[0].seq, stored[0].seq
    records.sessions.touch(scope, session.ref, at=at, human=human, messages=1, seqs=seqs)
    ask_if_over(records, scope, session, now=now)
    return True


def _with_times(drafts: Sequence[Draft], at: int) -> Sequence[Draft]:
    """What came without a time was said just now."""
    if not drafts or drafts[-1].at_ms != JUST_NOW:
        return drafts
    make = Draft._make
    return [make((*d[:AT], at)) if d.at_ms == JUST_NOW else d for d in drafts]


def _new_drafts(records: Records, scope: Scope, drafts: Sequence[Draft]) -> Sequence[Draft]:
    ids = [draft.external_id for draft in drafts if draft.external_id is not None]
    if not ids:
        return drafts
    seen = records.messages.known(scope, drafts[0].source, ids)
    out: list[Draft] = []
    for draft in drafts:
        if draft.external_id is not None:
            if draft.external_id in seen:
                continue
            seen.add(draft.external_id)
        out.append(draft)
    return out


def _append(
    records: Records, scope: Scope, thread: Thread, session: Session, drafts: list[Draft], now: int
) -> None:
    said = records.messages.append(scope, thread, drafts, session=session.ref, turn=None, now=now)
    newest, human = session.last_activity_ms, session.last_human_ms
    records.sessions.touch(
        scope,
        session.ref,
        at=newest,
        human=human == newest,
        messages=len(said),
        seqs=(said[0].seq, said[-1].seq),
    )
    if human is not None and human != newest:
        # What no human said came last: it is activity, and prolongs nothing.
        records.sessions.touch(scope, session.ref, at=human, human=True)
    if drafts[0].source == "record":  # a harness tells of its ends itself, imports are swept
        ask_if_over(records, scope, session, now=now)
