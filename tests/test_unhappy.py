"""What a complaint reopens: the answer that it speaks of, and nothing else that was done."""

from __future__ import annotations

import pytest

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.gleaner import Gleaner
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")

DELETE = "Please delete the backup table orders_old from the production database."
DELETED = "I deleted the table orders_old from the production database; 0 rows are left."
REDIRECT = "Fix the login redirect on /account."
REDIRECTED = "I've fixed the login redirect on /account."


def gleaned(*said: tuple[str, str] | Message, before: Digest = EMPTY) -> Digest:
    gleaner = Gleaner(before)
    for n, one in enumerate(said, start=before.messages + 1):
        gleaner.read(one if isinstance(one, Message) else spoken(one[1], one[0], n=n))  # pyright: ignore[reportArgumentType]
    return gleaner.digest()


def open_ones(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "open_item" and p.pinned]


@pytest.mark.parametrize(
    "complaint",
    [
        "The login page is broken, its button does not work. Please fix it.",
        "The login button still isn't working on Safari, can you fix it?",
        "Now to the login page: its button still doesn't work.",
        "The search box on the help page doesn't work.",
        "My laptop is still not charging, what can I try?",
        "It seems the printer doesn't work.",
        "It looks like the mailer still fails.",
        "It's the parser that is wrong.",
        "The problem is that the icons are wrong on the start page.",
        "I still see the old logo in the header.",
        "The total on the invoice is wrong.",
        "I'm having trouble with the router: it does not work.",
        "Next: the tests of the parser still fail.",
        "Also the spelling of the title is wrong.",
        "On Windows the installer still does not start, it is the same problem as last week.",
        "The colour of the footer is wrong. Make it blue.",
        "This page doesn't work in Firefox.",
        "That button is not what the designer drew.",
        "Der Drucker geht immer noch nicht.",
        "L'imprimante ne marche toujours pas.",
        "La impresora todavía no imprime.",
        "The CSV import does not work for files with umlauts. Could you look into it?",
    ],
)
def test_a_complaint_of_something_else_leaves_what_was_done_closed(complaint: str) -> None:
    """A request that was done is open no longer, whatever the person is unhappy with next."""
    talk = (("user", DELETE), ("agent", DELETED), ("user", complaint))
    assert DELETE not in open_ones(gleaned(*talk))


@pytest.mark.parametrize(
    "complaint",
    [
        "It still does not work, I get the same error.",
        "It still fails.",
        "That is wrong.",
        "That's not what I asked for.",
        "Still the same error.",
        "Hmm, same problem.",
        "No, that didn't help.",
        "Wrong.",
        "Please undo that.",
        "Revert this.",
        "You forgot the mobile view.",
        "You missed a case.",
        "You didn't run the tests.",
        "Try again.",
        "I still get an error.",
        "It does not work when I open it on my phone.",
        "The redirect still doesn't work on Safari.",
        "The login redirect is wrong: it goes to /home.",
        "Thanks. The redirect on /account still fails, though.",
        "/account still does not redirect.",
        "Das ist immer noch falsch.",
        "Es geht immer noch nicht.",
        "Ça ne marche toujours pas.",
        "Eso todavía no funciona.",
    ],
)
def test_a_complaint_of_what_was_done_opens_it_again(complaint: str) -> None:
    """What the complaint names, or what was answered last where it names nothing."""
    talk = (("user", REDIRECT), ("agent", REDIRECTED), ("user", complaint))
    assert REDIRECT in open_ones(gleaned(*talk))


def test_a_complaint_is_known_by_the_words_of_the_answer_too() -> None:
    told = "I changed the colour of the banner in theme.css."
    talk = (("user", "Make the top brighter."), ("agent", told))
    assert open_ones(gleaned(*talk, ("user", "The colour of the banner is still wrong.")))[0] == (
        "Make the top brighter."
    )
    other = gleaned(*talk, ("user", "The spelling of the imprint is still wrong."))
    assert "Make the top brighter." not in open_ones(other)


def test_of_two_things_that_were_done_only_the_one_complained_of_is_open_again() -> None:
    asked = "Rename the column usr to user_name. " + "It is in the table of accounts. " * 9
    both = f"{asked}Then translate the manual into French."
    digest = gleaned(
        ("user", both),
        ("agent", "I renamed the column usr and translated the manual into French."),
        ("user", "The French manual is wrong, half of it is missing."),
    )
    assert [t for t in open_ones(digest) if "French" in t]
    assert not [t for t in open_ones(digest) if "usr" in t]


def test_what_is_answered_after_a_complaint_is_closed() -> None:
    """The reply to a complaint answers what it reopened, so nothing waits for thirty messages."""
    digest = gleaned(
        ("user", REDIRECT),
        ("agent", REDIRECTED),
        ("user", "It still does not work, I get the same error."),
        ("agent", "The cookie was set too late. I moved it up, and the redirect works now."),
        ("user", "What does mod_1.py do?"),
    )
    assert open_ones(digest) == ["What does mod_1.py do?"]


def test_what_was_reopened_at_the_end_of_a_range_is_closed_by_the_answer_in_the_next() -> None:
    first = gleaned(
        *[("user", f"The garden of house {n} is green.") for n in range(4)],
        ("user", REDIRECT),
        ("agent", REDIRECTED),
        ("user", "It still does not work, I get the same error."),
    )
    assert REDIRECT in open_ones(first)
    point = next(p for p in first.points if p.text == REDIRECT)
    assert point.sources == ((5).to_bytes(16, "big"), (7).to_bytes(16, "big"))
    assert point.at_ms == 7_000
    after = gleaned(
        ("agent", "The cookie was set too late. It is set first now."),
        ("user", "What does mod_1.py do?"),
        before=first,
    )
    assert open_ones(after) == ["What does mod_1.py do?"]


def test_what_was_done_stays_closed_over_many_distillations() -> None:
    digest = gleaned(
        ("user", DELETE),
        ("agent", DELETED),
        ("user", "The login page is broken, its button does not work. Please fix it."),
        ("agent", "I moved the banner up in login.css, and the button works now."),
    )
    for n in range(5):
        assert open_ones(digest) == []
        digest = gleaned(
            ("user", f"Show me the size of util_{n}.py."),
            ("agent", f"util_{n}.py has {n + 40} lines."),
            before=digest,
        )


def test_one_command_after_the_other_asks_for_nothing() -> None:
    assert open_ones(gleaned(("user", "/clear\n\n/drop aider/repo.py"))) == []
    asked = open_ones(gleaned(("user", "/clear\n\n/ask how do the tests of the parser run?")))
    assert asked == ["how do the tests of the parser run?"]
