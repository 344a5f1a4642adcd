"""What the scorer costs: ranking a hundred memories anew, against ranking and cutting them plainly.

    .venv/bin/python bench/scorer/cost.py

CPU of this process; the smallest of many rounds, since noise only adds.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from everthread.domain.agents import Scope
from everthread.domain.policy import Policy
from everthread.domain.recall.final_scores import RankedCard, one_of_each, ranked_memory
from everthread.domain.scorer.scorer import UNLEARNT, Outcome, RatedMemory, learn
from everthread.domain.scorer.scorer_row import ScorerRow, row_of
from everthread.services.memory.rerank import rerank

sys.path.insert(0, str(Path(__file__).parent))

from users import BEGAN, HERE, memories

CANDIDATES, ROUNDS = 100, 200


class OneScorer:
    """A store that holds one scorer."""

    def __init__(self, row: ScorerRow | None) -> None:
        self.scorers = self
        self._row = row

    def get(self, _: Scope) -> ScorerRow | None:
        return self._row


def best(work: Callable[[], object]) -> float:
    """Microseconds."""
    took: list[int] = []
    for _ in range(ROUNDS):
        began = time.process_time_ns()
        work()
        took.append(time.process_time_ns() - began)
    return min(took) / 1_000


def found(chance: random.Random) -> list[RankedCard]:
    known = (memories(chance) * 2)[:CANDIDATES]
    return [ranked_memory(memory, chance.random(), {}, now=BEGAN) for memory in known]


def trained(rows: list[RankedCard]) -> ScorerRow:
    rated = [
        RatedMemory(f.memory.key_id, f.score, (0.5,) * len(UNLEARNT.weights), None, given=True)
        for f in rows
        if f.memory is not None
    ]
    scorer = learn(UNLEARNT, rated, most=0.6)
    history = (Outcome(0.5, 0.9),) * 20
    return row_of(scorer._replace(trained=30, sessions=30, history=history), now=1)


def main() -> None:
    rows = found(random.Random(3))
    scope, policy = Scope(1, HERE), Policy()
    row = trained(rows)
    live, none = OneScorer(row), OneScorer(None)
    size = len(UNLEARNT.weights)
    taught = [RatedMemory(bytes([n]) * 16, 0.5, (n / 40,) * size, n / 40) for n in range(40)]
    works: dict[str, Callable[[], object]] = {
        "plain: sorted, alike ones left out": lambda: one_of_each(rows, CANDIDATES),
        "ranked anew": lambda: rerank(live, scope, policy, rows, BEGAN),
        "nothing learnt": lambda: rerank(none, scope, policy, rows, BEGAN),
        "learning from a session of 40": lambda: learn(UNLEARNT, taught, most=0.6),
    }
    print(f"{CANDIDATES} memories, microseconds of CPU")
    for name, work in works.items():
        print(f"  {name:36} {best(work):8.1f}")
    print(f"  stored: {sum(map(len, row[2:5])):,} bytes")


if __name__ == "__main__":
    main()
