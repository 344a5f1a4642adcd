"""What turns feel that follow each other without any pause, while the worker distils beside them.

    python bench/distill/unpaused.py                    thread, process and no worker, in turn
    python bench/distill/unpaused.py --worker thread --turns 400 --tokens 500 --window 32000

Each worker is measured in a process of its own, on a store of its own. A window of 32,000 tokens is
distilled at 16,000, and the guard acts at 28,800: so many turns the worker has for it. Words alone are
the dearest to distil; of a session of work most is code and output, as with `--text work`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1]))

from texts import text

import everthread
from everthread import Settings
from everthread.errors import ContextFull

WORKERS = ("thread", "process", "off")
BYTES_PER_TOKEN = 4.9
"""Of these texts; it need not be exact."""
SLOW = 250.0
"""Milliseconds that nobody takes for a turn alone."""


class Asked(NamedTuple):
    worker: str
    embedder: str
    turns: int
    tokens: int
    window: int
    pause: float
    text: str


def measure(asked: Asked) -> dict[str, Any]:
    """The turns of one program, one after the other."""
    with TemporaryDirectory(prefix="everthread-unpaused-") as place:
        folder = Path(place)
        settings = Settings(home=folder / "home", worker=asked.worker, embedder=asked.embedder)
        with everthread.connect(folder / "bench.db", settings=settings) as et:
            ada = et.agent("ada", window=asked.window)
            began = time.perf_counter()
            refused: list[int] = []
            took = [_turn(ada, number, asked, refused) for number in range(asked.turns)]
            seconds = time.perf_counter() - began
            receipts = ada.receipts(limit=10_000)
    # The first turn of a program loads what it needs.
    return {
        "seconds": seconds,
        "ms": _spread(took[1:]),
        "slow": _slow(took),
        "refused": refused,
    } | _told(receipts)


def _words(number: int, tokens: int) -> str:
    return text(number, round(tokens * BYTES_PER_TOKEN))


def _work(number: int, tokens: int) -> str:
    """A few sentences, and the output of a command."""
    lines = (f"{number:05} {n:03} GET /orders/{number + n} 200 {n} ms" for n in range(tokens // 25))
    return f"{_words(number, tokens // 4)}\n```\n{chr(10).join(lines)}\n```"


TEXTS = {"words": _words, "work": _work}


def _turn(ada: everthread.Agent, number: int, asked: Asked, refused: list[int]) -> float:
    question, reply = (TEXTS[asked.text](2 * number + n, asked.tokens // 2) for n in (0, 1))
    start = time.perf_counter()
    try:
        turn = ada.turn(question)
        turn.messages  # noqa: B018 - what a program sends
        turn.done(reply)
    except ContextFull:
        refused.append(number)
    took = (time.perf_counter() - start) * 1000
    time.sleep(asked.pause)
    return took


def _slow(took: Sequence[float]) -> list[tuple[int, int]]:
    return [(number, round(ms)) for number, ms in enumerate(took) if ms > SLOW]


def _spread(took: Sequence[float]) -> dict[str, float]:
    own = sorted(took)
    places = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "worst": 1.0}
    return {
        name: round(own[min(len(own) - 1, int(len(own) * at))], 1) for name, at in places.items()
    }


def _told(receipts: Sequence[Any]) -> dict[str, Any]:
    """By whom it was distilled: what fired last is the guard where it acted."""
    standing = [receipt for receipt in receipts if receipt.standing]
    guarded = [each for each in standing if '"guard"' in each.fired_json]
    others = [each for each in receipts if not each.standing]
    return {
        "by the worker": len(standing) - len(guarded),
        "by the guard": len(guarded),
        "neither": [(each.outcome, each.errors_json) for each in others],
    }


def _child(asked: Asked) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", json.dumps(asked)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--worker", action="append", choices=WORKERS)
    parser.add_argument("--embedder", default="off", choices=("off", "auto"))
    parser.add_argument("--turns", type=int, default=400)
    parser.add_argument("--tokens", type=int, default=500)
    parser.add_argument("--window", type=int, default=32_000)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between two turns")
    parser.add_argument("--text", choices=TEXTS, default="words")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    said = parser.parse_args()
    if said.one:
        json.dump(measure(Asked(*json.loads(said.one))), sys.stdout)
        return 0
    rest = (said.embedder, said.turns, said.tokens, said.window, said.pause, said.text)
    for _ in range(said.rounds):
        for worker in said.worker or WORKERS:
            load = os.getloadavg()[0]
            told = _child(Asked(worker, *rest))
            print(f"{worker:8} load {load:.1f} ", json.dumps(told))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
