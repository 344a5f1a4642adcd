"""Who can no longer do something could do it before; whoever can do something else still can."""

from __future__ import annotations

import pytest

import everthread
from everthread.domain.memory.contradictions import contradicts

pytestmark = pytest.mark.req("D-6", "A-13")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I can eat nuts", "I can't eat nuts any more"),
        ("I can eat nuts.", "Sadly I can no longer eat nuts."),
        ("I can swim", "I can't swim"),
        ("I can't swim", "I can swim now"),
        ("I can come on Friday", "I cannot come on Friday after all"),
        ("I can come on Friday", "Sorry, I can’t come on Friday."),
        ("I can drive at night", "I cannot drive at night any more"),
        ("The user can drive at night", "I cannot drive at night any more"),
        ("I am able to walk", "I'm not able to walk any more"),
        ("I can walk", "I'm unable to walk"),
        ("Guests can register themselves", "Guests can't register themselves"),
        ("Guests cannot register themselves", "Guests can register themselves from now on"),
        ("The app can export PDFs", "The app cannot export PDFs"),
        ("I can drive when it is dark", "I can't drive when it is dark any more"),
        ("You can use emojis", "You can't use emojis"),
        ("You can use emojis", "Don't use emojis."),
        ("You may use emojis.", "Never use emojis."),
        ("It's fine to use emojis.", "Please don't use emojis."),
        ("You can push to main.", "You must not push to main."),
    ],
)
def test_what_could_be_done_can_be_no_longer(old: str, new: str) -> None:
    assert contradicts(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # something else, or part of it
        ("I can eat nuts", "I can't eat milk"),
        ("I can eat nuts", "I can't eat raw nuts"),
        ("I can eat roasted nuts", "I can't eat nuts"),
        ("Guests can register themselves", "Guests can't register others"),
        ("The app can export PDFs", "The app can't import PDFs"),
        ("You can use emojis", "You can't use emojis in commit messages"),
        ("You can use emojis in chats", "Don't use emojis in mails"),
        # somebody else
        ("I can swim", "My sister can't swim"),
        ("Tom can drive at night", "Ana cannot drive at night any more"),
        ("Guests can register themselves", "Members can't register themselves"),
        ("Some guests can swim", "Some guests can't swim"),
        ("One of us can drive", "One of us can't drive"),
        ("Nobody can swim", "Tom can't swim"),
        # another time
        ("I can come on Friday", "I can't come on Saturday"),
        ("I can drive at night", "I can't drive at noon"),
        ("I can drive", "I can't drive tonight"),
        ("I can come today", "I can't come today"),
        # under a condition, asked, or only supposed
        ("I can come on Friday", "I can't come on Friday if it snows"),
        ("I can come on Friday", "Can't I come on Friday?"),
        ("I can come on Friday", "Maybe I can't come on Friday"),
        ("I can come on Friday", "I might not come on Friday"),
        ("I can come on Friday", "I hope I can't come on Friday"),
        ("You can use emojis", "Don't use emojis when you write to Tom"),
        # said of it in another way
        ("I can swim", "I can't swim well"),
        ("I can swim", "I can't just swim"),
        ("I can see you", "I can't wait to see you"),
        ("I can delete it", "I can't just delete it"),
        ("The app can export PDFs", "The app does not export PDFs to S3"),
        ("You can deploy on Fridays", "You can't deploy on Fridays without a review"),
    ],
)
def test_who_cannot_do_something_else_still_can(old: str, new: str) -> None:
    assert not contradicts(new, old)
    assert not contradicts(old, new)


def test_what_we_do_not_do_we_can_do_all_the_same() -> None:
    assert not contradicts("We don't meet on Fridays", "We can meet on Fridays")


def test_the_memory_of_what_one_could_do_ends() -> None:
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        ada.remember("I can eat nuts")
        ada.remember("I can't eat nuts any more")
        assert [memory.text for memory in ada.memories()] == ["I can't eat nuts any more"]
