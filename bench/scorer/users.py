"""Simulated users: what they care for is known, so it is known which order of memories is best.

A user has memories of all kinds, in two projects. In a session recall ranks some of them by words and
meaning, which are right about the topic and know nothing of the user. The best are given. What the user
cares for is used when it is given, and told again now and then when it is not. What is recorded of that
is what the product records; `judging` and `scorer` of `everthread.domain.scorer` make labels of it and
learn. What a memory was truly worth is never told to either.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from everthread.domain.memory.memories import KINDS, Memory, new_memory
from everthread.domain.scorer.labels import Course, MemoryUse, label, verdict
from everthread.domain.scorer.scorer import (
    UNLEARNT,
    RatedMemory,
    Scorer,
    blend,
    learn,
    ndcg,
    order_of,
    predict,
    standing,
)
from everthread.domain.scorer.traits import past_of, traits
from everthread.domain.times import DAY

MEMORIES, CANDIDATES, GIVEN = 120, 15, 5
BEGAN = 1_760_000_000_000
HERE, THERE = "/home/ada/parser", "/home/ada/garden"
MOST = 0.6

Cares = Callable[[Memory, random.Random], float]
"""How likely the user needs a memory that is on the topic."""


class User(NamedTuple):
    name: str
    cares: Cares


def _kinds(*kinds: str) -> Cares:
    return lambda memory, _: 0.85 if memory.kind in kinds else 0.1


def _project(memory: Memory, _: random.Random) -> float:
    return 0.85 if memory.project == HERE else 0.1


def _own(memory: Memory, _: random.Random) -> float:
    return 0.8 if memory.origin == "user" else 0.15


def _favourites(memory: Memory, _: random.Random) -> float:
    """A fifth of the memories, whatever they look like: only their past tells."""
    return 0.9 if memory.key_id[-1] % 5 == 0 else 0.1


USERS = (
    User("rules and decisions", _kinds("rule", "decision", "correction")),
    User("facts and references", _kinds("fact", "reference")),
    User("this project", _project),
    User("own words", _own),
    User("favourites", _favourites),
)
RANDOM = User("random", lambda _, chance: 0.1 + 0.75 * (chance.random() < 0.3))


class Met(NamedTuple):
    """A memory in a session: how recall ranked it, and what it is truly worth there."""

    memory: Memory
    plain: float
    worth: float


@dataclass(frozen=True)
class Session:
    """What was measured in one session, by the worth that only the simulation knows."""

    plain: float
    shown: float
    learned: float
    live: bool


def memories(chance: random.Random) -> list[Memory]:
    kinds = list(KINDS)
    made: list[Memory] = []
    for n in range(MEMORIES):
        origin = "user" if chance.random() < 0.5 else "agent"
        at = BEGAN - chance.randrange(90) * DAY
        one = new_memory(
            chance.randbytes(16), f"memory {n}", kind=kinds[n % 9], origin=origin, now=at
        )
        made.append(one._replace(project=chance.choice((HERE, THERE))))
    return made


def lived(user: User, seed: int, sessions: int) -> list[Session]:
    """A user's sessions, one after the other, with the scorer learning beside."""
    chance = random.Random(f"{user.name}:{seed}")
    known = memories(chance)
    scorer, told = UNLEARNT, []
    for n in range(sessions):
        now = BEGAN + n * DAY
        met = _met(user, known, chance)
        stand = standing(scorer, wanted="auto", most=MOST)
        learned = _learned(scorer, met, MOST, now)
        shown = _learned(scorer, met, stand.influence, now)
        told.append(
            Session(_ndcg(met, met), _ndcg(shown, met), _ndcg(learned, met), stand.mode == "live")
        )
        scorer = learn(scorer, _recorded(scorer, shown, chance, now), most=MOST)
    return told


def _met(user: User, known: Sequence[Memory], chance: random.Random) -> list[Met]:
    found: list[Met] = []
    for memory in chance.sample(known, CANDIDATES):
        topic = chance.random()
        needed = chance.random() < user.cares(memory, chance)
        plain = min(max(0.6 * topic + 0.4 * chance.random(), 0.0), 1.0)
        found.append(Met(memory, plain, topic if needed else 0.0))
    return sorted(found, key=lambda each: -each.plain)


def _learned(scorer: Scorer, met: Sequence[Met], influence: float, now: int) -> list[Met]:
    plain = [each.plain for each in met]
    final = blend(plain, predict(scorer.weights, _traits(scorer, met, now)), influence)
    return [met[n] for n in order_of(final, plain)]


def _traits(scorer: Scorer, met: Sequence[Met], now: int) -> list[tuple[float, ...]]:
    return [
        traits(
            each.memory,
            plain=each.plain,
            past=past_of(scorer.past, each.memory.key_id),
            project=HERE,
            now=now,
        )
        for each in met
    ]


def _ndcg(order: Sequence[Met], _: Sequence[Met]) -> float:
    return ndcg([each.worth for each in order])


def _recorded(
    scorer: Scorer, shown: Sequence[Met], chance: random.Random, now: int
) -> list[RatedMemory]:
    """What the product sees: given and mentioned, or told again; never the worth itself."""
    used = [chance.random() < (0.8 if each.worth > 0.3 else 0.05) for each in shown]
    retold = [
        n >= GIVEN and each.worth > 0.5 and chance.random() < 0.3 for n, each in enumerate(shown)
    ]
    passed = sum(used[:GIVEN])
    session = verdict(Course(passed, GIVEN - passed, sum(retold), 0))
    if not session.sure:
        return []
    rows: list[RatedMemory] = []
    for n, (each, numbers) in enumerate(zip(shown, _traits(scorer, shown, now), strict=True)):
        given = n < GIVEN
        if not given and not retold[n]:
            continue
        seen = MemoryUse(given, hits=int(given and used[n]))
        worth = label(seen, session, novel=sum(retold))
        rows.append(
            RatedMemory(each.memory.key_id, each.plain, numbers, worth, given, given and used[n])
        )
    return rows
