"""What a person says of the agent's deeds: taken back, wrong, or hers to do."""

from __future__ import annotations

import pytest

from everthread.domain.text import verdicts
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.verdicts import denies, does_herself, reproaches, reverted_deed

pytestmark = pytest.mark.req("A-13", "A-21")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("I've reverted that change because it made the page slower.", ""),
        ("Ok. I reverted.", ""),
        ("I have discarded your edits.", ""),
        ("We rolled it back last night.", ""),
        ("I had to roll back the cache warmer.", "cache warmer"),
        ("Please undo that.", ""),
        ("Revert", ""),
        ("Revert the last two commits.", ""),
        ("Can you revert your changes to billing.py?", "billing.py"),
        ("On second thought, put it back and make it blue.", ""),
        ("No, take that out again.", ""),
        ("I took your retry loop back out.", ""),
        ("Go back to how it was.", ""),
        ("can you revert the unnecessary functions you removed", "unnecessary functions"),
        ("Please put back the old tests you deleted.", "old tests"),
        ("i discarded a bunch of your changes", ""),
        ("I threw away most of what you wrote.", "wrote"),
        ("Bring back the old sidebar.", "sidebar"),
        ("When I tried it, everything froze, so I undid it.", ""),
        ("Ich habe das wieder rückgängig gemacht.", ""),
        ("Mach das bitte rückgängig.", ""),
        ("He revertido tus cambios.", ""),
        ("J'ai annulé tes changements.", ""),
    ],
)
def test_what_was_taken_back_is_named_or_it_is_all(text, named):
    assert reverted_deed(parse_sentence(text)) == named
    assert verdicts.corrects(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "Add an undo button to the toolbar.",
        "Undo does not work in the second tab.",
        "I hit undo and the word comes back.",
        "The price reverts to the old one at midnight.",
        "How do I revert a commit?",
        "Should I revert that?",
        "Did you revert that?",
        "Don't revert that.",
        "If the save fails, revert the change.",
        "When the user presses escape, undo the edit.",
        "It reverted to the old theme by itself.",
        "Roll out the release on Monday.",
        "Restore the backup of Monday.",
        "Put back the books you borrowed.",
        "I scrapped most of the old tests, yours is nice.",
        "I discarded a bunch of old letters.",
        "Discard stale entries after an hour.",
        "The background is too dark and the button is out of place.",
        "We rolled out the back office.",
        'The label should read "revert that".',
    ],
)
def test_what_only_speaks_of_undoing_takes_nothing_back(text):
    assert reverted_deed(parse_sentence(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "You got the folder names wrong.",
        "You forgot the tests.",
        "You still haven't updated the README.",
        "You were told to keep the headings.",
        "You keep adding comments.",
        "We're going in circles.",
        "Why are you back to yarn?",
        "Why do you keep deleting my notes?",
        "I told you not to touch main.",
        "That's not what I asked for.",
        "That doesn't look right.",
        "I don't like that.",
        "This is way too complicated.",
        "I don't think you understood the question.",
        "Du hast die Tests vergessen.",
        "Tu as oublié les tests.",
    ],
)
def test_unhappiness_with_the_agent_is_a_correction(text):
    assert reproaches(parse_sentence(text))
    assert verdicts.corrects(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "It still fails on Windows.",
        "Did you forget the tests?",
        "Tell me if you missed anything.",
        "What do you think is wrong?",
        "You got it working, great.",
        "Why did you choose SQLite?",
        "Show a message when you get the password wrong.",
        "You can ignore the missing file.",
        "Have you read it?",
        "I like that.",
    ],
)
def test_a_fault_a_question_and_praise_are_no_reproach(text):
    assert not reproaches(parse_sentence(text))


@pytest.mark.parametrize(
    ("text", "is_not"),
    [
        ("That's not the problem.", True),
        ("This isn't the real cause.", True),
        ("The bug is somewhere else.", True),
        ("Das ist nicht der Fehler.", True),
        ("That is the issue.", False),
        ("That's not a problem.", False),
        ("Is this not the issue?", False),
    ],
)
def test_a_cause_that_is_none_is_denied(text, is_not):
    assert denies(parse_sentence(text)) is is_not


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("I'll run the server myself.", True),
        ("Ok, I'll deploy it.", True),
        ("I'll start the dev server, just tell me when.", True),
        ("I will test the build, you write the docs.", True),
        ("I'd rather commit by hand.", True),
        ("I'll test manually.", True),
        ("Ich starte den Server selbst.", True),
        ("Add a button so I can test it manually.", False),
        ("I'll test it tomorrow.", False),
        ("I made that cake myself.", False),
        ("I'll be there myself.", False),
        ("I'll push myself harder.", False),
        ("I'll run a marathon in May.", False),
        ("I'll start a new job on Monday.", False),
        ("I'll run it by my boss.", False),
        ("Will you run it yourself?", False),
        ("Let the user sync manually.", False),
    ],
)
def test_what_she_keeps_to_herself_is_a_preference(text, own):
    assert does_herself(parse_sentence(text)) is own
    assert verdicts.prefers(parse_sentence(text)) is own
