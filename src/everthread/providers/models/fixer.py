"""A model as a fixer. It gets a text and gives one."""

from __future__ import annotations

from everthread.domain.distilling.drafts import ModelFailed
from everthread.domain.tasks.fixer_prompt import OUTPUT_TOKENS, asked, read
from everthread.ports.fixer import Advice

from .once import Once


class ModelFixer(Once):
    """Fills the port `Fixer` with any `Model`."""

    def suggest(self, context: str) -> Advice:
        reply = self._answer(asked(context, count=self._count), most=OUTPUT_TOKENS)
        try:
            return Advice(read(reply.text), reply.spent)
        except ValueError as nonsense:
            raise ModelFailed("nonsense", str(nonsense), reply.spent) from None
