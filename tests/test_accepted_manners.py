"""An order of how things are done, which the agent only consents to, holds from now on.

Requirements: A-13, A-21.
"""

from __future__ import annotations

import pytest

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.gleaner import Gleaner
from support.spoken import called, resulted, spoken
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

HELD = [
    ("Use tabs for indentation.", "Understood."),
    ("Answer me in German.", "Will do, I'll answer in German."),
    ("Use British spelling throughout.", "Sure."),
    ("Run the linter before committing.", "Okay, I'll run it."),
    ("Prefer composition over inheritance.", "Got it."),
    ("Use snake_case for file names.", "Understood, I will keep to that."),
    ("Address me as Dr Klein.", "Of course, Dr Klein."),
    ("Format dates as YYYY-MM-DD.", "Noted."),
    ("Treat warnings as errors. They pile up otherwise.", "Right, I will."),
    ("Antworte auf Deutsch.", "Alles klar."),
    ("Show me a diff before applying changes.", "Will do, diff first."),
    ("Keep answers short.", "Got it, short answers."),
    ("Quote prices in euros.", "Okay."),
    ("Sign mails with my initials.", "Will do."),
    ("Ask me before deleting files.", "Understood, I will ask first."),
    ("Recommend vegan dishes.", "Noted."),
    ("I want answers in bullet points.", "Understood."),
]
FOR_ONCE = [
    ("Use the second variant.", "Understood."),
    ("Use oil instead of butter.", "Okay, I'll use oil."),
    ("Use port 8081 for this run.", "Got it."),
    ("Add type hints to parse_row.", "Sure."),
    ("Add tests.", "On it."),
    ("Tell Luis I'm running late.", "Will do."),
    ("Answer mails.", "Sure."),
    ("Write tests for the parser.", "Of course."),
    ("Lock up before you leave.", "Will do."),
    ("Call me at five.", "Sure thing."),
    ("Call me when dinner is ready.", "Sure!"),
    ("Use plan B.", "Got it."),
    ("Use candles for dinner.", "Got it."),
    ("Keep kids busy.", "Will do."),
    ("Use stairs, elevator is broken.", "Okay."),
    ("Keep looking for leaks.", "On it."),
    ("Keep receipts from lunch.", "Okay."),
    ("Follow up with suppliers.", "Will do."),
    ("Address review comments.", "Will do."),
    ("Suggest gift ideas.", "Of course!"),
    ("Explain monads in Haskell.", "Sure."),
    ("Respond as soon as possible.", "Will do."),
    ("Talk with mum.", "Will do."),
    ("Wrap presents with ribbons.", "Will do."),
    ("Order filters by mail.", "Sure."),
    ("Reset passwords before migrating.", "Sure."),
    ("Ask mum before booking.", "Will do."),
    ("Bring wine, not beer.", "Noted."),
    ("I need new shoes.", "Noted."),
    ("Include tests for parsers.", "Understood."),
    ("Use type hints everywhere.", "On it."),
    # carried out, refused, asked back about, or beside something else that is to be done
    ("Use tabs for indentation.", "I reformatted all files with tabs."),
    ("Use tabs for indentation.", "Which files do you mean?"),
    ("Use simple words. Write me a poem about rain.", "Sure, I'll write one."),
]


def standing(said: str, reply: str) -> list[str]:
    digest = read("Good morning.", "Hello.", said, reply)
    return [point.text for point in digest.points if point.kind in ("rule", "preference")]


@pytest.mark.parametrize(("said", "reply"), HELD)
def test_a_manner_that_is_only_consented_to_holds(said: str, reply: str) -> None:
    assert standing(said, reply)
    digest = read("Good morning.", "Hello.", said, reply)
    assert not [point for point in digest.points if point.kind == "open_item"]


@pytest.mark.parametrize(("said", "reply"), FOR_ONCE)
def test_what_is_for_once_carried_out_or_asked_back_about_does_not(said: str, reply: str) -> None:
    assert not standing(said, reply)


TABS = "Use tabs for indentation."
ADD = "Format dates as YYYY-MM-DD."


def told(*messages: Message) -> Digest:
    gleaner = Gleaner()
    for message in messages:
        gleaner.read(message)
    return gleaner.digest()


def of_kind(digest: Digest, *kinds: str) -> list[str]:
    return [point.text for point in digest.points if point.kind in kinds]


def turn_of(*messages: Message, ref: int = 1) -> list[Message]:
    return [message._replace(turn_ref=ref) for message in messages]


def test_what_a_tool_carries_out_is_for_once_whenever_the_agent_consents() -> None:
    """A message that only calls a tool has no words, and may come before the consent or after it."""
    tool = (called("Edit", 2, file_path="a.py"), resulted("ok", 2))
    before = told(*turn_of(spoken(TABS), *tool, spoken("Understood.", "agent", n=4)))
    after = (called("Edit", 3, file_path="a.py"), resulted("ok", 3))
    then = told(*turn_of(spoken(TABS), spoken("Understood.", "agent", n=2), *after))
    assert not of_kind(before, "rule", "preference")
    assert not of_kind(then, "rule", "preference")


def test_what_a_tool_begins_is_open_again_until_it_is_told() -> None:
    consent = spoken("Understood.", "agent", n=2)
    tool = (called("Edit", 3, file_path="a.py"), resulted("ok", 3))
    only = told(*turn_of(spoken(ADD), consent))
    assert of_kind(only, "rule", "preference") == [ADD]
    assert of_kind(told(*turn_of(spoken(ADD), consent, *tool)), "open_item") == [ADD]


def test_a_tool_takes_nothing_from_what_held_before() -> None:
    first = turn_of(spoken(TABS), spoken("Understood.", "agent", n=2))
    tool = (called("Edit", 5, file_path="a.py"), resulted("ok", 5))
    again = turn_of(spoken(TABS, n=3), spoken("Understood.", "agent", n=4), *tool, ref=2)
    assert of_kind(told(*first, *again), "rule", "preference")


@pytest.mark.parametrize(("reply", "holds"), [("Sure.", False), ("Noted.", True)])
def test_beside_work_at_hand_it_holds_only_where_the_agent_takes_note(
    reply: str, *, holds: bool
) -> None:
    digest = read("Plot the sales.", "Here is the plot.", "Use horizontal bars.", reply)
    assert bool(of_kind(digest, "rule", "preference")) is holds
