"""Gold evidence: the data sets' own questions, asked after ten distillations.

What counts is whether the evidence stands in what the model would be given: the context, and one
recall. Truncation gets the same recall and, for its newest messages, as many tokens as ours used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import beam
import locomo
import vectors
from baselines import count
from floors import quoted
from ledger import KEPT_VECTORS, RATIO
from matching import Page
from ours import has_pure, pure_context
from product import Product, can_distil
from rolling import Context, methods, rolled
from steps import Step
from talks import Question, Talk

RECALL = 1_500
TIMES = 10


def sets(data: Path) -> dict[str, list[Talk]]:
    """LoCoMo with its second speaker as the assistant, and BEAM; what there is data for."""
    found = dict[str, list[Talk]]()
    if (data / "locomo").is_dir():
        found["locomo"] = locomo.load(data, "assistant")
    if (data / "beam_100k").is_dir():
        found["beam-100k"] = beam.load(data, "100k")
    return found


def steps_of(talk: Talk) -> list[Step]:
    return [Step(said.id, said.role, quoted(said), said.at) for said in talk.said]


def measure(data: Path, *, quick: bool = False) -> dict[str, Any]:
    vectors.keep(KEPT_VECTORS)
    return {name: _measure(talks, quick=quick) for name, talks in sets(data).items()}


def _measure(talks: Sequence[Talk], *, quick: bool) -> dict[str, Any]:
    rows: dict[str, list[float]] = {}
    views: dict[str, list[float]] = {}
    floors: dict[str, list[float]] = {}
    tokens: dict[str, list[int]] = {}
    talks = talks[:1] if quick else talks
    for n, talk in enumerate(talks):
        strange = talks[(n + 1) % len(talks)] if len(talks) > 1 else None
        for name, text, found in _asked(talk, 1 if quick else 3):
            page = Page(text)
            in_view = _holding(talk, page)
            for question, brought in found:
                both = in_view | _holding(talk, Page(brought), question.gold)
                rows.setdefault(name, []).append(_share(question, both))
                views.setdefault(name, []).append(_share(question, in_view))
            tokens.setdefault(name, []).append(count(text))
            if strange:
                floor = _holding(strange, page)
                floors.setdefault(name, []).extend(_share(q, floor) for q in strange.questions)
    return {
        "questions": sum(len(talk.questions) for talk in talks),
        "view and recall": {name: _mean(found) for name, found in rows.items()},
        "view alone": {name: _mean(found) for name, found in views.items()},
        "floor": {name: _mean(found) for name, found in floors.items()},
        "tokens of the view": {name: round(_mean(own)) for name, own in tokens.items()},
    }


Asked = list[tuple[Question, str]]


def _asked(talk: Talk, seeds: int) -> Iterable[tuple[str, str, Asked]]:
    """Each method's context, and what recall brings for each question beside it."""
    steps = steps_of(talk)
    budget = sum(count(step.text) for step in steps) // RATIO
    if can_distil():
        with TemporaryDirectory(prefix="everthread-distill-") as folder:
            text, found = _ours(talk, steps, budget, Path(folder))
        budget = count(text)
        yield "ours", text, found
    plain = _undistilled(talk, steps)
    yield "recall alone", "", plain
    for name, variants in _ways(seeds).items():
        for way in variants:
            yield name, way(steps, TIMES, budget), plain


def _ways(seeds: int) -> dict[str, list[Context]]:
    def rolling(distil: Any) -> Callable[[Sequence[Step], int, int], str]:
        return lambda steps, number, budget: rolled(distil, steps, number, budget)

    ways: dict[str, list[Context]] = {
        name: [rolling(one) for one in variants] for name, variants in methods(seeds).items()
    }
    if has_pure():
        ways["ours, the distiller alone"] = [pure_context]
    return ways


def _ours(talk: Talk, steps: list[Step], budget: int, folder: Path) -> tuple[str, Asked]:
    with Product(folder, steps[0].at, budget) as product:
        product.distil(steps, TIMES)
        text = product.context()
        return text, _recalls(talk, product)


def _undistilled(talk: Talk, steps: list[Step]) -> Asked:
    with (
        TemporaryDirectory(prefix="everthread-distill-") as folder,
        Product(Path(folder), steps[0].at) as product,
    ):
        product.hear(steps)
        return _recalls(talk, product)


def _recalls(talk: Talk, product: Product) -> Asked:
    product.index()
    return [(question, product.packed(question.text, RECALL)) for question in talk.questions]


def _holding(talk: Talk, page: Page, ids: Iterable[str] | None = None) -> set[str]:
    """The messages, of these or of all that are gold, that the page still holds."""
    wanted = {one for q in talk.questions for one in q.gold} if ids is None else set(ids)
    return {said.id for said in talk.said if said.id in wanted and page.holds_message(said.content)}


def _share(question: Question, held: set[str]) -> float:
    return len(question.gold & held) / len(question.gold)


def _mean(found: Sequence[float]) -> float:
    return sum(found) / max(len(found), 1)
