"""How long a client waits for the bridge, from its start to the first answers, beside the SDK's import.

    .venv/bin/python bench/mcp/run.py [--rounds 20]

Competitors take turns; what counts are ratios of medians. The machine's load is in all of them alike.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from everthread.edges.daemon import running_daemon
from everthread.edges.daemon.places import Places
from everthread.edges.mcp.command import bridge_command
from everthread.settings import Settings

HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench"}}
COMMAND = str(Path(sys.executable).with_name("everthread"))


def line(ident: int, method: str, **params: object) -> bytes:
    return (
        json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": params}).encode()
        + b"\n"
    )


def ended(argv: Sequence[str], env: dict[str, str]) -> float:
    """Seconds until a program has ended."""
    began = time.perf_counter()
    subprocess.run(argv, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def answered(argv: Sequence[str], env: dict[str, str]) -> float:
    """Seconds until it has answered the handshake and listed its tools."""
    began = time.perf_counter()
    with subprocess.Popen(argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bridge:
        assert bridge.stdin is not None and bridge.stdout is not None
        bridge.stdin.write(line(1, "initialize", **HANDSHAKE) + line(2, "tools/list"))
        bridge.stdin.flush()
        for _ in range(2):
            assert b'"result"' in bridge.stdout.readline()
        took = time.perf_counter() - began
        bridge.stdin.close()
    return took


def called(argv: Sequence[str], env: dict[str, str], calls: int) -> tuple[float, list[float]]:
    """Seconds of the first call, with no daemon running, and of each one after it."""
    times: list[float] = []
    with subprocess.Popen(
        argv, env=env, cwd=env["EVERTHREAD_HOME"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as bridge:
        assert bridge.stdin is not None and bridge.stdout is not None
        for n in range(calls):
            began = time.perf_counter()
            arguments = {"query": "which port?"}
            bridge.stdin.write(line(n, "tools/call", name="memory_search", arguments=arguments))
            bridge.stdin.flush()
            assert b'"isError":false' in bridge.stdout.readline()
            times.append(time.perf_counter() - began)
        bridge.stdin.close()
    return times[0], times[1:]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="et-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        env = {**os.environ, "EVERTHREAD_HOME": str(home), "EVERTHREAD_AGENT": "bench"}
        argv = bridge_command(Settings.load(home, env))
        # Only the bridge is measured: a daemon elsewhere is not started.
        alone = {**env, "EVERTHREAD_URL": "http://127.0.0.1:9"}
        competitors: dict[str, Callable[[], float]] = {
            "python -I -c pass": lambda: ended([sys.executable, "-I", "-c", "pass"], alone),
            "import mcp.server": lambda: ended([sys.executable, "-c", "import mcp.server"], alone),
            "the bridge": lambda: answered(argv, alone),
            "everthread mcp": lambda: answered([COMMAND, "mcp"], alone),
        }
        times: dict[str, list[float]] = {name: [] for name in competitors}
        for _ in range(rounds):
            for name, measure in competitors.items():
                times[name].append(measure())
        sdk = statistics.median(times["import mcp.server"])
        for name, each in times.items():
            median = statistics.median(each)
            print(f"{name:20} {median * 1e3:8.1f} ms   {median / sdk:6.3f} x the SDK's import")
        first, later = called(argv, env, 50)
        print(f"first call, no daemon  {first * 1e3:8.1f} ms (starts it, and loads the SDK in it)")
        print(f"later calls, median    {statistics.median(later) * 1e3:8.1f} ms")
        pid = running_daemon.lock_holder(Places(home))
        if pid is not None:
            os.kill(pid, signal.SIGTERM)
            running_daemon.wait_until(lambda: running_daemon.lock_holder(Places(home)) is None, 10)


if __name__ == "__main__":
    main()
