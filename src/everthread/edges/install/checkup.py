"""Is each harness really captured? Its settings, the client, the daemon, and what arrived lately."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from everthread import __version__
from everthread.domain.errors import InstallRefused
from everthread.domain.harness.happenings import HARNESSES
from everthread.edges.daemon import running_daemon
from everthread.edges.daemon.places import Places
from everthread.edges.daemon.trace import HarnessTrace, TraceReport, read_trace
from everthread.edges.hooks.command import CARRY, CLIENT
from everthread.services.upkeep.diagnose import Finding

from . import claude_code
from .install_log import load, log_path
from .installation import plan
from .machine import INSTALLERS, installers_here, why_unspeakable

if TYPE_CHECKING:
    from .install_log import InstallLog
    from .parts import Installer, Machine

DAY = 86_400.0
GRACE = 120.0
"""Seconds by which a harness may write its own files later than an event reaches us."""


def checkup(around: Machine, stored: Mapping[str, int]) -> list[Finding]:
    """Every harness that is installed, the daemon and the spool. `stored`: when the newest session of
    each harness in the store was last active, in milliseconds."""
    trace = read_trace(around.home)
    found = [f for each in INSTALLERS for f in _harness(each, around, trace, stored)]
    daemon = _daemon(around, trace)
    if found:
        found += [_client(around), daemon]
    elif not daemon.fine or daemon.advice:  # it serves others than harnesses too
        found += [daemon]
    if found or trace.stuck or list(_losses(trace)):
        found += [_spool(trace)]
    if trace.damaged:
        advice = "nothing to do: what harnesses told is in the store, only the counts are gone"
        found += [Finding("trace", fine=False, says=trace.damaged, advice=advice)]
    return [*found, *_url(around), *_uncaptured(around)]


def anything_installed(around: Machine) -> bool:
    return any(log_path(around.home, each.name).exists() for each in INSTALLERS)


def _harness(
    installer: Installer, around: Machine, trace: TraceReport, stored: Mapping[str, int]
) -> Iterator[Finding]:
    """How one harness stands; nothing if it was never installed."""
    name = installer.name
    try:
        known = load(around.home, name)
        if known is None:
            return
        settings = _settings(installer, around, known)
    except InstallRefused as wrong:
        advice = f"mend it, then: everthread install {name}"
        yield Finding(name, fine=False, says=str(wrong), advice=advice)
        return
    harness = next(each for each in HARNESSES if name.startswith(each))
    seen = trace.harnesses.get(harness)
    yield settings or _capture_finding(installer, around, seen, stored.get(harness))


def _settings(installer: Installer, around: Machine, known: InstallLog) -> Finding | None:
    """Are our entries there, and those of this version?"""
    name = installer.name
    again = f"everthread install {name}" + (" --plain" if known.form == "plain" else "")
    if known.program and not Path(known.program).exists():
        says = f"its hooks run {known.program}, which is gone: nothing is captured"
        return Finding(name, fine=False, says=says, advice=again)
    changes = plan(installer, replace(around, plain=known.form == "plain")).changes
    if name == claude_code.NAME and (ignored := claude_code.ignored_settings(around)):
        advice = "take them out, then start its sessions anew"
        return Finding(name, fine=False, says=f"{ignored[0]}: nothing is captured", advice=advice)
    if not changes:
        return None
    files = ", ".join(str(change.path) for change in changes[:3])
    missing = all(change.before is None for change in changes)
    says = f"{files} {'is missing' if missing else 'is not as this version writes it'}"
    return Finding(name, fine=False, says=says, advice=again)


def _capture_finding(
    installer: Installer, around: Machine, seen: HarnessTrace | None, stored: int | None
) -> Finding:
    """Did an event arrive since it was last used, and did it reach the store?"""
    name = installer.name
    last = max(seen.last.values(), default=0.0) if seen else 0.0
    used = _last_used(installer, around)
    begun = log_path(around.home, name).stat().st_mtime
    if seen and seen.error_at > last:
        says = f"its last event, {seen.error_event}, failed: {seen.error}"
        advice = "everthread logs tells more; nothing that its transcript holds is lost"
        return Finding(name, fine=False, says=says, advice=advice)
    if used > max(begun, last) + GRACE:
        arrived = f"the newest event came {_ago(last)}" if last else "no event ever came"
        says = f"not captured: it was used {_ago(used)}, and {arrived}"
        return Finding(name, fine=False, says=says, advice=_advice(installer, around))
    if not last:
        return Finding(name, fine=True, says="installed; not used since", advice="")
    if seen and time.time() - seen.error_at < DAY:
        return _failed_finding(name, seen, last)
    return _stored_finding(name, seen, last, stored)


def _failed_finding(name: str, seen: HarnessTrace, last: float) -> Finding:
    """Events failed and later ones did not: what the first told may be missing all the same."""
    number = max(1, seen.errors)
    first, end = (_moment(at) for at in (seen.error_since or seen.error_at, seen.error_at))
    when = f"at {end}" if number == 1 or first == end else f"between {first} and {end}"
    says = (
        f"{_events(number, 'failed', 'failed')} {when} UTC, the last success was {_ago(last)}; the "
        f"last to fail was {seen.error_event}: {seen.error}"
    )
    advice = "everthread logs tells more; nothing that its transcript holds is lost"
    return Finding(name, fine=False, says=says, advice=advice)


def _moment(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"


def _stored_finding(
    name: str, seen: HarnessTrace | None, last: float, stored: int | None
) -> Finding:
    """Events came. Are their words in the store?"""
    count = seen.answered if seen else 0
    says = f"captured: {count:,} events, the newest {_ago(last)}"
    if stored is None:
        says += (
            "; none of their sessions is in the store (private ones and projects left out are not)"
        )
    else:
        says += f"; in the store up to {_ago(stored / 1000)}"
    return Finding(name, fine=True, says=says)


def _advice(installer: Installer, around: Machine) -> str:
    told = installer.advice(around)
    return " ".join(told) or "start it anew"


def _last_used(installer: Installer, around: Machine) -> float:
    """When the harness last wrote a session of its own; 0 if it never did."""
    newest = 0.0
    for path in installer.sessions(around):
        try:
            newest = max(newest, path.stat().st_mtime)
        except OSError:
            continue
    return newest


def _client(around: Machine) -> Finding:
    """Is there all that a hook needs, and of this version?"""
    places, client = Places(around.home), around.hooks / "client.py"
    wanted = {client: CLIENT, around.hooks / "carry.py": CARRY}
    for path, ours in wanted.items():
        try:
            same = path.read_bytes() == ours.read_bytes()
        except OSError:
            return _client_trouble(f"{path} is missing: nothing is captured")
        if not same:
            return _client_trouble(f"{path} is another version")
    if not (around.hooks / "start").exists():
        return _client_trouble(f"{around.hooks / 'start'} is missing: no hook can start the daemon")
    for folder in (places.run, places.spool, places.log.parent):
        if not folder.is_dir():
            return _client_trouble(
                f"{folder} is missing: hooks cannot start the daemon or keep events"
            )
    return Finding("hooks", fine=True, says=f"the client is {client}, version {__version__}")


def _client_trouble(says: str) -> Finding:
    return Finding("hooks", fine=False, says=says, advice="everthread install puts it there")


def _daemon(around: Machine, trace: TraceReport) -> Finding:
    found = running_daemon.find(Places(around.home))
    if found is not None:
        port = running_daemon.port_text(Places(around.home), found.port)
        says = f"process {found.pid}, version {found.version}, {port}"
        moved = running_daemon.port_before(Places(around.home), found.port)
        if found.store_open:
            advice = "whoever was told the old port needs the new one" if moved else ""
            return Finding("daemon", fine=True, says=says, advice=advice)
        advice = "everthread logs tells why; hooks go on, and what they tell is kept in the spool"
        return Finding("daemon", fine=False, says=f"{says}: its store is not open", advice=advice)
    silent = running_daemon.lock_holder(Places(around.home))
    if silent is not None:
        says, _, advice = running_daemon.silence_text(silent).partition("; ")
        return Finding("daemon", fine=False, says=says, advice=advice)
    if trace.start_failure:
        says = f"it did not come up: {trace.start_failure}"
        return Finding("daemon", fine=False, says=says, advice="everthread up shows what is wrong")
    return Finding("daemon", fine=True, says="not running; the next session of a harness starts it")


def _spool(trace: TraceReport) -> Finding:
    """Losses of the last day are something to look at; older ones are told, and nothing more."""
    lost = list(_losses(trace))
    says = "; ".join(f"{what}, the last {_ago(at)}" if at else what for what, at in lost)
    if any(time.time() - at < DAY for _, at in lost):
        advice = "their words come from the transcripts, where the harness keeps any; see everthread logs"
        return Finding("spool", fine=False, says=says, advice=advice)
    waits = _events(trace.waiting, "waits", "wait")
    if trace.stuck and trace.waiting:
        stuck = _events(trace.stuck, "failed again and again", "failed again and again")
        told = "; ".join(filter(None, (f"{stuck}: {trace.stuck_error}", says)))
        advice = "nothing is lost: it is tried again each minute while a daemon runs; see everthread logs"
        return Finding("spool", fine=False, says=f"{waits}; {told}", advice=advice)
    return Finding("spool", fine=True, says="; ".join(filter(None, (waits, says))))


def _losses(trace: TraceReport) -> Iterator[tuple[str, float]]:
    """What was lost or set aside, and when the last one was."""
    if trace.dropped:
        was = _events(trace.dropped, "was", "were")
        yield f"{was} lost: it was full or could not be written", trace.dropped_at
    if trace.unanswered:
        was = _events(trace.unanswered, "was", "were")
        yield f"the daemon at EVERTHREAD_URL did not answer: {was} lost", trace.unanswered_at
    if trace.cut:
        was = _events(trace.cut, "was", "were")
        yield f"{was} too large and kept in part, with a mark where it is cut", trace.cut_at
    if trace.torn:
        was = _events(trace.torn, "was", "were")
        yield f"{was} torn and set aside in spool/torn", trace.torn_at
    if trace.failed:
        each = _events(trace.failed, "failed each time and was", "failed each time and were")
        yield f"{each} set aside in spool/failed", trace.failed_at


def _url(around: Machine) -> Iterator[Finding]:
    if wrong := why_unspeakable(around.environ.get("EVERTHREAD_URL", "")):
        yield Finding("url", fine=False, says=wrong, advice="set EVERTHREAD_URL=http://HOST:PORT")


def _events(number: int, one: str, many: str) -> str:
    if not number:
        return f"no event {one}"
    return f"1 event {one}" if number == 1 else f"{number:,} events {many}"


def _uncaptured(around: Machine) -> Iterator[Finding]:
    """Harnesses that are here and do not know us: nothing is wrong, and nothing is captured."""
    for each in installers_here(around):
        if not _is_installed(each.name, around):
            yield Finding(
                each.name,
                fine=True,
                says=f"is here and not captured: everthread install {each.name}",
            )


def _is_installed(name: str, around: Machine) -> bool:
    return any(log_path(around.home, each).exists() for each in (name, f"{name}-legacy"))


def _ago(moment: float) -> str:
    seconds = max(0.0, time.time() - moment)
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {unit}{'' if number == 1 else 's'} ago"
    return "just now"


def newest(sessions: Sequence[tuple[str | None, int]]) -> dict[str, int]:
    """Of (harness, last activity) the newest for each harness."""
    found: dict[str, int] = {}
    for harness, at in sessions:
        if harness is not None:
            found[harness] = max(at, found.get(harness, 0))
    return found
