"""Hold out: keep back, by chance, a share of the memories that would be given.

Only so it can be told what giving them is worth. Off unless somebody asks for it; what is pinned, is
a rule or was just learnt is always given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everthread.domain.agents import Scope
from everthread.domain.given.injections import Use
from everthread.domain.given.usefulness import is_mentioned
from everthread.domain.recall.hits import Hit
from everthread.ports import House
from everthread.services.memory.rerank import is_held_out

from .tally import use_of_hit
from .validity import key_of, memories_of

LAST = 1_000
"""The rank of what was not ranked among what is given."""

ALWAYS = ("rule", "identity", "correction")
"""Kinds that are never withheld: to be without them is no experiment."""


def hold_out(
    house: House, scope: Scope, sitting: bytes, hits: Sequence[Hit]
) -> tuple[list[Hit], list[Hit]]:
    """What is given and what is withheld of these, in their order; the same for the same session."""
    percent = house.policy.scorer_holdout_percent
    drawn = [hit for hit in hits if _is_held_out(hit, sitting, percent)]
    if not drawn:
        return list(hits), []
    known = house.store.read(lambda r: memories_of(r, scope, drawn))
    out = {key for key, memory in known.items() if not memory.pinned}
    held = [hit for hit in drawn if key_of(hit) in out]
    return [hit for hit in hits if hit not in held], held


def _is_held_out(hit: Hit, sitting: bytes, percent: float) -> bool:
    if not percent or hit.kind == "message" or hit.kind in ALWAYS:
        return False
    return is_held_out(sitting, key_of(hit), percent)


def holdout_reason(held: Sequence[Hit]) -> str:
    """What the log says of it."""
    return f"withheld {len(held)} by the hold-out" if held else ""


def withheld_uses(
    session: int, held: Sequence[Hit], now: int, said: tuple[str, str] = ("", "")
) -> tuple[Use, ...]:
    """What was withheld, and whether the reply to the question told it all the same."""
    question, reply = said
    return tuple(
        use_of_hit(session, hit, LAST, now)._replace(
            withheld=1, mentioned=int(bool(reply) and is_mentioned(hit.text, question, reply))
        )
        for hit in held
    )


def retold_uses(hits: Sequence[Hit], told: Iterable[frozenset[bytes]], now: int) -> tuple[Use, ...]:
    """The memories that a message explains again: what was missing is known by name."""
    refs = frozenset[bytes]().union(*told)
    ranked = enumerate(hits, 1)
    return tuple(
        use_of_hit(0, hit, rank, now)._replace(retold=1)
        for rank, hit in ranked
        if hit.kind != "message" and key_of(hit) in refs
    )
