"""What people say in passing: rules without a verb, thoughts on lines of their own, letters they quote,
what they take back with a word, and what an agent puts off, asks itself or has decided."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.open_items.agent_replies import reply_to
from everthread.domain.gleaning.rule_parts import each_rule
from everthread.domain.gleaning.tone import language
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.gleaning.withdrawals import lifts
from everthread.domain.text.acts.bans import LONGEST
from everthread.domain.text.acts.speech import parse_sentence, prefers, rules
from support.processor import seconds_of
from support.spoken import called, resulted, spoken

pytestmark = pytest.mark.req("A-13", "A-21", "R-15")


def gleaned(*messages: Message | tuple[str, str]) -> Digest:
    gleaner = Gleaner()
    for n, each in enumerate(messages, start=1):
        said = each if isinstance(each, Message) else spoken(each[1], each[0], n=n)  # pyright: ignore[reportArgumentType]
        gleaner.read(said)
    return gleaner.digest()


def told(digest: Digest, *kinds: str) -> list[str]:
    return [point.text for point in digest.points if point.kind in kinds]


@pytest.mark.parametrize(
    "text",
    [
        "no footnotes pls, I read this on a watch.",
        "And not more than three options ever, I can't choose.",
        "oh and no peanuts in this house",
        "careful, no customer names in tests.",
        "No mocks and no timeouts in migrations, ever.",
        "btw no slang in reports.",
        "Nothing leaves the desk on Mondays.",
        "since we are audited: nothing gets merged without a review",
        "nothing personal goes into the shared folder.",
        "Oat milk only from today, the doctor said.",
        "that's the layout for letters from now on please",
        "you can merge small fixes yourself from now on",
        "You may order stamps without asking me.",
        "Must be fragrance free everywhere, he gets a rash.",
        "rule: when I paste a receipt you file it.",
        "new rule: the shortest answer wins.",
        "(always give me the gross weight, I was cheated once)",
        "Wait: pls don't rename the columns (schema/old), and don't drop any table.",
        "ask the right person next time.",
        "Put the invoice number in the subject next time, please.",
        "My aunt reads that board so anything you post there can't name the party.",
        "We got fined twice, so always check the meter first.",
        "No puns in headings, please.",
        "no capital letters in file names",
        "No trailing whitespace in commits",
        "careful, no real phone numbers in the docs",
        "Note: no names of patients in reports.",
        "no sarcasm in replies",
        "No swearing in e-mails ever.",
        "no links in the drafts",
        "No secrets in the logs, period.",
        "No adjectives, please write plainly.",
        "no milk in my tea, please use oat drink instead",
        "No meat, no fish, please.",
        "No calls before nine, please.",
        "no stock phrases in replies",
        "max two sentences please",
        "btw no smoking in our flat",
        "No meetings on Fridays – ever",
        "no bells and whistles please",
        "No client names in commit messages, please mend the last one.",
        "no debug output in commits",
    ],
)
def test_what_holds_without_a_verb_is_a_rule(text: str) -> None:
    assert rules(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "no errors in the logs.",
        "No water in this house since Tuesday.",
        "no signal till Friday.",
        "No comments so far in the docs.",
        "no idea, please help.",
        "no problem at all.",
        "no kids in our house.",
        "No hits in tests were seen.",
        "Nothing gets written to the table.",
        "nothing goes through the pipe.",
        "No reply ever came.",
        "it's only open from today.",
        "You can see them from now on in the menu.",
        "See you next time.",
        "Let's talk about it next time.",
        "He lost his keys so never came.",
        "I was late so don't know the ending.",
        "It must be somewhere in the attic.",
        "Trips like these are great - always full of surprises.",
        "The CSS rule: it hides the box.",
        # An order follows from what is missing.
        "No wifi on the train, please text me.",
        "No delivery for Mrs Ott, please check.",
        "no electricity here, please wait",
        "No keys on the hook so please look in the car",
        "no tests for the parser, please add some",
        "No bread please get some",
        "also no chairs in our office, please bring one",
        "Not more than three people came, please check.",
        # It is said of what is there.
        "no coverage in tests",
        "no growth in reports",
        "No new users in the reports this month",
        "No access to staging in the logs",
        "no typos in the drafts",
        "also no heating in our office",
        "note: no elevator in our house",
        # What never was is told, and some periods are times.
        "No supplier ever answered.",
        "no rain ever since June",
        "At most ten guests ever stayed.",
        "No notice period in the contract.",
        "no trial period",
    ],
)
def test_what_is_missing_or_told_is_no_rule(text: str) -> None:
    assert not rules(parse_sentence(text))


@pytest.mark.parametrize(
    ("head", "unit", "tail"),
    [
        ("Shopping for the party: no a", " and no b", " x"),
        ("", "no salt, ", "in it"),
        ("", "one more thing: ", "and so on"),
        ("No more than two ", "or no ", "words"),
    ],
)
def test_a_short_message_is_read_at_once(head: str, unit: str, tail: str) -> None:
    """It once took hours: each more of these words doubled the ways to read it."""
    said = parse_sentence((head + unit * 60)[: LONGEST - len(tail)] + tail)
    assert seconds_of(lambda: rules(said)) < 0.3


def test_two_rules_in_one_breath_are_two_and_one_of_them_can_go() -> None:
    both = "Please don't open the blue crates, and never call the harbour office."
    assert each_rule(both) == [
        "Please don't open the blue crates",
        "never call the harbour office.",
    ]
    # Half of it is no rule by itself.
    assert each_rule("No salt and never mind the pepper.") == ["No salt and never mind the pepper."]
    digest = gleaned(
        ("user", both),
        ("agent", "Understood."),
        ("user", "You can call the harbour office again from now on."),
        ("agent", "Good."),
    )
    assert told(digest, "rule") == [
        "Please don't open the blue crates",
        "You can call the harbour office again from now on.",
    ]


def test_a_rule_that_points_at_what_follows_is_carried_with_it() -> None:
    digest = gleaned(("user", "That's how I want minutes from now on. Names first, no adjectives."))
    assert told(digest, "rule") == [
        "That's how I want minutes from now on. Names first, no adjectives."
    ]


def test_who_likes_somebody_prefers_nothing() -> None:
    assert not prefers(parse_sentence("I like him but he is slow."))
    assert prefers(parse_sentence("I like strong coffee."))


def test_what_is_kept_as_rules_is_no_fact_besides() -> None:
    asked = ("agent", "How do you want the minutes?")
    only = "No nicknames pls, ever since 2019. And not more than 4 pages ever, Ruth stops at page 4"
    digest = gleaned(("user", "Write the minutes."), asked, ("user", only), ("agent", "Fine."))
    kept = [(fact.kind, fact.text) for fact in memories_of(EMPTY, digest)]
    assert [kind for kind, _ in kept] == ["rule", "rule"]
    more = f"{only}. The next meeting is on 4 May at 18:30 in Harbour Hall, 12 members."
    digest = gleaned(("user", "Write the minutes."), asked, ("user", more), ("agent", "Fine."))
    assert any("Harbour Hall" in fact.text for fact in memories_of(EMPTY, digest))


# ---- taking back


def test_a_fact_that_tells_a_rule_goes_with_it() -> None:
    rule = "No nicknames pls in the minutes, ever since 2019."
    talk = (("user", "Write the minutes."), ("agent", "How do you want them?"), ("user", rule))
    lifted = ("user", "The rule about nicknames in the minutes no longer applies.")
    digest = gleaned(*talk, ("agent", "Fine."), lifted, ("agent", "Good."))
    assert not any("ever since" in text for text in told(digest, "rule", "fact", "words"))


def test_what_takes_back_a_rule_names_it_in_its_own_clause() -> None:
    """What shall hold instead may use a word of another rule, and leaves that alone."""
    back = parse_sentence(
        "Forget what I said about the night shift, send the vans whenever you like."
    )
    assert lifts(back, "Never plan anybody for the night shift.")
    assert not lifts(back, "Never send invoices on paper.")
    gone = parse_sentence("So the cousins can come to the lake house now, that rule's gone.")
    assert lifts(gone, "Nobody tells the cousins about the lake house.")
    assert not lifts(gone, "Never pay in cash.")


def test_one_thing_and_not_the_other_puts_right_only_who_spoke_of_the_other() -> None:
    asked = ("user", "What do the boats cost?")
    price = "The hire of boats, oars and vests is not in my list yet."
    told_more = "Boats and oars are 240 a day in the hire list, not cushions."
    digest = gleaned(asked, ("agent", f"{price} Do you have it?"), ("user", told_more))
    assert price not in told(digest, "correction")
    wrong = "The hire of boats and oars costs 240 a week."
    digest = gleaned(asked, ("agent", wrong), ("user", "Boats and oars are 240 a day, not a week."))
    assert wrong in told(digest, "correction")


@pytest.mark.parametrize(
    ("text", "spoken_in"),
    [
        ("no no no! no salt and no sugar in it", "English"),
        ("no, el coche no es de Marta", "Spanish"),
        ("it is not the one that you want", "English"),
        ("die Katze ist nicht im Haus", "German"),
        ("What do we owe them? My share is big.", "English"),
        ("Wat is het plan, hebben we een trein?", "Dutch"),
    ],
)
def test_a_word_said_again_and_again_tells_no_language(text: str, spoken_in: str) -> None:
    assert language(text) == spoken_in


# ---- lines and letters


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "keep the old pump, it runs\nok now the roof",
            ["keep the old pump, it runs", "ok now the roof"],
        ),
        (
            "the piano goes left\nAlso we need a ramp\nanyway",
            ["the piano goes left", "Also we need a ramp", "anyway"],
        ),
        ("never lend it\nwithout asking me", ["never lend it without asking me"]),
        ("I would like a list of\nall the harbours", ["I would like a list of all the harbours"]),
        (
            "Please go through the whole of the text that I gave you on Monday and\n"
            "mark every place where somebody is called by a name which is not his\n"
            "own.",
            [
                "Please go through the whole of the text that I gave you on Monday and mark every "
                "place where somebody is called by a name which is not his own."
            ],
        ),
    ],
)
def test_a_line_of_its_own_is_a_sentence_unless_it_was_only_broken(
    text: str, parts: Sequence[str]
) -> None:
    assert [each.text for each in take_apart(text, own=True).sentences] == parts


def test_an_agents_lines_go_on_as_they_did() -> None:
    said = take_apart("the piano goes left\nthe sofa goes right")
    assert [each.text for each in said.sentences] == ["the piano goes left the sofa goes right"]


LETTER = (
    "Dear tenant, the boiler is checked on 4 May. Visitors must not park in the yard. "
    "Please send us your meter readings. Kind regards, Hol & Sons"
)


@pytest.mark.parametrize("quoted", [f'"{LETTER}"', f"“{LETTER}”", f"„{LETTER}“"])
def test_a_paragraph_in_quotation_marks_is_somebody_elses(quoted: str) -> None:
    digest = gleaned(
        ("user", f"The agency wrote at last. Look\n\n{quoted}\n\nI have no car anyway")
    )
    assert told(digest, "rule") == []
    assert not any("send us" in text for text in told(digest, "request", "open_item"))
    assert "park" in " ".join(told(gleaned(("user", LETTER)), "rule"))


# ---- what waits, and what does not


@pytest.mark.parametrize(
    ("request_", "reply", "waits"),
    [
        ("Make the chart on the 9th.", "Will do on the 9th: three lines and a legend.", True),
        ("Yes, but after the fair.", "Sure, will do after the fair.", True),
        (
            "Remind me of the vet on Friday.",
            "Vet: 40 euros. I'll remind you on Friday. The dog food is in.",
            True,
        ),
        ("Keep it brief please.", "Will do.", False),
        ("Paint the gate.", "Will do. I painted the gate this morning.", False),
    ],
)
def test_what_is_promised_for_another_time_waits(request_: str, reply: str, waits: bool) -> None:
    assert reply_to(take_apart(reply).sentences, request_).deferred is waits


def at_work(last: str) -> list[str]:
    talk = [
        spoken("Sort the slides by year.", n=1, turn_ref=1),
        called("Bash", n=2, command="ls")._replace(turn_ref=1),
        resulted("a.png", n=2)._replace(turn_ref=1),
        spoken(last, "agent", n=4, turn_ref=1),
        spoken("What is the weather like in Oslo?", n=5, turn_ref=2),
        spoken("Rain, 4 degrees.", "agent", n=6, turn_ref=2),
        spoken("And in Rome?", n=7, turn_ref=3),
        spoken("Sun, 19 degrees.", "agent", n=8, turn_ref=3),
    ]
    return told(gleaned(*talk), "open_item")


def test_what_the_agent_does_next_in_its_work_is_not_put_off() -> None:
    assert at_work("The names clash. I'll put the year in front of each.") == []
    assert at_work("The disk is slow. I'll sort them tomorrow.") == ["Sort the slides by year."]


def test_what_an_agent_asks_after_a_fact_is_not_answered_by_the_next_words() -> None:
    """It was answered at once; what the person tells a day later has nothing to do with it."""
    told_so = "The stand is booked: 9 May, number 14, 310 euros. It replaces the one in the hall."
    digest = gleaned(
        ("user", "Booked the stand at the spring fair."),
        ("agent", f"{told_so} Are the twins with Ruth on that day?"),
        ("user", "yes she has the twins, small mercies. Can you list what goes on the stand?"),
        ("agent", "Jam, honey, candles."),
        ("user", "Marek paid 1,900 euros for the van on 3 May, plate HB 4471."),
        ("agent", "I see."),
    )
    assert told_so in told(digest, "fact")
    paid = [fact.text for fact in memories_of(EMPTY, digest) if "Marek" in fact.text]
    assert paid == ["Marek paid 1,900 euros for the van on 3 May, plate HB 4471."]


def test_what_the_agent_asks_itself_is_no_question_to_the_person() -> None:
    ways = "Ways out:\n1. Rebuild the wheel\n2. Buy another bike\n3. Walk"
    digest = gleaned(
        ("user", "The bike is broken again."),
        ("agent", "Why did the shop not notice?"),
        ("agent", f"Because nobody rode it. {ways}"),
        ("user", "2"),
        ("agent", "Fine."),
    )
    chosen = " ".join(told(digest, "decision"))
    assert "Buy another bike" in chosen
    assert "shop" not in chosen


def test_which_asks_for_one_of_the_ways_before_it() -> None:
    digest = gleaned(
        ("user", "The gate sticks."),
        ("agent", "Either we plane the frame, or I move the hinges up a bit. Which?"),
        ("user", "the latter. planing weakens it"),
        ("agent", "Moving them."),
    )
    ways, answer = told(digest, "decision")
    assert ways.endswith("… I move the hinges up a bit")
    assert ways.startswith("Either we plane the frame")
    assert answer == "the latter. planing weakens it"
    assert told(digest, "open_item") == []


@pytest.mark.parametrize("word", ["Decided", "Agreed", "Settled"])
def test_what_an_agent_heads_as_decided_is_a_decision(word: str) -> None:
    text = f"{word}: oak shelves along the north wall, 2.40 m, for about 310 euros."
    digest = gleaned(("user", "ok oak then, on the north side"), ("agent", text))
    assert text in told(digest, "decision")
