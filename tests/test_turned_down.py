"""What was to be taken ends where it is turned down for something else, and only there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Agent
from everthread.domain.gleaning.digest import EMPTY, Point
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.memory.switches import takes_same, turns_down
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13", "LA-18")


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", background=False) as et:
        yield et.agent("ada")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use pnpm, not npm.", "Use yarn, not pnpm."),
        ("Use pnpm, not npm.", "Please use yarn instead of pnpm."),
        ("Use pnpm, not npm.", "From now on yarn, not pnpm."),
        ("We use pnpm.", "Use yarn rather than pnpm."),
        ("We ship with DHL, not UPS.", "We ship with GLS now, not DHL."),
        ("We ship with DHL, not UPS.", "We switched from DHL to GLS."),
        ("Use black instead of yapf.", "Let's switch from black to ruff."),
        ("Use British spelling, not American.", "Use American spelling, not British."),
        ("Order oat milk, not soy milk.", "Order almond milk, not oat milk."),
        ("Call me Liz, not Elizabeth.", "Call me Beth, not Liz."),
    ],
)
def test_what_is_turned_down_holds_no_longer(old: str, new: str) -> None:
    assert turns_down(new, old)
    assert contradicts(new, old)
    assert not turns_down(old, new) or "British" in old  # that goes to and fro


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use pnpm, not npm.", "Use yarn for the docs site, not pnpm."),
        ("Use pnpm, not npm.", "For the old repo use yarn, not pnpm."),
        ("Use pnpm, not npm.", "Use yarn this once, not pnpm."),
        ("Use pnpm, not npm.", "Use pnpm 9, not pnpm 8."),
        ("Use pnpm, not npm.", "Use pnpm workspaces, not pnpm."),
        ("Use pnpm, not npm.", "Use pnpm, not bun."),
        ("Use pnpm, not npm.", "Lena uses yarn, not pnpm."),
        ("Use pnpm, not npm.", "I use yarn, not pnpm."),
        ("Use pnpm, not npm.", "Why use yarn and not pnpm?"),
        ("Use tabs, not spaces.", "Use spaces in YAML, not tabs."),
        ("Use tabs, not spaces.", "If it is YAML, use spaces, not tabs."),
        ("Round up, not down.", "Round the tips down, not up."),
        ("Call me Liz, not Elizabeth.", "Call my sister Beth, not Liz."),
        ("Draw charts with plotly, not matplotlib.", "We switched from plotly to altair."),
        ("We use Postgres, not MySQL.", "We switched from Postgres to MySQL for reporting."),
        ("We ship with DHL, not UPS.", "Acme ships with GLS, not DHL."),
        ("We ship with DHL, not UPS.", "Should we ship with GLS instead of DHL?"),
        ("The demo is in Rome, not Milan.", "The dinner is in Oslo, not Rome."),
        ("We use Go.", "Switch from go to stop."),
        ("We use Stripe.", "Change from stripe to solid."),
        ("We use Postgres.", "Switch from Postgres to MySQL syntax highlighting."),
        ("We bank with ING.", "We switched from ING to N26 for the kids."),
        ("We use pnpm.", "We moved from pnpm to yarn at Globex."),
        ("We use pnpm.", "We moved from pnpm to yarn once."),
        ("Ask Ben, not Ann.", "Ask Eve about taxes, not Ben."),
    ],
)
def test_for_another_purpose_person_or_time_both_hold(old: str, new: str) -> None:
    assert not turns_down(new, old)
    assert not contradicts(new, old)


def test_a_correction_ends_by_what_is_chosen_later(ada: Agent) -> None:
    ada.remember("Use pnpm, not npm.", kind="correction")
    ada.remember("Use yarn, not pnpm.", kind="rule")
    assert [m.text for m in ada.memories()] == ["Use yarn, not pnpm."]


@pytest.mark.parametrize("kind", ["correction", "decision", "rule", "preference", "fact"])
def test_a_talk_carries_only_the_later_choice(kind: str) -> None:
    known = Point(kind, "Use pnpm, not npm.", (bytes(16),), "user", 1, 0.8)
    before = EMPTY._replace(points=(known,))
    later = gleaned_in_turn("Use yarn, not pnpm.", "Understood.", before=before)
    assert not any(p.text == known.text for p in later.points)
    assert any(f.text == "Use yarn, not pnpm." for f in memories_of(EMPTY, later))


def test_who_takes_the_same_for_another_reason_takes_nothing_back() -> None:
    assert takes_same("Use black instead of autopep8.", "Use black instead of yapf.")
    first, second = "Use black instead of yapf.", "Use black instead of autopep8."
    digest = gleaned_in_turn(first, "Understood.", second, "Understood.")
    assert {first, second} <= {fact.text for fact in memories_of(EMPTY, digest)}
