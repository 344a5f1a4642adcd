"""What of a recall is given to a turn unasked, and what to one who asks (decision 0009)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.conversation.messages import Form, Message, Origin
from everthread.domain.given.echoes import without_echoes
from everthread.domain.given.language_nearness import is_english
from everthread.domain.given.question_check import LONGEST, is_question
from everthread.domain.recall.hits import Hit
from everthread.services.giving.bearing import (
    ALIKE,
    ANSWERS,
    ANSWERS_BY_WORD,
    FIRST,
    WORN,
    bearing_hits,
    told_once,
)

PUMP = "The pump in the cellar trips the fuse whenever the freezer starts"
QUESTION = "what made the lights go out downstairs last winter?"
TOLD = "The lights went out downstairs again, I am off to bed."


def hit(text: str = PUMP, *, alike: float | None = None, kind: str = "message") -> Hit:
    return Hit(id=text, text=text, score=1.0, kind=kind, at_ms=0, why="", alike=alike)


def message(text: str, origin: Origin = "agent", session: int = 1, at: int = 0) -> Message:
    """One as a harness tells it; a text that is no JSON is spoken."""
    form = Form.BLOCKS if text.startswith("[") else Form.TEXT
    fields = dict.fromkeys(Message._fields, None) | {"session_ref": session, "origin": origin}
    return Message(**fields | {"form": form, "content": text, "at_ms": at})  # pyright: ignore[reportArgumentType]


def said(text: str, origin: Origin = "agent", session: int = 1, **more: float) -> Hit:
    return replace(hit(text), messages=(message(text, origin, session),), **more)


LOG = "src/poll.py:12 FAILED after 3 tests\nthe poller gave up, see the log of the tests"
CALL = (
    '[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"run the tests of the poller"}}]'
)


@pytest.mark.parametrize(
    ("source", "text"),
    [(message(LOG, "tool"), LOG), (message(CALL), "run the tests of the poller")],
)
def test_what_a_tool_was_told_or_printed_must_name_the_same_thing(source: Message, text: str):
    order = "Now write tests for the poller"
    found = replace(hit(text, alike=ALIKE), messages=(source,))
    assert bearing_hits(order, [found]) == []
    assert bearing_hits(order, [said(text)]), "somebody said the same"
    named = replace(found, text=f"{text} src/poll.py")
    assert bearing_hits("Now write tests for src/poll.py", [named]) == [named]
    asked = "which tests of the poller failed?"
    assert bearing_hits(asked, [replace(found, alike=ANSWERS)])
    assert not bearing_hits(asked, [replace(found, alike=ANSWERS - 0.01)])


@pytest.mark.parametrize("order", ["deploy", "ok, deploy it", "great. deploy then"])
def test_an_order_in_words_of_the_trade_is_given_nothing(order: str):
    deeds = [said(f"Deployed as {n}{n}{n}c0ffee.", session=n, alike=ALIKE) for n in range(WORN)]
    assert bearing_hits(order, deeds) == []
    assert bearing_hits(order, deeds[:-1]) == deeds[:-1], "in a few sessions it may tell something"
    rule = hit("Never deploy on a Friday", kind="rule")
    assert bearing_hits(order, [*deeds, rule]) == [rule]
    assert bearing_hits("what did we deploy?", deeds) == deeds
    both = said("The invoices are deployed from their own branch.")
    assert bearing_hits("deploy the invoices", [*deeds, both])[-1] == both


def test_a_name_may_be_written_small():
    """What is a name in the one text is a plain word in the other."""
    assert bearing_hits("Now deploy MaxScale2 there", [said("maxscale2 and deploy there")])
    assert bearing_hits("deploy SpecStory there", [said("specstory is what we deploy")])


WORDS = st.lists(
    st.sampled_from(
        ["deploy", "SpecStory", "specstory", "the", "src/a.py", "a.py", "2024", "v2", "?"]
    ),
    max_size=8,
).map(" ".join)


@given(
    WORDS,
    st.lists(
        st.tuples(WORDS, st.sampled_from(["user", "agent", "tool"]), st.integers(0, 4)), max_size=6
    ),
)
def test_whatever_is_said_nothing_breaks_and_nothing_is_made_up(
    text: str, told: list[tuple[str, Origin, int]]
):
    hits: list[Hit] = []
    for n, (words, origin, session) in enumerate(told):
        source = message(words, origin, session)._replace(thread_ref=1, seq=n)
        hits.append(replace(hit(words), id=str(n), messages=(source,)))
    found = told_once(without_echoes(bearing_hits(text, hits)))
    assert {hit.id for hit in found} <= {hit.id for hit in hits}


def test_who_asks_by_a_name_is_given_the_answer_to_what_that_person_said():
    before = message("Hello, this is Lena, how far are the refunds?", "user")
    answer = said("The endpoint is there, with three states.", alike=-0.01)
    beside = replace(answer, at_ms=1, context=(before,))
    assert bearing_hits("anything from lena?", [beside]) == [beside]
    assert bearing_hits("anything from lena?", [answer]) == []
    after = replace(beside, at_ms=1, context=(before._replace(at_ms=2),))
    assert bearing_hits("anything from lena?", [after]) == []


def test_of_hits_that_say_the_same_one_is_told():
    whole = said("I have to go. The sentry bump can wait till tomorrow, remind me.", "user")
    kept = hit("the Sentry bump can wait till tomorrow, remind me", kind="decision")
    other = said("The sentry bump is done.")
    assert told_once([whole, kept, other]) == [whole, other]
    assert told_once([kept, other, whole]) == [whole, other], "it ranks as the best that it says"
    begun = hit("The sentry bump can wait till", kind="fact")
    assert told_once([other, kept, begun, whole]) == [other, whole]
    twin = replace(whole, id="twin")
    assert told_once([whole, twin]) == [whole]
    part = said("wait")
    assert told_once([said("He waits for the bump."), part])[1:] == [part], "words are whole"


RULE = "Never push to the main branch"
LIKES = "I would like the summary in French"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            said(f"Understood. {RULE}. The tests are green.", "agent"),
            replace(hit(RULE, kind="rule"), origin="user"),
            id="a person's word outweighs the agent's",
        ),
        pytest.param(
            replace(hit(f"{RULE}. Squash first.", kind="rule"), superseded=True),
            hit(RULE, kind="rule"),
            id="what no longer holds does not stand for what holds",
        ),
        pytest.param(
            replace(said(f"{RULE}. Squash first.", "user"), later="elsewhere"),
            hit(RULE, kind="rule"),
            id="nor does what was told anew",
        ),
        pytest.param(
            said(f"{RULE}. {'Then the talk went on about this and that. ' * 40}", "user"),
            hit(RULE, kind="rule"),
            id="of a long text only a part is shown",
        ),
        pytest.param(
            replace(
                said(f"{LIKES}. Thanks!"), messages=(message("", "user")._replace(name="Ann"),)
            ),
            replace(said(LIKES), messages=(message("", "user")._replace(name="Bob"),)),
            id="what two say of themselves",
        ),
    ],
)
def test_what_another_hit_says_otherwise_is_told_too(one: Hit, other: Hit):
    assert told_once([one, other]) == [one, other]
    assert told_once([other, one]) == [other, one]


def test_the_same_long_text_is_told_once():
    page = f"{RULE}. {'Then the talk went on about this and that. ' * 40}"
    assert told_once([said(page), replace(said(page), id="twin")]) == [said(page)]


def test_what_another_hit_tells_anew_is_left_to_that():
    new = said("The timeout is 8 seconds now.", "user")
    old = replace(said("TIMEOUT = 5.0"), later=new.id)
    assert told_once([old, new]) == [new]
    assert told_once([old]) == [old]


def test_an_answer_in_other_words_is_given_to_one_who_asks() -> None:
    found = hit(alike=ANSWERS)
    assert bearing_hits(QUESTION, [found]) == [found]
    assert bearing_hits(TOLD, [found]) == [], "nobody asked"
    assert bearing_hits(QUESTION, [hit(alike=ANSWERS - 0.01)]) == []


def test_with_a_word_in_common_less_likeness_is_enough() -> None:
    near = hit("The fuse box downstairs is as old as the house", alike=ANSWERS_BY_WORD)
    assert bearing_hits(QUESTION, [near]) == [near]
    assert bearing_hits(TOLD, [near]) == [], "one word is not enough unasked"
    assert bearing_hits(QUESTION, [hit(alike=ANSWERS_BY_WORD)]) == []
    assert bearing_hits(QUESTION, [hit(near.text, alike=ANSWERS_BY_WORD - 0.01)]) == []


def test_without_vectors_only_words_tell() -> None:
    assert bearing_hits(QUESTION, [hit("The fuse box downstairs is as old as the house")]) == []
    plain = hit("The lights downstairs hang on the fuse of the pump")
    assert bearing_hits(QUESTION, [plain]) == [plain]


def test_only_the_best_are_looked_at_so() -> None:
    many = [hit(f"{PUMP}, time {n}", alike=ANSWERS) for n in range(FIRST + 3)]
    assert bearing_hits(QUESTION, many) == many[:FIRST]
    plain = hit("What is plainly alike comes whatever its place", alike=ALIKE)
    assert bearing_hits(QUESTION, [*many, plain]) == [*many[:FIRST], plain]


@given(st.lists(st.tuples(st.sampled_from([PUMP, TOLD, "fuse"]), st.floats(-1, 1)), max_size=9))
def test_who_asks_is_given_no_less_and_in_the_same_order(drawn: list[tuple[str, float]]) -> None:
    hits = [replace(hit(text, alike=alike), id=str(n)) for n, (text, alike) in enumerate(drawn)]
    statement = QUESTION.replace("what made", "made").rstrip("?")
    assert not is_question(statement)
    asked = bearing_hits(QUESTION, hits)
    assert [h for h in hits if h in asked] == asked
    assert all(h in asked for h in bearing_hits(statement, hits))


@pytest.mark.parametrize(
    "text",
    [
        "Where did we leave the ladder?",
        "the ladder, where was it again ?!",
        "so which garage did I like better",
        "ok remind me who repairs the gutter",
        "how much was the gutter",
        "wie hieß der Dachdecker",
        "Und wann kommt der Dachdecker?",
        "was kostet der Zaun",
        "was ging schief",
        "was the ladder in the shed",
        "hey! what was the roofer called",
        "what did Dr. Weiss say",
        "how many of the boards did we buy",
        "屋根はどうなった？",
    ],
)
def test_a_question_is_known_with_and_without_its_mark(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "The ladder is in the shed.",
        "what a day",
        "when you are done, put the ladder back",
        "Is this right? Then put it back and paint the gutter.",
        "Was out yesterday. Please go on with the gutter.",
        "was thinking about the gutter",
        "How nice of you. Thanks for the ladder, paint it.",
        "How kind of you to ask",
        "How lovely!",
        "So what. Go on.",
        "Who knows. Paint it.",
        "Wie schön. Danke dir.",
        "Which reminds me, the gutter is due",
        "Put it back " + "and paint the gutter green " * (LONGEST // 20) + "?",
        "",
    ],
)
def test_what_tells_or_wants_work_is_no_question(text: str) -> None:
    assert not is_question(text)


GERMAN = "Womit installiere ich die Pakete?"


def test_what_only_has_the_language_in_common_is_no_answer():
    """Two German texts have a cosine of 0.3 to 0.45 whatever they say, for the model is English."""
    strangers = [said(f"Die Rechnung vom {n}. ist da", alike=0.3 + n / 50) for n in range(7)]
    answer = said("Alles kommt mit pnpm ins Haus", alike=0.59)
    assert bearing_hits(GERMAN, [*strangers[:4], answer, *strangers[4:]]) == [answer]
    assert bearing_hits(GERMAN, [answer]) == [answer], "also where nothing else was found"
    named = said("Die Pakete kommen per Post", alike=0.36)
    assert bearing_hits(GERMAN, [*strangers, named]) == [named], "it shares a word besides"
    order = "Pack die Koffer für die Reise nach Triest"
    assert bearing_hits(order, [replace(each, alike=0.52) for each in strangers]) == []
    in_english = [replace(each, alike=0.05) for each in strangers]
    other = said("Packages come by pnpm here", alike=ANSWERS + 0.05)
    assert bearing_hits(GERMAN, [*in_english, other]) == [other], "asked in German, told in English"


@pytest.mark.parametrize(
    "text",
    [
        "What did we do about the parser?",
        "commit",
        "run the tests",
        "fix parser rounding",
        "Where does Müller & Söhne live?",
        "Is the café open in München am Montag?",
        "why is die() called",
    ],
)
def test_what_is_english_is_known_as_that(text: str):
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        GERMAN,
        "Wer kommt an den Server ran?",
        "Lass die Tests laufen",
        "Qui peut accéder au serveur ?",
        "¿Dónde está la base de datos?",
        "Kto ma dostęp do tego serwera?",
        "Hvem har adgang til serveren nu?",
        "Кто имеет доступ к серверу?",
        "サーバーはどこですか",
    ],
)
def test_what_is_in_another_language_is_known_as_that(text: str):
    assert not is_english(text)
