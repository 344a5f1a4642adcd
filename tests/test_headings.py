"""What an agent writes as a heading says what follows: it is neither a fact nor a report of work."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from test_gleaning import gleaned

pytestmark = pytest.mark.req("A-13", "A-21")


def told(reply: str) -> Digest:
    return gleaned(("user", "Please look after the docs of the kiosk."), ("agent", reply))


def texts(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.by == "agent"]


@pytest.mark.parametrize(
    "heading",
    [
        "**🎯 FOCUSED ACTION PLAN**",
        "🎯 **FOCUSED ACTION PLAN**",
        "**2. Kiosk Reader Not Taking Coins:**",
        "## **2. Kiosk Reader Not Taking Coins:**",
        "### 🧭 Rigid Reader Directives (30+ violations)",
        "**Rigid Reader Directives (30+ violations)**",
        "**✅ COMPLETED - READY FOR DEPLOYMENT**",
        "❌ BROKEN/OUTDATED READERS (REMOVE OR FIX)",
        "**Corrected Reader Structure:**",
        "**📁 REORGANIZED READER FOLDERS**",
    ],
)
def test_a_heading_is_told_as_nothing(heading: str) -> None:
    """By itself; a short message is told whole, with the heading before what it says."""
    digest = told(
        f"{heading}\n\n```sh\nmake reader\n```\n\nThat is how it goes, {'as ever ' * 60}."
    )
    assert not any("eader" in text or "PLAN" in text or "READY" in text for text in texts(digest))


@pytest.mark.parametrize(
    "report", ["**All 34 tests of the reader pass now**", "**I renamed reader.py to coins.py.**"]
)
def test_a_report_in_bold_is_told(report: str) -> None:
    assert any(report.strip("*.") in text for text in texts(told(f"{report}\n\nAnything else?")))
