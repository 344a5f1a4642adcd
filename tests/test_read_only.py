"""A store that cannot be written can be looked at: on a read-only disk, or where only others may write."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.errors import BadInput, NotAStore, StoreReadOnly
from support.commands import COMMAND, clean_environment
from support.skips import needs, private_mounts

pytestmark = pytest.mark.slow

NOTE = "cannot be written; it is only read"

# On a small file system of its own, seen by nobody else. The first command is the installed one; the others
# are forks of a program that has loaded it, for to start one takes longer than what it is asked.
MOUNTED = """
import json, os, subprocess, sys, tempfile
from pathlib import Path
import everthread
from everthread.edges.cli.app import run as do
folder, command = Path(sys.argv[1]), sys.argv[2]
path = folder / "home" / "everthread.db"
env = {**os.environ, "EVERTHREAD_HOME": str(folder / "home"), "HOME": str(folder)}
env.pop("EVERTHREAD_URL", None)
started = []

def mount(options):
    subprocess.run(["mount", "-o", options, "-t", "tmpfs", "tmpfs", folder], check=True)

def fill():
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        for n in range(4):
            ada.turn(f"On which port does gateway {n} listen?").done(f"Gateway {n}: port 84{n}3.")
        ada.remember("The store is PostgreSQL.")

def run(*words):
    if started:
        return fork(words)
    started.append(words)
    done = subprocess.run([command, *words], env=env, capture_output=True, text=True, timeout=60)
    return [done.returncode, done.stdout, done.stderr]

def fork(words):
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if not child:
            os.environ.clear()
            os.environ.update(env)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            code = 70
            try:
                code = do(words)
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return [code, *(each.seek(0) or each.read() for each in (out, err))]
"""

LOOKS = ("status", "threads", "messages", "recall gateway", "export", "verify", "agents",
         "sessions list", "memories list", "receipts", "context", "doctor", "notes list")  # fmt: skip
WRITES = ("remember The_sky_is_blue", "notes add x", "distill", "vacuum", "erase --agent ada --yes")

DISK = (
    MOUNTED
    + """
mount("size=16m")
fill()
mount("remount,ro")
before = sorted(p.name for p in path.parent.iterdir())
said = {words: run(*words.split()) for words in sys.argv[3:]}
with everthread.connect(path, read_only=True) as et:
    said["texts"] = [m.text for m in et.known_agent("ada").messages()]
said["untouched"] = before == sorted(p.name for p in path.parent.iterdir())
print(json.dumps(said))
"""
)

LOG = (
    MOUNTED
    + """
mount("size=16m")
fill()
if os.fork() == 0:
    et = everthread.connect(path, background=False)
    et.agent("ada").turn("Is the last word kept?").done("It is.")
    os._exit(0)  # as if killed: what was said last is in the log alone
os.wait()
if sys.argv[3] == "alone":
    path.with_name(path.name + "-shm").unlink()
log = path.with_name(path.name + "-wal").stat().st_size
mount("remount,ro")
print(json.dumps({"log": log, "messages": run("messages"), "verify": run("verify")}))
"""
)


def apart(script: str, folder: Path, *words: str) -> dict[str, Any]:
    needs("tmpfs")
    place = [*(private_mounts() or []), sys.executable, "-c", script, str(folder), str(COMMAND)]
    done = subprocess.run(
        [*place, *words], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.req("R-34")
def test_a_store_on_a_read_only_disk_is_read_and_not_written(tmp_path: Path) -> None:
    """Looking works and says that it only looks; writing is refused by its name."""
    said = apart(DISK, tmp_path, *LOOKS, *WRITES)
    for words in LOOKS:
        code, out, err = said[words]
        assert code == (1 if words == "doctor" else 0), (words, out, err)
        assert NOTE in err and out, words
        assert "damaged" not in out
    assert "Gateway 3: port 8433." in said["recall gateway"][1]
    assert "could not be written" not in said["recall gateway"][2]
    assert "is sound" in said["verify"][1]
    assert "see to the disk" in said["doctor"][1]
    for words in WRITES:
        code, out, err = said[words]
        assert (code, out) == (5, ""), (words, out, err)
        assert "cannot be written" in err and "permissions" in err
    assert len(said["texts"]) == 8
    assert said["untouched"]


@pytest.mark.parametrize("beside", ["whole", "alone"])
def test_what_is_in_a_log_alone_is_read_too_or_said_to_be_missing(
    tmp_path: Path, beside: str
) -> None:
    """Never is the file taken for all there is while its newest messages lie in the log."""
    said = apart(LOG, tmp_path, beside)
    assert said["log"] > 0
    code, out, err = said["messages"]
    if code == 0:
        assert "Is the last word kept?" in out and "is sound" in said["verify"][1]
    else:
        assert code == 5 and "its log" in err and "Copy both" in err


# ---- permissions

# Root may write everywhere, so it becomes nobody first; what it needs is loaded by then.
AS_NOBODY = """
import contextlib, io, os, sys
from everthread.edges.cli.app import run
warm, *words = sys.argv[1:]
with contextlib.redirect_stdout(io.StringIO()):
    run([*words, "--store", warm])
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
sys.exit(run(words))
"""


LOOKING = (
    *(
        "messages",
        "recall port",
        "status",
        "verify",
        "token list",
        "task list",
        "incidents",
        "outbox",
    ),
    *("import --list", "import --dry-run"),
)


def distilled(ada: everthread.Agent) -> everthread.Receipt:
    for n in range(12):
        ada.turn(f"Which port has gateway {n}? " + "It was told at length. " * 40).done("8443.")
    return ada.distill()


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with a store that another user may reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="everthread-test-") as name:
        folder = Path(name)
        with everthread.connect(folder / "everthread.db", background=False) as et:
            ada = et.agent("ada")
            first, second = distilled(ada), distilled(ada)
            et.undo(second)
            (folder / "project" / ".git").mkdir(parents=True)
            (folder / "receipts").write_text(f"{first.id} {second.id}")
        yield folder
        folder.chmod(0o700)


def test_a_store_that_others_alone_may_write_is_read(place: Path, tmp_path: Path) -> None:
    warm = tmp_path / "warm.db"
    shutil.copy(place / "everthread.db", warm)
    for file in place.iterdir():
        file.chmod(0o555 if file.name == "project" else 0o444)
    place.chmod(0o555)
    env = {**clean_environment(place), "EVERTHREAD_HOME": str(place)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-c", AS_NOBODY, str(warm), *words]
        return subprocess.run(
            program, env=env, cwd=place / "project", capture_output=True, text=True, check=False
        )

    first, second = (place / "receipts").read_text().split()
    looks = [*LOOKING, f"undo {first} --dry-run", f"redo {second} --dry-run"]
    for words in map(str.split, looks):
        done = run(*words)
        assert done.returncode == 0 and NOTE in done.stderr, done
    assert "8443." in run("messages").stdout
    refused = run("remember", "The port is 8443", "--agent", "ada")
    assert refused.returncode == 5 and "permissions" in refused.stderr


# ---- the library


def test_a_program_may_ask_only_to_read(tmp_path: Path) -> None:
    path = tmp_path / "everthread.db"
    with everthread.connect(path, background=False) as et:
        et.agent("ada").turn("Which port?").done("8443.")
    with everthread.connect(path, read_only=True) as et:
        ada = et.known_agent("ada")
        assert [m.text for m in ada.messages()] == ["Which port?", "8443."]
        assert [hit.text for hit in ada.recall("port")] and et.verify(ada).sound
        for write in (
            lambda: ada.turn("And now?"),
            lambda: ada.remember("The port is 8443."),
            lambda: ada.record([{"role": "user", "content": "x"}]),
            lambda: et.agent("bob"),
            et.vacuum,
        ):
            with pytest.raises(StoreReadOnly, match="is only read"):
                write()
    with everthread.connect(path, background=False) as et:
        et.agent("ada").turn("Does it go on?").done("It does.")


def test_only_the_file_of_a_store_that_is_there_is_opened_so(tmp_path: Path) -> None:
    with pytest.raises(NotAStore):
        everthread.connect(tmp_path / "none.db", read_only=True)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadInput, match="file of an embedded store"):
        everthread.connect("memory://", read_only=True)
