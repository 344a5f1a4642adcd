"""A thread is distilled when it should be, keeps what matters, and says what was done to it."""

from __future__ import annotations

import itertools
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import BadInput, ContextFull, DistillationDoubtful
from everthread.domain.given.packing import TAG
from everthread.domain.jobs import Job
from everthread.services.distilling.distill_job import run_distill_job
from everthread.services.job_names import SCORE
from support.desk import Desk, Unreachable, answer, calling, desk_in, fired, question
from support.legality import anthropic_problems, openai_problems
from support.stores import ABOVE, EACH, fresh

Open = Callable[..., AbstractContextManager[Desk]]

FACTS = (
    "My name is Melanie.",
    "Never push to main without asking me.",
    "I prefer tabs over spaces.",
)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """A desk with settings of the test's own."""
    return lambda **chosen: desk_in(tmp_path, **chosen)


@pytest.fixture(params=ABOVE)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    """A desk in a file; on every engine for those that say so."""
    with fresh(request.param, tmp_path) as place, desk_in(tmp_path, place.target) as found:
        yield found


def words_of(messages: list[dict[str, Any]]) -> str:
    return json.dumps(messages, ensure_ascii=False)


# ---- when it fires


@pytest.mark.slow
@pytest.mark.req("A-2", "A-12", "A-28")
def test_many_short_messages_are_distilled_on_their_number(desk: Desk) -> None:
    for n in range(137):
        desk.turn(f"{question(n)} {'word ' * 70}", f"{answer(n)} {'text ' * 60}")
    before = desk.ada.context().tokens
    assert 20_000 < before < 30_000
    desk.work()
    (receipt,) = desk.ada.receipts()
    assert receipt.outcome == "ok"
    assert fired(receipt) == ["messages"]
    assert (receipt.messages_before, receipt.messages_after) == (274, 10)
    assert desk.ada.context().tokens < before / 2


@pytest.mark.req("A-3", "A-33", "A-28")
def test_an_absurd_report_of_the_provider_hides_nothing(desk: Desk) -> None:
    desk.talk(0, 104, usage={"input_tokens": 3, "output_tokens": 1})
    desk.work()
    (receipt,) = desk.ada.receipts()
    assert receipt.outcome == "ok"
    assert fired(receipt) == ["messages"]
    assert receipt.messages_before == 208


@pytest.mark.req("A-64", "A-28", "A-32")
def test_two_hundred_short_messages_fire_by_number_and_not_by_tokens(desk: Desk) -> None:
    for n in range(100):
        desk.turn(f"short {n}", f"brief {n}", usage={"input_tokens": 20 * n + 5})
    assert desk.ada.context().tokens < 30_000
    desk.work()
    assert [fired(r) for r in desk.ada.receipts()] == [["messages"]]


@pytest.mark.req("A-28", "A-29", "A-30", "A-12")
@pytest.mark.parametrize(
    ("name", "limit"), [("tokens", 120_000), ("context", 100_000), ("staleness", 168)]
)
def test_each_other_signal_of_a_primary_thread_fires_alone(
    desk: Desk, name: str, limit: float
) -> None:
    desk.talk(0, 11)
    if name == "context":
        desk.turn("Read this: " + "word " * 101_000, "Done.")
    if name == "staleness":
        desk.clock.forward(hours=169)
    report = {"input_tokens": 120_001} if name == "tokens" else None
    desk.turn("Anything else?", "No.", usage=report)
    desk.work()
    (receipt,) = desk.ada.receipts()
    assert fired(receipt) == [name]
    assert receipt.fired[0]["limit"] == limit
    assert receipt.fired[0]["value"] >= limit


@pytest.mark.req("A-30", "A-12")
def test_below_all_limits_nothing_happens(desk: Desk) -> None:
    desk.talk(0, 74, usage={"input_tokens": 119_000})
    desk.work()
    assert desk.ada.receipts() == []


@pytest.mark.req("A-31", "A-29", "A-59")
@pytest.mark.parametrize(
    ("name", "limit"), [("tokens", 10_000), ("messages", 50), ("context", 8_000), ("staleness", 24)]
)
def test_each_signal_of_a_background_thread_fires_alone(
    desk: Desk, name: str, limit: float
) -> None:
    beat = desk.ada.thread("heartbeat:noon", kind="background")
    desk.talk(0, 24 if name == "messages" else 12, beat)
    if name == "context":
        desk.turn("Read this: " + "word " * 8_000, "Done.", beat)
    if name == "staleness":
        desk.clock.forward(hours=25)
    report = {"input_tokens": 10_001} if name == "tokens" else None
    desk.turn("Anything else?", "No.", beat, usage=report)
    desk.work()
    (receipt,) = desk.ada.receipts(thread=beat)
    # A report that is far from what we computed also teaches the calibration.
    assert fired(receipt) in ([name], [name, "context"] if name == "tokens" else [name])
    assert receipt.fired[0]["limit"] == limit
    assert receipt.outcome == "ok"


@pytest.mark.req("A-30", "R-3")
def test_token_limits_shrink_with_the_window_and_counts_do_not(opened: Open) -> None:
    with opened(window=20_000) as desk:
        desk.talk(0, 11)
        desk.turn("Read this: " + "word " * 10_100, "Done.")
        desk.work()
        (receipt,) = desk.ada.receipts()
        assert receipt.fired == [
            {"name": "context", "value": receipt.fired[0]["value"], "limit": 10_000}
        ]


@pytest.mark.req("A-12", "A-5", "R-8")
def test_the_person_waits_for_no_distillation_that_the_signals_ask_for(desk: Desk) -> None:
    """It is a job: the turn that set it off, and those after it, are as they were."""
    desk.talk(0, 75)
    before = desk.view()
    assert desk.ada.receipts() == []
    desk.talk(75, 77)
    assert desk.view().startswith(before[:-1])
    desk.work()
    assert [r.messages_before for r in desk.ada.receipts()] == [154]


@pytest.mark.req("R-1")
def test_recording_and_importing_set_nothing_off(desk: Desk) -> None:
    entries = [{"id": f"m{n}", "role": "user", "content": question(n)} for n in range(200)]
    desk.ada.record(entries)
    desk.ada.record([{**e, "id": f"i-{e['id']}"} for e in entries], source="import")
    desk.clock.forward(hours=200)
    desk.work()
    assert desk.ada.receipts() == []
    assert desk.files == {}


@pytest.mark.req("X-26", "LA-12")
def test_a_stale_thread_with_little_new_is_refused_once_and_left_in_peace(desk: Desk) -> None:
    desk.talk(0, 5)
    for n in range(5, 9):
        desk.clock.forward(hours=169)
        desk.talk(n, n + 1)
        desk.work()
    (receipt,) = desk.ada.receipts()
    assert receipt.outcome == "refused"
    assert "takes at least 20" in receipt.errors[0]
    assert len(desk.seqs()) == 18
    desk.talk(9, 11)
    desk.clock.forward(hours=169)
    desk.talk(11, 12)
    desk.work()
    assert [r.outcome for r in desk.ada.receipts()] == ["ok", "refused"]


@pytest.mark.req("X-26", "LA-20")
def test_by_hand_it_takes_four_messages_and_a_refusal_takes_no_number(desk: Desk) -> None:
    desk.talk(0, 1)
    few = desk.ada.distill()
    assert few.outcome == "refused"
    assert "takes at least 4" in few.errors[0]
    desk.talk(1, 2)
    assert desk.ada.distill().outcome == "refused"  # the tail is all there is
    desk.talk(2, 20)
    done = desk.ada.distill()
    assert (done.outcome, done.number) == ("ok", 1)
    assert fired(done) == ["hand"]
    assert [r.number for r in desk.ada.receipts()] == [1, None, None]


@pytest.mark.req("A-24", "A-20")
def test_an_ephemeral_thread_is_never_distilled(opened: Open) -> None:
    with opened(window=8_000) as desk:
        errand = desk.ada.thread("errand", kind="ephemeral")
        desk.talk(0, 30, errand)
        desk.clock.forward(hours=2)
        desk.work()
        with pytest.raises(BadInput, match="never distilled"):
            desk.ada.distill(thread=errand)
        with pytest.raises(ContextFull):
            desk.ada.turn("word " * 6_000, thread=errand)
        assert desk.ada.receipts() == []
        assert desk.seqs(errand) == [*range(1, 61)]


# ---- the guard


@pytest.mark.req("A-5", "R-8")
def test_at_the_guard_the_turn_goes_on_and_the_receipt_says_degraded(opened: Open) -> None:
    with opened(window=8_000) as desk:
        desk.talk(0, 40)
        turn = desk.ada.turn("word " * 5_300)
        assert turn.context_tokens <= 7_200
        assert turn.messages[-1]["content"][-1]["text"].startswith("word")
        turn.done("That was long.")
        (receipt,) = desk.ada.receipts()
        assert receipt.outcome == "degraded"
        assert receipt.distiller == "plain"
        assert "guard" in fired(receipt)


@pytest.mark.req("A-5", "R-8")
def test_the_guard_waits_for_no_model(opened: Open) -> None:
    with opened(window=8_000) as desk:
        model = Unreachable()
        wired = desk.with_ports(distiller=model)
        wired.talk(0, 40)
        wired.ada.turn("word " * 5_300).done("That was long.")
        assert [r.outcome for r in wired.ada.receipts()] == ["degraded"]
        assert model.asked == 0


@pytest.mark.slow
@pytest.mark.req("A-5", "R-3", "A-73")
@pytest.mark.parametrize(
    ("jobs", "turns"), [(True, 200), (False, 120)], ids=["with a worker", "without a worker"]
)
def test_a_window_of_eight_thousand_works_over_two_hundred_turns(
    opened: Open, jobs: bool, turns: int
) -> None:
    with opened(window=8_000) as desk:
        for n in range(turns):
            desk.clock.forward(minutes=1)
            turn = desk.ada.turn(f"{question(n)} {'word ' * 25}")
            assert turn.context_tokens <= 7_200
            turn.done(answer(n))
            if jobs:
                desk.work()
        receipts = desk.ada.receipts(limit=1_000)
        assert {r.outcome for r in receipts} == {"ok" if jobs else "degraded"}
        assert len(receipts) >= (3 if jobs else 1)
        assert desk.ada.primary.message_count == 2 * turns


@pytest.mark.req("A-5", "R-10", "A-77")
def test_the_guard_makes_room_on_a_background_thread_too(opened: Open) -> None:
    with opened(window=8_000) as desk:
        beat = desk.ada.thread("heartbeat:noon", kind="background")
        for n in range(12):
            turn = desk.ada.turn(f"Wake {n}.", thread=beat).add(calling(f"c{n}"))
            assert turn.context_tokens <= 7_200
            turn.tool_result(f"c{n}", "word " * 1_500).done("Nothing new.")
            desk.work()
        assert beat.message_count == 48


@pytest.mark.req("A-5")
def test_a_message_that_fits_no_window_is_told_and_nothing_is_stored(opened: Open) -> None:
    with opened(window=8_000) as desk:
        desk.talk(0, 40)
        receipts, seqs = desk.ada.receipts(), desk.seqs()
        with pytest.raises(ContextFull, match="Nothing was stored, and nothing distilled"):
            desk.ada.turn("word " * 9_000)
        assert desk.ada.primary.message_count == 80
        assert (desk.ada.receipts(), desk.seqs()) == (receipts, seqs), "no room would be enough"
        desk.talk(40, 41)


# ---- what the agent is given afterwards


@pytest.mark.req("LA-1", "LA-9", "A-50", "R-42", "X-13")
def test_after_every_distillation_the_summary_is_visible_and_first(stored: Desk) -> None:
    stored.tools(0, 2)
    for number in (1, 2, 3):
        stored.talk(number * 20, number * 20 + 14)
        assert stored.ada.distill().number == number
        context = stored.ada.context()
        assert [m.kind for m in context.history].count("summary") == 1
        assert context.history[0].kind == "summary"
        assert context.messages[0]["role"] == "user"
        assert f"Conversation Summary (Distillation #{number})" in words_of(context.messages[:1])
        assert stored.problems() == []
    texts = [m.text for m in stored.ada.messages(limit=1_000)]
    assert len(texts) == stored.ada.primary.message_count == 8 + 84 + 3


@pytest.mark.req("A-7", "A-45", "A-68", "A-14")
@pytest.mark.parametrize("asked", ["What is the weather like?", "ok", "汉字 🙂"])
def test_all_facts_are_in_the_next_turn_until_one_has_completed(desk: Desk, asked: str) -> None:
    for fact in FACTS:
        desk.turn(fact, "Noted.")
    desk.talk(0, 10)
    receipt = desk.ada.distill()
    learnt = desk.ada.memories(limit=100)
    assert {*FACTS} <= {m.text for m in learnt}
    found = receipt.facts_extracted + receipt.decisions_extracted + receipt.open_items_extracted
    assert found == len(learnt)
    for _ in range(2):
        turn = desk.ada.turn(asked)
        block = words_of(turn.messages[-1:])
        assert [fact for fact in FACTS if fact not in block] == []
        turn.failed("overloaded")
    with desk.ada.turn(asked) as turn:
        assert all(fact in words_of(turn.messages[-1:]) for fact in FACTS)
        turn.done("Fine.")
    later = desk.ada.turn(asked)
    assert FACTS[1] not in words_of(later.messages[-1:])
    assert all(fact not in m.text for m in desk.ada.messages(limit=4) for fact in FACTS)


@pytest.mark.req("A-13", "A-6", "A-21")
def test_state_decisions_open_threads_and_tone_outlive_it(desk: Desk) -> None:
    desk.turn(
        "I am building a parser for invoices in src/parser.py.",
        "We decided to use recursive descent because the grammar is small.",
    )
    desk.turn("Never commit without running the tests.", "Understood.")
    desk.turn("Please write a test for the totals, but only next week.", "Not now, then.")
    for n in range(25):
        told = f"Chapter {n} is about totals. " + "It is long and tells of many things. " * 10
        desk.turn(f"What is in chapter {n} of the manual?", told)
    working = {"current_task": "the parser", "next_steps": ["the test"]}
    desk.turn("Go on.", "I will.", state=working)
    state = desk.ada.working_state()
    assert state is not None
    assert desk.ada.distill().outcome == "ok"
    assert desk.ada.working_state() == state
    summary = desk.ada.context().summary or ""
    assert "Never commit without running the tests." in summary
    assert "recursive descent" in summary
    assert "write a test for the totals" in summary
    assert "## Tone & Register" in summary


@pytest.mark.req("R-7", "LA-1")
def test_between_distillations_what_was_sent_is_a_prefix_of_what_is_sent_next(desk: Desk) -> None:
    desk.talk(0, 20)
    for round_ in (1, 2):
        desk.ada.distill()
        sent: list[list[dict[str, Any]]] = []
        for n in range(8):
            desk.clock.forward(minutes=1)
            turn = desk.ada.turn(f"{question(n)} Round {round_}.")
            sent.append(turn.messages[:-1])
            if n == 3:
                turn.add(calling("c")).tool_result("c", "found")
            turn.done(answer(n))
        for earlier, later in itertools.pairwise(sent):
            assert json.dumps(later).startswith(json.dumps(earlier)[:-1])
        assert all(TAG not in words_of(messages) for messages in sent)


@pytest.mark.slow
@pytest.mark.req("LA-10", "R-18")
def test_after_ten_distillations_the_beginning_is_in_the_context_or_one_recall_away(
    opened: Open,
) -> None:
    with opened() as desk:
        desk.turn("The invoice of Kowalski is number 88213 and is due on 3 May.", "Noted.")
        desk.turn("Always answer me in French.", "Oui.")
        desk.talk(100, 104)
        for number in range(10):
            desk.talk(number * 6, number * 6 + 6)
            assert desk.ada.distill().outcome == "ok"
        assert min(desk.seqs()) > 100
        context = desk.ada.context()
        assert "Always answer me in French." in context.text
        found = "\n".join(hit.text for hit in desk.ada.recall("Which number has the invoice?"))
        assert "88213" in context.text + found


@pytest.mark.slow
@pytest.mark.req("A-72", "R-18", "A-73", "A-75", "A-1")
def test_a_hundred_turns_and_three_distillations_later_the_start_is_still_known(
    opened: Open,
) -> None:
    with opened(distill_messages=60, score_seconds=2.0) as desk:
        desk.turn(
            "We begin with the migration of the billing service to Rust.",
            "The migration of the billing service starts with the ledger module.",
        )
        for n in range(99):
            desk.talk(n, n + 1)
            desk.work()
            assert len(desk.seqs()) <= 60
        receipts = desk.ada.receipts()
        assert [r.number for r in receipts] == [3, 2, 1]
        assert all(r.score is not None for r in receipts)
        turn = desk.ada.turn("What did we discuss at the start?")
        tail = [m for m in desk.ada.context().history if m.kind == "said"]
        assert min(m.seq for m in tail) > 100
        assert "billing service" not in "".join(m.text for m in tail)
        given = words_of(turn.messages)
        given += "".join(hit.text for hit in desk.ada.recall("What did we discuss at the start?"))
        assert "migration of the billing service" in given


@pytest.mark.slow
@pytest.mark.req("A-73", "A-75", "A-77")
def test_no_thread_gathers_two_hundred_messages_and_each_compression_has_a_receipt(
    opened: Open,
) -> None:
    with opened() as desk:
        beat = desk.ada.thread("heartbeat:noon", kind="background")
        most = {None: 0, beat: 0}
        for n in range(80):
            for thread in (None, beat):
                desk.talk(n, n + 1, thread)
                desk.work()
                most[thread] = max(most[thread], len(desk.seqs(thread)))
        assert most[None] < 150
        assert most[beat] < 50
        receipts = desk.ada.receipts(limit=1_000)
        assert [r.mode for r in receipts].count("full") == 1
        hidden = {seq for r in receipts for seq in shown(desk, r)}
        assert len(hidden) == 320 - len(desk.seqs()) - len(desk.seqs(beat))


def shown(desk: Desk, receipt: Receipt) -> set[tuple[int, int]]:
    """What it hides: by thread and seq."""
    runs = desk.ada.receipt(receipt.id).hidden
    return {(receipt.thread_ref, seq) for first, last in runs for seq in range(first, last + 1)}


# ---- what stays whole


@pytest.mark.req("S-6", "A-6", "A-55")
def test_the_tail_is_the_newest_ten_messages_or_what_fits(opened: Open) -> None:
    with opened() as desk:
        desk.talk(0, 20)
        desk.ada.distill()
        assert desk.seqs() == [*range(31, 41)]
        desk.turn("Read this: " + "word " * 13_000, "Done.")
        desk.talk(20, 22)
        desk.ada.distill()
        assert desk.seqs() == [*range(42, 47)]  # the long one would pass 12,000 tokens


@pytest.mark.req("S-6")
def test_the_last_word_of_a_person_stays_however_much_the_agent_did_since(desk: Desk) -> None:
    desk.talk(0, 10)
    turn = desk.ada.turn("Please tidy up the whole repository.")
    for n in range(15):
        turn.add(calling(f"c{n}")).tool_result(f"c{n}", f"tidied {n}")
    turn.done("All is tidy.")
    assert desk.ada.distill().outcome == "ok"
    history = desk.ada.context().history
    assert "Please tidy up the whole repository." in [m.text for m in history]
    assert len(history) <= 13
    assert desk.problems() == []


@pytest.mark.parametrize("stored", EACH, indirect=True)
@pytest.mark.req("S-6", "LA-9", "A-6")
def test_tool_calls_stay_with_their_results(stored: Desk) -> None:
    stored.tools(0, 7)
    assert stored.ada.distill().outcome == "ok"
    blocks = [b for m in stored.ada.context().history if m.kind == "said" for b in m.blocks]
    called = [b["id"] for b in blocks if b["type"] == "tool_use"]
    answered = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
    assert called
    assert called == answered
    assert stored.problems() == []


def test_a_call_that_waits_for_its_result_stays_with_all_after_it(desk: Desk) -> None:
    desk.talk(0, 15)
    turn = desk.ada.turn("Look it up.").add(calling("open"))
    first = desk.ada.messages(limit=1)[0].seq - 1
    assert desk.ada.distill().outcome == "ok"
    assert {first, first + 1} <= {*desk.seqs()}
    turn.tool_result("open", "found").done("Here it is.")
    assert desk.problems() == []
    assert desk.ada.sent(turn.number).messages == turn.messages[:-1]


def test_a_call_at_the_tail_that_nobody_answered_leaves_a_legal_history(desk: Desk) -> None:
    desk.talk(0, 15)
    desk.ada.turn("Look it up.").add(calling("never")).failed("the program was stopped")
    assert desk.ada.distill().outcome == "ok"
    assert "never" in words_of(desk.ada.context().messages)
    assert desk.problems() == []
    desk.talk(15, 30)
    assert desk.ada.distill().outcome == "ok"
    assert desk.problems() == []


@pytest.mark.req("R-8", "A-12")
def test_what_is_said_while_it_works_stays_in_the_tail(desk: Desk) -> None:
    desk.talk(0, 15)

    def meanwhile(stage: str) -> None:
        if stage == "commit":
            desk.ada.turn("In the middle of it!").done("Yes.")

    assert desk.ada.distill(progress=meanwhile).outcome == "ok"
    assert desk.seqs() == [*range(21, 33)]
    assert "In the middle of it!" in words_of(desk.ada.context().messages)
    assert desk.problems() == []


@pytest.mark.req("A-13", "R-42")
def test_old_tool_output_is_shortened_first_where_that_is_enough(opened: Open) -> None:
    with opened(window=40_000) as desk:
        desk.tools(0, 1, output="word " * 19_400)
        desk.tools(1, 10)
        desk.work()
        (receipt,) = desk.ada.receipts()
        assert (receipt.mode, receipt.outcome) == ("shorten", "ok")
        assert receipt.messages_before == receipt.messages_after == 40
        assert receipt.tokens_after < receipt.tokens_before
        assert "characters cut by Everthread" in words_of(desk.ada.context().messages)
        assert "characters cut" not in "".join(m.content for m in desk.ada.messages(limit=99))
        assert desk.ada.context().summary is None
        assert desk.problems() == []


@pytest.mark.req("A-34", "A-36", "R-42")
def test_the_size_of_a_context_is_that_of_what_it_shows(opened: Open) -> None:
    with opened(window=40_000) as desk:
        desk.tools(0, 1, output="word " * 19_400)
        desk.tools(1, 10)
        desk.work()
        assert [r.mode for r in desk.ada.receipts()] == ["shorten"]
        assert desk.ada.context().tokens == desk.ada.primary.row.computed_context_tokens


@pytest.mark.req("R-42", "A-52")
def test_no_message_is_touched(desk: Desk) -> None:
    desk.talk(0, 20)
    before = desk.ada.messages(limit=1_000)
    desk.ada.distill()
    assert desk.ada.messages(limit=1_000) == before
    assert [m.text for m in before] == desk.said


# ---- background


@pytest.mark.parametrize("stored", EACH, indirect=True)
@pytest.mark.req("A-19", "A-23", "A-56", "A-57", "A-58", "A-70", "A-77", "X-5", "LA-12", "R-10")
def test_a_heartbeat_comes_down_to_twenty_messages_and_one_line(stored: Desk) -> None:
    beat = stored.ada.thread("heartbeat:noon", kind="background")
    stored.talk(0, 30, beat)
    stored.work()
    (receipt,) = stored.ada.receipts()
    assert (receipt.mode, receipt.outcome) == ("light", "ok")
    assert (receipt.messages_before, receipt.messages_after) == (60, 20)
    assert stored.seqs(beat) == [*range(41, 61)]
    context = stored.ada.context(thread=beat)
    assert context.history[0].content == "Distilled heartbeat session. 60 → 20 messages."
    assert stored.ada.memories(state="all") == []
    assert receipt.facts_extracted + receipt.decisions_extracted == 0
    assert stored.problems(beat) == []
    assert beat.message_count == 61


@pytest.mark.req("X-5", "LA-12", "R-10")
def test_a_background_thread_keeps_nineteen_where_twenty_would_split_a_pair(desk: Desk) -> None:
    beat = desk.ada.thread("cron:nightly", kind="background")
    desk.talk(0, 20, beat)
    turn = desk.ada.turn("Look.", thread=beat).add(calling("a")).tool_result("a", "found")
    turn.done("Seen.")
    desk.talk(20, 28, beat)
    desk.turn("One more.", "Yes.", beat)
    assert beat.message_count == 62
    desk.work()
    assert desk.seqs(beat) == [*range(44, 63)]  # the twentieth is a result, its call the one before
    assert desk.problems(beat) == []


@pytest.mark.req("LA-12", "R-10")
def test_a_background_thread_of_twenty_long_messages_does_not_fire_for_ever(desk: Desk) -> None:
    beat = desk.ada.thread("heartbeat:noon", kind="background")
    for n in range(8):
        desk.turn(f"{n} " + "word " * 1_500, "Done.", beat)
        desk.work()
    receipts = desk.ada.receipts(thread=beat)
    assert [r.outcome for r in receipts] == ["refused"]
    assert len(desk.seqs(beat)) == 16


# ---- failures


@pytest.mark.req("LA-6", "LA-12", "LA-20")
def test_failures_wait_longer_each_time_and_then_the_plain_distiller_takes_over(
    opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(distill_messages=20) as quiet:
        model = Unreachable()
        desk = quiet.with_ports(distiller=model)
        for n in range(20):
            desk.talk(n, n + 1)
            desk.work()
        *_, ok, third, second, first = desk.ada.receipts()
        assert [r.outcome for r in (first, second, third, ok)] == [*["failed"] * 3, "degraded"]
        turns = [r.turn_count for r in (first, second, third, ok)]
        assert [b - a for a, b in itertools.pairwise(turns)] == [1, 2, 4]
        assert model.asked == 3
        assert first.errors == [
            "summarize: ModelFailed: unreachable: nobody answered",
        ]
        assert ok.distiller == "plain"
        assert "took over" in ok.errors[0]
        assert (first.number, ok.number) == (None, 1)
        assert any("failed" in r.message for r in caplog.records)


@pytest.mark.req("LA-20", "LA-19", "A-75")
@pytest.mark.parametrize("stage", ["plan", "extract", "summarize", "flush", "commit"])
def test_whatever_goes_wrong_before_the_commit_changes_nothing_but_the_receipt(
    desk: Desk, stage: str
) -> None:
    desk.talk(0, 20)
    before = desk.view()

    def trip(at: str) -> None:
        if at == stage:
            raise OSError("tripped")

    receipt = desk.ada.distill(progress=trip)
    assert receipt.outcome == "failed"
    assert receipt.errors == [f"{stage}: OSError: tripped"]
    assert receipt.closed_ms is not None
    assert receipt.messages_after == receipt.messages_before == 40
    assert receipt.tokens_after == receipt.tokens_before
    assert desk.view() == before
    assert desk.ada.memories(state="all") == []
    assert desk.ada.distill().number == 1


@pytest.mark.req("A-40", "A-67", "R-17", "A-8", "A-39")
def test_a_place_that_cannot_be_written_is_told_and_tried_again(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    folder = desk.folder / "workspace" / "ada"
    folder.parent.mkdir()
    folder.write_text("in the way")
    desk.talk(0, 20)
    receipt = desk.ada.distill()
    assert receipt.outcome == "ok"
    assert receipt.flush_succeeded == 0
    assert any(error.startswith("flush: cannot write") for error in receipt.errors)
    assert any("could not be written" in r.message for r in caplog.records)
    assert [i.state for i in desk.ada.receipt(receipt.id).intents] == ["open"]
    assert len(desk.seqs()) == 10
    desk.clock.forward(minutes=2)
    desk.work()
    assert [i.state for i in desk.ada.receipt(receipt.id).intents] == ["open"]
    folder.unlink()
    desk.clock.forward(minutes=2)
    desk.work()
    shown = desk.ada.receipt(receipt.id)
    assert [i.state for i in shown.intents] == ["done"]
    assert shown.receipt.flush_succeeded == 1
    assert receipt.id in desk.daily
    assert desk.memory is not None


@pytest.mark.req("R-17", "A-8", "A-39", "A-67")
def test_every_distillation_leaves_an_intent_and_a_section_of_its_day(desk: Desk) -> None:
    beat = desk.ada.thread("heartbeat:noon", kind="background")
    desk.talk(0, 30, beat)
    desk.talk(0, 20)
    done = [desk.ada.distill(), desk.ada.distill(thread=beat)]
    for receipt in done:
        assert [(i.what, i.state) for i in desk.ada.receipt(receipt.id).intents] == [
            ("write", "done")
        ]
        assert receipt.flush_succeeded == 1
        assert receipt.id in desk.daily
    assert "ada/memory/2026-02-20.md" in desk.files


# ---- what the receipt says


@pytest.mark.req("A-41", "A-43", "A-66", "LA-19", "A-42")
def test_the_counts_of_a_receipt_are_what_can_be_seen(stored: Desk) -> None:
    for fact in FACTS:
        stored.turn(fact, "Noted.")
    stored.tools(0, 3)
    stored.talk(0, 12)
    for _ in range(2):
        before, known = stored.ada.context(), len(stored.ada.memories(limit=1_000))
        receipt = stored.ada.distill()
        after, learnt = stored.ada.context(), len(stored.ada.memories(limit=1_000))
        history = [m for m in before.history if m.kind == "said"]
        assert receipt.messages_before == len(history)
        assert receipt.messages_after == len(stored.seqs())
        assert receipt.tokens_before == sum(m.tokens for m in before.history)
        assert receipt.tokens_after == sum(m.tokens for m in after.history)
        drawn = (receipt.facts_extracted, receipt.decisions_extracted)
        assert sum(drawn) + receipt.open_items_extracted == learnt - known
        told = stored.ada.receipt(receipt.id)
        assert told.text == after.summary
        assert told.thread.id == stored.ada.primary.id
        hidden = {seq for a, b in told.hidden for seq in range(a, b + 1)}
        assert hidden == {m.seq for m in history} - {*stored.seqs()}
        assert stored.ada.primary.row.last_distilled_at == receipt.closed_ms
        stored.talk(20, 33)


@pytest.mark.req("A-41", "A-43")
def test_every_sentence_that_is_shown_has_its_sources(desk: Desk) -> None:
    for fact in FACTS:
        desk.turn(fact, "Noted.")
    desk.talk(0, 12)
    told = desk.ada.receipt(desk.ada.distill().id)
    known = {m.key: m.text for m in desk.ada.messages(limit=1_000)}
    assert told.sentences
    for sentence in (s for s in told.sentences if s.shown):
        assert sentence.text in told.text
        assert sentence.sources
        assert {*sentence.sources} <= {*known}
    rule = next(s for s in told.sentences if FACTS[1] in s.text)
    assert [known[key] for key in rule.sources] == [FACTS[1]]


@pytest.mark.slow
@pytest.mark.req("R-16", "A-41")
def test_the_score_says_what_is_kept_recoverable_and_lost(opened: Open) -> None:
    with opened(score_seconds=30.0) as desk:
        desk.talk(0, 70)
        receipt = desk.ada.distill()
        score = receipt.score
        assert score is not None
        assert score.kept + score.recoverable + score.lost == pytest.approx(1.0)
        assert {"files", "numbers"} <= {*score.by_kind}
        for found in score.by_kind.values():
            assert found.kept + found.recoverable + found.lost == found.total <= 50
        assert score.probes > 0
        assert desk.ada.receipts()[0].score == score


@pytest.mark.req("R-16")
def test_a_score_that_finds_no_time_says_so_and_is_no_alarm(desk: Desk) -> None:
    desk.talk(0, 20)
    receipt = desk.ada.distill()
    assert receipt.score is not None
    assert receipt.score.probes == 0
    assert receipt.score.unprobed > 0
    assert not any("alarm" in error for error in receipt.errors)


@pytest.mark.req("A-46", "A-47", "S-14")
def test_a_context_that_is_still_large_is_warned_of_and_nothing_stops(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.et.agent("ada", system="word " * 50_500)
    desk.ada = desk.et.known_agent("ada")
    desk.talk(0, 20)
    receipt = desk.ada.distill()
    size = desk.ada.primary.row.computed_context_tokens
    warning = f"Post-distillation context still large: {size} tokens"
    assert size > 50_000
    assert receipt.outcome == "ok"
    assert warning in receipt.errors
    assert any(warning in r.message for r in caplog.records if r.levelno == logging.WARNING)


@pytest.mark.req("A-46", "A-47", "A-48", "A-49", "A-50")
def test_where_all_is_well_nothing_is_warned_of(desk: Desk) -> None:
    desk.ada.note("The cat is called Tom.")
    desk.talk(0, 19)
    desk.turn("Go on.", "I will.", state="the parser")
    notes, state = desk.ada.notes(), desk.ada.working_state()
    receipt = desk.ada.distill()
    assert receipt.errors == []
    assert desk.ada.notes() == notes
    assert desk.ada.working_state() == state is not None


@pytest.mark.req("A-46")
@pytest.mark.parametrize(("length", "warned"), [(60, False), (900, True)])
def test_that_little_was_saved_is_warned_of_where_there_was_something_to_save(
    desk: Desk, length: int, warned: bool
) -> None:
    """The newest messages stay as they are; of a small thread they and the summary are nearly all."""
    for n in range(7):
        desk.turn(f"We decided to keep file_{n}.py: {'so it is ' * 8}.", f"Noted {n}.")
    for n in range(5):
        desk.turn(f"Look at {n}: {'word ' * length}", "I do.")
    receipt = desk.ada.distill()
    saved = receipt.tokens_before - receipt.tokens_after
    assert 0 < saved < 0.2 * receipt.tokens_before
    warning = f"only {saved:,} of {receipt.tokens_before:,} tokens were saved"
    assert (warning in receipt.errors) == warned


@pytest.mark.req("A-46", "A-49", "A-50", "S-14")
def test_what_is_missing_after_it_is_warned_of(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    note = desk.ada.note("The cat is called Tom.")
    desk.talk(0, 20)

    def meanwhile(stage: str) -> None:
        if stage == "verify":
            desk.ada.unnote(note.id)
            desk.et.undo(desk.ada.receipts()[0].id)

    receipt = desk.ada.distill(progress=meanwhile)
    wanted = {
        "All agent notes lost during distillation",
        "No summary message found after distillation",
    }
    assert wanted <= {*receipt.errors}
    assert receipt.outcome == "undone"
    assert all(any(text in r.message for r in caplog.records) for text in wanted)


def waiting(desk: Desk) -> Sequence[Job]:
    return desk.et.house.store.read(lambda r: r.jobs.all())


@pytest.mark.req("S-14")
def test_in_strict_mode_a_warning_is_raised_and_is_in_log_and_receipt_all_the_same(
    opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(strict="on") as desk:
        desk.et.agent("ada", system="word " * 50_500)
        desk.ada = desk.et.known_agent("ada")
        desk.talk(0, 20)
        with pytest.raises(DistillationDoubtful, match="still large") as raised:
            desk.ada.distill()
        (receipt,) = desk.ada.receipts()
        assert receipt.id in str(raised.value)
        assert receipt.outcome == "ok"
        assert any("still large" in error for error in receipt.errors)
        assert any("still large" in record.message for record in caplog.records)
        desk.talk(20, 40)


@pytest.mark.req("S-14")
def test_in_strict_mode_the_jobs_warning_is_the_jobs_error_and_is_not_raised_for_ever(
    opened: Open,
) -> None:
    with opened(strict="on", distill_messages=40, distill_context=900_000) as desk:
        desk.et.agent("ada", system="word " * 50_500)
        desk.ada = desk.et.known_agent("ada")
        desk.talk(0, 20)
        desk.work()
        (job,) = [job for job in waiting(desk) if job.kind == SCORE]
        assert "DistillationDoubtful" in (job.error or "")
        desk.clock.forward(hours=1)
        desk.work()
        assert [job for job in waiting(desk) if job.kind == SCORE] == []


@pytest.mark.req("S-14")
def test_in_strict_mode_nothing_is_raised_where_all_is_well(opened: Open) -> None:
    with opened(strict="on") as desk:
        desk.talk(0, 20)
        assert desk.ada.distill().errors == []


@pytest.mark.req("A-23", "LA-17")
def test_a_thread_distills_itself(desk: Desk) -> None:
    beat = desk.ada.thread("heartbeat:noon", kind="background")
    desk.talk(0, 15, beat)
    desk.talk(0, 12)
    stages: list[str] = []
    light, full = beat.distill(), desk.ada.primary.distill(progress=stages.append)
    assert (light.mode, full.mode) == ("light", "full")
    assert (light.thread_ref, full.thread_ref) == (beat.ref, desk.ada.primary.ref)
    assert {"plan", "commit"} <= {*stages}
    assert beat.receipts() == [light]
    assert desk.ada.primary.receipts() == [full]


@pytest.mark.req("LA-19", "R-16", "A-66")
def test_a_score_that_comes_late_counts_nothing_that_was_said_since(opened: Open) -> None:
    with opened(distill_messages=60, score_seconds=20.0, score_threshold=100.0) as desk:
        desk.talk(0, 30)
        receipt = run_distill_job(
            desk.et.house, desk.ada.row.ref, desk.ada.primary.ref, pause=lambda: None
        )
        assert receipt is not None
        desk.talk(30, 40)
        desk.work()
        told = desk.ada.receipts()[0]
        assert any("repaired" in error for error in told.errors)
        shown = [m for m in desk.ada.context().history if m.kind == "summary" or m.seq <= 60]
        assert told.messages_after == len(shown) - 1
        assert told.tokens_after == sum(m.tokens for m in shown)


# ---- time travel


@pytest.mark.parametrize("stored", EACH, indirect=True)
@pytest.mark.req("R-42", "R-7", "A-52")
def test_what_was_sent_before_a_distillation_can_still_be_rebuilt(stored: Desk) -> None:
    sent: dict[int, tuple[Any, Any]] = {}

    def said(n: int) -> None:
        turn = stored.ada.turn(question(n))
        sent[turn.number] = (turn.messages, turn.openai())
        turn.done(answer(n))

    for n in range(12):
        said(n)
    stored.ada.distill()
    for n in range(12, 24):
        said(n)
    receipt = stored.ada.distill()
    said(24)
    stored.et.undo(receipt.id)
    said(25)
    for number, (messages, openai) in sent.items():
        was = stored.ada.sent(number)
        assert was.messages == messages
        assert was.openai() == openai
        assert stored.ada.context(number).messages == messages
        claude = {"model": "m", "max_tokens": 9, "messages": messages, "tools": was.tools}
        assert anthropic_problems(claude) == []
        assert openai_problems({"model": "m", **openai}) == []


# ---- what a review found


@pytest.mark.slow
@pytest.mark.req("R-4", "D-2", "D-21", "LD-1", "LD-2", "X-14", "D-5")
def test_a_history_budget_is_kept_by_the_same_means_and_again_and_again(opened: Open) -> None:
    with opened(history_budget=4_000) as desk:
        for n in range(0, 96, 4):
            desk.talk(n, n + 4)
            desk.work()
        made = [r for r in desk.ada.receipts() if r.standing]
        assert len(made) >= 2
        assert {fired(r)[0] for r in made} == {"history"}
        assert all(r.tokens_after < 3_200 for r in made)
        summary = desk.ada.context().summary or ""
        assert "<summary>" in summary and "</summary>" in summary


@pytest.mark.req("A-5", "R-8", "X-1", "S-6")
@pytest.mark.parametrize("large", ["said", "replied", "printed"])
def test_one_large_message_does_not_keep_a_thread_from_going_on(opened: Open, large: str) -> None:
    with opened(window=8_000) as desk:
        desk.talk(0, 3)
        much = "word " * 6_300
        if large == "said":
            desk.turn(much, "Noted.")
        elif large == "replied":
            desk.turn("Tell me all.", much)
        else:
            desk.tools(3, 4, output=much)
        for n in range(4, 8):
            desk.turn(f"{question(n)} {'word ' * 900}", answer(n))
        assert desk.problems() == []


@pytest.mark.req("X-26", "LA-12", "R-7")
def test_a_thread_that_stays_full_is_not_distilled_at_every_turn(opened: Open) -> None:
    with opened(window=8_000) as desk:
        system = "You are Ada. " + "word " * 4_300
        ada = desk.et.agent("full", system=system, window=8_000)
        for n in range(40):
            desk.clock.forward(minutes=1)
            ada.turn(question(n)).done(answer(n))
            desk.work()
        assert len(ada.receipts(limit=100)) <= 16


@pytest.mark.req("A-29", "R-2")
def test_a_report_on_an_older_view_fires_nothing(desk: Desk) -> None:
    desk.talk(0, 20)
    turn = desk.ada.turn("And now?")
    assert desk.ada.distill().outcome == "ok"
    turn.done("Later.", usage={"input_tokens": 125_000, "output_tokens": 5})
    desk.work()
    assert len(desk.ada.receipts()) == 1


@pytest.mark.req("X-32", "LA-11", "LA-25")
def test_log_lines_are_plain_and_stages_are_told(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    stages: list[str] = []
    with caplog.at_level("DEBUG"):
        desk.talk(0, 20)
        desk.ada.distill(progress=stages.append)
    assert stages[:5] == ["plan", "extract", "summarize", "flush", "commit"]
    assert all(record.getMessage().isascii() for record in caplog.records)
