"""What models cost: put down by day, and held against the cap before each call."""

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.distilling.drafts import ModelFailed, Spend
from everthread.domain.distilling.receipts import Spending
from everthread.domain.times import moment_of
from everthread.ports import House


def spend(house: House, scope: Scope, distiller: str, spent: Spend) -> None:
    """Put down what a distillation cost, whether it came to something or not."""
    if not any(spent):
        return
    told = Spending(_day(house), distiller, *spent)
    house.store.write(lambda r: r.intents.spend(scope, told))


def cost_detail(spent: Spend, trouble: BaseException | None = None) -> dict[str, dict[str, int]]:
    """What a receipt says of the cost, also where a model failed; nothing where none was asked."""
    if isinstance(trouble, ModelFailed):
        spent = spent.plus(trouble.spent)
    return {"spent": spent._asdict()} if any(spent) else {}


def spent_today(house: House) -> Spend:
    """What all agents of the store spent today."""
    today = house.store.read(lambda r: r.intents.spent(_day(house)))
    total = Spend()
    for each in today:
        total = total.plus(Spend(*each[2:]))
    return total


def within_cap(house: House, wanted: Spend, most: Spend) -> bool:
    """May so much more be spent today? `most` holds the cap: its tokens, and its micros."""
    total = spent_today(house).plus(wanted)
    return total.tokens <= most.tokens and total.micros <= most.micros


def _day(house: House) -> str:
    return f"{moment_of(house.clock.now()):%Y-%m-%d}"
