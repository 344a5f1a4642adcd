"""What was chosen: an option by its label with what it means, a proposal only once somebody consents."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.choices.label_picks import items_of
from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.support.support import verdict
from everthread.domain.text.acts.proposals import consents, declines, proposes, settles
from everthread.domain.text.acts.speech import decides, parse_sentence
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")

START = (("user", "Where shall the invoices be kept?"),)
OFFER = """There are two ways.

1. **Shared package** in packages/invoices
2. **Own service** in apps/invoices, behind its own port

Which one do you want?"""


def gleaned(*said: tuple[str, str]) -> Digest:
    gleaner = Gleaner(EMPTY)
    for n, (who, text) in enumerate(said, start=1):
        gleaner.read(spoken(text, who, n=n))  # pyright: ignore[reportArgumentType]
    return gleaner.digest()


def decided(digest: Digest) -> list[tuple[str, str]]:
    return [(point.by, point.text) for point in digest.points if point.kind == "decision"]


CHOSEN = "Which one do you want? … 2. **Own service** in apps/invoices, behind its own port"


@pytest.mark.parametrize(
    "answer",
    [
        "2",
        "2.",
        "#2",
        "option 2",
        "2 please",
        "the second one",
        "let's go with 2",
        "Option 2, it scales",
    ],
)
def test_a_choice_by_its_label_is_carried_with_its_meaning(answer: str) -> None:
    digest = gleaned(*START, ("agent", OFFER), ("user", answer))
    assert decided(digest) == [("agent", CHOSEN), ("user", answer)]
    told = next(p for p in digest.points if p.text == CHOSEN)
    assert verdict(told.text, [spoken(OFFER, "agent", n=2)], by="agent", verbatim=True).supported


def test_the_memory_of_a_choice_says_what_was_chosen() -> None:
    digest = gleaned(*START, ("agent", OFFER), ("user", "2"))
    (fact,) = [f for f in memories_of(EMPTY, digest) if f.kind == "decision"]
    assert (
        fact.text == "Which one do you want? 2 (Own service in apps/invoices, behind its own port)"
    )
    assert (fact.by, len(fact.sources)) == ("user", 2)


@pytest.mark.parametrize(
    "answer", ["2 of the tests fail.", "7", "2 files are missing.", "I have 2 cats."]
)
def test_a_number_that_names_no_option_chooses_none(answer: str) -> None:
    digest = gleaned(*START, ("agent", OFFER), ("user", answer))
    assert not [text for _, text in decided(digest) if "Own service" in text]


def test_a_request_by_number_keeps_what_stands_under_it() -> None:
    review = "### Findings\n\n- **RV #1** — the lock of `pool.py`\n- **RV #2** — `rows` leaks"
    digest = gleaned(
        ("user", "Review the pool."), ("agent", review), ("user", "Address RV #2 now.")
    )
    assert "- **RV #2** — `rows` leaks" in [p.text for p in digest.points if p.by == "agent"]


def test_what_is_asked_beside_the_choice_stays_open() -> None:
    digest = gleaned(*START, ("agent", OFFER), ("user", "2. And add a test for the port."))
    assert ("agent", CHOSEN) in decided(digest)
    assert [p for p in digest.points if p.kind == "open_item" and "test for the port" in p.text]


PROPOSAL = "I'd recommend option B for the counts, rather than a second queue in Redis."
ASKED = f"{PROPOSAL} Shall I go with option A or B?"


@pytest.mark.parametrize("answer", ["Option A, the plain log", "option A please", "A"])
def test_who_chooses_another_way_drops_the_proposal(answer: str) -> None:
    digest = gleaned(*START, ("agent", ASKED), ("user", answer))
    assert PROPOSAL not in [p.text for p in digest.points]
    assert ("user", answer) in decided(digest)


@pytest.mark.parametrize(
    "answer", ["Yes, go ahead.", "ok do it", "Sounds good.", "Ja.", "sí, adelante"]
)
def test_a_proposal_is_decided_by_consent(answer: str) -> None:
    before = gleaned(*START, ("agent", PROPOSAL))
    assert not decided(before)
    after = gleaned(*START, ("agent", PROPOSAL), ("user", answer))
    assert ("agent", PROPOSAL) in decided(after)


@pytest.mark.parametrize(
    "answer", ["Thanks, great.", "No, not that.", "ok but not with Redis", "What is Redis?"]
)
def test_a_proposal_is_not_decided_by_anything_else(answer: str) -> None:
    digest = gleaned(*START, ("agent", PROPOSAL), ("user", answer))
    assert ("agent", PROPOSAL) not in decided(digest)


def test_a_proposal_waits_over_a_distillation() -> None:
    gleaner = Gleaner(gleaned(*START, ("agent", PROPOSAL)))
    gleaner.read(spoken("Yes, go ahead.", "user", n=9))
    assert ("agent", PROPOSAL) in decided(gleaner.digest())


@pytest.mark.parametrize(
    "text",
    [
        "We decided to use SQLite for the queue.",
        "Let's use nodemon with tsx.",
        "Instead of a script, I'll have the loader rebuild the table.",
        "I went with Postgres.",
        "Wir verwenden SQLite, weil es reicht.",
    ],
)
def test_an_agent_decides_where_it_speaks_of_itself_and_chooses(text: str) -> None:
    assert settles(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "This is why we see a promise instead of a handle.",
        "It fixes the race by construction rather than by patch.",
        "I'd recommend Postgres.",
        "My recommendation: go with option B.",
        "We should use Redis here.",
        "We'll use a different import approach:",
        "The sync decision was hoisted into `will_sync`.",
        "Ich würde SQLite nehmen.",
    ],
)
def test_what_explains_compares_or_proposes_decides_nothing(text: str) -> None:
    assert not settles(parse_sentence(text))


@pytest.mark.parametrize(
    "text", ["I'd go with Redis.", "The best approach is a queue.", "Je propose SQLite."]
)
def test_a_proposal_is_known(text: str) -> None:
    assert proposes(parse_sentence(text))


@pytest.mark.parametrize("text", ["I went with Redis.", "The queue is the best I know."])
def test_what_is_no_proposal(text: str) -> None:
    assert not proposes(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "give me a curl command I can use against localhost",
        "put a box at the top, so I can use it to test the login",
        "it talks about a package which we can use to start quickly",
    ],
)
def test_what_one_could_use_is_no_choice(text: str) -> None:
    assert not decides(parse_sentence(text))
    digest = gleaned(("user", "Hello there, we begin."), ("agent", "Ready."), ("user", text))
    assert not decided(digest)


@pytest.mark.parametrize("text", ["We can use Redis for that.", "ok we can keep the old table"])
def test_who_says_what_is_used_chooses(text: str) -> None:
    assert decides(parse_sentence(text))


@pytest.mark.parametrize(
    ("text", "is_choice"),
    [
        ("We don't need a migration script.", True),
        ("There's no need to keep the old format.", True),
        ("We only support Postgres.", True),
        ("We need a migration script.", False),
        ("I don't need help.", False),
        ("Do we need a migration script?", False),
    ],
)
def test_what_is_done_without_is_a_choice(text: str, is_choice: bool) -> None:
    assert declines(parse_sentence(text)) is is_choice


@pytest.mark.parametrize("text", ["yes", "Great, do it", "d'accord", "好的", "go ahead please"])
def test_consent_is_known(text: str) -> None:
    assert consents(parse_sentence(text))


@pytest.mark.parametrize(
    "text", ["thanks", "great", "no", "yes, but not in Redis", "ok, and what about the tests?"]
)
def test_what_is_no_consent(text: str) -> None:
    assert not consents(parse_sentence(text))


def test_labelled_lines_are_found_and_nested_ones_are_not() -> None:
    found = items_of(
        "1. One\n   1. Inner\n2. Two\n\n**Option A**: left\n### Step 3: right\nPlain 4. text\n"
    )
    assert set(found) == {("", "1"), ("", "2"), ("option", "a"), ("step", "3")}
    assert found["", "1"]["item"] == "1. One"


VENUES = (
    "Two places are left:\n\n1. Harbour hall\n2. Old bakery\n3. Glass house\n\nWhich do you want?"
)


def chosen_of(digest: Digest) -> str:
    """What the agent's items tell as decided; a question alone tells nothing."""
    told = [text for by, text in decided(digest) if by == "agent"]
    return " ".join(text for text in told if not text.endswith("?"))


@pytest.mark.parametrize(
    "answer",
    [
        "Option 2 is too small for the band.",
        "2 is sold out, I rang them.",
        "I don't want option 2.",
        "Neither 2 nor option 3, we want a garden.",
        "Option 2 is dearer than option 3.",
        "2 or 3, ask my sister",
        "anything but 2",
        "Maybe option 2, I can't say yet.",
        "Option 2 if the band agrees",
        "The second one looks too dark",
        "First, ring the band.",
        "Option 2 smells",
        "1 is booked. 2 of us rang them.",
        "2. Too small.",
        "Option 2 ist leider zu klein",
    ],
)
def test_who_only_speaks_of_an_option_has_not_chosen_it(answer: str) -> None:
    digest = gleaned(*START, ("agent", VENUES), ("user", answer))
    assert not chosen_of(digest)
    assert any(answer[-9:] in point.text for point in digest.points if point.by == "user")


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ("1 and 3", ("Harbour", "Glass")),
        ("1 for the lunch, 3 for the dance", ("Harbour", "Glass")),
        ("let's go for 3", ("Glass",)),
        ("2 sounds good", ("bakery",)),
        ("2, because it has a yard", ("bakery",)),
        ("Option 1 is too small, so let's take option 3.", ("Glass",)),
        ("2, no wait, 3", ("Glass",)),
        ("Let's go with option 2 instead of option 1.", ("bakery",)),
        ("Ich nehme 2", ("bakery",)),
        ("Fine by the band\n\nOption 2 bakery", ("bakery",)),
        ("1 is booked. 2 then.", ("bakery",)),
    ],
)
def test_all_that_is_chosen_is_carried_and_nothing_else(
    answer: str, items: tuple[str, ...]
) -> None:
    told = chosen_of(gleaned(*START, ("agent", VENUES), ("user", answer)))
    assert {word for word in ("Harbour", "bakery", "Glass") if word in told} == {*items}


def test_of_a_choice_with_an_item_that_is_not_listed_none_is_carried() -> None:
    assert not chosen_of(gleaned(*START, ("agent", VENUES), ("user", "1 and 7")))


@pytest.mark.parametrize(
    "question",
    ["How many chairs do you need?", "What time do the guests come?", "Wie viele Kinder kommen?"],
)
def test_a_figure_that_was_asked_for_picks_nothing(question: str) -> None:
    said = f"There are options:\n\n1. Harbour hall\n2. Old bakery\n\n{question}"
    digest = gleaned(*START, ("agent", said), ("user", "2"))
    assert "bakery" not in chosen_of(digest)
    assert "bakery" in chosen_of(gleaned(*START, ("agent", said), ("user", "option 2")))


@pytest.mark.parametrize("ending", ["", "\n\nIs the band told?"])
def test_nothing_is_picked_from_what_was_done(ending: str) -> None:
    said = f"Done so far:\n\n1. The hall is booked\n2. The bakery is paid{ending}"
    assert "paid" not in chosen_of(gleaned(*START, ("agent", said), ("user", "2")))


@pytest.mark.parametrize(
    "later",
    [
        "Too dark. Let's go for the glass house instead.",
        "Actually, 3.",
        "No wait, option 3.",
        "Let's take option 3 instead.",
    ],
)
def test_a_later_choice_takes_the_place_of_the_one_before(later: str) -> None:
    digest = gleaned(
        *START, ("agent", VENUES), ("user", "2"), ("agent", "The bakery, then."), ("user", later)
    )
    assert "bakery" not in chosen_of(digest)
    assert [text for _, text in decided(digest) if "glass house" in text.lower()]


@pytest.mark.parametrize("later", ["Let's ask the band.", "The glass house has a nice yard."])
def test_what_chooses_nothing_anew_leaves_the_choice(later: str) -> None:
    digest = gleaned(
        *START, ("agent", VENUES), ("user", "2"), ("agent", "The bakery, then."), ("user", later)
    )
    assert "2. Old bakery" in chosen_of(digest)


def test_what_was_not_offered_stands_beside_the_choice_it_overrules() -> None:
    later = "Let's go for a tent instead."
    digest = gleaned(
        *START, ("agent", VENUES), ("user", "2"), ("agent", "The bakery, then."), ("user", later)
    )
    assert ("user", later) in decided(digest)


def test_a_figure_put_right_later_picks_nothing() -> None:
    digest = gleaned(
        *START,
        ("agent", VENUES),
        ("user", "1"),
        ("agent", "Fine. How many dogs come?"),
        ("user", "3"),
        ("agent", "Noted."),
        ("user", "Actually, 2."),
    )
    assert "bakery" not in chosen_of(digest)
    assert "Harbour" in chosen_of(digest)


def test_options_within_a_sentence_are_found() -> None:
    said = "Options: A) by post, B) by courier, or C) at the desk. Which one?"
    assert {label: m["item"] for (_, label), m in items_of(said).items()} == {
        "a": "A) by post",
        "b": "B) by courier",
        "c": "C) at the desk",
    }
    assert "B) by courier" in chosen_of(gleaned(*START, ("agent", said), ("user", "B")))


@pytest.mark.parametrize(
    "said", ["See f(a) or g(b) there.", "Steps 3) and 5) failed.", "Take B) or (b) now."]
)
def test_brackets_that_list_nothing(said: str) -> None:
    assert not items_of(said)
