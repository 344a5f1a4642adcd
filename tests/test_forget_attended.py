"""What is forgotten or erased leaves what sessions of harnesses left: checkpoints, compactions, files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.conversation.sessions import Session
from everthread.domain.forgetting.forgotten_sessions import echo_of, statement_without
from everthread.domain.forgetting.forgotten_texts import forgotten_of
from everthread.domain.gleaning.digest import Digest, read_digest
from everthread.domain.harness.activity import Activity
from everthread.domain.harness.checkpoints import NO_ACTIVITY, Checkpoint
from everthread.domain.harness.happenings import Happening
from everthread.edges.documents.checkpoints import checkpoint_document
from everthread.ports import FlushResult
from everthread.services.distilling.memory_file import managed_now
from everthread.services.forgetting.erase import withdraw
from everthread.services.forgetting.follow import follow
from everthread.services.forgetting.forget import forget
from everthread.services.harness.checkpoint import write_checkpoint
from everthread.services.harness.compaction import WITHHELD
from everthread.services.harness.extract import extract
from everthread.services.harness.prune import prune
from support.harness import Bench, Window, bench
from support.stores import ABOVE, EACH, fresh

pytestmark = pytest.mark.req("R-43")

SECRET = "Always send the ledger to Xylander before noon."
WORD = "Xylander"
RULE = "Always run make check before you commit."
OPEN = "Please also write the migration guide in docs/migrate.md."


@pytest.fixture(params=ABOVE)
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as made:
        yield made


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    """The quick one."""
    with bench(tmp_path) as made:
        yield made


def busy(b: Bench, session: str = "s-1") -> Window:
    """A session in which it was said, beside rules, requests and evidence."""
    w = b.window(session)
    w.start()
    w.turn(RULE, "Understood.")
    w.turn(SECRET, "I will send it.")
    w.tool("pytest -q tests/test_parser.py", "FAILED tests/test_parser.py - KeyError: 'tax_rate'")
    w.turn("We decided to use port 8443 for the staging gateway.", "Noted: 8443.")
    w.turn(OPEN, "I will do that later.")
    return w


def rule(b: Bench) -> str:
    """The id of the memory that was drawn of it."""
    return next(memory.id for memory in b.agent.memories() if WORD in memory.text)


def files(b: Bench) -> dict[str, str]:
    root = b.project.parent / "files"
    return {str(p.relative_to(root)): p.read_text() for p in root.rglob("*.md")}


def rows(b: Bench) -> str:
    """Every row of the agent but the messages, which only an erasure removes; and every job."""
    found = b.et.house.store.read(lambda r: list(r.audit.dump(b.agent.scope)))
    jobs = b.et.house.store.read(lambda r: r.jobs.all())
    return repr([row for row in found if row[0] != "messages"]) + repr(jobs)


def assert_unsaid(b: Bench) -> None:
    """No word of it anywhere but in the message that said it."""
    assert WORD not in rows(b)
    assert WORD not in repr(files(b))
    assert WORD not in b.agent.recovery(chars=100_000)
    assert b.et.verify(b.agent).faults == []


def digest(b: Bench, checkpoint: Checkpoint) -> Digest:
    state = b.et.house.store.read(lambda r: r.checkpoints.state(b.agent.scope, checkpoint))
    return read_digest(state)


# ---- forgetting


@pytest.mark.parametrize("b", EACH, indirect=True)
def test_what_is_forgotten_leaves_checkpoints_injections_files_and_the_next_start(b: Bench):
    busy(b).end()
    b.work()
    b.clock.forward(minutes=30)
    assert WORD in b.window("s-2").start()
    assert WORD in rows(b)
    assert len([text for text in files(b).values() if WORD in text]) == 2
    b.agent.forget(rule(b))
    assert_unsaid(b)
    back = b.window("s-3").start()
    assert WORD not in back
    assert RULE in back, "the session's other rules are not lost with it"
    assert OPEN in back
    assert "tests/test_parser.py" in back
    assert len([text for text in files(b).values() if RULE in text]) == 2
    assert SECRET in b.words(), "what was said stays: only `erase` removes it"
    assert_unsaid(b)


def test_the_next_checkpoint_goes_on_from_what_is_left(b: Bench):
    w = busy(b)
    w.compact(f"The user works on a parser. {SECRET}")
    b.work()
    first = b.agent.checkpoints()[0]
    b.agent.forget(rule(b))
    w.turn("Never touch src/generated.py by hand.", "Understood.")
    w.end()
    b.work()
    last, before = b.agent.checkpoints()
    assert (before.id, before.through_seq) == (first.id, first.through_seq)
    assert w.row.checkpoint_count == 2
    points = [point.text for point in digest(b, last).points]
    assert {RULE, OPEN, "Never touch src/generated.py by hand."} <= set(points)
    assert [point for point in digest(b, before).points if WORD in point.text] == []
    assert_unsaid(b)


def test_every_checkpoint_that_carried_it_loses_it_and_the_others_are_as_they_were(b: Bench):
    w = b.window()
    w.turn(RULE, "Understood.")
    untouched = b.agent.checkpoint("Before it was said.")
    w.turn(SECRET, "I will send it.")
    b.agent.checkpoint("Half way.", next_steps=["Send the ledger to Xylander.", "Fix the parser."])
    w.turn("And the parser.", "Yes.")
    w.end()
    b.work()
    b.agent.forget(rule(b))
    last, own, first = b.agent.checkpoints()
    assert first == untouched
    assert b.agent.checkpoint_text(own).count("Fix the parser.") == 1
    assert "Half way." in b.agent.checkpoint_text(own)
    assert "### Recent Prompts" in b.agent.checkpoint_text(last)
    assert_unsaid(b)


@pytest.mark.parametrize("b", EACH, indirect=True)
def test_a_compaction_keeps_its_figures_and_loses_its_words(b: Bench):
    w = busy(b)
    w.compact("Some work was done, and a ledger goes to somebody before noon.")
    b.work()
    (held,) = b.agent.compactions()
    before = b.agent.compaction_outcome(held)
    b.agent.forget(rule(b))
    (left,) = b.agent.compactions()
    after = b.agent.compaction_outcome(left)
    assert before is not None and after is not None
    assert (after.harness, after.lost, after.score) == (before.harness, before.lost, before.score)
    store, scope = b.et.house.store, b.agent.scope
    assert store.read(lambda r: r.compactions.summary(scope, left)) == WITHHELD
    assert store.read(lambda r: r.compactions.given(scope, left)) == ""
    assert_unsaid(b)


def test_a_summary_in_other_words_goes_where_it_stands_for_what_was_forgotten(q: Bench):
    w = q.window()
    w.turn("Good morning.", "Good morning.")
    w.compact("They greeted each other.")
    q.work()
    w.turn(SECRET, "Yes.")
    w.tell("compacting", trigger="auto")
    w.tell("compacted", text="Somebody gets the books at eleven.")
    q.agent.forget(q.agent.remember(SECRET, kind="rule").id)
    store, scope = q.et.house.store, q.agent.scope
    found = q.agent.compactions()
    told = [store.read(lambda r, c=one: r.compactions.summary(scope, c)) for one in found]
    assert told == [WITHHELD, "They greeted each other."]
    assert_unsaid(q)


def test_what_waits_for_the_next_prompt_comes_without_it(tmp_path: Path):
    with bench(tmp_path, start_chars=500) as b:  # so that next to nothing is given back
        w = busy(b)
        w.compact("Some work was done.")
        b.work()
        (held,) = b.agent.compactions()
        assert WORD in held.restore_json
        waiting = [line for line in json.loads(held.restore_json) if WORD not in line]
        b.agent.forget(rule(b))
        (left,) = b.agent.compactions()
        assert waiting and json.loads(left.restore_json) == waiting
        back = w.prompt("Let us go on with the work.")
        assert waiting[0] in back and WORD not in back
        assert_unsaid(b)


def test_what_a_prompt_was_given_of_its_compaction_goes_too(tmp_path: Path):
    with bench(tmp_path, start_chars=500) as b:
        w = busy(b)
        w.compact("Some work was done.")
        b.work()
        assert WORD in w.prompt("Let us go on with the work.")
        b.agent.forget(rule(b))
        assert_unsaid(b)


def test_a_summary_that_nobody_has_measured_yet_is_not_measured_any_more(q: Bench):
    w = busy(q)
    q.agent.remember(SECRET, kind="rule")
    w.compact(f"The user works on a parser. {SECRET}")
    q.agent.forget(rule(q))
    q.work()
    (left,) = q.agent.compactions()
    assert (left.state, left.score_json) == ("given", None)
    assert_unsaid(q)


def test_a_summary_that_comes_later_and_repeats_it_is_not_kept(q: Bench):
    w = busy(q)
    q.agent.remember(SECRET, kind="rule")
    w.compact()
    q.agent.forget(rule(q))
    w.tell("compacted", text=f"The user works on a parser.\n- {SECRET}\n- Port 8443.")
    q.work()
    assert_unsaid(q)
    w.compact("The user works on a parser on port 8443.")
    q.work()
    assert q.agent.compactions()[0].state == "scored"


def test_what_no_checkpoint_has_read_yet_does_not_come_into_the_next(b: Bench):
    w = busy(b)
    b.agent.forget(b.agent.remember(SECRET, kind="rule").id)
    told, back = w.compact("Some work was done.")
    assert WORD not in told + back
    assert RULE in back
    b.work()
    assert_unsaid(b)
    w.end()
    b.work()
    assert_unsaid(b)


def test_a_checkpoint_that_is_being_written_meanwhile_is_written_anew(q: Bench):
    """It has read it already, and is put down after it was forgotten."""
    w = busy(q)
    memory = q.agent.remember(SECRET, kind="rule")
    asked: list[str] = []

    def meanwhile() -> bool:
        if not asked:
            asked.append(memory.id)
            forget(q.et.house, q.agent.row, memory.id)
        return False

    made, _ = write_checkpoint(q.et.house, q.agent.row, w.row, "session_end", late=meanwhile)
    assert made is not None and asked
    assert RULE in [point.text for point in digest(q, made).points]
    assert_unsaid(q)


def test_what_reached_user_wide_leaves_the_sessions_of_other_agents(q: Bench):
    busy(q).end()
    q.work()
    ada = q.et.agent("ada")
    ada.forget(ada.remember(SECRET, kind="rule", scope="user").id)
    texts = [q.agent.checkpoint_text(one) for one in q.agent.checkpoints()]
    assert SECRET not in repr(texts) + repr(files(q)) + q.agent.recovery(chars=100_000)
    assert RULE in q.agent.recovery(chars=100_000)
    started = q.window("s-2").start()
    assert RULE in started
    assert SECRET not in started
    assert q.et.verify(q.agent).faults == []


def test_forgetting_what_no_session_holds_changes_none(q: Bench):
    w = busy(q)
    w.compact("Some work was done.")
    w.end()
    q.work()
    before = q.agent.checkpoints(), q.agent.compactions(), files(q)
    q.agent.forget(q.agent.remember("The user's cat is called Mnemosyne").id)
    assert (q.agent.checkpoints(), q.agent.compactions(), files(q)) == before


# ---- the files


def memory_md(b: Bench) -> str:
    return "".join(text for name, text in files(b).items() if name.endswith("MEMORY.md"))


def test_a_rule_of_an_earlier_session_stays_in_memory_md_until_it_is_forgotten(b: Bench):
    """Also when nothing else is left of that session: its checkpoints go with their age."""
    busy(b).end()
    b.work()
    b.clock.forward(hours=48)
    later = b.window("s-2")
    later.start()
    later.turn("We decided to name the gateway Falcon.", "Noted.")
    later.end()
    b.work()
    assert SECRET in memory_md(b)
    assert RULE in memory_md(b)
    assert "Falcon" in memory_md(b)
    b.agent.forget(rule(b))
    assert_unsaid(b)
    assert RULE in memory_md(b)


def test_what_holds_in_one_project_or_for_one_person_is_not_told_to_all(q: Bench):
    busy(q).end()
    q.work()
    kept = q.et.house.store.read(lambda r: managed_now(q.et.house, r, q.agent.scope)) or ""
    assert SECRET in kept
    q.agent.remember("Always greet Quillon first.", kind="rule", project=str(q.project))
    q.agent.remember("Always greet Quandry first.", kind="rule", principal="mel")
    assert q.et.house.store.read(lambda r: managed_now(q.et.house, r, q.agent.scope)) == kept


def test_a_disk_that_fails_on_memory_md_alone_is_tried_again(q: Bench):
    """Nothing else tells it any more: what was removed for its age, and a file that somebody deleted."""
    aged(q)
    for daily in (q.project.parent / "files").glob("*/memory/*.md"):
        daily.unlink()
    assert WORD in memory_md(q)
    (place,) = (q.project.parent / "files").glob("*/MEMORY.md")
    text = place.read_text()
    place.unlink()
    place.mkdir()
    assert not forget(q.et.house, q.agent.row, rule(q)).out
    place.rmdir()
    place.write_text(text)
    q.clock.forward(minutes=2)
    q.work()
    assert_unsaid(q)
    assert RULE in memory_md(q)


@pytest.mark.req("R-17")
def test_a_disk_that_fails_is_tried_again_and_the_store_holds_no_word_meanwhile(b: Bench):
    busy(b).end()
    b.work()
    root = b.project.parent / "files"
    root.rename(root.with_name("away"))
    root.write_text("in the way")
    done = forget(b.et.house, b.agent.row, rule(b))
    assert not done.out
    assert WORD not in rows(b)
    root.unlink()
    root.with_name("away").rename(root)
    assert WORD in repr(files(b))
    b.clock.forward(minutes=2)
    b.work()
    assert_unsaid(b)
    assert len([text for text in files(b).values() if RULE in text]) == 2


@pytest.mark.req("R-17")
def test_a_section_edited_by_hand_stays_and_is_told(q: Bench):
    busy(q).end()
    q.work()
    (daily,) = (q.project.parent / "files").glob("*/memory/*.md")
    mine = daily.read_text().replace(WORD, f"{WORD} (my cousin)")
    daily.write_text(mine)
    assert not forget(q.et.house, q.agent.row, rule(q)).out
    assert daily.read_text() == mine
    assert WORD not in daily.parent.with_name("MEMORY.md").read_text()


def test_a_section_that_told_nothing_else_goes(q: Bench):
    w = q.window()
    w.turn(SECRET, "Yes.")
    w.end()
    q.work()
    assert files(q)
    q.agent.forget(rule(q))
    assert files(q) == {}
    assert_unsaid(q)


def test_what_is_extracted_late_says_nothing_that_was_forgotten_before(q: Bench):
    """The job waited; the checkpoint lost it meanwhile."""
    w = busy(q)
    q.agent.remember(SECRET, kind="rule")
    w.tell("compacting", trigger="auto")
    q.agent.forget(rule(q))
    q.work()
    assert any(RULE in text for text in files(q).values())
    assert_unsaid(q)


class Interrupted:
    """A workspace; just before it is written to for that time, something else is done."""

    def __init__(self, b: Bench, then: Callable[[], object], *, at: int = 1) -> None:
        self._inner, self._then, self._at = b.et.house.workspace, then, at
        self.writes = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return self._later(found) if name in ("write", "withdraw", "renew") else found

    def _later(self, work: Callable[..., FlushResult]) -> Callable[..., FlushResult]:
        def done(*given: Any) -> FlushResult:
            self.writes += 1
            if self.writes == self._at:
                self._then()
            return work(*given)

        return done


def test_what_is_forgotten_while_the_files_are_written_is_not_in_them(q: Bench):
    w = busy(q)
    w.tell("compacting", trigger="auto")
    (made,) = q.agent.checkpoints()
    slow = Interrupted(q, lambda: q.agent.forget(rule(q)))
    extract(replace(q.et.house, workspace=slow), q.agent.row, w.row, made, lambda: None)
    assert slow.writes
    assert any(RULE in text for text in files(q).values())
    assert_unsaid(q)


OTHER = "Never lend the van to Quandry on Sundays."
THIRD = "Never touch src/generated.py by hand."


def long_ago(b: Bench) -> None:
    """Rules of a session that was followed by another."""
    w = b.window()
    for told in (SECRET, OTHER, THIRD):
        w.turn(told, "Understood.")
    w.end()
    b.work()
    b.clock.forward(hours=48)
    later = b.window("s-2")
    later.turn("We decided to use port 8443 for the staging gateway.", "Noted.")
    later.end()
    b.work()
    assert all(told in memory_md(b) for told in (SECRET, OTHER, THIRD))


def drop(b: Bench, text: str, workspace: Interrupted) -> bool:
    """Forget the memory with that text; is it out of every file?"""
    named = next(memory.id for memory in b.agent.memories() if memory.text == text)
    return forget(replace(b.et.house, workspace=workspace), b.agent.row, named).out


@pytest.mark.parametrize("b", EACH, indirect=True)
@pytest.mark.parametrize("last", [False, True])
def test_two_who_forget_at_once_bring_back_nothing_of_each_other(b: Bench, last: bool):
    """Whoever is slower has read what to list before the other took something out."""
    long_ago(b)
    quiet = Interrupted(b, lambda: None)
    assert drop(b, THIRD, quiet)
    slow = Interrupted(b, lambda: drop(b, OTHER, quiet), at=quiet.writes if last else 1)
    assert drop(b, SECRET, slow)
    assert slow.writes > 1
    assert OTHER not in repr(files(b))
    assert_unsaid(b)


@pytest.mark.parametrize("work", ["follow", "withdraw"])
def test_what_is_forgotten_while_files_follow_is_not_listed_again(q: Bench, work: str):
    """Also where nothing but `MEMORY.md` tells it: a job that is late writes what it has read."""
    long_ago(q)
    for daily in (q.project.parent / "files").glob("*/memory/*.md"):
        daily.unlink()
    gone = rule(q)
    slow = Interrupted(q, lambda: forget(q.et.house, q.agent.row, gone))
    house = replace(q.et.house, workspace=slow)
    if work == "follow":
        assert follow(house, q.agent.row.ref, lambda: None)
    else:
        withdraw(house, q.agent.row.ref, [("01890000-0000-7000-8000-000000000000", "2026-02-20")])
    assert slow.writes
    assert OTHER in memory_md(q)
    assert_unsaid(q)


def aged(b: Bench) -> None:
    """Two sessions of long ago, whose checkpoints were removed for their age."""
    busy(b).end()
    b.work()
    other = b.window("s-2")
    other.turn("Never touch src/generated.py by hand.", "Understood.")
    other.end()
    b.work()
    b.clock.forward(hours=8 * 24)
    assert prune(b.et.house) == 2
    assert b.agent.checkpoints() == []


def test_the_section_of_a_checkpoint_that_is_no_more_goes_if_it_told_it(b: Bench):
    aged(b)
    assert len(b.et.house.store.read(lambda r: r.sessions.all(b.agent.scope, limit=9))) == 2
    assert SECRET in repr(files(b))
    done = forget(b.et.house, b.agent.row, rule(b))
    assert done.out
    assert WORD not in repr(files(b))
    (daily,) = [text for name, text in files(b).items() if "/memory/" in name]
    assert "src/generated.py" in daily, "other sessions' sections stay"
    assert_unsaid(b)


def test_files_that_cannot_be_read_are_told(q: Bench, caplog: pytest.LogCaptureFixture):
    aged(q)
    root = q.project.parent / "files"
    root.rename(root.with_name("away"))
    root.write_text("in the way")
    assert not forget(q.et.house, q.agent.row, rule(q)).out
    assert "cannot be read" in caplog.text


# ---- erasing


@pytest.mark.parametrize("b", EACH, indirect=True)
@pytest.mark.req("X-29")
def test_erasing_takes_what_sessions_left_and_what_was_written_of_them(b: Bench):
    w = busy(b)
    w.compact("Some work was done.")
    w.turn("And now?", "Onwards.")
    w.end()
    b.work()
    busy(b, "s-2").end()  # its jobs still wait
    assert files(b)
    b.et.erase(b.agent)
    assert files(b) == {}
    assert b.et.house.store.read(lambda r: r.jobs.all()) == []
    agent = b.et.agent(b.agent.name)
    assert (agent.checkpoints(), agent.compactions()) == ([], [])
    assert b.et.verify(agent).faults == []


@pytest.mark.req("X-29")
def test_erasing_takes_the_sections_of_checkpoints_that_are_no_more(q: Bench):
    aged(q)
    assert files(q)
    q.et.erase(q.agent)
    assert files(q) == {}


@pytest.mark.req("X-29")
def test_erasing_leaves_what_another_store_wrote_in_the_same_folder(tmp_path: Path):
    with bench(tmp_path) as theirs, bench(tmp_path) as ours:
        aged(theirs)
        before = files(theirs)
        busy(ours, "s-9").end()
        ours.work()
        assert files(ours) != before
        ours.et.erase(ours.agent)
        daily = {name: text for name, text in before.items() if "/memory/" in name}
        assert {name: files(ours)[name] for name in daily} == daily


@pytest.mark.req("X-29")
def test_erasing_another_thread_leaves_what_was_written_of_sessions(q: Bench):
    busy(q).end()
    q.work()
    before = files(q)
    beat = q.agent.thread("heartbeat", kind="background")
    for n in range(40):
        beat.turn(f"tick {n}").done("tock")
    assert q.agent.distill(thread=beat).standing
    q.et.erase(q.agent, thread="heartbeat")
    assert files(q) == before


@pytest.mark.req("X-29")
def test_an_erasure_whose_files_cannot_be_written_is_finished_by_the_worker(q: Bench):
    busy(q).end()
    q.work()
    root = q.project.parent / "files"
    root.rename(root.with_name("away"))
    root.write_text("in the way")
    q.et.erase(q.agent)
    root.unlink()
    root.with_name("away").rename(root)
    assert WORD in repr(files(q))
    q.clock.forward(minutes=2)
    q.work()
    assert files(q) == {}


# ---- what is left of one that was withheld whole


def withheld(b: Bench) -> tuple[Checkpoint, Session]:
    w = busy(b)
    w.end()
    b.work()
    (made,) = b.agent.checkpoints()
    store, scope = b.et.house.store, b.agent.scope
    store.write(lambda r: r.checkpoints.withhold(scope, made, now=b.clock.now()))
    (left,) = b.agent.checkpoints()
    return left, w.row


def test_who_reads_a_checkpoint_takes_one_of_which_nothing_is_left(q: Bench):
    left, session = withheld(q)
    assert left.activity_json == NO_ACTIVITY
    told = checkpoint_document(left, session, q.agent.checkpoint_text(left))
    assert told["digest"] == ""
    names = json.loads(Activity().text())
    assert {name: told[name] for name in names} == {name: [] for name in names}
    assert "ended" in q.window("s-2").start()
    assert q.agent.recovery("s-1") != ""
    q.agent.forget(q.agent.remember("The user's cat is called Mnemosyne").id)
    assert q.agent.checkpoints(session="s-1") == [left]
    happening = Happening(
        harness="claude-code", kind="prompt", session="s-1", folder=str(q.project), text="Go on."
    )
    q.agent.attend(happening)
    assert q.agent.checkpoint("Where it stands.", session="s-1").parent_ref == left.ref


def test_what_is_said_across_lines_goes_with_all_that_was_told():
    echo = echo_of(forgotten_of([SECRET], [], []), [])
    told = ["### Summary", "Always send", "the ledger", "to Xylander", "before noon.", "And more."]
    assert statement_without(told, echo) == []
    listed = ["### Decisions", f"- {SECRET}", "### Next Steps", "- Fix the parser."]
    assert statement_without(listed, echo) == ["### Next Steps", "- Fix the parser."]
    other = ["### Summary", "Something else."]
    assert statement_without(other, echo) == other
