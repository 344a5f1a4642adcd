"""What a person chooses from: carried over the end of a range, so that it does not matter where one cuts."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.choices.alternatives import LONGEST, MOST, ROOM
from everthread.domain.gleaning.choices.label_picks import KEPT
from everthread.domain.gleaning.digest import EMPTY, Digest, digest_text, read_digest
from everthread.domain.gleaning.gleaner import Gleaner
from support.chance import few
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21", "R-15")

ROOMS = (
    "Three rooms are free:\n\n1. Harbour hall\n2. Old bakery\n3. Glass house\n\nWhich do you want?"
)
WAYS = "Option A: by post\nOption B: by courier\nOption C: at the desk\nWhich way shall it be?"
COLOURS = "We could paint it:\n- dark green\n- sky blue\nWhich one?"
TRAVEL = "Shall we take the night train, or the morning boat?"
REPLIES = (
    (ROOMS,),
    (WAYS,),
    (COLOURS,),
    (TRAVEL,),
    ("I look at the rooms first.", ROOMS),
    (WAYS, "The post office closes at five."),
    ("Noted.",),
    ("How many chairs do you need?",),
)
SAID = (
    "2",
    "b",
    "the second one",
    "the latter",
    "option 1",
    "A is out, too slow. B for now, C later.",
    "1 no, 2 yes",
    "Actually, 3.",
    "OK, c then.",
    "Let's do a after all.",
    "Let's go for the glass house instead.",
    "No, let's take the sky blue instead.",
    "Thanks.",
    "Where is the key of the shed?",
    "The shed lies behind the mill of Veld.",
)
turns = st.lists(st.tuples(st.sampled_from(SAID), st.sampled_from(REPLIES)), min_size=1, max_size=8)
# Where the view keeps the end of a turn, a list is the last that was said, though more was said after it.
LISTED_LAST = [replies for replies in REPLIES if replies[0] is not WAYS or len(replies) == 1]
plain = st.lists(
    st.tuples(st.sampled_from(SAID), st.sampled_from(LISTED_LAST)), min_size=1, max_size=8
)


def talk(said: Sequence[tuple[str, tuple[str, ...]]]) -> list[Message]:
    messages: list[Message] = []
    for turn, (text, replies) in enumerate(said, start=1):
        messages.append(spoken(text, "user", n=len(messages) + 1, turn_ref=turn))
        for reply in replies:
            messages.append(spoken(reply, "agent", n=len(messages) + 1, turn_ref=turn))
    return messages


def read(
    messages: Sequence[Message], before: Digest = EMPTY, heard: Message | None = None
) -> Digest:
    gleaner = Gleaner(before, heard=heard)
    for message in messages:
        gleaner.read(message)
    return read_digest(digest_text(gleaner.digest()))


def settled(digest: Digest) -> list[tuple[str, str, str]]:
    """What was chosen and turned down, and what of the agent's is open."""
    kinds = ("decision", "correction")
    return [
        (p.kind, p.by, p.text)
        for p in digest.points
        if p.kind in kinds or (p.kind == "open_item" and p.by == "agent")
    ]


@given(turns, st.lists(st.integers(1, 30), max_size=6))
@settings(max_examples=few(150), deadline=None)
def test_what_was_chosen_does_not_depend_on_where_one_cuts(
    said: list[tuple[str, tuple[str, ...]]], cuts: list[int]
) -> None:
    messages = talk(said)
    inside = sorted({cut for cut in cuts if cut < len(messages)})
    often = EMPTY
    for first, last in zip([0, *inside], [*inside, len(messages)], strict=True):
        told = [message for message in messages[:first] if message.origin == "agent"]
        often = read(messages[first:last], often, told[-1] if told else None)
    once = read(messages)
    assert settled(often) == settled(once)
    assert often.choosing == once.choosing


@given(plain, st.lists(st.integers(1, 30), max_size=4), st.integers(1, 4))
@settings(max_examples=few(150), deadline=None)
def test_nor_on_what_stays_in_the_view_beside_it(
    said: list[tuple[str, tuple[str, ...]]], cuts: list[int], tail: int
) -> None:
    """The last words of a person stay while the agent's after them are read."""
    messages = talk(said)
    end = len(messages)
    told: list[list[str]] = []
    for inside in (sorted({cut for cut in cuts if cut < end}), []):
        digest, gone = EMPTY, set[int]()
        for cut in (*inside, end, None):
            there = [n for n in range(end if cut is None else cut) if n not in gone]
            last = [n for n in there if messages[n].origin == "user"][-1:]
            kept: set[int] = set() if cut is None else {*there[-tail:], *last}
            digest = read([messages[n] for n in there if n not in kept], digest)
            gone.update(n for n in there if n not in kept)
        of_agent = (text for kind, by, text in settled(digest) if (kind, by) == CHOSEN)
        told.append([*dict.fromkeys(of_agent)])  # the same question may be asked, and stand, twice
    assert told[0] == told[1]


CHOSEN = ("decision", "agent")


@pytest.mark.parametrize(
    ("offer", "answer", "item"),
    [
        (ROOMS, "2", "2. Old bakery"),
        (WAYS, "B", "Option B: by courier"),
        (COLOURS, "the second one", "sky blue"),
        (TRAVEL, "the latter", "the morning boat"),
    ],
)
def test_a_label_is_understood_in_the_next_range(offer: str, answer: str, item: str) -> None:
    messages = talk([("How do we do it?", (offer,)), (answer, ("Fine.",))])
    digest = read(messages[2:], read(messages[:2]))
    (chosen,) = [p for p in digest.points if (p.kind, p.by) == CHOSEN]
    assert chosen.text.endswith(f" … {item}")
    assert messages[1].key in chosen.sources


def test_the_words_of_a_turn_that_is_read_ahead_are_nothing_she_chose_from() -> None:
    messages = talk([("Where?", (ROOMS,)), ("2", (WAYS, "I ask at the desk.", "It is open."))])
    ahead = read([*messages[:2], *messages[3:5]])
    assert ahead.choosing is not None
    assert ahead.choosing.ahead is not None
    assert [len(offer.items) for offer in ahead.choosing.ahead.offers] == [3]
    digest = read([messages[2], messages[5]], ahead)
    assert [text for *by, text in settled(digest) if (*by,) == CHOSEN] == [
        "Which do you want? … 2. Old bakery"
    ]


def test_what_is_carried_is_small_however_much_is_listed() -> None:
    rows = "\n".join(f"{n}. {'very long ' * 40}" for n in range(1, 90))
    messages = talk([("Go on.", (f"{rows}\n\nWhich one?",))] * 6)
    choosing = read(messages).choosing
    assert choosing is not None
    assert len(choosing.offers) == KEPT
    for offer in choosing.offers:
        assert len(offer.items) <= MOST
        assert sum(len(item.text) for item in offer.items) <= ROOM
        assert all(len(item.text) <= LONGEST for item in offer.items)
    small = Gleaner(room=4_000)
    for message in messages:
        small.read(message)
    assert len(digest_text(small.digest())) <= 4_000


def test_nothing_is_carried_where_nothing_is_on_offer() -> None:
    """A digest of old, and one without a list, are stored as they always were."""
    digest = read(talk([("Who wrote the hymn?", ("It was Ann.",))]))
    assert digest.choosing is None
    assert "choosing" not in json.loads(digest_text(digest))
    old = json.loads(digest_text(read(talk([("Where?", (ROOMS,))]))))
    del old["choosing"]
    later = read([spoken("2", "user", n=9, turn_ref=9)], read_digest(json.dumps(old)))
    assert not [text for *by, text in settled(later) if (*by,) == CHOSEN and "bakery" in text]


def test_no_secret_is_carried() -> None:
    secret = "AKIA" + "IOSFODNN7" + "EXAMPLE"
    text = f"1. take the key {secret}\n2. ask Ann for it\n\nWhich one?"
    stored = digest_text(read(talk([("How?", (text,))])))
    assert "ask Ann for it" in stored
    assert secret not in stored


def test_a_later_choice_overrules_the_one_of_the_range_before() -> None:
    messages = talk([("Where?", (ROOMS,)), ("2", ("The bakery.",)), ("Actually, 3.", ("Fine.",))])
    digest = read(messages[4:], read(messages[:4]))
    told = " ".join(text for kind, _, text in settled(digest) if kind == "decision")
    assert "Glass house" in told
    assert "bakery" not in told
