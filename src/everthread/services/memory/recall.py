"""Find again what was said or learnt: words and vectors, fused, judged, checked against the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checks import checked_whole
from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.context_text import NOTHING_SAID, ContextText
from everthread.domain.errors import BadInput, IndexDamaged, StoreFull
from everthread.domain.ids import place_at
from everthread.domain.memory.memories import Memory, is_valid, is_visible
from everthread.domain.memory.notes import Note
from everthread.domain.pauses import step_aside
from everthread.domain.policy import Policy
from everthread.domain.recall.excerpts import Budget, hits_within
from everthread.domain.recall.final_scores import (
    RankedCard,
    lower_unfit,
    one_of_each,
    ranked_memory,
    ranked_message,
    ranked_note,
    reason_text,
    scale_score,
    shown_score,
)
from everthread.domain.recall.hits import WORDS_ALONE, Hit
from everthread.domain.recall.later_values import raise_later, score_share
from everthread.domain.recall.latest_answers import lift_newer
from everthread.domain.recall.neighbours import completing_messages
from everthread.domain.recall.questions import Question, asked_beside_time, read_question
from everthread.domain.recall.search_text import NOTES, search_text, text_around
from everthread.domain.recall.told_again import lift_retold
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.times import moment_of
from everthread.ports import House, Records

from .days import cards_of_days
from .evidence import freshness, freshness_by_time
from .gather import (
    DEPTH,
    REPEATS,
    Gathered,
    Ranked,
    gather,
    question_vector,
)
from .index import catch_up, memory_of
from .provenance import Visibility, said_at
from .rerank import rerank
from .retold import Renewals, renewals
from .signs import cards_with_signs, lone_signs, signs_of

MOST_HITS = 1_000
DEEPER, DEEPEST = 10 * DEPTH, 100 * DEPTH
"""How deep candidates are gathered where those found lie outside what is asked for, or are all alike."""

PAGE = 32
"""Ranked messages looked up in the store at once."""

NEAR = (1, 3, *(PAGE for _ in range(10)))
"""How many messages beside a hit are looked up at once; more only where tools were called in between."""

MOST_READ = 1_000
"""Texts that are read for one question where they are told already, or nearly alike."""


class RecallRequest(NamedTuple):
    """A recall: what is asked, from where, and how much may come back.

    What is primed has no place of its own here: a turn is given that by itself (A-45), and who asks by
    hand wants what answers the question. It is found as everything else that was just learnt.
    """

    query: str
    scope: Scope
    limit: int = 5
    tokens: int | None = None
    shown: Sequence[tuple[int, int]] = ()
    """Places of messages, from and to, that whoever asks has before them: these are passed over."""
    without: frozenset[bytes] = frozenset()
    """Ids of messages and memories that are passed over too."""
    already: ContextText = NOTHING_SAID
    """What they have before them in words: what says no more than that is passed over."""
    notes: bool = False
    owners: frozenset[int] | None = None
    """The agents whose memories may be told; None: also what any other shares."""


def recall_request(
    query: object, scope: Scope, limit: object = 5, tokens: object = None
) -> RecallRequest:
    """The recall that a caller means; what makes no sense is refused."""
    if not isinstance(query, str):
        raise BadInput(f"query must be text; got {type(query).__name__}")
    if not query.strip():
        raise BadInput("a recall needs a question; the query is empty")
    most = checked_whole("limit", limit, low=1, high=MOST_HITS)
    budget = None if tokens is None else checked_whole("tokens", tokens, low=1)
    return RecallRequest(query, scope, most, budget, notes=True)


def recall(house: House, agent: AgentRow, wanted: RecallRequest) -> list[Hit]:
    """What fits best, best first. What was recorded a moment ago is found."""
    try:
        return _recall(house, agent, wanted)
    except IndexDamaged:
        return _recall(house, agent, wanted)  # it was thrown away, and is made anew first
    except StoreFull:
        # The store can be read: an index in memory finds in it what the one on disk would.
        return _recall(replace(house, index=house.index.spare()), agent, wanted)


def _recall(house: House, agent: AgentRow, wanted: RecallRequest) -> list[Hit]:
    catch_up(house, agent)
    now = house.clock.now()
    question = read_question(wanted.query, now)
    vector = question_vector(house, agent, question.gist)
    held = _held_cards(house, wanted, question)
    seen: list[SeenHit] = []
    depth: int | None = DEPTH
    while depth:
        # Deepest down nothing is left out: what others say too may be said here alone.
        repeats = REPEATS if depth < DEEPEST else None
        gathered = gather(house, agent, question, vector, depth=depth, repeats=repeats, held=held)
        like = vector is not None
        anew = renewals(house, agent, wanted.scope, question, gathered, like=like)
        look = partial(_search, house.policy, wanted, question, now, gathered, anew)
        seen = house.store.read(look)
        depth = _next_depth(wanted, gathered, depth) if len(seen) < wanted.limit else None
    hits = _with_freshness(house, seen)
    if vector is None and house.embedder is not None:
        hits = [replace(hit, why=f"{hit.why}; {WORDS_ALONE}", by_words=True) for hit in hits]
    if wanted.tokens is None:
        return hits
    count = house.tokenizer.count
    return hits_within(hits, Budget(wanted.tokens, count, question.words, strip_secrets))


def _held_cards(house: House, wanted: RecallRequest, question: Question) -> Sequence[int]:
    """Who asks by hand for an emoji, or for a time, alone wants what has it; to a turn it is no question."""
    if not wanted.notes:
        return ()
    if (asked := asked_beside_time(question)) is not None:
        return house.store.read(lambda r: cards_of_days(r, wanted.scope, question, asked))
    signs = lone_signs(question.words) if question.words else signs_of(wanted.query)
    return house.store.read(lambda r: cards_with_signs(r, wanted.scope, signs)) if signs else ()


def _next_depth(wanted: RecallRequest, gathered: Gathered, depth: int) -> int | None:
    """How deep to look next, where that may find more.

    Deepest where only a part of what the agent has is asked for: the best of all may hold none of it.
    """
    if gathered.more and depth < DEEPER:
        return DEEPER
    scope = wanted.scope
    part = bool(scope.project or scope.principal) or wanted.owners is not None
    left = gathered.more or gathered.thinned
    return DEEPEST if part and left and depth < DEEPEST else None


def _search(
    policy: Policy,
    wanted: RecallRequest,
    question: Question,
    now: int,
    gathered: Gathered,
    anew: Renewals | None,
    records: Records,
) -> list[SeenHit]:
    return Search(records, wanted, question, now, policy).run(gathered, anew)


SeenHit = tuple[Hit, Memory | None, str | None]
"""A hit, the memory it is, and the folder of the project in which it was said."""


def _with_freshness(house: House, seen: Sequence[SeenHit]) -> list[Hit]:
    # Outside the store's read: files may lie on a slow disk.
    said = [(hit.text, hit.at_ms, root) for hit, memory, root in seen if memory is None]
    by_time = iter(freshness_by_time(house, said))
    return [
        replace(hit, fresh=next(by_time) if memory is None else freshness(house, memory))
        for hit, memory, _ in seen
    ]


class Search:
    """One recall on one consistent state of the store."""

    def __init__(
        self, records: Records, wanted: RecallRequest, question: Question, now: int, policy: Policy
    ) -> None:
        self._records = records
        self._question = question
        self._policy = policy
        self._wanted = wanted
        self._scope = wanted.scope
        self._now = now
        self._showing = Visibility(records, wanted.scope)
        self._sources: Mapping[bytes, Sequence[Message]] = {}

    def run(self, gathered: Gathered, anew: Renewals | None = None) -> list[SeenHit]:
        """What may be shown of what was gathered: the best, each once."""
        learnt = list(self._memories(gathered))
        memories = rerank(
            self._records, self._scope, self._policy, learnt, self._now, gathered.sure
        )
        found, said = [*memories, *self._notes(gathered)], self._messages(gathered)
        # Twice as many as are asked for, and on where these say what others say already.
        page = max(PAGE, 2 * self._wanted.limit)
        plain = lower_unfit(self._question, [*found, *islice(said, page)])
        found = lift_newer(self._question, raise_later(self._question, plain))
        if anew is not None:
            further = self._naming(anew, found)
            found = lift_retold(self._question, [*found, *further], anew.alike)
            found = [each for each in found if each.row is not None or each.score > 0]
        share = score_share(plain, found)
        limit = self._wanted.limit
        picked = one_of_each(found, limit)
        while len(picked.kept) < limit and (some := list(islice(said, page))):
            more = [*picked.kept, *picked.versions, *lower_unfit(self._question, some)]
            picked = one_of_each(more, limit)
        best = picked.filled(limit)
        found = [shown_score(scale_score(each, share), gathered.sure) for each in best]
        self._sources = self._showing.sources([f.memory for f in found if f.memory is not None])
        return [self._as_seen_hit(each) for each in found]

    def _memories(self, gathered: Gathered) -> Iterator[RankedCard]:
        learnt = [each for each in gathered.learnt() if each.card.kind == "memory"]
        shared = {m.ref: m for m in self._records.memories.user_wide()} if learnt else {}
        for each in learnt:
            memory = memory_of(self._records, self._scope, each.card.id, shared)
            if memory is not None and self._may_tell(memory):
                parts = gathered.parts(each.row)
                found = ranked_memory(memory, each.score, parts, now=self._now)
                yield found._replace(alike=each.alike, row=each.row)

    def _notes(self, gathered: Gathered) -> Iterator[RankedCard]:
        wanted = (each for each in gathered.learnt() if each.card.kind == "note")
        for each in wanted if self._wanted.notes else ():
            note = self._records.notes.get(self._scope, each.card.id - NOTES)
            if note is not None:
                parts = gathered.parts(each.row)
                found = ranked_note(note, each.score, parts, now=self._now)
                yield found._replace(alike=each.alike, row=each.row)

    def _may_tell(self, memory: Memory) -> bool:
        owners = self._wanted.owners
        if memory.key_id in self._wanted.without or self._wanted.already.says(memory.text):
            return False
        if owners is not None and memory.agent_ref not in owners:
            return False
        return is_valid(memory, at=self._now) and is_visible(memory, self._scope)

    def _messages(self, gathered: Gathered) -> Iterator[RankedCard]:
        """The best first, each text once; of those that differ a little no more than `MOST_READ`."""
        past: set[int] = set()
        said = (each for each in gathered.said(past) if not self._is_shown(each.card.id))
        left = max(MOST_READ, 2 * self._wanted.limit)
        while left > 0 and (page := {each.card.id: each for each in islice(said, PAGE)}):
            for message in self._records.messages.placed(self._scope, page):
                step_aside()
                each = page[_place(message)]
                if each.card.wording in past or not self._may_show(message):
                    continue
                past.add(each.card.wording)
                left -= 1
                if not self._is_told(message):
                    yield self._found_message(gathered, each, message)

    def _naming(self, anew: Renewals, found: Sequence[RankedCard]) -> Iterator[RankedCard]:
        """What has the names of the best; it is worth nothing, but for what it gives up."""
        known = {each.message.key for each in found if each.message is not None}
        for message in self._records.messages.placed(self._scope, anew.naming):
            fits = message.key not in known and self._may_show(message)
            if fits and not self._is_shown(_place(message)) and not self._is_told(message):
                yield RankedCard(0.0, {}, message)

    def _found_message(self, gathered: Gathered, each: Ranked, message: Message) -> RankedCard:
        superseded = self._showing.withheld.get(message.key) == "superseded"
        parts = gathered.parts(each.row)
        heard = self._question.heard
        found = ranked_message(message, each.score, parts, superseded=superseded, heard=heard)
        return found._replace(alike=each.alike, row=each.row)

    def _may_show(self, message: Message) -> bool:
        return message.key not in self._wanted.without and self._showing.may_show(message)

    def _is_told(self, message: Message) -> bool:
        already = self._wanted.already
        return bool(already) and already.says(search_text(message))

    def _is_shown(self, place: int) -> bool:
        return any(low <= place <= high for low, high in self._wanted.shown)

    def _as_seen_hit(self, found: RankedCard) -> SeenHit:
        if found.memory is not None:
            return self._memory_hit(found, found.memory), found.memory, None
        if found.note is not None:
            return _note_hit(found, found.note), None, None
        assert found.message is not None, "a find is one of the three"
        hit = self._message_hit(found, found.message)
        return hit, None, self._showing.project_of(found.message.session_ref)

    def _message_hit(self, found: RankedCard, message: Message) -> Hit:
        near = completing_messages(
            message, self._neighbours(message, -1), self._neighbours(message, 1)
        )
        return Hit(
            id=message.id,
            text=text_around(message, self._question.words),
            score=found.score,
            kind="message",
            at_ms=message.at_ms,
            why=_why(found),
            messages=(message,),
            context=tuple(m for m in near if self._may_show(m) and not self._is_shown(_place(m))),
            parts=found.parts,
            superseded=found.superseded,
            alike=found.alike,
            later=_later_id(found),
        )

    def _neighbours(self, message: Message, step: int) -> Iterator[Message]:
        """What lies before or after it in its session, nearest first, as far as somebody reads on."""
        place = _place(message)
        for page in NEAR:
            places = [place + step * n for n in range(1, page + 1)]
            found = self._records.messages.placed(self._scope, places)
            for other, wanted in zip(found, places, strict=False):
                # Beyond one that is gone nobody knows whose question it was.
                if _place(other) != wanted or other.session_ref != message.session_ref:
                    return
                yield other
            if len(found) < page:
                return
            place = places[-1]

    def _memory_hit(self, found: RankedCard, memory: Memory) -> Hit:
        sources = self._sources[memory.key_id]
        return Hit(
            id=memory.id,
            text=memory.text,
            score=found.score,
            kind=memory.kind,
            at_ms=said_at(memory, sources),
            why=_why(found),
            messages=tuple(m for m in sources if self._may_show(m)),
            parts=found.parts,
            alike=found.alike,
            origin=memory.origin,
            learned=found.learned,
            later=_later_id(found),
        )


def _note_hit(found: RankedCard, note: Note) -> Hit:
    return Hit(
        id=note.id,
        text=note.text,
        score=found.score,
        kind="note",
        at_ms=note.created_ms,
        why=_why(found),
        parts=found.parts,
        alike=found.alike,
        later=_later_id(found),
    )


def _why(found: RankedCard) -> str:
    """What counted; and that it may hold no longer, where a later one seems to tell it anew."""
    counted, later = reason_text(found.parts), found.later
    if later is None:
        return counted
    return (
        f"{counted}; told anew, it seems, on {moment_of(later.at_ms):%Y-%m-%d}: {_later_id(found)}"
    )


def _later_id(found: RankedCard) -> str | None:
    later = found.later
    if later is None:
        return None
    said = later.message or later.memory or later.note
    assert said is not None, "a find is one of the three"
    return said.id


def _place(message: Message) -> int:
    return place_at(message.thread_ref, message.seq, archived=message.archived)
