"""What an agent's message leaves behind: lists with what introduces them, deeds with a name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everthread.domain.gleaning.agent_statements import from_agent
from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.list_context import is_supposed, places_of
from everthread.domain.gleaning.utterances import LONGEST, take_apart
from everthread.domain.support.support import verdict
from everthread.domain.text.acts.reports import names_something, only_expects, tells_state
from everthread.domain.text.acts.speech import parse_sentence
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")

LONG = "I had a look around in there, as you wanted me to. " * 7
"""More than what is carried whole."""

FACTS = """
- The router reads `routes.yaml` from /etc/gate
- Sessions live in Redis 7 under `sess:*`
"""


def told(text: str, *kinds: str) -> list[str]:
    found = from_agent(take_apart(text))
    return [each.text for each in found if not kinds or each.kind in kinds]


def gleaned(*said: tuple[str, str]) -> Digest:
    gleaner = Gleaner(EMPTY)
    for n, (who, text) in enumerate(said, start=1):
        gleaner.read(spoken(text, who, n=n))  # pyright: ignore[reportArgumentType]
    return gleaner.digest()


def of(kind: str, digest: Digest) -> list[str]:
    return [point.text for point in digest.points if point.kind == kind]


# Lists


@pytest.mark.parametrize(
    "lead",
    [
        "The gateway works like this:",
        "## How the gateway is built",
        "**Architecture:**",
        "### Layout:",
        "Here's what I found:",
    ],
)
def test_a_list_is_carried_with_what_introduces_it(lead: str) -> None:
    (text,) = told(f"{LONG}\n\n{lead}\n{FACTS}", "fact")
    assert text.startswith(lead.strip("#* "))
    assert "`routes.yaml`" in text
    assert "Redis 7" in text


@pytest.mark.parametrize(
    "lead",
    [
        "You have a few options:",
        "The plan covers:",
        "### Options",
        "**Pros:**",
        "## Proposed Architecture",
        "To test it:",
        "If you set production on localhost:",
        "Now you can:",
        "This would give us:",
        "Next steps:",
        "Which of these do you want?",
        "Es gibt zwei Möglichkeiten:",
        "Hay dos opciones:",
        "Voici les étapes :",
        "有两个方案：",
    ],
)
def test_what_is_offered_planned_or_supposed_is_no_fact(lead: str) -> None:
    assert not told(f"I looked into it for you.\n\n{lead}\n{FACTS}")


def test_an_item_under_an_option_is_no_fact_either() -> None:
    text = """There are two ways to do it.

1. **Shared package**
   - It lives in `packages/store-api` and every app imports it
2. **Option B**
   - One service in `apps/store` on port 4100
"""
    assert not told(text)


def test_options_that_name_themselves_need_no_heading() -> None:
    text = (
        "So:\n- **Option A**: `count_all` goes back to the plain log of 2019\n"
        "- **Option B**: `perform_sync` sends one event for every upload to Grafana\n"
    )
    assert not told(text)


def test_a_list_goes_on_after_code_with_the_same_lead() -> None:
    text = (
        "You have two approaches:\n\n1. **Shared**:\n```\npackages/api\n```\nEvery app can import it.\n\n"
        "2. **Service** in `apps/api` on port 4100 with its own SQLite file\n"
    )
    assert not told(text)


def test_a_later_heading_ends_what_was_supposed() -> None:
    text = f"## Options\n\n- **Kafka** 3.7 in `infra/kafka`\n\n## What is there today\n{FACTS}"
    (fact,) = told(text, "fact")
    assert "Kafka" not in fact
    assert "Redis 7" in fact


def test_deeds_under_a_report_stay_whatever_else_it_speaks_of() -> None:
    text = (
        "I've updated the plan in `docs/plan.md`:\n"
        "- Added the `retry` section with its three limits\n"
        "- Queue with back-pressure and a Grafana board for 12 teams\n"
    )
    (done,) = told(text, "done")
    assert "Added the `retry` section" in done
    assert not told(text, "fact")


def test_a_long_list_is_parted_and_each_part_keeps_its_lead() -> None:
    items = "\n".join(
        f"- The worker of `queue_{n}` listens on port {4000 + n} and writes to /var/q{n}"
        for n in range(12)
    )
    found = told(f"How the queues are served:\n{items}\n")
    assert len(found) > 1
    assert all(each.startswith("How the queues are served:") for each in found)
    assert all(len(each) <= LONGEST for each in found)


def test_a_list_is_the_agents_own_words() -> None:
    text = f"{LONG}\n\n### Layout:\n{FACTS}"
    message = spoken(text, "agent", n=1)
    for each in from_agent(take_apart(text)):
        assert verdict(each.text, [message], by="agent", verbatim=True).supported


@given(
    st.lists(
        st.sampled_from(
            ["# A plan:", "- `x.py` has 3 rows", "Text.", "  - deep `y` 7", "**B:**", ""]
        )
    )
)
@settings(deadline=None, max_examples=60)
def test_every_sentence_has_its_place(lines: list[str]) -> None:
    said = take_apart("\n".join(lines))
    above = places_of(said)
    assert len(above) == len(said.sentences)
    for place, each in zip(above, said.sentences, strict=True):
        assert not (place.lead and not place.item)
        is_supposed(place, each)


# Deeds, and how things stand


@pytest.mark.parametrize(
    "text",
    [
        "I've fixed the issue.",
        "All the linter warnings have been fixed.",
        "The directory has been renamed.",
        "I've made two important changes:",
        "Everything has been implemented successfully.",
        "The build should succeed this time around.",
        "Once it is deployed, the service has been updated.",
    ],
)
def test_a_report_without_a_name_or_still_to_come_is_dropped(text: str) -> None:
    assert not told(text)


@pytest.mark.parametrize(
    "text",
    [
        "I've fixed the login timeout.",
        "Created the notes at `docs/notes.md`.",
        "The delete endpoint has been added.",
        "Ich habe den Fehler im Kalender behoben.",
    ],
)
def test_a_report_with_a_name_is_done(text: str) -> None:
    assert told(text, "done") == [text]


@pytest.mark.parametrize(
    "text",
    ["All the tests pass now.", "The build is green again and is now ready.", "It works now."],
)
def test_how_things_stand_is_told_by_its_form(text: str) -> None:
    assert tells_state(parse_sentence(text))


@pytest.mark.parametrize("text", ["I added the `x` flag.", "The flag was removed."])
def test_a_deed_does_not_tell_how_things_stand(text: str) -> None:
    assert not tells_state(parse_sentence(text))


@pytest.mark.parametrize(
    ("text", "is_hedged"),
    [
        ("The server should now start successfully.", True),
        ("I've added a check so that it can start.", False),
    ],
)
def test_what_is_only_expected_is_hedged(text: str, is_hedged: bool) -> None:
    assert only_expects(parse_sentence(text)) is is_hedged


@pytest.mark.parametrize(
    ("text", "named"),
    [("I fixed both issues.", False), ("I fixed 3 rows.", True), ("I fixed Ada's chart.", True)],
)
def test_a_name_is_what_not_every_report_has(text: str, named: bool) -> None:
    assert names_something(text) is named


def test_only_the_newest_state_stands() -> None:
    digest = gleaned(
        ("user", "Please mend the tests of the parser."),
        ("agent", "All the parser tests pass."),
        ("user", "And now the ones of the writer, please."),
        ("agent", "The linter now passes."),
    )
    assert of("state", digest) == ["The linter now passes."]


def test_what_a_person_tells_in_chat_is_kept_whole() -> None:
    """People who chat have no plans and options: their short messages stay as they are."""
    text = "I got a puppy last week! We called her Juno, she is a Lab from the shelter in Bern."
    assert told(text) == [text]
