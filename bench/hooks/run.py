"""What a hook costs, how the daemon starts, and what it holds in memory.

    python bench/hooks/run.py [--only cpu|start] [--rounds N]

Everything is measured side by side with its floor, in turns, and told as a ratio. Figures are printed,
and kept in bench/results/hooks.json.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from everthread.edges.daemon import running_daemon
from everthread.edges.daemon.places import Places
from everthread.edges.hooks.command import command_for, install_client, start_command
from everthread.settings import Settings

OUT = Path(__file__).parents[1] / "results"
PARTS = ("cpu", "start")
MEMORIES = 1_000

BARE = """
import socket, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def health(request):
    return JSONResponse({"name": "bare"})

app = Starlette(routes=[Route("/health", health)])
config = uvicorn.Config(app, uds=sys.argv[1], log_config=None, access_log=False, lifespan="off", ws="none")
uvicorn.Server(config).run()
"""


class Daemon:
    """A daemon in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(home=folder / "home", embedder="off")
        self.places = Places(self.settings.home)
        self.project = folder / "project"
        self.project.mkdir()
        install_client(self.settings)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        env = {**os.environ, "EVERTHREAD_EMBEDDER": "off"}
        self.process = subprocess.Popen(
            start_command(self.settings), env=env, stderr=subprocess.DEVNULL
        )

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(60)
            self.process = None

    def until_open(self) -> None:
        def opened() -> bool:
            found = running_daemon.find(self.places)
            return found is not None and found.store_open

        assert running_daemon.wait_until(opened, 60)

    def prompt(self, text: str, session: str = "s-1") -> bytes:
        return json.dumps(
            {
                "session_id": session,
                "cwd": str(self.project),
                "hook_event_name": "UserPromptSubmit",
                "prompt": text,
            }
        ).encode()

    @property
    def rss(self) -> float:
        """Megabytes."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


class Line:
    """One kept connection to the Unix socket."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._file = self._socket.makefile("rb")

    def ask(self, method: str, path: str, body: bytes = b"") -> int:
        head = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
        self._socket.sendall(head.encode() + body)
        status = int(self._file.readline().split()[1])
        size = 0
        while (line := self._file.readline()) != b"\r\n":
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        self._file.read(size)
        return status

    def close(self) -> None:
        self._file.close()
        self._socket.close()


@contextmanager
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="et-bench-"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def spent(words: list[str], stdin: Path) -> float:
    """Milliseconds of CPU of one command."""
    nowhere = [(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_WRONLY, 0) for n in (1, 2)]
    streams = [(os.POSIX_SPAWN_OPEN, 0, str(stdin), os.O_RDONLY, 0), *nowhere]
    child = os.posix_spawn(words[0], words, os.environ, file_actions=streams)
    _, status, usage = os.wait4(child, 0)
    assert status == 0
    return 1_000 * (usage.ru_utime + usage.ru_stime)


def cpu(rounds: int) -> dict[str, Any]:
    """A prompt hook, the daemon up and down, against the interpreter that does nothing."""
    with folder() as place:
        (place / "up").mkdir()
        (place / "down").mkdir()
        up, down = Daemon(place / "up"), Daemon(place / "down")
        down.places.stopped.touch()
        fill(up, memories=MEMORIES)
        up.start()
        up.until_open()
        event = place / "event.json"
        event.write_bytes(up.prompt("which port does service 700 listen on?"))
        hook = {
            "hook, daemon up": command_for(up.settings, "claude-code", "UserPromptSubmit"),
            "hook, spooling": command_for(down.settings, "claude-code", "UserPromptSubmit"),
        }
        # What is measured is a hook that stores the prompt and is given what was recalled.
        answers = [
            subprocess.run(
                hook["hook, daemon up"], stdin=event.open(), capture_output=True, check=True
            )
            for _ in range(5)
        ]
        assert b"listens on port" in answers[-1].stdout, answers[-1]
        bare = [*hook["hook, daemon up"][:3], "-c", "pass"]
        cases = {"python -I -S -c pass": bare, **hook}
        times: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(rounds):
            for name, words in cases.items():
                times[name].append(spent(words, event))
        up.stop()
    floor = statistics.median(times["python -I -S -c pass"])
    return {
        name: {
            "cpu_ms": round(statistics.median(found), 2),
            "min_ms": round(min(found), 2),
            "ratio": round(statistics.median(found) / floor, 3),
        }
        for name, found in times.items()
    }


def start(rounds: int) -> dict[str, Any]:
    """From nothing to the first answer, against a bare Starlette app; and memory before any event."""
    times: dict[str, list[float]] = {"bare": [], "ours": []}
    rss: list[float] = []
    with folder() as place:
        for number in range(max(3, rounds // 5)):
            (place / str(number)).mkdir()
            ours = Daemon(place / str(number))
            began = time.perf_counter()
            ours.start()
            times["ours"].append(first_answer(ours.places.socket, began))
            ours.until_open()
            rss.append(ours.rss)
            ours.stop()
            path = place / f"{number}.sock"
            began = time.perf_counter()
            process = subprocess.Popen([sys.executable, "-c", BARE, str(path)])
            times["bare"].append(first_answer(path, began))
            process.terminate()
            process.wait()
    bare, own = (statistics.median(times[name]) for name in ("bare", "ours"))
    return {
        "bare_ms": round(bare),
        "ours_ms": round(own),
        "ratio": round(own / bare, 2),
        "rss_mb": round(statistics.median(rss), 1),
    }


def first_answer(path: Path, began: float) -> float:
    while True:
        try:
            line = Line(path)
        except OSError:
            time.sleep(0.002)
            continue
        line.ask("GET", "/health")
        line.close()
        return 1_000 * (time.perf_counter() - began)


def fill(daemon: Daemon, *, memories: int) -> None:
    """Give the project's agent something to recall."""
    import everthread
    from everthread.wiring import project_agent

    name = project_agent(daemon.project)
    assert name is not None
    with everthread.connect(settings=daemon.settings, background=False) as et:
        agent = et.agent(name)
        for number in range(memories):
            agent.remember(
                f"service {number} listens on port {8_000 + number} and logs to disk {number % 7}"
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--rounds", type=int, default=30)
    asked = parser.parse_args()
    told: dict[str, Any] = {}
    for name in PARTS:
        if asked.only in (None, name):
            told[name] = globals()[name](asked.rounds)
            print(name, json.dumps(told[name], indent=2), flush=True)
    OUT.mkdir(exist_ok=True)
    path = OUT / "hooks.json"
    before = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps(before | told, indent=1, sort_keys=True) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
