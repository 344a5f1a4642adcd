"""What runs in a cage can change nothing, whatever it tries (C-41, X-28)."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.errors import CommandRefused
from everthread.domain.tasks.commands import Cage
from everthread.providers import cage as cages
from everthread.providers.commands import SystemCommands
from support.commands import COMMAND
from support.daemon import Daemon
from support.running import left, spawner, until

pytestmark = [pytest.mark.req("C-41", "X-28"), pytest.mark.slow]

OLD = "The deploy key is rotated on Mondays."
BREAKOUT = Path(__file__).parent / "support" / "breakout.py"

NOT_SURE = {
    "ask the daemon without a token",
    "set flags",
    "mount",
    "make a named queue",
    "rank for the disk",
    "signal by a socket",
    "set an attribute",
    "write to proc",
}
"""Attempts that the system may refuse outside of a cage as well."""


class Shared:
    """Memory that another program of this user shares with others."""

    def __init__(self) -> None:
        self.key = 0x45000000 + os.getpid()
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.shmat.restype = ctypes.c_void_p
        self._id = self._libc.shmget(self.key, 4096, 0o1600)
        assert self._id >= 0
        self._place = ctypes.c_void_p(self._libc.shmat(self._id, None, 0))
        ctypes.memmove(self._place, b"precious", 8)

    def held(self) -> bytes:
        return ctypes.string_at(self._place, 8)

    def close(self) -> None:
        self._libc.shmdt(self._place)
        self._libc.shmctl(self._id, 0, None)
        # What the attempts made, where nothing kept them from it.
        self._libc.semctl(self._libc.semget(self.key, 0, 0), 0, 0)
        self._libc.msgctl(self._libc.msgget(self.key, 0), 0, None)


class Scene:
    """A project, an Everthread home with its daemon, a process nearby."""

    def __init__(self, folder: Path, daemon: Daemon) -> None:
        self.daemon = daemon
        self.project, self.other = folder / "project", folder / f"other-{os.getpid()}"
        for place in (self.project / "empty", self.other):
            place.mkdir(parents=True)
        for name in ("file", "moved", "gone", "deleted"):
            (self.project / name).write_text(name)
        (self.project / "link").symlink_to("file")
        words = ["sh", "-c", "trap '' USR1; exec sleep 600"]
        self.victim = subprocess.Popen(words, start_new_session=True)
        self.shared = Shared()
        self.ours("remember", OLD)
        self.commands = SystemCommands(hidden=[str(daemon.home)])

    def facts(self, *, scoped: bool) -> str:
        facts = {
            "project": str(self.project),
            "home": str(self.daemon.home),
            "other": str(self.other),
            "victim": self.victim.pid,
            "socket": str(self.daemon.socket),
            "store": self.daemon.settings.store_target,
            "port": self.daemon.port,
            "scoped": scoped,
            "shared": self.shared.key,
        }
        return json.dumps(facts)

    def tried(self, cage: Cage | None, *, scoped: bool = True) -> dict[str, str]:
        argv = [sys.executable, "-I", "-S", str(BREAKOUT), self.facts(scoped=scoped)]
        env = {"TMPDIR": str(self.other)} if cage is None else None
        ran = self.commands.run(argv, folder=str(self.project), seconds=60, cage=cage, env=env)
        assert ran.code == 0, ran
        return json.loads(ran.output)

    def digest(self) -> str:
        found = hashlib.sha256()
        places = [self.project, self.other, *self.project.rglob("*"), *self.other.rglob("*")]
        for place in sorted(places):
            seen = place.lstat()
            shape = (str(place), seen.st_mode, seen.st_mtime_ns, seen.st_uid, seen.st_nlink)
            named = os.listxattr(place, follow_symlinks=False) if not place.is_symlink() else []
            held = place.read_bytes() if place.is_file() and not place.is_symlink() else b""
            found.update(repr((shape, named, held)).encode())
        return found.hexdigest()

    def ours(self, *words: str) -> str:
        return subprocess.run(
            [COMMAND, *words],
            cwd=self.project,
            env=self.daemon.env,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def kept(self) -> list[str]:
        with everthread.connect(self.daemon.settings.store_target, background=False) as et:
            return [memory.text for agent in et.agents() for memory in agent.memories()]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path) as found:
        yield found


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One for all who must change nothing in it."""
    with scene_in(tmp_path_factory.mktemp("scene")) as found:
        yield found


# Or every worker would set one up.
one_scene = pytest.mark.xdist_group("cage")


@contextmanager
def scene_in(folder: Path) -> Generator[Scene]:
    home = folder / "data"
    home.mkdir(mode=0o700)
    daemon = Daemon(home)
    try:
        scene = Scene(folder, daemon.up())
        yield scene
        scene.shared.close()
        scene.victim.kill()
        scene.victim.wait()
    finally:
        daemon.close()


def older(monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    """The cage believes that the kernel has an older Landlock."""
    real = cages.caged_command

    def caged(argv: Sequence[str], order: dict[str, Any]) -> list[str]:
        return real(argv, {**order, "abi": version})

    monkeypatch.setattr(cages, "caged_command", caged)


@one_scene
@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 6, 99])
def test_nothing_that_it_tries_changes_anything(
    untouched: Scene, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    scene = untouched
    older(monkeypatch, version)
    before = scene.digest()
    found = scene.tried(Cage(), scoped=min(version, cages.landlock_version()) >= cages.SCOPES)
    assert {name for name, end in found.items() if end == "done"} == set()
    assert scene.digest() == before
    assert scene.victim.poll() is None
    assert scene.shared.held() == b"precious"
    assert scene.kept() == [OLD]
    assert not list(scene.daemon.home.glob("new")) and not list(
        scene.daemon.places.spool.glob("new")
    )


def test_outside_of_a_cage_the_same_attempts_succeed(scene: Scene) -> None:
    """Otherwise the test above would show nothing."""
    before = scene.digest()
    shm = Path("/dev/shm") / scene.other.name
    try:
        found = scene.tried(None, scoped=False)
    finally:
        shm.unlink(missing_ok=True)
    failed = {name: end for name, end in found.items() if end != "done"}
    assert not failed.keys() - NOT_SURE, failed
    assert scene.digest() != before
    assert scene.shared.held() == b"OVERWRIT"


@one_scene
def test_git_and_our_own_command_write_nothing(untouched: Scene) -> None:
    scene = untouched
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "file"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=scene.project, check=True)
    before = scene.digest()
    lines = [
        "git -c user.name=a -c user.email=a@b commit -qm two --allow-empty",
        "git checkout -qb other",
        f"EVERTHREAD_HOME={scene.daemon.home} {COMMAND} remember 'The caged one was here.'",
    ]
    for line in lines:
        ran = scene.commands.run(line, folder=str(scene.project), seconds=60, cage=Cage())
        assert ran.code not in (0, None), (line, ran)
    ran = scene.commands.run(
        "git log --oneline", folder=str(scene.project), seconds=60, cage=Cage()
    )
    assert ran.code == 0 and ran.output.rstrip().endswith("one"), "reading works"
    assert scene.digest() == before
    assert scene.daemon.answers() and scene.kept() == [OLD]


def test_our_own_command_does_write_outside_of_a_cage(scene: Scene) -> None:
    line = f"EVERTHREAD_HOME={scene.daemon.home} {COMMAND} remember 'The free one was here.'"
    ran = scene.commands.run(line, folder=str(scene.project), seconds=60)
    assert ran.code == 0, ran
    assert "The free one was here." in scene.kept()


# ---- what it can do


def caged(line: str, folder: Path, **more: Any) -> str:
    commands = SystemCommands(hidden=more.pop("hidden", ()))
    ran = commands.run(line, folder=str(folder), seconds=60, cage=Cage(**more))
    assert ran.error is None, ran
    return ran.output


def test_it_reads_the_project_and_writes_to_a_private_folder_that_is_gone_after(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("content")
    line = 'cat file; echo; cp file "$HOME/copy" && cat "$TMPDIR/copy"; echo; echo "$HOME"'
    line += '; echo "$EVERTHREAD_USER_HOME"; ls /'
    text, copy, home, real, *listed = caged(line, tmp_path).splitlines()
    assert (text, copy) == ("content", "content")
    assert real == os.environ["HOME"], "what its user configured can be read there"
    assert "proc" in listed
    assert not Path(home).exists()


def test_what_is_hidden_cannot_be_read_by_any_path(tmp_path: Path) -> None:
    secret = tmp_path / "a" / "b" / "secret"
    secret.mkdir(parents=True)
    (secret / "text").write_text("hidden")
    (tmp_path / "a" / "beside").write_text("beside")
    (tmp_path / "a" / "link").symlink_to(secret)
    (tmp_path / "hidden-link").symlink_to(secret)
    paths = "a/link/text a/b/secret/text /proc/self/cwd/a/b/secret/text"
    line = f"cat a/beside; cat {paths}; cd a/b/secret; cat text"
    for hidden in (secret, tmp_path / "hidden-link"):
        printed = caged(line, tmp_path, hidden=[str(hidden)])
        assert printed.startswith("beside") and "hidden\n" not in printed
        assert printed.count("Permission denied") == 4


def test_a_store_outside_of_the_home_folder_is_hidden_too(tmp_path: Path) -> None:
    place = tmp_path / "elsewhere.db"
    with everthread.connect(place, background=False) as engine:
        engine.agent("ada").remember("The deploy key is rotated on Mondays.")
        commands = engine.house.commands
        assert commands is not None
        (tmp_path / "beside").write_text("beside")
        line = "cat beside elsewhere.db elsewhere.db-wal > /dev/null"
        ran = commands.run(line, folder=str(tmp_path), seconds=60, cage=Cage())
    assert ran.output.count("Permission denied") == 2 and "beside" not in ran.output


def test_the_network_can_be_forbidden(tmp_path: Path) -> None:
    code = "import socket; socket.socket(socket.AF_INET); print(1)"
    line = f"{sys.executable} -I -S -c '{code}' 2>&1 | tail -1"
    assert caged(line, tmp_path) == "1\n"
    assert "Operation not permitted" in caged(line, tmp_path, network=False)


def test_it_may_change_how_it_runs_itself(tmp_path: Path) -> None:
    code = (
        "import os; os.nice(1); os.setpriority(os.PRIO_PROCESS, 0, 5);"
        "os.sched_setaffinity(0, os.sched_getaffinity(0)); print(os.getpriority(os.PRIO_PROCESS, 0))"
    )
    assert caged(f"{sys.executable} -I -S -c '{code}'", tmp_path) == "5\n"


def test_it_gains_no_privilege(tmp_path: Path) -> None:
    status = caged("cat /proc/self/status", tmp_path)
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert {int(fields[name], 16) for name in ("CapPrm", "CapEff", "CapInh", "CapAmb")} == {0}
    assert (fields["NoNewPrivs"], fields["Seccomp"]) == ("1", "2")


def test_it_ends_like_any_other_command_and_leaves_nothing(tmp_path: Path) -> None:
    words = " ".join([*spawner(tmp_path)[:4], "."])
    line = (
        f'cd "$HOME"; ({words} &); while [ ! -e command.pid ]; do sleep 0.02; done; '
        "for name in *.pid; do cat $name; echo; done"
    )
    ran = SystemCommands().run(line, folder=str(tmp_path), seconds=60, cage=Cage())
    pids = [int(word) for word in ran.output.split()]
    assert len(pids) == ran.leftovers_killed == 3
    assert left(pids) == []


def test_the_private_folder_is_gone_though_whoever_asked_was_killed(tmp_path: Path) -> None:
    code = (
        "from everthread.providers.commands import SystemCommands\n"
        "from everthread.domain.tasks.commands import Cage\n"
        "line = 'touch $HOME/here; sleep 600'\n"
        "SystemCommands().run(line, folder='/', seconds=600, cage=Cage())\n"
    )
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    asker = subprocess.Popen([sys.executable, "-c", code], env=env)
    try:
        until(lambda: list(tmp_path.glob("everthread-cage-*/here")), "it did not start")
    finally:
        asker.kill()
        asker.wait()
    until(lambda: not list(tmp_path.iterdir()), "the folder is left")


# ---- where there is no cage


@pytest.mark.parametrize("why", ["the kernel has no Landlock, or does not let it be used here"])
def test_without_a_cage_it_is_refused_and_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    monkeypatch.setattr(cages, "landlock_version", lambda: -1)
    with pytest.raises(CommandRefused, match=why):
        SystemCommands().run(f"touch {tmp_path}/ran", folder="/", seconds=9, cage=Cage())
    assert not list(tmp_path.iterdir())


def test_a_cage_that_cannot_be_closed_refuses_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older(monkeypatch, 0)
    with pytest.raises(CommandRefused, match="no Landlock"):
        SystemCommands().run(f"touch {tmp_path}/ran", folder="/", seconds=9, cage=Cage())
    assert not list(tmp_path.iterdir())


def test_what_sandbox_exec_is_told() -> None:
    told = cages.profile({"scratch": "/private/x", "hidden": ['/a "b"'], "network": False})
    assert "(deny file-write*)" in told and '(allow file-write* (subpath "/private/x"))' in told
    assert '(deny file-read* (subpath "/a \\"b\\""))' in told and "(deny network*)" in told


@pytest.mark.parametrize("machine", sorted(cages.NUMBERS))
def test_every_refused_call_has_a_number_on_every_machine(machine: str) -> None:
    _, numbers = cages.NUMBERS[machine]
    every = (*cages.ALWAYS, *cages.NO_NETWORK, *cages.NO_SIGNALS, *cages.NO_TRUNCATING)
    missing = {rule.name for rule in every} - numbers.keys()
    old = {"chmod", "chown", "lchown", "utime", "utimes", "futimesat", "open"}
    assert missing == ({*old} if machine == "aarch64" else set())
    assert len(cages.steps(every, machine)) < 4096
