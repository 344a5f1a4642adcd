"""What is laid down for a kind of things is a rule, though no `always` stands in it."""

from __future__ import annotations

import pytest

from everthread.domain.text.acts.speech import parse_sentence, rules
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

RULES = [
    "No meetings on Fridays.",
    "No calls before nine.",
    "Use metric units only.",
    "Only suggest pieces in the public domain.",
    "Please only suggest vegan recipes.",
    "I don't want any jargon in your answers.",
    "Stick to British spelling.",
    "Be sure to cite the source every time.",
    "I'd like you to always start with a summary.",
    "No migrations on Friday afternoons.",
    "No calls at night.",
    "No calls after 8 pm.",
    "Keep politics out of letters.",
    "Leave client names out of logs.",
    "I want prices in euros.",
    "I'd like answers without jargon.",
    "Use tabs when you edit files.",
    "No hotels without a lift.",
    "No merges without review.",
    "No films over two hours.",
    "No adverbs in dialogue tags.",
    "No pushes to shared branches.",
    "No nuts in anything you suggest, my daughter is allergic.",
    "For future dinners, no mushrooms.",
    "Lunch is sacred, so no appointments between twelve and one.",
    "Only raise our own exceptions from the service layer.",
    "Only deploy green builds.",
    "Prices in euros only.",
    "Window seats only.",
    "Stick to three findings per review.",
    "Stick to metric when you describe parts.",
    "I like small places, so keep to guesthouses when you look for rooms.",
    "Keep paragraphs short.",
    "Keep set lists under forty minutes.",
    "Keep my Mondays clear of travel.",
    "Make sure backups run before upgrades.",
    "Make sure you suggest plants that bees like.",
    "When you write to the council, stay formal.",
    "Ask me about my blood pressure on Mondays.",
    "I don't want long preambles in what you send me.",
    "I want the lyrics with a translation beside them, every time.",
    "I'd rather you asked questions than gave hints, in every lesson.",
    "Any dose you mention must come with its source.",
    "Give distances in kilometres.",
    "Sign letters with my full name.",
    "Cc me on venue mails.",
    "Please avoid semicolons, my editor hates them.",
]
NONE = [
    # one thing, or one time
    "No sugar in this one.",
    "Use the metric file for now.",
    "Stick to the plan for tonight.",
    "Stick to plan B.",
    "Stick to the cheaper one.",
    "Stick to Maria's version.",
    "Stick to water.",
    "Stick to room 12.",
    "Only book the small room, there are just four of us.",
    "Only book Berlin hotels next week.",
    "Only call James.",
    "Only buy apples.",
    "Only fix typos.",
    "Only list names.",
    "Only deploy the hotfix.",
    "Only invite Sam and Ruth to this.",
    "Only the first verse on Sunday, please.",
    "Keep this answer under two hundred words, it goes on a card.",
    "Keep Friday afternoon free for the removal men.",
    "Keep costs under 500 for the party.",
    "Keep things short, I have a train to catch.",
    "Make sure the backup ran before you start the upgrade.",
    "Make sure to send invitations.",
    "Make sure to add tests for edge cases.",
    "Make sure everything is fine before guests arrive.",
    "I'd like you to start with the second question.",
    "Tell me when you book flights.",
    "Fix the test that fails every time.",
    "Make it work every time.",
    "Sign requests with HMAC.",
    "Address issues with the parser.",
    "Write values as strings.",
    "Write numbers in the second column.",
    "Avoid highways.",
    # how things stand
    "Only three left.",
    "No trains on Sundays.",
    "No deliveries on Sundays.",
    "No support on weekends.",
    "No work on Mondays!",
    "No meetings today, for once.",
    "No calls from the agency so far.",
    "No commits since Monday.",
    "No errors in logs.",
    "No results without effort.",
    "No roses without thorns.",
    "No eggs in shops.",
    "No type hints in that module at all.",
    "No flats under a thousand euros.",
    "No calls after two weeks.",
    "No meetings in 2026.",
    "No calls in the night.",
    "I want labels in red.",
    "I want answers in a table.",
    "Leave Tom out of the list.",
    "No updates before Monday.",
    "Only order numbers are shown.",
    "Only push notifications work.",
    "Only window seats are left.",
    "Ok then random intercepts only, and we say so.",
    "End users with accounts can log in.",
    "Test runs fail on Mondays.",
    # what others say, do or forbid
    "No dogs allowed there, sadly.",
    "No parking on weekdays.",
    "Badge holders only, it says on the lift.",
    "Petra has no meetings on Fridays.",
    "The teacher said no calls before nine.",
    "She only suggests vegan recipes.",
    "They stick to British spelling.",
    "The pipeline only deploys green builds.",
    "He forgets it, every time.",
    # what somebody likes, asks or looks for
    "I love it when you write poems, keep going.",
    "I like the ending every time.",
    "I need a nap every time.",
    "I want to cry every time.",
    "I don't want any sugar in my tea.",
    "I don't want kids in restaurants.",
    "I don't want any bullet points in this one.",
    "Find a café that opens on Sundays.",
    "Check if they work on Fridays.",
    "No homework over the holidays, is that normal?",
    "Be careful when you cook.",
    "Have fun on weekends.",
]


@pytest.mark.parametrize("text", RULES)
def test_what_is_laid_down_for_a_kind_is_a_rule(text: str) -> None:
    assert rules(parse_sentence(text))


@pytest.mark.parametrize("text", NONE)
def test_what_is_meant_of_one_or_only_told_is_none(text: str) -> None:
    assert not rules(parse_sentence(text))


def test_such_a_rule_is_carried_from_within_a_message() -> None:
    said = "The altos were lovely on Sunday. Please only suggest pieces in the public domain."
    digest = read("Good morning.", "Hello.", said, "Understood.")
    ruled = [point.text for point in digest.points if point.kind == "rule"]
    assert ruled == ["Please only suggest pieces in the public domain."]


@pytest.mark.parametrize(
    "said",
    [
        "Write me a poem for Anna's birthday. Stick to simple words.",
        "Could you draft a letter to the landlord? Keep sentences short.",
        "Plan a weekend in Ghent for us. Only suggest hotels with parking.",
        "Summarise the report. It is long. Give amounts in euros.",
    ],
)
def test_how_one_piece_shall_be_is_no_rule(said: str) -> None:
    points = read("Good morning.", "Hello.", said, "Here it is.").points
    assert not [point.text for point in points if point.kind == "rule"]


@pytest.mark.parametrize(
    "said",
    [
        "The poem is lovely. Stick to simple words.",
        "Write me a poem. From now on, stick to simple words.",
        "Book the table. No calls before nine.",
    ],
)
def test_what_is_not_said_of_the_piece_stays_a_rule(said: str) -> None:
    points = read("Good morning.", "Hello.", said, "Here it is.").points
    assert [point.text for point in points if point.kind == "rule"]
