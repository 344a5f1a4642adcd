"""Import of harness histories against a bare loop: parse the JSON, insert the rows, index the words.

    python bench/import/run.py [--megabytes 20] [--rounds 3]

Both read the same synthetic transcripts, one after the other, in one run; the ratio is what counts.
Our index of words follows in the background, as after every append, and is not in the figure.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SPOKEN = """the cart price port config server test deploy cache index query user session token file
change error build release branch merge schema table column retry timeout limit buffer stream"""
WORDS = SPOKEN.split()
PER_FILE = 400


def text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=words)) + f" {rng.randrange(10**6)}."


def transcript(rng: random.Random, session: str, project: str) -> str:
    """A session as Claude Code writes it: prompts, replies, tool calls, results, bookkeeping."""
    rows: list[str] = []

    def add(kind: str, **fields: object) -> None:
        n = len(rows)
        at = f"2026-0{1 + n % 6}-11T10:{n // 60 % 60:02}:{n % 60:02}.000Z"
        row = {"parentUuid": None, "isSidechain": False, "type": kind, "uuid": f"{session}-{n}"}
        row |= {"timestamp": at, "cwd": project, "sessionId": session, "version": "2.1.325"}
        rows.append(json.dumps(row | fields))

    while len(rows) < PER_FILE:
        add("user", message={"role": "user", "content": text(rng, 30)})
        add("attachment", attachment={"type": "date", "date": "2026-01-11"})
        for call in range(3):
            key = f"toolu_{session}_{len(rows)}"
            use = {
                "type": "tool_use",
                "id": key,
                "name": "Bash",
                "input": {"command": text(rng, 8)},
            }
            usage = {"input_tokens": 900, "output_tokens": 40}
            add("assistant", message={"role": "assistant", "content": [use], "usage": usage})
            result = {"type": "tool_result", "tool_use_id": key, "content": text(rng, 200)}
            add("user", message={"role": "user", "content": [result]}, toolUseResult={"n": call})
        said = [{"type": "text", "text": text(rng, 120)}]
        add("assistant", message={"role": "assistant", "content": said, "model": "claude"})
    return "\n".join(rows) + "\n"


def write_histories(home: Path, megabytes: float) -> int:
    rng, size, number = random.Random(7), 0, 0
    while size < megabytes * 1e6:
        folder = home / ".claude" / "projects" / f"-p{number % 5}"
        folder.mkdir(parents=True, exist_ok=True)
        session = f"00000000-0000-4000-8000-{number:012}"
        data = transcript(rng, session, f"/srv/p{number % 5}")
        (folder / f"{session}.jsonl").write_text(data)
        size, number = size + len(data), number + 1
    return size


def bare(home: Path, place: Path) -> int:
    """What nobody can do without: parse, insert, index."""
    db = sqlite3.connect(place)
    db.executescript(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        "CREATE TABLE m (id INTEGER PRIMARY KEY, ext TEXT UNIQUE, role TEXT, at TEXT, content TEXT);"
        "CREATE VIRTUAL TABLE f USING fts5(content, content='');"
    )
    count = 0
    for file in sorted(home.rglob("*.jsonl")):
        with file.open() as lines, db:
            for line in lines:
                row = json.loads(line)
                message = row.get("message")
                if message is None:
                    continue
                count += 1
                content = json.dumps(message["content"])
                values = (count, row["uuid"], message["role"], row["timestamp"], content)
                db.execute("INSERT INTO m VALUES (?, ?, ?, ?, ?)", values)
                db.execute("INSERT INTO f (rowid, content) VALUES (?, ?)", (count, content))
    db.close()
    return count


def ours(home: Path, place: Path) -> int:
    import everthread
    from everthread import Settings
    from everthread.edges.harnesses import histories, history_import

    settings = Settings(home=place.parent / "home", embedder="off")
    found = sorted(histories.find_histories({}, home, home), key=lambda h: h.started)
    with everthread.connect(place, background=False, settings=settings) as engine:
        ledger = history_import.Ledger(settings.home, engine.location)
        taken = [history_import.take(engine, h, settings.home, None, ledger) for h in found]
        ledger.save()
    return sum(one.messages for one in taken)


def timed(work: Callable[[Path, Path], int], home: Path) -> tuple[float, int]:
    """Seconds of the processor: whoever else works on this machine must not count."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        count = work(home, Path(folder) / "store.db")
        return time.process_time() - began, count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        warm = Path(folder) / "warm"
        write_histories(warm, 0.1)
        timed(ours, warm)  # what is loaded once is not what is measured
        size = write_histories(home, chosen.megabytes)
        ratios: list[float] = []
        for _ in range(chosen.rounds):
            plain, count = timed(bare, home)
            real, messages = timed(ours, home)
            assert messages == count, (messages, count)
            ratios.append(plain / real)
            print(f"bare {plain:.2f} s, import {real:.2f} s: {plain / real:.2f} x its speed")
    ratio = sorted(ratios)[len(ratios) // 2]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"{size / 1e6:.0f} MB, {count:,} messages: {ratio:.2f} (at least 0.3); {memory:.0f} MB")


if __name__ == "__main__":
    main()
