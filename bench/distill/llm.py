"""Kept in the summary text alone, at the length of the LLM's own summary of the same session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import items
from baselines import count
from items import Item
from matching import Page
from ours import has_pure, pure_summary
from rolling import methods, rolled
from steps import Compacted, Step, compacted, threads

KINDS = ("file", "request", "whole request", "last request", "command", "error", "number")
HEADS = (
    "files edited",
    "user requests",
    "requests in full",
    "last request",
    "commands",
    "errors",
    "numbers",
)


def measure(data: Path, *, quick: bool = False) -> dict[str, Any]:
    """Every method on every compacted stretch; items are summed over the stretches."""
    sessions = compacted(data)
    others = threads(data)
    rows: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    floors: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    sizes: dict[str, list[int]] = defaultdict(list)
    ratios = list[float]()
    for session in sessions:
        budget = count(session.summary)
        ratios.append(budget / sum(count(step.shown) for step in session.steps))
        own = wanted(session.steps)
        strange = wanted(_strange(session, others))
        for name, texts in _texts(session, budget, 2 if quick else 5).items():
            for text in texts:
                add(rows[name], own, text, 1 / len(texts))
                add(floors[name], strange, text, 1 / len(texts))
            sizes[name].append(round(sum(map(count, texts)) / len(texts)))
    return {
        "sessions": len(sessions),
        "share of the input": sum(ratios) / max(len(ratios), 1),
        "items": {kind: round(sum(w for w in _weights(rows, kind))) for kind in KINDS},
        "kept": {name: shares(found) for name, found in rows.items()},
        "floor": {name: shares(found) for name, found in floors.items()},
        "tokens": dict(sizes),
    }


def _texts(session: Compacted, budget: int, seeds: int) -> dict[str, list[str]]:
    texts = {"the LLM's own summary": [session.summary]}
    for name, variants in methods(seeds).items():
        texts[name] = [rolled(one, session.steps, 1, budget) for one in variants]
    if has_pure():
        texts["ours"] = [pure_summary(session.steps, 1, budget)]
    return texts


def _strange(session: Compacted, others: Sequence[Any]) -> list[Step]:
    """Another conversation: of the same tool where there is one, the harder floor."""
    name = session.name.partition("/")[0]
    rest = [thread for thread in others if thread.name != name]
    near = [thread for thread in rest if thread.name.partition("-")[0] == name.partition("-")[0]]
    return (near or rest)[0].steps if rest else []


def wanted(steps: Sequence[Step]) -> list[Item]:
    """The items; every request once more in full, and the last one once more by itself."""
    found = items.read(steps)
    told = (items.whole_request(step) for step in steps)
    whole = [Whole("whole request", text, "", "", "", "") for text in told if text]
    requests = [item for item in found if item.kind == "request"]
    last = [replace(item, kind="last request") for item in requests[-1:]]
    return [*found, *whole, *(Last(**item.__dict__) for item in last)]


class Last(Item):
    """The newest request of a session."""

    def on(self, page: Page) -> bool:
        return page.holds_words(self.near)


class Whole(Item):
    """All the prose of a request."""

    def on(self, page: Page) -> bool:
        return page.holds_message(self.text)


def add(rows: dict[str, list[float]], found: Sequence[Item], text: str, weight: float) -> None:
    """Adds kept and seen items of each kind, as alternating numbers."""
    page = Page(text)
    for item in found:
        own = rows[item.kind]
        if not own:
            own.extend([0.0, 0.0])
        own[0] += weight * item.on(page)
        own[1] += weight


def shares(found: dict[str, list[float]]) -> dict[str, float]:
    return {kind: found[kind][0] / found[kind][1] for kind in KINDS if kind in found}


def _weights(rows: dict[str, dict[str, list[float]]], kind: str) -> list[float]:
    return [own[kind][1] for name, own in list(rows.items())[:1] if kind in own]
