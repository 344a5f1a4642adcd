"""What looks like an end, a delay or a promise, and is none; and what is one and hardly looks like it."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

OTHER = (
    "How high is the tower?",
    "It is 40 metres high.",
    "And the bridge?",
    "It is 12 metres high.",
)
TOMORROW = "I'll do that tomorrow."
REPORT = "Send the report to Tom tomorrow."
CHECKSUM = "Can you add a checksum to the export? Later, after the demo."


def is_open(digest: Digest, text: str) -> bool:
    return any(text in p.text for p in digest.points if p.kind == "open_item")


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Did you send it?", "Yes, I sent it to Anna."),
        ("Did you send it?", "Yes, it was sent last year."),
        ("Did you send it?", "Yes, well, I sent a draft of it."),
        ("Did you send it?", "Yes. No wait, it is still in the outbox."),
        ("Did you send it?", "Yes, I sent it. It bounced, though."),
        ("Did you send it?", "Yes, you asked me to send it tomorrow."),
        ("Did you send it, or shall I?", "Yes."),
        ("Have you decided when to send it?", "Yes, I have."),
        ("Have you tried to send it?", "Yes."),
        ("Are they sending it back?", "Yes."),
        ("Did you say you would send it?", "Yes."),
        ("Did you send the report to Anna?", "Yes."),
    ],
)
def test_only_a_yes_to_that_very_deed_ends_an_order(asked: str, answer: str) -> None:
    assert is_open(read(REPORT, TOMORROW, asked, answer, *OTHER), REPORT)


@pytest.mark.parametrize(
    "answer", ["Yes, sent.", "Yes, this morning.", "I did, at nine.", "Yes, it's been sent."]
)
def test_a_yes_may_be_told_in_few_words(answer: str) -> None:
    assert not is_open(read(REPORT, TOMORROW, "Did you send it?", answer, *OTHER), REPORT)


@pytest.mark.parametrize(
    ("order", "reply"),
    [
        (CHECKSUM, "Noted."),
        ("Add a checksum to the export, but not now.", "OK, it's on my list."),
        ("Make a list of the open tickets. Not now, once I have the numbers.", "Will do."),
        ("Kannst du die Rechnung prüfen? Nicht jetzt, nach dem Essen.", "Gern, mache ich."),
        ("Can you check the logs? Later, when you have time.", "Sure, I'll look at them later."),
    ],
)
def test_what_is_ordered_for_later_waits(order: str, reply: str) -> None:
    assert is_open(read(order, reply, *OTHER), order)


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        (CHECKSUM, "Sure, added it right away: sha256 in the last column."),
        ("Is the shop open? Later, after six.", "Yes, until eight."),
        ("What's for dinner? Later, after the demo.", "Pasta."),
        ("Write a note that says: not today, but later.", "Not today, but later. That is it."),
        ("Can you check the logs? Later, when you have time.", "The logs are clean since Monday."),
        ("Sag mir, wie das Wetter wird. Später, nach dem Essen.", "Es wird sonnig, 22 Grad."),
    ],
)
def test_what_is_answered_at_once_does_not_wait_for_later(asked: str, reply: str) -> None:
    assert not is_open(read(asked, reply, *OTHER), asked)


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("Can you add a column to the import?", "Added."),
        ("Could you explain how an export with a checksum works?", "It hashes the file."),
    ],
)
def test_another_wish_with_like_words_does_not_take_its_place(said: str, reply: str) -> None:
    assert is_open(read(CHECKSUM, "Noted.", said, reply, *OTHER), CHECKSUM)


def test_who_asks_for_it_now_has_it_in_its_place() -> None:
    said = "Can you add the checksum to the export now?"
    digest = read(CHECKSUM, "Noted.", said, "Added: sha256 in the last column.", *OTHER)
    assert not is_open(digest, "checksum")


PACKING = "I'll also put the packing list together."


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("Yes, the piano goes first.", "Noted, piano first."),
        ("Yes, and what about the weather?", "Dry on both days."),
        ("Do you know a good firm?", "Miller & Sons are good."),
        ("Go figure, it rains.", "It does indeed."),
    ],
)
def test_a_promise_of_the_agent_waits_until_she_says_yes_and_no_more(said: str, reply: str) -> None:
    plan = f"Here is the plan for the move: three rooms, two days. {PACKING}"
    assert is_open(read("Plan the move.", plan, said, reply, *OTHER), PACKING)
    listed = read("Plan the move.", plan, "Yes please.", "Boxes, tape, blankets.", *OTHER)
    assert not is_open(listed, PACKING)


@pytest.mark.parametrize(
    "said",
    [
        "Up at six. I'll have my answers ready when you ask.",
        "Up at six. I'll put it this way: two halves together make one.",
    ],
)
def test_who_only_says_how_promises_no_piece_of_work(said: str) -> None:
    assert not is_open(read("Plan the morning.", said, "Fine.", "Good.", *OTHER), "I'll")


INVOICES, TAX = "Pay the three invoices tomorrow.", "File the tax return for the shop tomorrow."


@pytest.mark.parametrize(
    ("order", "said", "over"),
    [
        (INVOICES, "The invoices are lying here, I paid all three.", True),
        (INVOICES, "The invoices for the garden, I paid all of them.", False),
        (INVOICES, "About the invoices, I read all of them.", False),
        (TAX, "The tax thing is done.", True),
        (TAX, "The shop thing is done.", False),
        (TAX, "The income tax thing is done.", False),
        (TAX, "The tomorrow thing is done.", False),
    ],
)
def test_all_of_it_is_all_of_what_was_named(order: str, said: str, over: bool) -> None:
    assert is_open(read(order, TOMORROW, said, "Good.", *OTHER), order) is not over


@pytest.mark.parametrize(
    ("wish", "reply", "waits"),
    [
        ("I want to use you for the shifts of my team.", "I will help with the shifts.", False),
        ("I need your help: make the shift plan for May.", "I'll help with that.", True),
        ("I want you to help me write the plan for May.", "I'll help you write it.", True),
    ],
)
def test_who_is_promised_help_with_a_deed_waits_for_it(wish: str, reply: str, waits: bool) -> None:
    assert is_open(read(wish, reply, *OTHER), wish) is waits


LOAD = "Please write the load test for refunds."


@pytest.mark.parametrize(
    ("said", "reply", "waits"),
    [
        ("Yes please.", "The load test is in tests/load.py.", False),
        ("Thanks!", "You're welcome!", True),
        ("Great.", "Glad you like the plan.", True),
    ],
)
def test_what_is_promised_without_a_day_is_done_after_a_yes(
    said: str, reply: str, waits: bool
) -> None:
    digest = read(LOAD, "I'll write the load test.", said, reply, *OTHER)
    assert is_open(digest, LOAD) is waits


@pytest.mark.parametrize(
    "said",
    [
        "If you were me, would you invite the ex? Just kidding, don't answer that.",
        "How late is it? Oh, never mind.",
        "Write the vows for me. Nah, forget it.",
    ],
)
def test_who_takes_back_what_she_just_said_means_that(said: str) -> None:
    seats = "Can you make a seating plan? Later, once we have the answers."
    digest = read(seats, "I'll make it when the answers are in.", said, "All right.", *OTHER)
    assert is_open(digest, seats)


@pytest.mark.parametrize("said", ["Hmm, wait. Forget it.", "Stop. Cancel that."])
def test_wait_asks_for_nothing_that_could_be_meant(said: str) -> None:
    digest = read("Book the hall for Saturday.", "Which hall?", said, "All right.", *OTHER)
    assert not is_open(digest, "Book the hall")


REMIND = "Erinnere mich am 14. an den Termin mit der Denkmalbehörde."


@pytest.mark.parametrize(
    ("order", "reply", "said"),
    [
        (
            REMIND,
            "Ich erinnere dich am 14. daran.",
            "Vergiss das mit dem Treppenlift, er passt nicht.",
        ),
        (REMIND, "Ich erinnere dich am 14. daran.", "Vergiss die Sache mit der Garage."),
        ("Prüf die Rechnung.", "Das kann ich erst prüfen, wenn du sie schickst.", "Mach ich."),
        ("Prepara los turnos, pero todavía no.", "De acuerdo, los prepararé.", "Gracias."),
        ("Hay que arreglar la persiana, pero eso después del verano.", "Anotado.", "Bien."),
        ("Please prepare a table of the bridges.", "I shall prepare it after Easter.", "Good."),
    ],
)
def test_what_is_for_later_stays_open_in_whatever_words(order: str, reply: str, said: str) -> None:
    """Small words that two sentences share (`mit der`) tell nothing of what is meant."""
    assert is_open(read(order, reply, said, "Gut.", *OTHER), order)


def test_who_takes_it_back_by_its_name_ends_it() -> None:
    said = "Vergiss den Termin mit der Denkmalbehörde, der fällt aus."
    assert not is_open(
        read(REMIND, "Ich erinnere dich am 14. daran.", said, "Gut.", *OTHER), REMIND
    )


VAT = "The PDF invoices show the wrong VAT for Norway."


@pytest.mark.parametrize(
    ("order", "reply", "said", "waits"),
    [
        (VAT, "I tried, but 14 tests fail. I reverted it.", "Leave it for now.", True),
        (
            "Fix the login.",
            "Fixed: the check failed before.",
            "Let's leave the rest for later.",
            False,
        ),
        ("What's the capital of Peru?", "Lima.", "Let's leave it for now.", False),
    ],
)
def test_what_failed_and_is_left_for_now_is_still_to_be_done(
    order: str, reply: str, said: str, waits: bool
) -> None:
    assert is_open(read(order, reply, said, "OK.", *OTHER), order) is waits


@pytest.mark.parametrize(
    ("said", "waits"),
    [
        ("Then list the coordinates of the bridges.", False),
        ("Can you book a table at the bridge café?", True),
    ],
)
def test_what_is_taken_instead_ends_what_cannot_be_done(said: str, waits: bool) -> None:
    order = "Can you draw a map of the Loire with the bridges?"
    reply = "I cannot draw maps. I could list the coordinates of the bridges instead."
    assert is_open(read(order, reply, said, "Here: 1, 2, 3.", *OTHER), order) is waits


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("got the prescription btw", True),
        ("got the prescription for dad btw", False),
        ("did I get the prescription?", False),
    ],
)
def test_an_errand_is_known_though_nobody_is_named_who_does_it(said: str, over: bool) -> None:
    errand = "Need to get the new prescription before the 12th"
    digest = read("How late is it?", "Nine.", errand, "Noted.", said, "Good.", *OTHER)
    assert is_open(digest, errand) is not over


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("Legal says IBANs are fine if they're encrypted at rest.", True),
        ("If legal says no to IBANs, we drop them.", False),
        ("Let's see if legal says something about IBANs.", False),
    ],
)
def test_an_answer_under_a_condition_is_one(said: str, over: bool) -> None:
    errand = "I have to ask legal tomorrow whether we may store IBANs."
    digest = read("How late is it?", "Nine.", errand, "Noted.", said, "Good.", *OTHER)
    assert is_open(digest, errand) is not over


@pytest.mark.parametrize(
    ("talk", "text"),
    [
        (("Good morning.", "Good morning!"), "Good morning."),
        (("one day i want to try shampoo bars", "A natural next step."), "natural"),
        (("Who invented name tags? I'd like a word with him.", "Nobody confessed so far."), "tags"),
        (("Hi.", "Hi!", "If she asks for biscuits tell her to have an apple", "Ok."), "biscuits"),
    ],
)
def test_small_talk_leaves_nothing_open(talk: tuple[str, ...], text: str) -> None:
    assert not is_open(read(*talk), text)
    assert not is_open(read(*talk, *OTHER), text)


def test_what_must_go_but_not_today_is_open_and_no_rule() -> None:
    said = "The flaky test annoys me. Not today, but it must go."
    digest = read("How late is it?", "Nine.", said, "On my list.", *OTHER)
    assert is_open(digest, "it must go")
    assert [p.text for p in digest.points if p.kind == "rule"] == []


@pytest.mark.parametrize(
    "said", ["vat return done. never again", "dont remind me", "don't answer :D"]
)
def test_a_sigh_is_no_rule(said: str) -> None:
    digest = read("How late is it?", "Nine.", said, "Fine.", *OTHER)
    assert [p.text for p in digest.points if p.kind == "rule"] == []


@pytest.mark.parametrize(
    "said",
    [
        "Never again push to main without asking.",
        "Don't answer in French.",
        "Don't remind me of deadlines on weekends.",
    ],
)
def test_what_begins_like_a_sigh_may_be_a_rule(said: str) -> None:
    digest = read("How late is it?", "Nine.", said, "Understood.", *OTHER)
    assert [p.text for p in digest.points if p.kind == "rule"] == [said]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Can you make a seating plan? Later, once we have the answers.", "Later"),
        ("Make me a list for the market. No rush, end of may is fine", "rush"),
        ("Would you invite the ex? Just kidding, don't answer that.", "kidding"),
        ("Write the vows for me. Nah, that'd be cheating, forget it.", "cheating"),
        ("whats spf", "spf"),
    ],
)
def test_a_joke_a_delay_and_a_question_decide_nothing(said: str, text: str) -> None:
    before = ("Set up the mails.", "Set up; your domain has no SPF record for the answers.")
    digest = read(*before, said, "Noted.", *OTHER)
    assert [p.text for p in digest.points if p.kind == "decision" and text in p.text] == []


@pytest.mark.parametrize("said", ["I'd clear it. Well, not me.", "That's his problem, not ours."])
def test_who_it_does_not_concern_puts_nothing_right(said: str) -> None:
    digest = read("How late is it?", "Nine.", said, "Fine.", *OTHER)
    assert [p.text for p in digest.points if p.kind == "correction"] == []


@pytest.mark.parametrize(
    ("reply", "waits"),
    [
        ('Here\'s the draft: "4 July. Be slow with us." Shall I post it?', False),
        ('Here\'s the old draft: "3 May." Shall I change it?', True),
        ("Which gig do you mean?", True),
    ],
)
def test_words_that_are_given_are_written_whatever_is_asked_besides(
    reply: str, waits: bool
) -> None:
    order = "write a post for the gig"
    said = ("hold on, Mia has to ok it", "Sure, I'll wait.")
    digest = read("How late is it?", "Nine.", order, reply, *said, *OTHER)
    assert is_open(digest, order) is waits


@pytest.mark.parametrize(
    ("said", "chosen"),
    [
        ("Nous avons choisi le déménageur Vial, parce qu'il assure les maquettes.", True),
        ("Nous n'avons pas encore choisi le déménageur, Vial ou Petit.", False),
        ("Hemos elegido el vino de Barbadillo.", True),
        ("Todavía no hemos elegido el vino, Barbadillo o Rueda.", False),
    ],
)
def test_what_was_chosen_is_known_in_french_and_spanish(said: str, chosen: bool) -> None:
    digest = read("How late is it?", "Nine.", said, "Bien.", *OTHER)
    assert (said in [p.text for p in digest.points if p.kind == "decision"]) is chosen


def test_what_is_not_urgent_puts_nothing_right() -> None:
    digest = read("How late is it?", "Nine.", "we need a photographer, not urgent", "Ok.", *OTHER)
    assert [p.text for p in digest.points if p.kind == "correction"] == []
    assert is_open(digest, "photographer")
