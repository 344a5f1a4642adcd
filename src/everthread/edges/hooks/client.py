"""The command that a harness runs at each event: bytes in, bytes out, and never in the way.

    PYTHON -I -S -c RUN HOME/hooks/client.py SOCKET HARNESS EVENT MILLISECONDS [start] [TICKET]

It sends what is on stdin to the daemon and prints the answer. If there is none in time, it spools the
event and says nothing. Imports cost more than all the rest: C modules only. See stub.py.

With the last word `gate` it asks whether a tool may run. That is done while a project is in a sandbox
alone, and is the one case in which it is in the way: without an answer, no tool runs (R-32).
"""

import _signal  # pyright: ignore[reportMissingImports] - in C, and not in the stubs
import _socket
import itertools
import posix
import sys
import time

LARGEST = 8_000_000  # bytes of an event that are sent; a larger one goes by the spool
WHOLE = 60_000_000  # bytes of an event that the spool takes; of a larger one, the beginning
SPOOL_FILES = 2_000
SPOOL_BYTES = 64_000_000
SPOOL_SECONDS = 0.5  # in which an event is spooled while the harness waits
BEHIND_SECONDS = 30.0  # the same where nobody waits: a large event on a busy machine takes long
READ_SECONDS = 5.0  # in which what a harness is slow to write is read on, where nobody waits
AGAIN = 10.0  # seconds after which a start that did not come up may be tried again
NAMES = (
    b"CLAUDE_PROJECT_DIR",
    b"CLAUDE_CODE_SESSION_ID",
    b"CLAUDE_CODE_ENTRYPOINT",
    b"GEMINI_SESSION_ID",
    b"GEMINI_PROJECT_DIR",
    b"EVERTHREAD_PRIVATE",
)


class TimeUp(Exception):
    """The time is up."""


HELD = (
    b"Everthread: this project is in a sandbox and its daemon does not answer, so no tool runs. "
    b"Start it: everthread up. A person may end the sandbox: everthread task allow --note ...\n"
)
DENIED = 2  # how a hook says no


def main() -> None:
    """Carry one event. Whatever happens, the harness sees success and at most our answer."""
    if sys.argv[-1] == "gate":
        guard(sys.argv)
    try:  # noqa: SIM105 - contextlib would cost more than all we do
        carry(sys.argv)
    except BaseException:  # noqa: BLE001 - a hook that fails must not be seen
        pass
    posix._exit(0)  # pyright: ignore[reportPrivateUsage] - quicker than tidying up


def carry(argv: list[str]) -> None:
    """Send the event; if that does not succeed in time, spool it."""
    home = argv[0].rpartition("/hooks/")[0]
    # Who hands over what it could not bring itself gives the ticket too, so that it is taken once.
    given = argv[-1][20:21] == "-"
    ticket = argv[-1] if given else f"{time.time_ns():020}-{posix.getpid()}"
    url = posix.environ.get(b"EVERTHREAD_URL", b"").decode()
    private = posix.environ.get(b"EVERTHREAD_PRIVATE", b"0") != b"0"  # nothing is kept anywhere
    parts: list[bytes] = []
    size = [0, 0]  # bytes that were read and not kept; and was that all?
    limit(int(argv[4]) / 1000)
    try:
        read_stdin(parts, size)
        line = remote_line(url) if url else local_line(home, argv[1], start="start" in argv)
        if whole(parts, size) > LARGEST and not url and not private:
            raise ValueError  # too large to be sent
        answer = ask_daemon(line, request(argv, ticket, parts, whole(parts, size), url))
    except (TimeUp, OSError, ValueError):
        limit(SPOOL_SECONDS)
        if url:
            count_lost(home + "/spool/unanswered")  # no business of the daemon of this machine
        elif not private:
            keep(home + "/spool", argv, ticket, parts, size)
        return
    limit(1.0)  # the harness may be slow to read
    while answer:
        answer = answer[posix.write(1, answer) :]


def guard(argv: list[str]) -> None:
    """In a sandbox the daemon says what may run; where it says nothing, nothing may."""
    home, answer = argv[0].rpartition("/hooks/")[0], b""
    try:
        limit(int(argv[4]) / 1000)
        parts: list[bytes] = []
        size = [0, 0]
        read_stdin(parts, size)
        ticket = f"{time.time_ns():020}-{posix.getpid()}"
        line = local_line(home, argv[1], start=False)
        answer = ask_daemon(line, request(argv, ticket, parts, whole(parts, size)))
    except BaseException:  # noqa: BLE001 - whatever it is, there is no answer
        answer = b""
    try:
        limit(1.0)
        if answer or not in_sandbox(home + "/run/sandbox"):
            posix.write(1, answer)
            posix._exit(0)  # pyright: ignore[reportPrivateUsage] - as above
        posix.write(2, HELD)
    except BaseException:  # noqa: BLE001 - as above
        pass
    posix._exit(DENIED)  # pyright: ignore[reportPrivateUsage] - as above


def in_sandbox(folder: str) -> bool:
    """Is the project that this runs in, or that the harness names, in a sandbox, or one below it?"""
    try:
        names = posix.listdir(folder)
    except FileNotFoundError:
        return False
    marks = [posix.read(posix.open(f"{folder}/{name}", posix.O_RDONLY), 65_536) for name in names]
    projects = [bytes.fromhex(mark.split(b"\n")[0].decode()) for mark in marks]
    env = posix.environ
    places = [posix.getcwdb()]
    for name in (b"CLAUDE_PROJECT_DIR", b"GEMINI_PROJECT_DIR"):
        if name in env:
            posix.chdir(env[name])  # by what it is called to where it really is
            places.append(posix.getcwdb())
    pairs = [(p.rstrip(b"/") + b"/", q.rstrip(b"/") + b"/") for p in places for q in projects]
    return any([here.startswith(one) or one.startswith(here) for here, one in pairs])


def limit(seconds: float) -> None:
    """One limit for all that may take long: reading, connecting, waiting, writing."""
    _signal.signal(_signal.SIGALRM, raise_time_up)  # pyright: ignore[reportUnknownMemberType]
    _signal.setitimer(_signal.ITIMER_REAL, seconds)  # pyright: ignore[reportUnknownMemberType]


def raise_time_up(_number: int, _frame: object) -> None:
    raise TimeUp


def read_stdin(parts: list[bytes], size: list[int]) -> None:
    """Gather what is on stdin, as much as is kept, and count the rest."""
    reads = itertools.starmap(posix.read, itertools.repeat((0, 1_000_000)))
    pieces = itertools.takewhile(len, reads)
    known = -1
    while known < len(parts) and whole(parts, size) < WHOLE:
        known = len(parts)
        # In C from end to end: if the time is up between reading and keeping, a piece would be lost.
        parts.extend(itertools.islice(pieces, 8))
    while part := posix.read(0, 1_000_000):
        size[0] += len(part)
    size[1] = 1


def whole(parts: list[bytes], size: list[int]) -> int:
    """How large it is, as far as it was read."""
    return sum(map(len, parts)) + size[0]


def request(
    argv: list[str],
    ticket: str,
    parts: list[bytes],
    size: int,
    url: str = "",
    most: int = LARGEST,
    harness: int = 0,
) -> bytes:
    """The event as one request, cut to so many bytes. The spool keeps the same, without the token."""
    env = posix.environ
    told = [b"%s=%s" % (name, env[name]) for name in NAMES if name in env]
    told.append(b"EVERTHREAD_HARNESS_PID=%d" % (harness or posix.getppid()))
    try:  # noqa: SIM105 - as above
        told.append(b"PWD=" + posix.getcwdb())
    except OSError:
        pass  # the folder was removed under the harness's feet
    body = b"".join(parts)[:most]
    host = url.partition("//")[2].partition("/")[0] or "localhost"
    head = (
        f"POST /hook/{argv[2]}/{argv[3]} HTTP/1.1\r\nhost: {host}\r\n"
        f"connection: close\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
        f"x-everthread-ticket: {ticket}\r\nx-everthread-ms: {argv[4]}\r\n"
        f"x-everthread-environ: {bytes(1).join(told).hex()}\r\n"
    )
    if size > len(body):
        head += f"x-everthread-cut: {size}\r\n"
    if url:
        head += f"authorization: Bearer {env.get(b'EVERTHREAD_TOKEN', b'').decode()}\r\n"
    return head.encode() + b"\r\n" + body


def local_line(home: str, path: str, *, start: bool) -> "_socket.socket":
    """A line to the daemon of this home folder. Where there is none, one is started; events that begin
    a session or a compaction wait for it until their time is up."""
    woken = False
    while True:
        line = _socket.socket(_socket.AF_UNIX)
        try:
            # Where others may write too, the socket could be somebody else's.
            if posix.stat(path[: path.rindex("/")]).st_uid == posix.getuid():
                line.connect(path)
                return line
        except OSError:
            pass
        line.close()
        if not woken:
            wake(home, start=start)
            woken = True
        if not start:
            raise OSError
        time.sleep(0.02)


def wake(home: str, *, start: bool) -> None:
    """Start the daemon, once for all hooks that miss it. After `everthread down` only a session does."""
    run = home + "/run/"
    if not start and age(run + "stopped") >= 0:
        return
    if age(run + "starting") >= AGAIN:
        posix.unlink(run + "starting")
    try:
        posix.close(posix.open(run + "starting", posix.O_CREAT | posix.O_EXCL, 0o600))
    except FileExistsError:
        return  # another hook is at it
    argv = posix.read(posix.open(home + "/hooks/start", posix.O_RDONLY), 65_536).split(b"\0")
    log, how = home + "/logs/start.log", posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC
    streams = [
        (posix.POSIX_SPAWN_OPEN, 0, "/dev/null", posix.O_RDONLY, 0),
        (posix.POSIX_SPAWN_OPEN, 1, log, how, 0o600),
        (posix.POSIX_SPAWN_DUP2, 1, 2),
    ]
    posix.posix_spawn(argv[0], argv, posix.environ, file_actions=streams)


def age(path: str) -> float:
    """How old the file is, in seconds; below 0 if there is none."""
    try:
        return abs(time.time() - posix.stat(path).st_mtime)  # the clock may have been set back
    except OSError:
        return -1.0


def remote_line(url: str) -> "_socket.socket":
    """A line to the daemon that EVERTHREAD_URL names: http://host[:port]."""
    kind, _, place = url.partition("://")
    place = place.partition("/")[0]
    host, colon, port = place.rpartition(":")
    if not colon or port[-1:] == "]":
        host, port = place, "80"
    if kind != "http" or not host:
        raise ValueError
    six = host[0] == "["
    line = _socket.socket(_socket.AF_INET6 if six else _socket.AF_INET)
    line.connect((host.strip("[]"), int(port)))
    return line


def ask_daemon(line: "_socket.socket", sent: bytes) -> bytes:
    """What the daemon answers."""
    line.sendall(sent)
    parts: list[bytes] = []
    while part := line.recv(262_144):
        parts.append(part)
    head, end, body = b"".join(parts).partition(b"\r\n\r\n")
    if (
        not end
        or head[9:12] != b"200"
        or b"content-length: %d\r\n" % len(body) not in head + b"\r\n"
    ):
        raise ValueError
    return body


def keep(folder: str, argv: list[str], ticket: str, parts: list[bytes], size: list[int]) -> None:
    """Spool the event. Where that takes long a child goes on with it, so that the harness need not wait.
    What cannot be kept is counted."""
    harness = posix.getppid()  # a child has another parent
    try:
        if size[1]:
            put(folder, argv, ticket, parts, whole(parts, size), harness)
            return
    except TimeUp:
        pass
    except (OSError, ValueError):  # it cannot be read, or somebody else's file is in it
        count_lost(folder + "/dropped")
        return
    limit(SPOOL_SECONDS)
    try:
        if posix.fork():
            return
        limit(READ_SECONDS)
        posix.setsid()  # what a harness does to its hook's group is not meant for it
        nowhere = posix.open("/dev/null", posix.O_RDWR)
        for stream in (1, 2):  # a harness waits for their end
            posix.dup2(nowhere, stream)
        read_rest(parts, size)
        limit(BEHIND_SECONDS)
        posix.dup2(nowhere, 0)
        put(folder, argv, ticket, parts, whole(parts, size), harness)
    except BaseException:  # noqa: BLE001 - whatever it is, the event is lost
        count_lost(folder + "/dropped")


def read_rest(parts: list[bytes], size: list[int]) -> None:
    """Read on what the harness had not written when the time was up; it may never end, or be closed."""
    try:
        if not size[1]:
            read_stdin(parts, size)
    except (TimeUp, OSError):
        pass


def put(
    folder: str, argv: list[str], ticket: str, parts: list[bytes], size: int, harness: int
) -> None:
    """Spool it whole; where there is no room for that, its beginning; else it is counted."""
    for most in (WHOLE, LARGEST):
        if spool(folder, ticket, request(argv, ticket, parts, size, "", most, harness)):
            return
    count_lost(folder + "/dropped")


def spool(folder: str, ticket: str, event: bytes) -> bool:
    """Keep the event for the daemon; False where there is no room. A file appears whole or not at all."""
    try:
        names = posix.listdir(folder)
    except FileNotFoundError:
        # Somebody tidied up. Where the home folder is gone too, this fails.
        try:  # noqa: SIM105 - as above
            posix.mkdir(folder, 0o700)
        except FileExistsError:
            pass  # another hook was quicker
        names = []
    held = sum([int(name.rpartition("-")[2]) for name in names if name[:1] in "01"])
    if len(names) >= SPOOL_FILES or held + len(event) > SPOOL_BYTES:
        return False
    made, size = f"{folder}/.{ticket}", len(event)
    try:
        file = posix.open(made, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL, 0o600)
        while event:
            event = event[posix.write(file, event) :]
        posix.rename(made, f"{folder}/{ticket}-{size}")
    except (TimeUp, OSError) as trouble:
        try:  # noqa: SIM105 - as above
            posix.unlink(made)
        except OSError:
            pass  # it was not made, or has its name already
        if isinstance(trouble, TimeUp):
            raise
        count_lost(folder + "/dropped")
    return True


def count_lost(path: str) -> None:
    """One more event that is lost, and when."""
    posix.write(posix.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND, 0o600), b".")


if __name__ == "__main__":
    main()
