"""Real clients at work: each with a home, a project and a scripted model of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from everthread.edges.daemon import running_daemon
from everthread.edges.daemon.places import Places

from .born import Child, lived
from .clients import node
from .daemon import started
from .model_script import ScriptedModel
from .shapes import Json

TURN_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Ran:
    """How a client's run ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Json:
        return json.loads(self.out)


class Place:
    """A home folder, a project and the environment in which a client runs: nothing of ours."""

    def __init__(self, root: Path, model: ScriptedModel) -> None:
        self.root = root
        self.model = model
        self.home = root / "home of ada"
        self.project = self.folder("project")
        self.mark = f"everthread-test-{uuid.uuid4().hex}"
        self.vectors = False
        self.served = False
        """Is a daemon up before a client needs one? Else the client's own hook starts it."""
        self._daemon: Child | None = None
        self.home.mkdir(parents=True)

    def folder(self, name: str) -> Path:
        """A folder for work, with a repository in it as most have."""
        folder = self.root / name
        (folder / ".git").mkdir(parents=True)
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (folder / "README.md").write_text(f"# {name}\n")
        return folder

    @property
    def environ(self) -> dict[str, str]:
        """Made from nothing: what the tests run in must not reach the client."""
        return {
            "PATH": os.pathsep.join([str(node().parent), "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "SHELL": "/bin/bash",
            "TMPDIR": str(self.temporary),
            "EVERTHREAD_HOME": str(self.everthread_home),
            "EVERTHREAD_TEST_MARK": self.mark,
            # Near what a client waits at most: how busy the machine is shall not decide a test.
            "EVERTHREAD_HOOK_START_SECONDS": "4.5",
            "EVERTHREAD_HOOK_PROMPT_MS": "1800",
            "EVERTHREAD_COMPACTION_SECONDS": "4.5",
            # To load the model takes as long as a turn: only where something is searched for by it.
            **({} if self.vectors else {"EVERTHREAD_EMBEDDER": "off"}),
        }

    @property
    def everthread_home(self) -> Path:
        # With a space, as a user's folder may have; a hook that goes through a shell must cope.
        return self.root / "our things"

    @property
    def temporary(self) -> Path:
        folder = self.root / "tmp"
        folder.mkdir(exist_ok=True)
        return folder

    def run(
        self,
        command: list[str],
        *,
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
        seconds: float = TURN_SECONDS,
    ) -> Ran:
        """Run to the end, or to the end of our patience: then it and all it started are killed."""
        process = self.start(command, cwd=cwd, environ=environ)
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            kill(process)
            out, err = process.communicate()
            raise AssertionError(
                f"{Path(command[0]).name} took more than {seconds} s\n{out}\n{err}"
            ) from None
        return Ran(process.returncode, out, err)

    def start(
        self,
        command: list[str],
        *,
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[str]:
        env = self.environ | dict(environ or {})
        if self.served and self._daemon is None:
            self._daemon = started(self.everthread_home, env)
        return subprocess.Popen(
            command,
            cwd=cwd or self.project,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def everthread(
        self,
        *arguments: str,
        code: int = 0,
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> str:
        """Our own command, in the same home as the client's hooks."""
        env = self.environ | dict(environ or {})
        ran = lived("everthread", arguments, env, cwd or self.project, seconds=60)
        told = f"everthread {' '.join(arguments)}: {ran.stdout}\n{ran.stderr}"
        assert ran.returncode == code, told
        return ran.stdout

    def processes(self) -> dict[int, str]:
        """What still runs of all that was started in this place, by id."""
        found: dict[int, str] = {}
        mark = f"EVERTHREAD_TEST_MARK={self.mark}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    words = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(folder.name)] = words.decode(errors="replace").strip()
        return {number: words for number, words in found.items() if words}

    def close(self) -> None:
        """Stop our daemon, as `everthread down` does; whatever else is left is ended, and told."""
        places = Places(self.everthread_home)
        if running_daemon.lock_holder(places) is not None:
            places.stopped.touch(0o600)
            running_daemon.stop(places, seconds=TURN_SECONDS)
        if self._daemon is not None:
            self._daemon.wait(TURN_SECONDS)
        left = settled(self.processes)
        for number in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        assert not left, f"left running: {left}"


def settled(look: Callable[[], dict[int, str]], seconds: float = 60) -> dict[int, str]:
    """What is still there after a while; processes need a moment to go."""
    end = time.monotonic() + seconds
    while (found := look()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def kill(process: subprocess.Popen[str]) -> None:
    """kill -9 to the client and to all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@contextlib.contextmanager
def place(root: Path) -> Iterator[Place]:
    with ScriptedModel() as model:
        made = Place(root, model)
        try:
            yield made
        finally:
            made.close()
