"""The user's own command: `claude -p`, `codex exec`, or another that reads a prompt and prints.

It runs in an empty folder, so that no project's settings or hooks have a say, and is marked, so that
our own hooks do not take its conversation for one of the user's.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from everthread.domain.distilling.draft_reading import error_in_answer
from everthread.domain.distilling.drafts import NOTHING, Cause, Spend
from everthread.domain.distilling.prompts import Prompt

from .calls import LONGEST_ANSWER, CallFailed, Reply, quote_safely
from .command_output import CommandOutput, read_output
from .prices import Price

CLAUDE = (
    *("claude", "-p", "--output-format", "json", "--max-turns", "1", "--tools", ""),
    *("--setting-sources", "user", "--strict-mcp-config", "--no-session-persistence"),
)
CODEX = (
    *("codex", "exec", "--json", "--ephemeral", "--skip-git-repo-check"),
    *("--sandbox", "read-only", "-"),
)

UNMARKED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT")
"""By these a command would believe that it runs inside the very program that it is."""

PRIVATE = {"EVERTHREAD_PRIVATE": "1"}
SLICE_SECONDS = 0.2
PIECE = 65_536
NOT_FOUND = 127
LONGEST_COMPLAINT = 20_000
LEASH = Path(__file__).with_name("leash.py")


class Command:
    """Fills `Model`. `argv` is run as it is, without a shell; the prompt comes on its standard input."""

    def __init__(
        self, argv: Sequence[str] = CLAUDE, *, seconds: float = 300.0, price: Price | None = None
    ) -> None:
        self._argv = [*argv]
        self._seconds = seconds
        self._price = price

    @property
    def name(self) -> str:
        return f"command:{Path(self._argv[0]).name}"

    def price(self, input_tokens: int, output_tokens: int) -> int:
        return 0 if self._price is None else self._price.micros(input_tokens, output_tokens)

    def ask(self, prompt: Prompt, *, most: int, pause: Callable[[], None]) -> Reply:
        asked = f"{prompt.system}\n\n{prompt.text}\n".encode("utf-8", "replace")
        with tempfile.TemporaryDirectory(prefix="everthread-") as folder:
            try:
                run = _Run(self._argv, asked, folder, self._seconds, pause)
            except OSError as trouble:
                detail = f"no command could be started: {trouble.strerror}"
                raise CallFailed("unreachable", detail, spent=NOTHING) from None
            code = run.wait()
        printed = read_output(run.output)
        spent = self._spent(printed, prompt)
        if run.why is not None:
            raise CallFailed(run.why, run.detail, spent=spent)
        if code != 0 or printed.failed:
            raise _failure(self._argv[0], code, printed.text or run.complaint, spent)
        return Reply(printed.text, spent)

    def _spent(self, printed: CommandOutput, prompt: Prompt) -> Spend:
        read = printed.input_tokens or prompt.tokens
        written = printed.output_tokens or len(printed.text) // 4
        micros = printed.micros if printed.micros is not None else self.price(read, written)
        return Spend(1, read, written, micros)


def _failure(name: str, code: int, told: str, spent: Spend) -> CallFailed:
    known = error_in_answer(told)
    if code == NOT_FOUND:
        detail = f"{Path(name).name} could not be started"
        return CallFailed("unreachable", detail, spent=NOTHING)
    if known is not None:
        return CallFailed(known[0], f"{known[1]} ({Path(name).name})", spent=spent)
    return CallFailed(
        "refused", quote_safely(f"{Path(name).name} ended with {code}: {told}"), spent=spent
    )


class _Run:
    """One run of a command: fed, read, and killed with all it started when it is over."""

    def __init__(
        self,
        argv: Sequence[str],
        asked: bytes,
        folder: str,
        seconds: float,
        pause: Callable[[], None],
    ) -> None:
        self._asked = memoryview(asked)
        self._until = time.monotonic() + seconds
        self._pause = pause
        self._found: dict[str, bytearray] = {"out": bytearray(), "err": bytearray()}
        self.why: Cause | None = None
        self.detail = ""
        held, self._leash = os.pipe()
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-I", "-S", str(LEASH), str(held), *argv],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=_surroundings(),
                pass_fds=(held,),
                start_new_session=True,
            )
        except BaseException:
            os.close(self._leash)
            raise
        finally:
            os.close(held)

    @property
    def output(self) -> str:
        return self._found["out"].decode("utf-8", "replace")

    @property
    def complaint(self) -> str:
        return self._found["err"].decode("utf-8", "replace")

    def wait(self) -> int:
        """Until it has ended, by itself or because its time or our patience is over."""
        try:
            self._converse()
            if self.why is not None:
                return -1
            return self._child.wait(timeout=max(0.0, self._until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._stop("timeout", "the command did not end in time")
            return -1
        finally:
            self._kill()

    def _converse(self) -> None:
        with selectors.DefaultSelector() as waiting:
            self._add(waiting, self._child.stdin, selectors.EVENT_WRITE, "in")
            self._add(waiting, self._child.stdout, selectors.EVENT_READ, "out")
            self._add(waiting, self._child.stderr, selectors.EVENT_READ, "err")
            while len(waiting.get_map()) and self.why is None:
                self._pause()
                for key, _ in waiting.select(SLICE_SECONDS):
                    self._move(waiting, key)
                if time.monotonic() > self._until:
                    self._stop("timeout", "the command did not answer in time")

    def _add(
        self, waiting: selectors.BaseSelector, pipe: IO[bytes] | None, event: int, name: str
    ) -> None:
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
            waiting.register(pipe, event, name)

    def _move(self, waiting: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        pipe: Any = key.fileobj
        if not (self._fed(pipe) if key.data == "in" else self._read(pipe, key.data)):
            waiting.unregister(pipe)
            pipe.close()

    def _fed(self, pipe: IO[bytes]) -> bool:
        """Give it the next piece of what it is asked; is there more to give?"""
        try:
            self._asked = self._asked[os.write(pipe.fileno(), self._asked[:PIECE]) :]
        except BrokenPipeError:
            return False  # it does not want to know more; its answer tells whether it should have
        return len(self._asked) > 0

    def _read(self, pipe: IO[bytes], name: str) -> bool:
        """Take in the next piece; can there be more?"""
        piece = os.read(pipe.fileno(), PIECE)
        found = self._found[name]
        found += piece
        if name == "err":
            del found[:-LONGEST_COMPLAINT]
        elif len(found) > LONGEST_ANSWER:
            self._stop("nonsense", f"more than {LONGEST_ANSWER:,} bytes came")
        return bool(piece)

    def _stop(self, why: Cause, detail: str) -> None:
        self.why, self.detail = why, detail

    def _kill(self) -> None:
        """Whatever is left of it, and of what it started."""
        with suppress(ProcessLookupError):  # nothing is left
            os.killpg(self._child.pid, signal.SIGKILL)
        os.close(self._leash)
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout, self._child.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()


def _surroundings() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in UNMARKED}
    return kept | PRIVATE
