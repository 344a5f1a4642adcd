"""Losses: what distillations lost and a person should know of, and what can be done about each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.losses import IMPORTANT, lost_items
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.ids import short
from everthread.ports import House

from .report import alarming_receipts, missing_on

if TYPE_CHECKING:
    from everthread.services.distilling.missing import MissingItem

MOST_NAMED = 3
"""So many of what is missing are named."""

LONGEST_NAMED = 120

NAMES = {
    "rules": ("rule of the user", "rules of the user"),
    "decisions": ("decision", "decisions"),
    "questions": ("open request of the user", "open requests of the user"),
}
KINDS = {"rules": "rule", "decisions": "decision"}
"""As `everthread remember --kind` takes them; a request is no memory."""


class Loss(NamedTuple):
    fine: bool
    says: str
    advice: str


def losses(
    house: House, agent: AgentRow, threads: Sequence[tuple[Thread, Sequence[Receipt]]]
) -> Iterator[Loss]:
    """Of each thread, with its newest receipts: what is missing, by name; then who lost too much."""
    scope = Scope(agent.ref)
    for thread, receipts in threads:
        missing = house.store.read(lambda r, t=thread, n=receipts: missing_on(r, scope, t, n))
        alarming = alarming_receipts(receipts, house.policy.score_threshold)
        for some in _by_kind(missing):
            yield _missing_loss(house, agent, thread, some, alarming)
        for receipt in alarming:
            yield _share_loss(house, agent, thread, receipt)


def _missing_loss(
    house: House,
    agent: AgentRow,
    thread: Thread,
    missing: Sequence[MissingItem],
    alarming: Sequence[Receipt],
) -> Loss:
    """A decision that may be lost is named and no more; for rules and requests no share counts."""
    kind = missing[0].kind
    within = kind == "decisions" and not any(one.receipt in alarming for one in missing)
    limit = f", within the {_allowed(house)} that may be lost" if within else ""
    says = f"{thread.key}: {_count(missing)} not in the context any more{limit}: {_named(missing)}"
    return Loss(within, says, _advice(house, agent, missing[0]))


def missing_sentences(missing: Sequence[MissingItem]) -> list[str]:
    """What is missing, a sentence for each kind."""
    return [f"{_count(some)} lost: {_named(some)}" for some in _by_kind(missing)]


def _by_kind(missing: Sequence[MissingItem]) -> list[list[MissingItem]]:
    found = ([one for one in missing if one.kind == kind] for kind in IMPORTANT)
    return [some for some in found if some]


def _count(missing: Sequence[MissingItem]) -> str:
    one, many = NAMES[missing[0].kind]
    return f"1 {one} is" if len(missing) == 1 else f"{len(missing):,} {many} are"


def _named(missing: Sequence[MissingItem]) -> str:
    """The first of what is missing, each with the receipt of the distillation that hides it."""
    told = [f"\u201c{_cut(one.text)}\u201d (receipt {_name(one.receipt)})" for one in missing]
    more = len(missing) - MOST_NAMED
    return ", ".join(told[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _advice(house: House, agent: AgentRow, first: MissingItem) -> str:
    """What helps the first of them; the same helps the others."""
    from everthread.services.distilling.undo_offer import undo_offer  # noqa: PLC0415 - slow to load

    name = _name(first.receipt)
    offered = undo_offer(house, agent, first.receipt).says
    again = "say it again"
    if first.kind in KINDS:
        kept = f"everthread remember --agent {agent.name} --kind {KINDS[first.kind]}"
        again = f'{kept} "critical: …" pins it as a memory'
    return f"{offered}; {again}; everthread receipts dismiss {name} if it is not missed"


def _share_loss(house: House, agent: AgentRow, thread: Thread, receipt: Receipt) -> Loss:
    from everthread.services.distilling.undo_offer import undo_offer  # noqa: PLC0415 - slow to load

    name, score = _name(receipt), receipt.score
    held = 1.0 if score is None else score.held
    matter = len(lost_items(receipt, IMPORTANT))
    says = (
        f"{thread.key}: receipt {name} kept or can recover {100 * held:.1f} % of what was asked for; "
        f"{house.policy.score_threshold:g} % are wanted"
    )
    if not matter:
        says += "; no rule, decision or request is among what is lost"
    offered = undo_offer(house, agent, receipt).says
    advice = f"everthread receipts show {name} tells what is lost; {offered}; everthread receipts "
    return Loss(fine=False, says=says, advice=f"{advice}dismiss {name} if it is not missed")


def _allowed(house: House) -> str:
    return f"{100 - house.policy.score_threshold:g} %"


def _name(receipt: Receipt) -> str:
    return short(receipt.key_id)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_NAMED else f"{text[: LONGEST_NAMED - 1]}\u2026"
