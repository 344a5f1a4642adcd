"""Fetch the real clients that the end-to-end tests run. Run by `make test`; quick where cached.

usage: tools/clients.py [NAME ...]      (all but OpenClaw where none is named)

What cannot be had is said here and skipped, with the same reason, by its tests.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support import clients


def main(names: list[str]) -> None:
    for name in names or clients.USUAL:
        if name not in clients.CLIENTS:
            sys.exit(f"There is no client {name!r}; there are {', '.join(clients.CLIENTS)}.")
        wanted = clients.CLIENTS[name]
        present = (wanted.folder / clients.COMPLETE).exists()
        began = time.monotonic()
        missing = clients.why_missing(name)
        if missing is not None:
            print(f"{name} {wanted.version}: not here, its tests are skipped: {missing}")
        elif not present:
            print(f"{name} {wanted.version}: installed in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
