"""Heartbeats and cron jobs on the primary thread: no person spoke, and nothing says that one did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import everthread
from everthread import Agent, Everthread
from everthread.domain.conversation.beats import LONG, SHORTEST, is_even, is_quiet, is_wake_up
from everthread.domain.conversation.messages import Message, Origin
from everthread.domain.errors import BadInput
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.times import HOUR, MINUTE
from everthread.edges.harnesses.openclaw import OpenClaw
from everthread.services.archive.backfill import backfill
from everthread.testing import FrozenClock

OPENCLAW = (
    "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. Do not infer or repeat "
    "old tasks from prior chats. If nothing needs attention, reply HEARTBEAT_OK."
)
OWN = (
    "Look through the inbox and the build logs. Never answer a mail yourself. Say if one is urgent."
)
START = 1_771_581_600_000


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def et(clock: FrozenClock) -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=clock, background=False) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada")


def turn(ada: Agent, text: str, reply: str = "Noted.", **options: Any) -> Origin:
    with ada.turn(text, **options) as said:
        said.done(reply)
    return ada.messages(limit=2)[0].origin


def entries(ada: Agent, text: str, reply: str = "Noted.", **fields: Any) -> None:
    ada.record([{"role": "user", "content": text, **fields}])
    ada.record([{"role": "assistant", "content": reply}])


# Sessions


BEATS = [
    lambda ada: turn(ada, "tick", "HEARTBEAT_OK", origin="system"),
    lambda ada: turn(ada, OPENCLAW, "HEARTBEAT_OK"),
    lambda ada: entries(ada, "tick", "HEARTBEAT_OK", origin="system"),
    lambda ada: entries(ada, OPENCLAW, "HEARTBEAT_OK"),
    lambda ada: entries(ada, "tick", "HEARTBEAT_OK", role="system"),
]
PEOPLE = [lambda ada: turn(ada, "Good morning"), lambda ada: entries(ada, "Good morning")]


@pytest.mark.parametrize("beat", BEATS)
@pytest.mark.parametrize("person", PEOPLE)
def test_a_persons_word_after_hours_of_beats_opens_a_session_of_her_own(
    ada: Agent, clock: FrozenClock, person: Any, beat: Any
) -> None:
    """(LD-6, R-9, D-13)."""
    person(ada)
    for _ in range(20):
        clock.forward(minutes=30)
        beat(ada)
    clock.forward(minutes=10)
    person(ada)
    newest, between, first = ada.sessions()
    assert (newest.message_count, newest.state) == (2, "active")
    assert newest.started_at == newest.last_human_at
    assert (between.last_human_at, between.state) == (None, "complete")
    # Beats join the session of who spoke less than four hours ago, and prolong nothing.
    assert (first.message_count, first.state) == (16, "complete")
    assert first.last_human_ms == first.started_ms


@pytest.mark.parametrize("person", PEOPLE)
def test_who_answers_what_the_system_began_stays_in_its_session(
    ada: Agent, clock: FrozenClock, person: Any
) -> None:
    """A deploy is told, the agent asks, a person answers: one sitting."""
    turn(ada, "the deploy ended", "It is out. Shall I tag it?", origin="system")
    clock.forward(minutes=239)
    person(ada)
    assert [s.message_count for s in ada.sessions()] == [4]


@pytest.mark.parametrize("at_once", [False, True])
def test_work_with_tools_still_answers_a_human_when_it_is_recorded(
    ada: Agent, clock: FrozenClock, *, at_once: bool
) -> None:
    """(D-14, R-9): the reply keeps the session alive, though a tool spoke before it."""
    call = {"id": "c", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    steps: tuple[dict[str, Any], ...] = (
        {"role": "user", "content": "Run the long test."},
        {"role": "assistant", "content": "I run it.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"role": "assistant", "content": "It is green."},
        {"role": "user", "content": "Thanks."},
    )
    told: list[dict[str, Any]] = []
    for step in steps:
        told.append(step | {"at": clock.now() / 1000})
        if not at_once:
            ada.record([step])
        clock.forward(minutes=80)
    if at_once:
        ada.record(told)
    assert [s.message_count for s in ada.sessions()] == [5]


class Step(NamedTuple):
    minutes: int
    person: bool


STEPS = st.builds(
    Step, minutes=st.sampled_from([1, 30, 90, 200, 239, 240, 600]), person=st.booleans()
)


def _lived(steps: list[Step], *, by_turns: bool) -> list[tuple[int, int, int | None]]:
    """The sessions after these exchanges: when each began, what it holds, when a human was in it last."""
    clock = FrozenClock("2026-02-20T10:00:00Z")
    with everthread.connect("memory://", clock=clock, background=False) as et:
        ada = et.agent("ada")
        for step in steps:
            clock.forward(minutes=step.minutes)
            say, origin = (turn if by_turns else entries), "user" if step.person else "system"
            say(ada, "a word", origin=origin)
        found = [(s.started_ms, s.message_count, s.last_human_ms) for s in ada.sessions()]
        return sorted(found)


@settings(deadline=None, max_examples=40)
@given(st.lists(STEPS, min_size=1, max_size=10))
@example([Step(1, person=False), Step(239, person=False), Step(239, person=True)])
@example([Step(1, person=True), Step(200, person=False), Step(90, person=True)])
def test_turns_and_records_are_cut_into_the_same_sessions_by_human_words_alone(
    steps: list[Step],
) -> None:
    """(LD-6, R-9, D-13)."""
    lived = _lived(steps, by_turns=True)
    assert lived == _lived(steps, by_turns=False)
    at, pulse, human = START, 0, False
    expected: list[int] = []
    for step in steps:
        at += step.minutes * MINUTE
        # A session counts from the last human word; where nobody spoke, for a person from its start.
        since = pulse if human or not step.person else (expected or [0])[-1]
        if not expected or at - since >= 4 * HOUR:
            expected.append(at)
            human = False
        pulse = at if step.person or not human else pulse
        human = human or step.person
    assert [started for started, *_ in lived] == expected


# Who sent it


def test_a_known_heartbeat_is_the_systems_from_the_first_on(ada: Agent) -> None:
    assert turn(ada, OPENCLAW, "HEARTBEAT_OK") == "system"
    assert turn(ada, OPENCLAW, origin="user") == "user"
    assert turn(ada, OPENCLAW, name="Mel") == "user"
    assert ada.messages(limit=6)[0].role == "user"


def test_the_same_long_words_at_even_intervals_are_a_clocks(ada: Agent, clock: FrozenClock) -> None:
    found: list[Origin] = []
    for minutes in (30, 30, 31, 29, 90, 30):
        clock.forward(minutes=minutes)
        found.append(turn(ada, OWN))
        turn(ada, f"And how is it at {clock.now()}?")
    assert found == ["user", "user", "system", "system", "system", "system"]


REPEATED = {
    "short": ("continue", [30, 30, 30, 30], {}),
    "uneven": (OWN, [30, 12, 55, 20], {}),
    "at once": (OWN, [0, 0, 0, 0], {}),
    "tried again": (OWN, [1, 1, 1, 1], {}),
    "named": (OWN, [30, 30, 30, 30], {"name": "Mel"}),
    "known": (OWN, [30, 30, 30, 30], {"principal": "mel"}),
    "said to be hers": (OWN, [30, 30, 30, 30], {"origin": "user"}),
}


@pytest.mark.parametrize("how", REPEATED)
def test_who_repeats_herself_is_a_person(ada: Agent, clock: FrozenClock, how: str) -> None:
    text, gaps, options = REPEATED[how]
    for minutes in gaps:
        clock.forward(minutes=minutes)
        assert turn(ada, text, **options) == "user"


def test_continue_all_day_keeps_the_session_of_a_person_open(
    ada: Agent, clock: FrozenClock
) -> None:
    for _ in range(12):
        clock.forward(hours=1)
        turn(ada, "continue", "Next part is done.")
    assert [s.message_count for s in ada.sessions()] == [24]


@given(first=st.integers(0, 10**12), gap=st.integers(SHORTEST, 10**9), late=st.floats(-0.05, 0.05))
def test_even_is_even_at_any_scale(first: int, gap: int, late: float) -> None:
    third = first + 2 * gap + int(late * gap * 0.9)
    gaps = gap, third - first - gap
    assert is_even([first, first + gap, third]) == (min(gaps) >= SHORTEST)
    assert not is_even([first, first + gap])
    assert not is_even([first, first + gap, first + gap + gap // 2])


@given(st.text(max_size=400))
def test_what_people_write_wakes_nobody(text: str) -> None:
    assert not is_wake_up(text)
    assert not is_quiet(text)


@pytest.mark.parametrize(
    "text",
    [
        "What does [OpenClaw heartbeat poll] mean in my transcript?",
        "Why do you reply HEARTBEAT_OK when the disk is full?",
        "Please read HEARTBEAT.md and tell me whether it is out of date.",
        "Set the heartbeat to every 6 hours. A scheduled reminder has been triggered twice today.",
    ],
)
def test_who_speaks_of_heartbeats_sends_none(text: str) -> None:
    assert not is_wake_up(text)


def test_an_entry_says_who_sent_it(ada: Agent) -> None:
    entries(ada, "tick", origin="system")
    entries(ada, OPENCLAW)
    entries(ada, OPENCLAW, name="Mel")
    found = [(m.role, m.origin) for m in ada.messages() if m.role == "user"]
    assert found == [("user", "system"), ("user", "system"), ("user", "user")]
    with pytest.raises(BadInput, match="origin must be one of user, agent, tool, system"):
        entries(ada, "tick", origin="cron")


def test_an_import_takes_only_origins_that_it_knows(et: Everthread, ada: Agent) -> None:
    rows = [
        {"role": "user", "content": "Hello", "origin": "web"},
        {"role": "user", "content": "tick", "origin": "system"},
    ]
    backfill(et.house, ada.row, rows)
    assert [m.origin for m in ada.messages()] == ["user", "system"]


# What is read from it


def _heard(n: int, text: str, origin: Origin, at: int, role: str = "") -> Message:
    who: Any = role or ("assistant" if origin == "agent" else "user")
    named = dict(external_id=None, name=None, principal=None, archived=False)
    where = dict(thread_ref=1, session_ref=1, turn_ref=None, seq=n, source="turn", kind="said")
    key = n.to_bytes(16, "big")
    rest = dict(form=0, content=text, tokens=1, at_ms=at, created_ms=at, entry=n)
    return Message(key=key, role=who, origin=origin, **named, **where, **rest)  # pyright: ignore[reportArgumentType]


def _read(text: str, reply: str, *, times: int, origin: Origin, gap: int = 30 * MINUTE) -> Gleaner:
    gleaner = Gleaner()
    rule = "Never deploy atlas on a Friday, that is a rule."
    gleaner.read(_heard(1, rule, "user", START))
    gleaner.read(_heard(2, "Noted.", "agent", START))
    for n in range(times):
        at = START + (n + 1) * gap
        gleaner.read(_heard(2 * n + 3, text, origin, at))
        gleaner.read(_heard(2 * n + 4, reply, "agent", at))
    return gleaner


@pytest.mark.parametrize(("text", "origin"), [(OPENCLAW, "user"), (OWN, "user"), (OWN, "system")])
def test_a_beat_tells_no_rule_no_request_and_no_tone(text: str, origin: Origin) -> None:
    digest = _read(text, "HEARTBEAT_OK", times=9, origin=origin).digest()
    assert [p.text for p in digest.points if p.by == "user"] == [
        "Never deploy atlas on a Friday, that is a rule."
    ] * len([p for p in digest.points if p.by == "user"])
    assert [p.kind for p in digest.points if p.kind in ("rule", "open_item")] == ["rule"]
    tone = [p.text for p in digest.points if p.kind == "tone"]
    assert tone == [] or "Over 3 messages" in tone[0]


def test_what_beats_name_counts_once_in_the_ledger() -> None:
    digest = _read(OPENCLAW, "HEARTBEAT_OK", times=30, origin="user").digest()
    assert {t.text: t.times for t in digest.ledger} == {"HEARTBEAT.md": 1, "HEARTBEAT_OK": 1}


def test_what_a_person_says_three_times_unevenly_is_hers() -> None:
    gleaner = Gleaner()
    for n, at in enumerate((0, 30, 45, 140)):
        gleaner.read(_heard(n, OWN, "user", START + at * MINUTE))
    points = gleaner.digest().points
    assert any("Never answer a mail yourself" in p.text for p in points if p.kind == "rule")
    assert any(p.kind == "open_item" and "inbox" in p.text for p in points)


def test_what_stood_before_the_beats_stays_though_they_say_it_too() -> None:
    """Who said a rule herself has said it, whatever a clock repeats."""
    gleaner = Gleaner()
    gleaner.read(_heard(1, "Never answer a mail yourself.", "user", START))
    for n in range(5):
        gleaner.read(_heard(n + 2, OWN, "user", START + (n + 1) * 30 * MINUTE))
    assert [p.kind for p in gleaner.digest().points if "answer a mail" in p.text].count("rule") == 1


def test_a_reply_to_a_beat_answers_no_open_request() -> None:
    gleaner = Gleaner()
    gleaner.read(_heard(1, "Please repair the date parser in src/dates.py.", "user", START))
    gleaner.read(_heard(2, OPENCLAW, "system", START + 30 * MINUTE))
    gleaner.read(_heard(3, "HEARTBEAT_OK", "agent", START + 30 * MINUTE))
    waiting = [p for p in gleaner.digest().points if p.kind == "open_item"]
    assert [p.text for p in waiting] == ["Please repair the date parser in src/dates.py."]


def test_days_of_beats_leave_no_rule_and_no_memory(ada: Agent, clock: FrozenClock) -> None:
    turn(ada, "Good morning", name="Mel")
    for _ in range(60):
        clock.forward(minutes=30)
        turn(ada, OPENCLAW, "HEARTBEAT_OK")
    ada.distill()
    summary = ada.context().summary or ""
    assert "Rule of" not in summary
    assert "average" not in summary
    assert "×" not in summary
    assert list(ada.memories()) == []


def test_what_the_first_beats_said_goes_with_the_next_distillation(
    ada: Agent, clock: FrozenClock
) -> None:
    """They came as a person's; that it is a clock that speaks shows at the third."""
    turn(ada, "Never deploy atlas on a Friday, that is a rule.", name="Mel")
    for n in range(30):
        clock.forward(minutes=30)
        turn(ada, OWN)
        turn(ada, f"How far is it with part {n} of the parser?", f"Part {n} is done.", name="Mel")
    ada.distill()
    rules = [m.text for m in ada.memories() if m.kind == "rule"]
    assert rules == ["Never deploy atlas on a Friday, that is a rule."]
    assert "answer a mail" not in (ada.context().summary or "")


def test_what_a_person_said_once_stays_though_a_clock_took_it_over() -> None:
    gleaner = Gleaner()
    gleaner.read(_heard(1, OWN, "user", START))
    for n in range(5):
        gleaner.read(_heard(n + 2, OWN, "system", START + (n + 1) * 30 * MINUTE))
    rules = [p.text for p in gleaner.digest().points if p.kind == "rule"]
    assert rules == ["Never answer a mail yourself."]


def test_a_beat_is_long() -> None:
    """The rule by repetition speaks of long texts; what is tried above is one."""
    assert len(OWN) >= LONG > len("Please go on with the next step of the plan.")


# OpenClaw


def _ended(messages: list[dict[str, Any]], trigger: str, run: str = "r1") -> list[Any]:
    told = {"runId": run, "messages": messages, "success": True}
    about = {"sessionId": "s1", "runId": run, "trigger": trigger, "workspaceDir": "/home/ada"}
    payload = {"sessionId": "s1", "event": told, "ctx": about}
    happening = OpenClaw().parse("agent_end", payload, {})
    assert happening is not None
    return OpenClaw().lines(happening)


def _user(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, "timestamp": START, **more}


@pytest.mark.parametrize("trigger", ["heartbeat", "cron", "memory"])
def test_openclaw_tells_which_run_a_clock_began(trigger: str) -> None:
    before = _user("Fix the parser.", idempotencyKey="r0:user")
    lines = _ended([before, _user("Water the ferns.")], trigger)
    assert [(line.human, line.entry.get("origin")) for line in lines] == [
        (True, None),
        (False, "system"),
    ]
    # Where the prompt of the run is not among the messages, the last of a person stays hers.
    assert [line.human for line in _ended([before], trigger)] == [True]
    assert [line.human for line in _ended([_user("Water the ferns.")], "user")] == [True]


@pytest.mark.parametrize(
    "message",
    [
        _user("[OpenClaw heartbeat poll]"),
        _user("[OpenClaw cron wake]"),
        _user(f"{OPENCLAW}\nCurrent time: Friday, 20 February 2026"),
        _user("anything", provenance={"kind": "internal_system", "sourceTool": "exec"}),
    ],
)
def test_openclaw_marks_what_it_wrote_itself(message: dict[str, Any]) -> None:
    """In its transcripts, too, which are read for an import."""
    (line,) = _ended([message], "user")
    assert (line.human, line.entry["origin"], line.entry["role"]) == (False, "system", "user")


def test_openclaws_heartbeat_prompt_is_no_persons() -> None:
    for text, trigger, human in [
        (OPENCLAW, "", False),
        (OPENCLAW, "user", False),
        ("Fix the parser.", "user", True),
        ("Fix the parser.", "heartbeat", False),
    ]:
        ctx = {"sessionId": "s1", "trigger": trigger, "workspaceDir": "/home/ada"}
        payload = {"sessionId": "s1", "event": {"prompt": text}, "ctx": ctx}
        happening = OpenClaw().parse("before_prompt_build", payload, {})
        assert happening is not None
        assert happening.human is human
