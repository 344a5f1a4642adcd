"""Measure recall: floors and ours, on every kind of conversation there is data for, in one run.

    python bench/recall/run.py [--only locomo] [--roles assistant] [--no-floors] [--store URL]

Figures are printed by set and by kind of question; what came back for each question is kept as
JSON lines in bench/recall/out/, so that anyone can look.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import beam
import coding
import daily
import locomo
import probes
from floors import Floors, quoted
from measure import figures, stale
from ours import DEPTH, LIMIT, Ours
from talks import Question, Talk
from vectors import KeptEmbedder, keep

from everthread.providers.tokenizer import BpeTokenizer

OUT = Path(__file__).with_name("out")
FIGURES = ("first", "R@5", "R@10", "R@20", "NDCG@10", "1000t", "1000t skip")
Rows = list[dict[str, Any]]


def main() -> int:
    asked = _arguments()
    embedder = keep(OUT)
    for name, load in _sets(asked.data, asked.roles).items():
        if asked.only in (None, name):
            by_roles = name == "locomo" and asked.roles != "people"
            _measure(f"{name}-{asked.roles}" if by_roles else name, load(), asked, embedder)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", default=os.environ.get("EVERTHREAD_TEST_DATA"))
    parser.add_argument("--only", help="one set: locomo, beam-100k, beam-500k, coding, daily")
    parser.add_argument("--roles", choices=("people", "assistant"), default="people")
    parser.add_argument("--store", help="where ours keeps it, such as postgresql://…")
    parser.add_argument("--no-floors", dest="floors", action="store_false")
    return parser.parse_args()


def _sets(folder: str | None, roles: locomo.Roles) -> dict[str, Callable[[], list[Talk]]]:
    own = {"daily": daily.load}
    if not folder:
        print(
            "only our own talks: set EVERTHREAD_TEST_DATA to the folder with locomo/, beam_100k/ …"
        )
        return own
    data = Path(folder)
    return own | {
        "locomo": lambda: locomo.load(data, roles),
        "beam-100k": lambda: beam.load(data, "100k"),
        "coding": lambda: _coding(data),
        "beam-500k": lambda: beam.load(data, "500k"),
    }


def _coding(data: Path) -> list[Talk]:
    talks = coding.load(data)
    for talk in talks:
        probes.ask(talk)
    return talks


def _measure(
    name: str, talks: list[Talk], asked: argparse.Namespace, embedder: KeptEmbedder
) -> None:
    rows: Rows = []
    for talk in talks:
        rows.extend(_floors(name, talk, embedder) if asked.floors else ())
        with TemporaryDirectory(prefix="everthread-recall-") as folder:
            rows.extend(_ours(name, talk, asked.store or Path(folder) / "talk.db"))
    with (OUT / f"{name}.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    print(*_tables(name, rows), sep="\n", flush=True)


def _floors(name: str, talk: Talk, embedder: KeptEmbedder) -> Iterable[dict[str, Any]]:
    tokens = _tokens(talk)
    systems = Floors(talk, embedder).systems()
    for question in talk.questions:
        for system, find in systems.items():
            found = find(question.text)
            told = figures(found, question.gold, tokens)
            yield _row(name, talk, question, system, found, told)


def _ours(name: str, talk: Talk, store: str | Path) -> Iterable[dict[str, Any]]:
    tokens = _tokens(talk)
    with Ours(talk, store) as ours:
        for question in talk.questions:
            start = time.process_time()
            found = ours.found(question.text, LIMIT)
            ms = (time.process_time() - start) * 1_000
            told = figures(found, question.gold, tokens)
            packed = figures(ours.found(question.text, DEPTH), question.gold, tokens)
            told |= {key: packed[key] for key in ("1000t", "1000t skip")}
            yield _row(name, talk, question, "ours", found, told) | {"ms": round(ms, 2)}


def _tokens(talk: Talk) -> dict[str, int]:
    """What each message weighs in an answer, by the product's tokenizer, speaker first."""
    count = BpeTokenizer().count
    return {said.id: count(quoted(said)) for said in talk.said}


def _row(
    name: str, talk: Talk, question: Question, system: str, found: list[str], told: dict[str, float]
) -> dict[str, Any]:
    return {
        "set": name,
        "talk": talk.name,
        "id": question.id,
        "kind": question.kind,
        "part": question.part,
        "question": question.text,
        "gold": sorted(question.gold),
        "system": system,
        "stale": stale(found, question.gold, question.outdated) if question.outdated else None,
        "found": found[:LIMIT],
        **{key: round(value, 4) for key, value in told.items()},
    }


def _tables(name: str, rows: Rows) -> Iterable[str]:
    systems = list(dict.fromkeys(row["system"] for row in rows))
    yield f"\n## {name}: {len({row['id'] for row in rows})} questions\n"
    yield f"| | {' | '.join(FIGURES)} |"
    yield "|---" * (len(FIGURES) + 1) + "|"
    for system in systems:
        mine = [row for row in rows if row["system"] == system]
        yield f"| {system} | " + " | ".join(_mean(mine, key) for key in FIGURES) + " |"
    yield from _outdated(systems, rows)
    times = sorted(row["ms"] for row in rows if "ms" in row)
    yield f"\nours: {times[len(times) // 2]:.1f} ms of CPU a question (median)"
    yield f"\n| R@10 by kind (questions) | {' | '.join(systems)} |"
    yield "|---" * (len(systems) + 1) + "|"
    for kind, own in _by_kind(rows).items():
        count = len({row["id"] for row in own})
        cells = [_mean([r for r in own if r["system"] == s], "R@10") for s in systems]
        yield f"| {kind} ({count}) | " + " | ".join(cells) + " |"


def _outdated(systems: list[str], rows: Rows) -> Iterable[str]:
    changed = [row for row in rows if row["stale"] is not None]
    for system in systems if changed else ():
        told = [row["stale"] for row in changed if row["system"] == system]
        yield f"\n{system}: what no longer holds comes first for {sum(told)} of {len(told)}"


def _by_kind(rows: Rows) -> dict[str, Rows]:
    kinds: dict[str, Rows] = defaultdict(list)
    for row in rows:
        kinds[row["kind"]].append(row)
    parts = {row["part"] for row in rows}
    for part in sorted(parts) if len(parts) > 1 else ():
        kinds[f"all of {part}"] = [row for row in rows if row["part"] == part]
    return dict(sorted(kinds.items()))


def _mean(rows: Rows, key: str) -> str:
    return f"{sum(row[key] for row in rows) / max(len(rows), 1):.3f}"


if __name__ == "__main__":
    raise SystemExit(main())
