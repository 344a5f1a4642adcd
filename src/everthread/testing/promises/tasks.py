"""Tasks and their checkpoints: each sealed, in its agent's scope, each with a name of its own."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

from typing import Any

import pytest

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.errors import EverthreadError, TaskUnknown
from everthread.domain.tasks.tasks import Task
from everthread.ports import Records, Store

from .audit import as_another_agent
from .rows import NOON, agent_in, primary_in, run_together, session_in
from .task_rows import a_task, events_about, of_task, task_in, worked_in


class TaskPromises:
    def test_a_task_is_stored_as_it_was_given(self, store: Store) -> None:
        """(C-2)"""
        scope = agent_in(store)
        assert not store.read(lambda r: r.tasks.any())
        given = a_task(sandbox_json='{"why": "ü"}', stopped_ms=7, last_session="s", passed=10)
        stored = store.write(lambda r: r.tasks.add(scope, given))
        assert stored == given._replace(ref=stored.ref, agent_ref=scope.agent, entry=stored.entry)
        assert stored.ref and stored.entry
        assert store.read(lambda r: r.tasks.any())
        assert store.read(lambda r: r.tasks.get(scope, stored.ref)) == stored
        assert store.write(lambda r: r.tasks.hold(scope, stored.ref)) == stored
        found = store.read(lambda r: r.tasks.find(scope, "/srv/project", "parser-rewrite"))
        assert found == stored
        assert events_about(store, scope, stored.key_id) == ["task.made"]

    def test_one_slug_names_one_task_of_a_project(self, store: Store) -> None:
        """(C-2)"""
        scope = agent_in(store)
        first = task_in(store, scope)
        with pytest.raises(EverthreadError):
            task_in(store, scope)
        other = task_in(store, scope, project="/srv/other")
        assert store.read(lambda r: r.tasks.all(scope, limit=9)) == [other, first]
        assert store.read(lambda r: r.tasks.of_project(scope, "/srv/other", limit=9)) == [other]
        assert store.read(lambda r: r.tasks.find(scope, "/srv", "parser-rewrite")) is None

    def test_what_changes_is_stored_and_sealed(self, store: Store) -> None:
        """(R-33)"""
        scope = agent_in(store)
        task = task_in(store, scope)
        wanted = task._replace(
            goal="g",
            acceptance_json='["é"]',
            smoke_json=None,
            status="blocked",
            passed=3,
            step=9,
            blockers_json='["b"]',
            next_steps_json='["n"]',
            failures_json='{"s": {"total": 1}}',
            sandbox_json="{}",
            stopped_ms=5,
            last_session="session-1",
        )
        changed = store.write(lambda r: r.tasks.change(scope, wanted, "gate", now=NOON + 5))
        assert changed == wanted._replace(updated_ms=NOON + 5, entry=changed.entry)
        assert changed.entry > task.entry
        assert store.read(lambda r: r.tasks.get(scope, task.ref)) == changed
        assert events_about(store, scope, task.key_id) == ["task.made", "task.gate"]

    def test_the_latest_change_comes_first(self, store: Store) -> None:
        scope = agent_in(store)
        one, two = task_in(store, scope, slug="one"), task_in(store, scope, slug="two")
        assert [t.slug for t in store.read(lambda r: r.tasks.all(scope, limit=9))] == ["two", "one"]
        store.write(lambda r: r.tasks.change(scope, one, "x", now=NOON + 1))
        listed = store.read(lambda r: r.tasks.of_project(scope, two.project, limit=1))
        assert [task.slug for task in listed] == ["one"]

    @pytest.mark.parametrize("wrong", [{"status": "whim"}, {"passed": 11}, {"passed": -2}], ids=str)
    def test_no_gate_and_no_status_but_those_that_are_known(
        self, store: Store, wrong: dict[str, Any]
    ) -> None:
        """(C-27)"""
        scope = agent_in(store)
        with pytest.raises(EverthreadError):
            task_in(store, scope, **wrong)

    def test_tasks_of_another_agent_are_not_there(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        task = task_in(store, ada)
        assert store.read(lambda r: r.tasks.all(bob, limit=9)) == []
        assert store.read(lambda r: r.tasks.find(bob, task.project, task.slug)) is None
        with pytest.raises(TaskUnknown):
            store.read(lambda r: r.tasks.get(bob, task.ref))
        with pytest.raises(TaskUnknown):
            store.write(lambda r: r.tasks.hold(bob, task.ref))
        theirs = task_in(store, bob)
        assert theirs.ref != task.ref, "one slug in one project may be a task of each"

    def test_texts_that_no_database_takes_are_stored_with_a_mark(self, store: Store) -> None:
        scope = agent_in(store)
        task = task_in(store, scope, goal="a\x00b\udc80")
        assert store.read(lambda r: r.tasks.get(scope, task.ref)) == task
        assert task.goal == "a\ufffdb\ufffd"

    # Checkpoints of a task

    def test_a_checkpoint_of_a_task_is_found_by_its_name_and_to_the_byte(
        self, store: Store
    ) -> None:
        """(C-18, C-20, X-10)"""
        scope = agent_in(store)
        task = task_in(store, scope)
        session = session_in(store, scope, primary_in(store, scope))
        document = '{\n  "summary": "é😀"\n}\n'
        given = of_task(task, session, "ckpt-2026-02-20-001")
        made = store.write(lambda r: r.checkpoints.add(scope, given, "text", "", document))
        assert made.document_hash == body_of(document).hash
        found = store.read(lambda r: r.tasks.checkpoint(scope, task.ref, "ckpt-2026-02-20-001"))
        assert found == made
        assert store.read(lambda r: r.tasks.document(scope, made)) == document
        assert store.read(lambda r: r.tasks.checkpoints(scope, task.ref, limit=9)) == [made]
        assert store.read(lambda r: r.checkpoints.newest(scope, limit=9)) == [made], "one record"
        assert store.read(lambda r: r.tasks.checkpoint(scope, task.ref, "ckpt-1")) is None
        assert store.read(lambda r: r.tasks.document(agent_in_read(r), made)) == ""

    def test_one_name_is_one_checkpoint_of_a_task(self, store: Store) -> None:
        """(C-18)"""
        scope = agent_in(store)
        one, two = task_in(store, scope, slug="one"), task_in(store, scope, slug="two")
        session = session_in(store, scope, primary_in(store, scope))
        for task in (one, two):
            given = of_task(task, session, "ckpt-2026-02-20-001")
            store.write(lambda r, g=given: r.checkpoints.add(scope, g, "", "", "{}"))
        with pytest.raises(EverthreadError):
            given = of_task(one, session, "ckpt-2026-02-20-001")
            store.write(lambda r: r.checkpoints.add(scope, given, "", "", "{}"))

    def test_numbers_of_a_day_go_on_beyond_999(self, store: Store) -> None:
        """(C-18) They are numbers, not texts: 1000 comes after 999, and after 99."""
        scope = agent_in(store)
        task, other = task_in(store, scope), task_in(store, scope, slug="other")
        session = session_in(store, scope, primary_in(store, scope))

        def numbered(day: str, which: Task = task) -> int:
            return store.read(lambda r: r.tasks.numbered(scope, which.ref, day))

        assert numbered("2026-02-20") == 1
        for alias in ("2026-02-20-099", "2026-02-20-999", "2026-02-20-1000", "2026-02-21-004"):
            given = of_task(task, session, f"ckpt-{alias}")
            store.write(lambda r, g=given: r.checkpoints.add(scope, g, "", "", "{}"))
        assert numbered("2026-02-20") == 1001
        assert numbered("2026-02-21") == 5
        assert numbered("2026-02-2") == 1, "a day is a day, not the beginning of one"
        assert numbered("2026-02-20", other) == 1

    def test_numbers_are_never_given_twice(self, store: Store) -> None:
        """(C-18) By whoever holds the task, however many ask at once."""
        scope = agent_in(store)
        task = task_in(store, scope)
        session = session_in(store, scope, primary_in(store, scope))

        def mark(records: Records) -> None:
            records.tasks.hold(scope, task.ref)
            number = records.tasks.numbered(scope, task.ref, "2026-02-20")
            given = of_task(task, session, f"ckpt-2026-02-20-{number:03d}")
            records.checkpoints.add(scope, given, "", "", "{}")

        assert run_together(*[lambda: store.write(mark)] * 6) == []
        rows = store.read(lambda r: r.tasks.checkpoints(scope, task.ref, limit=99))
        names = sorted(row.alias or "" for row in rows)
        assert names == [f"ckpt-2026-02-20-{n:03d}" for n in range(1, 7)]

    def test_checkpoints_of_a_task_are_never_trimmed_nor_pruned(self, store: Store) -> None:
        """They are its audit trail (C-43, X-6)."""
        scope = agent_in(store)
        task = task_in(store, scope)
        session = session_in(store, scope, primary_in(store, scope), state="complete")
        given = of_task(task, session, "ckpt-2026-02-20-001")
        made = store.write(lambda r: r.checkpoints.add(scope, given, "t", "", "{}"))
        store.write(lambda r: r.checkpoints.trim(scope, session.ref, keep=0, now=NOON))
        store.write(lambda r: r.checkpoints.prune(before=NOON + 9, now=NOON + 9, limit=9))
        assert store.read(lambda r: r.tasks.checkpoints(scope, task.ref, limit=9)) == [made]

    def test_a_task_is_loaded_with_what_points_at_it(self, store: Store) -> None:
        """(R-37)"""
        scope = agent_in(store)
        session = session_in(store, scope, primary_in(store, scope))
        task = worked_in(store, scope, session)
        given = of_task(task, session, "ckpt-2026-02-20-001")
        store.write(lambda r: r.checkpoints.add(scope, given, "t", "", "its document"))
        rows = store.read(lambda r: list(r.audit.dump(scope)))
        store.write(lambda r: r.audit.load(as_another_agent(rows, "eve")))
        found = store.read(lambda r: r.agents.find("eve"))
        assert found is not None
        eve = Scope(found.ref)
        [copy] = store.read(lambda r: r.tasks.all(eve, limit=9))
        assert copy.ref != task.ref and copy.goal == task.goal
        [sitting] = store.read(lambda r: r.sittings.of_task(eve, copy.ref, limit=9))
        [incident] = store.read(lambda r: r.incidents.all(eve, task=copy.ref, limit=9))
        assert incident.session_ref == sitting.session_ref != session.ref
        [made] = store.read(lambda r: r.tasks.checkpoints(eve, copy.ref, limit=9))
        assert (made.session_ref, made.alias) == (sitting.session_ref, "ckpt-2026-02-20-001")
        assert store.read(lambda r: r.tasks.document(eve, made)) == "its document"

    def test_a_withheld_checkpoint_loses_its_document_too(self, store: Store) -> None:
        """(R-43)"""
        scope = agent_in(store)
        task = task_in(store, scope)
        session = session_in(store, scope, primary_in(store, scope))
        given = of_task(task, session, "ckpt-2026-02-20-001", resume_instructions="a secret")
        made = store.write(lambda r: r.checkpoints.add(scope, given, "a secret", "", "a secret"))
        store.write(lambda r: r.checkpoints.withhold(scope, made, now=NOON))
        [left] = store.read(lambda r: r.tasks.checkpoints(scope, task.ref, limit=9))
        assert (left.alias, left.document_hash) == (made.alias, None)
        assert store.read(lambda r: r.tasks.document(scope, left)) == ""
        dumped = repr(store.read(lambda r: list(r.audit.dump(scope))))
        assert "a secret" not in dumped and body_of("a secret").hash.hex() not in dumped


def agent_in_read(records: Records) -> Scope:
    """The scope of an agent that is not there."""
    return Scope(max(agent.ref for agent in records.agents.all()) + 1)
