"""A value of the wrong kind, in any parameter of any method, is refused by name: nobody reads our insides.

Each method of the reference is called with each of its parameters wrong in turn, the others right.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread, Settings, Thread, Turn
from everthread.domain.harness.happenings import Happening
from everthread.errors import EverthreadError
from everthread.testing import FrozenClock

CLASSES: dict[str, type] = {
    "Everthread": Everthread,
    "Agent": Agent,
    "Thread": Thread,
    "Turn": Turn,
}
REFERENCE = Path(__file__).parents[1] / "docs" / "reference" / "library.md"
WRONG: dict[str, Any] = {
    "none": None,
    "five": 5,
    "empty": "",
    "list": [],
    "object": object(),
    "bytes": b"x",
    "surrogate": "x\ud800",
    "nan": float("nan"),
}

METHODS = sorted(
    set(re.findall(r"^(Everthread|Agent|Thread|Turn)\.([a-z_]+)\(", REFERENCE.read_text(), re.M))
    - {("Everthread", "close")}
)

ALLOWED: dict[str, tuple[type[Exception], ...]] = {
    # Rows and drafts of ours, which no program holds: the exchanges open their turns by it.
    "Agent.open_turn": (AttributeError, TypeError),
}
"""What else a method may raise than errors of ours. Give a reason with each."""


class Stage:
    """An engine in memory in which there is one of everything that can be named."""

    def __init__(self, folder: Path) -> None:
        self.et = everthread.connect(
            "memory://",
            clock=FrozenClock(),
            background=False,
            settings=Settings(embedder="off", workspace=str(folder / "work"), home=folder / "home"),
        )
        self.ada, bob = self.et.agent("ada"), self.et.agent("bob")
        self.folder = str(folder)
        self.thread = self.ada.thread("x", kind="background")
        with self.ada.turn("The port is 8080.") as turn:
            turn.done("Noted.")
        happening = Happening("h", "prompt", "s-1", self.folder, text="hello there")
        self.ada.attend(happening)
        session = self.ada.sessions()[0].id
        self.turn = self.ada.turn("What is on?").add(
            {"role": "assistant", "content": [CALL], "stop_reason": "tool_use"}
        )
        memory = self.ada.remember("The host is one.").id
        checkpoint = self.ada.checkpoint("stopped at the parser", decisions=["tabs"])
        exchange = bob.question("ada", "Which port?").id
        self.right: dict[str, Any] = {
            **{"name": session, "session": session, "agent": "ada", "target": "bob", "ids": ["x"]},
            **{
                "memory_id": memory,
                "note_id": self.ada.note("n").id,
                "number": 1,
                "names": ["bob"],
            },
            **{"checkpoint": checkpoint, "exchange": exchange, "happening": happening, "call": 1},
            **{"text": "The port is 80.", "task": "look", "query": "port", "content": "hi"},
            **{"call_id": "c-1", "output": "on", "response": "on", "stream": [], "entries": []},
            **{"key": "k", "kind": "background", "lines": ["x"], "receipt": "abc", "secret": "s"},
            **{"slug": "s", "goal": "g", "project": self.folder, "folder": self.folder},
            **{
                "harness": "h",
                "tool": "Bash",
                "given": {},
                "source": "s",
                "why": "w",
                "place": "p",
            },
            **{"resolution": "r", "write": lambda _line: None, "agents": ("ada",)},
            "entries": [{"role": "user", "content": "x", "id": "i-1"}],
        }
        self.particular: dict[str, Any] = {
            **dict.fromkeys(("Everthread.agent", "Everthread.beside"), "cyd"),
            **dict.fromkeys(("Everthread.known_agent",), "ada"),
            **dict.fromkeys(("Everthread.create_token", "Everthread.revoke_token"), "t"),
            "Agent.exchange": exchange,
            "Agent.find_checkpoint": checkpoint.id,
        }

    def owner(self, of: str) -> Any:
        return {"Everthread": self.et, "Agent": self.ada, "Thread": self.thread, "Turn": self.turn}[
            of
        ]

    def fitting(self, method: str, name: str) -> Any:
        if name == "name" and method in self.particular:
            return self.particular[method]
        return self.right.get(name, "x")


CALL = {"type": "tool_use", "id": "c-1", "name": "look_up", "input": {}}


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.chdir(tmp_path)  # some of these calls succeed, and write where they are told
    found = Stage(tmp_path)
    yield found
    found.et.close()


def arguments(
    stage: Stage, method: str, wrong: str, value: object
) -> tuple[list[Any], dict[str, Any]]:
    """All that the method needs, right but for the one that is wrong."""
    owner, _, verb = method.partition(".")
    by_place: list[Any] = []
    by_name: dict[str, Any] = {}
    found = inspect.signature(getattr(CLASSES[owner], verb)).parameters.values()
    several = any(one.kind is one.VAR_POSITIONAL for one in found)
    for one in found:
        if one.name == "self" or one.kind is one.VAR_KEYWORD:
            continue
        if one.name == wrong:
            given = value
        elif one.default is one.empty and one.kind is not one.VAR_POSITIONAL:
            given = stage.fitting(method, one.name)
        else:
            continue
        if several and one.kind is not one.KEYWORD_ONLY:
            by_place.append(given)
        else:
            by_name[one.name] = given
    return by_place, by_name


def parameters(method: str) -> list[str]:
    owner, _, verb = method.partition(".")
    found = inspect.signature(getattr(CLASSES[owner], verb)).parameters.values()
    return [one.name for one in found if one.name != "self" and one.kind is not one.VAR_KEYWORD]


PLACES = [
    f"{owner}.{verb} {name}"
    for owner, verb in METHODS
    if not isinstance(inspect.getattr_static(CLASSES[owner], verb), property)
    for name in parameters(f"{owner}.{verb}")
]


@pytest.mark.parametrize("place", PLACES)
def test_a_value_of_the_wrong_kind_is_refused_by_name(stage: Stage, place: str) -> None:
    method, _, name = place.partition(" ")
    owner, _, verb = method.partition(".")
    raw: list[str] = []
    for what, value in WRONG.items():
        by_place, by_name = arguments(stage, method, name, value)
        try:
            getattr(stage.owner(owner), verb)(*by_place, **by_name)
        except EverthreadError:
            continue
        except ALLOWED.get(method, ()):
            continue
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
            raw.append(f"{what}: {type(error).__name__}: {error}")
    assert raw == []


def test_every_method_of_the_reference_is_called() -> None:
    assert len(METHODS) > 90
    assert {"Agent.turn content", "Turn.done usage", "Everthread.erase agent"} <= set(PLACES)
