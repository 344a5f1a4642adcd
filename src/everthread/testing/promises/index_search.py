"""The index: what fits a question is found, by words and by vectors, the best first."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from everthread.domain.recall.search_text import MESSAGES
from everthread.domain.text.word_forms import Beginning
from everthread.ports import Counts, Index

from .index_cards import a_filing, an_agent, file_texts, random_vectors, search_ids, vector_near
from .rows import run_together


class WordPromises:
    def test_the_better_fit_comes_first(self, index: Index) -> None:
        """More of the words, rarer words, in a shorter text."""
        catalogue = index.of(an_agent())
        file_texts(
            catalogue,
            [
                "the parser failed on line seven",
                "the parser and the lexer failed",
                "a lexer " + "and many other words that say nothing of it " * 9,
                *["the parser works"] * 9,
            ],
        )
        results = catalogue.search(["parser", "lexer"], limit=20)
        order = [card for card, _ in results]
        scores = [score for _, score in results]
        assert order[:2] == [2, 3]
        assert set(order) == set(range(1, 13))
        assert scores == sorted(scores, reverse=True)
        assert all(score > 0 for score in scores)

    def test_no_more_than_asked_for_and_the_best_of_them(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        file_texts(catalogue, ["apple"] * 30 + ["apple pear"])
        assert len(catalogue.search(["apple"], limit=7)) == 7
        assert [card for card, _ in catalogue.search(["apple", "pear"], limit=1)] == [31]

    def test_of_messages_that_say_the_same_the_last_ones_where_that_is_asked(
        self, index: Index
    ) -> None:
        """A prompt that comes every hour leaves room for others; a memory is no repetition."""
        catalogue = index.of(an_agent())
        file_texts(catalogue, ["apple"] * 30 + ["apple and other fruit", "Apple"], first=MESSAGES)
        memory = a_filing(7, "apple", kind="memory")
        catalogue.file([memory], threads={})
        results = catalogue.search(["apple"], limit=9, repeats=3)
        cards, scores = [card for card, _ in results], [score for _, score in results]
        assert sorted(cards) == [7, *range(MESSAGES + 27, MESSAGES + 32)]
        assert cards[-1] == MESSAGES + 30
        assert scores == sorted(scores, reverse=True)
        assert len(catalogue.search(["apple"], limit=2, repeats=3)) == 2
        assert list(catalogue.search(["pear"], limit=2, repeats=3)) == []
        assert list(catalogue.search([], limit=2, repeats=3)) == []

    def test_word_forms_are_found(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        texts = ["she was parsing files", "he parses it", "a parsed file", "no such thing"]
        file_texts(catalogue, texts)
        for form in ("parse", "parsing", "PARSED"):
            assert sorted(search_ids(catalogue, form)) == [1, 2, 3]

    @pytest.mark.parametrize(
        ("text", "question"),
        [
            ("call parseConfigFile first", "config"),
            ("call parseConfigFile first", "parseConfigFile"),
            ("see src/everthread/domain/text/words.py for it", "words.py"),
            ("the flag --dry-run and user_name", "dry run of user_name"),
            ("<div class='x'>Überraschung</div>", "uberraschung"),
            ("a café in München", "cafe"),
            ("我们讨论了知识库的设计", "知识库"),
            ("データベースを移行する", "データベース"),
            ("Обсудили базу данных", "данных"),
            ("mail ada@example.org or https://example.org/a/b?c=d", "example"),
            ("version 3.14.15 of it", "3.14"),
            ("it's the who that matters", "who"),
        ],
    )
    def test_what_people_and_machines_write_is_found(
        self, index: Index, text: str, question: str
    ) -> None:
        catalogue = index.of(an_agent())
        file_texts(catalogue, ["nothing of the kind", text, "nor here"])
        assert search_ids(catalogue, question)[:1] == [2]

    @pytest.mark.parametrize(
        "word",
        [
            *('"', "a AND b", "NEAR(a b)", "text:apple", "apple*", '"apple" OR', "'; --", "("),
            *("a & !b", "<->", "", " ", "\0", "\U0001d54f", "%s", ":agent", "q" * 5_000),
        ],
    )
    def test_syntax_means_nothing(self, index: Index, word: str) -> None:
        catalogue = index.of(an_agent())
        file_texts(catalogue, ["an apple", "a pear"])
        plain = [card for card, _ in catalogue.search([word, "pear"], limit=5)]
        assert 2 in plain
        catalogue.search([word], limit=5)
        assert catalogue.most_words([1, 2], [word, "pear"], enough=9) in (1, 2)

    def test_how_many_words_of_a_question_one_text_has_is_known(self, index: Index) -> None:
        catalogue, other = index.of(an_agent()), index.of(an_agent(2))
        file_texts(catalogue, ["the red boats sail at noon", "a boat, and another boat", "Grüße"])
        file_texts(other, ["boats sail south"])
        words = ["boat", "sailing", "south"]
        assert (
            catalogue.most_words([1, 2, 3], words, enough=9) == 2
        )  # of one card, not of all together
        assert catalogue.most_words([2, 3], words, enough=9) == 1
        assert catalogue.most_words([2], ["grusse", *words], enough=9) == 1
        assert catalogue.most_words([3], words, enough=9) == 0
        assert catalogue.most_words([], words, enough=9) == 0
        assert catalogue.most_words([1], [], enough=9) == 0
        assert other.most_words([1], words, enough=9) == 3
        assert catalogue.most_words([1, 2], words, enough=1) == 1

    def test_a_beginning_stands_for_every_word_that_begins_so(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        texts = ["в новую квартиру", "квартирный вопрос", "кварц", "новый квартал"]
        file_texts(catalogue, texts)
        begins = Beginning("квартир")
        assert {card for card, _ in catalogue.search([begins], limit=9)} == {1, 2}
        assert catalogue.search(["квартир"], limit=9) == []
        assert catalogue.most_words([1, 2, 3], [begins, "новую"], enough=9) == 2
        assert catalogue.most_words([3, 4], [begins], enough=9) == 0

    def test_without_words_nothing_is_found(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        file_texts(catalogue, ["an apple", ""])
        assert list(catalogue.search([], limit=5)) == []

    def test_a_text_of_any_length_and_kind_can_be_filed(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        long = " ".join(f"w{n}" for n in range(12_000))
        wide = "".join(chr(0x4E00 + n % 20_000) for n in range(60_000))
        file_texts(catalogue, [long, wide, "x" * 60_000, "\0\x01 \ufffe tail", "a " * 30_000, "🙂"])
        assert catalogue.counts().cards == 6
        assert search_ids(catalogue, "w77") == [1]
        assert search_ids(catalogue, "tail") == [4]


class VectorPromises:
    def test_what_has_no_vectors_waits_for_them(self, index: Index, other: Index) -> None:
        agent = an_agent()
        catalogue = index.of(agent)
        file_texts(catalogue, ["one", "two", "three"])
        assert sorted(catalogue.unembedded("m", limit=9)) == [1, 2, 3]
        assert len(catalogue.unembedded("m", limit=2)) == 2
        catalogue.embed("m", [(2, random_vectors(1)), (3, random_vectors(0))])
        for handle in (index, other):
            assert list(handle.of(agent).unembedded("m", limit=9)) == [1]
            assert handle.of(agent).counts("m") == Counts(3, 2)
            assert handle.of(agent).counts() == Counts(3, 0)
            assert handle.of(agent).model() == "m"

    def test_the_most_alike_come_first(self, index: Index, other: Index) -> None:
        agent = an_agent()
        question = random_vectors(1, 99)[0]
        texts = file_texts(index.of(agent), [f"text {n}" for n in range(3_000)])
        vectors = random_vectors(3_000, 1)
        planted = {500: 0.9, 1_500: 0.8, 2_900: 0.7, 7: 0.6}
        for card, by in planted.items():
            vectors[card - 1] = vector_near(question, by, card)
        for start in range(0, 3_000, 500):
            index.of(agent).embed(
                "m", [(card, vectors[card - 1][None]) for card in texts[start : start + 500]]
            )
        for handle in (index, other):
            assert list(handle.of(agent).nearest(question, limit=4)) == list(planted)
            near = list(handle.of(agent).nearest(question, limit=100))
            assert len(near) == len(set(near)) == 100
            assert near[:4] == list(planted)

    def test_a_card_counts_by_its_best_passage_and_once(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        question = random_vectors(1, 99)[0]
        file_texts(catalogue, ["a", "b", "c", "d"])
        best = np.stack(
            [random_vectors(1, 2)[0], vector_near(question, 0.9, 3), vector_near(question, 0.85, 4)]
        )
        early = np.stack([vector_near(question, 0.7, 5), random_vectors(1, 6)[0]])
        catalogue.embed(
            "m", [(1, early), (2, best), (3, random_vectors(0)), (4, random_vectors(1, 8))]
        )
        assert list(catalogue.nearest(question, limit=4)) == [2, 1, 4]
        assert list(catalogue.nearest(question, limit=2)) == [2, 1]
        alike = catalogue.likeness([3, 1, 2, 77, 4], question)
        expected = [float(each @ question) for each in (early[0], best[0], random_vectors(1, 8)[0])]
        assert alike.first[[1, 2, 4]] == pytest.approx(expected, abs=0.02)
        assert alike.best[[1, 2]] == pytest.approx(
            [float((each @ question).max()) for each in (early, best)], abs=0.02
        )
        for values in alike:
            assert values.dtype == np.float32
            assert np.isnan(values[[0, 3]]).all()
            assert not np.isnan(values[[1, 2, 4]]).any()

    def test_likeness_needs_no_question_before(self, index: Index, other: Index) -> None:
        """Whatever another thread looked at in between."""
        agent = an_agent()
        file_texts(index.of(agent), ["a", "b"])
        vectors = random_vectors(2)
        index.of(agent).embed("m", [(1, vectors[:1]), (2, vectors[1:])])
        index.of(agent).cards([2])
        for handle in (index, other):
            assert handle.of(agent).likeness([1], vectors[0]).first[0] == pytest.approx(1, abs=0.02)

    def test_kinship_tells_how_alike_cards_are_to_each_other(
        self, index: Index, other: Index
    ) -> None:
        """By their first passages, whoever asked for what before."""
        agent = an_agent()
        file_texts(index.of(agent), ["a", "b", "c", "d"])
        old = random_vectors(1, 1)[0]
        said = {1: old[None], 2: vector_near(old, 0.8, 2)[None], 4: random_vectors(2, 4)}
        index.of(agent).embed("m", [*said.items(), (3, random_vectors(0))])
        for handle in (index, other):
            found = handle.of(agent).kinship([2, 77, 1], [1, 3, 4])
            assert found.shape == (3, 3)
            firsts = [[float(said[one][0] @ said[two][0]) for two in (1, 4)] for one in (2, 1)]
            assert found[[0, 2]][:, [0, 2]] == pytest.approx(np.array(firsts), abs=0.02)
            assert np.isnan(found[1]).all()
            assert np.isnan(found[:, 1]).all()
            assert handle.of(agent).kinship([], [1]).shape == (0, 1)

    def test_kinship_without_vectors_is_unknown(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        file_texts(catalogue, ["a", "b"])
        assert np.isnan(catalogue.kinship([1], [1, 2])).all()

    def test_likeness_of_nothing_is_nothing(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        assert [len(values) for values in catalogue.likeness([], random_vectors(1)[0])] == [0, 0]
        file_texts(catalogue, ["a"])
        assert np.isnan(catalogue.likeness([1], random_vectors(1)[0]).best).all()

    def test_vectors_that_are_there_already_are_not_kept_twice(
        self, index: Index, other: Index
    ) -> None:
        agent = an_agent()
        file_texts(index.of(agent), ["a", "b"])
        first, second = random_vectors(1, 1), random_vectors(1, 2)
        index.of(agent).embed("m", [(1, first)])
        other.of(agent).embed("m", [(1, second), (2, second), (55, second)])
        for handle in (index, other):
            catalogue = handle.of(agent)
            assert catalogue.counts("m") == Counts(2, 2)
            assert catalogue.likeness([1], first[0]).best[0] == pytest.approx(1, abs=0.02)
            assert list(catalogue.nearest(second[0], limit=9)) == [2, 1]

    def test_vectors_of_another_model_are_forgotten(self, index: Index, other: Index) -> None:
        """(R-39)"""
        agent = an_agent()
        file_texts(index.of(agent), ["a", "b"])
        index.of(agent).embed("old", [(1, random_vectors(1, 1)), (2, random_vectors(1, 2))])
        assert other.of(agent).nearest(random_vectors(1, 1)[0], limit=1)[0] == 1
        assert other.of(agent).counts("new") == Counts(2, 0)
        assert sorted(other.of(agent).unembedded("new", limit=9)) == [1, 2]
        assert list(index.of(agent).nearest(random_vectors(1, 1)[0], limit=9)) == []
        other.of(agent).embed("new", [(2, random_vectors(1, 3))])
        for handle in (index, other):
            catalogue = handle.of(agent)
            assert catalogue.counts("new") == Counts(2, 1)
            assert catalogue.counts("old") == Counts(2, 0)
            assert list(catalogue.nearest(random_vectors(1, 3)[0], limit=9)) == [2]
            assert np.isnan(catalogue.likeness([1], random_vectors(1, 1)[0]).best).all()
            assert catalogue.likeness([2], random_vectors(1, 3)[0]).best[0] == pytest.approx(
                1, abs=0.02
            )

    def test_many_who_embed_the_same_at_once_keep_each_once(
        self, index: Index, other: Index
    ) -> None:
        agent = an_agent()
        texts = file_texts(index.of(agent), [f"text {n}" for n in range(60)])

        def embed(handle: Index) -> None:
            while waiting := handle.of(agent).unembedded("m", limit=7):
                handle.of(agent).embed("m", [(n, random_vectors(2, n)) for n in waiting])

        assert run_together(*[partial(embed, h) for h in (index, other, index, other)]) == []
        catalogue = other.of(agent)
        assert catalogue.counts("m") == Counts(60, 60)
        for card in texts:
            assert catalogue.nearest(random_vectors(2, card)[1], limit=1)[0] == card
        index.check(agent)
        assert catalogue.counts("m") == Counts(60, 60)
