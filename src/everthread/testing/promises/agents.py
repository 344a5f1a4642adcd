"""Agents, their bodies and their channels."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

import random
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest

from everthread.domain.agents import Channel, Scope
from everthread.domain.conversation.bodies import Body, body_of
from everthread.domain.errors import EverthreadError
from everthread.ports import Records, Store

from .rows import NOON, agent_in, run_together, session_in, thread_in


def _bodies_read(store: Store, scope: Scope, *bodies: Body) -> Mapping[bytes, str]:
    return store.read(lambda r: r.bodies.get(scope, [body.hash for body in bodies]))


def _dump(store: Store, scope: Scope) -> list[tuple[str, dict[str, Any]]]:
    return store.read(lambda r: list(r.audit.dump(scope)))


TEXTS_NAMED = {
    "empty": "",
    "short": "hi",
    "long": "the same words " * 1_000,
    "of-many-bytes": "\U0001f9f5 œuvre, naïve, \u4f60\u597d\n" * 200,
    "hardly-packable": "".join(map(chr, random.Random(7).choices(range(32, 0xD000), k=5_000))),
    "of-a-megabyte": "line of a log\r\n" * 80_000,
}
TEXTS = [*TEXTS_NAMED.values()]


class AgentPromises:
    def test_an_agent_is_created_once_and_found_by_its_name(self, store: Store) -> None:
        first = store.write(lambda r: r.agents.add("ada", window=1_000, now=NOON))
        again = store.write(lambda r: r.agents.add("ada", window=2_000, now=NOON + 1))
        assert again == first
        assert store.read(lambda r: r.agents.find("ada")) == first
        assert (first.window, first.created_ms, first.time_zone) == (1_000, NOON, "UTC")

    def test_an_agent_is_known_by_its_scope(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        found = store.read(lambda r: r.agents.get(bob))
        assert (found.ref, found.name) == (bob.agent, "bob")
        assert store.read(lambda r: r.agents.get(ada)) == store.read(lambda r: r.agents.find("ada"))

    def test_an_unknown_agent_is_not_found(self, store: Store) -> None:
        assert store.read(lambda r: r.agents.find("nobody")) is None

    def test_agents_are_listed_by_name(self, store: Store) -> None:
        for name in ("cleo", "ada", "bob"):
            agent_in(store, name)
        assert [a.name for a in store.read(lambda r: r.agents.all())] == ["ada", "bob", "cleo"]

    def test_an_agent_that_many_create_at_once_is_one(self, store: Store) -> None:
        """(A-22, A-76)"""
        refs: list[int] = []
        raised = run_together(*[lambda: refs.append(agent_in(store).agent)] * 8)
        assert raised == []
        assert len(refs) == 8
        assert len(set(refs)) == 1
        entries = store.read(lambda r: r.timeline.page(Scope(refs[0]), after=0, limit=10))
        assert [entry.event for entry in entries] == ["agent.created"]

    def test_a_changed_definition_is_kept(self, store: Store) -> None:
        agent = store.write(lambda r: r.agents.add("ada", window=1_000, now=NOON))
        changed = agent._replace(
            model="m", window=9_000, inactivity_hours=2.5, time_zone="Europe/Berlin"
        )
        body = body_of('"You are Ada."')
        changed = changed._replace(system_hash=body.hash)
        defined = store.write(lambda r: r.agents.define(changed, now=NOON))
        assert defined._replace(entry=0) == changed._replace(entry=0)
        assert store.read(lambda r: r.agents.find("ada")) == defined

    def test_calibration_is_kept_for_each_agent_and_model(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        store.write(lambda r: r.agents.calibrate(ada, "m", "one", now=NOON))
        store.write(lambda r: r.agents.calibrate(ada, "m", "two", now=NOON))
        store.write(lambda r: r.agents.calibrate(ada, "n", "three", now=NOON))
        assert store.read(lambda r: r.agents.calibration(ada, "m")) == "two"
        assert store.read(lambda r: r.agents.calibration(ada, "n")) == "three"
        assert store.read(lambda r: r.agents.calibration(bob, "m")) is None


class BodyPromises:
    def test_a_body_is_kept_once_however_often_it_is_put(self, store: Store) -> None:
        """(R-49)"""
        scope, body = agent_in(store), body_of("long " * 2_000)
        for _ in range(3):
            store.write(lambda r: r.bodies.put(scope, [body]))
        assert _bodies_read(store, scope, body) == {body.hash: body.content}
        tables = [name for name, _ in store.read(lambda r: list(r.audit.dump(scope)))]
        assert tables.count("bodies") == 1

    @pytest.mark.parametrize("text", TEXTS, ids=[*TEXTS_NAMED])
    def test_a_body_comes_back_as_it_was_and_is_told_whole(self, store: Store, text: str) -> None:
        """However a store keeps it: an export and `verify` know its content alone (R-33, R-49)."""
        scope, body = agent_in(store), body_of(text)
        store.write(lambda r: r.bodies.put(scope, [body]))
        assert _bodies_read(store, scope, body) == {body.hash: text}
        (told,) = [row for name, row in _dump(store, scope) if name == "bodies"]
        assert told == {"hash": body.hash.hex(), "content": text, "uses": 1}
        assert store.read(lambda r: r.audit.bad_bodies(scope)) == []

    def test_many_bodies_are_read_at_once(self, store: Store) -> None:
        scope = agent_in(store)
        bodies = [body_of(f"{n} of many " * (1 if n % 3 else 400)) for n in range(70)]
        store.write(lambda r: r.bodies.put(scope, bodies))
        wanted = [body_of("never put"), *bodies]
        assert _bodies_read(store, scope, *wanted) == {body.hash: body.content for body in bodies}
        assert _bodies_read(store, scope) == {}

    def test_bodies_that_many_put_at_once_wait_for_nobody_in_a_ring(self, store: Store) -> None:
        """Each in an order of its own: nobody has to begin again, and no use is lost (R-49)."""
        scope = agent_in(store)
        one, two = body_of("one " * 500), body_of("two " * 500)
        met, begun = threading.Barrier(2), list[str]()

        def put(name: str, *bodies: Body) -> None:
            def work(records: Records) -> None:
                begun.append(name)
                records.bodies.put(scope, bodies[:1])
                with suppress(threading.BrokenBarrierError):
                    met.wait(0.3)  # the other has its first one too, if a store lets both write
                records.bodies.put(scope, bodies[1:])

            store.write(work)

        assert run_together(lambda: put("ada", one, two), lambda: put("bob", two, one)) == []
        assert sorted(begun) == ["ada", "bob"]
        for left in (1, 0):
            store.write(lambda r: r.bodies.release(scope, [one.hash, two.hash]))
            assert len(_bodies_read(store, scope, one, two)) == 2 * left

    def test_a_body_goes_when_its_last_use_is_released(self, store: Store) -> None:
        scope, body, other = agent_in(store), body_of("wanted twice"), body_of("wanted once")
        store.write(lambda r: r.bodies.put(scope, [body, other]))
        store.write(lambda r: r.bodies.put(scope, [body]))
        store.write(lambda r: r.bodies.release(scope, [body.hash]))
        assert _bodies_read(store, scope, body) == {body.hash: body.content}
        store.write(lambda r: r.bodies.release(scope, [body.hash]))
        assert _bodies_read(store, scope, body, other) == {other.hash: other.content}

    def test_a_body_put_twice_in_one_go_has_two_uses(self, store: Store) -> None:
        scope, body = agent_in(store), body_of("twice at once")
        store.write(lambda r: r.bodies.put(scope, [body, body]))
        store.write(lambda r: r.bodies.release(scope, [body.hash]))
        assert _bodies_read(store, scope, body) == {body.hash: body.content}

    def test_an_unknown_body_is_left_out(self, store: Store) -> None:
        scope = agent_in(store)
        assert _bodies_read(store, scope, body_of("never put")) == {}

    def test_a_body_of_one_agent_is_not_seen_by_another(self, store: Store) -> None:
        """(R-44)"""
        ada, bob, body = agent_in(store), agent_in(store, "bob"), body_of("mine")
        store.write(lambda r: r.bodies.put(ada, [body]))
        assert _bodies_read(store, bob, body) == {}
        store.write(lambda r: r.bodies.release(bob, [body.hash]))
        assert _bodies_read(store, ada, body) == {body.hash: body.content}


class ChannelPromises:
    def test_a_channel_is_bound_and_moves_its_pointer(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        one, two = session_in(store, scope, thread), session_in(store, scope, thread)
        first = Channel("signal", "+49", thread.ref, one.ref)
        store.write(lambda r: r.channels.bind(scope, first, now=NOON))
        assert store.read(lambda r: r.channels.find(scope, "signal", "+49")) == first
        moved = first._replace(session_ref=two.ref)
        store.write(lambda r: r.channels.bind(scope, moved, now=NOON))
        assert store.read(lambda r: r.channels.all(scope)) == [moved]

    def test_channels_are_listed_by_transport_and_key(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        names = [("webchat", ""), ("signal", "b"), ("signal", "a")]
        for transport, key in names:
            bound = Channel(transport, key, thread.ref, None)
            store.write(lambda r, c=bound: r.channels.bind(scope, c, now=NOON))
        found = store.read(lambda r: r.channels.all(scope))
        assert [(c.transport, c.key) for c in found] == sorted(names)

    def test_the_same_channel_of_two_agents_is_two_channels(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        bound = Channel("signal", "+49", thread_in(store, ada).ref, None)
        store.write(lambda r: r.channels.bind(ada, bound, now=NOON))
        assert store.read(lambda r: r.channels.find(bob, "signal", "+49")) is None
        assert store.read(lambda r: r.channels.all(bob)) == []

    def test_a_channel_to_nowhere_is_refused(self, store: Store) -> None:
        scope = agent_in(store)
        with pytest.raises(EverthreadError):
            store.write(
                lambda r: r.channels.bind(scope, Channel("signal", "", 987_654, None), now=NOON)
            )
