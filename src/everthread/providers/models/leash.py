"""Runs a command that dies with whoever asked for it. A program of its own; imports nothing of ours.

Called with a descriptor and a command. The other end of the descriptor is held by the process that
asked: when that one is gone, however it went, the end closes, and the whole group is killed.
"""

import os
import signal
import subprocess
import sys
import threading


def watch(descriptor: int) -> None:
    os.read(descriptor, 1)
    os.killpg(0, signal.SIGKILL)


def main() -> int:
    descriptor = int(sys.argv[1])
    os.set_inheritable(descriptor, False)  # noqa: FBT003 - so it is called
    threading.Thread(target=watch, args=(descriptor,), daemon=True).start()
    try:
        return subprocess.run(sys.argv[2:], check=False).returncode
    except OSError as trouble:
        sys.stderr.write(f"{trouble.strerror}: {sys.argv[2]}\n")
        return 127


if __name__ == "__main__":
    sys.exit(main())
