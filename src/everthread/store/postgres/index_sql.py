"""The statements of the index. Each names the agent and its id."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from everthread.domain.recall.cards import Card
from everthread.store.sql.statements import Across, Scoped

EXACT = 2_000
"""A word that is in fewer cards is counted exactly."""

SAMPLE = 17
"""Of one card in so many (`index_texts_sample`) a common word is counted. No power of two: speakers
take turns, and the sample would be one speaker's."""

MANY = 50
"""So many cards filed at once are worth a step of their own."""

OWN = "agent_id = :agent AND stamp = :stamp"
COLUMNS = ", ".join(Card._fields)

# Whose it is, and how far it came ---------------------------------------------------------------------

STATUS = "stamp, entry, shared, life, model, cards, size"
STATE = Scoped(f"SELECT {STATUS} FROM index_catalogues WHERE {OWN}")
BEGIN = Scoped("""
    INSERT INTO index_catalogues (agent_id, stamp, life) VALUES (:agent, :stamp, :life)
    ON CONFLICT (agent_id) DO NOTHING""")
# Of any stamp: what another agent left under this number has to go first.
HOLD = Scoped(f"SELECT {STATUS} FROM index_catalogues WHERE agent_id = :agent FOR UPDATE")
RESET = Scoped("""
    UPDATE index_catalogues SET stamp = :stamp, life = :life, entry = 0, shared = 0, model = NULL,
        cards = 0, size = 0
    WHERE agent_id = :agent""")
CLEAR_CARDS = Scoped("DELETE FROM index_cards WHERE agent_id = :agent")
CLEAR_TEXTS = Scoped("DELETE FROM index_texts WHERE agent_id = :agent")
CLEAR_THREADS = Scoped("DELETE FROM index_threads WHERE agent_id = :agent")
CLEAR_PASSAGES = Scoped("DELETE FROM index_passages WHERE agent_id = :agent")
THREADS = Scoped(f"SELECT thread_id, seq FROM index_threads WHERE {OWN}")
REACH = Scoped("""
    INSERT INTO index_threads (agent_id, stamp, thread_id, seq)
    SELECT :agent, :stamp, * FROM unnest(:threads::bigint[], :seqs::bigint[])
    ON CONFLICT (agent_id, stamp, thread_id)
    DO UPDATE SET seq = greatest(index_threads.seq, excluded.seq)""")
ADVANCE = Scoped(f"""
    UPDATE index_catalogues SET entry = greatest(entry, :entry), shared = :shared,
        cards = cards + :cards, size = size + :size
    WHERE {OWN}""")
LESSEN = Scoped(f"""
    UPDATE index_catalogues SET cards = cards - :cards, size = size - :size WHERE {OWN}""")

# Words and cards --------------------------------------------------------------------------------------

FILE = Scoped(f"""
    WITH given AS (
        SELECT * FROM unnest(:id::bigint[], :kind::text[], :place::bigint[], :session::bigint[],
            :role::text[], :speaker::text[], :at::bigint[], :flags::bigint[], :words::bigint[],
            :wording::bigint[], :size::bigint[], :text::text[]) AS given ({COLUMNS}, size, text)
    ), fresh AS (
        INSERT INTO index_cards (agent_id, stamp, {COLUMNS})
        SELECT :agent, :stamp, {COLUMNS} FROM given
        ON CONFLICT (agent_id, stamp, id) DO NOTHING RETURNING id
    ), worded AS (
        INSERT INTO index_texts (agent_id, stamp, id, size, text)
        SELECT :agent, :stamp, id, size, to_tsvector('index_words', text)
        FROM given JOIN fresh USING (id) RETURNING size
    )
    SELECT count(*), coalesce(sum(size), 0)::bigint FROM worded""")
# Many at once are sorted in one go, which costs a fraction, and at once: nobody searches unsorted words.
# Only the owner may have them sorted; what others file is sorted bit by bit while they file it.
OWNED = """
    FROM pg_class WHERE oid IN ('index_texts_words'::regclass, 'index_texts_sample'::regclass)
        AND pg_has_role(relowner, 'USAGE')"""
TOGETHER = Across(f"SELECT set_config('gin_pending_list_limit', '65536', true) {OWNED}")
SORT = Across(f"SELECT gin_clean_pending_list(oid) {OWNED}")
TAKE_CARDS = Scoped(f"""
    DELETE FROM index_cards WHERE {OWN} AND kind <> 'message' AND id = ANY (:ids) RETURNING id""")
TAKE_MESSAGES = Scoped(f"""
    DELETE FROM index_cards WHERE {OWN} AND kind = 'message' AND id = ANY (:ids) RETURNING id""")
TAKE_TEXTS = Scoped(f"""
    WITH gone AS (DELETE FROM index_texts WHERE {OWN} AND id = ANY (:ids) RETURNING size)
    SELECT coalesce(sum(size), 0)::bigint FROM gone""")
TAKE_PASSAGES = Scoped(f"DELETE FROM index_passages WHERE {OWN} AND card = ANY (:ids)")
MEMORIES = Scoped(f"SELECT id, place FROM index_cards WHERE {OWN} AND kind <> 'message'")
CARDS = Scoped(f"SELECT {COLUMNS} FROM index_cards WHERE {OWN} AND id = ANY (:ids) ORDER BY id")

# The words' own index beats any other way, whatever the planner believes of a table it has not looked
# at yet. So the scope is put as no other index could use it.
WORDED = "agent_id + 0 = :agent AND stamp IS NOT DISTINCT FROM :stamp"
BY_WORDS = Across("""
    SELECT set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)""")
MEASURE = Scoped(f"""
    SELECT query::text,
        (SELECT count(*) FROM (
            SELECT 1 FROM index_texts WHERE {WORDED} AND text @@ query LIMIT :bound) AS few),
        (SELECT count(*) FROM index_texts WHERE {WORDED} AND text @@ query AND id % {SAMPLE} = 0)
    FROM (
        SELECT to_tsquery('index_words', word) AS query, n
        FROM unnest(:words::text[]) WITH ORDINALITY AS given (word, n)
    ) AS asked ORDER BY n""")

SAMPLED = Scoped(f"""
    SELECT count(*) FROM index_texts WHERE {WORDED} AND text @@ :query::tsquery AND id % {SAMPLE} = 0""")
MOST_WORDS = Scoped(f"""
    SELECT coalesce(max(held), 0) FROM (
        SELECT count(*) AS held FROM index_texts
            JOIN unnest(:words::text[]) AS given (word) ON text @@ to_tsquery('index_words', word)
        WHERE {OWN} AND id = ANY (:ids) GROUP BY id
    ) AS counted""")


@cache
def scoring_sql(terms: int, *, apart: bool) -> Scoped:
    """Cards with one of the telling words, by BM25 over all `terms` of them.

    `apart`: of messages with the same wording only the last ones.

    The server's own rank of a single word is 1 + 1/4 + 1/9 … for its occurrences, over pi²/6. What is
    missing to the whole is about 1 / (times + 1/2): so it tells how often the word occurs.
    """
    ranks = ", ".join(
        f"greatest(1.644934 * (1 - ts_rank('{{1,1,1,1}}', text, :q{n}::tsquery)), 0.004) AS u{n}"
        for n in range(terms)
    )
    # A word that does not occur leaves everything missing.
    parts = " + ".join(
        f"CASE WHEN u{n} > 1.6 THEN 0 ELSE "
        f":w{n} * (1 / u{n} - 0.5) * 2.2 / (1 / u{n} - 0.5 + norm) END"
        for n in range(terms)
    )
    scored = f"""
        SELECT id, {parts} AS score FROM (
            SELECT id, 1.2 * (0.25 + 0.75 * size / :average) AS norm, {ranks}
            FROM index_texts WHERE {WORDED} AND text @@ :telling::tsquery OFFSET 0
        ) AS ranked"""
    if apart:
        scored = f"""
        SELECT id, score FROM (
            SELECT id, score, row_number() OVER (PARTITION BY wording ORDER BY id DESC) AS nth
            FROM ({scored}) AS every JOIN index_cards USING (id) WHERE {OWN}
        ) AS counted WHERE nth <= :repeats"""
    return Scoped(
        f"SELECT id, score FROM ({scored}) AS scored ORDER BY score DESC, id LIMIT :limit"
    )


# Vectors ----------------------------------------------------------------------------------------------


class Vectors(NamedTuple):
    """The statements that name what pgvector brings."""

    nearest: Scoped
    likeness: Scoped
    kinship: Scoped
    embed: Scoped


@cache
def vector_sql(schema: str) -> Vectors:
    """`schema`: where pgvector lies, quoted if need be; it need not be in the search path."""
    product = f"embedding OPERATOR({schema}.<#>) :vector::{schema}.halfvec"
    nearest = Scoped(f"""
        SELECT card FROM index_passages WHERE {OWN} ORDER BY {product}, card LIMIT :limit""")
    likeness = Scoped(f"""
        SELECT card, max(value) FILTER (WHERE part = 0), max(value) FROM (
            SELECT card, part, -({product}) AS value
            FROM index_passages WHERE {OWN} AND card = ANY (:ids)
        ) AS compared GROUP BY card""")
    kinship = Scoped(f"""
        SELECT one.card, other.card, -(one.embedding OPERATOR({schema}.<#>) other.embedding)
        FROM index_passages AS one JOIN index_passages AS other USING (agent_id, stamp, part)
        WHERE {OWN} AND part = 0 AND one.card = ANY (:ids) AND other.card = ANY (:others)""")
    embed = Scoped(f"""
        INSERT INTO index_passages (agent_id, stamp, card, part, embedding)
        SELECT :agent, :stamp, card, part, vector::{schema}.halfvec
        FROM unnest(:ids::bigint[], :parts::bigint[], :vectors::text[]) AS given (card, part, vector)""")
    return Vectors(nearest, likeness, kinship, embed)


WAITING = Scoped(f"""
    SELECT id FROM index_cards WHERE {OWN} AND passages IS NULL ORDER BY id DESC LIMIT :limit""")
COUNT_WAITING = Scoped(f"SELECT count(*) FROM index_cards WHERE {OWN} AND passages IS NULL")
EMBEDDED = Scoped("""
    UPDATE index_cards SET passages = given.size
    FROM unnest(:ids::bigint[], :sizes::bigint[]) AS given (card, size)
    WHERE agent_id = :agent AND stamp = :stamp AND id = given.card AND passages IS NULL
    RETURNING id""")
UNEMBED = Scoped(f"UPDATE index_cards SET passages = NULL WHERE {OWN} AND passages IS NOT NULL")
MODEL = Scoped(f"UPDATE index_catalogues SET model = :model WHERE {OWN}")
ANY = Scoped(f"SELECT 1 FROM index_passages WHERE {OWN} LIMIT 1")
SUMS = Scoped(f"""
    SELECT (SELECT count(*) FROM index_cards WHERE {OWN}),
        (SELECT count(*) FROM index_texts WHERE {OWN}),
        (SELECT coalesce(sum(size), 0)::bigint FROM index_texts WHERE {OWN}),
        (SELECT coalesce(sum(passages), 0)::bigint FROM index_cards WHERE {OWN})""")
SUM_PASSAGES = Scoped(f"SELECT count(*) FROM index_passages WHERE {OWN}")
