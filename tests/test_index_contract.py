"""Every index keeps the same promises: in memory, beside a SQLite store, in PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import everthread
from everthread.domain.agents import AgentRow
from everthread.domain.errors import IndexDamaged, StoreFailed
from everthread.domain.text.words import query_words
from everthread.ports import Counts, Index, IndexProgress
from everthread.store.postgres import index_sql
from everthread.store.postgres import words as server_words
from everthread.store.postgres.index import PostgresIndex
from everthread.store.postgres.link import rewrite_parameters
from everthread.store.postgres.words import agent_prefix
from everthread.store.sql.statements import Scoped
from everthread.store.sqlite.index import SqliteIndex
from everthread.testing import IndexContract
from everthread.testing.promises.index_cards import (
    a_filing,
    an_agent,
    file_texts,
    random_vectors,
    search_ids,
)
from everthread.testing.promises.rows import new_id, run_together
from support import postgres
from support.chance import few
from support.skips import needs

COMMAND = Path(sys.executable).with_name("everthread")
EMPTY = """
    TRUNCATE index_catalogues, index_threads, index_cards, index_texts, index_passages"""


class TestMemoryIndex(IndexContract):
    @pytest.fixture
    def index(self) -> Iterator[Index]:
        index = SqliteIndex(None)
        yield index
        index.close()

    @pytest.fixture
    def other(self, index: Index) -> Index:
        return index


class TestSqliteIndex(IndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[Index]:
        index = SqliteIndex(tmp_path / "everthread.db")
        yield index
        index.close()

    @pytest.fixture
    def other(self, tmp_path: Path) -> Iterator[Index]:
        index = SqliteIndex(tmp_path / "everthread.db")
        yield index
        index.close()


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    needs("postgresql")
    with postgres.start() as server:
        yield server


@pytest.fixture(scope="module")
def database(server: postgres.Server) -> str:
    return server.create("index")


@pytest.mark.slow
@pytest.mark.xdist_group("postgres-index")
class TestPostgresIndex(IndexContract):
    @pytest.fixture
    def index(self, database: str) -> Iterator[Index]:
        index = PostgresIndex(database)
        index.run(lambda _: None)
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute(EMPTY)
        yield index
        index.close()

    @pytest.fixture
    def other(self, database: str) -> Iterator[Index]:
        index = PostgresIndex(database)
        yield index
        index.close()


@pytest.mark.slow
@pytest.mark.xdist_group("postgres-index")
@pytest.mark.req("R-39")
def test_where_the_server_keeps_no_vectors_everyone_is_told(server: postgres.Server):
    """`status` and `doctor` say that recall goes by words alone, and what to do about it."""
    with psycopg.connect(server.create("wordsonly"), autocommit=True) as connection:
        connection.execute("CREATE ROLE wordsonly LOGIN; GRANT ALL ON SCHEMA public TO wordsonly")
        connection.execute("REVOKE CREATE ON DATABASE wordsonly FROM public")
    url = server.url("wordsonly").replace("postgres@", "wordsonly@")
    with everthread.connect(url, background=False) as engine:
        ada = engine.agent("ada")
        ada.record([{"role": "user", "content": "The deployment is on Thursday."}])
        assert [hit.text for hit in ada.recall("deployment")] == ["The deployment is on Thursday."]
        assert "CREATE EXTENSION vector" in engine.house.index.lacks()
        (told,) = [finding for finding in engine.diagnose() if finding.check == "index"]
        assert (told.fine, told.says) == (False, "recall goes by words alone")
    answer = subprocess.run(
        [COMMAND, "status", "--store", url], check=True, capture_output=True, text=True
    )
    assert "recall  by words alone: the server has no pgvector" in answer.stdout
    with psycopg.connect(server.url("wordsonly"), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    with everthread.connect(url, background=False) as engine:
        assert engine.house.index.lacks() == ""
        assert engine.agent("ada").index() == 1


# ---- whatever is filed by whomever, each finds its own

WORDS = (
    "apple",
    "pear",
    "plum",
    "parsing",
    "parse",
    "知识库",
    "Ünder",
    "readConfigFile",
    "a_b",
    "x9",
)
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
FILED = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 12), TEXTS), max_size=24)


def check_apart(index: Index, filed: list[tuple[int, int, str]], asked: list[str]) -> None:
    """What an agent finds is what it filed first under each id, and never another's."""
    ids = {ref: new_id() for ref in range(1, 7)}
    agents = {ref: an_agent(ref, ids[ref], f"a{ref}") for ref in ids}
    mine: dict[int, dict[int, str]] = {ref: {} for ref in ids}
    for ref, card, text in filed:
        fresh = card not in mine[ref]
        assert index.of(agents[ref]).file([a_filing(card, text)], threads={1: card}) == int(fresh)
        mine[ref].setdefault(card, text)
    for ref, agent in agents.items():
        catalogue = index.of(agent)
        assert [card.id for card in catalogue.cards(range(13))] == sorted(mine[ref])
        for question in asked:
            hits = {card for card, _ in catalogue.search(query_words(question), limit=99)}
            assert hits <= mine[ref].keys()
            # Every one that has the very word, and none without anything alike.
            having = {card for card, text in mine[ref].items() if question in text.split()}
            assert having <= hits
    for agent in agents.values():
        index.drop(agent)


@pytest.mark.slow
@given(FILED, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
@settings(max_examples=few(60), deadline=None)
@pytest.mark.req("R-44")
def test_in_memory_each_agent_finds_its_own(
    filed: list[tuple[int, int, str]], asked: list[str]
) -> None:
    index = SqliteIndex(None)
    check_apart(index, filed, asked)
    index.close()


@pytest.mark.slow
@pytest.mark.req("R-44")
def test_beside_a_store_each_agent_finds_its_own(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path / "everthread.db")

    @given(FILED, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
    @settings(max_examples=15, deadline=None)
    def run(filed: list[tuple[int, int, str]], asked: list[str]) -> None:
        check_apart(index, filed, asked)

    run()
    index.close()


# ---- PostgreSQL's own


def an_index(url: str) -> Iterator[PostgresIndex]:
    index = PostgresIndex(url)
    yield index
    index.close()


@pytest.mark.slow
@pytest.mark.xdist_group("postgres-index")
class TestOnAServer:
    @pytest.fixture
    def url(self, server: postgres.Server) -> Iterator[str]:
        yield server.create("apart")
        server.drop("apart")

    @pytest.fixture
    def index(self, url: str) -> Iterator[PostgresIndex]:
        yield from an_index(url)

    @pytest.mark.req("R-44")
    def test_each_agent_finds_its_own(self, index: PostgresIndex) -> None:
        @given(FILED, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
        @settings(max_examples=15, deadline=None)
        def run(filed: list[tuple[int, int, str]], asked: list[str]) -> None:
            check_apart(index, filed, asked)

        run()

    def test_what_has_many_common_words_is_found_though_it_lacks_the_rarest(
        self, index: PostgresIndex, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of a large store not all is scored that has one of the words."""
        monkeypatch.setattr(server_words, "MOST", 6)
        catalogue = index.of(an_agent())
        common = ["lagoon", "paper", "river", "stone", "window"]
        texts = [f"The {word} of house {n} is old." for n in range(12) for word in common]
        texts += ["Only the zebra is meant.", "By the lagoon a paper, a river, a stone, a window."]
        file_texts(catalogue, texts)
        found = search_ids(catalogue, " ".join([*common, "zebra"]), limit=3)
        assert found[0] == file_texts(catalogue, texts)[-1]

    def test_tables_of_another_version_are_made_anew(self, url: str, index: PostgresIndex) -> None:
        agent = an_agent()
        file_texts(index.of(agent), ["an apple"])
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("COMMENT ON TABLE index_catalogues IS 'everthread index 0'")
            connection.execute("ALTER TABLE index_cards DROP COLUMN flags")
            connection.execute("CREATE TABLE index_novelty (x int)")
        later = PostgresIndex(url)
        assert search_ids(later.of(agent), "apple") == []
        file_texts(later.of(agent), ["a new apple"])
        # Whoever was at work when that happened goes on with the new ones.
        assert search_ids(index.of(agent), "apple") == [1]
        with psycopg.connect(url) as connection:
            row = connection.execute("SELECT to_regclass('index_novelty')").fetchone()
        assert row == (None,)
        later.close()

    def test_tables_that_were_dropped_are_made_anew(self, url: str, index: PostgresIndex) -> None:
        agent = an_agent()
        file_texts(index.of(agent), ["an apple"])
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP TABLE index_texts")
        with pytest.raises(IndexDamaged):
            search_ids(index.of(agent), "apple")
        assert index.of(agent).reached() == IndexProgress(0, {}, 0)
        file_texts(index.of(agent), ["an apple"])
        assert search_ids(index.of(agent), "apple") == [1]

    def test_several_programs_make_the_tables_at_once(self, url: str) -> None:
        handles = [PostgresIndex(url) for _ in range(6)]
        agent = an_agent()
        jobs = [partial(file_texts, handle.of(agent), ["an apple", "a pear"]) for handle in handles]
        assert run_together(*jobs) == []
        for handle in handles:
            assert handle.of(agent).counts().cards == 2
            handle.close()

    def test_without_the_right_to_install_it_there_are_words_and_no_vectors(
        self, url: str, index: PostgresIndex
    ) -> None:
        """(R-39)"""
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP ROLE IF EXISTS plain")
            connection.execute("CREATE ROLE plain LOGIN")
            connection.execute("GRANT CREATE ON SCHEMA public TO plain")
        poor = PostgresIndex(url.replace("postgres@", "plain@"))
        agent = an_agent()
        catalogue = poor.of(agent)
        file_texts(catalogue, ["an apple"])
        assert list(catalogue.unembedded("m", limit=5)) == []
        catalogue.embed("m", [(1, random_vectors(1))])
        assert list(catalogue.nearest(random_vectors(1)[0], limit=5)) == []
        assert np.isnan(catalogue.likeness([1], random_vectors(1)[0]).best).all()
        assert (catalogue.counts("m"), catalogue.model()) == (Counts(1, 0), None)
        poor.check(agent)
        poor.drop(agent)
        file_texts(catalogue, ["a pear"])
        assert search_ids(catalogue, "pear") == [1]
        poor.close()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP OWNED BY plain")
            connection.execute("DROP ROLE plain")

    def test_a_damaged_row_is_found_by_the_check(self, url: str, index: PostgresIndex) -> None:
        agent, bystander = an_agent(), an_agent(2)
        for each in (agent, bystander):
            file_texts(index.of(each), ["an apple", "a pear"])
            index.of(each).embed("m", [(1, random_vectors(2))])
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DELETE FROM index_passages WHERE agent_id = 1 AND part = 1")
        index.check(bystander)
        index.check(agent)
        assert index.of(agent).counts("m") == Counts(0, 0)
        assert index.of(bystander).counts("m") == Counts(2, 1)

    def test_a_connection_that_the_server_cuts_is_replaced(
        self, url: str, index: PostgresIndex
    ) -> None:
        agent = an_agent()
        file_texts(index.of(agent), ["an apple"])
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        failed = 0
        for _ in range(5):
            try:
                assert search_ids(index.of(agent), "apple") == [1]
            except StoreFailed:
                failed += 1
        assert failed <= 1

    def test_words_are_looked_up_in_their_index_whatever_the_server_believes(
        self, url: str, index: PostgresIndex
    ) -> None:
        """A table that was just filled has no statistics yet."""
        agent = an_agent()
        file_texts(index.of(agent), [f"text number{n} of many" for n in range(1_500)])
        with psycopg.connect(url) as connection:
            connection.execute(index_sql.BY_WORDS.encode())
            rows = connection.execute(
                rewrite_parameters("EXPLAIN " + index_sql.MEASURE).encode(),
                {"agent": 1, "stamp": agent.id, "words": [agent_prefix(1) + "text"], "bound": 9},
            ).fetchall()
        plan = "\n".join(line for (line,) in rows)
        assert "index_texts_words" in plan
        assert "index_texts_sample" in plan
        assert "index_texts_pkey" not in plan


def test_statements_of_the_index_name_the_agent_and_its_id() -> None:
    """All but those that empty what any agent left under the number (R-44)."""
    statements = {
        name: value for name, value in vars(index_sql).items() if isinstance(value, Scoped)
    }
    statements["scoring"] = index_sql.scoring_sql(3, apart=False)
    statements["apart"] = index_sql.scoring_sql(3, apart=True)
    assert len(statements) > 25
    loose = {name for name, value in statements.items() if ":stamp" not in value}
    assert loose == {"CLEAR_CARDS", "CLEAR_TEXTS", "CLEAR_THREADS", "CLEAR_PASSAGES", "HOLD"}


def test_no_mark_of_an_agent_begins_another() -> None:
    """(R-44)"""
    marks = sorted(agent_prefix(ref) for ref in range(1, 20_000))
    assert len(set(marks)) == len(marks)
    assert not any(b.startswith(a) for a, b in pairwise(marks))


# ---- as good on the one as on the other


@pytest.mark.slow
@pytest.mark.xdist_group("postgres-index")
@pytest.mark.req("R-39")
def test_both_find_equally_well(server: postgres.Server, tmp_path: Path) -> None:
    """Evidence among the first ten, by words alone, within two points."""
    needs("test-data")
    talks = sorted((Path(os.environ["EVERTHREAD_TEST_DATA"]) / "locomo").glob("conv-*.json"))
    assert talks
    postgres_index = PostgresIndex(server.create("equal"))
    sqlite_index = SqliteIndex(tmp_path / "everthread.db")
    scores = []
    for index in (sqlite_index, postgres_index):
        parts = [evidence_found(index, an_agent(n), talk) for n, talk in enumerate(talks, 1)]
        scores.append(sum(map(sum, parts)) / sum(map(len, parts)))
        index.close()
    assert scores[0] > 0.5
    assert scores[1] == pytest.approx(scores[0], abs=0.02)


def evidence_found(index: Index, agent: AgentRow, talk: Path) -> list[float]:
    """Of each question with evidence, the share of it that is among the first ten."""
    told = json.loads(talk.read_text())
    said = [
        turn
        for name, turns in told["conversation"].items()
        if name.startswith("session_") and isinstance(turns, list)
        for turn in turns
    ]
    names = {turn["dia_id"]: n for n, turn in enumerate(said, 1)}
    file_texts(index.of(agent), [f"{turn['speaker']}: {turn['text']}" for turn in said])
    shares = []
    for asked in told["qa"]:
        wanted = {names[name] for name in asked.get("evidence", []) if name in names}
        if wanted:
            got = set(search_ids(index.of(agent), asked["question"], limit=10))
            shares.append(len(wanted & got) / len(wanted))
    return shares
