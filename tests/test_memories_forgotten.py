"""Memories that are forgotten: found by what they say, gone from every place, on every engine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.errors import MemoryRefused, StoreFailed
from everthread.domain.forgetting.acknowledgements import Acknowledged
from everthread.jobs.worker import Worker
from everthread.services.forgetting import replies
from everthread.services.forgetting.forget import forget
from everthread.testing import FrozenClock
from support.stores import ABOVE, EACH, Place, fresh

SECRET = "the vault code is heliotrope seventeen"


@pytest.fixture(params=ABOVE)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


on_each = pytest.mark.parametrize("place", EACH, indirect=True)
"""Where it is the rows or the index that count."""


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a turn would else begin without what is looked for here."""
    monkeypatch.setenv("EVERTHREAD_RECALL_SECONDS", "30")


@pytest.fixture
def et(place: Place, clock: FrozenClock) -> Iterator[everthread.Everthread]:
    with everthread.connect(place.target, background=False, clock=clock) as engine:
        yield engine
        for agent in engine.agents():
            assert engine.verify(agent).faults == []


@pytest.fixture
def ada(et: everthread.Everthread) -> everthread.Agent:
    return et.agent("ada")


def said(agent: everthread.Agent, text: str) -> str:
    """The id of a message with that text."""
    agent.turn(text).done("Noted.")
    return next(m.id for m in agent.messages() if m.text == text)


def found(agent: everthread.Agent, query: str) -> list[str]:
    return [hit.text for hit in agent.recall(query, limit=20)]


# ---- forget


@on_each
@pytest.mark.req("R-43")
def test_forgetting_takes_every_version_and_what_it_came_from(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    first, second = said(ada, "it is 8080"), said(ada, "no, 8081")
    echo = said(ada, "Hello. The port is 8081. Bye.")
    other = said(ada, "What is the port?")
    old = ada.remember("The port is 8080", sources=[first])
    new = ada.remember("The port is 8081", sources=[second])
    ada.edit(new.id, "The port is 8082")
    result: object = ada.forget(old.id[-8:])
    assert result == []
    assert [(m.state, m.text) for m in ada.memories(state="all")] == [("forgotten", "")] * 3
    assert ada.memories() == []
    keys = {m.id: m.key for m in ada.messages()}
    withheld = et.house.store.read(lambda r: r.memories.withheld(ada.scope))
    assert withheld == {keys[i]: "forgotten" for i in (first, second, echo)}
    assert keys[other] not in withheld
    # Raw messages stay: only erase removes them.
    assert "it is 8080" in [m.text for m in ada.messages()]
    ada.forget(old.id)  # once more changes nothing
    assert [[e.event for e in v.events][-1] for v in ada.history(old.id)] == [
        "memory.forgotten"
    ] * 3


@on_each
@pytest.mark.req("R-43")
def test_what_was_forgotten_cannot_be_guessed_from_the_chain(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    memory = ada.remember(SECRET)
    ada.remember(f"[again]: {SECRET}")
    ada.forget(memory.id)
    (version,) = ada.history(memory.id)
    assert [e.salt is None for e in version.events] == [True, True, False]
    dump = et.house.store.read(lambda r: list(r.audit.dump(ada.scope)))
    assert "heliotrope" not in repr(dump)


@pytest.mark.req("R-43")
def test_what_was_forgotten_does_not_come_back_by_being_extracted_again(
    ada: everthread.Agent,
) -> None:
    source = said(ada, SECRET)
    ada.forget(ada.remember(SECRET, sources=[source]).id)
    with pytest.raises(MemoryRefused, match="comes from what was forgotten"):
        ada.remember("There is a vault with a code", origin="agent", sources=[source])
    assert ada.remember(SECRET, sources=[source]).state == "kept"  # a person may say it anew


@pytest.mark.req("R-43")
def test_no_file_of_the_store_holds_a_forgotten_word(tmp_path: Path) -> None:
    """Nor does its log, nor the index."""
    home = tmp_path / "store"
    with everthread.connect(home / "everthread.db", background=False) as et:
        ada = et.agent("ada")
        ada.remember("Prefers tabs")
        memory = ada.remember(f"[heliotrope]: {SECRET}", kind="rule")
        note = ada.note(f"{SECRET} Ask Ben.")
        ada.note(SECRET)  # the same statement goes with the memory
        ada.recall("vault")
        assert_found(home, b"heliotrope")
        ada.forget(memory.id)
        ada.unnote(note.id)
        assert_gone(home, b"heliotrope")
        assert ada.memories()[0].text == "Prefers tabs"
        assert not [job for job in et.house.store.read(lambda r: r.jobs.all())]
    assert_gone(home, b"heliotrope")


@pytest.mark.req("R-43")
def test_what_was_given_to_a_turn_is_forgotten_there_too(tmp_path: Path) -> None:
    """The block that the turn was given was stored, to be rebuilt; it goes as well."""
    home = tmp_path / "store"
    with everthread.connect(home / "everthread.db", background=False) as et:
        ada, bob = et.agent("ada"), et.agent("bob")
        memory = ada.remember("The vault code is heliotrope", scope="user")
        for agent in (ada, bob):
            turn = agent.turn("What is the vault code?")
            assert "heliotrope" in json.dumps(turn.messages)
            turn.done("I cannot say.")
        ada.forget(memory.id)
        assert_gone(home, b"heliotrope")
        for agent in (ada, bob):
            assert "heliotrope" not in json.dumps(agent.sent(1).messages)
            assert et.verify(agent).faults == []


@on_each
@pytest.mark.req("R-43")
@pytest.mark.parametrize("noted", [True, False], ids=["a source", "an echo"])
def test_what_a_turn_was_given_of_a_withheld_message_goes_too(
    et: everthread.Everthread, ada: everthread.Agent, *, noted: bool
) -> None:
    beat = ada.thread("heartbeat", kind="background")
    beat.record([{"role": "user", "content": f"Listen: {SECRET}."}])
    turn = ada.turn("What is the vault code?")
    assert f"Listen: {SECRET}" in json.dumps(turn.messages)
    turn.done("I cannot say.")
    if noted:
        memory = ada.remember("Has something to hide", sources=[beat.messages()[0].id])
    else:
        memory = ada.remember(SECRET)
    ada.forget(memory.id)
    assert "heliotrope" not in json.dumps(ada.sent(1).messages)
    assert "heliotrope" not in repr([injection.text for injection in ada.injections()])


@on_each
@pytest.mark.req("R-43")
def test_what_was_looked_for_does_not_tell_what_was_forgotten(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    """Neither what is written already nor what waits to be, of any agent that could find it."""
    bob = et.agent("bob")
    memory = ada.remember(SECRET, scope="user")
    for agent in (ada, bob):
        agent.turn("hello").done("hi")
        agent.recall(f"is it true that {SECRET}?")
        agent.recall("how are parsers tested?")
        agent.turn("hello again").done("hi")
        agent.recall("HELIOTROPE")

    def asked(agent: everthread.Agent) -> tuple[str, ...]:
        session = agent.sessions(limit=1)[0].ref
        score = et.house.store.read(lambda r: r.uses.score(agent.scope, session))
        assert score is not None
        return score.queries

    assert SECRET in repr(asked(ada)) and SECRET in repr(asked(bob))
    ada.forget(memory.id)
    et.flush()
    assert asked(ada) == asked(bob) == ("how are parsers tested?",)


@pytest.mark.req("R-43")
def test_a_tool_that_said_what_was_forgotten_is_withheld(ada: everthread.Agent) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "lookup", "input": {"q": "safe"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": f"{SECRET}."}
    ada.record([{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}])
    memory = ada.remember(SECRET)
    ada.forget(memory.id)
    assert "heliotrope" not in repr(found(ada, "which vault code?"))


QUOTING = [
    ("The staging port is 8123", "The staging port is 8123 and Tom is the admin"),
    ("The staging port is 8123", "Tom is the admin. The staging port is 8123."),
    ("The staging port is 8123.", "Since May the staging port is 8123, before it was 80"),
    (
        "Lena takes insulin twice a day",
        "Remember that Lena takes insulin twice a day, also on trips",
    ),
    ("The staging port is 8123 and Tom is the admin", "The staging port is 8123"),
    ("We met in Ulm. Tom signed the lease in May.", "Tom signed the lease in May"),
    ("Ann works with Tom", "Ann works with TOM, and Eve with Tomas"),
    ("我们的端口是80", "请记住我们的端口是80端口"),
]
OTHERS = [
    ("The staging port is 8123", "The staging host is db1 and Tom is the admin"),
    ("The staging port is 8123", "The staging port of Ulm is 8124"),
    ("The staging port is 8123 and Tom is the admin", "Tom is on leave"),
    ("Lena takes insulin twice a day", "Lena takes the bus twice a day"),
    ("I like tea", "I like tea rooms in old houses"),
    ("Ann works with Tom", "Ann works with Tomas on the parser of the new shop"),
    ("Ann works with Tomas on the parser of the new shop", "Ann works with Tom"),
    ("The build server has port 80", "The build server has port 8080 open for the lab"),
    ("Our budget for Lyon is 1,500", "Our budget for Lyon is 1,500,000 euros over ten years"),
    ("The nurse sees Ben at 4", "The nurse sees Ben at 4:30 in the annex"),
    ("我们的端口是80", "我们的端口是8080端口"),
]


@pytest.mark.req("R-43")
@pytest.mark.parametrize(("gone", "other"), [*QUOTING, *OTHERS])
def test_what_quotes_a_forgotten_statement_goes_with_it(
    ada: everthread.Agent, gone: str, other: str
) -> None:
    """Drawn from the same message, it would tell the very words; what tells others stays."""
    said(ada, "Some of this is to be forgotten.")
    sources = [m for m in ada.messages() if m.role == "user"]
    first, second = (ada.remember(text, sources=sources) for text in (gone, other))
    ada.forget(first.id)
    state = "forgotten" if (gone, other) in QUOTING else "kept"
    assert ada.memory(second.id).state == state
    assert ada.memory(first.id).state == "forgotten"


@pytest.mark.req("R-43")
def test_a_memory_that_goes_for_what_it_quotes_takes_nothing_along(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    """Whatever it came from. Its other half may be said, alone and in a longer one."""
    port, tom = "The staging port is 8123", "Tom is the admin of db1"
    first = ada.remember(port)
    both = ada.remember(f"{port} and {tom}")
    half, longer = ada.remember(tom), ada.remember(f"{tom}, which stands in Ulm")
    theirs = ada.remember(f"{port}, says Mel", principal="mel")
    done = forget(et.house, ada.row, first.id)
    assert (done.versions, done.beside) == (1, 1)
    assert ada.memory(both.id).state == "forgotten"
    assert [ada.memory(m.id).state for m in (half, longer, theirs)] == ["kept"] * 3
    assert [text for text in found(ada, "staging port") if "8123" in text] == [theirs.text]


REPLIES = [
    ("in the postmortem we never name people", "Right, no names in the postmortem."),
    ("My daughter Lena is allergic to peanuts", "Noted: no peanuts for Lena."),
    ("Never deploy on Fridays", "Understood, no Friday deploys."),
    ("The code for the door is 4711", "Got it, 4711."),
    ("I'm vegetarian", "Good to know that you're vegetarian."),
    ("The staging port is 8123", "I'll use port 8123 for staging and restart the proxy."),
    ("Please call me Mel", "Sure, Mel!"),
    ("The rent is 900 euros", "Got it: rent 900 euros. Updating the sheet."),
    ("Anna pays 1500 euros rent in May", "Noted: Anna, rent of 1,500 euros in May."),
    ("The staging port is 8123", "Staging port 8123. I’d double-check the proxy."),
    ("In June Anna gets 500 euros", "Anna: 500 euros in June. That's noted here too."),
    ("In June Anna gets 500 euros", "Right, 500 euros in June. Noted also."),
]
OTHER_REPLIES = [
    ("The staging port is 8123", "The staging port is free."),
    ("The staging port is 8123", "I restarted the proxy; the build passes."),
    ("Tom lives in Kassel", "Tom called."),
    ("Use pytest for tests", "The tests pass."),
    ("Never deploy on Fridays", "The deploy ran through, 341 tests pass."),
    ("in the postmortem we never name people", "The postmortem is at docs/pm.md, with a timeline."),
    ("I'm vegetarian", "Got it, I'll remember that."),
    ("I live in Kassel", "Kassel is lovely in summer; the Documenta opens in June."),
    ("We use Python 3.12 for the backend", "Python 3.12 for the backend, and Postgres 16."),
    ("We use Python 3.12 for the backend", "Python 3.12 for the backend, and also Postgres."),
    ("My flight BA117 leaves Berlin on 3 May", "Flight BA117, Berlin, 3 May: gate B42."),
    ("The rent of flat 12 in Lyon is 900 euros", "Flat 12 in Lyon, 900 euros rent, deposit 2700."),
    ("Anna gets 500 euros in June", "Anna: 500 euros in June. Bob: 700."),
    ("In June Anna gets 500 euros", "Anna: 500 euros in June. Bob too."),
    ("In June Anna gets 500 euros", "June, Anna: 500 euros. Bob gets the same."),
    ("Anna came to Kassel with Bob", "Bob too."),
]


@pytest.mark.parametrize(("gone", "reply"), [*REPLIES, *OTHER_REPLIES])
def test_a_reply_that_only_says_it_again_is_known(gone: str, reply: str) -> None:
    """Hardly a word of it is not from what is gone, and no number or name. One that tells something else
    is no such reply."""
    assert [*Acknowledged([gone]).by(reply)] == ([0] if (gone, reply) in REPLIES else [])


@pytest.mark.req("R-43")
def test_a_reply_that_tells_two_versions_tells_nothing_else(ada: everthread.Agent) -> None:
    """The number of the one that was replaced is gone as well."""
    said(ada, "The staging port is 8080")
    ada.turn("The staging port is 8081").done("Staging port 8081, 8080 before.")
    old = ada.remember("The staging port is 8080", sources=[ada.messages()[0]])
    ada.edit(old.id, "The staging port is 8081")
    ada.forget(old.id)
    assert not [text for text in found(ada, "staging port") if "808" in text]


@pytest.mark.req("R-43")
@pytest.mark.parametrize("calls", [1, 3, 60])
def test_a_reply_is_one_however_much_was_done_before_it(ada: everthread.Agent, calls: int) -> None:
    """The agent may say it again after any number of calls of tools, until somebody else speaks."""
    with ada.turn("My door code is 4711 at home.") as turn:
        for n in range(calls):
            step: dict[str, Any] = {"type": "tool_use", "id": f"t{n}", "name": "ls", "input": {}}
            turn.add([{"type": "text", "text": f"Step {n}"}, step])
            turn.tool_result(f"t{n}", "x.py")
        turn.done("Got it, home door code 4711.")
    ada.turn("Who else has a door?").done("Mel has a door with a code at home.")
    memory = ada.remember("My door code is 4711 at home", sources=[ada.messages()[0]])
    ada.forget(memory.id)
    left = found(ada, "door code at home")
    assert not [text for text in left if "4711" in text]
    assert "Mel has a door with a code at home." in left


@pytest.mark.req("R-43")
def test_each_reply_is_gone_through_once(
    et: everthread.Everthread, ada: everthread.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many of the messages before it said what is forgotten."""
    steps = [{"role": "assistant", "content": f"{SECRET}, step {n}."} for n in range(40)]
    ada.record([{"role": "user", "content": f"{SECRET}."}, *steps])
    memory, looked = ada.remember(SECRET), list[str]()
    real = replies.search_text

    def watched(message: Any) -> str:
        looked.append(message.id)
        return real(message)

    monkeypatch.setattr(replies, "search_text", watched)
    ada.remember(f"{SECRET}, or so")
    ada.forget(memory.id)
    assert len(looked) == len(set(looked))
    withheld = et.house.store.read(lambda r: r.memories.withheld(ada.scope))
    assert len(withheld) == len(ada.messages())


@on_each
@pytest.mark.req("R-43")
def test_a_message_about_somebody_with_a_longer_name_is_found(ada: everthread.Agent) -> None:
    said(ada, "Ann works with Tomas on the parser.")
    said(ada, "By the way, Ann works with Tom!")
    ada.forget(ada.remember("Ann works with Tom").id)
    left = found(ada, "Who works with Tomas on the parser?")
    assert "Ann works with Tomas on the parser." in left
    assert not [text for text in left if "Tom!" in text]


@pytest.mark.req("R-43")
def test_the_reply_that_says_it_again_is_not_found(ada: everthread.Agent) -> None:
    """In other words, and right after it. The same words at another time, or to others, are found."""
    rule, echo = "in the postmortem we never name people", "Right, no names in the postmortem."
    ada.turn("Where is the postmortem?").done("The postmortem has no names, it is in docs.")
    ada.turn(f"Oh, and {rule}!").done(echo)
    ada.turn("And who writes it?").done("Names of writers are in the postmortem of May.")
    memory = ada.remember(rule)
    assert echo in found(ada, "names in the postmortem")
    ada.forget(memory.id)
    left = found(ada, "names in the postmortem")
    assert echo not in left
    assert "The postmortem has no names, it is in docs." in left
    assert "Names of writers are in the postmortem of May." in left


@on_each
@pytest.mark.req("R-43")
def test_forgetting_needs_no_index(
    et: everthread.Everthread,
    ada: everthread.Agent,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What says the same is withheld all the same; the worker takes the words out of the index later."""
    echo, other = said(ada, f"Hm. {SECRET}!"), said(ada, "The vault is in the cellar")
    memory = ada.remember(SECRET)
    assert memory.text in found(ada, "heliotrope")

    def unusable(*_: object) -> None:
        raise StoreFailed("the index is away")

    catalogue = et.house.index.of(ada.row)
    with monkeypatch.context() as patch:
        patch.setattr(type(catalogue), "reached", unusable)
        ada.forget(memory.id)
    assert ada.memory(memory.id).state == "forgotten"
    assert "the index is away" in caplog.text
    assert SECRET not in caplog.text
    keys = {m.id: m.key for m in ada.messages()}
    withheld = et.house.store.read(lambda r: r.memories.withheld(ada.scope))
    assert withheld == {keys[echo]: "forgotten"}
    assert keys[other] not in withheld
    assert memory.ref in catalogue.memories()
    worker = Worker(et.house)
    while worker.step():
        pass
    assert memory.ref not in catalogue.memories()


@on_each
@pytest.mark.req("R-43")
def test_only_forgetting_goes_through_the_whole_index(
    et: everthread.Everthread, ada: everthread.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was superseded stays readable, so a recall does not wait until its last word is scrubbed."""
    bob = et.agent("bob")
    kind = type(et.house.index.of(ada.row))
    real, scrubs = kind.take_out, list[bool]()

    def watched(self: Any, ids: Any, *, scrub: bool) -> None:
        scrubs.append(scrub)
        real(self, ids, scrub=scrub)

    monkeypatch.setattr(kind, "take_out", watched)
    memory = ada.remember("The gateway port is 8080", scope="user")
    for agent in (ada, bob):
        assert found(agent, "gateway port") == ["The gateway port is 8080"]
    ada.edit(memory.id, "The gateway port is 9090")
    for agent in (ada, bob):
        assert found(agent, "gateway port") == ["The gateway port is 9090"]
    assert scrubs == [False, False]
    ada.forget(memory.id)
    assert scrubs == [False, False, True, True]


@pytest.mark.req("R-43")
def test_no_index_holds_a_word_of_an_earlier_version_that_was_forgotten(tmp_path: Path) -> None:
    home = tmp_path / "store"
    with everthread.connect(home / "everthread.db", background=False) as et:
        ada, bob = et.agent("ada"), et.agent("bob")
        for agent in (ada, bob):
            agent.record([{"role": "user", "content": f"talk number {n}"} for n in range(50)])
        first = ada.remember(SECRET, scope="user")
        assert SECRET in found(bob, "vault code") and SECRET in found(ada, "vault code")
        ada.edit(first.id, "The vault code is not to be written down")
        assert SECRET not in found(bob, "vault code") + found(ada, "vault code")
        assert_found(home, b"heliotrope")
        ada.forget(first.id)
        assert_gone(home, b"heliotrope")


def held(folder: Path, word: bytes) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if word in path.read_bytes().lower()]


def assert_found(folder: Path, word: bytes) -> None:
    assert held(folder, word)


def assert_gone(folder: Path, word: bytes) -> None:
    assert held(folder, word) == []


def test_erasing_a_thread_forgets_what_came_from_it(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    """(X-29)"""
    beat = ada.thread("heartbeat", kind="background")
    beat.turn(SECRET).done("Noted.")
    there, here = beat.messages()[0], said(ada, "tabs")
    gone = ada.remember(SECRET, sources=[there.id])
    kept = ada.remember("Prefers tabs", sources=[here])
    plain = ada.remember("The port is 8080")
    ada.note("stays")
    et.erase(ada, thread="heartbeat")
    assert ada.memory(gone.id).state == "forgotten"
    assert {m.id for m in ada.memories()} == {kept.id, plain.id}
    assert "heliotrope" not in repr(et.house.store.read(lambda r: list(r.audit.dump(ada.scope))))
    et.erase(ada)
    assert ada.memories() == [] and ada.notes() == []
    assert et.house.store.read(lambda r: r.memories.withheld(ada.scope)) == {}


@on_each
def test_erasing_a_thread_forgets_every_version_of_what_came_from_it(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    """A version that a person edited names no sources any more, and yet holds the words (X-29)."""
    beat = ada.thread("heartbeat", kind="background")
    beat.turn("My doctor is Dr. Xylander").done("Noted.")
    came = ada.remember("My doctor is Dr. Xylander", sources=[beat.messages()[0].id])
    edited = ada.edit(came.id, "My doctor is Dr. Xylander, room 12, ring twice, on tuesdays")
    assert edited.sources == ()
    again = ada.edit(edited.id, "Dr. Xylander has moved to Zurich and sees nobody any more")
    et.erase(ada, thread="heartbeat")
    versions = [version.memory for version in ada.history(again.id)]
    assert [(m.state, m.text) for m in versions] == [("forgotten", "")] * 3
    assert "Xylander" not in repr(et.house.store.read(lambda r: list(r.audit.dump(ada.scope))))


@pytest.mark.req("R-44")
@pytest.mark.parametrize("thread", [None, "heartbeat"])
def test_what_is_erased_leaves_the_indexes_of_other_agents_too(
    tmp_path: Path, thread: str | None
) -> None:
    """What reached user-wide had been filed there."""
    home = tmp_path / "store"
    with everthread.connect(home / "everthread.db", background=False) as et:
        ada, bob = et.agent("ada"), et.agent("bob")
        beat = ada.thread("heartbeat", kind="background")
        beat.turn(SECRET).done("Noted.")
        ada.remember(SECRET, scope="user", sources=[beat.messages()[0].id])
        assert found(bob, "which vault code?") == [SECRET]
        et.erase(ada, thread=thread)
        assert_gone(home, b"heliotrope")


@pytest.mark.slow
def test_the_worker_finishes_what_forgetting_began(tmp_path: Path) -> None:
    """Where a reader keeps the log from being emptied, a job tries again."""
    home = tmp_path / "store"
    with everthread.connect(home / "everthread.db", background=False) as et:
        ada = et.agent("ada")
        memory = ada.remember(SECRET)
        begun, over = threading.Event(), threading.Event()

        def hold() -> None:
            def look(records: Any) -> None:
                records.memories.all(ada.scope, state="kept", limit=9)
                begun.set()
                over.wait(60)

            et.house.store.read(look)

        reader = threading.Thread(target=hold)
        reader.start()
        assert begun.wait(60)
        ada.forget(memory.id)
        over.set()
        reader.join(60)
        assert [job.kind for job in et.house.store.read(lambda r: r.jobs.all())] == ["store.settle"]
        worker = Worker(et.house)
        while worker.step():
            pass
        assert_gone(home, b"heliotrope")
