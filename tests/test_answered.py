"""Does the agent's message answer a request? What it explains, quotes or offers refuses nothing."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.open_items.agent_replies import ordered_verb, reply_to
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.acts import speech
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13")

HOOKS = "Do I need to run the formatter manually before each commit?"
IMAGES = "Can you help me debug this and figure out why some images are not loading?"
SECURE = "I'd like a pragmatic approach to the security of my app."
FORM = "How do I add a hidden CSRF token to my contact form?"
CHANGE = "Make that change."
BOOK = "Please book the flight LH 123 for Dana."
STEPS = "First check the paths. Then check the server. Last check the cache of the browser. "


def state(request: str, reply: str) -> str:
    said = take_apart(reply)
    answered, deferred, *_ = reply_to(said.sentences, request, shown=said.shows)
    return "answered" if answered else "deferred" if deferred else "neither"


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        (HOOKS, "No, the hook formats it. If a hook fails, the commit will be blocked until you fix it."),
        (HOOKS, "No. The hooks run by themselves. A commit will be blocked where one fails."),
        (IMAGES, f"{STEPS}If the images still fail to load, please provide more details."),
        (IMAGES, f"{STEPS}If you get stuck, please share the logs."),
        (IMAGES, f"{STEPS}Should you need more, please paste the page."),
        (SECURE, "Use two factors for the security of the app. It works even when features are unavailable."),
        (SECURE, "The app needs two factors. Who is declined sees a page for users who are not allowed."),
        (FORM, 'The error "Form submission blocked due to missing token" needs a hidden token in the form.'),
        (FORM, "Add the token to the form. “Request blocked” is gone then."),
        (FORM, "`blocked` is the state of a form without a token, and a hidden field sets it."),
        ("Sort my tasks.", "I sorted them: must, should, and tasks that can be deferred."),
        ("Sort my tasks.", "Here they are, sorted. The backlog has the tasks that are not yet ready."),
        (
            "Which files do I edit to change the default colours?",
            "To change the default colours edit io.py. Without its contents I can't give the lines.",
        ),
        (
            "Hmm, this second path is a smell. Why are there two paths at all?",
            "There are two paths, for the second was copied. Which way do you want to take it?",
        ),
        (CHANGE, "Here are the changes:\n\n```python\nx = 1\n```"),
        (CHANGE, "This is the new function:\n\n```python\nx = 1\n```\n"),
        (
            "Can I detect a paste in the prompt?",
            "The prompt gets an event for a paste. To implement this, you would need to update io.py.",
        ),
        (SECURE, "Use two factors. Let me know if you need any help."),
        (SECURE, "Use two factors for it. Looking forward to your results!"),
        ("Plan my week.", "Monday is for tests, Tuesday for docs. Let me know if you have questions."),
        ("Can you help me explain the outage?", "The outage came from a full disk, which is not allowed."),
        ("Which boat?", "I'd take the oak boat."),
        ("What is the limit?", "It stops at 40 boats. I'd propose a limit of 20."),
        ("LOG-4 is wrong, it is Finn's boat. Please fix that.", "LOG-4 now reads: Finn failed twice."),
        ("Schick mir die Liste.", "Ich habe dir die Liste geschickt."),
        ("¿Cuándo sale el barco?", "El barco sale el lunes."),
        ("Wann fährt das Boot?", "Dafür brauche ich zehn Minuten, das Boot zwanzig."),
        (BOOK, "I booked it. If the mail does not arrive, please provide another address."),
    ],
)  # fmt: skip
def test_what_explains_quotes_or_offers_is_an_answer(request_: str, reply: str) -> None:
    assert state(request_, reply) == "answered"


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        (BOOK, "I can't book it before you log in."),
        (BOOK, "If you want me to book it, please provide the card number."),
        (BOOK, "Sure. Once you confirm the date, I will book it."),
        (BOOK, "The booking site is down."),
        (BOOK, "Not yet, the prices are not out."),
        (BOOK, "I'm blocked: the account has no card."),
        (BOOK, "Deferred until the prices are out."),
        (BOOK, "That did not work, the card was declined."),
        (BOOK, "Let me know which seat Dana wants."),
        (BOOK, "There are two flights that day. Let me know which one you prefer."),
        (BOOK, "There are two of them. Should I take the early one?"),
        (BOOK, "I'll book it tomorrow. Let me know if you need anything else."),
        (BOOK, "The site says that bookings are not possible today. Booking is not possible."),
        (CHANGE, "Here is what I will do:"),
        (CHANGE, "Let me look at the file first."),
        (CHANGE, "I'll make these edits:\n\n```python\nx = 1\n```"),
        ("What does the parser do?", "I cannot see the parser. Please add it to the chat."),
        ("What does parser.py do?", "Sure, happy to help. Could you share parser.py?"),
        ("Is the site up?", "I don't have access to the site."),
        ("Which port is it?", "I need more details of the server. Which one do you mean?"),
        (
            "Could you help me with converting the time zones for the guests?",
            "Sure, I can help with the time zones. Could you please provide the places of the guests?",
        ),
        ("Buche bitte den Flug.", "Das geht leider nicht."),
        ("Miete bitte das Boot für Finn.", "Dafür brauche ich seine Adresse."),
        ("Hire the boat for Finn.", "I need his address first."),
        ("Erinnere mich an das Boot.", "Ich erinnere dich am Montag daran."),
        ("Schick mir die Liste.", "Die Liste? Ich schicke sie dir morgen."),
        ("Recuérdame llamar a Finn.", "Te lo recuerdo el lunes."),
        ("Manda la lista a Finn.", "Se la enviaré."),
        ("Envoie la liste à Finn.", "Je l'enverrai demain."),
        ("提醒我给芬恩打电话。", "我周一提醒你。"),
        ("Rename the boat.", "I'd like to see the papers."),
        ("Reserva el vuelo, por favor.", "Lo siento, no es posible."),
    ],
)  # fmt: skip
def test_who_refuses_asks_back_or_promises_has_not_answered(request_: str, reply: str) -> None:
    assert state(request_, reply) != "answered"


@pytest.mark.parametrize(
    "text",
    [
        "If a hook fails, please provide the log.",
        "If you get stuck, please share the page.",
        "Should you need more, please paste the page.",
        "Tasks that are not yet ready stay in the backlog.",
        "Nice-to-have tasks can be deferred.",
        "The commit will be blocked.",
        "Users who are not yet known see a form.",
        'The error "request blocked" goes away then.',
        "“Not yet” is the default state.",
        "`blocked` is one of three states.",
        "It writes to the cache whenever the form is not yet sent.",
    ],
)
def test_of_a_kind_in_case_or_in_quotes_nothing_is_refused(text: str) -> None:
    assert not speech.defers_work(speech.parse_sentence(text), aside=True)


@pytest.mark.parametrize(
    "text",
    [
        "The page works even when features are unavailable.",
        "A `None` value, which is not allowed, comes from the query.",
        "People who are declined see a page.",
        "It shows “the site is down” then.",
        "If the server is down, the client waits.",
        "Whenever the card is declined, a mail is sent.",
        "It retries when the host is unreachable.",
        "For hosts which are offline it waits.",
        "Falls der Dienst fehlt, ist es nicht möglich.",
    ],
)
def test_what_may_stand_in_the_way_has_not_done_so(text: str) -> None:
    assert not speech.tells_hindrance(speech.parse_sentence(text), aside=True)


@pytest.mark.parametrize(
    ("request_", "verb"),
    [
        (BOOK, "book"),
        ("Could you help me write the tests?", "write"),
        ("Could you help me with the tests?", "help"),
        ("Can you help me debug this?", ""),
        ("The error is on the second line.", ""),
        ("Hmmm, drop the table.", "drop"),
        ("Why does it fail?", ""),
        ("LOG-4 is wrong. Please fix that.", "fix"),
        ("LOG-4 is wrong.", ""),
        ("Please sort the boats. LOG-4 is wrong.", "sort"),
        ("Miete bitte das Boot.", "miete"),
    ],
)
def test_the_verb_of_an_order_is_a_verb(request_: str, verb: str) -> None:
    assert ordered_verb(request_) == verb


CONSENTED = [
    ("Write the migration for the orders table.", "Sure!"),
    ("Please fix the failing login test.", "On it."),
    ("Deploy the api to staging.", "I am waiting for access to the cluster."),
    ("Rename the config module to settings.", "Okay, will do."),
    ("Can you translate the landing page to French?", "Of course!"),
    ("Refactor the parser so it handles comments.", "Got it, starting now."),
    ("Update the changelog for 2.3.", "Half of it is done; the rest is still missing."),
    (
        "Migrate the database to Postgres 16.",
        "The backup is still running, so the migration has not started yet.",
    ),
    ("Add rate limiting to the upload endpoint.", "Good idea."),
    ("Send the invoice to Karla.", "I don't have her address yet."),
    ("Build the docker image and push it.", "The build is running; it will take a while."),
    ("Delete the old branches.", "Understood."),
    ("Draft an announcement for the outage.", "Great, that makes sense."),
    ("Add dark mode.", "Alles klar!"),
    ("Schreib bitte die Tests für den Parser.", "Klar, mache ich."),
    ("Write the release notes.", "I'll get to it."),
    ("Fix the typo in the header.", "Absolutely, happy to help!"),
    ("Implement CSV export.", "That will need a decision on the delimiter first."),
    ("Install the new certificates.", "Permission denied on /etc/ssl, so nothing was changed."),
    ("Upload the report.", "The upload failed with a 403."),
    ("Check in the fix.", "I couldn't commit because of a merge conflict."),
    ("Create a ticket for the flaky test.", "I still have to do that."),
    ("Add an index on orders.customer_id.", "Let me know when I can start."),
    ("Set up CI for the repo.", "Pending your approval of the plan."),
    # verbs of behaviour that are done to something, what is looked into, and the ordered verb itself
    ("Move the config file to etc.", "Okay."),
    ("Call the plumber.", "Will do."),
    ("Leave the keys at reception.", "Will do."),
    ("Reply to Karla's mail.", "Will do."),
    ("Help Tim with his homework.", "Of course."),
    ("Run the tests.", "On it."),
    ("List all open bugs.", "Right away."),
    ("Can you refactor this class?", "Yes, will do."),
    ("Book the hotel.", "Nothing is booked so far."),
    ("Build the image.", "The image is being built."),
    ("Patch the server.", "It is being patched."),
    ("Write the quarterly report.", "It's not done yet."),
]
CARRIED_OUT = [
    (
        "Bump it to 3.2.0 but don't publish.",
        "3.2.0 is in pyproject.toml. Nothing has been published.",
    ),
    ("Book the 9:15 to Leeds.", "You're on the 9:15. Its confirmation hasn't shown up yet."),
    ("Put eggs on the shopping list.", "Eggs are on it, right under the not-yet-bought flour."),
    ("Suggest a title.", "Half done: what is still missing in the water network."),
    ("Write the migration for the orders table.", "Done."),
    ("Please fix the failing login test.", "It passes now."),
    ("Stop using semicolons here.", "Sure!"),
    ("Ignore that last message.", "Okay."),
    ("Tell me when lunch is.", "At noon."),
    ("Name three rivers.", "Rhine, Danube, Elbe."),
    ("Give me a word for happy.", "Cheerful."),
    ("Wait a second.", "Sure."),
    ("Let's move on.", "Sure!"),
    ("Call me Sam.", "Got it, Sam."),
    ("Rename the config module to settings.", "Renamed, and all imports follow."),
    ("Check whether the tests pass.", "They pass."),
    ("Delete the old branches.", "All 14 are gone."),
    ("Explain monads.", "A monad is a way to chain computations."),
    ("Write a haiku.", "Old pond, a frog jumps in, the sound of water."),
    ("Use pnpm instead of npm.", "Understood."),
    ("Forget what I said about Redis.", "Okay, forgotten."),
    ("Update the changelog for 2.3.", "The changelog has the 2.3 section now."),
    ("Add dark mode.", "Dark mode is in; the toggle sits in the header."),
    ("Upload the report.", "The report is uploaded."),
    ("Fix the typo in the header.", "Fixed!"),
    ("Go ahead.", "Okay!"),
    ("Keep it short.", "Will do."),
    ("Remember that I live in Bonn.", "Noted."),
    ("Note that the port is 8081.", "Noted."),
    ("Hold on.", "Sure, take your time."),
    ("Add an index on orders.customer_id.", "I added it in migration 0042."),
    ("Draft an announcement for the outage.", "Here is a draft: We had an outage today."),
    ("Be more concise.", "Understood."),
    ("Think about it.", "Okay."),
    ("Give me a minute.", "Of course."),
    ("Don't worry about it.", "Okay."),
    ("Don't deploy yet.", "Understood."),
    ("Be careful.", "I will."),
    ("Cancel that.", "Okay."),
    ("Order arrived today.", "Great!"),
    ("Build passed.", "Perfect."),
    ("Update: the vendor called back.", "Okay."),
    ("Check this out, it's so cool.", "Nice!"),
    ("Add dark mode.", "Dark mode is now being served to all users."),
    ("Add a pending state to orders.", "Orders have a pending state now."),
    ("Set the status to in progress.", "The ticket is in progress now."),
    ("Put it on hold.", "It is on hold."),
    ("Pause the queue.", "The queue is paused, nothing is being processed."),
    ("Disable the feed.", "Nothing is sent any more."),
    ("Remove the banner.", "The banner is gone; the rest is unchanged."),
]


@pytest.mark.parametrize(("request_", "reply"), CONSENTED)
def test_who_consents_or_is_halfway_has_not_done_it(request_: str, reply: str) -> None:
    assert state(request_, reply) != "answered"


@pytest.mark.parametrize(("request_", "reply"), CARRIED_OUT)
def test_a_short_reply_that_tells_the_deed_or_heeds_the_wish_answers(
    request_: str, reply: str
) -> None:
    assert state(request_, reply) == "answered"


@pytest.mark.parametrize(
    ("order", "first", "asked", "then"),
    [
        ("Book the flight.", "Will do.", "And?", "Booked, seat 14C."),
        ("Deploy to staging.", "The rollout is in progress.", "and now?", "Deployed."),
    ],
)
def test_what_was_put_off_is_answered_by_its_verb_in_the_next_turn(
    order: str, first: str, asked: str, then: str
) -> None:
    def is_open(*said: str) -> bool:
        return any(point.kind == "open_item" for point in gleaned_in_turn(*said).points)

    assert is_open("Good morning.", "Hello.", order, first)
    assert not is_open("Good morning.", "Hello.", order, first, asked, then)
