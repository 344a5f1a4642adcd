"""Pin every package for development and for the bench, with hashes.

One lock serves Linux on x86-64 and arm64 and every Python that we support. Without `--upgrade`
the pins that still fit stay as they are.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = "3.11"

LOCKS: dict[str, list[str]] = {
    "requirements/dev.txt": [
        *("pyproject.toml", "requirements/dev.in"),
        *("--extra", "postgres", "--extra", "embed", "--extra", "models"),
    ],
    "requirements/bench.txt": ["requirements/bench.in"],
}


def command(lock: str, sources: list[str], *, upgrade: bool) -> list[str]:
    return [
        str(Path(sys.executable).with_name("uv")),
        *("pip", "compile", *sources, "--output-file", lock),
        *("--universal", "--python-version", OLDEST_PYTHON, "--generate-hashes", "--no-config"),
        *("--custom-compile-command", "make lock", "--quiet"),
        *(["--upgrade"] if upgrade else []),
    ]


def registry_only() -> dict[str, str]:
    """The environment without anything that would point uv at another index than the public one."""
    return {name: value for name, value in os.environ.items() if not name.startswith("UV_")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="take the newest that fits")
    upgrade = parser.parse_args().upgrade
    for lock, sources in LOCKS.items():
        print(f"{lock} ← {', '.join(sources)}")
        step = command(lock, sources, upgrade=upgrade)
        done = subprocess.run(step, cwd=ROOT, env=registry_only(), check=False)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
