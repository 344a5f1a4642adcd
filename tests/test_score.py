"""A distillation is scored by what the context holds and what a recall brings back, within its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

import everthread
from everthread import Agent, Everthread
from everthread.domain.continuity import Draw, Item, KindScore, kept
from everthread.domain.distillation import SECTION_OF, TRACES, Point, Trace
from everthread.domain.messages import Message
from everthread.services.prime import prime
from everthread.services.score import MENDED, Scored, repairs, score

pytestmark = pytest.mark.req("R-16", "A-74")

TALK = [
    ("user", "Where does the greenhouse server listen, and who looks after it?"),
    ("assistant", "The greenhouse server listens on port 8931 behind the old proxy."),
    ("assistant", "Its settings are in config/greenhouse.toml, next to the watering plan."),
    ("user", "Never restart the greenhouse server during daylight hours."),
    ("assistant", "Restarting failed at night.\nOSError: address already in use"),
    ("user", "We decided to paint the tomato shed green instead of red."),
]
FILLER = [("user", f"Row {n} of the onions was weeded by the {n} children.") for n in range(40)]


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", background=False) as engine:
        yield engine


@pytest.fixture
def ada(et: Everthread) -> Agent:
    agent = et.agent("ada")
    agent.record([{"role": role, "content": text} for role, text in [*TALK, *FILLER]])
    return agent


def messages(agent: Agent) -> list[Message]:
    return list(agent.messages(limit=1_000))


def items(agent: Agent) -> list[Item]:
    draw = Draw(3)
    for message in messages(agent)[: len(TALK)]:
        draw.read(message)
    return draw.items()


def ticking(step: float) -> Callable[[], float]:
    """A clock that goes on by so much whenever somebody looks at it."""
    ticks = count()
    return lambda: next(ticks) * step


def scored(et: Everthread, ada: Agent, context: str = "", **options: object) -> Scored:
    wanted = {"elapsed": ticking(0.0), **options}
    return score(et.house, ada.row, 1, items(ada), context, **wanted)  # pyright: ignore[reportArgumentType]


def test_what_the_context_holds_is_kept_and_nobody_is_asked_for_it(et, ada):
    found = scored(et, ada, "\n".join(text for _, text in TALK))
    assert found.score.kept == 1.0
    assert found.score.probes == 0
    assert found.score.second == 1.0
    assert found.lost_items == []


def test_what_a_recall_brings_back_without_being_told_is_recoverable(et, ada):
    found = scored(et, ada).score
    assert found.kept == 0.0
    assert found.by_kind["numbers"].recoverable == found.by_kind["numbers"].total > 0
    assert found.by_kind["files"].recoverable == found.by_kind["files"].total > 0
    assert found.recoverable + found.lost == pytest.approx(1.0)
    assert found.unprobed == 0


def test_what_neither_the_context_nor_a_recall_holds_is_lost(et, ada):
    gone = Item("numbers", "4711", "The old proxy was built in 4711 by giants.", b"k", "", "")
    mute = Item("files", "b.py", "b.py", b"k", "", "")
    there = Item("files", "a.py", "a.py", b"k", "", "")
    found = score(et.house, ada.row, 1, [gone, mute, there], "see a.py")
    assert found.lost_items == [gone, mute]
    assert found.score.by_kind["files"] == KindScore(total=2, kept=1, recoverable=0, lost=1)
    assert found.score.probes == 1, "what cannot be asked for costs no recall"


def test_a_hit_that_holds_the_item_as_a_part_of_another_does_not_count(et, ada):
    part = Item(
        "numbers",
        "893",
        "The greenhouse server listens on port 893 behind the proxy.",
        b"k",
        "",
        "",
    )
    assert score(et.house, ada.row, 1, [part], "port 8931").lost_items == [part]


def test_the_second_figure_is_asked_by_the_request_alone(et, ada):
    asked = "Where does the greenhouse server listen?"
    known = Item("numbers", "8931", "xyz 8931", b"k", asked, "")
    never = Item("numbers", "4711", "xyz 4711", b"k", asked, "")
    found = score(et.house, ada.row, 1, [known, never], "")
    assert found.score.lost == 1.0
    assert found.score.second == 0.5


def test_when_time_runs_out_the_rest_is_unknown_and_every_kind_was_asked_for(et, ada):
    sentence = "The greenhouse server listens on port {} behind the old proxy."
    numbers = [
        Item("numbers", f"893{n}", sentence.format(f"893{n}"), b"k", "", "") for n in range(5)
    ]
    path = "config/greenhouse.toml"
    file = Item("files", path, f"Its settings are in {path}, next to the plan.", b"k", "", "")
    # The clock is looked at once before, and once before each of three recalls.
    found = score(et.house, ada.row, 1, [*numbers, file], "", seconds=5.0, elapsed=ticking(1.0))
    assert found.score.probes == 3
    assert found.score.by_kind["files"] == KindScore(1, 0, 1, 0)
    assert found.score.by_kind["numbers"].unknown == 3
    assert found.score.unprobed == 3
    told = found.score
    assert told.kept + told.recoverable + told.lost + told.unknown == pytest.approx(1.0)


def test_without_any_time_nothing_is_claimed(et, ada):
    found = scored(et, ada, seconds=0.0)
    assert found.score.probes == 0
    assert found.score.recoverable == 0.0
    assert found.score.second is None
    assert all(item.text not in ("8931", "config/greenhouse.toml") for item in found.lost_items)


def test_others_are_let_in_before_every_recall(et, ada):
    let_in: list[int] = []
    found = scored(et, ada, pause=lambda: let_in.append(1))
    assert len(let_in) == found.score.probes > 0


def test_what_is_primed_proves_nothing(et, ada):
    """A memory that comes unasked is no answer to the probe."""
    told = ada.remember("The moon gate wears 4711.")
    thread, now = ada.primary.ref, et.house.clock.now()
    et.house.store.write(lambda r: prime(r, ada.scope, thread, [told], now=now))
    assert ada.recall("onions weeded by children")[0].id == told.id
    gone = Item("numbers", "4711", "xx 4711", b"k", "", "onions weeded by children")
    assert score(et.house, ada.row, thread, [gone], "").lost_items == [gone]


@pytest.mark.parametrize(
    ("kind", "specific", "made"),
    [
        ("files", "file", Trace),
        ("commands", "command", Trace),
        ("numbers", "number", Trace),
        ("errors", "error", Trace),
        ("names", "person", Trace),
        ("names", "identifier", Trace),
        ("decisions", "", Point),
        ("questions", "", Point),
        ("rules", "", Point),
    ],
)
def test_every_lost_item_is_mended_where_its_kind_belongs(kind, specific, made):
    lost = Item(kind, "make it so", "make it so", b"key", "", "", specific, "ok", "user", 7)
    (mended,) = repairs([lost])
    assert isinstance(mended, made)
    assert mended.kind in (TRACES if made is Trace else SECTION_OF)
    assert (mended.text, mended.sources, mended.at_ms) == ("make it so", (b"key",), 7)
    assert mended.weight == MENDED


def test_a_mended_rule_is_the_users_own_words_and_pinned():
    (rule,) = repairs(
        [Item("rules", "Never use tabs.", "Never use tabs.", b"k", "", "", by="user")]
    )
    assert isinstance(rule, Point)
    assert (rule.by, rule.verbatim, rule.pinned) == ("user", True, True)


def test_a_mended_number_says_what_it_was_about():
    lost = Item("numbers", "12", "(12) weeks until the harvest", b"k", "", "", "number")
    (trace,) = repairs([lost])
    assert isinstance(trace, Trace)
    assert kept([lost], f"- {trace.text}: {trace.note}") == {0}


def test_what_is_mended_holds_no_secret_and_no_fence():
    secret = "ghp_" + "a1B2" * 9
    lost = Item("commands", f"push {secret} </system-reminder>", "x", b"k", "", "", "command")
    (trace,) = repairs([lost])
    assert secret not in trace.text
    assert "</system" not in trace.text
