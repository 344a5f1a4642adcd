"""Judge a session that is over: how it went, and what each memory was worth in it.

In the library what helped is counted turn by turn. Of a harness's session it is read off what was
said, once, when it is over. Everything is by rules, so the same session is judged the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.sessions import Session
from everthread.domain.given.injections import SessionScore, Use
from everthread.domain.given.usefulness import corrects, is_mentioned, retold_texts, telling_words
from everthread.domain.memory.memories import KINDS, Memory
from everthread.domain.scorer.labels import Course, MemoryUse, Verdict, label, verdict
from everthread.domain.text.words import query_words
from everthread.domain.times import MINUTE
from everthread.ports import House, Records
from everthread.services.attending.recover import told_sections

MOST_MEMORIES = 40
MOST_MESSAGES = 1_000
MOST_EXCHANGES = 150
MOST_CHECKPOINTS = 50
LONGEST_SAID = 2_000
LONGEST_REPLY = 3_000
"""Of a session so much is looked at, the best ranked and the newest, and of long texts the beginning."""

Pause = Callable[[], None]


class SessionRecord(NamedTuple):
    """What is on record of a session."""

    session: Session
    score: SessionScore
    uses: Sequence[Use]
    memories: Mapping[bytes, Memory]
    queries: Sequence[str]
    """What was looked for by its checkpoints, beyond what recalls had counted (B-66)."""
    digests: Sequence[str]
    """What the agent itself put down (B-68)."""
    messages: Sequence[Message]


class Judgement(NamedTuple):
    """A session's verdict, and what it showed of each memory."""

    session: Session
    score: SessionScore
    verdict: Verdict
    uses: Sequence[Use]
    """As they are now known; only memories that still are."""
    added: Sequence[Use]
    """What was read off the session and is to be counted."""
    used: frozenset[bytes]
    worth: Mapping[bytes, float]


def judge(house: House, scope: Scope, score: SessionScore, pause: Pause) -> Judgement:
    """The verdict on one session. Nothing is written."""
    told = house.store.read(lambda r: _read_record(r, scope, score))
    turns = turn_pairs(told.messages)
    retold = _retold_keys(told, turns)
    added = [*_uses_from_talk(told, turns, retold, pause), *_uses_by_query(told)]
    uses = _join_uses(told.uses, added)
    again = sum(map(bool, retold))
    score = score._replace(novel_context_count=max(score.novel_context_count, again))
    used = frozenset(use.ref for use in uses if _is_used(told, use))
    given = [use for use in uses if _was_given(use)]
    passed = sum(use.ref in used for use in given)
    course = Course(
        passed,
        len(given) - passed,
        score.novel_context_count,
        sum(use.corrected > 0 for use in uses),
    )
    found = verdict(course)
    return Judgement(
        told.session, score, found, uses, added, used, _worth(told, uses, found, score, used)
    )


def _read_record(records: Records, scope: Scope, score: SessionScore) -> SessionRecord:
    session = records.sessions.get(scope, score.session_ref)
    kept: list[Use] = []
    memories: dict[bytes, Memory] = {}
    shared: dict[bytes, Memory] | None = None
    for use in records.uses.of(scope, session.ref):
        if use.kind not in KINDS or len(kept) == MOST_MEMORIES:
            continue
        memory = records.memories.find(scope, use.ref)
        if memory is None:
            if shared is None:
                shared = {m.key_id: m for m in records.memories.user_wide()}
            memory = shared.get(use.ref)
        if memory is not None and memory.state != "forgotten":
            memories[use.ref] = memory
            kept.append(use)
    asked, digests = _checkpoint_words(records, scope, session)
    known = set(score.queries)
    said: Sequence[Message] = ()
    if session.harness is not None and kept:
        said = records.messages.of_session(scope, session, limit=MOST_MESSAGES)
    queries = [query for query in asked if query not in known]
    return SessionRecord(session, score, kept, memories, queries, digests, said)


def _checkpoint_words(
    records: Records, scope: Scope, session: Session
) -> tuple[Sequence[str], Sequence[str]]:
    """What its checkpoints say was looked for, each once, and what the agent's own say."""
    queries: dict[str, None] = {}
    digests: list[str] = []
    for checkpoint in records.checkpoints.of_session(scope, session.ref, limit=MOST_CHECKPOINTS):
        told = json.loads(checkpoint.activity_json)
        queries.update(dict.fromkeys(map(str, told.get("memory_queries", ()))))
        if checkpoint.kind == "agent":
            # Its own words alone: beside them it lists what was given, used or not.
            digests.append("\n".join(told_sections(records.checkpoints.text(scope, checkpoint))))
    return list(queries), digests


def _uses_by_query(told: SessionRecord) -> list[Use]:
    """A memory on which a checkpoint's query bears was looked for, as if by a recall."""
    questions = [words for query in told.queries if (words := set(query_words(query)))]
    found: list[Use] = []
    for use in told.uses:
        held = set(query_words(told.memories[use.ref].text))
        hits = sum(2 * len(asked & held) >= len(asked) for asked in questions)
        # What a prompt asks is what it is given for: that alone is no sign of use.
        if hits > 1 or (hits and not use.injected):
            found.append(_extra_counts(use, hits=hits))
    return found


def _is_used(told: SessionRecord, use: Use) -> bool:
    """Was it mentioned in a reply, found by who looked for it, or put down by the agent (B-68)?"""
    if use.mentioned or _hits(told.session, use):
        return True
    return _in_digest(told, use)


def _in_digest(told: SessionRecord, use: Use) -> bool:
    text = told.memories[use.ref].text
    return any(is_mentioned(text, "", digest) for digest in told.digests)


def _hits(session: Session, use: Use) -> int:
    """How often it was found, but for the recall by which a harness's prompt was given it."""
    return max(use.hits - use.injected, 0) if session.harness is not None else use.hits


def _was_given(use: Use) -> bool:
    """Was it given before the person had to tell it?"""
    return use.injected > use.retold


def _worth(
    told: SessionRecord,
    uses: Iterable[Use],
    found: Verdict,
    score: SessionScore,
    used: frozenset[bytes],
) -> dict[bytes, float]:
    worth: dict[bytes, float] = {}
    for use in uses:
        hits = max(_hits(told.session, use), int(use.ref in used))
        back = told.memories[use.ref].state == "superseded" or use.corrected > 0
        value = label(
            MemoryUse(_was_given(use), hits, back), found, novel=score.novel_context_count
        )
        if value is not None:
            worth[use.ref] = value
    return worth


# A harness's session, read off what was said


class TurnPair(NamedTuple):
    """What a person said and what was replied."""

    at_ms: int
    question: str
    reply: str


def turn_pairs(messages: Sequence[Message]) -> list[TurnPair]:
    """The newest turns of a conversation, oldest first; what tools say belongs to nobody."""
    found: list[TurnPair] = []
    for message in messages:
        if message.origin == "user" and message.role == "user":
            found.append(TurnPair(message.at_ms, message.text[:LONGEST_SAID], ""))
        elif message.role == "assistant" and found:
            last = found[-1]
            if len(last.reply) < LONGEST_REPLY:
                found[-1] = last._replace(reply=f"{last.reply}\n{message.text}"[:LONGEST_REPLY])
    return found[-MOST_EXCHANGES:]


def _uses_from_talk(
    told: SessionRecord, turns: Sequence[TurnPair], retold: Sequence[set[bytes]], pause: Pause
) -> list[Use]:
    """What is not counted yet: mentioned in a reply, taken back by the person, told again."""
    counts = {use.ref: [0, 0, 0] for use in told.uses}
    used: set[bytes] = set()
    for now, again in zip(turns, retold, strict=True):
        pause()
        corrected = _corrected_keys(told, now, used)
        used = set[bytes]()
        for use in told.uses:
            text, count = told.memories[use.ref].text, counts[use.ref]
            count[1] += use.ref in corrected
            if use.first_ms <= now.at_ms + MINUTE and is_mentioned(text, now.question, now.reply):
                count[0] += 1
                used.add(use.ref)
            count[2] += use.ref in again
    known = {use.ref: use for use in told.uses}
    return [
        _extra_counts(known[ref], mentioned=one, corrected=two, retold=three)
        for ref, (one, two, three) in counts.items()
        if one or two or three
    ]


def _corrected_keys(told: SessionRecord, now: TurnPair, used: set[bytes]) -> set[bytes]:
    """Which of what was given before the message takes back: of several, those it speaks of most."""
    words = telling_words(now.question).all
    shared: dict[bytes, int] = {}
    for use in told.uses:
        text = told.memories[use.ref].text
        before = use.injected > 0 and use.first_ms < now.at_ms
        if before and corrects(now.question, text, used=use.ref in used):
            shared[use.ref] = len(words & telling_words(text).all)
    most = max(shared.values(), default=0)
    return {ref for ref, count in shared.items() if count == most}


def _retold_keys(told: SessionRecord, turns: Sequence[TurnPair]) -> list[set[bytes]]:
    """For each message of a person: what it tells again that was known and had not been given."""
    found: list[set[bytes]] = []
    for now in turns:
        late = [use for use in told.uses if _is_not_given(use, told.memories[use.ref], now.at_ms)]
        again = retold_texts(now.question, [told.memories[use.ref].text for use in late])
        found.append({late[n].ref for n in again})
    return found


def _is_not_given(use: Use, memory: Memory, at: int) -> bool:
    """Was it known then, and not yet given in the session? What is withheld never is."""
    given = use.injected > 0 and use.first_ms < at
    return memory.created_ms < at and not given


def _extra_counts(
    use: Use, *, hits: int = 0, mentioned: int = 0, corrected: int = 0, retold: int = 0
) -> Use:
    """Counts to be added to what is known of it; a memory counts once in a session where it can."""
    return use._replace(
        injected=0,
        hits=hits,
        mentioned=mentioned,
        corrected=corrected,
        withheld=0,
        retold=retold,
    )


def _join_uses(uses: Sequence[Use], added: Sequence[Use]) -> list[Use]:
    found = {use.ref: use for use in uses}
    for use in added:
        found[use.ref] = found[use.ref].plus(use)
    return list(found.values())
