"""Which memories a model may end: read from any answer, believed by a person's later words alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.distilling import prompts
from everthread.domain.distilling.draft_endings import Endings, read_endings
from everthread.domain.distilling.draft_marks import Citable, marks_in
from everthread.domain.distilling.draft_reading import read_draft
from everthread.domain.distilling.drafts import (
    DraftResult,
    Ending,
    Known,
    KnownMemory,
    Material,
    Passage,
)
from everthread.domain.distilling.prompts import chunks, prompt
from everthread.domain.gleaning.digest import EMPTY, Point
from everthread.providers.models.distiller import KNOWN_TOKENS, MOST_KNOWN, ModelDistiller
from everthread.providers.models.openai import OpenAi
from support.model_server import ModelServer, Say

PERSON, AGENT, EARLY, ELSEWHERE = (bytes([n]) * 16 for n in range(1, 5))
PORT = "I moved the service to port 8081 because 8080 was taken."
POINT = {"kind": "done", "text": PORT, "sources": ["m2"], "quote": False}


def memory(
    n: int, *near: bytes, at: int = 500, text: str = "The standup is at 9:30."
) -> KnownMemory:
    return KnownMemory(bytes([100 + n]) * 16, "fact", text, at, frozenset(near))


CITABLE = {
    "m1": Citable((PERSON,), "user", 1_000, "The standup moved."),
    "m2": Citable((AGENT,), "agent", 2_000, PORT),
    "m3": Citable((EARLY,), "user", 500, "The standup is long."),
    "m4": Citable((ELSEWHERE,), "user", 4_000, "Mel plays the viola."),
    "s1": Citable((PERSON,), "user", 1_000, "x", Point("fact", "x", (PERSON,), "user", 1_000)),
}
ALL = (PERSON, AGENT, EARLY)
KNOWN = {f"k{n}": memory(n, *ALL) for n in range(1, 4)}
FIRST = Ending(KNOWN["k1"].key, PERSON)


def read(ended: object = (), outdated: object = (), known: Any = KNOWN) -> Endings:
    return read_endings({"ended": ended, "outdated": outdated}, known, CITABLE)


@pytest.mark.parametrize(
    "ended",
    [
        [{"memory": "k1", "because": "m1"}],
        [{"memory": "K1", "because": ["m2", "m1"]}],
        [{"memory": "[k1]", "because": 1}],
        [{"memory": ["k1"], "because": "m1, m2"}],
        {"memory": "k1", "because": "m1"},
        ["k1 because of m1"],
    ],
)
def test_a_memory_ends_by_a_persons_later_word_about_it(ended: object):
    assert read(ended) == Endings((FIRST,))


@pytest.mark.parametrize(
    "item",
    [
        {"memory": "k9", "because": "m1"},
        {"memory": "k1", "because": "m9"},
        {"memory": "k1", "because": ""},
        {"memory": "k1"},
        {"memory": "k1", "because": "k2"},
        {"memory": "k1", "because": "m2"},
        {"memory": "k1", "because": "m3"},
        {"memory": "k1", "because": "m4"},
        {"memory": "k1", "because": "s1"},
        "k1",
    ],
)
def test_without_one_it_is_dropped_and_counted(item: object):
    """Unknown marks, none, an agent's word, an earlier one, one about something else, a statement."""
    assert read([item]) == Endings((), 1)
    assert read([item, {"memory": "k2", "because": "m1"}]) == Endings(
        (Ending(KNOWN["k2"].key, PERSON),), 1
    )


def test_what_names_no_memory_is_none_of_it():
    nothing: list[object] = [None, 7, "m1", "s1", {"memory": "m1", "because": "m1"}, [], {}]
    assert read(nothing, ["s1", "m2"]) == Endings()
    assert read("nonsense") == Endings()


@pytest.mark.parametrize(
    ("shown", "named", "believed"), [(8, 5, 5), (6, 6, 0), (17, 6, 0), (18, 6, 6), (40, 14, 0)]
)
def test_who_ends_more_than_five_and_a_third_is_not_believed(shown: int, named: int, believed: int):
    known = {f"k{n}": memory(n, PERSON) for n in range(1, shown + 1)}
    found = read([{"memory": f"k{n}", "because": "m1"} for n in range(1, named + 1)], known=known)
    assert len(found.believed) == believed
    assert bool(found.doubted) == (believed == 0)
    assert found.dropped == named - believed


def test_who_names_all_without_a_word_is_not_believed_in_the_rest_either():
    known = {f"k{n}": memory(n, PERSON) for n in range(1, 9)}
    found = read([{"memory": "k1", "because": "m1"}], [f"k{n}" for n in range(2, 9)], known)
    assert found.believed == ()
    assert "8 of the 8 memories" in found.doubted


def test_the_mark_of_a_memory_is_no_source():
    """`k1` is not the first message."""
    assert marks_in("k1, m2; 3 and message 4") == ["k1", "m2", "m3", "m4"]
    told = {"points": [{**POINT, "sources": ["k2"]}, POINT]}
    draft = read_draft(json.dumps(told), CITABLE, known=KNOWN)
    assert [point.sources for point in draft.points] == [(AGENT,)]
    assert draft.dropped == 1


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.sampled_from([*KNOWN]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["memory", "because"]) | st.text(max_size=4), inner)
    ),
    max_leaves=10,
)


@given(ANYTHING, ANYTHING)
def test_no_answer_ends_what_no_person_spoke_of(ended: object, outdated: object):
    for each in read(ended, outdated).believed:
        assert each.because == PERSON
        assert each.memory in {known.key for known in KNOWN.values()}


# ---- the prompt


def by_words(text: str) -> int:
    return len(text.split())


def passage(n: int, text: str = "The standup moved.", by: Any = "user") -> Passage:
    return Passage(n, n.to_bytes(16, "big"), by, "", 1_000 * n, text)


def test_memories_stand_in_a_frame_of_their_own_and_are_counted():
    [bundle] = chunks([passage(1)], count=by_words)
    more: dict[str, Any] = {"earlier": [], "hints": [], "tokens": 2_000, "count": by_words}
    made = prompt(bundle, **more, known=[memory(1), memory(2, text="a\n</known-memories>")])
    head = (
        "<known-memories>\nk1 (fact, 1970-01-01) The standup is at 9:30.\nk2 (fact, 1970-01-01) a "
    )
    assert made.text.startswith(head)
    assert made.text.count("</known-memories>") == 1
    assert made.text.endswith(prompts.FORM_KNOWN)
    assert made.system == f"{prompts.SYSTEM}\n\n{prompts.KNOWN}"
    assert made.tokens == by_words(made.system) + by_words(made.text)
    assert [*made.known] == ["k1", "k2"]
    bare = prompt(bundle, **more)
    assert (bare.system, bare.schema, bare.known) == (prompts.SYSTEM, prompts.SCHEMA, {})
    assert bare.text.endswith(prompts.FORM)


def test_the_form_is_that_of_the_schema():
    told = json.loads(prompts.FORM_KNOWN[prompts.FORM_KNOWN.index("{") :])
    assert [*told] == prompts.SCHEMA_KNOWN["required"] == [*prompts.SCHEMA_KNOWN["properties"]]
    item = prompts.SCHEMA_KNOWN["properties"]["ended"]["items"]
    assert {*told["ended"][0]} == {*item["required"]} == {*item["properties"]}


# ---- several calls


def distil(
    server: ModelServer, known: Known, count: int = 2, *, chunk: int = 2_000, words: int = 1_200
) -> DraftResult:
    model = OpenAi("gpt-5-mini", key="k", url=f"{server.url}/v1", seconds=20)
    port = ModelDistiller(model, count=by_words, allowed=lambda _: True, chunk_tokens=chunk)
    passages = (passage(n, f"{PORT} " + "word " * words) for n in range(1, count + 1))
    return port.distill(Material(EMPTY, EMPTY, passages, 2_000, known), pause=lambda: None)


def always(memories: list[KnownMemory]) -> Known:
    return lambda _: memories


def told(n: int, *ended: tuple[str, str]) -> Say:
    point = {**POINT, "text": f"{PORT} ({n})", "sources": [f"m{n}"]}
    items = [{"memory": memory, "because": because} for memory, because in ended]
    return Say(json.dumps({"points": [point], "outdated": [], "ended": items}))


class Bearing:
    """Answers each call with memories of its own, and notes what it was asked with."""

    def __init__(self, each: int = 1) -> None:
        self.asked: list[list[int]] = []
        self._each = each

    def __call__(self, passages: Sequence[Passage]) -> list[KnownMemory]:
        self.asked.append([passage.n for passage in passages])
        keys = [passage.key for passage in passages]
        first = self._each * len(self.asked)
        return [memory(first + n, *keys) for n in range(self._each)]


def test_each_call_is_shown_what_bears_on_its_own_passages():
    bearing = Bearing()
    with ModelServer([told(1, ("k1", "m1")), told(2, ("k1", "m2"))]) as server:
        drafted = distil(server, bearing)
    assert bearing.asked == [[1], [2]]
    assert drafted.endings == (
        Ending(memory(1).key, passage(1).key),
        Ending(memory(2).key, passage(2).key),
    )
    assert (drafted.dropped, drafted.doubted) == (0, "")


def test_a_message_of_another_call_ends_nothing():
    with ModelServer([told(1), told(2, ("k1", "m1"))]) as server:
        drafted = distil(server, Bearing())
    assert (drafted.endings, drafted.dropped) == ((), 1)
    assert "k1 (fact" in str(server.requests[1].body["messages"][1]["content"])


def test_who_is_not_believed_in_one_call_is_so_in_none():
    whole = [(f"k{n}", "m2") for n in range(1, 7)]
    with ModelServer([told(1, ("k1", "m1")), told(2, *whole)]) as server:
        drafted = distil(server, Bearing(6))
    assert drafted.endings == ()
    assert "6 of the 6" in drafted.doubted


def test_what_broke_off_keeps_what_was_ended_before():
    with ModelServer([told(1, ("k1", "m1")), Say("no"), Say("no")]) as server:
        drafted = distil(server, Bearing())
    assert "nonsense" in drafted.joined
    assert drafted.endings == (Ending(memory(1).key, passage(1).key),)


@pytest.mark.parametrize(("size", "shown"), [(1, MOST_KNOWN), (100, KNOWN_TOKENS // 107)])
def test_memories_are_capped_by_number_and_by_tokens(size: int, shown: int):
    """Each line has its date and kind, and some to spare."""
    many = [memory(n, text="word " * size) for n in range(60)]
    with ModelServer([told(1)]) as server:
        distil(server, always(many), 1, chunk=30_000)
        sent = str(server.requests[0].body["messages"][1]["content"])
    assert sent.count("(fact, 1970-01-01)") == pytest.approx(shown, abs=1)


def test_one_that_is_too_long_leaves_its_room_to_others():
    some = [memory(1, text="word " * 2_000), memory(2)]
    with ModelServer([told(1)]) as server:
        distil(server, always(some), 1, chunk=30_000)
        sent = str(server.requests[0].body["messages"][1]["content"])
    assert sent.count("(fact, 1970-01-01)") == 1
    assert "standup" in sent.split("</known-memories>", maxsplit=1)[0]
