"""A rule holds until it is lifted, by leave or by what it waited for; and rules that are only wished for."""

from __future__ import annotations

import pytest

from everthread.domain.distilling.continuity import Draw
from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.statement_kinds import kind_of
from everthread.domain.gleaning.withdrawals import lifts
from everthread.domain.text.acts.speech import parse_sentence
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")

SIGNED = "Don't touch the old invoices until Marta has signed off."
PHONE = "Please never phone me, e-mail only."
FRIDAYS = "Never deploy on Fridays."
SHOP = "Never delete backups of the shop."
LIST = "Never share the customer list with Acme."
MERGE = "Never merge feature branches into master."
PUSH = "Never force push to main."


def talk(*told: str) -> Digest:
    gleaner = Gleaner()
    for n, text in enumerate(("Hello.", *told)):
        gleaner.read(spoken(text, n=2 * n + 1))
        gleaner.read(spoken("Understood.", "agent", n=2 * n + 2))
    return gleaner.digest()


def ruled(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind in ("rule", "preference")]


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        (SIGNED, "Marta wrote: the old invoices can be corrected now."),
        (SIGNED, "Marta wrote: the old invoices can be corrected, but not by editing."),
        (SIGNED, "Marta has signed off on the invoices."),
        (FRIDAYS, "Deploying on Fridays is fine from now on, we have canaries."),
        (PHONE, "You can call me again, I have a day job now."),
        ("Never use Redis here.", "Redis is allowed now."),
        ("No nuts in the cake please.", "Nuts in the cake are fine now, Tom is not coming."),
        (SHOP, "You can delete backups of the shop now."),
        (SHOP, "Backups of the shop can be deleted now."),
        (MERGE, "You can merge feature branches into master now."),
        (PUSH, "Force pushes to main are fine now."),
        (FRIDAYS, "Deployments on Fridays are okay now."),
        ("Never share my address.", "Feel free to share my address."),
        ("Always write the dates in the American form.", "Forget the rule about American dates."),
    ],
)
def test_leave_and_what_it_waited_for_lift_it(rule: str, later: str) -> None:
    assert ruled(talk(rule)) == [rule]
    digest = talk(rule, later)
    assert ruled(digest) == []
    assert not any(p.kind == "identity" for p in digest.points)


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        (FRIDAYS, "You can deploy again."),
        (FRIDAYS, "Fridays are fine for me."),
        (FRIDAYS, "Deploying on Mondays is fine now."),
        (SIGNED, "Marta has not signed off yet."),
        (SIGNED, "Marta has a new phone."),
        (SIGNED, "The new invoices can be sent now."),
        (SIGNED, "If Marta has signed off, tell me."),
        (PHONE, "You can call the plumber again."),
        (PHONE, "The phone works again."),
        ("Never merge until the tests have passed.", "The tests have passed."),
        ("Never share my address.", "The address has changed."),
        # of another thing, or in the other direction
        (SHOP, "You can delete backups of the blog now."),
        (SHOP, "Backups of the blog can be deleted now."),
        (SHOP, "Forget what I said about backups of the blog."),
        ("Never restart the primary database.", "You can restart the replica database now."),
        (LIST, "You can share the price list with Acme now."),
        (LIST, "You can share the price list with Acme now, that rule's gone."),
        (
            "Never send emails to customers in Spain.",
            "You can send emails to customers in France now.",
        ),
        (MERGE, "You can merge master into feature branches now."),
        (MERGE, "Forget the rule about merging master into feature branches."),
        ("Never copy staging data to production.", "Copying production data to staging is fine."),
        (
            "Always send the customer list to Acme.",
            "You don't have to send the price list to Acme any more.",
        ),
        ("Never email customers before noon.", "You can email customers after noon now."),
        ("Never share my address.", "You can share her address now."),
        # the ban once more, or what is only called like the deed
        (PUSH, "No force pushes to main are allowed."),
        (FRIDAYS, "No deployments on Fridays are allowed."),
        ("Don't mock the database.", "The mock database is fine."),
        ("Don't commit secrets.", "The secrets commit is ok."),
        # only for some, once, or under a condition
        (FRIDAYS, "You can deploy the blog on Fridays now."),
        (FRIDAYS, "The deployment on Friday is fine."),
        (FRIDAYS, "You can deploy on Fridays now, but only after ten."),
        ("Always answer in French.", "You don't have to answer in French in the forum any more."),
        ("Always answer in French.", "You don't have to answer."),
    ],
)
def test_what_is_said_of_something_else_leaves_it(rule: str, later: str) -> None:
    assert rule in ruled(talk(rule, later))


@pytest.mark.parametrize(
    ("rule", "leave"),
    [
        (MERGE, "You can merge feature branches into master from now on."),
        ("Never edit the config without asking.", "You can edit the config without asking now."),
        ("Avoid jargon in mails.", "Jargon in mails is fine now."),
        ("Deploye nie freitags.", "Du darfst jetzt freitags deployen."),
    ],
)
def test_leave_for_just_that_lifts_it_though_it_holds_itself(rule: str, leave: str) -> None:
    assert lifts(parse_sentence(leave), rule)
    assert not lifts(parse_sentence(leave), "Never phone me.")


@pytest.mark.parametrize(
    ("rule", "leave"),
    [
        (SHOP, "You can delete backups of the blog now."),
        (MERGE, "You can merge master into feature branches now."),
        (PUSH, "No force pushes to main are allowed."),
    ],
)
def test_the_score_still_asks_for_a_rule_that_was_not_lifted(rule: str, leave: str) -> None:
    """What a summary leaves out after leave for something else is missed."""

    def asked_for(*said: str) -> list[str]:
        draw = Draw(7)
        for n, text in enumerate(said):
            draw.read(spoken(text, n=n + 1))
        return [item.text for item in draw.items() if item.kind == "rules"]

    assert rule in asked_for(rule, leave)
    assert rule not in asked_for(rule, f"Forget the rule {rule[6:-1]}.")
    assert PHONE not in asked_for(PHONE, "You can call me again.")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("rule", "And keep commit messages in the imperative please."),
        ("rule", "Write docstrings in British English."),
        ("rule", "Please keep titles under 60 characters."),
        ("rule", "I'd rather you didn't add emojis to PR descriptions."),
        ("rule", "I'd prefer if you didn't use abbreviations."),
        ("rule", "I'd like you to post a summary to #ops every Friday."),
        ("preference", "My doctor told me to avoid acid, so no Ethiopian for me."),
        ("decision", "I don't want a disco."),
        ("decision", "I don't want any plastic cutlery."),
    ],
)
def test_what_is_wished_for_holds(kind: str, text: str) -> None:
    assert kind_of(parse_sentence(text)) == kind


@pytest.mark.parametrize(
    "text",
    [
        "I'd rather you didn't do that.",
        "So no sleep for me tonight.",
        "No luck for me.",
        "I don't want any trouble.",
        "I don't want the kids to hear it.",
        "I want you to check every day in the calendar.",
        "Keep the replies in the drafts folder.",
        "Write comments in this file.",
        "Make the report short.",
        "They keep answers short in the north.",
    ],
)
def test_the_like_of_it_does_not(text: str) -> None:
    assert kind_of(parse_sentence(text)) not in ("rule", "preference", "decision")


def test_what_shall_be_instead_is_told_with_the_ban() -> None:
    text = "And please don't phone me. E-mail only."
    assert ruled(talk(text)) == [text]
