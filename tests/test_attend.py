"""Beside a harness: what is said reaches the archive once, and a session is given what it should know.

Requirements: B-1 … B-4, B-7, B-22 … B-31, B-46, B-69, R-12, R-24.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everthread.domain.given.packing import SESSION_CLOSING, SESSION_OPENING
from everthread.domain.harness.happenings import Happening
from everthread.services.harness.balance import Balance
from everthread.services.harness.session_owner import HOSTS
from support.chance import few
from support.harness import Bench, bench
from support.stores import ABOVE, fresh

RULE = "Never push to main without running make test."
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


# What is stored


def test_what_is_typed_and_answered_is_stored_once_though_it_comes_twice(b: Bench):
    w = b.window()
    w.start()
    w.turn("Fix the parser.", "Fixed in parse_line().")
    w.turn("Thanks. continue", "Done.")
    w.turn("continue", "Nothing is left.")
    w.end()
    assert b.words() == [
        *("Fix the parser.", "Fixed in parse_line().", "Thanks. continue", "Done."),
        *("continue", "Nothing is left."),
    ]


def test_the_same_words_said_twice_are_two_messages(q: Bench):
    w = q.window()
    for _ in range(3):
        w.turn("continue", "ok")
    assert q.words() == ["continue", "ok"] * 3


def test_a_prompt_is_on_disk_before_the_transcript_has_it(b: Bench):
    b.window().prompt("Do not lose this.", written=False)
    assert b.words() == ["Do not lose this."]


def test_a_transcript_alone_brings_everything(q: Bench):
    w = q.window()
    w.write("user", "typed where no hook was", human=True)
    w.tool("make test", "12 passed")
    w.write("assistant", "All green.")
    w.end()
    assert q.words() == ["typed where no hook was", "All green."]
    assert len(q.agent.messages(limit=100)) == 4


def test_what_the_spool_brings_late_is_known_by_then(q: Bench):
    """The transcript was read first; the spooled prompt comes after it, with its own time."""
    w = q.window()
    at = q.clock.now()
    w.write("user", "said while nobody listened", human=True)
    q.clock.forward(minutes=2)
    w.reply("I heard.")
    w.tell("prompt", text="said while nobody listened", at=at)
    assert q.words() == ["said while nobody listened", "I heard."]


def test_a_spooled_event_brought_twice_is_stored_once(q: Bench):
    w = q.window()
    for _ in range(2):
        w.tell("prompt", text="only once", at=q.clock.now())
    assert q.words() == ["only once"]


def test_nobody_waits_for_the_answer_to_a_spooled_event(q: Bench):
    first = q.window("s-0")
    first.turn(OPEN, "Later.")
    first.end()
    w = q.window()
    assert w.start(at=q.clock.now()) == ""
    assert OPEN in w.prompt("Where were we?")


def test_what_a_harness_says_by_itself_is_nobodys_word(q: Bench):
    w = q.window()
    w.tell("prompt", text="<task-notification>done</task-notification>", human=False)
    w.write("user", "This session is being continued from a previous conversation", summary=True)
    w.reply("ok")
    assert q.words() == ["ok"]


def test_our_own_words_come_back_and_are_not_the_users(q: Bench):
    """LB-16, S-18."""
    first = q.window("s-0")
    first.turn(RULE, "I will.")
    first.end()
    w = q.window()
    back = w.start()
    assert SESSION_OPENING in back
    w.prompt(f"{back}\n\nWhat now?")
    assert q.words()[-1] == "What now?"


@pytest.mark.slow
def test_harness_messages_are_archive_and_never_in_the_view(q: Bench):
    """R-1, R-12: the harness's thread is not ours to distill."""
    w = q.window()
    for n in range(200):
        w.turn(f"question {n}", f"answer {n}")
    q.work()
    assert q.agent.turn("hello from the library").messages[0]["content"] != "question 0"
    assert not [r for r in q.agent.receipts() if r.outcome != "refused"]


def test_a_subagents_words_are_a_child_session(b: Bench):
    """R-26."""
    w = b.window()
    w.prompt("Look into it.")
    w.write("user", "Find all callers of parse_line.", child="agent-7")
    w.write("assistant", "There are three callers.", child="agent-7")
    w.reply("Three callers.")
    child = b.agent.session("s-1:agent-7")
    assert child.parent_ref == w.row.ref
    assert child.message_count == 2
    assert [h.text for h in b.agent.recall("callers of parse_line", limit=3)]


def test_a_crash_between_two_parts_of_a_transcript_loses_and_doubles_nothing(q: Bench):
    w = q.window()
    for n in range(2_500):
        w.write("assistant", f"line {n}")
    real = w.read
    w.read = lambda place, cursor: (_ for _ in ()).throw(OSError("gone"))  # pyright: ignore
    with pytest.raises(OSError):
        w.tell("reply")
    w.read = real  # pyright: ignore[reportAttributeAccessIssue]
    w.tell("reply")
    w.tell("reply")
    assert q.words() == [f"line {n}" for n in range(2_500)]


@settings(max_examples=few(200))
@given(st.lists(st.tuples(st.sampled_from("ab"), st.booleans()), max_size=30))
def test_whichever_way_words_come_first_each_is_stored_as_often_as_it_was_said(
    events: list[tuple[str, bool]],
):
    """Hooks and transcript bring the same words in any order; the larger count is what was said."""
    balance = Balance("")
    stored = {"a": 0, "b": 0}
    for word, by_hook in events:
        stored[word] += balance.first("u", word, by_hook=by_hook, at=0)
        balance = Balance(balance.text())
    for word in "ab":
        hooks = sum(1 for w, by_hook in events if w == word and by_hook)
        lines = sum(1 for w, by_hook in events if w == word and not by_hook)
        assert max(hooks, lines) <= stored[word] <= hooks + lines
        if not hooks or not lines:
            assert stored[word] == hooks + lines


# Checkpoints


def test_a_checkpoint_is_due_after_so_many_prompts_and_written_a_moment_later(b: Bench):
    """B-27, B-32, B-38, B-39, B-42, B-43, B-50, B-73, B-75."""
    w = b.window()
    for n in range(9):
        w.turn(f"prompt number {n}", "ok")
    b.clock.forward(seconds=3)
    b.work()
    assert not b.agent.checkpoints()
    w.prompt("prompt number 9")
    b.work()
    assert not b.agent.checkpoints()  # not in the prompt's own time
    b.clock.forward(seconds=3)
    b.work()
    (found,) = b.agent.checkpoints()
    assert (found.kind, found.prompt_count, found.total_prompts) == ("periodic", 10, 10)
    text = b.agent.checkpoint_text(found)
    assert text.startswith("## Session Checkpoint\nProject: ")
    assert "Prompts: 10 | Duration: " in text
    assert "prompt number 9" in text


def test_two_that_are_due_within_the_debounce_are_one_with_both_halves(q: Bench):
    """B-40, X-15, LB-2, LB-1."""
    w = q.window()
    for n in range(10):
        w.turn(f"first half {n}", "ok")
    for n in range(10):
        w.prompt(f"second half {n}")
    q.clock.forward(seconds=3)
    q.work()
    (found,) = q.agent.checkpoints()
    assert found.prompt_count == 20
    assert "second half 9" in q.agent.checkpoint_text(found)


def test_the_next_one_counts_anew_and_keeps_the_total(q: Bench):
    """LB-3."""
    w = q.window()
    for n in range(25):
        w.turn(f"prompt {n}", "ok")
        q.clock.forward(seconds=3)
        q.work()
    found = q.agent.checkpoints()
    assert [(c.prompt_count, c.total_prompts) for c in found] == [(10, 20), (10, 10)]


def test_one_is_due_after_a_quarter_of_an_hour_with_the_next_prompt(q: Bench):
    """B-58, LB-12."""
    w = q.window()
    w.turn("first", "ok")
    q.clock.forward(minutes=16)
    q.work()
    assert not q.agent.checkpoints()
    w.prompt("second")
    q.clock.forward(seconds=3)
    q.work()
    assert [c.prompt_count for c in q.agent.checkpoints()] == [2]


def test_the_end_of_a_session_writes_what_waits(q: Bench):
    """B-41, B-52, LB-4."""
    w = q.window()
    w.turn("only one prompt", "ok")
    w.end()
    q.work()
    assert [c.kind for c in q.agent.checkpoints()] == ["session_end"]
    assert w.row.state == "complete"


def test_clear_writes_none_and_neither_does_a_session_without_a_word(q: Bench):
    """LB-4."""
    w = q.window()
    w.turn("forget this", "ok")
    w.end("clear")
    empty = q.window("s-2")
    empty.start("clear")
    empty.end()
    q.work()
    assert not q.agent.checkpoints()


def test_switched_off_nothing_is_put_down(tmp_path: Path):
    with bench(tmp_path, checkpoints="off") as q:
        w = q.window()
        for n in range(12):
            w.turn(f"prompt {n}", "ok")
        w.end()
        q.clock.forward(seconds=3)
        q.work()
        assert not q.agent.checkpoints()


def test_what_a_killed_process_counted_is_not_lost(b: Bench):
    """R-24, LB-11, LD-10: nothing is kept in memory, so nothing goes with it."""
    w = b.window()
    for n in range(9):
        w.turn(f"prompt {n}", "ok")
    again = b.gone()  # another process on the same store
    w.bench = again
    w.turn("prompt 9", "ok")
    b.clock.forward(seconds=3)
    again.work()
    assert [c.prompt_count for c in again.agent.checkpoints()] == [10]


def test_only_so_many_of_a_session_are_kept(tmp_path: Path):
    """B-33."""
    with bench(tmp_path, checkpoints_kept=3, checkpoint_prompts=1) as q:
        w = q.window()
        for n in range(6):
            w.turn(f"prompt {n}", "ok")
            q.clock.forward(seconds=3)
            q.work()
        found = q.agent.checkpoints()
        assert [c.total_prompts for c in found] == [6, 5, 4]


def test_old_ones_are_removed_and_the_timeline_still_verifies(b: Bench):
    """B-36, B-37, B-79, X-6, LB-9."""
    w = b.window()
    w.turn("long ago", "ok")
    w.end()
    b.work()
    assert b.agent.checkpoints()
    b.clock.forward(hours=24 * 8)
    b.work()
    assert not b.agent.checkpoints()
    assert b.et.verify(b.agent).sound


def test_a_person_and_the_agent_put_down_their_own(q: Bench):
    """B-44, S-7."""
    w = q.window()
    w.turn("Shall we cut a release?", "Yes.")
    q.agent.checkpoint("Release is cut.", kind="agent", decisions=["tag 2.1"], next_steps=["tell"])
    w.end()
    q.work()
    assert {c.kind for c in q.agent.checkpoints()} == {"agent"}  # nothing was said since
    text = q.agent.checkpoint_text(q.agent.checkpoints()[0])
    assert "Release is cut." in text
    assert "- tag 2.1" in text
    assert "Shall we cut a release?" in text
    assert "tag 2.1" in q.window("s-2").start()


def test_secrets_are_taken_out_before_anything_is_written(q: Bench):
    """B-54, B-55, B-71."""
    w = q.window()
    key = "sk-ant-api03-" + "Ab3dE5" * 16
    w.turn(f"use {key} please", "ok")
    q.agent.checkpoint(f"the key is {key}", kind="agent")
    (found,) = q.agent.checkpoints()
    assert key not in q.agent.checkpoint_text(found)
    assert key not in found.activity_json
    assert key not in q.window("s-2").start()


# Recovery


def session_before(b: Bench, key: str = "s-0") -> None:
    w = b.window(key)
    w.start()
    w.turn(RULE, "Understood.")
    w.turn("We decided to use port 8443 for staging.", "Noted.")
    w.tool("pytest -q tests/test_parser.py", "FAILED tests/test_parser.py - KeyError: 'name'")
    w.turn(OPEN, "I will do that later.")
    w.end()
    b.work()


def test_a_new_session_is_given_where_the_last_one_stood(b: Bench):
    """B-7, B-34, B-46, B-48, B-76."""
    session_before(b)
    b.clock.forward(minutes=5)
    given = b.window().start()
    assert "## Session Recovery Context" in given
    assert RULE in given
    assert OPEN in given
    assert "pytest -q tests/test_parser.py" in given


@pytest.mark.parametrize(("minutes", "whole"), [(239, True), (241, False)])
def test_after_four_hours_only_a_pointer_and_what_is_open(q: Bench, minutes: int, *, whole: bool):
    """R-5, R-46, X-7, LB-8."""
    session_before(q)
    q.clock.forward(minutes=minutes)
    given = q.window().start()
    assert OPEN in given
    assert ("pytest -q" in given) is whole
    assert ("everthread sessions resume" in given) is not whole
    if not whole:
        assert len(given.partition(SESSION_CLOSING)[0]) <= 800


def test_recovery_stands_before_the_memories_and_takes_its_room_first(q: Bench):
    """B-49, X-16, LB-15."""
    session_before(q)
    for n in range(100):
        q.agent.remember(f"The service called beta{n} listens on port {9000 + n} of the host.")
    given = q.window().start()
    assert given.index("## Session Recovery Context") < given.index("<everthread-recall>")
    assert OPEN in given
    assert "beta" in given


def test_many_starts_in_which_nothing_was_said_do_not_hide_it(q: Bench):
    """R-28: sixty windows were opened and closed; each is still told where the last work stood."""
    session_before(q)
    for n in range(60):
        q.clock.forward(seconds=1)
        assert SESSION_OPENING in q.window(f"empty-{n}").start(), n


def test_after_a_week_nothing_is_said_of_it(q: Bench):
    session_before(q)
    q.clock.forward(hours=24 * 7 + 1)
    assert SESSION_OPENING not in q.window().start()


def test_after_clear_one_pointer_and_no_recovery(q: Bench):
    """R-25: people clear on purpose."""
    session_before(q)
    given = q.window().start("clear")
    assert "The last session here" in given
    assert OPEN not in given.partition("<everthread-recall>")[0]


def test_a_repeated_start_is_given_nothing_again(q: Bench):
    """LB-7, R-23."""
    session_before(q)
    w = q.window()
    assert w.start()
    assert w.start() == ""
    assert w.start("resume") == ""


def test_a_client_that_keeps_nothing_is_given_the_same_bytes(q: Bench):
    """R-23."""
    session_before(q)
    w = q.window(keeps=False)
    first = w.start()
    q.clock.forward(minutes=30)
    assert w.start() == first
    again = q.gone()
    w.bench = again
    assert w.start() == first


def test_however_long_a_session_is_its_start_is_given_once(q: Bench):
    session_before(q)
    w = q.window()
    w.start()
    for n in range(60):
        q.clock.forward(minutes=1)
        q.agent.remember(f"The service called alpha{n} listens on port {9000 + n}.")
        w.prompt(f"Where does alpha{n} listen?")
    given = [i for i in q.agent.injections(limit=1_000) if i.injection.purpose == "start"]
    assert len([i for i in given if i.session.ref == w.row.ref]) == 1


def test_another_project_is_never_recovered_from(q: Bench, tmp_path: Path):
    session_before(q)
    other = tmp_path / "other"
    other.mkdir()
    q.project = other
    assert SESSION_OPENING not in q.window().start()


def test_a_symlinked_project_is_the_same(q: Bench, tmp_path: Path):
    """B-15, B-31, B-74."""
    session_before(q)
    link = tmp_path / "link"
    link.symlink_to(q.project)
    q.project = link
    assert OPEN in q.window().start()


def test_lineage_is_stronger_than_a_newer_session(q: Bench):
    """B-47, R-28."""
    session_before(q)
    newer = q.window("s-9")
    newer.turn("Something else altogether, please paint the shed.", "ok")
    newer.end()
    given = q.window().tell("start", start="fork", previous="s-0").context
    assert OPEN in given
    assert "shed" not in given.partition(SESSION_CLOSING)[0]


def test_a_session_that_is_alive_is_named_and_not_read(q: Bench):
    """R-26: two windows in one project at once."""
    first = q.window("s-0", owner="alive")
    first.start()
    first.turn(OPEN, "ok")
    given = q.window("s-1", owner="alive too").start()
    assert "Another session works in this project right now" in given
    assert OPEN not in given


def test_a_killed_session_is_recovered_from_at_once(b: Bench):
    """B-76, LB-11: nobody ended it; an interrupted checkpoint is written from what is stored."""
    first = b.window("s-0", owner="killed")
    first.start()
    first.turn(RULE, "ok")
    first.prompt(OPEN)
    after = b.gone("killed")
    given = after.window("s-1").start()
    assert "was cut off" in given
    assert OPEN in given
    assert RULE in given
    assert after.agent.checkpoints()[0].kind == "interrupted"
    assert after.agent.session("s-0").state == "suspended"


def of_a_host(q: Bench, harness: str) -> None:
    """A session of a process that serves many, and another that begins beside it."""
    first = q.window("s-0", harness=harness, owner="host")
    first.start()
    first.turn(OPEN, "ok")
    beside = q.window("s-1", harness=harness, owner="host").start()
    assert "Another session works in this project right now" in beside


@pytest.mark.parametrize("harness", sorted(HOSTS))
def test_that_a_process_of_many_sessions_lives_says_nothing_of_one_that_was_left(
    q: Bench, harness: str
):
    """R-26."""
    of_a_host(q, harness)
    q.clock.forward(minutes=6)
    assert OPEN in q.window("s-2", harness=harness, owner="host").start()


@pytest.mark.parametrize("harness", sorted(HOSTS))
def test_with_a_process_of_many_sessions_all_of_them_end(q: Bench, harness: str):
    """B-76: nobody waits until they have been quiet for long."""
    of_a_host(q, harness)
    assert OPEN in q.gone("host").window("s-2", harness=harness).start()


def test_what_a_killed_turn_had_done_is_read_from_its_transcript(b: Bench):
    """No event tells of a turn in which the harness was killed; what it wrote down does."""
    first = b.window("s-0", owner="killed")
    first.start()
    first.prompt("Create app.py, commit it, then deploy to staging.")
    first.write("assistant", "I will create app.py first.")
    first.tool("git commit -m app", "[main 5d0c2a3] app")
    after = b.gone("killed")
    happening = Happening("claude-code", "start", "s-1", str(b.project), start="startup")
    given = after.agent.attend(happening, others=first.read).context
    assert "git commit -m app" in given
    assert "was cut off" in given
    assert b.words().count("Create app.py, commit it, then deploy to staging.") == 1
    assert after.agent.session("s-0").state == "suspended"


def test_after_an_import_the_end_of_a_long_session_is_given_at_once(q: Bench):
    """Reading all of it is the worker's; nobody waits for that."""
    w = q.window("s-0")
    for n in range(900):
        w.write("assistant", f"I moved part {n} to src/part_{n}.py.")
    w.write("user", OPEN, human=True)
    w.end()
    given = q.window().start()
    assert OPEN in given
    assert not q.agent.checkpoints()
    q.work()
    assert q.agent.checkpoints()[0].through_seq == 901


def test_what_is_recovered_is_marked_and_logged(q: Bench):
    """B-65: recovery versus cold start."""
    q.window("cold").start()
    session_before(q)
    w = q.window()
    w.start()
    w.turn("go on", "ok")
    scores = q.et.house.store.read(
        lambda r: [r.uses.score(q.agent.scope, s.ref) for s in (w.row, q.agent.session("s-0"))]
    )
    assert [s and s.recovered for s in scores] == [1, 0] or scores[1] is None
    logged = q.agent.injections()
    assert any(i.injection.purpose == "start" and i.text for i in logged)


WORDS = st.characters(exclude_categories=("Cs",), exclude_characters="\0")


@pytest.mark.slow
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.integers(200, 3_000),
    st.integers(400, 6_000),
    st.lists(st.text(WORDS, max_size=300), min_size=1, max_size=8),
)
def test_a_start_never_takes_more_than_its_room(
    tmp_path_factory: pytest.TempPathFactory, reserved: int, total: int, prompts: list[str]
):
    """LB-14, B-48: reserved first, never over the total, whatever was said."""
    folder = tmp_path_factory.mktemp("room")
    with bench(folder, recovery_chars=reserved, start_chars=total) as q:
        w = q.window("s-0")
        for text in prompts:
            w.turn(f"Please {text}", f"I did {text}")
            q.agent.note(f"note {text[:50]}x")
        w.end()
        assert len(q.window().start()) <= total


# With a prompt


def test_a_prompt_is_given_what_bears_on_it_and_only_once(b: Bench):
    """B-50."""
    session_before(b)
    w = b.window()
    w.start("clear")
    given = w.prompt("Which port did we choose for staging?")
    assert "8443" in given
    assert given.startswith("<everthread-recall>")
    assert "8443" not in w.prompt("And the staging port again?")


def test_what_the_session_itself_said_is_not_told_to_it_again(q: Bench):
    w = q.window()
    w.turn("We decided to use port 8443 for staging.", "Noted.")
    assert w.prompt("Which port did we choose for staging?") == ""


def test_small_talk_is_given_nothing(q: Bench):
    session_before(q)
    w = q.window()
    w.start()
    assert w.prompt("ok") == ""
    assert w.prompt("thanks!") == ""


def test_what_is_remembered_is_part_of_the_checkpoint(q: Bench):
    """B-26, B-51, LB-19."""
    w = q.window()
    w.turn("Good morning to the parser.", "ok")
    for _ in range(2):
        q.agent.remember("Prefers tabs over spaces.")
    w.end()
    q.work()
    text = q.agent.checkpoint_text(q.agent.checkpoints()[0])
    assert text.count("Prefers tabs over spaces.") == 1


def test_what_a_start_missed_comes_with_the_prompt(q: Bench):
    """R-45."""
    session_before(q)
    given = q.window().prompt("Good morning")
    assert OPEN in given


def test_a_prompt_is_kept_whatever_goes_wrong_with_its_answer(
    q: Bench, monkeypatch: pytest.MonkeyPatch
):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("everthread.services.attending.prompt._recalled_block", broken)
    assert q.window().prompt("Which port is it for staging?") == ""
    assert q.words() == ["Which port is it for staging?"]


def test_what_came_too_late_was_not_given_and_comes_with_the_next_prompt(q: Bench):
    """R-45: the harness had gone on by then."""
    session_before(q)
    w = q.window()
    happening = Happening("claude-code", "start", "s-1", str(q.project), start="startup")
    assert q.agent.attend(happening, w.read, seconds=0.0).context == ""
    told = happening._replace(kind="prompt", start=None, text="Which port is it for staging?")
    assert q.agent.attend(told, w.read, seconds=0.0).context == ""
    assert q.words()[-1] == "Which port is it for staging?"
    assert OPEN in w.prompt("Where were we?")
