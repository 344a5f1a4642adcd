"""What was lost and matters is named by `doctor` and `status` until it is back, taken back or dismissed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.agents import Scope
from everthread.domain.distilling.continuity import Item, KindScore, score_of, score_text
from everthread.domain.distilling.continuity_refs import ref_of
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import StoreBusy, StoreFailed, StoreReadOnly, UndoRefused
from everthread.domain.gleaning.digest import Digest, Point
from everthread.edges.cli.status import _alarms
from everthread.ports import Records
from everthread.services.distilling import compose, missing, review
from everthread.services.upkeep.diagnose import Finding
from support.commands import Cli, Here
from test_cli_distill import connected
from test_lost_rules import RULE, overlook, talk

pytestmark = pytest.mark.req("R-16", "A-74")

BY_WORDS = Settings(embedder="off")
"""What a recall finds by meaning is of no account here, and takes a quarter of the time."""


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", background=False, settings=BY_WORDS) as engine:
        yield engine


def unmended(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is lost stays lost, as where a later summary was shown before it was scored."""
    monkeypatch.setattr(review, "mend_summary", lambda *_: 0)


@pytest.fixture
def lost(et: Everthread, monkeypatch: pytest.MonkeyPatch) -> tuple[Agent, Receipt]:
    """An agent whose first distillation lost a rule; since then everything is as usual again."""
    ada = et.agent("ada")
    with monkeypatch.context() as faulty:
        overlook(faulty)
        unmended(faulty)
        ada.turn(RULE).done("Understood.")
        talk(ada)
        receipt = ada.distill()
    assert receipt.lacks_rule and RULE not in ada.context().summary
    return ada, receipt


def told(et: Everthread) -> list[Finding]:
    return [found for found in et.diagnose() if found.check == "scores" and not found.fine]


def test_a_lost_rule_is_named_until_it_is_back(et: Everthread, lost: tuple[Agent, Receipt]):
    _, receipt = lost
    (found,) = told(et)
    assert f"\u201c{RULE}\u201d (receipt {receipt.id[-8:]})" in found.says
    for help_ in ("undo", "receipts dismiss"):
        assert f"everthread {help_} {receipt.id[-8:]}" in found.advice
    assert 'everthread remember --agent ada --kind rule "critical: …"' in found.advice
    (report,) = et.report().agents
    assert [(one.kind, one.text) for one in report.distilled.missing] == [("rules", RULE)]
    assert report.distilled.alarm and not report.distilled.alarming
    et.undo(receipt.id)
    assert told(et) == [] and not et.report().agents[0].distilled.alarm


def test_the_next_distillation_looks_for_it_again(et: Everthread, lost: tuple[Agent, Receipt]):
    """The summary that lost it carries it no more; all the same the next one is not simply ok."""
    ada, _ = lost
    talk(ada)
    again = ada.distill()
    assert f'"{RULE}"' in ada.context().summary
    assert again.outcome == "ok" and told(et) == []


def test_while_it_is_missing_no_later_receipt_is_plainly_ok(
    et: Everthread, lost: tuple[Agent, Receipt], monkeypatch: pytest.MonkeyPatch
):
    ada, first = lost
    unmended(monkeypatch)
    for _ in range(2):
        talk(ada)
        later = ada.distill()
        assert (later.outcome, later.lacks_rule) == ("degraded", True)
        assert [item.text for item in ada.receipt(later.id).lost if item.kind == "rules"] == [RULE]
    (found,) = told(et)
    assert f"(receipt {first.id[-8:]})" in found.says, "the one whose messages have it"


@pytest.mark.parametrize("pinned", [f"critical: {RULE}", RULE])
def test_who_remembers_it_is_told_no_more(
    et: Everthread,
    lost: tuple[Agent, Receipt],
    monkeypatch: pytest.MonkeyPatch,
    pinned: str,
):
    ada, _ = lost
    ada.remember(pinned, kind="rule")
    assert told(et) == []
    unmended(monkeypatch)
    talk(ada)
    assert ada.distill().outcome == "ok"


def test_who_dismisses_it_is_told_no_more(
    et: Everthread, lost: tuple[Agent, Receipt], monkeypatch: pytest.MonkeyPatch
):
    ada, receipt = lost
    ada.dismiss(receipt.id[-8:])
    assert told(et) == []
    ada.dismiss(receipt.id)
    unmended(monkeypatch)
    talk(ada)
    assert ada.distill().outcome == "ok"
    assert told(et) == []
    assert et.verify(ada).sound


def test_what_is_remembered_or_dismissed_is_not_looked_for_in_the_view(
    et: Everthread, lost: tuple[Agent, Receipt], monkeypatch: pytest.MonkeyPatch
):
    ada, receipt = lost
    read: list[object] = []
    shown = missing.view_messages
    monkeypatch.setattr(missing, "view_messages", lambda *a: read.append(a) or shown(*a))
    assert told(et) and read
    ada.dismiss(receipt)
    read.clear()
    assert not told(et) and not read


def test_what_is_dismissed_counts_for_later_receipts_too(
    et: Everthread, lost: tuple[Agent, Receipt], monkeypatch: pytest.MonkeyPatch
):
    """The later one tells of it, the earlier one is named: it hides the message."""
    ada, first = lost
    unmended(monkeypatch)
    talk(ada)
    assert ada.distill().lacks_rule and told(et)
    ada.dismiss(first)
    assert told(et) == []


def test_what_is_dismissed_stays_so_when_its_receipt_is_no_longer_looked_at(
    et: Everthread, lost: tuple[Agent, Receipt], monkeypatch: pytest.MonkeyPatch
):
    """The receipt that hides the message may be older than all that are looked through."""
    monkeypatch.setattr(missing, "LOOKED_AT", 2)
    ada, first = lost
    unmended(monkeypatch)
    for _ in range(2):
        talk(ada)
        assert ada.distill().lacks_rule
    assert told(et)
    ada.dismiss(first)
    assert told(et) == []
    talk(ada)
    assert ada.distill().outcome == "ok"


def test_a_rule_that_was_taken_back_since_is_not_missed(
    et: Everthread, lost: tuple[Agent, Receipt]
):
    """In what the agent still sees, and once that is distilled too."""
    ada, _ = lost
    assert told(et)
    ada.turn("You can restart the greenhouse server during daylight hours again.").done("Fine.")
    assert told(et) == []
    talk(ada)
    receipt = ada.distill()
    assert receipt.outcome == "ok" and told(et) == []
    assert RULE not in ada.context().summary


def test_what_was_forgotten_is_not_named(et: Everthread, lost: tuple[Agent, Receipt]):
    ada, _ = lost
    message = next(m for m in ada.messages(limit=999) if m.text == RULE)
    ada.forget(ada.remember(RULE, kind="rule", sources=[message]).id)
    assert told(et) == []


CHOICE = "We'll go with the copper roof for the greenhouse, then."
REQUEST = "Please order the copper screws for the greenhouse roof."


@pytest.mark.parametrize("share", [0.0, 100.0])
def test_a_decision_is_named_and_is_an_alarm_only_beyond_the_share(
    monkeypatch: pytest.MonkeyPatch, share: float
):
    overlook(monkeypatch, "copper")
    unmended(monkeypatch)
    monkeypatch.setattr("everthread.services.distilling.score._Asking.brings", lambda *_: False)
    few = Settings(score_threshold=share)
    with everthread.connect("memory://", settings=few, background=False) as et:
        ada = et.agent("ada")
        ada.turn(CHOICE).done("Fine.")
        talk(ada)
        receipt = ada.distill()
        found = [each for each in et.diagnose() if CHOICE in each.says]
        assert [each.fine for each in found] == [share == 0.0]
        assert ("within the 100 % that may be lost" in found[0].says) == (share == 0.0)
        assert et.report().agents[0].distilled.alarm == (share == 100.0)
        ada.dismiss(receipt.id)
        assert all(each.fine and CHOICE not in each.says for each in et.diagnose())


def say_lost(ada: Agent, et: Everthread, receipt: Receipt, *texts: str) -> None:
    """As if the score had found these requests open and lost."""
    assert receipt.score is not None
    keys = {message.text: message.key for message in ada.messages(limit=999)}
    items = [Item("questions", text, text, keys[text], "", "", by="user") for text in texts]
    score = receipt.score._replace(lost_items=tuple(map(ref_of, items)))
    told = receipt._replace(score_json=score_text(score))
    scope, now = Scope(receipt.agent_ref), et.house.clock.now()
    et.house.store.write(lambda r: r.receipts.change(scope, told, "receipt.scored", now=now))


def test_a_request_is_missed_until_it_got_its_answer(
    et: Everthread, monkeypatch: pytest.MonkeyPatch
):
    """It may be drawn as open because the answer came after what was hidden."""
    overlook(monkeypatch, "copper")
    seen = compose.check_points

    def unsettled(*given: object) -> tuple[Digest, list[tuple[Point, str]]]:
        digest, struck = seen(*given)  # pyright: ignore[reportArgumentType]
        return digest._replace(gone=()), struck

    monkeypatch.setattr(compose, "check_points", unsettled)
    ada = et.agent("ada")
    answered = "Please order the copper nails for the greenhouse door."
    ada.turn(answered).done("They are ordered.")
    for text in (REQUEST, *(f"Bed {n} is dry." for n in range(15))):
        ada.turn(text).failed("it broke off")
    talk(ada)
    receipt = ada.distill()
    say_lost(ada, et, receipt, answered, REQUEST)
    (found,) = told(et)
    assert "1 open request of the user is not in the context any more" in found.says
    assert REQUEST in found.says and answered not in found.says


# ---- what is offered


def crowded(et: Everthread) -> tuple[Agent, Receipt]:
    """A view that has grown since, so that what was distilled does not fit beside it."""
    ada = et.agent("ada", window=6_000)
    ada.turn(RULE).done("Understood.")
    talk(ada, 40)
    receipt = ada.distill()
    for n in range(9):
        ada.turn(f"I watered bed {n} of the leeks.").done(f"Bed {n} is noted, all is well. " * 40)
    return ada, receipt


def test_an_undo_that_would_be_refused_is_not_offered(
    et: Everthread, monkeypatch: pytest.MonkeyPatch
):
    overlook(monkeypatch)
    unmended(monkeypatch)
    ada, receipt = crowded(et)
    with pytest.raises(UndoRefused):
        et.undo(receipt.id, dry_run=True)
    rule = next(found for found in told(et) if RULE in found.says)
    assert "is refused now: with it the view would hold" in rule.advice
    assert "brings" not in rule.advice and "everthread remember" in rule.advice
    assert ada.undo_offer(receipt.id).taken is False


@pytest.mark.parametrize(
    ("trouble", "says"),
    [
        (StoreReadOnly("it is on a disk without writing"), "needs a store that can be written"),
        (StoreBusy("somebody holds it. Wait."), "cannot be tried now: somebody holds it"),
    ],
)
def test_a_store_that_fails_is_told_as_what_it_is(
    et: Everthread,
    lost: tuple[Agent, Receipt],
    monkeypatch: pytest.MonkeyPatch,
    trouble: StoreFailed,
    says: str,
):
    def fails(*_: object, **__: object) -> None:
        raise trouble

    monkeypatch.setattr("everthread.services.distilling.undo_offer.undo", fails)
    ada, receipt = lost
    offer = ada.undo_offer(receipt)
    assert offer.taken is None and offer.says.endswith(says)
    assert says in told(et)[0].advice


# ---- through the door


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


WIDE = {"COLUMNS": "400"}


def test_doctor_and_status_name_it_until_it_is_dismissed(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as faulty, connected(cli) as engine:
        overlook(faulty)
        unmended(faulty)
        ada = engine.agent("ada")
        ada.turn(RULE).done("Understood.")
        talk(ada)
        name = ada.distill().id[-8:]
    doctor = cli("doctor", env=WIDE)
    assert doctor.code == 1 and f"\u201c{RULE}\u201d (receipt {name})" in doctor.out
    assert f"1 rule of the user is lost: \u201c{RULE}\u201d" in cli("status", env=WIDE).out
    (told,) = cli("status", "--json").json["agents"][0]["distilled"]["missing"]
    assert (told["kind"], told["text"], told["receipt"][-8:]) == ("rules", RULE, name)
    assert cli("receipts", "dismiss", name).code == 0
    assert cli("doctor").code == 0 and RULE not in cli("status", env=WIDE).out
    assert cli("receipts", "dismiss", name, "--json").json["id"][-8:] == name
    assert cli("receipts", "dismiss", "ffffffff").code == 3


def test_who_dismisses_what_has_no_score_is_told_so(cli: Cli):
    with connected(cli) as engine:
        beat = engine.agent("ada").thread("heartbeat:morning", kind="background")
        for n in range(30):
            engine.agent("ada").turn(f"Beat {n}.", thread=beat).done("Fine.")
        receipt = engine.agent("ada").distill(thread=beat)
        assert receipt.score is None
    assert "it has no score" in cli("receipts", "dismiss", receipt.id).out


def test_an_alarm_tells_the_share_that_is_held_against_the_limit():
    """Of what was asked for: of all that was drawn it may be less than may be lost."""
    score = score_of({"numbers": KindScore(total=100, kept=60, recoverable=10, lost=4)})
    assert 100 * score.lost < 5 < 100 * score.missed
    assert review.alarm_text(score, 95.0) == "5.4 % of what was asked for is lost; 5 % may be"


def lost_much(et: Everthread, receipt: Receipt) -> None:
    """As if the score had found most of it lost, though nothing that has a name."""
    assert receipt.score is not None
    score = receipt.score._replace(kept=0.2, recoverable=0.0, lost=0.8, lost_items=())
    told = receipt._replace(score_json=score_text(score))
    scope, now = Scope(receipt.agent_ref), et.house.clock.now()
    et.house.store.write(lambda r: r.receipts.change(scope, told, "receipt.scored", now=now))


def fail_often(et: Everthread, ada: Agent, last: Receipt, times: int) -> None:
    def work(records: Records, n: int) -> None:
        fresh = last._replace(
            key_id=et.house.ids.new(), number=None, outcome="failed", score_json=None
        )
        records.receipts.add(ada.scope, fresh._replace(detail_json=f'{{"n": {n}}}'))

    for n in range(times):
        et.house.store.write(lambda r, at=n: work(r, at))


@pytest.mark.parametrize("failures", [0, 20])
def test_status_and_doctor_are_alarmed_by_the_same_distillations(
    et: Everthread, failures: int
) -> None:
    """One that is not the last, and one before which many failed."""
    ada = et.agent("ada")
    for _ in range(2):
        talk(ada)
        ada.distill()
    newest, older = ada.receipts()
    lost_much(et, older)
    fail_often(et, ada, newest, failures)
    (report,) = et.report().agents
    assert [one.id for one in report.distilled.alarming] == [older.id]
    assert report.distilled.last is not None and report.distilled.last.id == newest.id
    (found,) = told(et)
    assert older.id[-8:] in found.says
    assert f"receipt {older.id[-8:]} lost more than it may" in str(_alarms(report.distilled)[0][1])
    lost_much(et, newest)
    (report,) = et.report().agents
    assert len(told(et)) == len(report.distilled.alarming) == 2
    assert "2 distillations lost more than they may" in str(_alarms(report.distilled)[0][1])
    for one in (newest, older):
        ada.dismiss(one.id)
    assert told(et) == [] and not et.report().agents[0].distilled.alarm
