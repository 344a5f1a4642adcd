"""The model that distills, asked about a window."""

from __future__ import annotations

from everthread.domain.distilling.drafts import ModelFailed
from everthread.domain.safety.safety import Reading, Window
from everthread.domain.safety.sentinel_prompt import OUTPUT_TOKENS, asked, read
from everthread.providers.models.once import Once

from .plain import instead


class ModelSentinel(Once):
    """Fills the port `Sentinel` with any `Model`. What it cannot tell, the rules can."""

    def probe(self, window: Window) -> Reading:
        prompt = asked(window, count=self._count)
        try:
            reply = self._answer(prompt, most=OUTPUT_TOKENS)
        except ModelFailed as failed:
            return instead(window, "model", str(failed))._replace(spent=failed.spent)
        try:
            return read(reply.text, self.name)._replace(spent=reply.spent)
        except ValueError as nonsense:
            return instead(window, "model", str(nonsense))._replace(spent=reply.spent)
