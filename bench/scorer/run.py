"""Does learning what helps help? Simulated users whose preferences are known, and one without any.

    .venv/bin/python bench/scorer/run.py [--seeds 40] [--json FILE]

What counts is NDCG@10 by what each memory was truly worth (`users.py`), over the sessions after the
first 20: of the plain order (the floor), of the order that was shown (the scorer where it is live), and
of the scorer's order whether it was live or not. The oracle has 1. Intervals are of 95 %, by drawing
whole lives again. The numbers of the product were chosen with seeds below 1000; these are above.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from everthread.domain.scorer.lift import Difference, mean_difference

sys.path.insert(0, str(Path(__file__).parent))

from users import RANDOM, USERS, Session, User, lived

FIRST_SEED = 1_000
SESSIONS, SETTLED = 60, 20

GAIN = 0.02
"""Where there are preferences, the order shown must be better by so much on average, and surely better."""

HARM = 0.005
"""Where there are none, it may be worse by no more than this, noise included."""

QUIET = 0.25
"""Where there are none, it may be live in no more than this share of sessions."""


def measured(user: User, seeds: Sequence[int]) -> dict[str, float]:
    lives = [lived(user, seed, SESSIONS)[SETTLED:] for seed in seeds]
    plain, shown = _means(lives, "plain"), _means(lives, "shown")
    gain = mean_difference([b - a for a, b in zip(plain, shown, strict=True)], [0.0, 0.0])
    assert isinstance(gain, Difference)
    base = statistics.mean(plain)
    return {
        "plain": base,
        "shown": statistics.mean(shown),
        "learned": statistics.mean(_means(lives, "learned")),
        "gain": gain.value,
        "low": gain.low,
        "high": gain.high,
        "closed": gain.value / (1 - base),
        "live": statistics.mean(statistics.mean(s.live for s in life) for life in lives),
    }


def _means(lives: Sequence[Sequence[Session]], what: str) -> list[float]:
    return [statistics.mean(getattr(session, what) for session in life) for life in lives]


def passes(name: str, told: dict[str, float]) -> bool:
    """The rule, written before the first figures."""
    if name == RANDOM.name:
        return told["low"] >= -HARM and told["live"] <= QUIET
    return told["gain"] >= GAIN and told["low"] > 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=FIRST_SEED)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.seeds)
    figures = {user.name: measured(user, seeds) for user in (*USERS, RANDOM)}
    head = ("user", "plain", "shown", "learned", "gain (95 %)", "of the gap", "live", "")
    print("{:22} {:>6} {:>6} {:>7} {:>24} {:>10} {:>5} {}".format(*head))
    for name, told in figures.items():
        gain = f"{told['gain']:+.3f} ({told['low']:+.3f} to {told['high']:+.3f})"
        mark = "PASS" if passes(name, told) else "MISS"
        print(
            f"{name:22} {told['plain']:6.3f} {told['shown']:6.3f} {told['learned']:7.3f} "
            f"{gain:>24} {told['closed']:10.0%} {told['live']:5.0%} {mark}"
        )
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
