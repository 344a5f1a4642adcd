"""Facts that change, in other words: does recall tell the one that holds first?

    python bench/recall/changes.py [--setting together] [--store URL]

Sixty short histories in changes.jsonl, each over days to months. In each a fact is told anew once or twice,
beside figures and names of the same kind that are of something else. Each is asked about three times: how it
is now, how it was or when it changed, and for a fact beside it that never changed. They are measured in one
agent's store together, so that they distract each other, and each alone. Sessions end as they would have
ended, so memories stand beside the messages. Half of the histories, drawn by chance, are held: of these only
sums are told, and nothing is written down.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ours import entry_of
from talks import Question, Said, Talk
from vectors import keep

import everthread
from everthread import Agent, Everthread, Settings
from everthread.jobs.duties import HANDLERS
from everthread.jobs.worker import Worker
from everthread.services.job_names import ENDED, EXTRACT
from everthread.testing import FrozenClock

HERE = Path(__file__).parent
OUT = HERE / "out"
LIMIT, NEAR = 10, 3
SITTING = timedelta(hours=2)
"""What is said after a longer pause belongs to the next sitting."""
REST = timedelta(hours=9)
"""From the last word of a sitting until it is over, and its end was seen to."""
HEAD = (
    "| | present first | outdated before it | present in 3 | was: old in 3 | unchanged: first |",
    "|---" * 6 + "|",
)
Rows = list[dict[str, Any]]


def load() -> list[Talk]:
    """Each history as a talk of its own."""
    lines = (HERE / "changes.jsonl").read_text("utf-8").splitlines()
    return [_talk(json.loads(line)) for line in lines]


def _talk(line: dict[str, Any]) -> Talk:
    name = line["id"]
    talk = Talk(name)
    for n, (at, role, text) in enumerate(line["said"]):
        moment = datetime.fromisoformat(at).replace(tzinfo=UTC)
        talk.said.append(Said(f"{name}:{n}", role, None, text, moment))
    for one in line["asked"]:
        ids = [frozenset(f"{name}:{n}" for n in one[key]) for key in ("gold", "outdated")]
        asked = f"{name}/{one['kind']}"
        talk.questions.append(
            Question(asked, one["kind"], one["question"], ids[0], line["part"], ids[1])
        )
    return talk


def together(talks: Sequence[Talk]) -> Talk:
    """All of them in one store, in the order of time."""
    said = sorted((said for talk in talks for said in talk.said), key=lambda said: said.at)
    return Talk("together", said, [asked for talk in talks for asked in talk.questions])


def sittings(said: Sequence[Said]) -> Iterator[list[Said]]:
    """What was said without a long pause."""
    number, last = 0, said[0].at
    numbered: list[tuple[int, Said]] = []
    for each in said:
        number += each.at - last > SITTING
        last = each.at
        numbered.append((number, each))
    for _, own in groupby(numbered, key=lambda pair: pair[0]):
        yield [each for _, each in own]


def asked(talk: Talk, store: str | Path) -> Iterable[dict[str, Any]]:
    """What comes back for each question, after all was said, ended, learnt and indexed."""
    clock = FrozenClock(talk.said[0].at)
    with everthread.connect(store, background=False, settings=Settings(), clock=clock) as et:
        agent = et.agent("ada")
        _live(et, agent, clock, talk)
        for question in talk.questions:
            yield row_of(question, _found(agent, question.text))


def _live(et: Everthread, agent: Agent, clock: FrozenClock, talk: Talk) -> None:
    worker = Worker(et.house, handlers={kind: HANDLERS[kind] for kind in (ENDED, EXTRACT)})
    for sitting in sittings(talk.said):
        clock.set(sitting[-1].at)
        agent.record([entry_of(said) for said in sitting])
        clock.set(sitting[-1].at + REST)
        while worker.step():
            pass
    agent.index()


def _found(agent: Agent, question: str) -> list[str]:
    hits = agent.recall(question, limit=LIMIT)
    ids = [m.external_id for hit in hits for m in hit.messages if m.external_id is not None]
    return list(dict.fromkeys(ids))


def row_of(question: Question, found: list[str]) -> dict[str, Any]:
    """Is what holds first, or near; does what no longer holds stand before it?"""
    places = [n for n, one in enumerate(found) if one in question.gold]
    old = [n for n, one in enumerate(found) if one in question.outdated]
    best = min(places, default=LIMIT)
    return {
        "id": question.id,
        "kind": question.kind,
        "part": question.part,
        "question": question.text,
        "gold": sorted(question.gold),
        "outdated": sorted(question.outdated),
        "found": found,
        "first": best == 0,
        "near": best < NEAR,
        "stale": min(old, default=LIMIT) < best,
    }


def _tell(setting: str, rows: Rows) -> None:
    for part in ("dev", "held"):
        own = [row for row in rows if row["part"] == part]
        now = [row for row in own if row["kind"] == "now"]
        was = [row for row in own if row["kind"] in ("was", "change")]
        still = [row for row in own if row["kind"] == "still"]
        asked = [(now, "first"), (now, "stale"), (now, "near"), (was, "near"), (still, "first")]
        cells = " | ".join(f"{sum(row[key] for row in some)} of {len(some)}" for some, key in asked)
        print(f"| {setting}, {part} | {cells} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--setting", choices=("together", "alone"))
    parser.add_argument("--store", help="where it is kept, such as postgresql://…")
    wanted = parser.parse_args()
    keep(OUT)
    talks = load()
    print(
        "| | present first | outdated before it | present in 3 | was: old in 3 |\n|---|---|---|---|---|"
    )
    for setting, own in {"together": [together(talks)], "alone": talks}.items():
        if wanted.setting in (None, setting):
            rows = [row for talk in own for row in _measured(talk, wanted.store)]
            with (OUT / f"changes-{setting}.jsonl").open("w", encoding="utf-8") as file:
                shown = (row for row in rows if row["part"] == "dev")
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in shown)
            _tell(setting, rows)
    return 0


def _measured(talk: Talk, store: str | None) -> Rows:
    with TemporaryDirectory(prefix="everthread-changes-") as folder:
        return list(asked(talk, store or Path(folder) / "talk.db"))


if __name__ == "__main__":
    raise SystemExit(main())
