"""The short way of an event: what is kept between two of them is right whoever else writes the store."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import everthread
from everthread import Everthread
from everthread.domain.given.usefulness import bears_on, telling_words
from everthread.edges.harnesses.binding import binding_of
from everthread.engine.limits import TimeLimit
from everthread.services.attending import recover
from everthread.services.harness.balance import FORGOTTEN, MOST_OWED, Balance, text_hash
from support.harness import Bench, bench
from support.stores import ABOVE, fresh

NAME = "project-1a2b3c"


@pytest.fixture(params=ABOVE)
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    """A store on disk, with the handle that the desk keeps."""
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as made:
        made.agent = made.et.beside(NAME)
        yield made


@contextmanager
def other(b: Bench) -> Iterator[Everthread]:
    """Another program on the same store, as the command line is: by a connection of its own."""
    with everthread.connect(
        b.et.location,
        settings=everthread.Settings(durability="process", embedder="off"),
        clock=b.clock,
        background=False,
    ) as et:
        yield et


@contextmanager
def counted(b: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How often the store is read and written meanwhile."""
    found: Counter[str] = Counter()
    store = type(b.et.house.store)
    with monkeypatch.context() as patch:
        for verb in ("read", "write"):
            real: Callable[..., Any] = getattr(store, verb)

            def noted(self: Any, work: Any, verb: str = verb, real: Any = real) -> Any:
                found[verb] += 1
                return real(self, work)

            patch.setattr(store, verb, noted)
        yield found


# How little it takes


def test_a_reply_is_one_transaction_and_nothing_else(b: Bench, monkeypatch: pytest.MonkeyPatch):
    w = b.window()
    w.turn("Fix the parser.", "Fixed.")
    with counted(b, monkeypatch) as found:
        b.agent.attend(_plain(b, "reply", text="And tested."))
    assert found == {"write": 1}
    assert b.words()[-1] == "And tested."


def test_a_prompt_is_one_look_a_recall_and_one_transaction(
    b: Bench, monkeypatch: pytest.MonkeyPatch
):
    w = b.window()
    w.start()
    w.turn("Fix the parser.", "Fixed.")
    monkeypatch.setattr(b.agent, "_recall_for_prompt", lambda _asking: [])
    with counted(b, monkeypatch) as found:
        b.agent.attend(_plain(b, "prompt", text="Where is the parser of the importer?"))
    assert found == {"read": 1, "write": 1}


def test_a_checkpoint_that_is_due_is_asked_for_in_the_transaction_of_its_prompt(
    b: Bench, monkeypatch: pytest.MonkeyPatch
):
    """R-24: whoever dies after that loses neither of the two."""
    w = b.window()
    w.start()
    for n in range(b.et.house.policy.checkpoint_prompts - 1):
        w.prompt(f"prompt number {n}", written=False)
    monkeypatch.setattr(b.agent, "_recall_for_prompt", lambda _asking: [])
    called = list[str]()
    monkeypatch.setattr(b.et, "stir", lambda: called.append("stir"))
    with counted(b, monkeypatch) as found:
        w.prompt("and the last one", written=False)
    assert found["write"] == 1
    assert called == ["stir"]
    b.clock.forward(seconds=3)
    assert b.work() > 0
    assert len(b.agent.checkpoints()) == 1


def _plain(b: Bench, kind: Any, **more: Any) -> Any:
    """An event without a transcript."""
    from everthread.domain.harness.happenings import Happening

    return Happening("claude-code", kind, "s-1", str(b.project), name=kind, **more)


def test_the_worker_is_called_for_work_and_else_now_and_then(
    b: Bench, monkeypatch: pytest.MonkeyPatch
):
    called = list[str]()
    monkeypatch.setattr(b.et, "stir", lambda: called.append("stir"))
    w = b.window()
    for n in range(5):
        w.reply(f"part {n}")
    assert called == ["stir"], "once: nobody asked for anything"
    w.end()
    assert called == ["stir"] * 2, "the end asks for a checkpoint"


# Another program writes


def test_a_session_that_another_program_ended_goes_on(b: Bench):
    w = b.window()
    w.turn("one", "first")
    with other(b) as et:
        agent = et.known_agent(NAME)
        agent.attend(_plain(b, "end", reason="other"))
        assert agent.session("s-1").state == "complete"
    w.reply("second")
    assert w.row.state == "active"
    assert w.row.message_count == 3
    with other(b) as et:
        assert et.known_agent(NAME).session("s-1").message_count == 3


def test_what_two_programs_store_in_a_session_is_counted_once_each(b: Bench):
    w = b.window()
    with other(b) as et:
        theirs = et.beside(NAME)
        for n in range(4):
            b.agent.attend(_plain(b, "reply", text=f"ours {n}"))
            theirs.attend(_plain(b, "reply", text=f"theirs {n}"))
    assert w.row.message_count == 8
    assert b.words() == [f"{whose} {n}" for n in range(4) for whose in ("ours", "theirs")]
    assert b.et.verify(b.agent).faults == []


@pytest.mark.parametrize("elsewhere", [True, False], ids=["another program", "this one"])
@pytest.mark.parametrize("kind", ["reply", "prompt", "start"])
def test_after_the_thread_was_erased_an_event_is_stored_in_its_successor(
    b: Bench, kind: str, *, elsewhere: bool
):
    w = b.window()
    w.turn("a secret", "kept")
    if elsewhere:
        with other(b) as et:
            et.erase(NAME)
    else:
        b.et.erase(b.agent)
    b.clock.forward(minutes=1)
    w.lines.clear()
    w.tell(kind, text=None if kind == "start" else "afterwards", start="startup")
    assert b.words() == ([] if kind == "start" else ["afterwards"])
    assert w.row.message_count == len(b.words())
    assert b.et.verify(b.agent).faults == []


def test_an_agent_that_another_program_defines_anew_is_seen_so_at_the_next_start(
    b: Bench, monkeypatch: pytest.MonkeyPatch
):
    w = b.window()
    w.turn("one", "first")
    with other(b) as et:
        et.agent(NAME, window=50_000)
    seen: list[int] = []
    from everthread.services.attending import start as attend_start

    real = attend_start.start_block

    def noted(house: Any, agent: Any, *rest: Any, **more: Any) -> Any:
        seen.append(agent.window)
        return real(house, agent, *rest, **more)

    monkeypatch.setattr(attend_start, "start_block", noted)
    b.window("s-2").start()
    b.window("s-3").prompt("a start that nobody told of")
    assert seen == [50_000, 50_000]


@pytest.mark.parametrize("kind", ["reply", "prompt", "start"])
def test_in_another_store_an_event_goes_to_the_agent_of_its_name(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
):
    """A handle holds a reference; in a store that was put in its place that may be somebody else's."""
    with bench(tmp_path, str(tmp_path / "a.db")) as b:
        b.agent = b.et.beside(NAME)
        b.window().turn("one", "first")
        with everthread.connect(
            tmp_path / "b.db", settings=everthread.Settings(embedder="off"), background=False
        ) as et:
            stranger = et.agent("stranger")
            assert stranger.row.ref == b.agent.row.ref
            for verb in ("read", "write"):
                monkeypatch.setattr(b.et.house.store, verb, getattr(et.house.store, verb))
            text = None if kind == "start" else "for us alone"
            b.window().tell(kind, text=text, start="startup")
            assert stranger.messages() == [] and stranger.sessions() == []
            own = et.known_agent(NAME)
            assert [m.text for m in own.messages()] == ([] if text is None else [text])
            assert [s.key for s in own.sessions()] == ["s-1"]
            monkeypatch.undo()


def test_a_start_is_given_the_state_that_the_worker_puts_down_at_that_moment(
    b: Bench, monkeypatch: pytest.MonkeyPatch
):
    """B-27: of the two who would write the checkpoint of a session that has ended one comes first."""
    first = b.window("s-0")
    first.start()
    first.turn("Move the queue to the new schema.", "Half of it is moved.")
    first.end()
    real = recover.write_checkpoint

    def late(*told: Any, **more: Any) -> Any:
        assert b.work() > 0
        return real(*told, **more)

    monkeypatch.setattr(recover, "write_checkpoint", late)
    assert "Move the queue to the new schema." in b.window("s-1").start()


# Where a folder belongs


def test_a_folder_that_was_moved_and_left_a_link_belongs_where_it_is(tmp_path: Path):
    """All that is looked at in it is the same as before, but for the folder itself."""
    home = tmp_path / "home"
    home.mkdir()
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    first = binding_of(str(shop), home)
    assert binding_of(str(shop), home) == first
    shop.rename(tmp_path / "moved")
    shop.symlink_to(tmp_path / "moved")
    assert binding_of(str(shop), home) == binding_of(str(tmp_path / "moved"), home) != first


def test_so_it_is_with_a_folder_above_it(tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "one" / "shop" / ".git").mkdir(parents=True)
    folder = str(tmp_path / "one" / "shop")
    first = binding_of(folder, home)
    (tmp_path / "one").rename(tmp_path / "two")
    (tmp_path / "one").symlink_to(tmp_path / "two")
    assert binding_of(folder, home) == binding_of(str(tmp_path / "two" / "shop"), home) != first


@pytest.mark.parametrize("way", ["shop/../shop", "shop/", "./shop", "shop//"])
def test_however_a_folder_is_written_it_is_the_same(tmp_path: Path, way: str):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    assert (
        binding_of(f"{tmp_path}/{way}", home).agent
        == binding_of(str(tmp_path / "shop"), home).agent
    )


# The same as before, and less to do


class Plain:
    """The balance as a table."""

    def __init__(self) -> None:
        self.owed: dict[str, list[int]] = {}

    def first(self, who: str, text: str, *, by_hook: bool, at: int) -> bool:
        key = f"{who}{text_hash(text)}"
        owed, when = self.owed.pop(key, [0, at])
        if by_hook and owed < 0 and at - when > FORGOTTEN:
            owed = 0
        new = owed >= 0 if by_hook else owed <= 0
        owed += 1 if by_hook else -1
        if owed:
            self.owed[key] = [owed, at]
        return new

    def text(self) -> str:
        newest = list(self.owed.items())[-MOST_OWED:]
        self.owed = dict(newest)
        return json.dumps(self.owed, separators=(",", ":"))


@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("ua"),
            st.sampled_from(["a", "b", "]", '"x":[1,2]', "{}", ""]),
            st.booleans(),
            st.integers(0, 3 * FORGOTTEN),
        ),
        max_size=40,
    ),
    st.integers(1, 6),
)
def test_a_balance_that_is_kept_as_text_is_the_same_balance(
    events: list[tuple[str, str, bool, int]], most: int
):
    from everthread.services.harness import balance as module

    ours, plain = Balance(""), Plain()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_OWED", most)
        patch.setitem(globals(), "MOST_OWED", most)
        for who, text, by_hook, at in events:
            assert ours.owed(who, text) == plain.owed.get(f"{who}{text_hash(text)}", [0])[0]
            new = ours.first(who, text, by_hook=by_hook, at=at)
            assert new == plain.first(who, text, by_hook=by_hook, at=at)
            told = ours.text()
            assert told == plain.text()
            ours = Balance(told, ours.names())


def test_what_was_settled_is_known_after_it_was_written():
    balance = Balance("", "")
    balance.settle("line-1")
    assert Balance(balance.text(), balance.names()).is_settled("line-1")
    assert not Balance(balance.text(), balance.names()).is_settled("line-2")
    assert Balance("", "a b").names() == "a b"


WORDS = st.sampled_from(
    [
        *("moved", "moving", "Move", "server", "Servers", "parse_line", "src/a.py", "8080", "the"),
        *(
            "2024",
            "ΟΔΟΣ",
            "οδός",
            "東京",
            "京都",
            "東京都",
            "\u212aelvin",
            "kelvin",
            "v1.2.",
            "no-one",
        ),
        *("A'ΣB", "straße", "STRASSE", "İstanbul", "e.g."),
    ]
)
TEXTS = st.lists(WORDS, max_size=30).map(" ".join) | st.text(max_size=60)


@settings(max_examples=300)
@given(text=TEXTS, question=TEXTS, memory=st.booleans())
@example(text="the tower of 東京都", question="京都", memory=False)
def test_what_bears_on_a_question_is_the_same_as_if_all_of_it_were_read(
    text: str, question: str, *, memory: bool
):
    asked, found = telling_words(question), telling_words(text)
    more = len(asked.all) // 25
    named = (asked.named & found.all) | (asked.plain & found.named)
    shared = len(asked.plain & found.plain)
    plainly = shared > more if memory else shared >= 2 + more or 0 < shared * 2 >= len(asked.all)
    assert bears_on(text, asked, memory=memory) == (len(named) > more or plainly)


# Waiting only so long


def test_a_thread_is_used_again_and_ends_with_the_engine():
    limited, used = TimeLimit(60.0), list[threading.Thread]()
    for _ in range(3):
        limited.run(lambda: used.append(threading.current_thread()))
    assert len({*used}) == 1
    limited.stop()
    used[0].join(60)
    assert not used[0].is_alive()


def test_several_at_once_do_not_wait_for_each_other():
    limited, both = TimeLimit(60.0), threading.Barrier(2, timeout=60)
    threads = [threading.Thread(target=limited.run, args=(both.wait,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not both.broken
    limited.stop()


def test_what_fails_in_the_other_thread_fails_here_and_the_next_one_is_heard():
    limited = TimeLimit(60.0)
    with pytest.raises(ZeroDivisionError):
        limited.run(lambda: 1 // 0)
    assert limited.run(lambda: "well") == "well"
    limited.stop()
