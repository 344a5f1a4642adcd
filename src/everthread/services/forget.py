"""Forget: by id, without showing a word. Every version goes, and what it came from is withheld."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.errors import IndexDamaged
from everthread.domain.ids import id_text
from everthread.domain.memories import Memory
from everthread.domain.messages import Message
from everthread.domain.sayings import echoed
from everthread.domain.words import query_words
from everthread.ports import House, Records

from .erase import ERASURE, SETTLE
from .index import catch_up
from .memories import find_memory, lineage
from .sources import messages_named

MOST_ECHOES = 50


class Forgotten(NamedTuple):
    """What was forgotten: ids and numbers, no text."""

    id: str
    versions: int
    withheld: int


def forget(
    house: House, agent: AgentRow, name: str, *, messages: Sequence[Message | str] = ()
) -> Forgotten:
    """Forget the memory of that id, or unique ending of one, with all its versions.

    The messages it came from are withheld, those that plainly say the same, and whatever else the
    caller names. Forgetting what is forgotten changes nothing.
    """
    echoes = [message.key for message in _echoes(house, agent, name)]

    def work(records: Records) -> tuple[Forgotten, Sequence[Memory]]:
        scope, now = Scope(agent.ref), house.clock.now()
        records.memories.hold(scope)
        memory = find_memory(records, scope, name)
        living = [v for v in lineage(records, scope, memory) if v.state != "forgotten"]
        for version in living:
            records.memories.forget(scope, version, now=now)
        named = [message.key for message in messages_named(records, scope, messages)]
        said = [*named, *echoes]
        records.memories.withhold(scope, memory, said, "forgotten")
        if living:
            # The words must not linger in a log either; where that has to wait, it is retried.
            records.jobs.add(SETTLE, "{}", due_at=now, now=now, once=ERASURE)
        return Forgotten(id_text(memory.key_id), len(living), _count(living, said)), living

    done, versions = house.store.write(work)
    _unfiled(house, agent, versions)
    return done


def _echoes(house: House, agent: AgentRow, name: str) -> list[Message]:
    """Messages that say the same as the memory, though nobody noted that it came from them."""
    scope = Scope(agent.ref)
    versions = house.store.read(lambda r: lineage(r, scope, find_memory(r, scope, name)))
    texts = {version.text for version in versions if version.text}
    found: dict[bytes, Message] = {}
    for text in texts:
        places = _places(house, agent, text)
        said = house.store.read(lambda r, at=places: r.messages.placed(scope, at))
        found.update({m.key: m for m in said if echoed(text, m.text)})
    return list(found.values())


def _places(house: House, agent: AgentRow, text: str) -> list[int]:
    """Where the index finds messages with the words of the text."""
    catch_up(house, agent)
    catalogue, words = house.index.of(agent), query_words(text)
    try:
        hits = catalogue.search(words, limit=MOST_ECHOES)
    except IndexDamaged:
        catch_up(house, agent)  # it was thrown away, and is made anew first
        hits = catalogue.search(words, limit=MOST_ECHOES)
    return [c.id for c in catalogue.cards(card for card, _ in hits) if c.kind == "message"]


def _unfiled(house: House, agent: AgentRow, versions: Sequence[Memory]) -> None:
    """No index may hold a word of it any longer; what reached user-wide is in every agent's."""
    shared = any(version.reach == "user" for version in versions)
    for each in house.store.read(lambda r: r.agents.all()) if shared else (agent,):
        catch_up(house, each)


def _count(versions: Sequence[Memory], echoes: Sequence[bytes]) -> int:
    return len({*echoes, *(source for version in versions for source in version.sources)})
