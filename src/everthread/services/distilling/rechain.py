"""The chain of a thread's distillations: each summary as it reads, or made anew on another ground."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.views import Mark, Span
from everthread.domain.distilling.continuity import kept
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.distilling.summaries import Room
from everthread.domain.distilling.summaries_lines import unfolded
from everthread.domain.errors import UndoRefused
from everthread.domain.gleaning.digest import EMPTY, Digest, Point, Trace, digest_text
from everthread.domain.times import text_of
from everthread.ports import House, Records
from everthread.services.archive.forked import before_fork, fork_at

from .compose import Ask, Composed, checked, gleaned, rendered, room
from .score import repairs
from .scoring import MOST_MENDED, REPAIRED, drawn, mended_room
from .stages import Pause
from .swap import as_stored

if TYPE_CHECKING:
    from everthread.domain.ending.retelling import Before


class Link(NamedTuple):
    """One distillation of a new chain: its receipt, and its summary as it will read."""

    receipt: Receipt
    composed: Composed
    anew: bool
    stood: Receipt | None = None
    """Where it reads again as it did before: its receipt of then."""

    @property
    def changed(self) -> bool:
        return self.anew or self.stood is not None


def must_be_there(receipt: Receipt) -> None:
    """Refuse what would need messages that were purged."""
    purged = receipt.detail.get("purged")
    if purged:
        count = "1 message" if purged["messages"] == 1 else f"{purged['messages']:,} messages"
        raise UndoRefused(
            f"{count} of receipt {receipt.id} went with the purge of {text_of(purged['at_ms'])}: there is "
            "nothing left to bring back. Its summary stays, and so do the memories drawn from it"
        )


CARRIED = "carried:"
"""How a note begins that says: the score is of the summary as it read before."""

TOLD = ("distiller", "struck", "tokens_before", "tokens_after", "score_json", "errors_json")
"""What a receipt tells of its summary."""


class Chain:
    """Reads summaries as they are, and makes them anew."""

    def __init__(self, house: House, agent: AgentRow, pause: Pause) -> None:
        self._house = house
        self._agent = agent
        self._scope = Scope(agent.ref)
        self._pause = pause

    def redone(
        self,
        receipt: Receipt,
        thread: Thread,
        before: Composed,
        ordinal: int,
        marks: Sequence[Mark],
    ) -> Link:
        """What comes back: as it read, if what comes before it is what it was made on; else made anew.

        Else it would show what others carried that were undone meanwhile, or lack what was redone.
        """
        same = receipt.detail.get("ground") == _known_by(before.digest)
        if same or receipt.mode == "light":
            as_it_was = self.as_it_is(receipt)._replace(before=before.digest)
            return Link(receipt, as_it_was, anew=False)
        return Link(receipt, self.anew(receipt, thread, before, ordinal, marks), anew=True)

    def anew(
        self,
        receipt: Receipt,
        thread: Thread,
        before: Composed,
        ordinal: int,
        marks: Sequence[Mark] | None = None,
    ) -> Composed:
        """A distillation made by the plain distiller on top of what now comes before it.

        What it hides is by its marks as they stand, or by these.
        """
        if receipt.mode == "light":
            return self.as_it_is(receipt)
        must_be_there(receipt)
        if marks is None:
            made = self._house.store.read(lambda r: r.marks.by(self._scope, receipt.ref))
            marks = [mark for mark in made if mark.until_version is None]
        spans = [Span(m.from_seq, m.to_seq) for m in marks if m.action == "hide"]
        replaced = self._house.store.read(
            lambda r: sum(r.messages.weights(self._scope, thread.ref, *span) for span in spans)
        )
        tokens = room(self._house, self._agent, replaced=replaced, before=before.tokens)
        guarded = any(fired["name"] == "guard" for fired in receipt.fired)
        ask = Ask(
            self._agent, thread.ref, before.digest, spans, ordinal, tokens, meaning=not guarded
        )
        ask = ask._replace(before_fork=self._before_fork(receipt, before))
        digest = gleaned(self._house, ask, self._pause)
        digest, struck = checked(self._house, ask, digest, self._pause)
        made = rendered(self._house, ask, digest, struck)
        if not any(error.startswith(REPAIRED) for error in receipt.errors):
            return made
        digest, extra, tokens = self._mended(receipt, made)
        return rendered(self._house, ask._replace(extra=extra, tokens=tokens), digest, struck)

    def _mended(
        self, receipt: Receipt, made: Composed
    ) -> tuple[Digest, Sequence[Point | Trace], Room]:
        """What was mended stays so: of what is asked for it shows again what its summary showed.

        Nobody need be asked what is lost: that was found out when it was scored.
        """

        def read(records: Records) -> str:
            row = records.summaries.newest_of(self._scope, receipt.ref)
            return "" if row is None else records.summaries.text(self._scope, row)

        was = unfolded(self._house.store.read(read))
        items = drawn(self._house, self._scope, receipt, self._pause)
        gone = kept(items, was, self._pause) - kept(items, unfolded(made.text), self._pause)
        digest, extra = repairs([items[n] for n in sorted(gone)], made.digest, MOST_MENDED)
        tokens = mended_room(self._house, self._agent, receipt, made.tokens, len(extra))
        return digest, extra, tokens

    def noted(self, before: Digest, later: Sequence[Receipt]) -> Mapping[str, Any]:
        """What a receipt that is undone has to know to be redone: its ground, and what stood on it."""

        def work(records: Records) -> list[Mapping[str, Any]]:
            found: list[Mapping[str, Any]] = []
            for each in later:
                row = records.summaries.newest_of(self._scope, each.ref)
                told = {name: getattr(each, name) for name in TOLD}
                key = "" if row is None else row.key_id.hex()
                found.append({"receipt": each.key_id.hex(), "summary": key, "told": told})
            return found

        return {"ground": _known_by(before), "later": self._house.store.read(work)}

    def again(self, redone: Link, later: Sequence[Receipt]) -> list[Link]:
        """The later ones as they read when it was undone, as far as they stand on the same ground.

        What was forgotten since is in none of them; from such a one on they are made anew.
        """
        receipt = redone.receipt
        if receipt.detail.get("ground") != _known_by(redone.composed.before):
            return []

        def work(records: Records) -> list[Link]:
            rows = records.summaries.all(self._scope, receipt.thread_ref)
            there = {row.key_id.hex(): row for row in rows if row.text_hash is not None}
            links, before = list[Link](), redone.composed.digest
            for each, noted in zip(later, receipt.detail.get("later", ()), strict=False):
                row = there.get(noted["summary"])
                if row is None or noted["receipt"] != each.key_id.hex():
                    break
                stood = each._replace(**noted["told"])
                composed = as_stored(records, self._scope, row)._replace(before=before)
                before = composed.digest
                links.append(Link(each, composed, anew=False, stood=stood))
            return links

        return self._house.store.read(work)

    def _before_fork(self, receipt: Receipt, before: Composed) -> Before | None:
        def read(records: Records) -> Before | None:
            fork = fork_at(records, self._scope, receipt.thread_ref, receipt=receipt.ref)
            return before_fork(records, self._scope, receipt.thread_ref, fork, before.digest)

        return self._house.store.read(read)

    def as_it_is(self, receipt: Receipt) -> Composed:
        """A receipt's summary as it reads today."""

        def work(records: Records) -> Composed:
            row = records.summaries.newest_of(self._scope, receipt.ref)
            if row is None or row.text_hash is None:
                raise UndoRefused(
                    "what its summary held was forgotten since; it cannot be shown again"
                )
            stored = as_stored(records, self._scope, row)
            return stored._replace(before=EMPTY, struck=receipt.struck, distiller=receipt.distiller)

        return self._house.store.read(work)


def told_anew(receipt: Receipt, link: Link, came: int, *, shown: bool, since: str) -> Receipt:
    """A later receipt of its new summary, and of the view with what came back.

    The summary that is `shown` is scored anew. One that another stands on nobody is given any more: its
    score tells of its own time, and a note `since` when it is older than the text.
    """
    if link.stood is not None:
        receipt = receipt._replace(**{name: getattr(link.stood, name) for name in TOLD})
    elif link.anew:
        receipt = receipt._replace(
            distiller=link.composed.distiller,
            struck=link.composed.struck,
            tokens_before=max(0, receipt.tokens_before + came),
            tokens_after=max(0, receipt.tokens_after + came),
        )
    if shown and (link.anew or carried(receipt)):
        left = [e for e in receipt.errors if not e.startswith(("alarm:", CARRIED))]
        return receipt._replace(score_json=None, errors_json=json.dumps(left))
    if link.anew and receipt.score_json is not None and not carried(receipt):
        noted = [*receipt.errors, f"{CARRIED} scored before {since}"]
        return receipt._replace(errors_json=json.dumps(noted))
    return receipt


def carried(receipt: Receipt) -> bool:
    """Is its score older than its summary?"""
    return any(error.startswith(CARRIED) for error in receipt.errors)


def _known_by(digest: Digest) -> str:
    return hashlib.sha256(digest_text(digest).encode()).hexdigest()
