"""Long tool loops inside one turn: old results give way, pairs stay whole, and requests can be rebuilt."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import everthread
from everthread import Agent, Everthread, Turn
from everthread.domain.conversation.tokens import Calibration
from everthread.domain.distilling.clearing import WHOLE
from everthread.domain.errors import CallUnknown, LeaseLost, StoreFull
from everthread.services.archive import clear as clear_service
from everthread.testing import FrozenClock
from support.legality import anthropic_problems, openai_problems
from support.model_clients import FUNCTION, MODEL, TOOL, claude, text, use
from support.model_server import ModelServer, Say, ToolCall
from support.stores import ABOVE, fresh

WINDOW = 20_000
GUARD = WINDOW * 90 // 100
CUT = "characters cut by Everthread"


@pytest.fixture(params=ABOVE)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Everthread]:
    with (
        fresh(request.param, tmp_path) as place,
        everthread.connect(place.target, clock=FrozenClock(), background=False) as et,
    ):
        yield et


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        yield et


def agent_of(et: Everthread, window: int = WINDOW) -> Agent:
    return et.agent("ada", system="You are Ada.", tools=[TOOL], model=MODEL, window=window)


def output(n: int, words: int = 1_500) -> str:
    return f"begin {n}\n" + f"line of {n}\n" * (words // 3) + f"end {n}"


def step(turn: Turn, n: int, words: int = 1_500) -> None:
    """The model calls a tool, and gets its answer."""
    turn.add({"role": "assistant", "content": [use(f"c{n}")]})
    turn.tool_result(f"c{n}", output(n, words))


def results(messages: list[dict[str, Any]]) -> dict[str, str]:
    """What the request shows of each tool's answer, by call."""
    blocks = [b for m in messages if isinstance(m["content"], list) for b in m["content"]]
    return {b["tool_use_id"]: str(b["content"]) for b in blocks if b["type"] == "tool_result"}


def whole(messages: list[dict[str, Any]]) -> list[str]:
    return [call for call, text in results(messages).items() if CUT not in text]


def problems(turn: Turn) -> list[str]:
    found = anthropic_problems(
        {"model": "m", "max_tokens": 9, "messages": turn.messages, "tools": turn.tools}
    )
    return found + openai_problems({"model": "m", **turn.openai()})


@pytest.mark.slow
@pytest.mark.req("LD-12", "LA-23")
def test_a_long_tool_loop_never_passes_the_guard(et: Everthread) -> None:
    """Whole, its results would fill the window six times."""
    turn = agent_of(et).turn("Go through all of it.")
    for n in range(60):
        step(turn, n)
        assert turn.context_tokens <= GUARD
        assert problems(turn) == []
        shown = results(turn.messages)
        assert list(shown) == [f"c{i}" for i in range(n + 1)]
        assert f"c{n}" in whole(turn.messages)
        assert all(f"begin {i}\n" in shown[f"c{i}"] for i in range(n + 1))
    turn.done("That was all.")
    assert et.verify("ada").sound


@pytest.mark.req("LD-12")
def test_the_oldest_results_go_first_and_the_newest_stay_whole(et: Everthread) -> None:
    turn = agent_of(et).turn("Go through all of it.")
    for n in range(30):
        step(turn, n)
        kept = whole(turn.messages)
        assert kept == [f"c{i}" for i in range(n + 1 - len(kept), n + 1)]
        assert len(kept) >= min(n + 1, 1 + WHOLE)


@pytest.mark.req("LD-12", "R-7")
def test_between_two_clearings_every_request_begins_with_the_last_one(et: Everthread) -> None:
    """The provider's cache: it has to begin anew only now and then, and never before the turn."""
    ada = agent_of(et, 3 * WINDOW)
    ada.turn("Before.").done("Yes.")
    turn = ada.turn("Go through all of it.")
    head = json.dumps(turn.messages)[:-1]
    last, anew = turn.messages, 0
    for n in range(60):
        step(turn, n)
        now = turn.messages
        assert json.dumps(now).startswith(head)
        anew += now[: len(last)] != last
        last = now
    assert 0 < anew <= 8


@pytest.mark.req("LD-12", "R-7")
def test_every_request_of_such_a_turn_can_be_rebuilt_byte_for_byte(stored: Everthread) -> None:
    ada = agent_of(stored)
    ada.turn("Before.").done("Yes.")
    turn = ada.turn("Go through all of it.")
    sent = [json.dumps(turn.messages)]
    plain = [json.dumps(turn.openai())]
    for n in range(30):
        step(turn, n)
        sent.append(json.dumps(turn.messages))
        plain.append(json.dumps(turn.openai()))
    turn.done("That was all.")
    assert sum(CUT in one for one in sent) > 10
    for call, (one, other) in enumerate(zip(sent, plain, strict=True), 1):
        again = ada.sent(2, call=call)
        assert json.dumps(again.messages) == one
        assert json.dumps(again.openai()) == other
    assert json.dumps(ada.sent(2).messages) == sent[-1]
    # Also when a distillation came over it.
    ada.turn("And?").done("No.")
    ada.distill()
    assert [json.dumps(ada.sent(2, call=n).messages) for n in range(1, 32)] == sent
    assert stored.verify(ada).sound


@pytest.mark.req("LD-12")
def test_later_turns_show_cleared_results_as_the_turn_did(et: Everthread) -> None:
    """So the next request begins as the last one did."""
    ada = agent_of(et)
    turn = ada.turn("Go through all of it.")
    for n in range(20):
        step(turn, n)
    last = turn.messages
    turn.done("That was all.")
    after = ada.turn("And now?")
    assert after.messages[: len(last)] == last
    assert after.context_tokens <= GUARD
    assert problems(after) == []


@pytest.mark.req("LD-12")
def test_what_was_cleared_is_there_and_can_be_fetched(et: Everthread) -> None:
    ada = agent_of(et)
    turn = ada.turn("Go through all of it.")
    for n in range(20):
        step(turn, n)
    assert CUT in results(turn.messages)["c0"]
    assert turn.result_of("c0") == output(0)
    with pytest.raises(CallUnknown):
        turn.result_of("c99")
    turn.done("That was all.")
    stored = [b for m in ada.messages(limit=99) for b in m.blocks if b["type"] == "tool_result"]
    assert [b["content"] for b in stored] == [output(n) for n in range(20)]
    assert any("line of 3" in hit.text for hit in ada.recall("line of 3", limit=5))


@pytest.mark.req("LD-12")
def test_results_of_one_answer_are_one_step_and_stay_whole_together(et: Everthread) -> None:
    """The model has not seen any of them yet."""
    turn = agent_of(et).turn("Go through all of it.")
    for n in range(8):
        step(turn, n)
    many = [f"m{n}" for n in range(6)]
    turn.add({"role": "assistant", "content": [use(name) for name in many]})
    for name in many:
        turn.tool_result(name, output(77))
    kept = whole(turn.messages)
    assert kept[-6:] == many
    assert turn.context_tokens <= GUARD
    assert problems(turn) == []


@pytest.mark.req("LD-12", "S-6")
def test_of_a_new_result_that_has_no_room_the_two_ends_are_shown(et: Everthread) -> None:
    """As much of it as fits; the whole is stored."""
    ada = agent_of(et)
    turn = ada.turn("Go.")
    step(turn, 1, words=60_000)
    shown = results(turn.messages)["c1"]
    assert shown.startswith("begin 1\n")
    assert shown.endswith("end 1")
    assert CUT in shown
    assert 0.9 * GUARD < turn.context_tokens <= GUARD
    assert problems(turn) == []
    assert turn.result_of("c1") == output(1, words=60_000)
    step(turn, 2)
    assert whole(turn.messages) == ["c2"]
    assert len(results(turn.messages)["c1"]) < 400
    assert turn.context_tokens < 0.5 * GUARD
    turn.done("That was all.")
    assert ada.messages()[2].blocks[0]["content"] == output(1, words=60_000)


@pytest.mark.req("LD-12", "S-6")
def test_the_largest_of_the_new_results_are_cut_to_one_size(et: Everthread) -> None:
    turn = agent_of(et).turn("Go.")
    sizes = {"m1": 900, "m2": 40_000, "m3": 20_000, "m4": 1_200}
    turn.add({"role": "assistant", "content": [use(name) for name in sizes]})
    for name, words in sizes.items():
        turn.tool_result(name, output(7, words))
    shown = results(turn.messages)
    assert whole(turn.messages) == ["m1", "m4"]
    assert abs(len(shown["m2"]) - len(shown["m3"])) < 0.1 * len(shown["m2"])
    assert 0.8 * GUARD < turn.context_tokens <= GUARD
    assert problems(turn) == []


@pytest.mark.req("LD-12", "S-6")
def test_a_picture_that_has_room_is_not_cut_for_a_text_that_has_none(et: Everthread) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" * 5_000}
    turn = agent_of(et).turn("Go.")
    turn.add({"role": "assistant", "content": [use("seen"), use("read")]})
    turn.tool_result("seen", [{"type": "image", "source": source}])
    turn.tool_result("read", output(1, words=60_000))
    shown = results(turn.messages)
    assert "iVBORw0KGgo" in shown["seen"]
    assert CUT in shown["read"]
    assert turn.context_tokens <= GUARD


@pytest.mark.req("LD-12", "R-7", "R-42")
def test_requests_with_a_cut_new_result_can_be_rebuilt_byte_for_byte(stored: Everthread) -> None:
    ada = agent_of(stored)
    for n in range(4):
        ada.turn(f"Before {n}. " + "word " * 1_500).done("Yes.")
    turn = ada.turn("Go through all of it.")
    sent = [json.dumps(turn.messages)]
    for n, words in enumerate((30_000, 900, 45_000, 60_000)):
        step(turn, n, words)
        assert turn.context_tokens <= GUARD
        sent.append(json.dumps(turn.messages))
    last = turn.messages
    turn.done("That was all.")
    assert [json.dumps(ada.sent(5, call=n).messages) for n in range(1, 6)] == sent
    exported: list[str] = []
    stored.export(exported.append, ada)
    # The next turn begins as the last request did, and weighs as much.
    assert ada.context().messages[: len(last)] == last
    assert ada.context().tokens <= GUARD + 50
    ada.turn("And now?").done("No.")
    assert [json.dumps(ada.sent(5, call=n).messages) for n in range(1, 6)] == sent
    assert stored.verify(ada).sound
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as other:
        other.import_lines(exported)
        again = other.known_agent("ada")
        assert [json.dumps(again.sent(5, call=n).messages) for n in range(1, 6)] == sent
        assert other.verify(again).sound


@pytest.mark.req("LD-12")
def test_the_thread_goes_on_after_a_result_that_filled_its_window(et: Everthread) -> None:
    ada = agent_of(et)
    with ada.turn("Go.") as turn:
        step(turn, 1, words=60_000)
        turn.failed("400: prompt is too long")
    for n in range(6):
        with ada.turn(f"And {n}? " + "word " * 200) as turn:
            assert turn.context_tokens <= GUARD
            assert problems(turn) == []
            turn.done("Yes.")


@pytest.mark.req("LD-12")
def test_where_nothing_is_left_to_cut_that_is_logged_and_nothing_is_lost(
    et: Everthread, caplog: pytest.LogCaptureFixture
) -> None:
    turn = agent_of(et).turn("Go.")
    with caplog.at_level(logging.WARNING, logger="everthread"):
        turn.add([text("word " * 30_000), use("c1")]).tool_result("c1", output(1))
    assert "no tool result is left to cut" in caplog.text
    assert turn.result_of("c1") == output(1)
    assert problems(turn) == []


@pytest.mark.req("LD-12")
def test_below_the_guard_nothing_is_cleared(et: Everthread) -> None:
    ada = agent_of(et)
    turn = ada.turn("Go.")
    for n in range(5):
        step(turn, n)
    assert len(whole(turn.messages)) == 5
    assert ada.primary.row.view_version == 0


@pytest.mark.req("LD-12", "R-6")
def test_a_turn_that_was_taken_over_clears_nothing(et: Everthread) -> None:
    ada = agent_of(et)
    turn = ada.turn("Go.")
    for n in range(8):
        step(turn, n)
    other = everthread.Everthread(et.house)
    version = ada.primary.row.view_version
    store = et.house.store
    row = store.read(lambda r: r.turns.open_on(ada.scope, ada.primary.ref))
    assert row is not None
    store.write(lambda r: r.turns.close(ada.scope, row._replace(state="failed", closed_ms=1)))
    with pytest.raises(LeaseLost):
        step(turn, 9)
    assert other.known_agent("ada").primary.row.view_version == version


@pytest.mark.req("LD-12", "R-6")
def test_a_result_that_is_stored_is_not_refused_because_nothing_could_be_cleared(
    et: Everthread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Given once more, it would be that of an unknown call. What is to be cleared waits."""
    turn = agent_of(et).turn("Go.")

    def full(*_: object) -> None:
        raise StoreFull("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(clear_service, "_add_marks", full)
        for n in range(8):
            step(turn, n)
    assert "could not be cleared: no space left" in caplog.text
    assert turn.context_tokens > GUARD
    step(turn, 8)
    assert turn.context_tokens <= GUARD
    assert problems(turn) == []


@pytest.mark.req("LD-12", "LA-23")
@pytest.mark.parametrize("share", [0.7, 1.4])
def test_the_guard_is_kept_also_where_the_provider_counts_otherwise(
    et: Everthread, share: float
) -> None:
    taught = Calibration()
    for computed in range(10_000, 20_000, 1_000):
        taught = taught.learn(computed, int(share * computed))
    turn = agent_of(et).turn("Go.")
    turn._calibration = taught
    for n, words in enumerate((1_000, 4_200, 4_200, 4_200, 2_900)):
        step(turn, n, int(words * 0.7 / share))
    assert turn.context_tokens <= GUARD
    assert "c4" in whole(turn.messages)


@pytest.mark.req("LD-12", "R-6")
def test_a_real_client_is_never_refused_in_a_long_loop(et: Everthread) -> None:
    """The server refuses every history that the providers refuse."""
    ada = agent_of(et)
    loop = [Say(f"Step {n}.", calls=[ToolCall("look_up", {"n": n})]) for n in range(40)]
    with ModelServer([*loop, "All read."], signed=True) as server, claude(server) as client:
        turn = ada.turn("Go through all of it.")
        n = 0
        while turn.state == "open":
            response = client.messages.create(
                model=MODEL,
                max_tokens=100,
                system=turn.system,
                messages=turn.messages,  # pyright: ignore[reportArgumentType]
                tools=turn.tools,  # pyright: ignore[reportArgumentType]
            )
            if response.stop_reason == "tool_use":
                turn.add(response)
                for call in turn.open_calls:
                    turn.tool_result(call, output(n))
                n += 1
            else:
                turn.done(response)
        assert n == 40
        assert [request.problems for request in server.requests] == [()] * 41
        wire = [request.body["messages"] for request in server.requests]
    assert max(len(json.dumps(messages)) for messages in wire) < 4 * WINDOW
    for number, messages in enumerate(wire, 1):
        assert ada.sent(1, call=number).messages == messages


@pytest.mark.slow
@pytest.mark.req("LD-12")
@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 9_000)), max_size=25))
def test_whatever_tools_print_requests_are_legal_and_pairs_whole(
    steps: list[tuple[int, int]],
) -> None:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        ada = et.agent("ada", tools=[FUNCTION], window=WINDOW)
        turn = ada.turn("Go.")
        for n, (calls, words) in enumerate(steps):
            names = [f"c{n}-{i}" for i in range(calls)]
            turn.add({"role": "assistant", "content": [use(name) for name in names]})
            for name in names:
                turn.tool_result(name, "x y " * words)
            assert problems(turn) == []
            assert turn.context_tokens <= GUARD
            assert set(names) <= results(turn.messages).keys()
        sent = json.dumps(turn.messages)
        turn.failed("enough")
        assert json.dumps(ada.sent(1).messages) == sent
        assert et.verify(ada).sound
