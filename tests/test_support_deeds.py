"""A sentence tells the deed of its sources: another verb strikes it, a word for the same does not."""

from __future__ import annotations

import pytest

from everthread.domain.conversation.messages import Origin
from everthread.domain.support.deed_checks import deeds
from everthread.domain.support.support import verdict
from support.processor import seconds_of
from support.spoken import spoken

pytestmark = pytest.mark.req("LA-22")

WROTE = "I wrote tools/list_backups.sh, it lists everything older than 30 days."
ENDS = "The contract with Hetzner ends on 31 March."
TOOK = "The nightly backup took 47 minutes yesterday, it may be the slow disk."
OWNED = "The staging database is db-stage-02, and Petra is responsible for it."
GATEWAY = "Our API gateway runs on port 8443 and we deploy with Helm chart version 2.1."
REDIS = "I decided on Redis rather than Memcached because of persistence."
LEAK = "Jonas thinks that the queue is leaking."
STAYS = "We will not migrate to Kubernetes 1.30 this year."
PARSER = "I fixed the parser, added a test for empty files and renamed readOne to readAll."
MOVED = "We moved the invoices of 2019 to the archive server in Graz."
BOAT = "I bought a small boat with my sister Ines in Bregenz last summer."
GARDEN = "My neighbour Otto lent me his ladder for the cherry tree in the garden."


def why(text: str, said: str, by: Origin = "user") -> str:
    return verdict(text, [spoken(said, by)], by=by, verbatim=False).why


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (WROTE, "I wrote tools/list_backups.sh, it deletes everything older than 30 days."),
        (WROTE, "I wrote tools/list_backups.sh, it archives everything older than 30 days."),
        (WROTE, "I wrote tools/list_backups.sh, which compresses everything older than 30 days."),
        (WROTE, "I wrote tools/list_backups.sh to delete everything older than 30 days."),
        (WROTE, "I broke tools/list_backups.sh, it lists everything older than 30 days."),
        (ENDS, "The contract with Hetzner begins on 31 March."),
        (ENDS, "The contract with Hetzner renews on 31 March."),
        (ENDS, "The contract with Hetzner was signed on 31 March."),
        (ENDS, "The contract with Hetzner was renewed on 31 March."),
        (ENDS, "The contract with Hetzner was extended to 31 March."),
        (ENDS, "The contract with Hetzner becomes binding on 31 March."),
        (ENDS, "The contract with Hetzner is payable on 31 March."),
        (TOOK, "The backup is fast: it took only 47 minutes."),
        (TOOK, "The nightly backup failed after 47 minutes yesterday, it may be the slow disk."),
        (OWNED, "Petra broke the staging database db-stage-02."),
        (OWNED, "Petra deleted the staging database db-stage-02."),
        (OWNED, "Petra is afraid of the staging database db-stage-02."),
        (OWNED, "Petra dreads the staging database db-stage-02."),
        (OWNED, "Petra archives the staging database, it is db-stage-02."),
        (OWNED, "The staging database db-stage-02 makes Petra nervous."),
        (GATEWAY, "The API gateway crashed on port 8443."),
        (GATEWAY, "The API gateway on port 8443 is insecure."),
        (PARSER, "I deleted the parser, added a test for empty files and renamed readOne."),
        (PARSER, "I fixed the parser and skipped a test for empty files."),
        (PARSER, "The parser crashes on empty files, readOne was renamed to readAll."),
        (MOVED, "The user lost the invoices of 2019 on the archive server in Graz."),
        (MOVED, "The invoices of 2019 are missing on the archive server in Graz."),
        (BOAT, "The user sold a small boat with the sister Ines in Bregenz last summer."),
        (BOAT, "The user sank a small boat with Ines in Bregenz last summer."),
        (GARDEN, "The neighbour Otto stole the ladder for the cherry tree in the garden."),
        (GARDEN, "The neighbour Otto hid his ladder in the cherry tree in the garden."),
        (LEAK, "Jonas fixed the leaking queue."),
    ],
)
def test_another_deed_than_that_of_the_sources_strikes_the_sentence(said: str, text: str) -> None:
    by: Origin = "agent" if said in (WROTE, PARSER) else "user"
    assert why(text, said, by)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (WROTE, "I wrote tools/list_backups.sh, which lists everything older than 30 days."),
        (WROTE, "I created tools/list_backups.sh, it lists everything older than 30 days."),
        (WROTE, "tools/list_backups.sh shows everything older than 30 days."),
        (WROTE, "I have written tools/list_backups.sh to list everything older than 30 days."),
        (ENDS, "The contract with Hetzner expires on 31 March."),
        (ENDS, "The contract with Hetzner will end on 31 March."),
        (ENDS, "The contract with Hetzner is over on 31 March."),
        (ENDS, "The user mentioned that the contract with Hetzner finishes on 31 March."),
        (TOOK, "The user reported that the nightly backup took 47 minutes yesterday."),
        (TOOK, "Yesterday's nightly backup took 47 minutes; the disk may be slow."),
        (OWNED, "Petra is responsible for the staging database db-stage-02."),
        (OWNED, "Petra is in charge of the staging database db-stage-02."),
        (OWNED, "The user explained that Petra is responsible for the staging database."),
        (GATEWAY, "The API gateway runs on port 8443 and is deployed with Helm chart 2.1."),
        (GATEWAY, "The API gateway listens on port 8443."),
        (PARSER, "I repaired the parser and introduced a test for empty files."),
        (PARSER, "The parser is fixed, and a test for empty files was added."),
        (
            PARSER,
            "I corrected the parser, added a test for empty files, renamed readOne to readAll.",
        ),
        (MOVED, "The user migrated the invoices of 2019 to the archive server in Graz."),
        (MOVED, "The invoices of 2019 are on the archive server in Graz."),
        (BOAT, "The user purchased a small boat with the sister Ines in Bregenz last summer."),
        (BOAT, "The user has a small boat, bought with the sister Ines in Bregenz."),
        (GARDEN, "The neighbour Otto lent his ladder for the cherry tree in the garden."),
        (GARDEN, "The user got Otto's ladder for the cherry tree in the garden."),
        (REDIS, "The user chose Redis over Memcached because of persistence."),
        (REDIS, "The user opted for Redis rather than Memcached because of persistence."),
        (REDIS, "The user went with Redis rather than Memcached because of persistence."),
        (STAYS, "The user will not move to Kubernetes 1.30 this year."),
        ("The tests pass again.", "The tests are green again."),
        ("I learnt a lot from the talk in Linz.", "The user learned a lot from the talk in Linz."),
        ("Researching adoption agencies is hard.", "Researching adoption agencies is difficult."),
        (
            "Der Vertrag mit Hetzner endet am 31. März.",
            "Der Vertrag mit Hetzner schließt am 31. März.",
        ),
        ("Les tests du serveur de Lyon passent.", "Les tests du serveur de Lyon passent bien."),
    ],
)
def test_the_same_deed_in_another_word_stands(said: str, text: str) -> None:
    by: Origin = "agent" if said in (WROTE, PARSER) else "user"
    assert why(text, said, by) == ""


def test_the_reason_names_the_word() -> None:
    assert why("The contract with Hetzner begins on 31 March.", ENDS) == (
        "it says begins, which its sources do not"
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The contract lapses on Monday.", ["lapses"]),
        ("The queue is slow and full.", ["slow", "full"]),
        ("It took the old servers of the team.", ["took"]),
        ("The current versions of the tools are old stock.", []),
        ("He finds it hard to park.", ["hard"]),
        ("Files, tests, notes.", []),
        ("Added three lists of rooms.", ["added"]),
        ("The broken disk of db-1.", []),
    ],
)
def test_deeds_are_known_by_where_they_stand(text: str, found: list[str]) -> None:
    assert [*deeds(text)] == found


def test_a_sentence_without_an_end_is_soon_looked_through() -> None:
    long = "the server is slow and " * 5_000
    assert seconds_of(lambda: [*deeds(long)]) < 5


# ---- the form of a decision, and what it decides against


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (REDIS, "Decision: Redis rather than Memcached. Reason: persistence."),
        (REDIS, "Decision: Redis, not Memcached. Reason: persistence."),
        (REDIS, "Decision: use Redis instead of Memcached. Reason: persistence."),
        (REDIS, "Decision: Redis over Memcached. Reason: persistence."),
        (REDIS, "Decision: Redis. Reason: persistence."),
        (REDIS, "The user decided on Redis and not on Memcached, because of persistence."),
        ("We take Redis, not Memcached.", "Decision: Redis rather than Memcached."),
        ("I prefer tabs over spaces.", "The user prefers tabs, not spaces."),
        (STAYS, "Decision: no migration to Kubernetes 1.30 this year."),
        (STAYS, "Decision: we will not migrate to Kubernetes 1.30 this year."),
        (STAYS, "There will be no migration to Kubernetes 1.30 this year."),
        (
            "I considered Kafka over Pulsar and took it.",
            "The user considered Kafka against Pulsar.",
        ),
        ("I worked over the weekend on Ledger.", "The user worked on Ledger over the weekend."),
        ("Over 20 guests chose the barn over the tent.", "Over 20 guests chose the barn."),
    ],
)
def test_a_decision_in_the_form_that_is_asked_for_stands(said: str, text: str) -> None:
    assert why(text, said) == ""


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (REDIS, "Decision: Memcached rather than Redis. Reason: persistence."),
        (REDIS, "Decision: Memcached, not Redis. Reason: persistence."),
        (REDIS, "Decision: Memcached. Reason: persistence."),
        (REDIS, "Decision: Redis rather than Memcached. Reason: lower latency."),
        (REDIS, "Decision: Redis was rejected because of persistence."),
        (REDIS, "Decision: Postgres rather than Memcached. Reason: persistence."),
        (REDIS, "The user chose Memcached because of persistence."),
        (REDIS, "The user decided against Redis because of persistence."),
        (STAYS, "Decision: migrate to Kubernetes 1.30 this year."),
        (STAYS, "Decision: migration to Kubernetes 1.30 this year."),
        (STAYS, "Decision: move to Kubernetes 1.30 this year."),
        ("I might take Redis.", "Decision: Redis."),
        ("Should we take Redis for the queue?", "Decision: Redis for the queue."),
        ("We take Redis, not Memcached.", "Decision: Memcached."),
    ],
)
def test_the_form_makes_no_decision_true(said: str, text: str) -> None:
    assert why(text, said)


# ---- whose guess it is


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (LEAK, "Jonas suspects that the queue is leaking."),
        (LEAK, "Jonas assumes that the queue is leaking."),
        (LEAK, "Jonas believes the queue is leaking."),
        (LEAK, "Jonas reckons the queue is leaking."),
        (LEAK, "Jonas suspects a leak in the queue."),
        ("Jonas suspects that the queue is leaking.", "Jonas thinks the queue is leaking."),
        ("I think that the queue is leaking.", "The user thinks that the queue is leaking."),
        ("I suspect that the queue is leaking.", "The user assumes the queue is leaking."),
        ("I believe that the queue is leaking.", "The queue might be leaking."),
    ],
)
def test_one_word_for_a_guess_is_as_good_as_another(said: str, text: str) -> None:
    assert why(text, said) == ""


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (LEAK, "The queue is leaking."),
        (LEAK, "Petra suspects that the queue is leaking."),
        (LEAK, "Jonas confirmed that the queue is leaking."),
        (LEAK, "Jonas knows that the queue is leaking."),
        (LEAK, "The user assumes that the queue is leaking."),
        ("Jonas suspects that the queue is leaking.", "The queue is leaking."),
        ("Jonas assumes that the queue is leaking.", "The queue is leaking."),
        ("I suspect that the queue is leaking.", "The queue is leaking."),
        ("I reckon that the queue is leaking.", "The queue is leaking."),
    ],
)
def test_a_guess_stays_the_guess_of_who_made_it(said: str, text: str) -> None:
    assert why(text, said)
