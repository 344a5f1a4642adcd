"""Run git so that nothing but git runs: no hook, no filter, no pager, no helper that a repository names.

A repository is data of whoever wrote it. Its configuration may name programs for hooks, filters,
differences, signatures, transports and more; all of these are switched off for every call. What the
user's own configuration names is the user's, and stays: who commits, what is ignored, filters.
"""

from __future__ import annotations

import os
import re
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from everthread.domain.errors import GitFailed

from .durable_files import reason

SECONDS = 30.0
"""One call of git may take so long."""
MOST = 16_000_000
"""Bytes of what one prints."""
LAST_WORDS = 4_000
PIECE = 65_536

OFF = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "core.quotePath": "false",
    "color.ui": "false",
    "commit.gpgSign": "false",
    "diff.ignoreSubmodules": "all",
    "gc.auto": "0",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
}
KEPT = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
KEPT_TOO = ("GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH")
SURROUNDINGS = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ASKPASS": "true",
    "GIT_EDITOR": "true",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}

_FILTER = re.compile(r"filter\.([\w.-]+)\.(?:clean|smudge|process|required)", re.ASCII)


class GitOutput(NamedTuple):
    """What a call of git printed."""

    code: int
    out: bytes
    err: str
    cut: bool


class Git:
    """Git in one folder. `until`, by the monotonic clock, all of its calls have ended."""

    def __init__(
        self, folder: str, *, seconds: float = SECONDS, until: float = float("inf")
    ) -> None:
        self._folder = folder
        self._seconds = seconds
        self._until = until
        self._program = shutil.which("git")
        self._filters: Sequence[str] | None = None

    @property
    def there(self) -> bool:
        return self._program is not None

    def filters(self) -> Sequence[str]:
        """The filters that the repository's own configuration names; none of them ever runs."""
        if self._filters is None:
            self._filters = self._own_filters()
        return self._filters

    def text(self, *words: str, env: Mapping[str, str] | None = None) -> str:
        """What git prints; `GitFailed` where it fails."""
        return self.output(*words, env=env).out.decode("utf-8", "surrogateescape")

    def output(
        self,
        *words: str,
        env: Mapping[str, str] | None = None,
        fine: Sequence[int] = (0,),
        most: int = MOST,
        stdin: bytes = b"",
    ) -> GitOutput:
        """Run it with everything switched off that the repository could have switched on."""
        off = dict(OFF)
        for name in self.filters():
            off |= {f"filter.{name}.{part}": "" for part in ("clean", "smudge", "process")}
            off[f"filter.{name}.required"] = "false"
        return self._run(words, off, env or {}, (tuple(fine), most, stdin))

    def _own_filters(self) -> Sequence[str]:
        words = ("config", "--show-scope", "-z", "--get-regexp", r"^filter\.")
        told = self._run(words, OFF, {}, ((0, 1), MOST, b""))
        parts = told.out.decode("utf-8", "surrogateescape").split("\0")
        keys = [
            entry.partition("\n")[0]
            for scope, entry in zip(parts[::2], parts[1::2], strict=False)
            if scope in ("local", "worktree")
        ]
        found = [_FILTER.fullmatch(key) for key in keys]
        if told.cut or any(each is None for each in found):
            raise GitFailed("the repository names filters that cannot be switched off")
        return sorted({each[1] for each in found if each is not None})

    def _run(
        self,
        words: Sequence[str],
        off: Mapping[str, str],
        env: Mapping[str, str],
        limits: tuple[tuple[int, ...], int, bytes],
    ) -> GitOutput:
        fine, most, stdin = limits
        if self._program is None:
            raise GitFailed("there is no git on this machine")
        settings = [part for name, value in off.items() for part in ("-c", f"{name}={value}")]
        argv = [self._program, "--no-pager", *settings, *words]
        try:
            told = self._spawn(argv, surroundings(os.environ) | dict(env), stdin, most)
        except OSError as wrong:
            raise GitFailed(f"git could not be run: {reason(wrong)}") from wrong
        if not told.cut and told.code not in fine:
            last = told.err.strip().splitlines()
            raise GitFailed(f"git {words[0]} failed: {last[0] if last else told.code}"[:500])
        return told

    def _spawn(
        self, argv: Sequence[str], env: Mapping[str, str], stdin: bytes, most: int
    ) -> GitOutput:
        child = subprocess.Popen(
            argv,
            cwd=self._folder,
            env=dict(env),
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            if child.stdin is not None:
                with suppress(BrokenPipeError), child.stdin:
                    child.stdin.write(stdin)
            until = min(time.monotonic() + self._seconds, self._until)
            out, err, whole = _read(child, most, until)
            if not whole:
                _end(child)
            code = child.wait()
        finally:
            _end(child)
            for pipe in (child.stdout, child.stderr):
                if pipe is not None:
                    pipe.close()
        return GitOutput(code, out, err.decode("utf-8", "replace"), cut=not whole)


def surroundings(environ: Mapping[str, str]) -> dict[str, str]:
    """The user's environment without what would lead git elsewhere."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith("GIT_") or name.startswith(KEPT) or name in KEPT_TOO
    }
    return kept | SURROUNDINGS


def _read(child: subprocess.Popen[bytes], most: int, until: float) -> tuple[bytes, bytes, bool]:
    """What it prints, until it ends; was that all? Raises when its time is over."""
    assert child.stdout is not None
    assert child.stderr is not None
    out, err = bytearray(), bytearray()
    with selectors.DefaultSelector() as waiting:
        waiting.register(child.stdout, selectors.EVENT_READ, out)
        waiting.register(child.stderr, selectors.EVENT_READ, err)
        while waiting.get_map():
            ready = waiting.select(max(0.0, until - time.monotonic()))
            if not ready:
                raise GitFailed("git did not answer in time, and was ended")
            for key, _ in ready:
                piece = os.read(key.fd, PIECE)
                if not piece:
                    waiting.unregister(key.fileobj)
                key.data.extend(piece)
            del err[LAST_WORDS:]
            if len(out) > most:
                return bytes(out[:most]), bytes(err), False
    return bytes(out), bytes(err), True


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
