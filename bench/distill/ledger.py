"""Ledger items after one, three and more than ten distillations at ten to one: kept, recoverable, lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import items
import vectors
from baselines import count
from items import KINDS, Item
from matching import Page
from ours import has_pure, pure_context
from product import Product, can_distil
from rolling import Context, methods, rolled
from steps import Thread, threads

RATIO = 10
TIMES = (1, 3, 12)
"""Twelve, since a stretch may be too short to be distilled: ten and more are left."""
KEPT_VECTORS = Path(__file__).parents[1] / "recall" / "out"

Named = tuple[str, int]
"""A method and how often it distilled."""


@dataclass
class Recalled:
    """What a thread's recall brings back of the items, by their place in the list."""

    masked: set[int]
    """Probed with the sentence from which the item was taken out."""
    asked: set[int]
    """Probed only with the request that led to it."""
    unprobed: int = 0


class Tally:
    """Of each kind: seen, kept, kept or recoverable, and the same by the request alone."""

    def __init__(self) -> None:
        self.rows = {kind: [0, 0, 0, 0, 0] for kind in KINDS}

    def add(self, found: Sequence[Item], page: Page, recalled: Recalled) -> None:
        for n, item in enumerate(found):
            kept = item.on(page)
            row = self.rows[item.kind]
            gains = (1, kept, kept or n in recalled.masked, kept or n in recalled.asked)
            row[:4] = [a + b for a, b in zip(row, gains, strict=False)]

    def chance(self, strange: Sequence[Item], page: Page) -> None:
        """Items of another conversation on this page: what the rule finds by chance."""
        for item in strange:
            self.rows[item.kind][4] += item.on(page)

    def shares(self, strange: dict[str, int]) -> dict[str, dict[str, float]]:
        rows = {
            **self.rows,
            "all": [sum(column) for column in zip(*self.rows.values(), strict=True)],
        }
        seen = {**strange, "all": sum(strange.values())}
        return {
            kind: {
                "kept": row[1] / row[0],
                "kept or recoverable": row[2] / row[0],
                "by the request": row[3] / row[0],
                "floor": row[4] / max(seen.get(kind, 0), 1),
            }
            for kind, row in rows.items()
            if row[0]
        }


def measure(data: Path, *, quick: bool = False) -> dict[str, Any]:
    """Every method on every thread; items are summed over the threads."""
    vectors.keep(KEPT_VECTORS)
    talks = threads(data)
    drawn = [items.draw(items.read(talk.steps)) for talk in talks]
    tallies: dict[Named, Tally] = {}
    strange: dict[Named, dict[str, int]] = {}
    compression = list[dict[str, Any]]()
    for n, talk in enumerate(talks):
        others = drawn[(n + 1) % len(talks)] if len(talks) > 1 else []
        for name, page, recalled in _contexts(talk, drawn[n], quick=quick, told=compression):
            tally = tallies.setdefault(name, Tally())
            tally.add(drawn[n], page, recalled)
            tally.chance(others, page)
            seen = strange.setdefault(name, dict.fromkeys(KINDS, 0))
            for item in others:
                seen[item.kind] += 1
    return {
        "items": {kind: sum(i.kind == kind for own in drawn for i in own) for kind in KINDS},
        "rows": [
            {"method": method, "times": times, "shares": tally.shares(strange[method, times])}
            for (method, times), tally in tallies.items()
        ],
        "compression": compression,
    }


def _contexts(
    talk: Thread, found: Sequence[Item], *, quick: bool, told: list[dict[str, Any]]
) -> Iterable[tuple[Named, Page, Recalled]]:
    """What each method leaves in the context, and what recall brings beside it."""
    budget = sum(count(step.shown) for step in talk.steps) // RATIO
    times = TIMES[::2] if quick else TIMES
    ours = list[tuple[Named, Page, Recalled]]()
    for number in times if can_distil() else ():
        with TemporaryDirectory(prefix="everthread-distill-") as folder:
            found_again = _product(talk, found, number, budget, Path(folder), told)
            ours.append((("ours", number), *found_again))
    # The tail keeps a message whole, so a short thread may come out longer than asked for.
    fair = max([budget, *(count(page.text) for _, page, _ in ours)])
    plain = _undistilled(talk, found)
    yield ("recall alone", 0), Page(""), plain
    for name, variants in _ways(2 if quick else 5).items():
        for number in times:
            for way in variants:
                yield (name, number), Page(way(talk.steps, number, fair)), plain
    yield from ours


def _ways(seeds: int) -> dict[str, list[Context]]:
    """Ways to make a context, by name; several variants are a mean."""
    ways: dict[str, list[Context]] = {
        name: [lambda s, n, b, one=one: rolled(one, s, n, b) for one in variants]
        for name, variants in methods(seeds).items()
    }
    if has_pure():
        ways["ours, the distiller alone"] = [pure_context]
    return ways


def _undistilled(talk: Thread, found: Sequence[Item]) -> Recalled:
    """Recall over the thread as it was said: what every baseline may use as well."""
    with (
        TemporaryDirectory(prefix="everthread-distill-") as folder,
        Product(Path(folder), talk.steps[0].at) as product,
    ):
        product.hear(talk.steps)
        return recalled(product, found)


def _product(
    talk: Thread,
    found: Sequence[Item],
    number: int,
    budget: int,
    folder: Path,
    told: list[dict[str, Any]],
) -> tuple[Page, Recalled]:
    with Product(folder, talk.steps[0].at, budget) as product:
        product.distil(talk.steps, number)
        text = product.context()
        told.append({"thread": talk.name, "times": number, **_compressed(talk, product, text)})
        return Page(text), recalled(product, found)


def _compressed(talk: Thread, product: Product, text: str) -> dict[str, Any]:
    before, after = sum(count(step.shown) for step in talk.steps), count(text)
    done = [one for one in product.receipts if one.outcome in {"ok", "degraded"}]
    return {
        "tokens before": before,
        "tokens after": after,
        "ratio": before / max(after, 1),
        "distillations": len(done),
        "refused or failed": len(product.receipts) - len(done),
        "saved by receipts": sum(one.tokens_before - one.tokens_after for one in done),
        "struck": sum(_size(one.struck) for one in done),
        "score": [_score(one) for one in done[-1:]],
    }


def _size(struck: Any) -> int:
    return struck if isinstance(struck, int) else len(struck)


def _score(receipt: Any) -> dict[str, float]:
    """What the product says of itself, to be held against what is measured here."""
    score = receipt.score
    return {} if score is None else {k: getattr(score, k) for k in ("kept", "recoverable", "lost")}


def recalled(product: Product, found: Sequence[Item]) -> Recalled:
    """Two probes an item; the same question is asked once."""
    product.index()
    pages: dict[str | None, Page] = {}

    def page(query: str | None) -> Page:
        if query not in pages:
            pages[query] = product.found(query)
        return pages[query]

    return Recalled(
        {n for n, item in enumerate(found) if item.on(page(item.probe))},
        {n for n, item in enumerate(found) if item.on(page(item.request))},
        sum(item.probe is None for item in found),
    )
