"""The index: what was filed is kept, once; what was taken out is gone; each agent has its own."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

from everthread.domain.errors import IndexDamaged, StoreClosed
from everthread.ports import Counts, Filing, Index, IndexProgress

from .index_cards import a_filing, an_agent, file_texts, random_vectors, search_ids
from .rows import run_together


class FilingPromises:
    def test_an_index_of_an_unknown_agent_is_empty(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        assert catalogue.reached() == IndexProgress(0, {}, 0)
        assert catalogue.counts() == Counts(0, 0)
        assert catalogue.memories() == {}
        assert list(catalogue.search(["anything"], limit=5)) == []
        assert list(catalogue.cards([1, 2])) == []
        assert list(catalogue.unembedded("m", limit=5)) == []
        assert list(catalogue.nearest(random_vectors(1)[0], limit=5)) == []
        assert catalogue.model() is None

    def test_how_far_it_came_is_kept_with_what_was_filed(self, index: Index, other: Index) -> None:
        """(R-51)"""
        agent = an_agent()
        catalogue = index.of(agent)
        assert catalogue.file([a_filing(5, "hello")], threads={1: 5}) == 1
        assert catalogue.reached() == IndexProgress(0, {1: 5}, 0)
        assert catalogue.file([a_filing(6, "there")], threads={1: 6, 2: 9}, entry=17, shared=4) == 1
        for handle in (index, other):
            assert handle.of(agent).reached() == IndexProgress(17, {1: 6, 2: 9}, 4)
            assert handle.of(agent).counts() == Counts(2, 0)

    def test_what_was_reached_never_goes_back(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        catalogue.file([], threads={1: 9}, entry=30)
        catalogue.file([], threads={1: 4}, entry=20)
        assert catalogue.reached() == IndexProgress(30, {1: 9}, 0)

    def test_what_is_filed_again_is_passed_over(self, index: Index, other: Index) -> None:
        """(R-51)"""
        agent = an_agent()
        texts = [a_filing(n, f"the {n}th of them") for n in range(1, 9)]
        assert index.of(agent).file(texts[:5], threads={1: 5}) == 5
        assert other.of(agent).file(texts, threads={1: 8}) == 3
        assert index.of(agent).file(texts, threads={1: 8}) == 0
        assert index.of(agent).file([a_filing(9, "them"), a_filing(9, "them")], threads={}) == 1
        for handle in (index, other):
            assert handle.of(agent).counts().cards == 9
            assert sorted(search_ids(handle.of(agent), "them")) == list(range(1, 10))

    def test_many_who_file_the_same_at_once_add_each_once(self, index: Index, other: Index) -> None:
        agent = an_agent()
        pages = [[a_filing(n, f"page {n}") for n in range(at, at + 40)] for at in range(1, 161, 40)]
        added: list[int] = []

        def through(handle: Index, order: Sequence[list[Filing]]) -> None:
            for page in order:
                added.append(handle.of(agent).file(page, threads={1: page[-1].card.id}))

        back = pages[::-1]
        jobs = [(index, pages), (other, back), (other, pages), (index, back)]
        assert run_together(*[partial(through, *job) for job in jobs]) == []
        assert sum(added) == 160
        assert index.of(agent).counts().cards == 160
        assert sorted(search_ids(other.of(agent), "page", limit=500)) == list(range(1, 161))

    def test_a_dropped_index_is_empty_and_can_be_filled_again(
        self, index: Index, other: Index
    ) -> None:
        agent, bystander = an_agent(), an_agent(2, name="bob")
        file_texts(other.of(agent), ["a purple elephant", "another one"])
        file_texts(index.of(bystander), ["a purple giraffe"])
        index.of(agent).file([], threads={}, entry=9, shared=2)
        index.of(agent).embed("m", [(1, random_vectors(2))])
        index.drop(agent)
        for handle in (index, other):
            catalogue = handle.of(agent)
            assert catalogue.reached() == IndexProgress(0, {}, 0)
            assert catalogue.counts("m") == Counts(0, 0)
            assert search_ids(catalogue, "purple elephant") == []
            assert list(catalogue.nearest(random_vectors(1)[0], limit=5)) == []
        assert file_texts(index.of(agent), ["a purple elephant"]) == [1]
        assert search_ids(other.of(agent), "purple") == [1]
        assert search_ids(index.of(bystander), "purple") == [1]

    def test_who_filed_into_what_was_emptied_meanwhile_must_begin_again(
        self, index: Index, other: Index
    ) -> None:
        """Else what came before would be missing for good (R-51)."""
        agent = an_agent()
        catalogue = index.of(agent)
        file_texts(catalogue, ["one", "two"])
        assert catalogue.reached().threads == {1: 2}
        assert run_together(lambda: other.drop(agent)) == []
        assert run_together(lambda: other.of(agent).reached()) == []
        with pytest.raises(IndexDamaged):
            catalogue.file([a_filing(3, "three")], threads={1: 3})
        assert catalogue.reached() == IndexProgress(0, {}, 0)
        assert file_texts(catalogue, ["one", "two", "three"]) == [1, 2, 3]

    def test_dropping_what_is_not_there_is_no_error(self, index: Index) -> None:
        agent = an_agent()
        index.drop(agent)
        index.drop(agent)
        assert index.of(agent).counts() == Counts(0, 0)

    def test_a_sound_index_passes_its_check(self, index: Index) -> None:
        agent = an_agent()
        catalogue = index.of(agent)
        file_texts(catalogue, [f"text {n}" for n in range(50)])
        catalogue.file([a_filing(900, "a memory", "fact")], threads={})
        catalogue.embed("m", [(n, random_vectors(2, n)) for n in range(1, 40)])
        catalogue.take_out([900], scrub=True)
        index.check(agent)
        assert catalogue.counts("m") == Counts(50, 39)
        assert len(search_ids(catalogue, "text")) == 50

    def test_an_index_left_by_another_agent_is_not_used(self, index: Index, other: Index) -> None:
        """A store that was replaced gives out the same numbers again (R-44)."""
        old, new = an_agent(1), an_agent(1)
        file_texts(index.of(old), ["a secret of the old one"])
        index.of(old).embed("m", [(1, random_vectors(1))])
        for handle in (other, index):
            catalogue = handle.of(new)
            assert search_ids(catalogue, "secret") == []
            assert list(catalogue.cards([1])) == []
            assert list(catalogue.nearest(random_vectors(1)[0], limit=5)) == []
            assert catalogue.reached() == IndexProgress(0, {}, 0)
        file_texts(other.of(new), ["something of the new one"])
        for handle in (other, index):
            assert search_ids(handle.of(new), "secret") == []
            assert search_ids(handle.of(new), "new") == [1]

    def test_its_size_grows(self, index: Index) -> None:
        before = index.size()
        agent = an_agent()
        for page in range(8):
            file_texts(
                index.of(agent), [f"word{page}x{n} again" for n in range(200)], first=page * 200
            )
        assert index.size() > before or index.size() == before == 0

    def test_a_closed_index_says_so(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        file_texts(catalogue, ["hello"])
        index.close()
        with pytest.raises(StoreClosed):
            catalogue.reached()
        index.close()


class CardPromises:
    def test_cards_come_back_as_they_were_in_the_order_of_their_ids(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        filings = [a_filing(n, "text") for n in (40, 7, 2**40, 23)]
        odd = filings[1].card._replace(speaker="Zoë 王", role="tool", session=0, flags=63)
        catalogue.file([*filings[2:], filings[0], Filing(odd, "x")], threads={})
        expected = [odd, filings[3].card, filings[0].card, filings[2].card]
        assert list(catalogue.cards([40, 2**40, 7, 23, 40])) == expected

    def test_cards_that_do_not_exist_are_absent(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        file_texts(catalogue, ["one", "two"])
        assert [card.id for card in catalogue.cards(iter([5, 2, -3, 2**50]))] == [2]
        assert list(catalogue.cards([])) == []

    def test_memories_are_told_apart_with_their_places(self, index: Index, other: Index) -> None:
        agent = an_agent()
        foreign = a_filing(8, "shared", "rule")
        foreign = Filing(foreign.card._replace(place=-80), foreign.text)
        index.of(agent).file(
            [a_filing(2**37, "said"), a_filing(7, "kept", "fact"), foreign], threads={1: 1}
        )
        assert index.of(agent).memories() == {7: 70, 8: -80}
        assert other.of(agent).memories() == {7: 70, 8: -80}

    @pytest.mark.parametrize("scrub", [False, True])
    def test_what_is_taken_out_is_gone(self, index: Index, other: Index, *, scrub: bool) -> None:
        agent = an_agent()
        catalogue = index.of(agent)
        file_texts(catalogue, ["plain talk"], first=2**37)
        catalogue.file([a_filing(7, "a turquoise secret", "fact")], threads={})
        catalogue.file([a_filing(8, "a turquoise wall", "fact")], threads={})
        vector = random_vectors(1)
        catalogue.embed(
            "m", [(7, vector), (8, random_vectors(1, 8)), (2**37, random_vectors(1, 9))]
        )
        catalogue.take_out([7, 999], scrub=scrub)
        for handle in (index, other):
            one = handle.of(agent)
            assert search_ids(one, "turquoise") == [8]
            assert search_ids(one, "secret") == []
            assert one.memories() == {8: 80}
            assert [card.id for card in one.cards([7, 8])] == [8]
            assert 7 not in one.nearest(vector[0], limit=5)
            assert np.isnan(one.likeness([7], vector[0]).best).all()
            assert one.counts("m") == Counts(2, 2)

    def test_a_message_that_goes_is_withdrawn_with_its_words(
        self, index: Index, other: Index
    ) -> None:
        """(X-2)"""
        agent = an_agent()
        catalogue = index.of(agent)
        said = [
            a_filing(2**37 + n, text) for n, text in enumerate(("turquoise talk", "plain talk"))
        ]
        catalogue.file([*said, a_filing(7, "a turquoise wall", "fact")], threads={1: 2})
        vector = random_vectors(1)
        catalogue.embed(
            "m", [(2**37, vector), (2**37 + 1, random_vectors(1, 8)), (7, random_vectors(1, 9))]
        )
        unknown = a_filing(2**37 + 9, "never filed")
        assert catalogue.withdraw([said[0], unknown]) == 1
        for handle in (index, other):
            one = handle.of(agent)
            assert search_ids(one, "turquoise") == [7]
            assert search_ids(one, "talk") == [2**37 + 1]
            assert [card.id for card in one.cards([2**37, 2**37 + 1])] == [2**37 + 1]
            assert 2**37 not in one.nearest(vector[0], limit=5)
            assert one.counts("m") == Counts(2, 2)
        index.check(agent)
        assert index.of(agent).counts("m") == Counts(2, 2)
        assert catalogue.withdraw([said[0]]) == 0

    def test_a_message_whose_words_are_not_known_any_more_goes_with_its_words(
        self, index: Index
    ) -> None:
        """Stems that have a stem of their own, names, numbers, signs of other scripts (X-2)."""
        agent = an_agent()
        catalogue = index.of(agent)
        words = "turquoise agreed agreement running universities parse_config v1.2.3 Zürich 京都市"
        one, other = a_filing(2**37, f"{words} {words}"), a_filing(2**37 + 1, "agreed talk")
        memory = a_filing(7, "turquoise talk", "fact")
        catalogue.file([one, other, memory], threads={1: 2})
        assert catalogue.withdraw([one._replace(text="")]) == 1
        assert search_ids(catalogue, "turquoise") == [7]
        assert search_ids(catalogue, "agreed") == [2**37 + 1]
        for word in ("agreement", "running", "universities", "parse", "config", "Zürich", "京都"):
            assert 2**37 not in search_ids(catalogue, word), word
        index.check(agent)
        assert catalogue.counts().cards == 2
        assert catalogue.withdraw([other._replace(text="")]) == 1
        assert search_ids(catalogue, "talk") == [7]

    def test_memories_are_not_withdrawn(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        memory = a_filing(7, "a turquoise wall", "fact")
        catalogue.file([memory], threads={})
        assert catalogue.withdraw([memory]) == 0
        assert search_ids(catalogue, "turquoise") == [7]

    def test_messages_are_not_taken_out(self, index: Index) -> None:
        catalogue = index.of(an_agent())
        file_texts(catalogue, ["plain talk"])
        catalogue.take_out([1], scrub=True)
        assert search_ids(catalogue, "talk") == [1]

    def test_what_was_taken_out_can_be_filed_anew(self, index: Index) -> None:
        """A memory that is edited keeps its id."""
        catalogue = index.of(an_agent())
        catalogue.file([a_filing(7, "prefers tabs", "preference")], threads={})
        catalogue.embed("m", [(7, random_vectors(1))])
        catalogue.take_out([7], scrub=False)
        assert catalogue.file([a_filing(7, "prefers spaces", "preference")], threads={}) == 1
        assert (search_ids(catalogue, "tabs"), search_ids(catalogue, "spaces")) == ([], [7])
        assert list(catalogue.unembedded("m", limit=5)) == [7]
        catalogue.embed("m", [(7, random_vectors(1, 3))])
        assert catalogue.likeness([7], random_vectors(1, 3)[0]).first[0] == pytest.approx(
            1, abs=0.02
        )


class ApartPromises:
    def test_two_agents_never_see_each_other(self, index: Index) -> None:
        """The same ids, the same words (R-44)."""
        ada, bob = an_agent(1), an_agent(2, name="bob")
        for agent, word in ((ada, "apple"), (bob, "pear")):
            catalogue = index.of(agent)
            file_texts(catalogue, [f"an {word} of mine", "shared words"])
            catalogue.file([a_filing(9, f"{word} memory", "fact")], threads={}, entry=agent.ref)
            catalogue.embed(
                "m", [(1, random_vectors(1, agent.ref)), (2, random_vectors(1, 40 + agent.ref))]
            )
        for agent, mine, theirs in ((ada, "apple", "pear"), (bob, "pear", "apple")):
            catalogue = index.of(agent)
            assert sorted(search_ids(catalogue, mine)) == [1, 9]
            assert search_ids(catalogue, theirs) == []
            assert catalogue.counts("m") == Counts(3, 2)
            assert catalogue.reached().entry == agent.ref
            own = random_vectors(1, agent.ref)[0]
            assert catalogue.likeness([1], own).best[0] == pytest.approx(1, abs=0.02)
        index.of(ada).take_out([9], scrub=True)
        index.drop(ada)
        assert index.of(bob).counts("m") == Counts(3, 2)
        assert index.of(bob).memories() == {9: 90}

    def test_many_agents_stay_apart(self, index: Index) -> None:
        """More than are kept open at once (R-44)."""
        agents = [an_agent(ref, name=f"a{ref}") for ref in range(1, 101)]
        for agent in agents:
            file_texts(index.of(agent), [f"common words of number{agent.ref}"])
        for agent in agents:
            catalogue = index.of(agent)
            assert len(search_ids(catalogue, "common")) == 1
            assert search_ids(catalogue, f"number{agent.ref}") == [1]
            assert search_ids(catalogue, f"number{agent.ref % 100 + 1}") == []
