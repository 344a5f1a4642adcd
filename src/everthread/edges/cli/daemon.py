"""`up` and `down`: the daemon beside the harnesses."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from everthread.domain.errors import BadInput, DaemonFailed

from .base.options import Choice, common, examples, refuse_agent, settings_of
from .base.terminal import escaped, plural, say, show_json

if TYPE_CHECKING:
    from everthread.edges.daemon.places import Places
    from everthread.edges.daemon.running_daemon import RunningDaemon
    from everthread.settings import Settings

COMES_UP = 15.0
"""Seconds that a detached daemon is waited for."""


@click.command(
    "up",
    short_help="Start the daemon that the harnesses talk to.",
    epilog=examples("everthread up --detach", "everthread up"),
)
@click.option("--detach", "-d", is_flag=True, help="Start it and come back.")
@common
def up_command(choice: Choice, detach: bool) -> None:  # noqa: FBT001 - click gives options by name
    """Start the daemon: one process per home folder, on a Unix socket and a loopback port. The first
    session of a harness starts it by itself; a second start finds the first.

    Without --detach it stays in the foreground and tells what it does; Ctrl-C stops it.
    """
    settings = _settings(choice)
    from everthread.edges.daemon import running_daemon
    from everthread.edges.daemon.places import Places

    places = Places(settings.home)
    found = running_daemon.find(places)
    if found is not None and not found.older:
        _show_daemon(choice, found, "is already up")
    elif detach:
        _show_daemon(choice, _start_detached(settings, places), "is up")
    else:
        from everthread.edges.daemon.process import serve
        from everthread.edges.hooks.command import install_client

        install_client(settings)
        say(serve(settings, say=True))


@click.command(
    "down",
    short_help="Stop the daemon, with everything written.",
    epilog=examples("everthread down"),
)
@common
def down_command(choice: Choice) -> None:
    """Stop the daemon: it takes no more, writes what waits and leaves. Hooks spool from then on; the
    next session of a harness, or `everthread up`, starts it again.
    """
    settings = _settings(choice)
    from everthread.edges.daemon import running_daemon
    from everthread.edges.daemon.places import Places

    places = Places(settings.home)
    pid = running_daemon.lock_holder(places)
    if pid is not None:
        places.stopped.touch(0o600)
        if not running_daemon.stop(places):
            raise DaemonFailed(
                f"the daemon (process {pid}) does not stop; kill it, nothing is lost"
            )
    if choice.as_json:
        show_json({"stopped": pid is not None, "pid": pid})
    else:
        say("no daemon is running" if pid is None else f"the daemon (process {pid}) has stopped")


def _settings(choice: Choice) -> Settings:
    refuse_agent(choice, "the daemon serves all agents of its store")
    if choice.store:
        raise BadInput(
            "--store does not go with this command: hooks start the daemon without it. "
            "Set it for good: everthread config set store PATH"
        )
    return settings_of(choice)


def _start_detached(settings: Settings, places: Places) -> RunningDaemon:
    """Start one that outlives us, and wait until it has its store: a command may follow at once."""
    import subprocess

    from everthread.edges.daemon import running_daemon
    from everthread.edges.daemon.trace import read_trace
    from everthread.edges.hooks.command import install_client, start_command

    before = running_daemon.lock_holder(places)
    install_client(settings)
    with (places.log.parent / "start.log").open("wb") as out:
        child = subprocess.Popen(
            start_command(settings),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env={**os.environ, "EVERTHREAD_HOME": str(settings.home)},
            start_new_session=True,
        )
    found: list[RunningDaemon] = []

    def came() -> bool:
        now = running_daemon.find(places, seconds=1.0)
        if now is not None and (now.pid != before or not now.older):
            found[:] = [now]
            return now.settled
        return child.poll() is not None

    running_daemon.wait_until(came, COMES_UP)
    # Of two that were started at once, ours may be the one that stepped back.
    last = found[0] if found else running_daemon.find(places)
    if last is None:
        silent = running_daemon.lock_holder(places)
        if silent is not None and silent == before:
            raise DaemonFailed(running_daemon.silence_text(silent))
        why = read_trace(settings.home).start_failure or "it says nothing"
        raise DaemonFailed(f"the daemon did not come up: {why}. More: everthread logs")
    return last


def _show_daemon(choice: Choice, found: RunningDaemon, state: str) -> None:
    if choice.as_json:
        told = {"pid": found.pid, "version": found.version, "port": found.port}
        show_json({**told, "trouble": found.trouble})
        return
    from everthread.edges.daemon import running_daemon
    from everthread.edges.daemon.places import Places

    port = running_daemon.port_text(Places(settings_of(choice).home), found.port)
    say(f"the daemon {state}: process {found.pid}, version {found.version}, {port}")
    if found.trouble:
        click.echo(
            f"everthread: it has no store yet, and tries again: {escaped(found.trouble)}", err=True
        )


def served_by_daemon(choice: Choice) -> bool:
    """Does a daemon work on the store that is meant? One that has not opened it does not yet."""
    from everthread.edges.daemon import running_daemon
    from everthread.edges.daemon.places import Places
    from everthread.settings import Settings

    settings = Settings.load()
    if settings_of(choice).store_target != settings.store_target:
        return False
    found = running_daemon.find(Places(settings.home), seconds=0.5)
    return found is not None and found.store_open


def daemon_document(settings: Settings) -> dict[str, object]:
    """The daemon's state for a program."""
    from everthread.edges.daemon import running_daemon
    from everthread.edges.daemon.places import Places
    from everthread.edges.daemon.trace import read_trace

    places = Places(settings.home)
    found = running_daemon.find(places, seconds=0.5)
    traced = read_trace(settings.home)
    return {
        "running": found is not None,
        "port_before": running_daemon.port_before(places, found.port) if found else 0,
        "silent": running_daemon.lock_holder(places) if found is None else None,
        **({} if found is None else found._asdict()),
        "spooled": traced.waiting,
        "dropped": traced.dropped,
        "unanswered": traced.unanswered,
        "torn": traced.torn,
        "failed": traced.failed,
        "start_failure": traced.start_failure,
        "trouble": (traced.trouble or found.trouble) if found else "",
    }


def daemon_line(facts: dict[str, object]) -> str:
    """The same for people, in one line."""
    if facts["running"]:
        told = f"process {facts['pid']}, version {facts['version']}, port {facts['port']}"
        if facts["port_before"]:
            told += f" (it was {facts['port_before']}, which another program has taken)"
    elif isinstance(silent := facts["silent"], int):
        from everthread.edges.daemon import running_daemon

        told = running_daemon.silence_text(silent)
    else:
        told = "not running; a harness's next session starts it, or: everthread up --detach"
    for name, what in (
        ("spooled", "waiting in the spool"),
        ("dropped", "lost because the spool was full or could not be written"),
        ("unanswered", "lost because the daemon at EVERTHREAD_URL did not answer"),
        ("torn", "set aside that could not be read: spool/torn"),
        ("failed", "set aside after failing each time: spool/failed"),
    ):
        number = facts[name]
        if isinstance(number, int) and number:
            told += f"\n{plural(number, 'event')} {what}"
    if facts["trouble"]:
        told += f"\nit cannot work: {facts['trouble']}"
    if facts["start_failure"]:
        told += f"\nthe last start failed: {facts['start_failure']}"
    return told
