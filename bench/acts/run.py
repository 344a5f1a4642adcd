"""How well it is told what a sentence does, on talks that nothing was fitted on.

    .venv/bin/python bench/acts/run.py [--misses] [--talk NAME]

Against the floor: what the forms written by hand find, in the same sentences (`--hand`).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from marked import FOLDER, Marked, sentences

from everthread.domain.gleaning.choices.exchanges import answered_by, settling_chance
from everthread.domain.text.acts.classifier import ACTS, Act, chances, may_state

LEVELS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="print what was wrong")
    parser.add_argument("--talk", default="", help="only talks whose name begins so")
    parser.add_argument("--level", type=float, default=0.35)
    asked = parser.parse_args()
    held = [m for m in sentences(FOLDER / "held") if m.talk.startswith(asked.talk)]
    answers = [m for m in held if m.before and may_state(m.said[m.place])]
    told = [(settling_chance(m.said, m.place, answered_by(m.before)), m) for m in answers]
    report("decision", told, "answers to an assistant, decision")
    report("decision", [(chances(m.text)["decision"], m) for m in answers], "  by words alone")
    for act in ACTS:
        told = [(chances(each.text)[act], each) for each in held]
        report(act, told)
        if asked.misses:
            misses(act, told, asked.level)


def report(act: Act, told: Sequence[tuple[float, Marked]], name: str = "") -> None:
    gold = sum(each.act == act for _, each in told)
    cells = [f"{name or act}: {gold} of {len(told)}", f"average precision {average(act, told):.2f}"]
    for level in LEVELS:
        found = [each for chance, each in told if chance >= level]
        right = sum(each.act == act for each in found)
        cells.append(f"{level}: {right}/{len(found)} right, {right / max(gold, 1):.0%} found")
    print(" | ".join(cells))


def average(act: Act, told: Sequence[tuple[float, Marked]]) -> float:
    right, total = 0, 0.0
    for n, (_, each) in enumerate(sorted(told, key=lambda pair: -pair[0]), start=1):
        if each.act == act:
            right += 1
            total += right / n
    return total / max(right, 1)


def misses(act: Act, told: Sequence[tuple[float, Marked]], level: float) -> None:
    for chance, each in sorted(told, key=lambda pair: -pair[0]):
        if (chance >= level) != (each.act == act):
            print(f"  {chance:.2f} {each.act:<10} {each.text[:120]}")


if __name__ == "__main__":
    main()
