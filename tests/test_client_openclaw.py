"""OpenClaw itself, with Everthread installed in it, against a scripted model. B-3, R-21, R-23.

A gateway takes a while to start and each turn is a process of its own, so one conversation is led
from its beginning to its end in each of the two ways: the plugin, and the older internal hooks.

B-62.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.client_archive import archive, until
from support.client_house import (
    FACT,
    REQUEST,
    RULE,
    bare,
    bytes_under,
    compactions,
    install,
    ours,
    sent,
)
from support.client_kinds import OpenClaw

pytestmark = [pytest.mark.slow, pytest.mark.openclaw, pytest.mark.xdist_group("clients")]

LONG = "The log goes on and on. " * 4_000
"""More than OpenClaw keeps beside a summary; twice that, and it compacts."""


@pytest.fixture
def openclaw() -> Iterator[OpenClaw]:
    with bare(OpenClaw, "openclaw") as there:
        yield there


def words_of(openclaw: OpenClaw) -> list[tuple[str, str]]:
    return [(one.origin, one.text) for one in archive(openclaw.place)]


def compact(openclaw: OpenClaw) -> None:
    openclaw.call("sessions", "compact", "agent:main:main", "--json")


def test_by_plugin_a_conversation_is_kept_and_survives_compaction_and_a_new_session(
    openclaw: OpenClaw,
):
    install(openclaw, "openclaw")
    model = openclaw.place.model
    with openclaw.gateway():
        openclaw.say(f"{FACT} {RULE} {REQUEST}")
        model.script("Still 7431.")
        openclaw.say("Which port was it?")
        kept = until(lambda: words_of(openclaw), lambda seen: len(seen) >= 4)
        assert kept == [
            ("user", f"{FACT} {RULE} {REQUEST}"),
            ("agent", "Understood."),
            ("user", "Which port was it?"),
            ("agent", "Still 7431."),
        ]
        openclaw.say(f"{LONG}1")
        openclaw.say(f"{LONG}2")
        compact(openclaw)
        openclaw.say("Where were we?")
        given = sent(openclaw.place)
        assert RULE in given
        assert "src/dates.py" in given
        assert "7431" in given
        assert len(compactions(openclaw.place)) == 1
    # The gateway is gone; the next conversation has another session and no gateway.
    openclaw.say_alone("Good morning.", "tomorrow")
    given = sent(openclaw.place)
    assert RULE in given
    assert "7431" in given
    users = [text for who, text in words_of(openclaw) if who == "user"]
    assert users.count("Where were we?") == 1
    assert not [text for text in users if "history before this point" in text]


def test_by_the_older_hooks_a_session_begins_with_what_was_kept(openclaw: OpenClaw):
    install(openclaw, "openclaw-legacy")
    openclaw.place.everthread("remember", RULE, "--kind", "rule")
    with openclaw.gateway():
        openclaw.say("Good morning.")
        assert RULE in sent(openclaw.place)
        openclaw.say(f"{LONG}1")
        openclaw.say(f"{LONG}2")
        compact(openclaw)
        openclaw.say("Where were we?")
        assert RULE in sent(openclaw.place)


def test_removed_it_leaves_no_trace(openclaw: OpenClaw):
    before = bytes_under(openclaw.state)
    for name in ("openclaw", "openclaw-legacy"):
        install(openclaw, name)
        ours(openclaw, "uninstall", name, "--yes")
        assert bytes_under(openclaw.state) == before
