"""What is forgotten or erased leaves all that was distilled of it: summaries, files, receipts."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.receipts import Receipt, summary_message
from everthread.domain.errors import LeaseLost
from everthread.domain.forgetting.forgotten_texts import Sieve, forgotten_of
from everthread.domain.given.working_state import WorkingState, state_text, stored_state
from everthread.domain.gleaning.digest import Digest, Point, Trace, read_digest
from everthread.jobs.worker import Worker
from everthread.services.distilling import undo as undo_module
from everthread.services.distilling.review import draw_items
from everthread.services.forgetting import unsay as unsay_module
from everthread.services.forgetting.forget import forget
from everthread.services.forgetting.unsay import clear, clear_files, collect_unsaid, plan_and_apply
from everthread.testing import FrozenClock
from support.stores import ABOVE, EACH, Place, fresh

pytestmark = pytest.mark.req("R-43")

on_each = pytest.mark.parametrize("place", EACH, indirect=True)
"""Where several are at work at once, and where rows of most tables change."""

SECRET = "Always send the ledger to Xylander before noon."
WORD = "Xylander"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture(params=ABOVE)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return tmp_path / "files"


def connected(
    place: Place, files: Path, clock: FrozenClock, recall: str = "off"
) -> everthread.Everthread:
    # Without the model: what is found by meaning is forgotten by the same rules.
    settings = everthread.Settings(
        workspace=str(files), score_seconds=0.0, recall=recall, embedder="off"
    )
    return everthread.connect(place.target, background=False, clock=clock, settings=settings)


@pytest.fixture
def et(place: Place, files: Path, clock: FrozenClock) -> Iterator[everthread.Everthread]:
    with connected(place, files, clock) as found:
        yield found


@pytest.fixture
def ada(et: everthread.Everthread) -> everthread.Agent:
    return et.agent("ada", window=10_000)


def talk(agent: everthread.Agent, first: int, count: int = 10) -> None:
    for n in range(first, first + count):
        agent.turn(
            f"We decided to keep module {n} as it is, because the parser needs it. Look at src/part{n}.py."
        ).done(f"I looked at src/part{n}.py and ran pytest -k part{n}: 4 passed.")


def tell(agent: everthread.Agent) -> str:
    """Say what will be forgotten; the id of the message."""
    agent.turn(SECRET).done("Understood.")
    return agent.messages(limit=2)[0].id


def told(agent: everthread.Agent) -> Receipt:
    receipt = agent.distill()
    assert receipt.standing, receipt.errors
    return receipt


def rule(agent: everthread.Agent) -> str:
    """The id of the memory that the distillation drew of it."""
    return next(memory.id for memory in agent.memories() if WORD in memory.text)


def written(files: Path) -> dict[str, str]:
    return {str(p.relative_to(files)): p.read_text() for p in files.rglob("*.md")}


def all_rows(et: everthread.Everthread, agent: everthread.Agent) -> str:
    """Every row of the agent but the messages, which only an erasure removes."""
    rows = et.house.store.read(lambda r: list(r.audit.dump(agent.scope)))
    return repr([row for row in rows if row[0] != "messages"])


def assert_unsaid(et: everthread.Everthread, agent: everthread.Agent, files: Path) -> None:
    """No word of it anywhere but in the message that said it."""
    assert WORD not in all_rows(et, agent)
    assert WORD not in repr(written(files))
    assert WORD not in repr([agent.receipt(receipt.id) for receipt in agent.receipts()])
    assert WORD not in agent.context().text
    assert WORD not in repr(agent.recall("Who gets the ledger before noon?"))
    assert et.verify(agent).faults == []


def unsay(et: everthread.Everthread, agent: everthread.Agent, text: str, source: bytes) -> bool:
    """Take the text, and what came from that message alone, out of all that was distilled."""
    gone = et.house.store.read(lambda r: collect_unsaid(r, agent.scope, [text], [source]))
    house, row = et.house, agent.row
    left = plan_and_apply(house, row, gone, lambda r, plan: clear(house, r, row, gone, plan))
    return clear_files(house, row, gone, left)


def summaries(et: everthread.Everthread, agent: everthread.Agent) -> list[tuple[bool, bool]]:
    """Of each summary: was it withheld, and is it in the view?"""
    ref = agent.primary.ref
    rows = et.house.store.read(lambda r: r.summaries.all(agent.scope, ref))
    return [(row.text_hash is None, row.until_version is None) for row in rows]


# ---- forgetting


@on_each
@pytest.mark.slow
def test_what_is_forgotten_leaves_summary_digest_receipt_and_files(
    et: everthread.Everthread, ada: everthread.Agent, files: Path
) -> None:
    tell(ada)
    talk(ada, 0)
    receipt = told(ada)
    before = ada.context()
    assert WORD in (before.summary or "") and WORD in all_rows(et, ada)
    assert len([text for text in written(files).values() if WORD in text]) == 2
    ada.forget(rule(ada))
    assert_unsaid(et, ada, files)
    summary = ada.context().summary or ""
    lines = {line for line in (before.summary or "").splitlines() if line.startswith("- ")}
    kept = {line for line in lines if WORD not in line}
    assert len(kept) > 3 and kept <= set(summary.splitlines())
    assert all("src/part" in text for text in written(files).values() if "## Distillation" in text)
    assert ada.receipt(receipt.id).text == summary
    assert summaries(et, ada) == [(True, False), (False, True)]
    assert len(ada.context().messages) == len(before.messages)
    # What was said stays: only `erase` removes it.
    assert SECRET in [message.text for message in ada.messages(limit=999)]


@pytest.mark.slow
def test_every_sentence_left_still_names_messages_that_are_there(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    tell(ada)
    talk(ada, 0)
    receipt = told(ada)
    ada.forget(rule(ada))
    shown = ada.receipt(receipt.id)
    keys = {message.key: message for message in ada.messages(limit=999)}
    assert [s.n for s in shown.sentences] == list(range(1, len(shown.sentences) + 1))
    for sentence in shown.sentences:
        assert sentence.sources and all(WORD not in keys[k].text for k in sentence.sources)


@pytest.mark.slow
def test_a_turn_of_the_past_shows_that_its_summary_was_withheld(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    tell(ada)
    talk(ada, 0)
    told(ada)
    turn = ada.turn("And now?")
    turn.done("Onwards.")
    assert WORD in (ada.context(turn.number).summary or "")
    ada.forget(rule(ada))
    past = ada.context(turn.number)
    assert WORD not in past.text
    assert "withheld" in (past.summary or "")
    assert past.text.endswith("user: And now?")
    assert WORD not in json.dumps(ada.sent(turn.number).messages)
    assert "withheld" not in (ada.context().summary or "")


@pytest.mark.slow
def test_every_summary_that_carried_it_is_made_anew(
    et: everthread.Everthread, ada: everthread.Agent, files: Path
) -> None:
    """Three distillations carry it forward; one from before it was said is left as it is."""
    talk(ada, 0)
    first = told(ada)
    untouched = ada.receipt(first.id).text
    tell(ada)
    for n in (100, 200, 300):
        talk(ada, n)
        told(ada)
        assert WORD in (ada.context().summary or "")
    ada.forget(rule(ada))
    assert_unsaid(et, ada, files)
    assert ada.receipt(first.id).text == untouched
    held = summaries(et, ada)
    assert sum(withheld for withheld, _ in held) == 3
    assert [shown for _, shown in held].count(True) == 1


@pytest.mark.slow
def test_what_is_forgotten_does_not_come_back_with_the_next_distillation(
    et: everthread.Everthread, ada: everthread.Agent, files: Path
) -> None:
    """It is still among the messages that the next one reads."""
    talk(ada, 0, 3)
    memory = ada.remember(SECRET, sources=[tell(ada)], kind="rule")
    ada.forget(memory.id)
    talk(ada, 10)
    told(ada)
    assert_unsaid(et, ada, files)
    assert "module" in (ada.context().summary or "")


@pytest.mark.slow
def test_after_forgetting_a_thread_goes_on_and_can_be_distilled_undone_and_redone(
    et: everthread.Everthread, ada: everthread.Agent, files: Path
) -> None:
    tell(ada)
    talk(ada, 0)
    first = told(ada)
    talk(ada, 100)
    second = told(ada)
    ada.forget(rule(ada))
    talk(ada, 200, 3)
    then = ada.context().text
    et.undo(second.id)
    assert "module 100" in ada.context().text
    assert_unsaid(et, ada, files)
    et.redo(second.id)
    assert ada.context().text == then
    assert_unsaid(et, ada, files)
    # The first is made anew under the second, from messages of which one was withheld.
    ada = et.agent("ada", window=200_000)
    et.undo(first.id)
    assert WORD not in (ada.context().summary or "")
    assert SECRET in ada.context().text, "what was said is shown again, where it was said"
    et.redo(first.id)
    assert_unsaid(et, ada, files)
    talk(ada, 300)
    assert told(ada).number == 3
    assert_unsaid(et, ada, files)


@pytest.mark.slow
def test_what_other_messages_bear_out_stays_and_names_them_alone(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    """A file that many messages name is not lost with one of them."""
    ada.turn("Look at src/shared.py once more, and at src/alone.py too.").done("I did.")
    first = ada.messages(limit=2)[0]
    talk(ada, 0, 2)
    ada.turn("Look at src/shared.py, please.").done("I edited src/shared.py.")
    talk(ada, 10)
    told(ada)
    before = _digest(et, ada)
    shared = next(t for t in before.ledger if t.text == "src/shared.py")
    assert first.key in shared.sources and len(shared.sources) > 1
    forget(et.house, ada.row, ada.remember("Likes tea").id, messages=[first])
    after = _digest(et, ada)
    left = next(t for t in after.ledger if t.text == "src/shared.py")
    assert left.sources == tuple(key for key in shared.sources if key != first.key)
    assert "src/alone.py" not in repr(after)


def _digest(et: everthread.Everthread, agent: everthread.Agent) -> Any:
    def work(records: Any) -> str:
        thread = records.threads.get(agent.scope, agent.primary.ref)
        row = records.summaries.at(agent.scope, thread.ref, thread.view_version)
        return records.summaries.digest(agent.scope, row)

    return read_digest(et.house.store.read(work))


@pytest.mark.slow
@pytest.mark.req("R-17")
def test_a_section_edited_by_hand_stays_and_is_told(
    et: everthread.Everthread,
    ada: everthread.Agent,
    files: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    tell(ada)
    talk(ada, 0)
    receipt = told(ada)
    (daily,) = files.glob("ada/memory/*.md")
    mine = daily.read_text().replace("Understood", "Ha").replace(WORD, f"{WORD} (my cousin)")
    daily.write_text(mine)
    done = forget(et.house, ada.row, rule(ada))
    assert not done.out
    assert daily.read_text() == mine
    assert WORD not in (files / "ada" / "MEMORY.md").read_text()
    assert "someone edited" in repr(ada.receipt(receipt.id).receipt.errors)
    assert str(daily) in caplog.text
    assert WORD not in all_rows(et, ada)
    assert et.verify(ada).faults == []


@pytest.mark.slow
@pytest.mark.req("R-17")
def test_a_disk_that_fails_is_tried_again_and_the_store_holds_no_word_meanwhile(
    et: everthread.Everthread, ada: everthread.Agent, files: Path, clock: FrozenClock
) -> None:
    tell(ada)
    talk(ada, 0)
    told(ada)
    files.rename(files.with_name("away"))
    files.write_text("in the way")
    done = forget(et.house, ada.row, rule(ada))
    assert not done.out
    assert WORD not in all_rows(et, ada)
    files.unlink()
    files.with_name("away").rename(files)
    assert WORD in repr(written(files))
    clock.forward(minutes=2)
    work(et)
    assert_unsaid(et, ada, files)


@pytest.mark.slow
@pytest.mark.req("R-17")
@pytest.mark.parametrize("undone", [False, True])
def test_what_waits_to_be_written_is_forgotten_too(
    et: everthread.Everthread,
    ada: everthread.Agent,
    files: Path,
    clock: FrozenClock,
    *,
    undone: bool,
) -> None:
    """The files could not be written, so that the intents of distillations hold its words."""
    files.write_text("in the way")
    tell(ada)
    talk(ada, 0)
    first = told(ada)
    memory = rule(ada)
    talk(ada, 100)
    told(ada)
    assert all_rows(et, ada).count("'intents'") == 2
    if undone:
        ada = et.agent("ada", window=200_000)
        et.undo(first.id)
    ada.forget(memory)
    assert WORD not in all_rows(et, ada)
    files.unlink()
    clock.forward(minutes=2)
    work(et)
    sections = "".join(written(files).values()).count("## Distillation #")
    assert sections == (1 if undone else 2)
    assert WORD not in repr(written(files))
    assert et.house.store.read(lambda r: r.intents.open(limit=9)) == []
    assert et.verify(ada).faults == []


def work(et: everthread.Everthread) -> None:
    worker = Worker(et.house)
    while worker.step():
        pass


@on_each
@pytest.mark.slow
def test_a_distillation_under_way_that_has_read_it_is_given_up(
    et: everthread.Everthread, ada: everthread.Agent, files: Path, clock: FrozenClock
) -> None:
    """It is forgotten while the summary is being made, and again before the files are written."""
    memory = ada.remember(SECRET, sources=[tell(ada)], kind="rule")
    talk(ada, 0)

    def meanwhile(stage: str) -> None:
        if stage == "commit":
            assert WORD in repr(written(files))
            ada.forget(memory.id)

    with pytest.raises(LeaseLost):
        ada.distill(progress=meanwhile)
    (receipt,) = ada.receipts()
    assert (receipt.outcome, receipt.number) == ("failed", None)
    assert "forgotten meanwhile" in receipt.errors[0]
    assert ada.context().summary is None
    assert WORD not in all_rows(et, ada)
    clock.forward(minutes=2)
    work(et)
    assert WORD not in repr(written(files))
    told(ada)
    assert_unsaid(et, ada, files)


def test_a_distillation_under_way_that_has_not_read_it_goes_on(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    beat = ada.thread("heartbeat", kind="background")
    beat.turn(SECRET).done("Understood.")
    memory = ada.remember(SECRET, sources=[beat.messages()[0].id], kind="rule")
    talk(ada, 0)

    def meanwhile(stage: str) -> None:
        if stage == "flush":
            ada.forget(memory.id)

    assert ada.distill(progress=meanwhile).standing


def test_the_working_state_loses_what_is_forgotten_and_keeps_the_rest(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    source = tell(ada)
    state = WorkingState(
        "Send the ledger to Xylander before noon",
        ("Read the parser",),
        ("Always send the ledger to Xylander…", "Fix the parser"),
        open_files=("src/a.py",),
    )
    ref = ada.primary.ref
    et.house.store.write(lambda r: r.threads.works_on(ada.scope, ref, state_text(state)))
    ada.forget(ada.remember(SECRET, sources=[source], kind="rule").id)
    left = stored_state(ada.primary.row.working_state)
    assert left == WorkingState("", ("Read the parser",), ("Fix the parser",), (), ("src/a.py",))


def test_a_working_state_that_a_turn_was_given_goes_too(
    et: everthread.Everthread, ada: everthread.Agent, place: Place, files: Path, clock: FrozenClock
) -> None:
    source = tell(ada)
    talk(ada, 0)
    ada.turn("Go on").done("Yes.", state={"current_task": "parser", "next_steps": [SECRET]})
    told(ada)
    with connected(place, files, clock, recall="auto") as other:
        turn = other.agent("ada").turn("And now?")
        assert f"Next: {SECRET}" in json.dumps(turn.messages)
        turn.done("Onwards.", state="parser only")
        other.agent("ada").turn("And now?").done("Onwards.")
    ada.forget(ada.remember("Has a friend", sources=[source], kind="fact").id)
    assert f"Next: {SECRET}" not in json.dumps(ada.sent(turn.number).messages)
    assert WORD not in repr([injection.text for injection in ada.injections()])
    assert et.verify(ada).faults == []


def test_what_was_primed_is_given_to_no_turn_any_more(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    tell(ada)
    talk(ada, 0)
    told(ada)
    primed = et.house.store.read(lambda r: r.memories.primed(ada.scope, ada.primary.ref))
    assert WORD in repr(primed)
    ada.forget(rule(ada))
    left = et.house.store.read(lambda r: r.memories.primed(ada.scope, ada.primary.ref))
    assert [m.id for m in left] == [m.id for m in primed if WORD not in m.text]


def test_what_reached_user_wide_leaves_the_summaries_of_other_agents(
    et: everthread.Everthread, ada: everthread.Agent, files: Path
) -> None:
    bob = et.agent("bob", window=10_000)
    bob.remember(f"[bananas]: {SECRET}", kind="rule")
    tell(bob)
    talk(bob, 0)
    told(bob)
    assert SECRET in (bob.context().summary or "")
    ada.forget(ada.remember(SECRET, kind="rule", scope="user").id)
    assert SECRET not in (bob.context().summary or "")
    assert SECRET not in repr(written(files))
    # Bob himself was told it, and must not begin his next session with it either.
    assert WORD not in repr([memory.text for memory in bob.memories()])
    assert "bananas" not in all_rows(et, bob), "no receipt keeps how his memory was"
    assert SECRET in repr([message.text for message in bob.messages(limit=1_000)])
    assert et.verify(bob).faults == []


def test_no_receipt_keeps_how_a_forgotten_memory_was(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    """A distillation that changed a memory notes its tags, so that undoing can give them back."""
    ada.remember(f"[sorcery]: {SECRET}", kind="rule")
    tell(ada)
    talk(ada, 0)
    receipt = told(ada)
    assert "sorcery" in receipt.detail_json
    ada.forget(rule(ada))
    assert "sorcery" not in all_rows(et, ada)
    et.undo(receipt.id)
    assert ada.memories(state="forgotten") and et.verify(ada).faults == []


def test_the_score_asks_for_nothing_that_was_forgotten(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    """What it misses it would put back into the summary."""
    tell(ada)
    talk(ada, 0)
    receipt = told(ada)
    asked = draw_items(et.house, ada.scope, receipt, lambda: None)
    assert WORD in repr(asked)
    ada.forget(rule(ada))
    left = draw_items(et.house, ada.scope, receipt, lambda: None)
    assert WORD not in repr(left) and len(left) > len(asked) / 2


def test_forgetting_what_no_summary_holds_changes_no_view(
    et: everthread.Everthread, ada: everthread.Agent, files: Path
) -> None:
    talk(ada, 0)
    told(ada)
    before = ada.context().text, written(files), ada.primary.row.view_version
    ada.forget(ada.remember("The user's cat is called Mnemosyne").id)
    assert (ada.context().text, written(files), ada.primary.row.view_version) == before


@on_each
def test_what_was_thought_out_for_another_state_of_the_thread_is_not_done(
    et: everthread.Everthread, ada: everthread.Agent, files: Path
) -> None:
    """It is thought out anew, so that nothing that came meanwhile keeps the words."""
    source = bytes.fromhex(tell(ada).replace("-", ""))
    talk(ada, 0)
    told(ada)
    gone = et.house.store.read(lambda r: collect_unsaid(r, ada.scope, [SECRET], [source]))
    plan = plan_and_apply(et.house, ada.row, gone, lambda _, found: found)
    talk(ada, 100)
    told(ada)
    then = ada.context().text
    with pytest.raises(LeaseLost):
        et.house.store.write(lambda r: clear(et.house, r, ada.row, gone, plan))
    assert ada.context().text == then
    assert unsay(et, ada, SECRET, source)
    assert WORD not in (ada.context().summary or "") and WORD not in repr(written(files))
    assert et.verify(ada).faults == []


@pytest.mark.parametrize("before", [False, True])
def test_a_summary_that_came_since_it_was_thought_out_is_looked_at_too(
    et: everthread.Everthread, ada: everthread.Agent, before: bool
) -> None:
    """Although no summary held it then: the first that does may be made at that very moment."""
    if before:
        talk(ada, 200)
        told(ada)
    source = bytes.fromhex(tell(ada).replace("-", ""))
    gone = et.house.store.read(lambda r: collect_unsaid(r, ada.scope, [SECRET], [source]))
    plan = plan_and_apply(et.house, ada.row, gone, lambda _, found: found)
    talk(ada, 0)
    told(ada)
    assert WORD in (ada.context().summary or "")
    with pytest.raises(LeaseLost):
        et.house.store.write(lambda r: clear(et.house, r, ada.row, gone, plan))
    unsay(et, ada, SECRET, source)
    assert WORD not in (ada.context().summary or "")


@on_each
@pytest.mark.slow
def test_a_distillation_that_ends_while_it_is_forgotten_keeps_no_word_of_it(
    et: everthread.Everthread,
    ada: everthread.Agent,
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    clock: FrozenClock,
) -> None:
    memory = ada.remember(SECRET, sources=[tell(ada)], kind="rule")
    talk(ada, 0)
    look, made = unsay_module.orphan_sections, list[Receipt]()

    def meanwhile(*given: Any) -> Any:
        read = et.house.store.read

        def then(work: Any) -> Any:
            found = read(work)
            if isinstance(found, unsay_module.Plan) and not made:
                made.append(told(ada))
            return found

        monkeypatch.setattr(et.house.store, "read", then)
        return look(*given)

    with monkeypatch.context() as patched:
        patched.setattr(unsay_module, "orphan_sections", meanwhile)
        ada.forget(memory.id)
    monkeypatch.undo()
    assert made and ada.receipts()[0].standing
    clock.forward(minutes=2)
    work(et)
    assert_unsaid(et, ada, files)


@on_each
@pytest.mark.slow
@pytest.mark.parametrize("what", ["redo", "undo"])
def test_what_is_forgotten_while_a_distillation_is_redone_does_not_come_back(
    et: everthread.Everthread,
    ada: everthread.Agent,
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    clock: FrozenClock,
    what: str,
) -> None:
    """The view is the same before and after it is forgotten, or the one that holds it is made anew."""
    talk(ada, 100)
    first = told(ada)
    memory = ada.remember(SECRET, sources=[tell(ada)], kind="rule")
    talk(ada, 0)
    second = told(ada)
    if what == "redo":
        et.undo(second.id)
    write = undo_module._Reverse._files  # pyright: ignore[reportPrivateUsage]

    def meanwhile(*given: Any) -> Any:
        done = write(*given)
        if ada.memory(memory.id).state != "forgotten":
            ada.forget(memory.id)
        return done

    with monkeypatch.context() as patched:
        patched.setattr(undo_module._Reverse, "_files", meanwhile)  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(LeaseLost):
            et.redo(second.id) if what == "redo" else et.undo(first.id)
    clock.forward(minutes=2)
    work(et)
    assert WORD not in all_rows(et, ada)
    assert WORD not in repr(written(files))
    et.redo(second.id) if what == "redo" else et.undo(first.id)
    assert_unsaid(et, ada, files)


@on_each
def test_two_who_forget_at_once_do_not_bring_back_each_others_words(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    """Also where the view does not change: the summary of an undone distillation is not in it."""
    other = "Never deploy the quorum on a friday."
    first = bytes.fromhex(tell(ada).replace("-", ""))
    ada.turn(other).done("Understood.")
    second = ada.messages(limit=2)[0].key
    talk(ada, 0)
    et.undo(told(ada).id)
    gone = et.house.store.read(lambda r: collect_unsaid(r, ada.scope, [other], [second]))
    plan = plan_and_apply(et.house, ada.row, gone, lambda _, found: found)
    unsay(et, ada, SECRET, first)
    with pytest.raises(LeaseLost):
        et.house.store.write(lambda r: clear(et.house, r, ada.row, gone, plan))
    unsay(et, ada, other, second)
    (receipt,) = ada.receipts()
    shown = ada.receipt(receipt.id)
    assert shown.sentences and WORD not in repr(shown) and "quorum" not in repr(shown)


def heard(text: str) -> Message:
    """A message of a person."""
    blank = summary_message(text, 3)
    return blank._replace(key=secrets.token_bytes(16), kind="said", origin="user")


def test_a_point_of_two_messages_stays_if_the_other_one_bears_it_out() -> None:
    one, same, another = (
        heard("We moved the ledger to port 8081."),
        heard("As I said: we moved the ledger to port 8081."),
        heard("The ledger is slow."),
    )
    messages = {m.key: m for m in (one, same, another)}

    def still(keys: Sequence[bytes]) -> list[Message]:
        return [messages[key] for key in keys]

    point = Point("decision", "We moved the ledger to port 8081.", (), "user", 1)
    borne, loose = (
        point._replace(sources=(one.key, same.key)),
        point._replace(sources=(one.key, another.key)),
    )
    digest = Digest((borne, loose))
    gone = forgotten_of(["Has a ledger"], [one], [])
    assert Sieve(gone, still).without(digest).points == (borne._replace(sources=(same.key,)),)
    assert Sieve(forgotten_of(["Has a ledger"], [], []), still).without(digest) == digest
    # Said in other messages, it goes as well: the text is what was forgotten.
    told = forgotten_of(["We moved the ledger to port 8081"], [], [])
    assert Sieve(told, still).without(digest).points == ()


def test_what_a_hundred_digests_carry_is_looked_at_once() -> None:
    """So forgetting does not take longer with each distillation that carried it on."""
    one, same = heard("We moved the ledger to port 8081."), heard("The ledger has port 8081.")
    asked: list[bytes] = []

    def still(keys: Sequence[bytes]) -> list[Message]:
        asked.extend(keys)
        return [same]

    point = Point("fact", "The ledger has port 8081.", (one.key, same.key), "user", 1)
    trace = Trace("number", "8081", "", (one.key, same.key), 1)
    sieve = Sieve(forgotten_of(["Has a ledger"], [one], []), still)
    left = [sieve.without(Digest((point,), (trace,), n)) for n in range(100)]
    assert [one.messages for one in left] == list(range(100))
    assert {(one.points, one.ledger) for one in left} == {
        ((point._replace(sources=(same.key,)),), (trace._replace(sources=(same.key,)),))
    }
    assert asked == [same.key, same.key], "once for the point, once for the trace"


# ---- erasing


@on_each
@pytest.mark.req("X-29")
@pytest.mark.parametrize("key", [None, "agent:ada:main"])
def test_erasing_takes_receipts_summaries_and_what_was_written_of_them(
    et: everthread.Everthread, ada: everthread.Agent, files: Path, key: str | None
) -> None:
    notes = files / "ada" / "MEMORY.md"
    notes.parent.mkdir(parents=True)
    notes.write_text("My own notes.\n")
    tell(ada)
    talk(ada, 0)
    told(ada)
    assert WORD in notes.read_text()
    et.erase(ada, thread=key)
    assert written(files) == {"ada/MEMORY.md": "My own notes.\n"}
    ada = et.agent("ada")
    assert ada.receipts() == [] and ada.context().summary is None
    rows = et.house.store.read(lambda r: list(r.audit.dump(ada.scope)))
    assert WORD not in repr(rows) and "src/part" not in repr(rows)
    assert {table for table, _ in rows} & {"receipts", "summaries", "intents"} == set()
    assert et.house.store.read(lambda r: r.jobs.all()) == []
    assert et.verify(ada).faults == []


@pytest.mark.req("X-29")
def test_erasing_a_background_thread_leaves_what_was_written_of_the_primary(
    et: everthread.Everthread, ada: everthread.Agent, files: Path
) -> None:
    tell(ada)
    talk(ada, 0)
    told(ada)
    before = written(files)
    beat = ada.thread("heartbeat", kind="background")
    for n in range(40):
        beat.turn(f"tick {n}").done("tock")
    assert ada.distill(thread=beat).standing
    assert written(files) != before
    et.erase(ada, thread="heartbeat")
    assert written(files) == before


@pytest.mark.req("X-29")
def test_an_erasure_whose_files_cannot_be_written_is_finished_by_the_worker(
    et: everthread.Everthread, ada: everthread.Agent, files: Path, clock: FrozenClock
) -> None:
    tell(ada)
    talk(ada, 0)
    told(ada)
    files.rename(files.with_name("away"))
    files.write_text("in the way")
    et.erase(ada)
    assert WORD not in all_rows(et, et.agent("ada"))
    files.unlink()
    files.with_name("away").rename(files)
    assert WORD in repr(written(files))
    clock.forward(minutes=2)
    work(et)
    assert written(files) == {}
