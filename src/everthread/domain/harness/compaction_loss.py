"""What became of a conversation that a harness compacted by itself: who kept what, and what is gone."""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from typing import Any, NamedTuple

from everthread.domain.distilling.continuity import (
    KINDS,
    Item,
    Score,
    items_kept,
    probe,
    read_score,
    score_text,
)
from everthread.domain.distilling.continuity_refs import ItemRef, ref_of
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import one_line

LONGEST = 300
MOST_LISTED = 200
"""Of what is missing beside rules."""
RESTORED_CHARS = 1_200
"""What is still missing after a compaction may take so much beside the next prompt; rules come besides."""
AROUND = 3
"""Characters that stand around such a line."""
RULES = "rules"
"""What is in force is never left out, however much of it there is."""


class MissingItem(NamedTuple):
    """Something that was said and is in nobody's context any more."""

    kind: str
    line: str
    found: bool
    """Does a recall bring it back that is not told what to find?"""
    asked: bool = True
    """Was that tried? Nobody asks for a rule; of others, time may have run out."""


class Outcome(NamedTuple):
    """Shares of the items that were drawn, and those that are missing."""

    items: int
    harness: float
    """In the harness's own summary."""
    given: float
    """Not there, and given back by us."""
    recoverable: float
    """In neither, and one recall away."""
    lost: float
    """In neither, and not found; of what is left of the whole it is not known."""
    missing: tuple[MissingItem, ...]
    score: Score

    def text(self) -> str:
        """As it is stored."""
        told = {
            "items": self.items,
            "harness": self.harness,
            "given": self.given,
            "recoverable": self.recoverable,
            "lost": self.lost,
            "missing": [list(one) for one in self.missing],
            "score": json.loads(score_text(self.score)),
        }
        return json.dumps(told, separators=(",", ":"))


def read_outcome(text: str) -> Outcome:
    """A stored outcome."""
    told: dict[str, Any] = json.loads(text)
    told["missing"] = tuple(MissingItem(*one) for one in told["missing"])
    told["score"] = read_score(json.dumps(told["score"]))
    return Outcome(**told)


def outcome(
    items: Sequence[Item],
    summary: str,
    context: str,
    score: Score,
    lost: Sequence[Item],
    *,
    beside: Sequence[Item] = (),
) -> Outcome:
    """Who kept what: `context` is the summary and what we gave back, `score` was made of it.

    What of the user's rules was not drawn stands `beside`: it is counted only where it is missing.
    """
    every = [*items, *beside]
    in_summary, in_context = (items_kept(every, text) for text in (summary, context))
    gone, back = {ref_of(item) for item in lost}, frozenset(score.recoverable_items)
    missing = [_missing(item, gone, back) for n, item in enumerate(every) if n not in in_context]
    # Rules come first, then what cannot be asked for, then by kind.
    missing.sort(key=lambda one: (one.kind != RULES, one.found, KINDS.index(one.kind)))
    total = sum(n < len(items) or n not in in_context for n in range(len(every)))
    in_summary, in_context = (
        {n for n in kept if n < len(items)} for kept in (in_summary, in_context)
    )
    whole = max(1, total)
    # What is missing is listed here, in words.
    score = score._replace(lost_items=(), recoverable_items=())
    given = len(in_context - in_summary) / whole
    harness = len(in_summary) / whole
    absent = [ref_of(item) for n, item in enumerate(every) if n not in in_context]
    return Outcome(
        total,
        harness,
        given,
        sum(ref in back for ref in absent) / whole,
        sum(ref in gone for ref in absent) / whole,
        tuple(missing[: MOST_LISTED + sum(one.kind == RULES for one in missing)]),
        score,
    )


def _missing(item: Item, gone: Container[ItemRef], back: Container[ItemRef]) -> MissingItem:
    ref = ref_of(item)
    asked = ref in back or (ref in gone and not item.binding and probe(item) is not None)
    return MissingItem(item.kind, item_line(item), ref in back, asked)


def item_line(item: Item) -> str:
    """The item in the line in which it stood, harmless and without secrets."""
    return f"({item.kind}) {one_line(strip_secrets(item.sentence or item.text), LONGEST)}"


def lines_to_restore(found: Outcome, chars: int = RESTORED_CHARS) -> list[str]:
    """What of the missing comes with the next prompts: every rule, then what nothing else brings back."""
    lines = [one.line for one in found.missing if one.kind == RULES]
    # Several items may stand on one line.
    for line in dict.fromkeys(one.line for one in found.missing if one.kind != RULES):
        if len(line) + AROUND > chars:
            break
        chars -= len(line) + AROUND
        lines.append(line)
    return lines


def restored_chars(lines: Sequence[str]) -> int:
    """What lines that came with a prompt took of that room; rules come besides."""
    return sum(len(line) + AROUND for line in lines if not line.startswith(f"({RULES}) "))


def whole_percents(shares: Sequence[float]) -> list[int]:
    """Shares as whole per cent that add up as the shares do; those cut most are rounded up first."""
    exact = [100 * share for share in shares]
    told = [int(each) for each in exact]
    missing = round(sum(exact)) - sum(told)
    by_rest = sorted(range(len(told)), key=lambda n: exact[n] - told[n], reverse=True)
    return [each + (n in by_rest[:missing]) for n, each in enumerate(told)]
