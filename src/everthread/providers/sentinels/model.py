"""The model that distills, asked about a window."""

from __future__ import annotations

from everthread.domain.distilling.drafts import ModelFailed
from everthread.domain.safety.safety import Reading, Window
from everthread.domain.safety.sentinel_prompt import OUTPUT_TOKENS, read_reading, sentinel_prompt
from everthread.providers.models.single_call import SingleCall

from .plain import plain_fallback


class ModelSentinel(SingleCall):
    """Fills the port `Sentinel` with any `Model`. What it cannot tell, the rules can."""

    def probe(self, window: Window) -> Reading:
        prompt = sentinel_prompt(window, count=self._count)
        try:
            reply = self._answer(prompt, most=OUTPUT_TOKENS)
        except ModelFailed as failed:
            return plain_fallback(window, "model", str(failed))._replace(spent=failed.spent)
        try:
            return read_reading(reply.text, self.name)._replace(spent=reply.spent)
        except ValueError as nonsense:
            return plain_fallback(window, "model", str(nonsense))._replace(spent=reply.spent)
