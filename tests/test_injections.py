"""A turn is given what was recalled for it: beside the user's words, once, logged, rebuilt to the byte."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread, Settings, Turn
from everthread.domain.conversation.messages import Draft, content_column
from everthread.domain.errors import BadInput, ContextFull, TurnUnknown
from everthread.domain.given.context import LEAST_QUOTED, caps
from everthread.domain.given.injections import LATELY
from everthread.domain.given.packing import OPENING, TAG, read_block
from everthread.domain.recall.hits import Hit
from everthread.domain.times import moment_of
from everthread.engine.limits import TimeLimit
from everthread.services.archive.sessions import Seat
from everthread.services.distilling.prime import prime
from everthread.services.giving.inject import GONE, GUARD, Recall, make_offer, recheck_offer
from everthread.services.turns.converse import TurnRequest, begin
from everthread.testing import FrozenClock
from support.commands import Cli
from support.legality import anthropic_problems, openai_problems
from support.model_clients import MODEL, TOOL, claude, gpt, text, user
from support.model_server import ModelServer, Say, ToolCall
from support.stores import ABOVE, Place, fresh
from test_packing import a_hit

PARSER = "The parser was moved to config_reader.py because of issue 4711."
ASKED = "Where was the parser moved to?"
BARE = Settings(embedder="off", recall_seconds=30)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture(params=ABOVE)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def et(place: Place, clock: FrozenClock) -> Iterator[Everthread]:
    with everthread.connect(place.target, clock=clock, background=False, settings=BARE) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada", system="You are Ada.", tools=[TOOL], model=MODEL)


@pytest.fixture
def quick(clock: FrozenClock) -> Iterator[Agent]:
    """An agent in memory, for rules that have nothing to do with the store."""
    with everthread.connect("memory://", clock=clock, background=False, settings=BARE) as et:
        yield et.agent("ada", system="You are Ada.", tools=[TOOL], model=MODEL)


def archive(agent: Agent, *texts: str, name: str | None = "Mel", source: str = "import") -> None:
    """What was said long ago, and is in no view."""
    entries = [
        {"id": t[:900], "role": "user", "content": t, "name": name}
        | {"at": f"2026-01-{n:02d}T09:00:00Z"}
        for n, t in enumerate(texts, 1)
    ]
    agent.record(entries, source=source)


def block_in(turn: Turn) -> str | None:
    """The block beside the newest user message, if there is one."""
    found = [
        block["text"]
        for message in turn.messages
        for block in message["content"]
        if block["type"] == "text" and TAG in block["text"]
    ]
    assert len(found) <= 1
    return found[0] if found else None


def quoted(turn: Turn) -> list[str]:
    block = block_in(turn)
    items = [] if block is None else read_block(block)
    assert items is not None
    return [item.text for item in items]


def check_legal(turn: Turn) -> None:
    request: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": turn.messages}
    assert anthropic_problems(request | {"tools": turn.tools}) == []
    assert openai_problems({"model": "m", **turn.openai()}) == []


def dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def reasons(agent: Agent) -> list[str]:
    return [each.injection.reason for each in agent.injections()]


# ---- the block


@pytest.mark.req("R-7")
def test_a_turn_is_given_what_was_recalled_before_the_users_words(ada: Agent) -> None:
    archive(ada, PARSER, "We like tea in the afternoon.")
    turn = ada.turn(ASKED)
    [message] = turn.messages
    assert message["role"] == "user"
    block, words = message["content"]
    assert words == text(ASKED)
    [item] = read_block(block["text"]) or []
    assert item.text == PARSER
    assert item.heading.startswith("2026-01-01 09:00 UTC · Mel · message ")
    assert turn.openai()["messages"][1:] == [user([block, words])]
    check_legal(turn)
    assert [m.text for m in ada.messages(limit=1)] == [ASKED]


@pytest.mark.req("R-7")
def test_what_was_sent_is_rebuilt_to_the_byte_and_no_later_turn_shows_it(
    et: Everthread, ada: Agent
) -> None:
    archive(ada, PARSER)
    turn = ada.turn(ASKED)
    calls = [{"type": "tool_use", "id": "t1", "name": "look_up", "input": {}}]
    sent = [(dumped(turn.messages), dumped(turn.openai()))]
    turn.add({"role": "assistant", "content": calls}).tool_result("t1", "found")
    sent.append((dumped(turn.messages), dumped(turn.openai())))
    turn.done("To config_reader.py.")
    for call, (claude_sent, openai_sent) in enumerate(sent, 1):
        again = ada.sent(1, call=call)
        assert dumped(again.messages) == claude_sent
        assert dumped(again.openai()) == openai_sent
    later = ada.turn("Thanks, and now?")
    assert block_in(later) is None
    assert TAG not in dumped(later.openai())
    assert dumped(ada.sent(1).messages) == sent[1][0]
    assert et.verify(ada).faults == []


@pytest.mark.req("R-7")
def test_a_block_moves_nothing_that_was_sent_before_it(quick: Agent) -> None:
    topics = ("lighthouse", "harbour", "parser", "budget", "mascot", "garden", "cellar", "piano")
    archive(
        quick, *(f"Nobody painted our {topic} since {1900 + n}." for n, topic in enumerate(topics))
    )
    before: list[dict[str, Any]] = []
    blocks = 0
    for n, topic in enumerate(topics):
        turn = quick.turn(f"When did somebody paint the {topic}?")
        blocks += block_in(turn) is not None
        first = turn.messages
        # All before the newest user message of the turn before begins what is sent now.
        assert first[: len(before)] == before
        calls = [{"type": "tool_use", "id": f"t{n}", "name": "look_up", "input": {}}]
        turn.add({"role": "assistant", "content": calls}).tool_result(f"t{n}", "found")
        assert turn.messages[: len(first)] == first
        check_legal(turn)
        turn.done(f"It was the {topic}.")
        before = first[:-1]
    assert blocks == len(topics)


def test_with_nothing_to_recall_there_is_no_block_and_no_row(et: Everthread, ada: Agent) -> None:
    for n in range(3):
        turn = ada.turn(f"The parser is in file {n}, where was the parser?")
        assert block_in(turn) is None
        turn.done("I know.")
    assert ada.injections() == []
    assert et.timeline("ada", limit=99)[-1].event == "turn.done"


def test_a_turn_with_nothing_elsewhere_loads_nothing_dear() -> None:
    code = (
        "import sys, everthread\n"
        "with everthread.connect('memory://', background=False) as et:\n"
        "    ada = et.agent('ada')\n"
        "    ada.turn('Where is the parser, Mel?').done('There.')\n"
        "    ada.turn('Where was the parser again?').done('There.')\n"
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_named_speaker_keeps_the_name_and_the_block_bears_none(quick: Agent) -> None:
    archive(quick, PARSER)
    turn = quick.turn(ASKED, name="Mel")
    block, words = turn.messages[0]["content"]
    assert (TAG in block["text"], words["text"]) == (True, f"Mel: {ASKED}")
    given, said = turn.openai()["messages"][1:]
    assert given == {"role": "user", "content": block["text"]}
    assert said == {"role": "user", "content": ASKED, "name": "Mel"}
    check_legal(turn)


def test_the_official_clients_take_it(quick: Agent) -> None:
    archive(quick, PARSER, "The lighthouse keeper is called Ole.")
    look = Say("I look.", calls=[ToolCall("look_up", {"q": "parser"})])
    with ModelServer([look, "To config_reader.py.", look, "He is called Ole."]) as server:
        turn = quick.turn(ASKED)
        assert block_in(turn) is not None
        with claude(server) as client:
            while turn.state == "open":
                response: Any = client.messages.create(
                    model=MODEL,
                    max_tokens=99,
                    messages=turn.messages,
                    tools=turn.tools,  # type: ignore[arg-type]
                )
                if response.stop_reason != "tool_use":
                    turn.done(response)
                    break
                turn.add(response).tool_result(turn.open_calls[0], "found")
        turn = quick.turn("How is the lighthouse keeper called?")
        assert block_in(turn) is not None
        with gpt(server) as openai:
            while turn.state == "open":
                answer: Any = openai.chat.completions.create(model="gpt-test", **turn.openai())
                if not answer.choices[0].message.tool_calls:
                    turn.done(answer)
                    break
                turn.add(answer).tool_result(turn.open_calls[0], "found")
    assert quick.turns(limit=2)[0].state == "done"


# ---- how large


@pytest.mark.req("R-3")
def test_its_tokens_count_and_scale_with_the_window(quick: Agent, clock: FrozenClock) -> None:
    words = [f"{a}{b}" for a in ("blue", "red", "old", "wet") for b in ("stone", "river", "gate")]
    archive(quick, *(f"The parser moved past {w}. " + f"{w} {w}. " * 60 for w in words))
    turn = quick.turn(ASKED)
    block = block_in(turn)
    assert block is not None
    [given] = quick.injections(turn=1)
    assert 1_000 < given.injection.tokens <= 1_500
    assert given.injection.size == len(block.encode())
    without = everthread.connect(
        "memory://", clock=clock, background=False, settings=BARE.with_(recall="off")
    )
    with without as et:
        bare = et.agent("ada", system="You are Ada.", tools=[TOOL], model=MODEL).turn(ASKED)
        assert turn.context_tokens - bare.context_tokens == given.injection.tokens
    assert caps(400_000)["recalled"] == 1_500
    assert caps(100_000)["recalled"] == 750
    assert caps(8_000)["recalled"] == LEAST_QUOTED


def test_a_block_that_would_pass_the_guard_is_dropped_and_the_log_says_so(et: Everthread) -> None:
    ada = et.agent("ada", window=1_000)
    archive(ada, PARSER)
    long = f"{ASKED} " + "word " * 800
    turn = ada.turn(long)
    assert block_in(turn) is None
    [given] = ada.injections()
    assert (given.injection.reason, given.text, given.injection.tokens) == (GUARD, None, 0)
    assert ada.knew(1).text is None
    turn.done("There.")
    with pytest.raises(ContextFull):
        ada.turn("word " * 1_200)
    assert et.verify(ada).faults == []


# ---- what is chosen


def test_what_only_ranks_best_but_does_not_bear_on_the_message_is_not_injected(
    quick: Agent,
) -> None:
    archive(quick, PARSER, "The lighthouse keeper is called Ole.")
    for message in (
        "Thanks, that looks good!",
        "ok, go on",
        "What shall we cook for dinner tonight?",
        "The keeper of my money is the bank, I think, and so on and so forth",
        "🙂",
    ):
        turn = quick.turn(message)
        assert block_in(turn) is None, message
        turn.done("Well.")
    assert quick.injections() == []
    quick.remember("Prefers tabs over spaces", kind="preference")
    assert quoted(quick.turn("Shall I indent with tabs?")) == ["Prefers tabs over spaces"]


def test_what_the_view_shows_is_not_injected(ada: Agent) -> None:
    ada.turn(PARSER).done("Noted: config_reader.py.")
    archive(ada, "The parser of the old days was moved twice.")
    assert quoted(ada.turn(ASKED)) == ["The parser of the old days was moved twice."]


def test_a_view_full_of_the_matter_does_not_hide_what_lies_outside_it(quick: Agent) -> None:
    archive(quick, PARSER)
    for n in range(40):
        quick.turn(f"The parser was moved again, round {n}: where to?").done(
            f"The parser moved {n}."
        )
    assert PARSER in [piece.text for n in range(1, 41) for piece in quick.knew(n).pieces]
    for n in range(LATELY):
        quick.turn(f"Well {n}").done("Well.")
    assert PARSER in quoted(quick.turn(ASKED))[0]


def test_what_was_injected_lately_is_not_injected_again(ada: Agent) -> None:
    archive(ada, PARSER)
    given = []
    for _ in range(2 * LATELY + 3):
        turn = ada.turn(ASKED)
        given.append(bool(quoted(turn)))
        turn.done("There.")
    gap = [False] * LATELY
    assert given == [True, *gap, True, *gap, True]


def test_nor_to_another_question_about_it(quick: Agent) -> None:
    archive(quick, PARSER)
    quick.turn(ASKED).done("Let me look.")
    assert PARSER not in quoted(quick.turn("What was the issue with the parser?"))


@pytest.mark.req("R-23")
def test_the_same_bytes_are_logged_once_and_every_turn_that_got_them_knows(
    et: Everthread, ada: Agent
) -> None:
    archive(ada, PARSER)
    for _ in range(LATELY + 2):
        ada.turn(ASKED).done("There.")
    assert len(ada.injections()) == 1
    first, last = ada.knew(1), ada.knew(LATELY + 2)
    assert first.text is not None
    assert last.text == first.text
    assert [piece.text for piece in last.pieces] == [PARSER]
    assert ada.knew(2).text is None
    assert et.verify(ada).faults == []


def test_a_turn_that_failed_does_not_use_up_what_it_was_given(ada: Agent) -> None:
    archive(ada, PARSER)
    ada.turn(ASKED).failed("overloaded")
    assert quoted(ada.turn(ASKED)) == [PARSER]


def test_what_other_people_said_is_not_injected_for_one_who_is_named(quick: Agent) -> None:
    quick.record(
        [
            {"role": "user", "content": PARSER, "principal": "mel", "at": "2026-01-01T09:00Z"}
            | {"id": "1"}
        ],
        source="import",
    )
    assert quoted(quick.turn(ASKED, principal="bob")) == []
    assert quoted(quick.turn(ASKED, principal="mel")) == [PARSER]


@pytest.mark.req("R-30")
def test_secrets_are_redacted_before_they_are_injected(ada: Agent) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    archive(ada, f"The parser deploys with the token {token}, keep it.")
    [said] = quoted(ada.turn("With which token does the parser deploy?"))
    assert token not in said
    assert "The parser deploys with the token" in said
    assert token not in dumped([str(each) for each in ada.injections()])


def test_only_primary_threads_and_only_people_ask_unless_the_setting_says_so(
    clock: FrozenClock,
) -> None:
    for mode, expected in (
        ("auto", [True, False, False, False]),
        ("all", [True, True, True, False]),
        ("off", [False] * 4),
    ):
        settings = BARE.with_(recall=mode)
        with everthread.connect(
            "memory://", clock=clock, background=False, settings=settings
        ) as et:
            ada = et.agent("ada")
            archive(ada, PARSER)
            beat = ada.thread("heartbeat:morning", kind="background")
            errand = ada.thread("errand:1", kind="ephemeral")
            turns = [
                ada.turn(ASKED),
                errand.turn(ASKED),
                ada.thread("work", kind="background").turn(ASKED, origin="user"),
                beat.turn(ASKED),
            ]
            assert [bool(quoted(turn)) for turn in turns] == expected, mode


# ---- what is primed


def primed(et: Everthread, agent: Agent, clock: FrozenClock, *facts: str) -> None:
    """As a distillation leaves them."""
    memories = [agent.remember(fact) for fact in facts]
    now = clock.now()
    et.house.store.write(lambda r: prime(r, agent.scope, agent.primary.ref, memories, now=now))


FACTS = (
    "The budget is 4200 euros",
    "Deploys happen on Thursdays",
    "The mascot is a heron called Ida",
)


@pytest.mark.req("A-7", "A-14", "A-45", "A-68", "S-5")
def test_what_is_primed_is_in_the_next_turn_whatever_is_said(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    primed(et, ada, clock, *FACTS)
    turn = ada.turn("🙂 ok")
    assert quoted(turn) == list(FACTS)
    assert reasons(ada) == ["primed 3"]
    turn.done("Fine.")
    assert quoted(ada.turn("🙂 ok then")) == []


@pytest.mark.req("LA-7", "S-5")
def test_priming_lasts_until_a_turn_has_completed(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    primed(et, ada, clock, *FACTS)
    ada.turn("hello").failed("overloaded")
    with pytest.raises(RuntimeError), ada.turn("hello"):
        raise RuntimeError
    turn = ada.turn("hello")
    assert quoted(turn) == list(FACTS)
    primed(et, ada, clock, "A new fact that came in between")
    turn.done("Hello.")
    # It was given three, and these are done with.
    later = ada.turn("hello again")
    assert quoted(later) == ["A new fact that came in between"]
    later.done("Hello again.")
    assert quoted(ada.turn("and again")) == []


@pytest.mark.req("LA-7", "S-5")
def test_a_completed_turn_ends_the_priming_though_the_clock_was_set_back(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    primed(et, ada, clock, *FACTS)
    clock.forward(hours=-48)
    turn = ada.turn("hello")
    assert quoted(turn) == list(FACTS)
    turn.done("Hello.")
    assert quoted(ada.turn("hello again")) == []


@pytest.mark.req("S-5")
def test_what_found_no_room_stays_primed_for_the_next_turn(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    long = [" ".join(f"gauge{n}x{i}" for i in range(600)) for n in range(20)]
    primed(et, ada, clock, *long)
    told: list[set[str]] = []
    while not told or told[-1]:
        turn = ada.turn("hello")
        told.append({each.partition("x")[0].rpartition(" ")[2] for each in quoted(turn)})
        turn.done("Hello.")
    assert len(told) > 2
    assert sorted(name for each in told for name in each) == sorted(f"gauge{n}" for n in range(20))


@pytest.mark.req("S-5")
def test_what_is_dropped_for_the_guard_stays_primed(et: Everthread, clock: FrozenClock) -> None:
    eve = et.agent("eve", window=1_000)
    primed(et, eve, clock, "The lighthouse is red. " * 8)
    eve.turn("hello " * 780).done("Long.")
    assert reasons(eve) == [GUARD]
    waiting = et.house.store.read(lambda r: r.memories.primed(eve.scope, eve.primary.ref))
    assert len(waiting) == 1


def test_what_holds_no_more_or_is_anothers_is_not_told_although_it_is_primed(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    until = clock.now() + 60_000
    memories = [
        ada.remember("The cafeteria is closed", valid_to=moment_of(until)),
        ada.remember("Bob earns 90k", principal="bob"),
        ada.remember("Apollo deploys on Mondays", scope="project", project="/apollo"),
        ada.remember("The mascot is a heron"),
    ]
    now = clock.now()
    et.house.store.write(lambda r: prime(r, ada.scope, ada.primary.ref, memories, now=now))
    clock.forward(seconds=61)
    assert quoted(ada.turn("hello", principal="alice")) == ["The mascot is a heron"]


@pytest.mark.req("A-45")
def test_recall_has_its_own_room_beside_what_is_primed(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    archive(ada, PARSER)
    facts = [f"Fact {n}: the gauge of harbour {n} reads {n * 37} metres" for n in range(1, 20)]
    primed(et, ada, clock, *facts)
    said = quoted(ada.turn(ASKED))
    assert said == [*facts, PARSER]
    assert reasons(ada) == ["primed 19, recalled 1"]


# ---- trouble


def offer(agent: Agent, recall: Recall) -> Any:
    draft = Draft("user", "user", *content_column(ASKED))
    house = agent._house
    return make_offer(house, agent.row, agent.primary.row, draft, recall)


def broken(_sought: object) -> Sequence[Hit]:
    raise RuntimeError("the index is on fire")


def test_a_recall_that_fails_leaves_a_reason_and_no_block(quick: Agent) -> None:
    archive(quick, PARSER)
    made = offer(quick, broken)
    assert made.block is None
    assert made.reason == "failed: RuntimeError: the index is on fire"


def test_a_recall_that_is_late_leaves_a_reason_and_no_block(quick: Agent) -> None:
    archive(quick, PARSER)
    limited, over = TimeLimit(0.05), threading.Event()
    slow = offer(quick, lambda _sought: limited.run(lambda: over.wait(60) and []))
    assert slow.reason == "late: it took longer than 0.05 s"
    soon = offer(quick, lambda _sought: limited.run(lambda: [a_hit(PARSER)]))
    assert soon.reason == "late: the recall of an earlier turn is still under way"
    limited.stop()
    over.set()
    assert limited._late is not None and limited._late.ended(60)
    limited._seconds = 60.0
    assert offer(quick, lambda _sought: limited.run(lambda: [a_hit(PARSER)])).block is not None
    with pytest.raises(RuntimeError, match="on fire"):
        limited.run(lambda: broken(""))


def test_a_turn_begins_although_recall_is_too_slow_and_the_log_says_so(
    clock: FrozenClock, tmp_path: Path
) -> None:
    place = tmp_path / "everthread.db"
    with everthread.connect(place, clock=clock, background=False, settings=BARE) as et:
        archive(
            et.agent("ada"), *(f"{PARSER} Take {n}, and some more words." for n in range(1, 28))
        )
    hasty = BARE.with_(recall_seconds=0.01)
    with everthread.connect(place, clock=clock, background=False, settings=hasty) as et:
        ada = et.agent("ada")
        et.limited._seconds = 1e-6  # no machine is so fast
        turn = ada.turn(ASKED)
        assert block_in(turn) is None
        turn.done("I do not know.")
        assert reasons(ada)[0].startswith("late: ")
        assert et.verify(ada).faults == []


@pytest.mark.parametrize(
    "odd", ["x" * 300_000 + " parser", "parser\x00moved", "parser \ud800", "知识库 在哪里"]
)
def test_odd_messages_make_no_trouble(quick: Agent, odd: str) -> None:
    archive(quick, PARSER, "知识库在服务器上。")
    turn = quick.turn(odd)
    turn.done("ok")
    assert not [reason for reason in reasons(quick) if "failed" in reason]


def begin_with(et: Everthread, agent: Agent, made: Any) -> Any:
    """A turn that begins with an offer made earlier, as `Agent.turn` begins it."""
    draft = Draft("user", "user", *content_column(ASKED))
    asked = TurnRequest(agent.primary.ref, draft, Seat(), 0, et.house.ids.new(), made)
    return begin(et.house, agent.row, asked, lambda _key: True)


@pytest.mark.req("R-43")
def test_what_is_forgotten_between_recall_and_turn_is_not_injected(
    et: Everthread, ada: Agent
) -> None:
    memory = ada.remember("The parser moved to config_reader.py")
    made = offer(ada, lambda sought: ada.recall(sought.query))
    assert made.block is not None
    ada.forget(memory.id)
    begun = begin_with(et, ada, made)
    assert begun.offer.block is None
    assert begun.turn.block_hash is None
    assert reasons(ada) == [GONE]
    assert et.verify(ada).faults == []


def test_what_is_erased_between_recall_and_turn_is_not_injected(et: Everthread, ada: Agent) -> None:
    beat = ada.thread("heartbeat:morning", kind="background")
    beat.turn("The parser was moved to config_reader.py.").done("Noted.")
    made = offer(ada, lambda sought: ada.recall(sought.query))
    assert made.block is not None
    et.erase(ada, thread="heartbeat:morning")
    assert begin_with(et, ada, made).offer.reason == GONE
    lines: list[str] = []
    et.export(lines.append, ada)
    assert not any("config_reader" in line for line in lines)


@pytest.mark.req("R-43", "R-44")
def test_what_another_agent_forgets_or_replaces_meanwhile_is_not_injected(
    et: Everthread, ada: Agent
) -> None:
    bob = et.agent("bob")
    memory = bob.remember("The parser moved to config_reader.py", scope="user")
    made = offer(ada, lambda sought: ada.recall(sought.query))
    assert made.block is not None
    bob.forget(memory.id)
    assert begin_with(et, ada, made).offer.reason == GONE


@pytest.mark.req("R-33", "R-43")
@pytest.mark.parametrize("whose", ["own", "shared"])
@pytest.mark.parametrize("ends", ["done", "failed", "let go"])
def test_what_is_forgotten_while_a_turn_has_it_leaves_a_chain_that_verifies(
    et: Everthread, ada: Agent, whose: str, ends: str
) -> None:
    """An agent may forget by a tool, in the very turn that was given it: nothing looks forged then, and
    what is exported can be imported."""
    owner = ada if whose == "own" else et.agent("bob")
    memory = owner.remember(
        "The parser moved to config_reader.py", scope="agent" if whose == "own" else "user"
    )
    turn = ada.turn(ASKED)
    assert quoted(turn)
    owner.forget(memory.id)
    if ends == "done":
        turn.done("It is forgotten.")
    elif ends == "failed":
        turn.failed("overloaded")
    else:
        del turn
        ada.turn("And now?").done("On we go.")
    assert et.verify(ada).faults == []
    lines: list[str] = []
    et.export(lines.append, *et.agents())
    assert not any("config_reader" in line for line in lines)
    with everthread.connect("memory://", background=False) as other:
        other.import_lines(lines)


def test_what_another_agent_still_shares_is_injected(et: Everthread, ada: Agent) -> None:
    et.agent("bob").remember("The parser moved to config_reader.py", scope="user")
    assert quoted(ada.turn(ASKED)) == ["The parser moved to config_reader.py"]


@pytest.mark.req("R-43")
def test_a_message_that_is_withheld_between_recall_and_turn_is_not_injected(
    et: Everthread, ada: Agent
) -> None:
    beat = ada.thread("heartbeat:morning", kind="background")
    beat.record([{"role": "user", "content": PARSER}])
    memory = ada.remember("Prefers parrots over owls", sources=beat.messages())
    made = offer(ada, lambda sought: ada.recall(sought.query))
    assert [hit.kind for hit in made.hits] == ["message"]
    ada.forget(memory.id)
    assert begin_with(et, ada, made).offer.reason == GONE


@pytest.mark.req("R-43")
def test_a_neighbour_that_is_withheld_between_recall_and_turn_is_not_injected(
    et: Everthread, ada: Agent
) -> None:
    beat = ada.thread("heartbeat:morning", kind="background")
    beat.record([{"role": "user", "content": PARSER}, {"role": "assistant", "content": "Quetzal."}])
    said, beside = beat.messages()
    memory = ada.remember("Prefers parrots over owls", sources=[beside])
    hit = a_hit(PARSER, id=said.id, messages=(said,), context=(beside,))
    made = offer(ada, lambda _sought: [hit])
    assert "Quetzal" in made.text
    ada.forget(memory.id)
    assert begin_with(et, ada, made).offer.reason == GONE


def test_what_is_replaced_between_recall_and_turn_is_not_given_as_current(
    et: Everthread, ada: Agent
) -> None:
    memory = ada.remember("The parser moved to config_reader.py")
    made = offer(ada, lambda sought: ada.recall(sought.query))
    ada.edit(memory.id, "The parser moved to settings_reader.py")
    assert begin_with(et, ada, made).offer.reason == GONE


def test_a_note_that_is_deleted_between_recall_and_turn_is_not_injected(
    et: Everthread, ada: Agent
) -> None:
    note = ada.note("The parser was moved to config_reader.py", category="decision")
    made = offer(ada, lambda _sought: [a_hit(note.text, kind="note", id=note.id, messages=())])
    assert begin_with(et, ada, made).offer.block is not None
    ada.unnote(note.id)
    assert not stands(et, ada, made)


def stands(et: Everthread, agent: Agent, made: Any) -> bool:
    now = et.house.clock.now()
    return et.house.store.write(lambda r: recheck_offer(r, made, now)).block is not None


# ---- projects


def in_project(agent: Agent, project: Path, *texts: str) -> None:
    entries = [{"role": "user", "content": t} for t in texts]
    agent.record(entries, session=project.name, project=str(project))


def test_a_turn_is_told_what_belongs_to_the_project_of_its_session_and_to_no_other(
    ada: Agent, tmp_path: Path, clock: FrozenClock
) -> None:
    for name in ("apollo", "zeus"):
        (tmp_path / name).mkdir()
        fact = f"The parser of {name} was moved to {name}.py"
        ada.remember(fact, scope="project", project=str(tmp_path / name))
        in_project(ada, tmp_path / name, "Hello there")
    ours = "The parser of apollo was moved to apollo.py"
    named = ada.turn(ASKED, session="apollo")
    assert quoted(named) == [ours]
    named.failed("again")
    # The session that is live needs no name.
    clock.forward(seconds=60)
    ada.resume("apollo")
    assert quoted(ada.turn(ASKED)) == [ours]


def test_a_turn_in_no_project_is_told_nothing_that_belongs_to_one(
    ada: Agent, tmp_path: Path
) -> None:
    ada.remember("The parser moved to config_reader.py", scope="project", project=str(tmp_path))
    ada.remember("The parser was moved by Mel")
    assert len(ada.recall(ASKED)) == 2
    assert quoted(ada.turn(ASKED)) == ["The parser was moved by Mel"]


# ---- our own blocks are not recorded


@pytest.mark.req("S-18", "LB-16")
def test_a_block_that_comes_back_with_the_users_words_is_not_recorded(ada: Agent) -> None:
    archive(ada, PARSER)
    turn = ada.turn(ASKED)
    block = block_in(turn)
    assert block is not None
    turn.done("There.")
    again = ada.turn([text(block), text("And the lexer?")])
    assert [m.text for m in ada.messages(limit=1)] == ["And the lexer?"]
    again.done("Here.")
    ada.turn(f"{block}\n\nAnd the linker?").done("There.")
    ada.record([{"role": "user", "content": f"{block}\nrecorded"}])
    ada.record([{"role": "user", "content": [text(f"x {block}"), text("y")]}])
    texts = [m.text for m in ada.messages(limit=9)]
    assert texts[-4:] == ["And the linker?", "There.", "recorded", "x \ny"]
    assert not any(TAG in said for said in texts)
    with pytest.raises(BadInput, match="empty"):
        ada.turn(block)
    ada.record([{"role": "user", "content": [text(block)]}])
    check_legal(ada.turn("And now?"))


def test_what_looks_like_a_block_in_other_mouths_stays(quick: Agent) -> None:
    said = f"What does {OPENING!r} mean? {TAG}"
    quick.turn(said).done(f"{OPENING}[1] mine\n| words\n")
    assert [m.text for m in quick.messages()] == [said, f"{OPENING}[1] mine\n| words\n"]


# ---- what did the agent know?


def test_what_the_agent_knew_at_a_turn_can_be_told(ada: Agent) -> None:
    ada.turn("Hello").done("Hello, Mel.")
    archive(ada, PARSER)
    turn = ada.turn(ASKED)
    block = block_in(turn)
    turn.done("To config_reader.py.")
    known = ada.knew(2)
    assert known.text == block
    assert known.view_messages == 2
    assert known.view_tokens == sum(m.tokens for m in ada.messages(limit=9) if m.seq <= 2)
    [piece] = known.pieces
    assert (piece.text, piece.given.kind, piece.given.rank) == (PARSER, "message", 1)
    [source] = [m for m in ada.messages(limit=9) if m.text == PARSER]
    assert piece.given.id == source.id
    [given] = ada.injections()
    assert given.turn == 2
    assert given.injection.hash is not None
    assert ada.injections(turn=1) == []
    assert ada.injections(turn=2) == [given]
    assert ada.injections(session=given.session.id) == [given]
    with pytest.raises(TurnUnknown):
        ada.knew(9)


def test_injections_travel_with_their_agent(
    et: Everthread, ada: Agent, tmp_path: Path, clock: FrozenClock
) -> None:
    archive(ada, PARSER)
    ada.turn(ASKED).done("To config_reader.py.")
    lines: list[str] = []
    et.export(lines.append, ada)
    with everthread.connect(
        tmp_path / "other.db", clock=clock, background=False, settings=BARE
    ) as other:
        other.import_lines(lines)
        there = other.known_agent("ada")
        assert other.verify(there).faults == []
        assert there.knew(1).text == ada.knew(1).text
        assert dumped(there.sent(1).messages) == dumped(ada.sent(1).messages)
        assert [p.given for p in there.knew(1).pieces] == [p.given for p in ada.knew(1).pieces]


def test_what_was_erased_is_gone_from_every_block(et: Everthread, ada: Agent) -> None:
    beat = ada.thread("heartbeat:morning", kind="background")
    with beat.turn("The parser was moved to config_reader.py.") as turn:
        turn.done("Noted.")
    turn = ada.turn(ASKED)
    assert quoted(turn) == ["The parser was moved to config_reader.py."]
    turn.done("It is elsewhere.")
    et.erase(ada, thread="heartbeat:morning", reason="asked")
    assert et.verify(ada).faults == []
    assert "config_reader" not in dumped(ada.sent(1).messages)
    assert ada.knew(1).text is None
    assert reasons(ada)[0].startswith("withheld")
    lines: list[str] = []
    et.export(lines.append, ada)
    assert not any("config_reader" in line for line in lines)


def test_erasing_everything_leaves_nothing_that_was_injected(et: Everthread, ada: Agent) -> None:
    archive(ada, PARSER)
    ada.remember("Prefers tabs over spaces")
    ada.turn(ASKED).done("There.")
    ada.turn("Tabs or spaces?").done("Tabs.")
    et.erase(ada, reason="asked")
    assert ada.injections() == []
    assert et.verify(ada).faults == []


@pytest.mark.req("R-43")
def test_what_was_forgotten_is_gone_from_every_block(et: Everthread, ada: Agent) -> None:
    memory = ada.remember("Prefers tabs over spaces")
    turn = ada.turn("Shall I indent with tabs?")
    assert quoted(turn) == ["Prefers tabs over spaces"]
    turn.done("As you wish.")
    ada.forget(memory.id)
    assert et.verify(ada).faults == []
    assert "Prefers" not in dumped(ada.sent(1).messages)
    lines: list[str] = []
    et.export(lines.append, ada)
    assert not any("Prefers" in line for line in lines)


def test_an_ephemeral_thread_goes_with_what_it_was_given(clock: FrozenClock) -> None:
    from everthread.services.upkeep.retain import remove_ephemeral

    settings = BARE.with_(recall="all")
    with everthread.connect("memory://", clock=clock, background=False, settings=settings) as et:
        ada = et.agent("ada")
        archive(ada, PARSER)
        ada.thread("errand:1", kind="ephemeral").turn(ASKED).done("There.")
        assert len(ada.injections()) == 1
        clock.forward(hours=48)
        assert remove_ephemeral(et.house, lambda: None) == 1
        assert ada.injections() == []
        assert et.verify(ada).faults == []


def test_a_changed_injection_is_found_by_verify(et: Everthread, ada: Agent, place: Place) -> None:
    archive(ada, PARSER)
    ada.turn(ASKED).done("There.")
    place.raw("UPDATE injections SET reason = 'because'")
    [fault] = et.verify(ada).faults
    assert (fault.event, fault.problem) == ("injection.logged", "the row was changed")
    place.raw("DELETE FROM injections")
    assert [fault.problem for fault in et.verify(ada).faults] == ["the row was removed"]


# ---- the command


@pytest.mark.slow
def test_the_command_lists_injections_and_tells_what_was_known(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    place = tmp_path / "data" / "everthread.db"
    clock = FrozenClock("2026-02-20T10:00:00Z")
    with everthread.connect(place, clock=clock, background=False, settings=BARE) as et:
        ada = et.agent("ada")
        ada.turn("Hello").done("Hello.")
        archive(ada, PARSER)
        ada.turn(ASKED).done("To config_reader.py.")
        session = ada.injections()[0].session
    [listed] = cli("injections", "--json").json["injections"]
    assert (listed["turn"], listed["purpose"], listed["reason"]) == (2, "recall", "recalled 1")
    assert listed["items"][0]["text"] == PARSER
    told = cli("injections", "--turn", "2", "--json").json
    assert told["view"]["messages"] == 2
    assert read_block(told["text"])
    assert cli("injections", "--session", session.id, "--json").json["injections"] == [listed]
    plain = cli("injections").out
    assert "recalled 1" in plain
    shown = cli("injections", "--turn", "2").out
    assert PARSER in shown
    assert "2 messages" in shown
    assert "nothing" in cli("injections", "--turn", "1").out
    assert cli("injections", "--turn", "9").code == 3
    assert cli("injections", "--turn", "1", "--session", "x").code == 2
