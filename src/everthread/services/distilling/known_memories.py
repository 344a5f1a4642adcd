"""Known memories: what stands already, wherever it was learnt, and bears on what is being distilled.

A model is shown them, so that it can say which of them no longer hold. Shown is only what somebody who
speaks in these messages may end: for the same readers, of no other project, and said before.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import isnan
from math import log as ln
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.drafts import KnownMemory, Passage
from everthread.domain.errors import EverthreadError
from everthread.domain.given.usefulness import telling_words
from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.message_text import own_words
from everthread.domain.memory.memories import Memory, is_valid, is_visible, sources_text
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.acts.speech import asks_agent, parse_sentence
from everthread.domain.text.acts.word_lists import AUXILIARIES, WH_WORDS
from everthread.domain.text.sentences import stretches
from everthread.ports import House, Records
from everthread.services.archive.sources import messages_of
from everthread.services.giving.bearing import ANSWERS
from everthread.services.memory.index import catch_up
from everthread.services.memory.ownership import principal_of, said_by_two
from everthread.services.memory.provenance import Visibility, said_times
from everthread.services.memory.remember import MOST_COMPARED

from .stages import Pause
from .told_endings import tells

log = logging.getLogger("everthread")

MOST_FOUND = 60
"""More are never asked for: a prompt has room for fewer."""

LOOKED_AT = 240
"""So many of those that bear on the messages most are looked at more closely."""

FEW_WORDS = 4
"""Who says no more telling words than that may be answering what was said just before."""

LONGEST_PART = 300
"""Characters of what is looked for at once: a page shares words with everything."""

MOST_LIKENED = 12
"""So many parts of one message are compared by their meaning too."""

LONGEST_ASKED = 2_000
ANSWERED = 600
"""Characters at the end of the message before that a short one may answer."""


class _Saying(NamedTuple):
    """What a person said, in parts that speak of one matter each, more or less."""

    message: Message
    parts: Sequence[str]


class KnownMemories:
    """Finds for each part of the messages the memories that bear on it."""

    def __init__(
        self, house: House, agent: AgentRow, pause: Pause, held: Sequence[Point] = ()
    ) -> None:
        self._house = house
        self._agent = agent
        self._scope = Scope(agent.ref)
        self._pause = pause
        self._held = held
        """What these very messages say, and say to hold: nothing of it can be ended by them."""
        self._held_keys = {key for point in held for key in point.sources}
        self._semantic = house.embedder is not None
        self.shown: dict[bytes, Memory] = {}
        """All that were found, by their ids."""

    def __call__(self, passages: Sequence[Passage]) -> Sequence[KnownMemory]:
        """The memories that bear on what people say in these passages, those that do so most first."""
        if not self._kept:
            return ()
        scores = defaultdict[int, float](float)
        near = defaultdict[int, list[Message]](list)
        for saying in self._sayings(passages):
            bearing = self._bearing(saying.parts)
            for n, score in bearing.items():
                scores[n] = max(scores[n], score)
                near[n].append(saying.message)
        best = sorted(scores, key=lambda n: (-scores[n], n))[:LOOKED_AT]
        found = {self._kept[n]: near[n] for n in best}
        known = self._house.store.read(lambda r: self._endable(r, found))
        self.shown |= {memory.key_id: memory for memory, _ in known}
        return [each for _, each in known]

    @cached_property
    def _kept(self) -> Sequence[Memory]:
        """What holds now. Another agent's is never among it, however far that reaches."""
        now = self._house.clock.now()
        kept = self._house.store.read(
            lambda r: r.memories.all(self._scope, state="kept", limit=MOST_COMPARED)
        )
        return [m for m in kept if is_valid(m, at=now) and not self._is_held(m)]

    def _is_held(self, memory: Memory) -> bool:
        self._pause()
        if self._held_keys.isdisjoint(memory.sources):
            return False
        return any(tells(memory, point) for point in self._held)

    @cached_property
    def _by_word(self) -> Mapping[str, Sequence[int]]:
        """The memories that have each telling word."""
        found = defaultdict[str, list[int]](list)
        for n, memory in enumerate(self._kept):
            self._pause()
            for word in telling_words(memory.text).all:
                found[word].append(n)
        return found

    def _sayings(self, passages: Sequence[Passage]) -> list[_Saying]:
        """What people say in these passages in their own words: nothing that they paste."""
        keys = [passage.key for passage in passages if passage.by == "user"]
        messages = self._house.store.read(lambda r: messages_of(r, self._scope, keys))
        found: list[_Saying] = []
        before = ""
        for passage in passages:
            message = messages.get(passage.key)
            if message is not None:
                parts = self._parts(message, before)
                found += [_Saying(message, parts)] if parts else []
            elif passage.by == "agent":
                before = passage.text[-ANSWERED:]
        return found

    def _parts(self, message: Message, before: str) -> list[str]:
        """Its sentences, a few at a time; so few words as may be an answer with what was said before.

        None where it only asks: by that nothing ends.
        """
        said = own_words(message)
        parts: list[str] = []
        places = [*stretches(said, own=True, pause=self._pause)]
        sentences = [said[place.start : place.end] for place in places]
        if all(map(_only_asks, sentences)):
            return []
        for sentence in sentences:
            if parts and len(parts[-1]) + len(sentence) < LONGEST_PART:
                parts[-1] = f"{parts[-1]} {sentence}"
            else:
                parts.append(sentence)
        if len(parts) == 1 and len(telling_words(parts[0]).all) < FEW_WORDS:
            return [f"{before}\n{parts[0]}"]
        return parts

    def _bearing(self, parts: Sequence[str]) -> dict[int, float]:
        """Which memories bear on one of these, and how much: by telling words, or by meaning."""
        found = defaultdict[int, float](float)
        for place, part in enumerate(parts):
            self._pause()
            scores = self._by_words(part)
            for n, alike in enumerate(self._alike(part) if place < MOST_LIKENED else ()):
                if alike >= ANSWERS or n in scores:
                    scores[n] = scores.get(n, 0.0) + max(alike, 0.0)
            for n, score in scores.items():
                found[n] = max(found[n], score)
        return found

    def _by_words(self, text: str) -> dict[int, float]:
        """Which memories share a telling word with it, and how much: a rare one counts for more."""
        weight = defaultdict[int, float](float)
        for word in telling_words(text).all:
            having = self._by_word.get(word, ())
            for n in having:
                weight[n] += 1 / (1 + ln(len(having)))
        return {n: each / (1 + each) for n, each in weight.items()}

    def _alike(self, text: str) -> Sequence[float]:
        """How like each memory it is by its meaning, 0 where that is not known; nothing without vectors."""
        embedder = self._house.embedder
        if embedder is None or not self._semantic:
            return ()
        try:
            if not self._catalogue_ready:
                return ()
            vector = embedder.patient().ask(text[:LONGEST_ASKED])
            if vector is None:
                return ()
            catalogue = self._house.index.of(self._agent)
            like = catalogue.likeness([memory.ref for memory in self._kept], vector)
        except EverthreadError as trouble:
            self._semantic = False  # words find most of it
            log.warning("memories are looked for by their words alone: %s", trouble)
            return ()
        return [0.0 if isnan(alike) else alike for alike in like.best.tolist()]

    @cached_property
    def _catalogue_ready(self) -> bool:
        """Are there vectors of this embedder to compare with? What was just learnt is filed first."""
        catch_up(self._house, self._agent, self._pause)
        embedder, model = self._house.embedder, self._house.index.of(self._agent).model()
        return embedder is not None and model == embedder.name

    def _endable(
        self, records: Records, found: Mapping[Memory, Sequence[Message]]
    ) -> list[tuple[Memory, KnownMemory]]:
        """Those that one of the people who speak of the like may end, with the messages that could."""
        said = said_times(records, self._scope, [*found])
        showing = Visibility(records, self._scope)
        known: list[tuple[Memory, KnownMemory]] = []
        for memory, messages in found.items():
            at = said[memory.key_id]
            later = [message for message in messages if message.at_ms > at]
            by = {_speaker(showing, message): message for message in later}
            may = {who for who, m in by.items() if _may_end(records, showing, m, memory)}
            near = frozenset(m.key for m in later if _speaker(showing, m) in may)
            if near:
                text = strip_secrets(memory.text)
                known.append((memory, KnownMemory(memory.key_id, memory.kind, text, at, near)))
            if len(known) == MOST_FOUND:
                break
        return known


def _only_asks(sentence: str) -> bool:
    """Does it want to know something? `Why never on a Friday?` ends no rule; `could you use tabs?` may."""
    said = parse_sentence(sentence)
    asking = said.words[:1] and said.words[0] in WH_WORDS | AUXILIARIES
    return bool(asking) and said.asks and not asks_agent(said)


def _speaker(showing: Visibility, message: Message) -> tuple[str | None, ...]:
    """Who says it, and where: of all that one says, only one message need be looked at."""
    return message.principal, message.name, showing.project_of(message.session_ref)


def _may_end(records: Records, showing: Visibility, message: Message, memory: Memory) -> bool:
    """May who says this end the memory? Not what is another's, or of another project."""
    scope = Scope(memory.agent_ref)
    asked = Scope(memory.agent_ref, showing.project_of(message.session_ref), message.principal)
    if not is_visible(memory, asked) or not _is_at_home(showing, asked.project, memory):
        return False
    owner = memory.principal
    if owner is None and message.principal is not None:
        owner = principal_of(records, scope, memory.sources)
    if owner != message.principal:
        return False
    # Taken for the same said by them: what another says of herself they do not end.
    word = memory._replace(sources_json=sources_text([message.key]))
    return not said_by_two(records, scope, word, memory)


def _is_at_home(showing: Visibility, project: str | None, memory: Memory) -> bool:
    """Is it of the project in which it is spoken of? What was only learnt in one may be told outside."""
    home = memory.project or showing.project_of(memory.session_ref)
    return home in (None, project) or (project is None and memory.reach != "project")
