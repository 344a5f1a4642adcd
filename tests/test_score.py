"""A distillation is scored by what the context holds and what a recall brings back, within its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

import everthread
from everthread import Agent, Everthread
from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.continuity import Draw, Item, KindScore, items_kept
from everthread.domain.distilling.receipts import NOT_ASKED
from everthread.domain.distilling.summaries_lines import trace_line
from everthread.domain.errors import StoreClosed
from everthread.domain.gleaning.digest import EMPTY, SECTION_OF, TRACES, Digest, Point, Trace
from everthread.services.distilling import score as scoring
from everthread.services.distilling.compose import room
from everthread.services.distilling.prime import prime
from everthread.services.distilling.review import run_score_job
from everthread.services.distilling.review import score_receipt as score_again
from everthread.services.distilling.score import ScoreResult, repair_digest, score

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


def scored(et: Everthread, ada: Agent, context: str = "", **options: object) -> ScoreResult:
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


def test_a_program_that_closes_meanwhile_does_not_make_everything_lost(et, ada, caplog):
    """Nobody can be asked any more: the score is made later, and no line is told for each question."""
    drawn = items(ada)
    et.close()
    with pytest.raises(StoreClosed):
        score(et.house, ada.row, 1, drawn, "")
    assert not caplog.records


def test_the_second_figure_is_asked_by_the_request_alone(et, ada):
    asked = "Where does the greenhouse server listen?"
    known = Item("numbers", "8931", "xyz 8931", b"k", asked, "")
    never = Item("numbers", "4711", "xyz 4711", b"k", asked, "")
    found = score(et.house, ada.row, 1, [known, never], "")
    assert found.score.lost == 1.0
    assert found.score.second == 0.5


def test_when_time_runs_out_the_rest_is_unknown_and_every_kind_was_asked_for(et, ada):
    sentence = "The greenhouse server listens on port 893{0} behind the old proxy, row {0}."
    numbers = [Item("numbers", f"893{n}", sentence.format(n), b"k", "", "") for n in range(5)]
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


def test_one_question_is_asked_once_however_many_items_came_up_by_it(et, ada):
    asked = "Where does the greenhouse server listen?"
    numbers = [Item("numbers", f"893{n}", f"xyz 893{n}", b"k", asked, "") for n in range(5)]
    found = score(et.house, ada.row, 1, numbers, "")
    assert found.score.probes == 1
    assert found.score.second == 0.2


def test_without_any_time_nothing_is_claimed(et, ada):
    found = scored(et, ada, seconds=0.0)
    assert found.score.probes == 0
    assert found.score.recoverable == 0.0
    assert found.score.second is None
    assert all(item.text not in ("8931", "config/greenhouse.toml") for item in found.lost_items)


def test_others_are_let_in_before_every_recall(et, ada, monkeypatch):
    did: list[str] = []
    real = scoring.recall

    def recalled(*args, **options):
        did.append("recall")
        return real(*args, **options)

    monkeypatch.setattr(scoring, "recall", recalled)
    found = scored(et, ada, pause=lambda: did.append("pause"))
    recalls = [n for n, what in enumerate(did) if what == "recall"]
    assert len(recalls) == found.score.probes > 0
    assert all(n and did[n - 1] == "pause" for n in recalls)


def test_what_is_primed_proves_nothing(et, ada):
    """A memory that comes unasked is no answer to the probe."""
    told = ada.remember("The moon gate wears 4711.")
    thread, now = ada.primary.ref, et.house.clock.now()
    et.house.store.write(lambda r: prime(r, ada.scope, thread, [told], now=now))
    assert told.id not in {hit.id for hit in ada.recall("onions weeded by children")}
    gone = Item("numbers", "4711", "xx 4711", b"k", "", "onions weeded by children")
    assert score(et.house, ada.row, thread, [gone], "").lost_items == [gone]


@pytest.mark.parametrize(
    ("kind", "by", "binds"),
    [
        ("rules", "user", True),
        ("questions", "user", True),
        ("questions", "agent", False),
        ("decisions", "user", False),
        ("numbers", "user", False),
    ],
)
def test_rules_and_open_requests_are_in_view_or_lost(et, ada, kind, by, binds):
    """Nobody recalls what an agent must never do; a recall that could find it proves nothing."""
    said = "Never restart the greenhouse server during daylight hours."
    before = "The greenhouse server is restarted, not during the daylight."
    lost = Item(kind, said, said, b"k", before, before, by=by)
    assert score(et.house, ada.row, 1, [lost], said).score.kept == 1.0
    found = score(et.house, ada.row, 1, [lost], "")
    assert found.score.recoverable == (0.0 if binds else 1.0)
    assert found.score.probes == (0 if binds else 2)
    assert found.lost_items == ([lost] if binds else [])


# What mends a loss

SAID = "make it so, and water the lemon trees"


def mended(item: Item, digest: Digest = EMPTY) -> Point | Trace:
    (only,) = repair_digest([item], digest, 60).extra
    return only


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
    lost = Item(kind, "make it so", SAID, b"key", "", "", specific, "ok", "user", 7)
    one = mended(lost)
    assert isinstance(one, made)
    assert one.kind in (TRACES if made is Trace else SECTION_OF)
    assert (one.text, one.sources, one.at_ms) == ("make it so", (b"key",), 7)
    digest = repair_digest([lost], EMPTY, 60).digest
    assert (*digest.points, *digest.ledger) == (one,)


@pytest.mark.parametrize(
    ("kind", "by", "pinned"),
    [
        ("rules", "user", True),
        ("questions", "user", True),
        ("questions", "agent", False),
        ("decisions", "user", False),
    ],
)
def test_a_mended_rule_or_request_is_the_users_own_words_and_pinned(kind, by, pinned):
    point = mended(Item(kind, "Never use tabs.", "Never use tabs.", b"k", "", "", by=by))
    assert isinstance(point, Point)
    assert (point.by, point.verbatim, point.pinned) == (by, True, pinned)


def test_a_mended_number_says_what_it_was_about():
    lost = Item("numbers", "12", "(12) weeks until the harvest", b"k", "", "", "number", "until")
    trace = mended(lost)
    assert isinstance(trace, Trace)
    assert items_kept([lost], trace_line(trace)) == {0}


@pytest.mark.parametrize(
    ("kind", "specific", "text", "sentence", "told"),
    [
        ("numbers", "number", "4", "4 should", False),
        ("numbers", "number", "178", "line 178", False),
        ("names", "person", "Minka", "Minka", False),
        ("numbers", "number", "178", "the bridge is 178 metres long", True),
        ("names", "person", "Minka", "our cat Minka fears thunder", True),
        ("files", "file", "a.py", "a.py", True),
        ("commands", "command", "make", "make", True),
    ],
)
def test_what_says_nothing_alone_is_not_added(kind, specific, text, sentence, told):
    lost = Item(kind, text, sentence, b"k", "", "", specific, "should")
    assert bool(repair_digest([lost], EMPTY, 60).extra) == told


LEDGER = (
    Trace("command", "make build", "exit 2: no rule", (b"a",), 5, 6, 0.7),
    Trace("file", "/srv/app/main.go", "edited", (b"b",), 5, 4, 0.7),
    Trace("number", "840", "the import takes 840 ms", (b"c",), 5, 2, 0.5),
    Trace("error", "E12 OSError: address in use", "", (b"d",), 5, 3, 0.8),
    Trace("command", "make clean", "ok", (b"e",), 5, 1, 0.4),
)


@pytest.mark.parametrize(
    ("kind", "text", "key", "at"),
    [
        ("commands", "make build", b"z", 0),
        ("files", "./main.go", b"z", 1),
        ("files", "/srv/app/main.go", b"z", 1),
        ("numbers", "840", b"c", 2),
        ("errors", "OSError: address in use", b"z", 3),
        ("commands", "make", b"z", None),
        ("files", "/srv/other/main.go", b"z", None),
        ("numbers", "840", b"z", None),
        ("errors", "OSError: no space left", b"z", None),
    ],
)
def test_what_the_ledger_holds_already_is_raised_not_doubled(kind, text, key, at):
    note = "" if kind == "errors" else "ok"
    lost = Item(kind, text, f"{text} beside the slow imports", key, "", "", kind[:-1], note)
    digest, (one,) = repair_digest([lost], Digest(ledger=LEDGER), 60)
    if at is None:
        assert digest.ledger == (*LEDGER, one)
        assert one.times == 1
    else:
        assert one == LEDGER[at]._replace(weight=one.weight)
        assert digest.ledger == (*LEDGER[:at], one, *LEDGER[at + 1 :])
    assert one.weight <= 1.0, "it must not stay before all else for ever"


def test_what_is_mended_weighs_more_than_most_of_its_kind():
    lost = Item("commands", "make clean", "make clean", b"e", "", "", "command")
    one = mended(lost, Digest(ledger=LEDGER))
    assert 0.55 < one.weight < 0.7


def test_a_point_that_is_there_already_is_raised_not_doubled():
    said = "Never use tabs."
    point = Point("request", said, (b"a",), "user", 5, 0.2, verbatim=True)
    other = point._replace(kind="decision", text="We use four spaces.", pinned=True)
    rule = Item("rules", said, said, b"a", "", "", by="user")
    digest, (one,) = repair_digest([rule], Digest((point, other)), 60)
    assert (one.kind, one.pinned, one.sources) == ("rule", True, (b"a",))
    assert digest.points == (one, other)
    again = Item("decisions", other.text, other.text, b"a", "", "", by="user")
    digest, (same,) = repair_digest([again], digest, 60)
    assert same == other._replace(weight=same.weight), "what is pinned stays pinned"
    assert digest.points == (one, same)


def test_rules_are_mended_before_the_rest():
    files = [Item("files", f"{n}.py", f"{n}.py", b"k", "", "", "file") for n in range(9)]
    rule = Item("rules", "Never use tabs.", "Never use tabs.", b"k", "", "", by="user")
    extra = repair_digest([*files, rule], EMPTY, 3).extra
    assert [item.kind for item in extra] == ["rule", "file", "file"]


def test_what_is_mended_holds_no_secret_and_no_fence():
    secret = "ghp_" + "a1B2" * 9
    trace = mended(
        Item("commands", f"push {secret} </system-reminder>", "x", b"k", "", "", "command")
    )
    assert secret not in trace.text
    assert "</system" not in trace.text


# The whole of it


def test_where_nothing_can_be_asked_for_there_is_no_score(et):
    ada = et.agent("quiet")
    words = "Well, that is a thought to sleep over, and then to think about for a while."
    for _ in range(30):
        ada.turn(words).done(words)
    receipt = ada.distill()
    assert receipt.score is None
    assert [error for error in receipt.errors if error == NOT_ASKED] == [NOT_ASKED]
    run_score_job(et.house, ada.row.ref, receipt.ref, pause=lambda: None)
    assert ada.receipts()[0].errors == receipt.errors, "and it is not tried again"


def test_no_rule_is_dropped_for_room(et):
    ada = et.agent("strict")
    for n in range(20):
        ada.turn(f"Never open the door of greenhouse {n} at night.").done("Understood.")
    for n in range(24):
        answer = f"Bed {n} lies in the shade until noon, " + "and it is watered by hand " * 12
        ada.turn(f"I had a look at bed {n} in the garden.").done(f"{answer}.")
    receipt = ada.distill()
    assert ada.context().summary.count("Rule of the user") == 20
    assert receipt.tokens_after < receipt.tokens_before
    assert receipt.score.by_kind["rules"] == KindScore(20, 20, 0, 0)


@pytest.mark.parametrize(
    ("replaced", "before", "share"),
    [
        (300, 0, 200),
        (1_500, 0, 1_000),
        (1_500, 1_000, 1_600),
        (8_000, 0, 2_000),
        (90_000, 0, 4_000),
    ],
)
def test_a_summary_has_room_for_something_and_is_less_than_what_it_replaces(
    et, ada, replaced, before, share
):
    got = room(et.house, ada.row, replaced=replaced, before=before)
    assert got.share == share
    assert got.share <= got.most < replaced + before
    assert got.most <= 2 * 4_000
    small = room(et.house, ada.row._replace(window=8_000), replaced=replaced, before=before)
    assert small.share <= 8_000 // 8, "a small window has a small summary"


def test_a_file_told_below_its_folder_is_kept(et):
    """The folder is named once, in the heading; whoever reads both knows the whole path."""
    ada = et.agent("author")
    paths = [f"/srv/book/part/chapter{n}.tex" for n in range(7)]
    for n in range(30):
        turn = ada.turn(f"Now rework chapter {n % 7}.")
        given = {"path": paths[n % 7], "old": "a", "new": "b"}
        call = {"type": "tool_use", "id": f"c{n}", "name": "edit", "input": given}
        turn.add({"role": "assistant", "content": [call]})
        turn.tool_result(f"c{n}", "ok")
        turn.done(f"Chapter {n % 7} reads better now.")
    receipt = ada.distill()
    assert "Files below /srv/book/part/:" in ada.context().summary
    assert receipt.score.by_kind["files"].kept == receipt.score.by_kind["files"].total > 0
    assert not any("alarm" in error for error in receipt.errors)


def test_the_figures_of_a_receipt_are_of_one_measure(et: Everthread) -> None:
    """What a provider reports later changes how tokens are counted, and not what was saved."""
    ada = et.agent("eve")
    for n in range(60):
        fine = "It was a fine day and all went well with the onions. " * 3
        ada.turn(f"Row {n} was weeded by {n} children near gate {n * 7}.").done(
            f"Noted: {n}. {fine}"
        )
    receipt = ada.distill()
    assert receipt.standing and receipt.tokens_after < receipt.tokens_before
    for _ in range(3):
        turn = ada.turn("Anything more?")
        turn.done("No.", usage={"input_tokens": turn.context_tokens // 2, "output_tokens": 5})
    again = score_again(et.house, ada.row, receipt.ref)
    assert (again.tokens_before, again.tokens_after) == (
        receipt.tokens_before,
        receipt.tokens_after,
    )
