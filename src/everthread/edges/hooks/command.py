"""What a harness is told to run at an event, and the files that this needs in the home folder."""

from __future__ import annotations

import marshal
import os
import sys
import tempfile
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.errors import BadInput
from everthread.edges.daemon.places import OURS, Places

if TYPE_CHECKING:
    from everthread.settings import Settings

CLIENT = Path(__file__).with_name("stub.py")
"""What lies in the home folder as hooks/client.py, and is run."""
CARRY = Path(__file__).with_name("client.py")
"""What that one loads."""

RUN = (
    "import posix,sys;sys.excepthook=lambda*_:posix._exit(0);del sys.argv[0];"
    "exec(posix.read(posix.open(sys.argv[0],0),99999))"
)
"""How it is run. `python FILE` ends with 2 where the file is gone, and to a harness 2 means "block it".
This ends with 0 and says nothing, whatever is wrong. No quotes, no `$`: every shell passes it on."""

STARTS = frozenset(
    {
        "SessionStart",
        "session_start",
        "session.created",
        "session.resumed",
        "agent:bootstrap",
        "start",
    }
)
COMPACTS = frozenset(
    {
        "PreCompact",
        "PreCompress",
        "before_compaction",
        "experimental.session.compacting",
        "session:compact:before",
    }
)
PROMPTS = frozenset(
    {
        "UserPromptSubmit",
        "BeforeAgent",
        "chat.message",
        "before_prompt_build",
        "message:received",
        "prompt",
    }
)
GATES = frozenset({"PreToolUse", "BeforeTool", "tool.execute.before", "before_tool_call"})
"""The events by which a harness asks whether a tool may run. Registered while a task is open alone."""

GATE_MS = 2_000
SANDBOX = ("run", "sandbox")
"""The folder of the home folder that is there while a project is in a sandbox."""

FIRST_LOOK = '[ -d "$0" ] || exit 0; "$@" || exit 2'
"""Without a sandbox a shell's look at one folder is all that a tool waits for. In one, whoever cannot
be asked says no: 2 means "block it" to every harness."""

GATE_RUN = RUN.replace("_exit(0)", "_exit(2)")

OTHER_MS = 1_000
"""What all other events wait; no harness waits for our answer to them."""


class Interpreter(NamedTuple):
    """The Python that hooks are run with, and whether it will still be there tomorrow."""

    path: str
    stable: bool
    why: str = ""


def stable_interpreter(executable: str | None = None) -> Interpreter:
    """The interpreter of this installation. One in a throw-away place is named as such, with the reason.

    A virtual environment is named by its own path, not by what it links to: an upgrade by pipx or uv
    keeps the one and may remove the other.
    """
    path = os.path.abspath(executable or sys.executable)  # noqa: PTH100 - a link must stay a link
    parts = Path(path).parts
    caches = {".cache", "Caches", "archive-v0", "builds-v0", "environments-v2"}
    temporary = (tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm")
    if any(Path(path).is_relative_to(place) for place in temporary):
        return Interpreter(path, stable=False, why=f"{path} lies in a temporary folder")
    if caches & set(parts):
        return Interpreter(
            path, stable=False, why=f"{path} lies in a cache (uvx, pipx run) that is thrown away"
        )
    return Interpreter(path, stable=True)


def limit_ms(settings: Settings, event: str) -> int:
    """How long a harness waits for us at an event."""
    if event in STARTS:
        return round(1_000 * settings.hook_start_seconds)
    if event in COMPACTS:
        return round(1_000 * settings.compaction_seconds)
    if event in GATES:
        return GATE_MS
    return settings.hook_prompt_ms if event in PROMPTS else OTHER_MS


def command_for(settings: Settings, harness: str, event: str) -> list[str]:
    """The command for one event, in exec form."""
    for word in (harness, event):
        if not word or not all(c.isalnum() or c in "._-:" for c in word):
            raise BadInput(f"{word!r:.40} names no harness and no event")
    places = Places(settings.home)
    client = str(client_of(settings))
    words = [str(places.socket), harness, event, str(limit_ms(settings, event))]
    if event in GATES:
        python = [stable_interpreter().path, "-I", "-S", "-c", GATE_RUN]
        look = ["/bin/sh", "-c", FIRST_LOOK, str(settings.home.joinpath(*SANDBOX))]
        return [*look, *python, str(places.hooks / "carry.py"), *words, "gate"]
    waits = ["start"] if event in STARTS | COMPACTS else []
    return [stable_interpreter().path, "-I", "-S", "-c", RUN, client, *words, *waits]


def client_of(settings: Settings) -> Path:
    """Where that command looks for the client."""
    return Places(settings.home).hooks / "client.py"


def start_command(settings: Settings) -> list[str]:
    """The command that starts a daemon for this home folder, detached."""
    return [
        stable_interpreter().path,
        *("-P", "-E"),  # nothing of the folder or the shell in which a harness happens to run
        "-m",
        "everthread.edges.daemon",
        "--detached",
        str(settings.home),
    ]


def install_client(settings: Settings) -> list[Path]:
    """Copy the client to where the commands look for it, so that it outlives an upgrade of ours."""
    places = Places(settings.home)
    places.make()
    places.hooks.mkdir(mode=OURS, exist_ok=True)
    files = {
        "carry.py": CARRY.read_bytes(),
        f"carry.{sys.implementation.cache_tag}": _compile_client(str(places.hooks / "carry.py")),
        "start": "\0".join(start_command(settings)).encode(),
        "client.py": CLIENT.read_bytes(),
    }
    for name, wanted in files.items():
        path = places.hooks / name
        if not path.exists() or path.read_bytes() != wanted:
            _write_whole(path, wanted)
    return [places.hooks / name for name in files]


def _compile_client(name: str) -> bytes:
    """The client for this interpreter, without what only readers need."""
    code = compile(CARRY.read_bytes(), name, "exec", dont_inherit=True, optimize=2)
    return MAGIC_NUMBER + marshal.dumps(code)


def _write_whole(path: Path, content: bytes) -> None:
    """Write it whole or not at all: a hook may run at any moment."""
    made = path.with_name(f".{path.name}-{os.getpid()}")
    made.write_bytes(content)
    made.chmod(0o600)
    made.replace(path)
