"""A model as a fixer. It gets a text and gives one."""

from __future__ import annotations

from everthread.domain.distilling.drafts import ModelFailed
from everthread.domain.tasks.fixer_prompt import OUTPUT_TOKENS, fixer_prompt, read_answer
from everthread.ports.fixer import Advice

from .single_call import SingleCall


class ModelFixer(SingleCall):
    """Fills the port `Fixer` with any `Model`."""

    def suggest(self, context: str) -> Advice:
        reply = self._answer(fixer_prompt(context, count=self._count), most=OUTPUT_TOKENS)
        try:
            return Advice(read_answer(reply.text), reply.spent)
        except ValueError as nonsense:
            raise ModelFailed("nonsense", str(nonsense), reply.spent) from None
