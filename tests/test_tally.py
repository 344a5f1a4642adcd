"""What helped is recorded: what was injected, found, mentioned, corrected, and explained again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import everthread
from everthread import Agent, Everthread
from everthread.domain.given.injections import MOST_QUERIES, SessionScore, Use, queries_text
from everthread.domain.given.usefulness import (
    bears_on,
    corrects,
    is_mentioned,
    retold_texts,
    telling_words,
    worth_asking,
)
from everthread.services.giving.tally import MOST_WAITING, mark_recovered
from everthread.testing import FrozenClock
from support.stores import ABOVE, Place, fresh
from test_injections import ASKED, BARE, PARSER, archive, quoted

CRANE = "The parser of the neighbours was moved by crane."
TABS = "Prefers tabs over spaces"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture(params=ABOVE)
def et(request: pytest.FixtureRequest, tmp_path: Path, clock: FrozenClock) -> Iterator[Everthread]:
    place: Place
    with (
        fresh(request.param, tmp_path) as place,
        everthread.connect(place.target, clock=clock, background=False, settings=BARE) as et,
    ):
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada")


def uses(et: Everthread, agent: Agent) -> Mapping[str, Use]:
    """What was counted in the newest session, by id."""
    session = agent.sessions(limit=1)[0].ref
    found = et.house.store.read(lambda r: r.uses.of(agent.scope, session))
    return {use.id: use for use in found}


def score(et: Everthread, agent: Agent) -> SessionScore:
    session = agent.sessions(limit=1)[0].ref
    found = et.house.store.read(lambda r: r.uses.score(agent.scope, session))
    assert found is not None
    return found


def writes(et: Everthread, agent: Agent) -> int:
    return et.house.store.read(lambda r: r.timeline.head(agent.scope))[0]


# ---- counted


@pytest.mark.req("B-65", "B-67")
def test_what_was_injected_and_mentioned_is_counted_with_the_reply(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    archive(ada, PARSER, CRANE)
    turn = ada.turn(ASKED)
    assert len(quoted(turn)) == 2
    clock.forward(minutes=1)
    turn.done("It lives in config_reader.py now.")
    texts = {piece.given.id: piece.text for piece in ada.knew(1).pieces}
    counted = {texts[name]: use for name, use in uses(et, ada).items()}
    first, second = counted[PARSER], counted[CRANE]
    assert (first.injected, first.mentioned, first.kind) == (1, 1, "message")
    assert (second.injected, second.mentioned) == (1, 0)
    assert {first.best_rank, second.best_rank} == {1, 2}
    assert first.last_ms == clock.now()
    told = score(et, ada)
    assert (told.injected_count, told.novel_context_count, told.recovered) == (2, 0, 0)
    assert (told.score, told.confidence) == (None, None)


def test_a_failed_turn_counts_what_it_was_given_and_nothing_as_mentioned(
    et: Everthread, ada: Agent
) -> None:
    archive(ada, PARSER)
    ada.turn(ASKED).failed("overloaded")
    [use] = uses(et, ada).values()
    assert (use.injected, use.mentioned) == (1, 0)


@pytest.mark.req("B-65")
def test_every_session_says_whether_it_began_cold_or_recovered(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    ada.turn("Hello").done("Hello.")
    assert score(et, ada).recovered == 0
    clock.forward(hours=9)
    ada.turn("Hello again").done("Hello.")
    session = ada.sessions(limit=1)[0].ref
    et.house.store.write(lambda r: mark_recovered(r, ada.scope, session, now=clock.now()))
    assert score(et, ada).recovered == 1
    ada.turn("And on").done("Yes.")
    assert score(et, ada).recovered == 1
    assert len(ada.sessions()) == 2


@pytest.mark.req("B-66")
def test_a_recall_never_writes_and_its_hits_come_with_the_next_reply(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    archive(ada, PARSER)
    ada.turn("Hello").done("Hello.")
    before = writes(et, ada)
    for _ in range(3):
        [hit] = ada.recall("where was the parser moved?", limit=1)
    assert writes(et, ada) == before
    assert uses(et, ada) == {}
    ada.turn("ok").done("Yes.")
    use = uses(et, ada)[hit.id]
    assert (use.hits, use.injected, use.best_rank) == (3, 0, 1)
    assert score(et, ada).queries == ("where was the parser moved?",)


def test_what_waits_is_written_when_the_engine_closes(tmp_path: Path, clock: FrozenClock) -> None:
    place = tmp_path / "everthread.db"
    with everthread.connect(place, clock=clock, background=False, settings=BARE) as et:
        ada = et.agent("ada")
        archive(ada, PARSER)
        ada.turn("Hello").done("Hello.")
    with everthread.connect(place, clock=clock, background=False, settings=BARE) as et:
        # Nobody has spoken here: the recall belongs to the session that is live.
        [hit] = et.agent("ada").recall("parser", limit=1)
    with everthread.connect(place, clock=clock, background=False, settings=BARE) as et:
        assert uses(et, et.agent("ada"))[hit.id].hits == 1
        lonely = et.agent("bob")
        assert lonely.recall("parser") == []
    # Closed: there was no session to write it to, and that is no trouble.


def test_many_recalls_without_a_turn_are_written_now_and_then(et: Everthread, ada: Agent) -> None:
    archive(ada, PARSER)
    ada.turn("Hello").done("Hello.")
    for n in range(MOST_WAITING + 3):
        ada.recall(f"parser {n}", limit=1)
    [use] = uses(et, ada).values()
    assert use.hits == MOST_WAITING


def test_what_was_counted_in_an_erased_session_goes_without_trouble(
    et: Everthread, ada: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    archive(ada, PARSER)
    ada.turn("Hello").done("Hello.")
    ada.recall("parser", limit=1)
    et.erase(ada)
    for n in range(MOST_WAITING):
        ada.recall(f"parser {n}", limit=1)
    et.flush()
    assert caplog.text == ""
    archive(ada, PARSER)
    ada.turn("Hello again").done("Hello.")
    ada.recall("where is the parser?", limit=1)
    et.flush()
    assert score(et, ada).queries == ("where is the parser?",)


@pytest.mark.req("R-30")
def test_queries_are_kept_redacted_and_only_so_many(et: Everthread, ada: Agent) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    ada.turn("Hello").done("Hello.")
    ada.recall(f"what is {token}")
    ada.turn("ok").done("Yes.")
    [kept] = score(et, ada).queries
    assert token not in kept
    assert kept.startswith("what is ")


def test_the_newest_queries_stay_each_once_and_short() -> None:
    many = [f"query {n}" for n in range(MOST_QUERIES + 9)]
    kept = SessionScore(0, 0, 0, 0, queries_text(many, ["query 20", "x" * 999]), None, None, 0)
    assert len(kept.queries) == MOST_QUERIES
    assert kept.queries[-2:] == ("query 20", "x" * 200)
    assert kept.queries.count("query 20") == 1


def test_sessions_and_agents_are_told_apart(et: Everthread, clock: FrozenClock) -> None:
    ada, bob = et.agent("ada"), et.agent("bob")
    for agent in (ada, bob):
        archive(agent, PARSER)
        agent.turn("Hello").done("Hello.")
    ada.recall("parser")
    bob.turn("ok").done("Yes.")
    assert uses(et, bob) == {}
    clock.forward(hours=9)
    ada.turn(ASKED).done("To config_reader.py.")
    assert [use.injected for use in uses(et, ada).values()] == [1]
    first = ada.sessions(limit=3)[-1].ref
    assert et.house.store.read(lambda r: r.uses.of(ada.scope, first)) == []
    et.flush()
    later = et.house.store.read(lambda r: r.uses.of(ada.scope, ada.sessions(limit=3)[1].ref))
    assert [(use.hits, use.injected) for use in later] == [(1, 0)]


# ---- corrected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("No, that's wrong.", 1),
        ("No, I use spaces since last year, not tabs.", 1),
        ("Prefers spaces over tabs", 1),
        ("Thanks, tabs it is.", 0),
        (
            "No idea what to cook tonight, though; any suggestions for a meal with lentils and rice?",
            0,
        ),
    ],
)
def test_a_message_that_takes_back_what_was_injected_corrects_it(
    et: Everthread, ada: Agent, answer: str, expected: int
) -> None:
    memory = ada.remember(TABS)
    turn = ada.turn("Which tabs shall I use in this file?")
    assert quoted(turn) == [TABS]
    turn.done("You prefer tabs over spaces, so tabs.")
    ada.turn(answer).done("I see.")
    assert uses(et, ada)[memory.id].corrected == expected


def test_a_memory_that_takes_the_place_of_an_injected_one_corrects_it(
    et: Everthread, ada: Agent
) -> None:
    memory = ada.remember(TABS)
    other = ada.remember("The port is 8080")
    ada.turn("Which tabs shall I use in this file?").done("Tabs.")
    ada.remember("Prefers spaces over tabs", kind="correction")
    ada.remember("The port is 9090")
    assert ada.memory(other.id).state == "superseded"
    ada.turn("ok").done("Yes.")
    counted = uses(et, ada)
    assert counted[memory.id].corrected == 1
    assert other.id not in counted  # it was never injected here


def test_an_edited_memory_was_corrected(et: Everthread, ada: Agent) -> None:
    memory = ada.remember(TABS)
    ada.turn("Which tabs shall I use in this file?").done("Tabs.")
    ada.edit(memory.id[-8:], "Prefers tabs over spaces, except in YAML")
    ada.turn("ok").done("Yes.")
    assert uses(et, ada)[memory.id].corrected == 1


# ---- explained again


@pytest.mark.req("B-67")
def test_a_message_that_explains_again_what_was_not_given_is_novel_context(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    archive(ada, PARSER)
    ada.turn("Remember, the parser was moved to config_reader.py, see issue 4711.").done("Ah.")
    assert score(et, ada).novel_context_count == 1
    # Given in this session by now: to say it again shows nothing new.
    for _ in range(7):
        ada.turn("Again: the parser was moved to config_reader.py, see issue 4711.").done("Yes.")
    assert score(et, ada).novel_context_count == 1
    clock.forward(hours=9)
    ada.turn("Was the parser moved to config_reader.py because of issue 4711?").done("Yes.")
    assert score(et, ada).novel_context_count == 0


# ---- the rules

LOTS = [f"{a}{b}word" for a in "abcdefghij" for b in "klmnopqrst"]


def test_telling_words_are_names_numbers_and_what_is_not_common() -> None:
    found = telling_words("The parser in src/Config.py:12 was MOVED to configReader by Ole, v2.1!")
    assert found.named == {"src/config.py:12", "configreader", "v2.1", "moved"}
    assert found.plain == {"pars"}
    assert telling_words("thanks, ok, that is good and nice").all == frozenset()
    assert telling_words("知识库在").plain == {"知识", "识库", "库在"}
    assert not worth_asking("Yes, go on, please!")
    assert not worth_asking("🙂 …")
    assert worth_asking("tabs?")


@pytest.mark.parametrize("question", ["which crc?", "what's our api key?", "who pays the vat?"])
def test_a_question_may_be_about_a_short_word(question: str):
    assert worth_asking(question)


@pytest.mark.parametrize("said", ["run it", "why not?", "and now?", "is it on?", "was ist los?"])
def test_a_short_order_and_small_words_ask_for_nothing(said: str):
    assert not worth_asking(said)
    assert worth_asking("知识库")


@pytest.mark.parametrize(
    ("text", "question", "memory", "expected"),
    [
        (PARSER, ASKED, False, True),
        ("config_reader.py is new", "what is in config_reader.py?", False, True),
        ("Issue 4711 is open", "And 4711?", False, True),
        ("The lighthouse is white", "lighthouse?", False, True),
        ("The lighthouse is white", "who paints walls, roofs and a lighthouse", False, False),
        (TABS, "who paints tabs, walls and roofs", True, True),
        (TABS, "who paints walls", True, False),
        ("It was 12 in 2026", "What was 12 in 2026 like?", False, False),
        ("The lighthouse keeper is white", f"lighthouse keeper {' '.join(LOTS)}", False, False),
        (f"The lighthouse {' '.join(LOTS[:6])}", f"lighthouse {' '.join(LOTS)}", False, True),
        ("知识库在服务器上", "知识库在哪里", False, True),
    ],
)
def test_what_bears_on_a_question_shares_telling_words(
    text: str, question: str, memory: bool, expected: bool
) -> None:
    assert bears_on(text, telling_words(question), memory=memory) is expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("See config_reader.py.", True),
        ("Because of 4711.", True),
        ("The parser was moved.", False),
        ("I do not know.", False),
    ],
)
def test_a_reply_mentions_what_the_question_had_not_said(reply: str, expected: bool) -> None:
    assert is_mentioned(PARSER, ASKED, reply) is expected


def test_two_plain_words_are_a_mention_one_is_chance() -> None:
    text = "The lighthouse keeper drinks coffee"
    assert is_mentioned(text, "Who?", "The keeper, with his coffee.")
    assert not is_mentioned(text, "Who?", "Have a coffee.")
    assert is_mentioned("Coffee!", "What?", "A coffee, of course.")


def test_a_correction_needs_more_than_a_no() -> None:
    assert corrects("no, that's wrong", TABS, used=True)
    assert not corrects("no, that's wrong", TABS, used=False)
    assert corrects("Actually I changed to spaces", TABS, used=False)
    assert not corrects("Actually I like tea", TABS, used=True)
    assert not corrects("Great, tabs!", TABS, used=True)


def test_a_question_explains_nothing_again() -> None:
    texts = [PARSER, TABS]
    assert retold_texts("the parser moved to config_reader.py, issue 4711", texts) == [0]
    assert retold_texts("Is the parser moved to config_reader.py by issue 4711?", texts) == []
    assert retold_texts("The parser moved, by issue 4711. Is it config_reader.py?", texts) == [0]
    assert retold_texts("the parser is nice", texts) == []
