"""What happened elsewhere is recorded; what is kept of everything that was said."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread, Turn
from everthread.domain.conversation.messages import Message
from everthread.domain.errors import (
    BadInput,
)
from everthread.testing import FrozenClock
from support.legality import anthropic_problems, openai_problems
from support.model_clients import TOOL, assistant, calling, text, thought, use, user

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def et(clock: FrozenClock) -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=clock, background=False) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada", system="You are Ada.", tools=[TOOL], model="claude-test")


def texts(messages: Sequence[Message]) -> list[str]:
    return [message.text for message in messages]


def check_legal(turn: Turn) -> None:
    """Both providers would take the request."""
    request: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": turn.messages}
    request |= {"tools": turn.tools} if turn.tools else {}
    assert anthropic_problems(request) == []
    assert openai_problems({"model": "m", **turn.openai()}) == []


def said_in(turn: Turn) -> str:
    return json.dumps(turn.messages, ensure_ascii=False)


# ---- recording


def test_recording_twice_changes_nothing(et: Everthread, ada: Agent) -> None:
    """(R-12)."""
    entries = [
        {"id": "ext-1", "role": "user", "content": "one"},
        {"id": "ext-2", "role": "assistant", "content": "two"},
        {"id": "ext-2", "role": "assistant", "content": "two, again in one batch"},
    ]
    assert ada.record(entries) == (2, 1, ("ext-2",))
    assert ada.record(entries) == (0, 3, ("ext-2",))
    assert ada.record(entries[:2]) == (0, 2, ())
    assert ada.record([entries[0]], source="import") == (1, 0, ())
    assert ada.record([{"role": "user", "content": "without an id"}]) == (1, 0, ())
    assert ada.record([{"role": "user", "content": "without an id"}]) == (1, 0, ())
    assert ada.record([]) == (0, 0, ())
    assert ada.primary.message_count == 5
    assert et.verify(ada).sound


@pytest.mark.req("R-12")
def test_a_known_id_that_says_something_else_is_told(et: Everthread, ada: Agent) -> None:
    """The first text stays, for messages are never edited; nothing is lost in silence."""
    long = "a page of the manual, " * 4_000
    first = [
        {"id": "1", "role": "user", "content": "Signal: shall we meet?"},
        {"id": "2", "role": "assistant", "content": [{"type": "text", "text": long}]},
        {"id": "3", "role": "user", "content": long},
    ]
    assert ada.record(first) == (3, 0, ())
    assert ada.record(first) == (0, 3, ())
    other = [
        {**first[0], "content": "Slack: the build is red"},
        {**first[1], "content": [{"type": "text", "text": f"{long}!"}]},
        {**first[2], "role": "assistant"},
        {"id": "4", "role": "user", "content": "new"},
    ]
    assert ada.record(other) == (1, 3, ("1", "2", "3"))
    assert "build is red" not in " ".join(message.text for message in ada.messages())
    assert et.verify(ada).sound


@pytest.mark.req("R-12")
def test_two_channels_may_count_their_messages_alike(et: Everthread, ada: Agent) -> None:
    """With its channel an id holds there alone."""
    signal = {"id": "1", "role": "user", "content": "Shall we meet?"}
    slack = {"id": "1", "role": "user", "content": "The build is red"}
    assert ada.record([signal], channel="signal:+49123") == (1, 0, ())
    assert ada.record([slack], channel="slack:builds") == (1, 0, ())
    assert ada.record([signal], channel="signal:+49123") == (0, 1, ())
    assert ada.record([slack], channel="signal:+49123").changed == ("1",), "as it was given"
    assert [m.external_id for m in ada.messages()] == ["signal:+49123#1", "slack:builds#1"]
    with pytest.raises(BadInput, match="give the channel"):
        ada.record([signal], source="slack")


@pytest.mark.req("R-12")
def test_no_two_channels_and_ids_read_the_same(ada: Agent) -> None:
    """Whatever stands in them: a separator of ours, a sign by which it is quoted."""
    given = [
        *(("a", "b#1"), ("a#b", "1"), ("a", "#b#1"), ("a##b", "1"), ("a#", "b#1"), ("a", "b%231")),
        *(
            ("#a", "b#1"),
            ("#a#b", "1"),
            ("#a", "b"),
            ("%23a", "b"),
            ("a%23b", "1"),
            ("a%", "23b#1"),
        ),
        *(("a%2523b", "1"), ("50% off", "1"), ("#general", "1"), ("general", "1"), ("#", "#1")),
    ]
    for n, (channel, ident) in enumerate(given):
        said = {"id": ident, "role": "user", "content": f"No. {n}"}
        assert ada.record([said], channel=channel) == (1, 0, ()), (channel, ident)
    for n, (channel, ident) in enumerate(given):
        said = {"id": ident, "role": "user", "content": f"No. {n}"}
        assert ada.record([said], channel=channel) == (0, 1, ()), (channel, ident)
        other = {**said, "content": "something else"}
        assert ada.record([other], channel=channel).changed == (ident,)
    assert len(ada.messages(limit=100)) == len(given)


def test_ids_of_ordinary_channels_stay_what_they_were(ada: Agent) -> None:
    """So that a store that has them is not given them again."""
    given = {"signal:+49123": "signal:+49123#1", "50% off": "50% off#1"}
    for channel, stored in given.items():
        said = {"id": "1", "role": "user", "content": f"by {channel}"}
        assert ada.record([said | {"id": stored}]).added == 1
        assert ada.record([said], channel=channel) == (0, 1, ())


@pytest.mark.req("R-12")
@pytest.mark.parametrize("channel", ["#general", "team#general", "50%#"])
def test_what_an_older_store_has_of_a_channel_is_not_stored_twice(ada: Agent, channel: str) -> None:
    """A store of an older version has the ids of such a channel as they were put then."""
    said = [
        {"id": str(n), "role": "user", "content": f"Message {n} of them. " * 2_000 * n}
        for n in range(1, 4)
    ]
    stored = [each | {"id": f"{channel}#{each['id']}"} for each in said[:2]]
    assert ada.record(stored).added == 2
    assert ada.record(said, channel=channel) == (1, 2, ())
    assert ada.record(said, channel=channel) == (0, 3, ())
    other = {"id": "3", "role": "user", "content": "Something else"}
    assert ada.record([other], channel=channel) == (0, 1, ("3",))
    # Nobody can tell whether that was the channel's own: nothing is lost by storing it.
    other = {"id": "1", "role": "user", "content": "Not what was said there"}
    assert ada.record([other], channel=channel) == (1, 0, ())


def test_an_id_is_known_per_agent(et: Everthread, ada: Agent) -> None:
    """(R-12, R-44)."""
    entry = {"id": "ext-1", "role": "user", "content": "one"}
    assert ada.record([entry]).added == 1
    assert et.agent("bob").record([entry]).added == 1


def test_what_is_older_than_the_view_is_archive(ada: Agent) -> None:
    """(R-12, R-1)."""
    ada.turn("now").done("yes")
    ada.record([{"role": "user", "content": "long ago", "at": "2020-01-01T00:00:00Z"}])
    turn = ada.turn("and now?")
    assert "long ago" not in said_in(turn)
    assert next((m.text, m.archived) for m in ada.messages()) == ("long ago", True)


@pytest.mark.parametrize("source", ["hook", "import"])
def test_what_hooks_and_imports_bring_never_enters_the_view(ada: Agent, source: str) -> None:
    """(R-1, R-12)."""
    ada.record([{"role": "user", "content": "from elsewhere"}], source=source)
    assert "from elsewhere" not in said_in(ada.turn("hello"))
    assert texts(ada.messages(limit=2))[0] == "from elsewhere"


@pytest.mark.parametrize("source", ["turn", "", "gossip"])
def test_an_unknown_source_is_refused(ada: Agent, source: str) -> None:
    with pytest.raises(BadInput, match="record, hook or import"):
        ada.record([{"role": "user", "content": "x"}], source=source)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("timed", [True, False])
def test_the_newest_ten_of_what_was_recorded_enter_the_view(
    ada: Agent, at_once: bool, timed: bool
) -> None:
    """(R-12, S-6)."""
    ada.turn("before").done("yes")
    entries: list[Any] = [{"role": "user", "content": f"<{n}>"} for n in range(25)]
    if timed:
        # Clocks of chat exports count whole seconds.
        entries = [entry | {"at": "2026-02-20T10:00:07Z"} for entry in entries]
    for batch in [entries] if at_once else [[entry] for entry in entries]:
        ada.record(batch)
    turn = ada.turn("now")
    assert [n for n in range(25) if f"<{n}>" in said_in(turn)] == [*range(15, 25)]
    assert "before" in said_in(turn)
    turn.done("yes")
    assert ada.primary.message_count == 29


def test_recorded_messages_enter_the_view_up_to_a_number_of_tokens(ada: Agent) -> None:
    """(R-12, S-6)."""
    ada.record([{"role": "user", "content": f"<{n}>" + " word" * 4_100} for n in range(8)])
    turn = ada.turn("now")
    assert [n for n in range(8) if f"<{n}>" in said_in(turn)] == [6, 7]
    assert turn.context_tokens < 8_300


def test_one_recorded_message_enters_the_view_however_long(ada: Agent) -> None:
    """(R-12, S-6, R-3)."""
    ada.record([{"role": "user", "content": "<0>"}, {"role": "user", "content": "<1>" * 9_000}])
    turn = ada.turn("now")
    assert "<1>" in said_in(turn)
    assert "<0>" not in said_in(turn)


def test_the_last_human_word_enters_the_view_with_what_came_after_it(ada: Agent) -> None:
    """(R-12, S-6)."""
    ada.record(
        [
            {"role": "user", "content": "<earlier>"},
            {"role": "assistant", "content": "<earlier answer>"},
            {"role": "user", "content": "<the question>"},
            *({"role": "assistant", "content": f"<step {n}>"} for n in range(12)),
        ]
    )
    turn = ada.turn("now")
    assert "<the question>" in said_in(turn)
    assert "<earlier>" not in said_in(turn)


def test_what_is_recorded_keeps_its_tool_pairs_whole(ada: Agent) -> None:
    """(R-12, S-6)."""
    ada.record(
        [
            {"role": "user", "content": "look"},
            calling("c1"),
            {"role": "tool", "tool_call_id": "c1", "content": "<found>"},
            *({"role": "user", "content": f"<{n}>"} for n in range(9)),
        ]
    )
    turn = ada.turn("now")
    check_legal(turn)
    # Ten messages would begin with the result; without its call it stays out, or both come in.
    assert ("<found>" in said_in(turn)) == ("look_up" in said_in(turn))
    assert "earlier tool call" not in said_in(turn)


@pytest.mark.slow
def test_a_hundred_thousand_messages_can_be_recorded_at_once(ada: Agent, et: Everthread) -> None:
    """(R-12)."""
    start = datetime(2024, 1, 1, tzinfo=UTC).timestamp()
    entries = [
        {
            "id": str(n),
            "role": "user" if n % 2 == 0 else "assistant",
            "content": f"<{n}>",
            "at": start + n * 60,
        }
        for n in range(100_005)
    ]
    random.Random(1).shuffle(entries)
    assert ada.record(entries) == (100_005, 0, ())
    assert texts(ada.messages(limit=3)) == ["<100002>", "<100003>", "<100004>"]
    assert ada.record(entries[:2_000]) == (0, 2_000, ())
    turn = ada.turn("now")
    assert [n for n in range(99_900, 100_005) if f"<{n}>" in said_in(turn)] == [
        *range(99_995, 100_005)
    ]
    assert ada.primary.message_count == 100_006
    assert [s.message_count for s in ada.sessions()] == [1, 100_005]


def test_chunks_do_not_show_in_the_view(ada: Agent) -> None:
    """(R-12)."""
    ada.record([{"role": "user", "content": f"<{n}>"} for n in range(1_004)])
    turn = ada.turn("now")
    assert [n for n in range(1_004) if f"<{n}>" in said_in(turn)] == [*range(994, 1_004)]


def test_recorded_sessions_are_cut_by_their_own_times(ada: Agent) -> None:
    """(R-12, D-13, X-24)."""
    hours = [0, 1, 4.9, 9, 9.5, 40]
    start = datetime(2025, 6, 1, 22, tzinfo=UTC).timestamp()
    ada.record([{"role": "user", "content": f"{h}", "at": start + h * 3600} for h in hours])
    sessions = ada.sessions()
    assert [s.message_count for s in sessions] == [1, 2, 3]
    assert {s.state for s in sessions} == {"complete"}
    assert [s.previous_ref for s in sessions] == [sessions[1].ref, sessions[2].ref, None]
    ada.turn("now").done("yes")
    assert len(ada.sessions()) == 4


def test_what_is_recorded_belongs_to_its_project(ada: Agent, tmp_path: Path) -> None:
    """(R-12, X-25)."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "shop")
    ada.record([{"role": "user", "content": "x"}], project=str(tmp_path / "link"))
    session = ada.sessions()[0]
    assert session.project == str(tmp_path / "link")
    assert session.project_normalized == str((tmp_path / "shop").resolve())
    ada.record([{"role": "user", "content": "y"}], project="/srv/other")
    assert len(ada.sessions()) == 2


def test_speakers_are_shown_by_name(ada: Agent) -> None:
    """(R-12)."""
    ada.record(
        [
            {"role": "user", "name": "Mel", "content": "I like tabs."},
            {"role": "user", "name": "Jo Ann", "content": "I do not."},
        ]
    )
    turn = ada.turn("Who is right?", name="Max")
    assert turn.messages == [
        user([text("Mel: I like tabs."), text("Jo Ann: I do not."), text("Max: Who is right?")])
    ]
    assert turn.openai()["messages"][1:] == [
        user("I like tabs.") | {"name": "Mel"},
        user("Jo Ann: I do not."),
        user("Who is right?") | {"name": "Max"},
    ]
    assert [message.name for message in ada.messages()] == ["Mel", "Jo Ann", "Max"]


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"role": "user"},
        {"role": "narrator", "content": "x"},
        {"role": "user", "content": "x", "at": "yesterday"},
        {"role": "user", "content": "x", "id": ""},
        {"role": "user", "content": "x", "id": "i" * 1_001},
        {"role": "user", "content": "x", "name": "a\x00b"},
        {"role": "tool", "content": "x"},
        {"role": "user", "content": [{"no": "type"}]},
    ],
)
def test_a_wrong_entry_is_refused_and_nothing_is_stored(ada: Agent, entry: Any) -> None:
    """(R-12)."""
    with pytest.raises(BadInput):
        ada.record([{"role": "user", "content": "good"}, entry])
    assert ada.messages() == []


def test_recording_during_a_turn_does_not_change_what_it_sends(ada: Agent) -> None:
    """(R-7, R-12)."""
    turn = ada.turn("go").add(assistant([use("t1")]))
    ada.record([{"role": "user", "content": "meanwhile"}])
    turn.tool_result("t1", "found")
    assert "meanwhile" not in said_in(turn)
    turn.done("Done.")
    following = ada.turn("next")
    assert "meanwhile" in said_in(following)
    check_legal(following)


# ---- what is kept


BLOCKS: list[Any] = [
    text("plain"),
    text("cited", citations=[{"type": "char_location", "cited_text": "x", "start_char_index": 0}]),
    thought(),
    thought(thinking="", signature="c2lnbmVkIQ=="),
    {"type": "redacted_thinking", "data": "b3BhcXVl"},
    use("t1", input={"deep": [{"n": 1.25}, None, True, "汉字"]}, caller={"type": "direct"}),
    IMAGE,
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
    {"type": "hologram", "zeta": 1, "alpha": {"b": [], "a": {}}, "nothing": None},
    {"type": "text", "text": "carrying our key", "everthread": {"body": "zz", "provider": "x"}},
    {"type": "hologram", "everthread": "not even a dict"},
]


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block["type"])
def test_every_kind_of_block_is_kept_as_it_came(
    et: Everthread, ada: Agent, block: Any, large: bool
) -> None:
    """(R-42, R-49, X-19)."""
    given = [block, text("y" * 10_000 if large else "end"), text("end")]
    raw = json.dumps(given)
    turn = ada.turn("go").add({"role": "assistant", "content": given})
    kept = ada.messages()[-1].blocks
    assert json.dumps(kept) == raw
    assert [[*one] for one in kept] == [[*one] for one in given]
    if turn.open_calls:
        turn.tool_result("t1", "found")
    turn.done("ok")
    following = ada.turn("next")
    if block["type"] != "hologram":
        # What no provider knows may be what one will know tomorrow, and goes out as it came.
        check_legal(following)
    assert et.verify(ada).sound


def test_what_openai_alone_understands_goes_back_to_openai_alone(ada: Agent) -> None:
    """(X-19)."""
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    said = {
        "role": "assistant",
        "content": "Hm.",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "b3BhcXVl"}],
        "tool_calls": [call],
    }
    turn = ada.turn("go").add(said).tool_result("c1", "found")
    assert "b3BhcXVl" in json.dumps(turn.openai())
    assert "b3BhcXVl" not in said_in(turn)
    turn.done("ok")
    later = ada.turn("next")
    assert "b3BhcXVl" in json.dumps(later.openai())
    assert "b3BhcXVl" not in said_in(later)


def test_large_bodies_are_stored_once(tmp_path: Path) -> None:
    """(R-49, R-40)."""
    store, empty = tmp_path / "everthread.db", tmp_path / "empty.db"
    everthread.connect(empty, background=False).close()
    book = "".join(random.Random(1).choices("abcdefgh ", k=300_000))
    with everthread.connect(store, background=False) as et:
        ada = et.agent("ada", window=10_000_000)
        for n in range(10):
            turn = ada.turn("read it").add(assistant([use(f"t{n}")]))
            turn.tool_result(f"t{n}", [text(book)])
            turn.done("read")
        ada.record([{"role": "user", "content": book} for _ in range(3)])
        ada.record([{"role": "user", "content": book} for _ in range(3)])
        assert [m.text for m in ada.messages(limit=6)] == [book] * 6
        assert et.verify(ada).sound
    # Sixteen copies of it would be 4.8 MB.
    assert store.stat().st_size - empty.stat().st_size < 1_000_000
    with everthread.connect(store, background=False) as et:
        ada = et.agent("ada")
        assert [stone.messages for stone in et.erase(ada)] == [46]
        lines: list[str] = []
        et.export(lines.append)
        assert sum(map(len, lines)) < 100_000


def test_a_message_knows_where_it_came_from(ada: Agent) -> None:
    """(R-11, X-25, S-16)."""
    ada.turn("hello", principal="mel", name="Mel").done("hi")
    ada.record(
        [
            {"id": "e1", "role": "user", "content": "x", "principal": "jo"},
            {"role": "assistant", "content": "y"},
            {"role": "system", "content": "z"},
            {"role": "tool", "tool_call_id": "t", "content": "w"},
        ]
    )
    beat = ada.thread("heartbeat:noon", kind="background")
    beat.turn("tick").done("tock")
    assert [(m.role, m.origin, m.source, m.principal, m.external_id) for m in ada.messages()] == [
        ("user", "user", "turn", "mel", None),
        ("assistant", "agent", "turn", "mel", None),
        ("user", "user", "record", "jo", "e1"),
        ("assistant", "agent", "record", "jo", None),
        ("system", "system", "record", None, None),
        ("user", "tool", "record", "jo", None),
    ]
    assert [m.origin for m in beat.messages()] == ["system", "agent"]
