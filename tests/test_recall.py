"""Recall: what was said or learnt comes back, the right thing first, and nothing that must not."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha512
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.errors import BadInput
from everthread.domain.recall.excerpts import CUT
from everthread.domain.recall.final_scores import RECENT, recency
from everthread.domain.recall.hits import Hit
from everthread.domain.recall.relevance import certainty
from everthread.domain.times import DAY, HOUR
from everthread.services.distilling.prime import prime
from everthread.services.memory.index import follow_all
from everthread.testing import FrozenClock
from support.commands import Cli, Here
from support.stores import EACH, Place, fresh

NOW = "2026-02-20T10:00:00Z"
TALK = [
    ("m1", "user", "Mel", "I planted the tomatoes behind the shed on Sunday."),
    ("m2", "assistant", None, "Good. Water them every second day."),
    ("m3", "user", "Mel", "Which port does the greenhouse server listen on?"),
    ("m4", "assistant", None, "8931, as set in config/greenhouse.toml."),
    ("m5", "user", "Mel", "We decided to rename parseConfigFile to readSettings."),
    ("m6", "user", "Mel", "我们决定用知识库来保存所有的笔记。"),
    ("m7", "user", "Mel", "My sister Ana is getting married in Lisbon."),
]


def said(talk: list[tuple[str, str, str | None, str]] = TALK) -> list[dict[str, object]]:
    entries = [{"id": i, "role": r, "name": n, "content": c} for i, r, n, c in talk]
    return [{k: v for k, v in entry.items() if v is not None} for entry in entries]


def ids(agent: Agent, query: str, **options: object) -> list[str | None]:
    """The messages of a recall, as their source named them, best first."""
    hits = agent.recall(query, **options)  # pyright: ignore[reportArgumentType]
    return [message.external_id for hit in hits for message in hit.messages]


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as where:
        yield where


@pytest.fixture
def et(place: Place, clock: FrozenClock) -> Iterator[Everthread]:
    text_only = Settings(embedder="off")
    with everthread.connect(
        place.target, clock=clock, background=False, settings=text_only
    ) as engine:
        yield engine


@pytest.fixture
def ada(et: Everthread) -> Agent:
    agent = et.agent("ada")
    agent.record(said())
    return agent


@pytest.fixture
def quick(clock: FrozenClock) -> Iterator[Agent]:
    with everthread.connect(
        "memory://", clock=clock, background=False, settings=Settings(embedder="off")
    ) as et:
        yield et.agent("ada")


@pytest.mark.req("R-51", "A-7", "A-14")
def test_what_was_recorded_is_found_by_the_next_recall(ada: Agent) -> None:
    assert ids(ada, "tomatoes", limit=1) == ["m1"]
    ada.record([{"id": "m8", "role": "user", "content": "The tomatoes have blight."}])
    assert "m8" in ids(ada, "tomatoes blight", limit=2)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("planting a tomato", "m1"),
        ("parse config", "m5"),
        ("readSettings", "m5"),
        ("config/greenhouse.toml", "m4"),
        ("greenhouse.toml", "m4"),
        ("8931", "m4"),
        ("知识库", "m6"),
        ("ana's marriage", "m7"),
    ],
)
def test_words_are_found_in_other_forms_in_parts_and_in_other_scripts(
    ada: Agent, query: str, wanted: str
) -> None:
    assert wanted in ids(ada, query, limit=2)


OTHER_TONGUES = {
    "de": "Das Büro ist in der Großen Straße 5.",
    "ch": "Die Strassenbahn faehrt nicht.",
    "flat": "Мы переехали в новую квартиру на улице Ленина.",
    "base": "Данные хранятся на сервере в Берлине.",
    "dog": "Собака по кличке Рекс любит прогулки.",
    "uk": "Зустріч відбудеться у четвер.",
}


def test_words_are_found_in_other_spellings_and_cases(ada: Agent) -> None:
    ada.record([{"id": k, "role": "user", "content": text} for k, text in OTHER_TONGUES.items()])
    asked = {
        "de": ("Strasse", "STRASSE", "Straße", "grossen"),
        "ch": ("Straßenbahn", "strassenbahn"),
        "flat": ("квартира", "квартирой", "улица", "переехать"),
        "base": ("сервер", "серверами", "Берлин"),
        "dog": ("собаку", "собаками", "прогулка"),
        "uk": ("зустрічі",),
    }
    missed = [
        query
        for wanted, queries in asked.items()
        for query in queries
        if ids(ada, query, limit=1) != [wanted]
    ]
    assert missed == []
    assert ids(ada, "нов", limit=1) == [], "short words stand for themselves"


def test_an_emoji_alone_finds_what_has_it(ada: Agent) -> None:
    pictures = {"go": "The launch went fine 🚀", "kin": "With 👨‍👩‍👧 to the lake", "love": "I ❤️ it"}
    ada.record([{"id": k, "role": "user", "content": text} for k, text in pictures.items()])
    ada.record([{"id": f"up{n}", "role": "user", "content": "👍"} for n in range(9)])
    memory, note = ada.remember("Deploys are 🟢 on Mondays"), ada.note("🟢 means go")
    assert ids(ada, "🚀", limit=1) == ["go"]
    assert ids(ada, "👨‍👩‍👧", limit=1) == ["kin"]
    assert ids(ada, "❤", limit=1) == ids(ada, "❤️?", limit=1) == ["love"]
    assert len(ada.recall("👍", limit=5)) >= 1
    assert {hit.id for hit in ada.recall("🟢", limit=5)} == {memory.id, note.id}
    assert ada.recall("🦊") == ada.recall("🚀🦊") == []
    assert ids(ada, "🚀 launch", limit=1) == ["go"]
    assert ada.recall("🟢")[0].score == 1


def test_a_hit_says_what_it_is_where_from_and_why(ada: Agent) -> None:
    hit = ada.recall("Where does Ana get married?", limit=1)[0]
    assert hit.text == "My sister Ana is getting married in Lisbon."
    assert hit.kind == "message"
    assert 0 < hit.score <= 1
    assert hit.at == ada.messages(limit=1)[0].at
    assert "words" in hit.why
    assert hit.fresh == "unknown"
    assert [(m.external_id, m.name) for m in hit.messages] == [("m7", "Mel")]
    assert hit.id == hit.messages[0].id
    assert abs(sum(hit.parts.values()) - hit.score) < 1e-6


def test_a_question_comes_with_its_answer_and_an_answer_with_its_question(ada: Agent) -> None:
    hits = ada.recall("which port does the greenhouse server listen on", limit=5)
    shown = {hit.messages[0].external_id: [m.external_id for m in hit.context] for hit in hits}
    assert shown["m3"] == ["m4"]
    assert shown["m4"] == ["m3"]
    assert shown.get("m7", []) == []


OFFER = "For the hedge there is yew, slow and dense, or privet, quick and cheap."


@pytest.mark.parametrize(
    "reply",
    [
        "the slow hedge",
        "2 then, the hedge is mine to cut anyway",
        "Yes to a hedge, but not before May",
    ],
)
def test_an_offer_comes_with_the_reply_that_takes_it_up_and_the_reply_with_the_offer(
    quick: Agent, reply: str
) -> None:
    quick.record(
        [
            {"id": "o1", "role": "user", "content": "We need something along the road."},
            {"id": "o2", "role": "assistant", "content": OFFER},
            {"id": "o3", "role": "user", "content": reply},
            {"id": "o4", "role": "assistant", "content": "A hedge, then."},
        ]
    )
    hits = quick.recall("which hedge", limit=5)
    shown = {hit.messages[0].external_id: [m.external_id for m in hit.context] for hit in hits}
    assert shown["o2"] == ["o3"], "what became of it"
    assert shown["o3"] == ["o2"], "what it speaks of; what the agent made of it says no more"
    assert shown["o4"] == []


@pytest.mark.parametrize(
    ("before", "reply"),
    [
        ("assistant", "My neighbour cut the hedge on Sunday while I slept."),
        ("assistant", "Yes, and the hedge " + "has to wait until the pond is dug " * 5),
        ("user", "no hedge"),
    ],
)
def test_what_says_itself_of_what_it_speaks_or_follows_no_agent_stands_alone(
    quick: Agent, before: str, reply: str
) -> None:
    quick.record([{"role": before, "content": OFFER}, {"role": "user", "content": reply}])
    assert [len(hit.context) for hit in quick.recall("which hedge", limit=5)] == [0, 0]


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_an_empty_question_is_refused_and_says_so(quick: Agent, query: str) -> None:
    with pytest.raises(BadInput, match="query is empty"):
        quick.recall(query)


@pytest.mark.parametrize(
    "query",
    [
        "\x00\x01\x02\x7f",
        '" OR NEAR(tomatoes) AND NOT * ^ {text}: -"',
        "tomatoes" * 100_000,
        "…—‽",
        "😀" * 500,
        "text:tomatoes",
        "'; DROP TABLE cards; --",
    ],
    ids=["control", "syntax", "a megabyte", "punctuation", "emoji", "column", "injection"],
)
def test_no_question_is_too_strange(ada: Agent, query: str) -> None:
    assert isinstance(ada.recall(query), list)
    assert ids(ada, "tomatoes", limit=1) == ["m1"]


@pytest.mark.slow
@given(st.text(min_size=1).filter(lambda text: bool(text.strip())))
def test_any_text_can_be_asked(query: str) -> None:
    with everthread.connect("memory://", background=False, settings=Settings(embedder="off")) as et:
        agent = et.agent("ada")
        agent.record(said())
        assert len(agent.recall(query, limit=3)) <= 3


@pytest.mark.parametrize("limit", [0, -1, 1001, 2.5, "5"])
def test_a_limit_that_makes_no_sense_is_refused(quick: Agent, limit: object) -> None:
    with pytest.raises(BadInput, match="limit"):
        quick.recall("tomatoes", limit=limit)  # pyright: ignore[reportArgumentType]


def test_an_agent_that_heard_nothing_recalls_nothing(quick: Agent) -> None:
    assert quick.recall("tomatoes") == []


def test_hits_fit_into_the_tokens_given_whole_or_marked_as_cut(
    quick: Agent, et: Everthread
) -> None:
    quick.record(said())
    for budget in (1, 10, 25, 60, 1_000):
        hits = quick.recall("tomatoes greenhouse port config sister", limit=10, tokens=budget)
        assert sum(et.house.tokenizer.count(hit.text) for hit in hits) <= budget
        assert all(hit.cut == (hit.text != hit.messages[0].text) for hit in hits)
        assert all(hit.cut == (CUT in hit.text) for hit in hits)


LONG = [f"Step {n} of the migration went as planned. " for n in range(400)]


@pytest.mark.parametrize("at", [0, 200, 399])
def test_of_an_answer_longer_than_the_budget_comes_the_part_that_answers(
    quick: Agent, et: Everthread, at: int
) -> None:
    told = "".join([*LONG[:at], "The pelican rehearsal is in hangar nine. ", *LONG[at:]])
    quick.record([{"id": "long", "role": "assistant", "content": told}, *said()])
    found = {}
    for budget in (60, 1_000):
        hits = quick.recall("Where is the pelican rehearsal?", limit=5, tokens=budget)
        assert "The pelican rehearsal is in hangar nine." in hits[0].text
        assert hits[0].cut and CUT in hits[0].text
        assert hits[0].messages[0].text == told
        assert sum(et.house.tokenizer.count(hit.text) for hit in hits) <= budget
        found[budget] = len(hits)
    assert found[60] < found[1_000], "others have their share"
    alone = quick.recall("Where is the pelican rehearsal?", limit=1, tokens=1_000)
    assert 900 < et.house.tokenizer.count(alone[0].text) <= 1_000, "what is left goes to it"


def test_a_secret_is_never_cut_into_halves_that_nobody_knows_as_one(quick: Agent) -> None:
    lines = [b64encode(sha512(bytes(n)).digest()[:48]).decode() for n in range(200)]
    body = "\n".join(lines)
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    quick.record([{"id": "k", "role": "user", "content": f"The staging key:\n{key}\nKeep it."}])
    (hit,) = quick.recall("staging key", tokens=60)
    assert hit.cut or "redacted" in hit.text
    assert not any(line[:16] in hit.text for line in lines)


def test_what_was_said_twice_comes_once(quick: Agent) -> None:
    same = "The greenhouse server listens on port 8931."
    quick.record([{"id": f"r{n}", "role": "user", "content": same} for n in range(4)])
    assert len(quick.recall("greenhouse port", limit=5)) == 1


# Memories ---------------------------------------------------------------------------------------


@pytest.mark.req("A-7", "A-14", "R-51")
def test_a_memory_is_found_the_moment_it_is_kept(ada: Agent) -> None:
    kept = ada.remember("Prefers tabs over spaces", kind="preference")
    hit = ada.recall("tabs or spaces?")[0]
    assert (hit.id, hit.kind, hit.text) == (kept.id, "preference", "Prefers tabs over spaces")


def test_a_memory_names_the_messages_it_came_from(ada: Agent) -> None:
    source = ada.messages(limit=1)[0]
    ada.remember("Ana marries in Lisbon", sources=[source.id])
    hit = next(h for h in ada.recall("Lisbon wedding of Ana") if h.kind == "fact")
    assert [m.external_id for m in hit.messages] == ["m7"]


@pytest.mark.req("R-43")
def test_what_is_forgotten_is_not_found_neither_the_memory_nor_its_sources(ada: Agent) -> None:
    source = ada.messages(limit=1)[0]
    kept = ada.remember("Ana marries in Lisbon", sources=[source.id])
    assert ids(ada, "Lisbon", limit=3)
    ada.forget(kept.id)
    hits = ada.recall("Lisbon Ana married", limit=20)
    assert all("Lisbon" not in hit.text for hit in hits)
    assert all("Lisbon" not in m.text for hit in hits for m in hit.context)
    assert ada.messages(limit=1)[0].text == source.text  # only erase removes what was said


@pytest.mark.req("R-43")
def test_the_source_of_a_superseded_memory_stands_below_its_successor_and_says_so(
    quick: Agent,
) -> None:
    quick.record([{"id": "old", "role": "user", "content": "The staging port is 8080."}])
    old = quick.messages(limit=1)[0]
    first = quick.remember("The staging port is 8080", sources=[old.id])
    later = quick.edit(first.id, "The staging port is 9090")
    hits = quick.recall("staging port")
    assert hits[0].id == later.id
    assert [hit.superseded for hit in hits if hit.messages[0:1] and hit.kind == "message"] == [True]
    assert first.id not in {hit.id for hit in hits}


@pytest.mark.req("A-44", "R-35", "LA-8")
@pytest.mark.parametrize(
    ("age", "boost"),
    [
        (0, 0.15),
        (6 * HOUR, 0.1125),
        (12 * HOUR, 0.075),
        (24 * HOUR, 0),
        (90 * DAY, 0),
        (-HOUR, 0.15),
    ],
)
def test_what_was_learnt_today_gains_and_a_clock_set_back_gives_no_more(
    age: int, boost: float
) -> None:
    assert recency(1_000_000_000_000 - age, 1_000_000_000_000) == pytest.approx(boost)
    assert boost <= RECENT


@pytest.mark.req("A-44", "R-35")
def test_of_two_memories_alike_the_one_of_today_comes_first(
    quick: Agent, clock: FrozenClock
) -> None:
    quick.remember("The deploy key lives in the vault of team Ash")
    clock.forward(hours=30)
    fresh_one = quick.remember("The deploy key of the mirror lives in a vault of team Elm")
    hits = quick.recall("deploy key vault team", limit=2)
    assert hits[0].id == fresh_one.id
    assert hits[0].parts["recency"] == pytest.approx(RECENT)
    assert hits[1].parts["recency"] == 0


@pytest.mark.req("A-45", "R-35")
def test_who_asks_by_hand_gets_no_more_than_the_limit_and_nothing_that_was_not_asked_for(
    ada: Agent, et: Everthread
) -> None:
    """A turn is given all that is primed (test_injections); on the command line no turn consumes it."""
    facts = [
        ada.remember(text)
        for text in ("Bed 4 has clay", "The tank holds 200 l", "Mel is left-handed")
    ]
    now, thread = et.house.clock.now(), ada.primary.ref
    et.house.store.write(lambda r: prime(r, ada.scope, thread, facts, now=now))
    assert len(ada.recall("sister Lisbon", limit=1)) == 1
    assert not {fact.id for fact in facts} & {hit.id for hit in ada.recall("zebra", limit=3)}
    [hit] = ada.recall("How much does the tank hold?", limit=1)
    assert hit.text == "The tank holds 200 l"
    assert "primed" not in hit.parts


@pytest.mark.req("R-44", "X-25")
def test_what_reaches_user_wide_is_found_by_every_agent_and_all_else_by_its_own_only(
    et: Everthread,
) -> None:
    ada, bob = et.agent("ada"), et.agent("bob")
    wide = ada.remember("Prefers British spelling", scope="user")
    ada.remember("Ada's own secret plan for spelling")
    assert [hit.id for hit in bob.recall("spelling")] == [wide.id]
    ada.forget(wide.id)
    assert bob.recall("spelling") == []


@pytest.mark.req("R-44")
def test_a_recall_in_a_project_sees_that_project_only(et: Everthread, tmp_path: Path) -> None:
    ada = et.agent("ada")
    for name in ("red", "blue"):
        (tmp_path / name).mkdir()
        entry = {"id": name, "role": "user", "content": f"The build of {name} is broken again"}
        ada.record([entry], project=str(tmp_path / name), session=f"in-{name}")
        ada.remember(f"The {name} build uses make", scope="project", project=str(tmp_path / name))
    assert set(ids(ada, "broken build")) == {"red", "blue"}
    hits = ada.recall("build", project=str(tmp_path / "red"))
    assert {hit.text for hit in hits} == {
        "The build of red is broken again",
        "The red build uses make",
    }


@pytest.mark.req("R-44")
def test_a_small_project_is_not_drowned_by_a_large_one(quick: Agent, tmp_path: Path) -> None:
    for name, count in (("large", 400), ("small", 1)):
        (tmp_path / name).mkdir()
        entries = [
            {"id": f"{name}{n}", "role": "user", "content": f"The build number {n} is broken"}
            for n in range(count)
        ]
        quick.record(entries, project=str(tmp_path / name), session=f"in-{name}")
    assert ids(quick, "broken build", project=str(tmp_path / "small")) == ["small0"]


def test_a_file_that_changed_since_is_told(quick: Agent, tmp_path: Path) -> None:
    config = tmp_path / "server.toml"
    config.write_text("port = 1\n")
    quick.remember("server.toml sets port 1", project=str(tmp_path), scope="project")
    options = {"project": str(tmp_path)}
    assert quick.recall("server port", **options)[0].fresh == "fresh"
    config.write_text("port = 2\n")
    assert quick.recall("server port", **options)[0].fresh == "changed"
    config.unlink()
    assert quick.recall("server port", **options)[0].fresh in ("changed", "unknown")


@pytest.mark.req("X-29")
def test_what_was_erased_is_found_no_more_and_no_word_of_it_lies_about(
    tmp_path: Path, clock: FrozenClock
) -> None:
    store = tmp_path / "everthread.db"
    settings = Settings(embedder="off")
    with everthread.connect(store, clock=clock, background=False, settings=settings) as et:
        ada = et.agent("ada")
        ada.record([{"id": "x", "role": "user", "content": "The password hint is zanzibar."}])
        assert ids(ada, "zanzibar") == ["x"]
        et.erase("ada", reason="asked for")
        assert et.agent("ada").recall("zanzibar") == []
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"zanzibar" not in path.read_bytes(), path


# Meaning ----------------------------------------------------------------------------------------


@pytest.fixture
def meaning(clock: FrozenClock) -> Iterator[Agent]:
    with everthread.connect("memory://", clock=clock, background=False) as et:
        assert et.house.embedder is not None, "make setup installs the embedder"
        yield et.agent("ada")


@pytest.mark.req("R-39", "R-47")
def test_a_store_filled_without_vectors_is_found_by_text_and_later_by_meaning(
    meaning: Agent,
) -> None:
    meaning.record(
        [
            {"id": "dog", "role": "user", "content": "Rex barked all night at the postman."},
            {"id": "tax", "role": "user", "content": "The invoice for March is still unpaid."},
            {"id": "sea", "role": "user", "content": "We sailed around the island."},
        ]
    )
    asked = "money that is owed"
    assert ids(meaning, asked) == []
    assert ids(meaning, "invoice", limit=1) == ["tax"]
    assert meaning.index() == 3
    assert ids(meaning, asked, limit=1) == ["tax"]
    assert ids(meaning, "a pet animal making noise", limit=1) == ["dog"]
    meaning.record([{"id": "new", "role": "user", "content": "A bill arrived today."}])
    assert "new" in ids(meaning, "bill")  # not embedded yet: found by its words


# The door ---------------------------------------------------------------------------------------


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture
def filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Cli:
    cli = Here(tmp_path, monkeypatch, capsys)
    with everthread.connect(cli.home / "data" / "everthread.db", background=False) as et:
        ada = et.agent("ada")
        ada.record(said())
        secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
        ada.record([{"id": "s", "role": "user", "content": f"The token of Lisbon is {secret}"}])
    return cli


def test_the_command_finds_explains_and_answers_programs(filled: Cli) -> None:
    plain = filled("recall", "Where does Ana get married?", "--limit", "2")
    assert plain.code == 0, plain.err
    assert "My sister Ana is getting married in Lisbon." in plain.out
    explained = filled("recall", "Ana Lisbon", "--limit", "1", "--explain")
    assert "words" in explained.out
    assert "it has words of the question" in explained.out
    assert "score" in explained.out
    hits = filled("recall", "Ana married", "--json").json["hits"]
    assert hits[0]["messages"][0]["external_id"] == "m7"
    assert hits[0]["score"] <= 1
    assert {"text", "score", "kind", "at", "why", "fresh", "messages"} <= hits[0].keys()
    assert filled("recall", "-", stdin="Ana married", env={}).code == 0


def test_the_command_shows_what_completes_a_hit(filled: Cli) -> None:
    """A choice is read by nobody who does not see between what was chosen."""
    with everthread.connect(filled.home / "data" / "everthread.db", background=False) as et:
        ada = et.agent("ada")
        ada.turn("How do we ship the cookbook?").done("As (A) a PDF or (B) a bound volume?")
        ada.turn("The latter, with a ribbon.").done("A bound volume then.")
    found = filled("recall", "the latter with a ribbon", "--limit", "1")
    assert "The latter, with a ribbon." in found.out
    assert "beside it, assistant: As (A) a PDF or (B) a bound volume?" in found.out


@pytest.mark.req("R-30")
def test_the_command_shows_no_secret(filled: Cli) -> None:
    for words in (["recall", "token Lisbon"], ["recall", "token Lisbon", "--json"]):
        shown = filled(*words).out
        assert "Lisbon" in shown
        assert "ghp_" not in shown


def test_the_command_refuses_an_empty_question(filled: Cli) -> None:
    answer = filled("recall", "  ")
    assert answer.code == 2
    assert "query is empty" in answer.err


def test_the_index_can_be_brought_up_to_date_and_made_anew_by_hand(filled: Cli) -> None:
    answer = filled("index", "--json", env={"EVERTHREAD_EMBEDDER": "off"})
    assert answer.code == 0, answer.err
    assert answer.json["agents"] == [{"agent": "ada", "cards": 8, "embedded": 0, "model": None}]
    again = filled("index", "--rebuild", env={"EVERTHREAD_EMBEDDER": "off"})
    assert "ada: 8 cards, by words alone" in again.out
    assert filled("recall", "tomatoes", "--json").json["hits"]


REMEMBER = """
import sys, everthread
with everthread.connect(sys.argv[1], background=False) as et:
    print(et.agent("ada").remember("The cellar key hangs behind the clock").id, flush=True)
    sys.stdin.read()
"""


@pytest.mark.slow
@pytest.mark.req("R-51", "R-52")
def test_what_is_remembered_in_one_terminal_is_recalled_at_once_in_another(cli: Cli) -> None:
    store = cli.home / "data" / "everthread.db"
    with subprocess.Popen(
        [sys.executable, "-c", REMEMBER, str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=cli.env,
        text=True,
    ) as other:
        assert other.stdout is not None
        kept = other.stdout.readline().strip()
        answer = cli("recall", "where is the cellar key?", "--json")
        assert [hit["id"] for hit in json.loads(answer.out)["hits"]] == [kept]
        other.communicate("")


# What reviews found -----------------------------------------------------------------------------


def test_half_an_emoji_where_a_stream_was_cut_does_not_break_the_index(et: Everthread) -> None:
    ada = et.agent("ada")
    ada.turn("hi there").done("cut emoji \ud83d")
    ada.record([{"id": "p", "role": "user", "content": "The parser chokes on tabs"}])
    assert ids(ada, "parser", limit=1) == ["p"]
    assert ada.recall("cut emoji")[0].text.startswith("cut emoji")


def test_a_note_is_found_and_gone_when_it_is_deleted(ada: Agent) -> None:
    kept = ada.note("We chose Postgres for the ledger", category="decision")
    hit = ada.recall("ledger database Postgres")[0]
    assert (hit.id, hit.kind, hit.text) == (kept.id, "note", "We chose Postgres for the ledger")
    ada.unnote(kept.id)
    assert all(hit.kind != "note" for hit in ada.recall("ledger database Postgres"))


def test_tool_calls_with_the_same_words_before_them_are_told_apart(quick: Agent) -> None:
    for n, target in enumerate(("alpha", "beta", "gamma")):
        call = {
            "type": "tool_use",
            "id": f"c{n}",
            "name": "sh",
            "input": {"cmd": f"deploy {target}"},
        }
        said = [{"type": "text", "text": "Let me run that command now."}, call]
        quick.record([{"id": f"t{n}", "role": "assistant", "content": said}])
    assert len(quick.recall("deploy command", limit=10)) == 3


def test_the_sources_of_a_memory_are_shown_only_to_whom_they_may_be(quick: Agent) -> None:
    quick.turn("My salary is 90k and I like tea", principal="bob").done("Noted.")
    source = quick.messages(limit=2)[0]
    first = quick.remember("Bob earns 90k", sources=[source.id])
    quick.remember("Someone here likes tea", sources=[source.id])
    assert all(
        m.principal != "bob" for h in quick.recall("tea", principal="alice") for m in h.messages
    )
    quick.forget(first.id)
    assert all(not h.messages for h in quick.recall("tea") if h.kind == "fact")


def test_what_one_person_was_told_is_not_for_another(quick: Agent) -> None:
    quick.turn("My file says penicillin allergy", principal="mel").done(
        "Mel is allergic to penicillin"
    )
    assert quick.recall("penicillin", principal="zoe") == []
    assert len(quick.recall("penicillin", principal="mel")) == 2


def test_meaning_is_claimed_only_where_there_is_meaning(ada: Agent) -> None:
    for hit in ada.recall("tomatoes"):
        assert hit.parts["meaning"] == 0
        assert "meaning" not in hit.why


def test_memories_that_share_no_word_do_not_pad_the_answer(quick: Agent) -> None:
    quick.remember("critical: Buttons are green")
    wanted = quick.remember("The planet is called P7")
    quick.remember("Doors are blue")
    assert [hit.id for hit in quick.recall("planet P7")] == [wanted.id]


@pytest.mark.parametrize("query", ["???", "\x01\x02", "解析器", "zxqv wvut"])
def test_a_question_without_an_answer_gets_none_though_there_are_vectors(
    meaning: Agent, query: str
) -> None:
    meaning.record([{"id": "t", "role": "user", "content": "Then let it expand them first."}])
    meaning.index()
    assert meaning.recall(query) == []


def test_a_short_answer_in_other_words_is_found_and_its_score_tells_how_faint_it_is(
    meaning: Agent,
) -> None:
    """Among few texts nothing shares a word with most questions: who asks must not be told nothing."""
    for text in ("Use pnpm, not npm", "Piet is our accountant", "The kiln fires at 1240 degrees"):
        meaning.remember(text)
    meaning.index()
    hits = meaning.recall("which package manager?")
    assert hits[0].text == "Use pnpm, not npm"
    assert hits[0].score < 0.5
    assert meaning.recall("who won the world cup?") == []


def test_what_is_hardly_alike_and_shares_no_word_is_worth_less_than_what_is(
    meaning: Agent,
) -> None:
    """The best of what is found need not be good: a score of 1 would say so."""
    meaning.record([{"id": "p", "role": "user", "content": "Guitar's mostly my thing."}])
    meaning.record([{"id": "d", "role": "user", "content": "Rex barked at the postman."}])
    meaning.index()

    def best(query: str) -> Hit:
        return meaning.recall(query)[0]

    assert best("guitar").score == best("my favourite musical instrument").score == 1
    far = best("zzzz music qqqq")
    assert far.alike is not None
    assert far.score == pytest.approx(certainty(0.0, far.alike))
    assert far.score == pytest.approx(sum(far.parts.values()))
    assert far.score < 0.5


@pytest.mark.parametrize("vectors", [True, False])
def test_one_word_among_noise_is_no_sure_answer_though_a_text_has_it(
    meaning: Agent, quick: Agent, *, vectors: bool
) -> None:
    agent = meaning if vectors else quick
    agent.record(said())
    agent.remember("Asparagus grows in the third bed")
    agent.index()
    noise = agent.recall("zxqv wvut plork third blorf qwnt")
    assert noise[0].score < 0.5 and "faint -" in noise[0].why
    assert agent.recall("asparagus bed")[0].score == 1
    for hit in (*noise, *agent.recall("which bed is the asparagus in?", limit=20)):
        assert hit.score == pytest.approx(sum(hit.parts.values()))


def test_what_is_shown_of_a_score_adds_up_where_it_was_taken_back(quick: Agent) -> None:
    quick.record([{"id": "8080", "role": "user", "content": "The parser's port is 8080"}])
    source = quick.messages()[0]
    quick.remember("The parser's port is 8080", sources=[source])
    quick.remember("The parser's port is 9090")
    hits = quick.recall("port of the parser")
    old = next(hit for hit in hits if hit.superseded)
    assert old.parts["superseded"] < 0 and "superseded -" in old.why
    for hit in hits:
        assert hit.score == pytest.approx(sum(hit.parts.values()))


def test_the_worker_takes_turns_and_one_bad_index_does_not_stop_the_rest(
    tmp_path: Path, clock: FrozenClock
) -> None:
    store = tmp_path / "everthread.db"
    with everthread.connect(store, clock=clock, background=False) as et:
        for name in ("ada", "bob"):
            et.agent(name).record(said())
        folder = tmp_path / "everthread.db-index"
        folder.mkdir()
        (folder / f"{et.agent('ada').row.ref}.db").mkdir()
        assert follow_all(et.house, lambda: None)
        assert et.house.index.of(et.agent("bob").row).counts().cards == len(TALK)
