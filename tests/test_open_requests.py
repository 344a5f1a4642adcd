"""Whether a request is open: told by its own turn, by what a person says later, and however one distils."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.views import Span, remove_spans
from everthread.domain.gleaning.digest import EMPTY, OPEN_STATES, Digest, digest_text, read_digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.later_answers import close_answered
from everthread.domain.gleaning.open_items.follow_ups import (
    asks_anew,
    consents,
    continues,
    lays_aside,
    puts_off,
    she_acts_herself,
    speaks_of_same,
)
from everthread.domain.gleaning.open_items.leftovers import asks_itself, tells_missing
from everthread.domain.gleaning.open_items.requests import ASKED, DEFERRED, STALE
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.acts.speech import parse_sentence
from support.chance import few
from support.desk import desk_in
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "R-15")

PAINT = "Please paint the fence of the garden in dark green."
OTHERS = ("Tell me how high the tower is.", "List the ports of the island.", "Who wrote the hymn?")
LATER = 50
CALL = [{"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}]


class Talk:
    """Messages with the turns to which they belong; `after`: how much was said before."""

    def __init__(self, after: int = 0) -> None:
        self.messages: list[Message] = []
        self._after, self._turn = after, after

    def says(self, text: str, *replies: str) -> Talk:
        """A turn: what the person says, and what the agent does; `!` is a call of a tool."""
        self._turn += 1
        self._add(text, "user")
        for reply in replies:
            self._add(reply, "agent")
        return self

    def chats(self, turns: int, start: int = 0) -> Talk:
        for n in range(start, start + turns):
            self.says(f"How many boats are in harbour {n}?", f"There are {n + 3} boats in it.")
        return self

    def _add(self, text: str, by: str) -> None:
        n = self._after + len(self.messages) + 1
        content = CALL if text == "!" else text
        one = spoken(content, by, n=n, turn_ref=self._turn)  # pyright: ignore[reportArgumentType]
        self.messages.append(one)


def read(messages: Sequence[Message], before: Digest = EMPTY) -> Digest:
    gleaner = Gleaner(before)
    for message in messages:
        gleaner.read(message)
    return read_digest(digest_text(gleaner.digest()))


def open_ones(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "open_item" and p.pinned]


def left_ones(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "open_item" and not p.pinned]


def distilled(messages: Sequence[Message], cuts: Sequence[int], tail: int) -> Digest:
    """As the view does it: the tail stays, and with it the last words of a person."""
    digest, gone = EMPTY, set[int]()
    for cut in cuts:
        there = [n for n in range(cut) if n not in gone]
        kept = {*there[-tail:], *[n for n in there if messages[n].origin == "user"][-1:]}
        chosen = [n for n in there if n not in kept]
        digest = read([messages[n] for n in chosen], digest)
        gone.update(chosen)
    return digest


# However often one distils


REPLIES = (
    ("Done, the fence is painted.",),
    ("I can't do that before Monday.",),
    ("I'll do that as soon as the paint is there.",),
    ("Let me look at it first.", "!", "It has 12 boards, and all of them are fine."),
    ("I'll begin with the first part.", "!", "Now the second:", "!", "Both parts are finished."),
    ("There are two of them. Should I take the smaller one?",),
    ("Let me see.", "!"),
)
SAID = (
    PAINT,
    *OTHERS,
    "Great, thanks.",
    "continue",
    "It still does not work.",
    "Never mind.",
    "Yes, the smaller one.",
    "The island lies in the north of the lake.",
    "Paint the fence of the garden in blue instead.",
)
turns = st.lists(st.tuples(st.sampled_from(SAID), st.sampled_from(REPLIES)), min_size=1, max_size=9)


@given(turns, st.lists(st.integers(1, 40), max_size=6), st.integers(2, 5))
@settings(max_examples=few(150), deadline=None)
def test_what_is_open_does_not_depend_on_how_often_one_distils(
    said: list[tuple[str, tuple[str, ...]]], cuts: list[int], tail: int
) -> None:
    talk = Talk()
    for text, replies in said:
        talk.says(text, *replies)
    end = len(talk.messages)
    inside = sorted({cut for cut in cuts if cut < end})
    once, often = (distilled(talk.messages, [*c, end], tail) for c in ([], inside))
    assert open_ones(often) == open_ones(once)
    assert (often.talk and often.talk.turns) == (once.talk and once.talk.turns)


def test_the_words_of_a_turn_whose_person_is_not_read_yet_answer_nothing_before_it() -> None:
    """The last words of a person stay in the view while the agent's after them are distilled."""
    talk = Talk().says(PAINT, "I've painted the fence of the garden in dark green.")
    talk.says(OTHERS[0], "I'll begin with the plans of the tower.", "!", "!", "!")
    digest = distilled(talk.messages, [len(talk.messages)], 2)
    assert digest.talk is not None
    assert digest.talk.ahead == 2
    assert open_ones(digest) == []


def test_what_was_answered_may_be_complained_of_in_the_next_range() -> None:
    talk = Talk().says(PAINT, "I've painted the fence of the garden.")
    first = read(talk.messages)
    assert open_ones(first) == []
    later = Talk(LATER).says("That is wrong.")
    assert PAINT in open_ones(read(later.messages, first))
    assert PAINT not in open_ones(read(Talk(LATER).says(OTHERS[0]).messages, first))


def test_the_question_of_the_agent_waits_over_the_end_of_a_range() -> None:
    talk = Talk().says(PAINT, "Should I take the cheap paint or the good one?")
    talk.says("The good one.")
    digest = read(talk.messages[2:], read(talk.messages[:2]))
    assert "The good one." in [p.text for p in digest.points if p.kind == "decision"]
    assert left_ones(digest) == []


def test_a_digest_of_old_is_read_and_its_open_ones_are_put_off() -> None:
    """Stored before it was carried how it stands: rows of eight, and no word of the talk."""
    key = (1).to_bytes(16, "big").hex()
    row = ["open_item", PAINT, [key], "user", 1_000, 0.7, True, True]
    stored = {"points": [row], "ledger": [], "messages": 1, "first": 1_000, "last": 1_000}
    before = read_digest(json.dumps(stored))
    assert before.talk is None
    assert json.loads(digest_text(before)) == stored
    assert open_ones(read(Talk(LATER).chats(STALE + 2).messages, before)) == [PAINT]
    done = Talk(LATER).says("And now?", "I've painted the fence of the garden in dark green.")
    assert PAINT not in open_ones(read(done.messages, before))
    assert PAINT not in open_ones(read(Talk(LATER).chats(DEFERRED + 2).messages, before))


def test_how_it_stands_makes_no_new_point_of_an_old_one() -> None:
    before = read(Talk().says(PAINT, "I can't do that before Monday.").messages)
    after = read(Talk(LATER).says(OTHERS[0], "It is 90 m high.").messages, before)
    (was,) = [p for p in before.points if p.text == PAINT and p.pinned]
    (now,) = [p for p in after.points if p.text == PAINT and p.pinned]
    assert now.stands is not None
    assert now.stands.state in OPEN_STATES
    assert now.bare in before.known()
    assert was.bare.stands is None


# What is open at the end


@pytest.mark.parametrize(
    "replies",
    [
        (),
        ("!",),
        ("Let me look at the fence first.",),
        ("I'll start with the left side.", "!", "!"),
        ("I can't paint it before Monday.",),
        ("I'll paint it as soon as it is dry.",),
        ("Sorry, painting failed with an empty tin.",),
        ("There are two greens. Which one do you want?",),
    ],
)
@pytest.mark.parametrize("cut", [False, True])
def test_what_is_asked_last_and_not_done_is_open(replies: tuple[str, ...], cut: bool) -> None:
    talk = Talk().chats(3).says(PAINT, *replies)
    first = len(talk.messages) - len(replies)
    digest = (
        read(talk.messages[first:], read(talk.messages[:first])) if cut else read(talk.messages)
    )
    assert open_ones(digest) == [PAINT]


@pytest.mark.parametrize(
    "reply",
    [
        "I can't paint it before Monday.",
        "I'll paint it as soon as it is dry.",
        "It is deferred until the paint arrives.",
        "Painting is not possible in the rain.",
    ],
)
@pytest.mark.parametrize("often", [1, 4])
def test_what_was_put_off_is_open_while_one_speaks_of_other_things(reply: str, often: int) -> None:
    talk = Talk().says(PAINT, reply).chats(STALE + 4)
    end = len(talk.messages)
    cuts = [end * (n + 1) // often for n in range(often)]
    assert PAINT in open_ones(distilled(talk.messages, cuts, 3))
    talk.says("What is new?", "I've painted the fence of the garden in dark green.").chats(2)
    assert PAINT not in open_ones(read(talk.messages))


def test_two_requests_of_which_one_was_put_off() -> None:
    talk = Talk().says(PAINT, "I can't paint it before Monday.")
    talk.says("Rename the boat in harbour 4 to Linnet.", "Renamed: the boat is called Linnet now.")
    assert open_ones(read(talk.messages)) == [PAINT]


def test_what_a_turn_without_a_word_left_is_open_and_what_was_worked_at_is_not() -> None:
    """Who was interrupted at work, and is not asked to go on, is not waited for any more."""
    fallen = Talk().says(PAINT).chats(STALE + 2)
    assert PAINT in open_ones(read(fallen.messages))
    begun = Talk().says(PAINT, "!", "!").chats(STALE + 2)
    assert PAINT not in open_ones(read(begun.messages))


def test_what_was_added_in_the_same_turn_is_answered_with_it() -> None:
    """A person may write on while the agent is at it: the turn stays the same."""
    talk = Talk().says(PAINT, "Let me see.")
    more = spoken("Use the small brush for the gate.", n=3, turn_ref=1)
    done = spoken("Both are painted.", "agent", n=4, turn_ref=1)
    for said in (talk.messages, talk.messages[:1]):
        assert len(open_ones(read([*said, more]))) == 2
        assert open_ones(read([*said, more, done])) == []


def test_who_says_go_on_waits_for_what_was_begun() -> None:
    talk = Talk().says(PAINT, "Let me look at the fence first.", "!")
    for _ in range(3):
        talk.says("continue", "Now the next board:", "!")
    assert PAINT in open_ones(read(talk.messages))
    talk.says("go on, please", "All boards are painted.")
    assert open_ones(read(talk.messages)) == []
    added = Talk().says(PAINT, "Let me see.", "!").says("The gate is 2 m wide.", "Let me see.", "!")
    assert PAINT in open_ones(read(added.says("continue", "Let me see:").messages))
    assert PAINT not in open_ones(read(added.says(OTHERS[0], "Let me see:").chats(1).messages))


def test_a_question_that_was_asked_back_about_is_open_for_a_while_only() -> None:
    height = "How high is the tower?"
    talk = Talk().says(height, "Which one do you mean?").chats(1)
    assert height in open_ones(read(talk.messages))
    assert height not in open_ones(read(talk.chats(ASKED + 1, start=1).messages))


def test_an_order_that_was_asked_back_about_is_not_done() -> None:
    """Though she speaks of other things."""
    asked = ("There are two greens. Which one do you want?",)
    talk = Talk().says(PAINT, *asked).chats(ASKED + STALE + 9)
    assert PAINT in open_ones(read(talk.messages))
    told = Talk().says(PAINT, *asked).says("The darker one.", "I can't get it before Monday.")
    assert PAINT in open_ones(read(told.messages))


# What a person's later words close


@pytest.mark.parametrize(
    "words",
    [
        "Paint the fence of the garden in blue instead.",
        "Please paint the garden fence.",
        "Never mind.",
        "nm, my mistake",
        "Leave it as it is.",
        "I figured it out.",
        "ok it works now",
        "False alarm.",
        "Lass das so.",
        "Laisse ça comme ça.",
        "算了",
    ],
)
def test_a_person_closes_what_was_put_off(words: str) -> None:
    talk = Talk().says(PAINT, "I can't paint it before Monday.").says(words, "All right.")
    assert PAINT not in open_ones(read(talk.messages))


@pytest.mark.parametrize(
    "words",
    [
        "When will you paint the fence of the garden?",
        "Fix the gate later today, please.",
        "Let's leave the tower for another day.",
        "The boat works now.",
        "Did it work later?",
        "I left it on the table.",
        "Remind me of it later.",
        "Keep the gate as it is and count the boards.",
        "The error of the user was told.",
    ],
)
def test_other_words_leave_it_open(words: str) -> None:
    talk = Talk().says(PAINT, "I can't paint it before Monday.").says(words, "All right.")
    assert PAINT in open_ones(read(talk.messages))


@pytest.mark.parametrize(
    "words",
    [
        "just leave it for now",
        "Leave it for now.",
        "Never mind, we'll do it tomorrow.",
        "Let's do that later.",
        "we can tackle the fence later",
        "Let's do the fence next week.",
        "We'll come back to it on Monday.",
        "Let's paint the fence of the garden later, we do that tomorrow.",
        "That can wait.",
        "Let's leave the fence for another day.",
        "Not now.",
        "Das machen wir später.",
        "Das machen wir nächste Woche.",
        "Lass das erstmal so.",
        "Laisse ça pour l'instant.",
        "On fera ça demain.",
        "Déjalo por ahora.",
        "Lo hacemos mañana.",
        "以后再说吧",
        "明天再做吧",
    ],
)
@pytest.mark.parametrize("reply", ["I can't paint it before Monday.", "Which green do you want?"])
def test_what_a_person_puts_off_stays_open(words: str, reply: str) -> None:
    """Her `tomorrow` is no `never`, and the agent's `all right` is no report."""
    talk = Talk().says(PAINT, reply).says(words, "All right.").chats(STALE + 2)
    assert PAINT in open_ones(read(talk.messages))
    talk.says("Forget the fence of the garden.", "All right.")
    assert PAINT not in open_ones(read(talk.messages))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (
            "Please hire the oak boat for Sunday 3 May.",
            "Then hire the brass band for Sunday 3 May.",
        ),
        ("Copy page one of the hymn.", "Copy page two of the hymn."),
        ("Copy page 1 of the hymn.", "Copy page 2 of the hymn."),
        ("Buy 12 blue tiles at Korn.", "Buy 12 blue lamps at Veld."),
        ("Hire the oak boat.", "And hire the oak boat of Finn as well."),
        ("Miete das Boot für Sonntag.", "Dann miete die Kapelle für Sonntag."),
        (PAINT, "Please paint the garden fence from both sides."),
    ],
)
def test_a_second_request_of_like_wording_closes_nothing(first: str, then: str) -> None:
    assert not asks_anew(then, first, asks=False, asked=False)
    talk = Talk().says(first, "I can't do that before Monday.").says(then, "I can't do that yet.")
    assert open_ones(read(talk.messages)) == [first, then]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Hire the oak boat.", "Hire the oak boat for Sunday 3 May."),
        ("Hire the oak boat for Sunday 3 May.", "Then just hire the oak boat."),
        ("Hire the oak boat for Sunday.", "Hire the oak boat for Monday instead."),
        ("Hire the oak boat for Sunday.", "No, hire the oak boat for Monday."),
        ("Build the oak boat for Finn.", "Finish the oak boat for Finn."),
    ],
)
def test_the_same_in_other_words_takes_the_place_of_the_first(first: str, then: str) -> None:
    assert asks_anew(then, first, asks=False, asked=False)


@pytest.mark.parametrize("words", ["ok", "Okay.", "yes, sure", "gut", "好的"])
def test_ok_while_the_agent_works_closes_nothing(words: str) -> None:
    assert consents(take_apart(words))
    assert PAINT in open_ones(read(Talk().says(PAINT, "!").says(words, "!").messages))
    assert PAINT in open_ones(read(Talk().says(PAINT, "!").says(words).says(words, "!").messages))
    done = Talk().says(PAINT, "!").says(words, "!", "I've painted the fence.").chats(1)
    assert PAINT not in open_ones(read(done.messages))
    put_off = Talk().says(PAINT, "I'll paint it when it is dry.").says(words, "Good.")
    assert PAINT in open_ones(read(put_off.messages))


def test_who_thanks_has_seen_the_end() -> None:
    assert not consents(take_apart("Great, thanks!"))
    assert not consents(take_apart("ok, it is good for the right side and fine"))
    assert PAINT not in open_ones(read(Talk().says(PAINT, "!").says("Great, thanks!").messages))


@pytest.mark.parametrize(
    "words",
    ["Let me ask Finn.", "Ok, let me think about it.", "Let me see.", "Lass mich kurz überlegen."],
)
def test_what_she_will_do_herself_is_no_request(words: str) -> None:
    assert she_acts_herself(words)
    talk = Talk().says(PAINT, "Which green do you want?").says(words, "Sure.")
    assert open_ones(read(talk.messages)) == [PAINT]


@pytest.mark.parametrize(
    "words",
    [
        "Let me see the plans of the tower.",
        "Let me know how high it is.",
        "Let me ask you this: who wrote it?",
        "Let me think. Who wrote the hymn?",
    ],
)
def test_what_begins_like_it_is_one(words: str) -> None:
    assert not she_acts_herself(words)


def test_figures_alone_answer_a_question_and_no_order() -> None:
    assert open_ones(read(Talk().says("How full is the tank?", "95 %.").messages)) == []
    assert open_ones(read(Talk().says(PAINT, "95 %.").messages)) == [PAINT]


@pytest.mark.parametrize("text", ["continue", "ok, go ahead", "yes, do it", "mach weiter", "继续"])
def test_who_only_says_go_on(text: str) -> None:
    assert continues(take_apart(text))


@pytest.mark.parametrize(
    "text", ["continue the list of ports with the island", "next week is fine", "go on holiday", ""]
)
def test_who_says_more_than_go_on(text: str) -> None:
    assert not continues(take_apart(text))


def test_a_question_never_lays_aside() -> None:
    assert puts_off(parse_sentence("Let's do that later."))
    assert not puts_off(parse_sentence("Shall we do that later?"))
    assert lays_aside(parse_sentence("It works now"))
    assert not lays_aside(parse_sentence("It works now?"))


@given(st.sampled_from(SAID), st.sampled_from(SAID))
def test_two_are_akin_both_ways(one: str, other: str) -> None:
    assert speaks_of_same(one, other) == speaks_of_same(other, one)


# One message


def test_the_ground_of_a_request_is_not_open_by_itself() -> None:
    """A long message asks once, and tells what is wrong before and after it."""
    filler = "The house stands at the north shore of the lake, behind the old mill. " * 4
    text = (
        f"Look at how the pump of the well is wired. {filler}"
        f"Because it doesn't work when it rains. {filler}The lamp is broken as well."
    )
    digest = read(Talk().says(text).messages)
    (asked,) = open_ones(digest)
    assert asked.startswith("Look at how the pump")
    told = " ".join(p.text for p in digest.points)
    assert "doesn't work when it rains" in told
    both = f"Look at how the pump of the well is wired. {filler}Then count the lamps of the house."
    assert len(open_ones(read(Talk().says(both).messages))) == 2


def test_a_fault_alone_is_a_request() -> None:
    filler = "The house stands at the north shore of the lake, behind the old mill. " * 5
    text = f"The pump fails when it rains. {filler}The lamp is broken as well."
    assert len(open_ones(read(Talk().says(text).messages))) == 1


# What the agent leaves


LEFT = "The roof of the shed is not yet painted."


@pytest.mark.parametrize(
    "text",
    [
        "Next steps:",
        "Next steps (if you like):",
        "## Follow-up work for the shed",
        'The sign says "the shed is not yet open".',
        "It lists the boards that haven't been painted.",
        "It dries the boards after awaiting the sun.",
    ],
)
def test_what_announces_heads_quotes_or_describes_is_not_left_open(text: str) -> None:
    talk = Talk().says("Who wrote the hymn?", f"It was Ann.\n\n{text}\n\nThe hymn has 4 verses.")
    assert left_ones(read(talk.messages)) == []


OFFER = "Next steps: the shed could be painted."


def test_what_the_agent_offers_is_open_until_the_person_goes_on() -> None:
    talk = Talk().says(PAINT, f"I've painted the fence of the garden. {OFFER}")
    assert left_ones(read(talk.messages)) == [OFFER]
    other = Talk(LATER).says(OTHERS[0])
    assert left_ones(read(other.messages, read(talk.messages))) == []
    named = Talk(LATER).says("Good. What colour will the shed be painted in the next steps?")
    assert left_ones(read(named.messages, read(talk.messages))) == [OFFER]


@pytest.mark.parametrize(
    "left",
    [
        LEFT,
        "Still to do: hire the boat, sew the flag, pay Finn 40 euros.",
        "The key of the shed is still missing, so nothing is locked yet.",
        "Postponed: the harbour plan, with Ann on Monday.",
        "The flag is waiting for the cloth from Veld.",
    ],
)
@pytest.mark.parametrize("often", [1, 3])
def test_what_the_agent_says_is_still_to_be_done_stays_open(left: str, often: int) -> None:
    talk = Talk().says(PAINT, f"I've painted the fence of the garden. {left}")
    talk.says("Great, thanks!", "You're welcome.").chats(STALE + 2)
    end = len(talk.messages)
    cuts = [end * (n + 1) // often for n in range(often)]
    assert left_ones(distilled(talk.messages, cuts, 3)) == [left]
    assert left_ones(read(talk.chats(DEFERRED, start=9).messages)) == []


@pytest.mark.parametrize(
    ("words", "reply"),
    [
        ("And now?", "I've painted the roof of the shed."),
        ("Forget the roof of the shed.", "All right."),
        ("Paint the roof of the shed in red.", "I can't do that before Monday."),
    ],
)
def test_what_the_agent_left_goes_when_it_is_done_cancelled_or_asked_for(
    words: str, reply: str
) -> None:
    talk = Talk().says(PAINT, f"I've painted the fence of the garden. {LEFT}").says(words, reply)
    assert left_ones(read(talk.messages)) == []


def test_of_a_list_one_thing_cancelled_leaves_the_others() -> None:
    left = "Still to do: hire the boat, sew the flag, pay Finn 40 euros."
    talk = Talk().says("What is left?", left).says("Forget the flag.", "All right.")
    assert left_ones(read(talk.messages)) == [left]


@pytest.mark.parametrize(
    "text",
    [
        "Next steps (optional): the roof is not yet painted.",
        "If you want, the roof still needs to be painted.",
        "You could also paint the roof, which is still open.",
        "The deadline is on Friday.",
    ],
)
def test_what_may_be_taken_up_or_left_waits_for_nobody(text: str) -> None:
    assert not tells_missing(text)


def test_what_the_agent_left_in_a_turn_that_is_read_ahead_outlives_its_person() -> None:
    talk = Talk().says(OTHERS[1], "There are three.").says(PAINT, LEFT, "!", "!", "!")
    first = distilled(talk.messages, [len(talk.messages)], 2)
    assert left_ones(first) == [LEFT]
    assert left_ones(read([talk.messages[2]], first)) == [LEFT]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Which one do you want?", True),
        ("**Shall I go on?**", True),
        ('It became known for the line "How many licks does it take?"', False),
        ("It asks ‘who is there?’", False),
        ("When a file has only new lines, it is shown as added.", False),
    ],
)
def test_only_its_own_question_waits_for_an_answer(text: str, own: bool) -> None:
    assert asks_itself(text) is own


# What stays in the view


def test_what_the_view_still_answers_is_not_called_open_and_stands_as_it_stood() -> None:
    talk = Talk().chats(1).says(PAINT, "Let me look at the fence first.", "All boards are painted.")
    gone, stays = talk.messages[:4], talk.messages[4:]
    digest = read(gone)
    assert open_ones(digest) == [PAINT]
    told = close_answered(digest, stays)
    assert open_ones(told) == []
    assert read(stays, told) == read(stays, digest)
    assert open_ones(close_answered(digest, stays[:0])) == [PAINT]
    later = Talk(LATER).says("That is wrong.").messages
    assert PAINT in open_ones(read(later, read(stays, told)))


def test_what_the_agent_left_and_nobody_took_up_is_not_told_either() -> None:
    later = Talk(LATER).says(OTHERS[0]).messages
    told = close_answered(read(Talk().says(PAINT, OFFER).messages), later)
    assert left_ones(told) == []
    told = close_answered(read(Talk().says(PAINT, LEFT).messages), later)
    assert left_ones(told) == [LEFT]


runs = st.lists(st.booleans(), min_size=1, max_size=40)


@given(runs, runs)
def test_what_is_left_of_the_view(shown: list[bool], gone: list[bool]) -> None:
    """By hand: each place that is shown and does not go, and none beside."""
    size = min(len(shown), len(gone))
    seen = _spans([shown[n] for n in range(size)])
    out = [
        span
        for first, last in seen
        for span in _spans([first <= n + 1 <= last and gone[n] for n in range(size)])
    ]
    left = {n for first, last in remove_spans(seen, out) for n in range(first, last + 1)}
    assert left == {n + 1 for n in range(size) if shown[n] and not gone[n]}


def _spans(marks: list[bool]) -> list[Span]:
    found: list[Span] = []
    for n, mark in enumerate(marks, start=1):
        if mark and found and found[-1].last == n - 1:
            found[-1] = Span(found[-1].first, n)
        elif mark:
            found.append(Span(n, n))
    return found


def test_a_distillation_reads_on_to_see_what_is_answered(tmp_path: Path) -> None:
    """The order goes, and the report of it is the first of what stays."""
    with desk_in(tmp_path) as desk:
        desk.talk(0, 12)
        desk.turn(PAINT, "I've painted the fence of the garden in dark green.")
        desk.talk(12, 16)
        desk.ada.turn("Thanks, that is all.").failed("nobody answered")
        desk.ada.distill()
        context = desk.ada.context()
        assert PAINT in str(context.summary)
        assert PAINT not in [m["content"] for m in context.messages]
        assert PAINT not in [m.text for m in desk.ada.memories(limit=99, kind="open_item")]
        assert "open" not in str(context.summary).split(PAINT)[0].rpartition("\n")[2]


@pytest.mark.parametrize(
    "text",
    [
        "Good morning, Ada.",
        "Hi Ada!",
        "hello there",
        "Guten Morgen, Mel",
        "Bonjour Ada",
        "hey claude",
    ],
)
def test_who_begins_with_a_greeting_waits_for_nothing(text: str) -> None:
    """A-13"""
    digest = read(Talk().says(text, "Hello.").messages)
    assert open_ones(digest) == []
    assert not [point for point in digest.points if point.kind == "request"]


@pytest.mark.parametrize("text", ["hello help", "morning report", "Hi, the gate is broken."])
def test_who_greets_and_says_what_it_is_about_is_heard(text: str) -> None:
    digest = read(Talk().says(text, "Let me see.", "!").messages)
    assert [point for point in digest.points if text in point.text]


@pytest.mark.parametrize(
    "text",
    [
        "Super. It is 26 degrees here and I sit in a cellar. See you!",
        "Thanks, have a nice evening.",
        "Where he slept is a private matter.",
        "What she paid is nobody's business.",
        "Take care, talk tomorrow.",
        "Appreciate your help, catch you later, stay safe.",
        "What we have is an old laptop.",
        "When it is done we eat.",
    ],
)
def test_who_takes_leave_or_tells_by_a_clause_asks_for_nothing(text: str) -> None:
    """A-13"""
    assert not any(each.asks or each.orders for each in take_apart(text).sentences)


@pytest.mark.parametrize(
    "text",
    [
        "See the log.",
        "Have a look at the log.",
        "Where did he sleep",
        "how i can run the tests in docker",
        "why it is failing on the server",
    ],
)
def test_what_begins_alike_and_asks_does(text: str) -> None:
    assert any(each.asks or each.orders for each in take_apart(text).sentences)
