"""How candidates are ranked: each signal by itself, then what must hold for any pool."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.recall import weights
from everthread.domain.recall.cards import Card, describe
from everthread.domain.recall.questions import read_question
from everthread.domain.recall.relevance import Pool, Ranking, certainty, rank
from everthread.domain.times import ms_of
from everthread.edges.cli.recall import TOLD

NOW = ms_of("2026-02-20T10:00:00Z")
LONG_AGO = ms_of("2025-06-01T10:00:00Z")


class Said:
    """One candidate, told in short."""

    def __init__(
        self, text: str = "some words that are long enough to count", *, bm25: float = 0.0,
        cosine: float = np.nan, role: str = "user", speaker: str = "", session: int = 1,
        place: int | None = None, at: int = LONG_AGO, kind: str = "message",
    ) -> None:  # fmt: skip
        flags, words = describe(text, role)
        self.card = Card(0, kind, -1, session, role, speaker, at, flags, words, 0)
        self.bm25, self.cosine, self.place = bm25, cosine, place


def ranked(question: str, *said: Said) -> Ranking:
    """They stand in the conversation in the order given, unless they say where."""
    cards = [
        one.card._replace(id=n, place=100 + n if one.place is None else one.place)
        for n, one in enumerate(said)
    ]
    cosines = np.array([one.cosine for one in said])
    return rank(
        read_question(question, NOW),
        Pool(cards, np.array([one.bm25 for one in said]), cosines, cosines),
    )


def best(question: str, *said: Said) -> int:
    return int(np.argmax(ranked(question, *said).scores))


FAR = {"session": 9, "place": 900}
"""Somewhere else: no neighbour, another sitting."""


def test_every_part_of_a_score_is_told_in_words() -> None:
    """`recall --explain` says why each part is there."""
    parts = ranked("Where does Mel live?", Said(bm25=1)).parts
    gained = {"told anew", "later value", "change told", "recency", "importance", "learned"}
    lowered = {"call", "superseded", "in passing", "no figure", "faint"}
    assert TOLD.keys() == parts.keys() | gained | lowered


def test_more_matching_words_rank_higher() -> None:
    assert best("parser", Said(bm25=1), Said(bm25=4, **FAR)) == 1


def test_words_count_less_where_no_text_has_most_of_them() -> None:
    """Who asks in other words shares a common word with many, and the answer is near by its meaning."""
    told = Said(bm25=4, cosine=0.1), Said(cosine=0.7, **FAR), Said(cosine=0.1, session=8)
    cards = [one.card._replace(id=n, place=100 * n) for n, one in enumerate(told)]
    texts, cosines = np.array([4.0, 0.0, 0.0]), np.array([0.1, 0.7, 0.1])
    asked = read_question("parser", NOW)
    sure = rank(asked, Pool(cards, texts, cosines, cosines, covered=weights.COVERED))
    assert int(np.argmax(sure.scores)) == 0
    unsure = rank(asked, Pool(cards, texts, cosines, cosines, covered=0.2))
    assert int(np.argmax(unsure.scores)) == 1


def test_what_is_said_close_to_a_match_gains() -> None:
    """Not what is further away, nor what belongs to another session or to no conversation."""
    parts = ranked(
        "parser",
        Said(bm25=4),
        Said(place=100 + weights.NEAR),
        Said(place=101 + weights.NEAR),
        Said(place=101, session=2),
        Said(place=102, kind="memory"),
        Said(place=100 - weights.NEAR),
    ).parts["nearby"]
    assert parts[0] == parts[1] == parts[5] > 0
    assert not parts[[2, 3, 4]].any()


def test_a_nearer_meaning_ranks_higher() -> None:
    assert (
        best("parser", Said(cosine=0.2), Said(cosine=0.7, **FAR), Said(cosine=0.1, session=8)) == 1
    )


@pytest.mark.req("R-39")
def test_without_vectors_the_words_decide() -> None:
    scores = ranked("parser", Said(bm25=1), Said(bm25=4, **FAR), Said(session=8)).scores
    assert list(np.argsort(-scores)) == [1, 0, 2]


@pytest.mark.req("R-39")
def test_what_is_not_embedded_yet_is_found_by_its_words() -> None:
    old = [Said(bm25=1, cosine=0.3, session=n, place=n * 50) for n in range(2, 6)]
    assert best("parser", *old, Said(bm25=5, **FAR)) == 4


def test_the_answer_to_a_matching_question_ranks_above_its_like() -> None:
    asked = Said("What did you paint last year?", bm25=5, speaker="Mel")
    assert best("what did Ann paint?", asked, Said(speaker="Ann"), Said(speaker="Ann", **FAR)) == 1


def test_an_agents_reply_lends_its_match_to_what_the_person_said() -> None:
    person, reply = Said("We picked the small one for the parser"), Said(bm25=3, role="assistant")
    ranking = ranked("what did I pick?", person, reply, Said(**FAR))
    assert ranking.parts["context"][0] > 0
    assert ranking.scores[0] > ranking.scores[2]


def test_a_request_lends_its_match_to_the_work_done_on_it() -> None:
    request = Said("Please fix the slow parser today", bm25=5)
    work, step = Said(role="assistant"), Said(role="tool")
    scores = ranked(
        "which file was it: slow parser", request, work, step, Said(role="tool", **FAR)
    ).scores
    assert scores[0] > scores[1] > scores[3]
    assert scores[2] > scores[3]


def test_a_request_lends_less_to_a_reply_than_to_work_with_tools() -> None:
    """A reply takes up what it replies to in its own words; work on a matter does not."""
    request, reply = Said("Please fix the slow parser today", bm25=5), Said(role="assistant")
    talk = ranked("slow parser", request, reply).parts["context"]
    work = ranked("slow parser", request, reply, Said(role="tool")).parts["context"]
    assert 0 < talk[1] < work[1] / 2


def test_a_session_that_matches_lifts_all_of_it() -> None:
    said = [Said(bm25=5), Said(), Said(), Said(), Said(session=2, place=500)]
    scores = ranked("parser", *said).scores
    assert scores[3] > scores[4]


def test_neighbours_of_another_session_lend_nothing() -> None:
    before = Said(bm25=5, session=2)
    parts = ranked("parser", before, Said(session=3)).parts
    assert parts["context"][1] == 0


def test_who_is_named_and_says_next_to_nothing_is_no_answer() -> None:
    """The speaker's name is among the words that match; of "ok" they are all there is."""
    empty = Said("ok", bm25=9, speaker="Mel")
    answer = Said("My birthday is on the third of June this year", bm25=3, speaker="Mel", **FAR)
    assert best("when was Mel born?", empty, answer) == 1
    assert best("when was it?", empty, answer) == 0, "without the name the words are its own"


def test_a_speaker_who_is_named_ranks_higher() -> None:
    mel, ann = Said(bm25=2, speaker="Melanie"), Said(bm25=2, speaker="Ann", **FAR)
    assert best("What did Ann plan?", mel, ann) == 1


def test_a_day_that_is_named_outweighs_a_better_match() -> None:
    then = Said(bm25=3, at=ms_of("2025-08-03T09:00:00Z"), **FAR)
    assert best("What was it on 3 August 2025?", Said(bm25=4), then) == 1


def test_when_prefers_what_says_when() -> None:
    told = Said("we went there last Friday, all of us together", bm25=2, **FAR)
    assert best("When did they go?", Said(bm25=2), told) == 1
    assert ranked("Why did they go?", Said(bm25=2), told).parts["time told"][1] == 0


def test_what_only_asks_ranks_lower() -> None:
    asks = Said("And what did they do about the parser then?", bm25=2)
    assert best("parser", asks, Said(bm25=2, **FAR)) == 1


def test_a_standing_wish_ranks_higher() -> None:
    wish = Said("Always show the types in examples, please do", bm25=2, **FAR)
    assert best("examples of the parser", Said(bm25=2), wish) == 1


def test_scant_words_rank_lower() -> None:
    assert best("parser", Said("the parser, ok", bm25=2), Said(bm25=2, **FAR)) == 1


def test_the_askers_own_words_rank_above_a_machines() -> None:
    said = (Said(bm25=3, role="assistant"), Said(bm25=3, **FAR))
    assert best("what did I decide?", *said) == 1
    assert ranked("what was decided?", *said).parts["not mine"][0] == 0


@pytest.mark.parametrize("name", ["", "Assistant", "AI", "bot", "Assistent"])
def test_a_machine_that_is_called_what_it_is_has_no_name(name: str) -> None:
    said = (Said(bm25=3, role="assistant", speaker=name), Said(bm25=3, speaker="Mel", **FAR))
    assert best("what did I decide?", *said) == 1


def test_a_machine_with_a_name_of_its_own_speaks_as_people_do() -> None:
    said = (Said(bm25=3, role="assistant", speaker="Ann"), Said(bm25=3, speaker="Mel", **FAR))
    assert not ranked("what did I decide?", *said).parts["not mine"].any()
    person = (Said(bm25=3, speaker="Bot"), Said(bm25=3, speaker="Mel", **FAR))
    assert not ranked("what did I decide?", *person).parts["not mine"].any()


def test_a_machines_short_reply_counts_as_half_the_askers_own() -> None:
    short = Said("word " * (weights.LENGTHY_WORDS - 2), bm25=3, role="assistant")
    page = Said("word " * weights.LENGTHY_WORDS, bm25=3, role="assistant", **FAR)
    against = ranked("what did I decide?", short, page, Said(bm25=1)).parts["not mine"]
    assert against[0] == pytest.approx(against[1] / 2)
    assert against[2] == 0


def test_no_prior_pushes_an_agents_words_down_where_it_works_with_tools() -> None:
    said = (Said(bm25=3), Said(bm25=3, role="assistant"), Said(bm25=1, role="tool"))
    for question in ("which file did I want changed?", "which file did we change?", "changed file"):
        assert not ranked(question, *said).parts["not mine"].any()


def test_where_a_persons_very_words_are_asked_for_they_rank_first_there_too() -> None:
    said = (Said(bm25=3, role="assistant"), Said(bm25=1, role="tool"), Said(bm25=3))
    for question in ("what did the user say about it?", "did I ever ask for it?"):
        assert best(question, *said) == 2


def test_a_memory_has_no_neighbours_and_no_session() -> None:
    memory = Said(bm25=1, kind="memory", session=0, place=101)
    parts = ranked("parser", Said(bm25=5), memory, Said(bm25=5, kind="memory", session=0)).parts
    assert parts["context"][1] == 0
    assert parts["sitting"][1] < parts["sitting"][2]


def test_where_nothing_fits_no_part_of_a_score_is_blown_up() -> None:
    ranking = ranked("parser", Said("ok?"), Said("no?", **FAR))
    assert not ranking.scores.any()
    assert all(abs(part).max() < 10 for part in ranking.parts.values())


def test_nothing_to_rank_is_ranked() -> None:
    assert len(ranked("parser").scores) == 0


POOLS = st.lists(
    st.builds(
        Said,
        st.sampled_from(["ok", "Did you?", "Always do it", "we met on Monday " * 30]),
        bm25=st.floats(0, 30),
        cosine=st.one_of(st.just(np.nan), st.floats(-1, 1)),
        role=st.sampled_from(["user", "assistant", "tool"]),
        speaker=st.sampled_from(["", "Ann", "Mel B"]),
        session=st.integers(0, 3),
        place=st.integers(0, 30),
        kind=st.sampled_from(["message", "message", "memory"]),
    ),
    min_size=1,
    max_size=30,
    unique_by=lambda said: said.place,
)
QUESTIONS = st.sampled_from(
    ["When did I meet Ann?", "what did you say", "parser", "in May 2025", ""]
)


@given(QUESTIONS, POOLS)
@pytest.mark.req("R-35")
def test_scores_lie_between_0_and_1_and_add_up(question: str, said: list[Said]) -> None:
    ranking = ranked(question, *said)
    assert ((ranking.scores >= 0) & (ranking.scores <= 1)).all()
    assert np.allclose(sum(ranking.parts.values()), ranking.scores)


@given(QUESTIONS, POOLS, st.randoms(use_true_random=False))
def test_the_order_of_the_pool_does_not_matter(
    question: str, said: list[Said], chance: random.Random
) -> None:
    places = {id(one): one.place for one in said}
    mixed = sorted(said, key=lambda _: chance.random())
    one = dict(zip(places.values(), ranked(question, *said).scores, strict=True))
    other = {each.place: s for each, s in zip(mixed, ranked(question, *mixed).scores, strict=True)}
    assert all(np.isclose(one[place], other[place]) for place in one)


@given(POOLS)
def test_a_better_match_never_ranks_lower(said: list[Said]) -> None:
    before = ranked("parser", *said)
    top = int(np.argmax(before.scores))
    said[top].bm25 += 5
    assert ranked("parser", *said).scores[top] == pytest.approx(1)


@pytest.mark.parametrize(
    ("covered", "alike", "told"),
    [
        (0.0, -0.1, weights.FAINT),
        (0.0, 0.3, weights.FAINT),
        (0.0, 0.6, 1.0),
        (0.2, 0.3, 0.2),  # a common word is shared with anything
        (0.5, 0.45, 1.0),
        (1.0, 0.0, 1.0),  # a code is like nothing
        (0.0, None, weights.FAINT),
        (0.35, None, 0.5),
        (0.7, None, 1.0),
    ],
)
def test_a_score_tells_how_surely_anything_found_is_an_answer(
    covered: float, alike: float | None, told: float
) -> None:
    assert certainty(covered, alike) == pytest.approx(told)


def test_every_weight_is_a_round_number_and_explained() -> None:
    """Nothing fitted is shipped: steps of a tenth, each with its reason."""
    source = Path(weights.__file__).read_text("utf-8")
    names = [name for name in vars(weights) if name.isupper()]
    assert len(names) > 10
    for name in names:
        value = getattr(weights, name)
        assert value * 10 == pytest.approx(round(value * 10))
        assert re.search(rf'^{name} = \S+\n(?:"""\w|\n)', source, re.MULTILINE)
