"""Read which of the memories that a model was shown no longer hold, by what it says.

It is believed only with a message of its material in which a person says so, later than the memory and
about it. Whoever calls a great part of them outdated has misread the task, or was talked into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from .draft_marks import Citable, marks_in
from .drafts import Ending, KnownMemory

MOST_ENDED = 5
"""So many a model may end in one answer, whatever the share."""

SHARE = 3
"""Of those shown, more than one in so many is too much."""

MOST_CLAIMS = 400
_KNOWN = "k"


class Endings(NamedTuple):
    """What could be believed of an answer about memories."""

    believed: tuple[Ending, ...] = ()
    dropped: int = 0
    """How often it named a memory without a message that bears it out, or one that there is none of."""
    doubted: str = ""
    """Why nothing of it is believed; empty: what is believed stands."""


NO_ENDINGS = Endings()


class _Claim(NamedTuple):
    """What an answer says of one memory, and the marks that it gives for it."""

    memory: str
    because: tuple[str, ...]


def read_endings(
    answer: Mapping[str, Any], known: Mapping[str, KnownMemory], citable: Mapping[str, Citable]
) -> Endings:
    """The memories that no longer hold by a person's words; `known` and `citable` by their marks."""
    claims = dict.fromkeys([*_claims_in(answer.get("ended")), *_claims_in(answer.get("outdated"))])
    named = {claim.memory for claim in claims} & known.keys()
    if len(named) > MOST_ENDED and SHARE * len(named) > len(known):
        why = f"it called {len(named)} of the {len(known)} memories that it was shown outdated"
        return Endings((), len(claims), why)
    found: dict[bytes, Ending] = {}
    dropped = 0
    for claim in claims:
        ending = _ending_by(claim, known, citable)
        if ending is None:
            dropped += 1
        else:
            found.setdefault(ending.memory, ending)
    return Endings(tuple(found.values()), dropped)


def _claims_in(value: object) -> Iterator[_Claim]:
    """What a list says of memories; what it says of anything else is none of ours."""
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    for item in items[:MOST_CLAIMS]:
        marks = _marks_of(item)
        because = tuple(mark for mark in marks if not mark.startswith(_KNOWN))
        for mark in marks:
            if mark.startswith(_KNOWN):
                yield _Claim(mark, because)


def _marks_of(item: object) -> list[str]:
    """`{"memory": "k1", "because": "m4"}`; some models write `k1 because of m4`."""
    if not isinstance(item, dict):
        return marks_in(item)
    told = cast("dict[str, Any]", item)
    memory = [mark for mark in marks_in(told.get("memory")) if mark.startswith(_KNOWN)]
    because = [mark for mark in marks_in(told.get("because")) if not mark.startswith(_KNOWN)]
    return [*memory, *because]


def _ending_by(
    claim: _Claim, known: Mapping[str, KnownMemory], citable: Mapping[str, Citable]
) -> Ending | None:
    memory = known.get(claim.memory)
    if memory is None:
        return None
    said = (citable[mark] for mark in claim.because if mark in citable)
    key = next((each.keys[0] for each in said if _bears_out(each, memory)), None)
    return None if key is None else Ending(memory.key, key)


def _bears_out(said: Citable, memory: KnownMemory) -> bool:
    """Is it a person's message, later than the memory, that may speak of it?"""
    if said.point is not None or said.by != "user":
        return False
    return said.at_ms > memory.at_ms and said.keys[0] in memory.near
