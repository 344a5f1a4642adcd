"""Gold evidence: the data sets' own questions, asked after ten distillations.

What counts is whether the evidence stands in what the model would be given: the context, and one
recall. Truncation gets the same recall and, for its newest messages, as many tokens as ours used.
Nobody is given twice what the context holds word for word: as in a turn, the recall passes it over
and goes on to the next hit, for every method by the same rule.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import beam
import locomo
import vectors
from baselines import count, filled
from floors import quoted
from ledger import KEPT_VECTORS, RATIO
from matching import Page
from ours import has_pure, pure_context
from product import DEPTH, Product, beside, can_distil
from rolling import Context, methods, rolled
from steps import Step
from talks import Question, Said, Talk

RECALL = 1_500
TIMES = 10

_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


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


def whole(said: Said) -> str:
    """The first rule: all of a message."""
    return said.content


def prose(said: Said) -> str:
    """The second one: a message without the code that is fenced in it."""
    return _FENCED.sub("\n", said.content)


Rule = Callable[[Said], str]


class Rows:
    """What is counted, by figure and method."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    def add(self, figure: str, method: str, shares: Iterable[float]) -> None:
        self.found[figure][method].extend(shares)

    def means(self) -> dict[str, dict[str, float]]:
        return {
            figure: {method: _mean(own) for method, own in rows.items()}
            for figure, rows in self.found.items()
        }


def _measure(talks: Sequence[Talk], *, quick: bool) -> dict[str, Any]:
    rows = Rows()
    talks = talks[:1] if quick else talks
    for n, talk in enumerate(talks):
        strange = talks[(n + 1) % len(talks)] if len(talks) > 1 else None
        for name, text, found in _asked(talk, 1 if quick else 3):
            page = Page(text)
            _count(rows, name, talk, page, found)
            rows.add("tokens of the view", name, [count(text)])
            if strange:
                floor = _holding(strange, page, whole)
                rows.add("floor", name, [_share(q, floor) for q in strange.questions])
    return {"questions": sum(len(talk.questions) for talk in talks), **rows.means()}


def _count(rows: Rows, name: str, talk: Talk, page: Page, found: Asked) -> None:
    brought = {question.id: Page(text) for question, text in found}
    rules: tuple[tuple[str, Rule], ...] = (("", whole), (", prose", prose))
    for suffix, rule in rules:
        in_view = _holding(talk, page, rule)
        rows.add(f"view alone{suffix}", name, [_share(q, in_view) for q in talk.questions])
        both = [
            _share(q, in_view | _holding(talk, brought[q.id], rule, q.gold)) for q in talk.questions
        ]
        rows.add(f"view and recall{suffix}", name, both)


Asked = list[tuple[Question, str]]
Ranked = dict[str, list[Any]]
"""The hits of each question in the thread as it was said."""


def _asked(talk: Talk, seeds: int) -> Iterable[tuple[str, str, Asked]]:
    """Each method's context, and what recall brings for each question beside it."""
    steps = steps_of(talk)
    budget = sum(count(step.text) for step in steps) // RATIO
    if can_distil():
        with TemporaryDirectory(prefix="everthread-distill-") as folder:
            text, found = _ours(talk, steps, budget, Path(folder))
        budget = count(text)
        yield "ours", text, found
    ranked = _undistilled(talk, steps)
    yield "recall alone", "", _beside(talk, ranked, "")
    for name, variants in _ways(seeds).items():
        for way in variants:
            text = way(steps, TIMES, budget)
            yield name, text, _beside(talk, ranked, text)
    yield "all of it for recall", "", _beside(talk, ranked, "", RECALL + budget)
    text = oracle(talk, _beside(talk, ranked, ""), budget)
    yield "oracle", text, _beside(talk, ranked, text)


def _beside(talk: Talk, ranked: Ranked, view: str, tokens: int = RECALL) -> Asked:
    depth = DEPTH * max(1, tokens // RECALL)
    return [(q, beside(ranked[q.id], view, q.text, tokens, depth)) for q in talk.questions]


def oracle(talk: Talk, found: Asked, budget: int) -> str:
    """What a view could hold at best: it knows the questions, and what recall alone misses."""
    missed: dict[str, float] = defaultdict(float)
    for question, text in found:
        for one in question.gold - _holding(talk, Page(text), whole, question.gold):
            missed[one] += 1 / len(question.gold)
    said = [quoted(each) for each in talk.said]
    worth = [
        missed[each.id] / max(count(text), 1) for each, text in zip(talk.said, said, strict=True)
    ]
    order = sorted((n for n in range(len(said)) if worth[n]), key=lambda n: -worth[n])
    return "\n".join(filled(said, order, budget))


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
        product.index()
        return text, [(q, product.beside_view(q.text, RECALL)) for q in talk.questions]


def _undistilled(talk: Talk, steps: list[Step]) -> Ranked:
    with (
        TemporaryDirectory(prefix="everthread-distill-") as folder,
        Product(Path(folder), steps[0].at) as product,
    ):
        product.hear(steps)
        product.index()
        return {question.id: product.ranked(question.text) for question in talk.questions}


def _holding(talk: Talk, page: Page, rule: Rule, ids: Iterable[str] | None = None) -> set[str]:
    """The messages, of these or of all that are gold, that the page still holds by the rule."""
    wanted = {one for q in talk.questions for one in q.gold} if ids is None else set(ids)
    return {said.id for said in talk.said if said.id in wanted and page.holds_message(rule(said))}


def _share(question: Question, held: set[str]) -> float:
    return len(question.gold & held) / len(question.gold)


def _mean(found: Sequence[float]) -> float:
    return sum(found) / max(len(found), 1)
