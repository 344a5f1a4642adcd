"""What the agent was given at a turn with tools: all of it, request by request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent
from everthread.domain.errors import BadInput, RequestUnknown
from support.commands import Cli, Here

pytestmark = pytest.mark.req("A-43")


def work(ada: Agent, calls: int) -> list[list[dict[str, Any]]]:
    """A turn in which a tool is called so often; what the model was given each time."""
    given: list[list[dict[str, Any]]] = []
    with ada.turn("How is the crane?") as turn:
        for n in range(calls):
            given.append(turn.messages)
            use = {"type": "tool_use", "id": f"c{n}", "name": "look", "input": {"n": n}}
            turn.add({"role": "assistant", "content": [use]})
            turn.tool_result(f"c{n}", f"crane {n} stands still")
        given.append(turn.messages)
        turn.done("All of them stand still.")
    return given


@pytest.fixture
def cli(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    here = Here(tmp_path, monkeypatch, capsys)
    home = here.home / "data"
    settings = everthread.Settings.load().with_(home=home)
    with everthread.connect(home / "everthread.db", background=False, settings=settings) as et:
        ada = et.agent("ada")
        ada.turn("Good morning!").done("Good morning.")
        work(ada, 2)
    return here


def test_every_request_of_a_turn_can_be_seen_and_the_last_is_shown(tmp_path: Path) -> None:
    with everthread.connect(tmp_path / "e.db", background=False) as et:
        ada = et.agent("ada")
        given = work(ada, 2)
        last = ada.context(1)
        assert last.messages == given[-1]
        assert (last.call, last.calls) == (3, 3)
        seen = [ada.context(1, call=n) for n in (1, 2, 3)]
        assert [each.messages for each in seen] == given
        assert seen[0].tokens < seen[1].tokens < seen[2].tokens == last.tokens
        now = ada.context()
        assert (now.call, now.calls) == (None, 0)
        with pytest.raises(BadInput, match="turn 1 made 3 calls; there is no call 4"):
            ada.context(1, call=4)
        with pytest.raises(RequestUnknown, match="turn 1 made 3 calls; there is no call 0"):
            ada.context(1, call=0)
        ada.turn("Good night!").done("Good night.")
        with pytest.raises(RequestUnknown, match="turn 2 made 1 call; there is no call 2"):
            ada.context(2, call=2)
        with pytest.raises(BadInput, match="at which turn"):
            ada.context(call=1)


def test_a_request_is_as_large_as_the_provider_would_say() -> None:
    """Which counts more than we do, also of what tools gave back."""
    with everthread.connect("memory://", background=False) as et:
        ada, told = et.agent("ada"), 0
        for more in (2, 1, 1):
            turn = ada.turn("How is the crane?")
            use = {"type": "tool_use", "id": "c", "name": "look", "input": {}}
            turn.add({"role": "assistant", "content": [use]})
            turn.tool_result("c", "it stands still " * 500)
            told = turn.context_tokens
            turn.done("It stands still.", usage={"input_tokens": more * told})
        assert ada.context(3).tokens == pytest.approx(told, rel=0.02)


def test_the_command_says_how_many_requests_there_were(cli: Cli) -> None:
    text = cli("context", "--at", "2").out
    assert "at turn 2, request 3 of 3" in text
    assert "crane 1 stands still" in text
    first = cli("context", "--at", "2", "--call", "1").out
    assert "at turn 2, request 1 of 3" in first
    assert "stands still" not in first
    assert "request" not in cli("context", "--at", "1").out
    document = cli("context", "--at", "2", "--json").json
    assert (document["turn"], document["call"], document["calls"]) == (2, 3, 3)


def test_what_changed_between_two_turns_has_what_tools_gave_back(cli: Cli) -> None:
    text = cli("context", "--diff", "1", "2").out
    assert "+++ turn 2, request 3 of 3" in text
    assert "crane 1 stands still" in text


def test_a_call_without_a_turn_is_refused(cli: Cli) -> None:
    found = cli("context", "--call", "1")
    assert found.code == 2
    assert "--at TURN" in found.err


@pytest.mark.parametrize(("at", "call"), [("1", "2"), ("2", "4"), ("999", "1")])
def test_a_turn_or_a_request_that_is_not_there_is_not_found(cli: Here, at: str, call: str) -> None:
    found = cli("context", "--at", at, "--call", call)
    assert found.code == 3
    assert ("there is no call" in found.err) is (at != "999")


def test_a_request_that_is_there_is_found_and_a_wrong_number_is_wrong_use(cli: Here) -> None:
    assert [cli("context", "--at", "2", "--call", str(n)).code for n in (1, 2, 3)] == [0, 0, 0]
    assert [cli("context", "--at", "2", "--call", n).code for n in ("0", "x")] == [2, 2]
