"""How quick the daemon is beside a harness, against its floors. Prints what passes and what misses.

Ends with 0 unless the bench itself is broken: a noisy machine must not fail a build.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from beside import Line, Place, Server, once  # noqa: E402 - after its folder is on the path
from figures import Report, shown  # noqa: E402 - after its folder is on the path
from words import asked as question  # noqa: E402 - after its folder is on the path
from words import prepare, said  # noqa: E402 - after its folder is on the path

from everthread.edges.harnesses.event_desk import answer  # noqa: E402 - after its folder is on the path

HOOK = "/hook/claude-code/"
PROMPT, START, STOP, NOTHING = "UserPromptSubmit", "SessionStart", "Stop", "PreToolUse"
"""The last is one that the daemon takes and does nothing with: an empty hook."""

END = "SessionEnd"
WORK = "Move the queue to the new schema; src/queue/schema.py is half done, then run the tests"
MS = 1_000_000
SESSIONS = 32


def prompt(folder: Path, asked: argparse.Namespace) -> Report:
    """A prompt: stored and answered, against recalling for the same words. In one process, in turns."""
    report = Report("prompt: an event in the daemon, against recall alone")
    place = Place(folder)
    place.filled(10_000)
    own: list[tuple[int, int]] = []
    floor: list[tuple[int, int]] = []
    given = 0
    with place.open() as engine:
        agent = engine.agent(place.agent)
        for n in range(asked.rounds):
            # Other words each time: nothing may come from a cache.
            one, two = question(2 * n), question(2 * n + 1)
            body = place.event(PROMPT, f"s-{n % 8}", prompt=one)
            told: list[bytes] = []
            event = _taken(
                lambda b=body, t=told: t.append(
                    answer(engine, place.settings, "claude-code", PROMPT, b, {})
                )
            )
            alone = _taken(lambda t=two: agent.recall(t, limit=15))
            given += bool(told[0])
            if n >= asked.rounds // 10:
                own.append(event)
                floor.append(alone)
    for kind, which in (("wall", 0), ("CPU", 1)):
        event_us = report.sampled(f"prompt event, {kind}", [each[which] for each in own])
        alone_us = report.sampled(f"recall alone, {kind}", [each[which] for each in floor])
        added = (event_us - alone_us) / 1000
        report.ratio(f"event over recall, {kind}", f"prompt event, {kind}", f"recall alone, {kind}")
        report.add(f"what the event adds, {kind}", added, unit="ms", budget=3.0)
    report.add("prompts that were given something", given / asked.rounds, unit="of all")
    return report


def _taken(work: Callable[[], object]) -> tuple[int, int]:
    """Nanoseconds by the clock, and of this process's CPU."""
    began, spent = time.perf_counter_ns(), time.process_time_ns()
    work()
    return time.perf_counter_ns() - began, time.process_time_ns() - spent


def start(folder: Path, asked: argparse.Namespace) -> Report:
    """A session that begins beside a hundred thousand messages, with recovery; over the socket."""
    report = Report(f"start: a session with recovery at {asked.messages:,} messages")
    place = Place(folder)
    place.filled(asked.messages)
    _session_before(place)
    server = place.daemon()
    line = Line(server.socket)
    starts: list[int] = []
    empty: list[int] = []
    given = 0
    for n in range(asked.rounds // 4):
        took, told = line.timed(HOOK + START, place.event(START, f"new-{n}", source="startup"))
        given += b"new schema" in told
        starts.append(took)
        empty.append(line.timed(HOOK + NOTHING, place.event(NOTHING, f"new-{n}"))[0])
    line.close()
    server.stop()
    report.add("starts without their recovery", asked.rounds // 4 - given, unit="", budget=0)
    report.add("the first one, cold", starts.pop(0) / MS, unit="ms")
    report.sampled("session start", starts)
    report.sampled("empty hook", empty)
    report.ratio("start over an empty hook", "session start", "empty hook")
    report.add("session start, p50", statistics.median(starts) / MS, unit="ms", budget=80.0)
    return report


def _session_before(place: Place) -> None:
    """Somebody worked here until a moment ago, and left."""
    server = place.daemon()
    line = Line(server.socket)
    events = [(START, {"source": "startup"}), (PROMPT, {"prompt": WORK}), (STOP, {"reason": ""})]
    for name, fields in [*events, (END, {"reason": "other"})]:
        line.timed(HOOK + name, place.event(name, "before", **fields))
    line.close()
    server.stop()


def append(folder: Path, asked: argparse.Namespace) -> Report:
    """A reply, stored: the daemon against Starlette with the library's verb; CPU and wall, in turns."""
    report = Report("append: a reply stored by the daemon, against Starlette and the same verb")
    place = Place(folder)
    place.filled(1_000)
    ours, bare = place.daemon(), place.bare()
    servers: dict[str, tuple[Server, str]] = {
        "daemon": (ours, HOOK + STOP),
        "Starlette + record": (bare, "/append"),
    }
    lines = {name: Line(server.socket) for name, (server, _) in servers.items()}
    wall: dict[str, list[int]] = {name: [] for name in servers}
    cpu: dict[str, list[int]] = {name: [] for name in servers}
    block = 50
    for n in range(asked.rounds // 5):
        for name, (server, way) in servers.items():
            bodies = [
                place.event(STOP, f"s-{k % 4}", last_assistant_message=said(50_000 + n * block + k))
                for k in range(block)
            ]
            before = server.cpu
            took = [lines[name].timed(way, body)[0] for body in bodies]
            if n:  # the first block warms up
                wall[name] += took
                cpu[name].append((server.cpu - before) // block)
    for name, (server, _) in servers.items():
        lines[name].close()
        server.stop()
    assert _counted(place) == 1_000 + asked.rounds // 5 * block, "not every reply was stored"
    for name in servers:
        report.sampled(f"{name}, wall", wall[name])
        report.sampled(f"{name}, CPU", [round(statistics.mean(cpu[name]))])
    report.ratio("append, wall", "daemon, wall", "Starlette + record, wall", budget=2.0)
    report.ratio("append, CPU", "daemon, CPU", "Starlette + record, CPU", budget=2.0)
    return report


def _counted(place: Place) -> int:
    with place.open() as engine:
        return len(engine.agent(place.agent).messages(limit=1_000_000))


def crowd(folder: Path, asked: argparse.Namespace) -> Report:
    """Thirty-two sessions, one prompt a second each; now and then an empty hook, to compare."""
    report = Report(f"crowd: {SESSIONS} sessions, one event a second each, {asked.seconds} s")
    place = Place(folder)
    place.filled(5_000)
    server = place.daemon()
    taken: list[int] = []
    empty: list[int] = []
    errors: list[BaseException] = []
    sizes: list[float] = []
    began = time.monotonic() + 1

    def session(number: int) -> None:
        for second in range(asked.seconds):
            time.sleep(max(0.0, began + second + number / SESSIONS - time.monotonic()))
            words = f"{question(number * 60 + second)} <{number}/{second}>"
            try:
                body = place.event(PROMPT, f"crowd-{number}", prompt=words)
                taken.append(once(server.socket, HOOK + PROMPT, body))
                if (second + number) % 4 == 0:
                    body = place.event(NOTHING, f"crowd-{number}")
                    empty.append(once(server.socket, HOOK + NOTHING, body))
            except (AssertionError, OSError) as wrong:
                errors.append(wrong)

    threads = [threading.Thread(target=session, args=(n,)) for n in range(SESSIONS)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(1)
        sizes.append(server.rss)
    server.stop()
    report.sampled("prompt event", taken)
    report.sampled("empty hook", empty)
    late, alone = (_p99(found) for found in (taken, empty))
    report.add("errors", len(errors), unit="", budget=0)
    report.add("lost events", SESSIONS * asked.seconds - _stored(place), unit="", budget=0)
    report.add("p99", late / MS, unit="ms", note=f"of an empty hook {alone / MS:.1f} ms")
    half = len(sizes) // 2
    grown = statistics.mean(sizes[half:]) / statistics.mean(sizes[max(1, half // 2) : half])
    report.add("memory, second half over the quarter before", grown, budget=1.1)
    report.add("memory at the end", sizes[-1], unit="MB")
    return report


def _p99(taken: list[int]) -> int:
    return sorted(taken)[min(len(taken) - 1, len(taken) * 99 // 100)]


def _stored(place: Place) -> int:
    with place.open() as engine:
        agent = engine.agent(place.agent)
        found = {
            message.text.rpartition("<")[2]
            for message in agent.messages(limit=100_000)
            if message.role == "user" and message.text.endswith(">")
        }
    return len(found)


def memory(folder: Path, asked: argparse.Namespace) -> Report:
    """What the daemon holds before its first event and after ten thousand messages, without embedder."""
    report = Report("memory: the daemon's own, without the embedder")
    place = Place(folder)
    server = place.daemon()
    report.add("before the first event", server.rss, unit="MB", budget=60.0)
    line = Line(server.socket)
    for number in range(10):
        path = folder / f"{number}.jsonl"
        rows = (_transcribed(number, n) for n in range(1_000))
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        fields = {"transcript_path": str(path)}
        line.timed(HOOK + START, place.event(START, f"t-{number}", source="startup", **fields))
        line.timed(
            HOOK + PROMPT, place.event(PROMPT, f"t-{number}", prompt=question(number), **fields)
        )
        line.timed(HOOK + STOP, place.event(STOP, f"t-{number}", **fields))
    line.close()
    size = server.rss
    server.stop()
    assert _counted(place) >= 10_000, "not every message of the transcripts was stored"
    report.add("after 10,000 messages", size, unit="MB", budget=100.0)
    return report


def _transcribed(number: int, n: int) -> dict[str, object]:
    role = ("user", "assistant")[n % 2]
    words = said(number * 1_000 + n)
    content: object = words if role == "user" else [{"type": "text", "text": words}]
    second = time.gmtime(time.time() - 7_200 + n)
    return {
        "type": role,
        "uuid": f"{number}-{n}",
        "sessionId": f"t-{number}",
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", second),
        "message": {"role": role, "content": content},
    }


BENCHES: dict[str, Callable[[Path, argparse.Namespace], Report]] = {
    "prompt": prompt,
    "start": start,
    "append": append,
    "crowd": crowd,
    "memory": memory,
}


def main() -> int:
    asked = _arguments()
    reports: list[Report] = []
    for name in [asked.only] if asked.only else BENCHES:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="et-bench-") as folder:
            prepare(Path(folder))
            try:
                report = BENCHES[name](Path(folder), asked)
            except AssertionError as error:
                print(f"{name}: broken: {error}", file=sys.stderr)
                return 1
        reports.append(report)
        print(*shown(report), f"    ({time.monotonic() - began:.0f} s)", sep="\n", flush=True)
    print(f"\nload average {os.getloadavg()[0]:.1f}")
    if asked.json:
        document = {"benches": [report.as_json() for report in reports]}
        Path(asked.json).write_text(json.dumps(document, indent=2) + "\n")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=BENCHES, help="this bench alone")
    parser.add_argument("--quick", action="store_true", help="a rough look")
    parser.add_argument("--json", metavar="FILE", help="also write the figures here")
    asked = parser.parse_args()
    asked.rounds = 40 if asked.quick else 200
    asked.messages = 10_000 if asked.quick else 100_000
    asked.seconds = 10 if asked.quick else 60
    return asked


if __name__ == "__main__":
    sys.exit(main())
