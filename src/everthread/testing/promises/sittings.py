"""The sessions of tasks, incidents, events on their way; and what erasing leaves of them."""

from __future__ import annotations

from typing import Any

import pytest

from everthread.domain.conversation.bodies import body_of
from everthread.domain.errors import EverthreadError, SessionUnknown
from everthread.domain.tasks.tasks import Sitting
from everthread.ports import Records, Store

from .rows import NOON, agent_in, entries_salted, primary_in
from .task_rows import a_sitting, event_in, events_about, incident_in, of_task, sitting_in, task_in


class SittingPromises:
    def test_a_sitting_is_stored_as_it_was_given(self, store: Store) -> None:
        """(C-4)"""
        scope = agent_in(store)
        task = task_in(store, scope)
        made = sitting_in(store, scope, task)
        assert made.ref and made.entry and made.agent_ref == scope.agent
        assert store.read(lambda r: r.sittings.of_session(scope, made.session_ref)) == made
        assert store.read(lambda r: r.sittings.of_task(scope, task.ref, limit=9)) == [made]
        assert store.read(lambda r: r.sittings.of_session(scope, made.session_ref + 1)) is None
        wanted = made._replace(
            owner="o",
            goal="g",
            health="flaky",
            fix=1,
            sandboxed=0,
            resumed_from=None,
            outcome="failed",
            record_json="[]",
            current_tokens=5,
            refreshed_tokens=6,
            windows_json="[]",
        )
        told = store.write(lambda r: r.sittings.change(scope, wanted, "ended", now=NOON + 1))
        assert told == wanted._replace(entry=told.entry)
        assert store.read(lambda r: r.sittings.of_session(scope, made.session_ref)) == told
        assert events_about(store, scope, made.key_id) == ["sitting.opened", "sitting.ended"]

    def test_a_session_has_one_sitting(self, store: Store) -> None:
        scope = agent_in(store)
        task = task_in(store, scope)
        made = sitting_in(store, scope, task)
        session = store.read(lambda r: r.sessions.get(scope, made.session_ref))
        with pytest.raises(EverthreadError):
            store.write(lambda r: r.sittings.add(scope, a_sitting(session, task), now=NOON))

    @pytest.mark.parametrize("wrong", [{"health": "whim"}, {"outcome": "whim"}], ids=str)
    def test_no_health_and_no_outcome_but_those_that_are_known(
        self, store: Store, wrong: dict[str, Any]
    ) -> None:
        scope = agent_in(store)
        with pytest.raises(EverthreadError):
            sitting_in(store, scope, task_in(store, scope), **wrong)

    def test_a_lease_never_ends_earlier_than_it_did(self, store: Store) -> None:
        """(C-29) And a sign of life is no entry of the timeline."""
        scope = agent_in(store)
        made = sitting_in(store, scope, task_in(store, scope))
        for until, tokens in ((NOON + 500, 7), (NOON + 50, None)):
            store.write(
                lambda r, u=until, t=tokens: r.sittings.beat(scope, made, until=u, current_tokens=t)
            )
        left = store.read(lambda r: r.sittings.of_session(scope, made.session_ref))
        assert left == made._replace(lease_ms=NOON + 500, current_tokens=7)
        assert events_about(store, scope, made.key_id) == ["sitting.opened"]

    def test_those_whose_lease_is_over_are_found_for_the_sweep(self, store: Store) -> None:
        """(C-29) Just before, at and after its end; of any agent, but only of sessions that are at work."""
        ada, bob = agent_in(store), agent_in(store, "bob")
        made = sitting_in(store, ada, task_in(store, ada), lease_ms=NOON + 100)
        init = sitting_in(store, bob, task_in(store, bob), lease_ms=NOON + 200, state="init")
        sitting_in(store, ada, task_in(store, ada, slug="b"), lease_ms=0, state="suspended")
        sitting_in(store, ada, task_in(store, ada, slug="c"), lease_ms=0, state="complete")

        def lapsed(now: int) -> list[Sitting]:
            return list(store.read(lambda r: r.sittings.lapsed(now=now, limit=9)))

        assert lapsed(NOON + 99) == []
        assert lapsed(NOON + 100) == [made]
        assert lapsed(NOON + 200) == [made, init]
        assert list(store.read(lambda r: r.sittings.lapsed(now=NOON + 200, limit=1))) == [made]

    def test_those_at_work_in_a_project_are_found(self, store: Store) -> None:
        """(R-32)"""
        scope = agent_in(store)
        here, there = task_in(store, scope), task_in(store, scope, project="/srv/other")
        made = sitting_in(store, scope, here)
        other = sitting_in(store, scope, there)
        sitting_in(store, scope, here, state="complete")
        assert store.read(lambda r: r.sittings.active(scope, "/srv/project")) == [made]
        assert store.read(lambda r: r.sittings.active(scope, None)) == [other, made]

    def test_a_session_follows_its_task_through_the_gates(self, store: Store) -> None:
        """(C-4, R-33)"""
        scope = agent_in(store)
        made = sitting_in(store, scope, task_in(store, scope))
        session = store.read(lambda r: r.sessions.get(scope, made.session_ref))
        moved = store.write(lambda r: r.sittings.at_gate(scope, session, "G4", now=NOON + 1))
        assert moved == session._replace(gate="G4", entry=moved.entry)
        assert store.read(lambda r: r.sessions.get(scope, session.ref)) == moved
        assert events_about(store, scope, session.key_id)[-1] == "session.gate"

    def test_sittings_of_another_agent_are_not_there(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        task = task_in(store, ada)
        made = sitting_in(store, ada, task)
        assert store.read(lambda r: r.sittings.of_session(bob, made.session_ref)) is None
        assert store.read(lambda r: r.sittings.of_task(bob, task.ref, limit=9)) == []
        assert store.read(lambda r: r.sittings.active(bob, task.project)) == []
        store.write(lambda r: r.sittings.beat(bob, made, until=NOON + 999))
        with pytest.raises(SessionUnknown):
            store.write(lambda r: r.sittings.change(bob, made, "ended", now=NOON))
        assert store.read(lambda r: r.sittings.of_session(ada, made.session_ref)) == made


class IncidentPromises:
    def test_an_incident_is_stored_and_resolved_once(self, store: Store) -> None:
        """(C-32)"""
        scope = agent_in(store)
        task = task_in(store, scope)
        made = incident_in(store, scope, task)
        assert made.ref and made.entry and made.agent_ref == scope.agent
        assert store.read(lambda r: r.incidents.all(scope, limit=9)) == [made]
        done = store.write(lambda r: r.incidents.resolve(scope, made, "looked", now=NOON + 1))
        assert done == made._replace(resolved_ms=NOON + 1, resolution="looked", entry=done.entry)
        again = store.write(lambda r: r.incidents.resolve(scope, made, "again", now=NOON + 2))
        assert again == done
        assert store.read(lambda r: r.incidents.all(scope, limit=9)) == [done]
        assert store.read(lambda r: r.incidents.all(scope, unresolved=True, limit=9)) == []
        told = ["incident.logged", "incident.resolved"]
        assert events_about(store, scope, made.key_id) == told

    def test_incidents_come_newest_first_of_one_task_or_of_all(self, store: Store) -> None:
        scope = agent_in(store)
        task = task_in(store, scope)
        old = incident_in(store, scope, task)
        new = incident_in(store, scope, created_ms=NOON + 1)
        tie = incident_in(store, scope, task, created_ms=NOON + 1)
        assert store.read(lambda r: r.incidents.all(scope, limit=9)) == [tie, new, old]
        assert store.read(lambda r: r.incidents.all(scope, limit=1)) == [tie]
        assert store.read(lambda r: r.incidents.all(scope, task=task.ref, limit=9)) == [tie, old]

    def test_an_incident_is_found_by_the_ending_of_its_id(self, store: Store) -> None:
        """(R-48, R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        made = incident_in(store, ada)
        digits = made.key_id.hex()
        assert store.read(lambda r: r.incidents.ending(ada, digits[-8:])) == [made]
        assert store.read(lambda r: r.incidents.ending(bob, digits)) == []
        assert store.read(lambda r: r.incidents.all(bob, limit=9)) == []
        same = store.write(lambda r: r.incidents.resolve(bob, made, "theirs", now=NOON))
        assert same == made
        assert store.read(lambda r: r.incidents.all(ada, limit=9)) == [made]


class OutboxPromises:
    def test_an_event_waits_until_it_has_arrived(self, store: Store) -> None:
        """(C-28) With the same bytes each time."""
        scope = agent_in(store)
        made = event_in(store, scope)
        assert made.ref and made.entry and made.agent_ref == scope.agent
        for due, found in ((NOON - 1, []), (NOON, [made]), (NOON + 1, [made])):
            assert store.read(lambda r, d=due: r.outbox.due(now=d, limit=9)) == found
        later = made._replace(attempts=1, due_ms=NOON + 50, error="refused")
        tried = store.write(lambda r: r.outbox.change(scope, later, now=NOON))
        assert store.read(lambda r: r.outbox.due(now=NOON + 49, limit=9)) == []
        assert store.read(lambda r: r.outbox.due(now=NOON + 50, limit=9)) == [tried]
        done = tried._replace(state="delivered", delivered_ms=NOON + 60)
        done = store.write(lambda r: r.outbox.change(scope, done, now=NOON + 60))
        assert store.read(lambda r: r.outbox.due(now=NOON + 999, limit=9)) == []
        assert store.read(lambda r: r.outbox.all(scope, limit=9)) == [done]
        assert done.body == made.body

    def test_the_oldest_due_events_of_any_agent_come_first(self, store: Store) -> None:
        """(C-28)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        late = event_in(store, ada, due_ms=NOON + 2)
        early = event_in(store, bob, due_ms=NOON + 1)
        event_in(store, ada, state="kept", target="")
        assert store.read(lambda r: r.outbox.due(now=NOON + 9, limit=9)) == [early, late]
        assert store.read(lambda r: r.outbox.due(now=NOON + 9, limit=1)) == [early]
        assert store.read(lambda r: r.outbox.all(bob, limit=9)) == [early]

    def test_no_state_but_those_that_are_known(self, store: Store) -> None:
        with pytest.raises(EverthreadError):
            event_in(store, agent_in(store), state="whim")

    def test_an_event_is_held_as_it_is_now(self, store: Store) -> None:
        """(C-28)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        made = event_in(store, ada)
        assert store.write(lambda r: r.outbox.hold(ada, made.ref)) == made
        late = made._replace(attempts=1, error="no")
        told = store.write(lambda r: r.outbox.change(ada, late, now=NOON + 1))
        assert store.write(lambda r: r.outbox.hold(ada, made.ref)) == told
        assert store.read(lambda r: r.outbox.get(ada, made.ref)) == told
        assert store.read(lambda r: r.outbox.get(bob, made.ref)) is None
        assert store.write(lambda r: r.outbox.hold(bob, made.ref)) is None


class TaskForgetPromises:
    def test_what_was_forgotten_leaves_a_row_and_can_be_guessed_by_nobody(
        self, store: Store
    ) -> None:
        """(R-43, X-29)"""
        scope = agent_in(store)
        task = task_in(store, scope, goal="a secret")
        sitting = sitting_in(store, scope, task, goal="a secret")
        incident = incident_in(store, scope, task, summary="a secret")
        waits = event_in(store, scope, body='"a secret"')
        arrived = event_in(store, scope, body='"a secret"', state="delivered")

        def work(records: Records) -> None:
            now = NOON + 1
            records.tasks.withhold(scope, task._replace(goal="gone"), now=now)
            records.sittings.withhold(scope, sitting._replace(goal="gone"), now=now)
            records.incidents.withhold(scope, incident._replace(summary="gone"), now=now)
            records.outbox.withhold(scope, waits, "gone", now=now)
            records.outbox.withhold(scope, arrived, "gone", now=now)

        store.write(work)
        assert "a secret" not in repr(store.read(lambda r: list(r.audit.dump(scope))))
        assert store.read(lambda r: r.tasks.get(scope, task.ref)).goal == "gone"
        told = store.read(lambda r: r.sittings.of_session(scope, sitting.session_ref))
        assert told is not None and told.goal == "gone"
        assert [i.summary for i in store.read(lambda r: r.incidents.all(scope, limit=9))] == [
            "gone"
        ]
        left = store.read(lambda r: r.outbox.all(scope, limit=9))
        assert [(e.state, e.body, e.error) for e in left] == [
            ("delivered", "", None),
            ("failed", "", "gone"),
        ]
        rows = (task, sitting, incident, waits, arrived)
        assert [entries_salted(store, scope, row.key_id) for row in rows] == [[False, True]] * 5
        assert [events_about(store, scope, row.key_id)[-1] for row in rows] == [
            "task.withheld",
            "sitting.withheld",
            "incident.withheld",
            "event.withheld",
            "event.withheld",
        ]


class TaskErasePromises:
    def test_an_erased_primary_takes_the_words_of_tasks_with_it(self, store: Store) -> None:
        """(X-29, R-33) That there were some stays: slug, gate, times."""
        scope = agent_in(store)
        task = task_in(store, scope, goal="a secret", next_steps_json='["a secret"]', passed=4)
        sitting = sitting_in(store, scope, task, goal="a secret")
        session = store.read(lambda r: r.sessions.get(scope, sitting.session_ref))
        given = of_task(task, session, "ckpt-2026-02-20-001")
        made = store.write(lambda r: r.checkpoints.add(scope, given, "a secret", "", "a secret"))
        about = {"session_ref": session.ref, "summary": "a secret", "resolution": "a secret"}
        incident = incident_in(store, scope, task, details_json='{"x": "a secret"}', **about)
        waits = event_in(store, scope, body='"a secret"')
        arrived = event_in(store, scope, body='"a secret"', state="delivered")
        primary = store.read(lambda r: r.threads.get(scope, session.thread_ref))
        store.write(lambda r: r.threads.erase(scope, primary, reason=None, now=NOON + 9))
        dumped = repr(store.read(lambda r: list(r.audit.dump(scope))))
        assert "a secret" not in dumped and body_of("a secret").hash.hex() not in dumped
        left = store.read(lambda r: r.tasks.get(scope, task.ref))
        assert (left.slug, left.passed, left.goal) == (task.slug, 4, "")
        assert store.read(lambda r: r.sittings.of_task(scope, task.ref, limit=9)) == []
        assert store.read(lambda r: r.tasks.checkpoints(scope, task.ref, limit=9)) == []
        assert store.read(lambda r: r.outbox.due(now=NOON + 99, limit=9)) == []
        gone = [made.key_id, sitting.key_id]
        assert [entries_salted(store, scope, one) for one in gone] == [[False], [False]]
        kept = [task.key_id, incident.key_id, waits.key_id, arrived.key_id]
        assert [entries_salted(store, scope, one) for one in kept] == [[False, True]] * 4
        assert store.read(lambda r: r.audit.bad_bodies(scope)) == []

    def test_another_thread_or_agent_takes_no_words_of_tasks(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        task, incident = task_in(store, ada), incident_in(store, ada)
        theirs = primary_in(store, bob, "bob")
        other = store.write(lambda r: r.threads.add(ada, key="x", kind="background", now=NOON))
        store.write(lambda r: r.threads.erase(bob, theirs, reason=None, now=NOON))
        store.write(lambda r: r.threads.erase(ada, other, reason=None, now=NOON))
        assert store.read(lambda r: r.tasks.get(ada, task.ref)) == task
        assert store.read(lambda r: r.incidents.all(ada, limit=9)) == [incident]
