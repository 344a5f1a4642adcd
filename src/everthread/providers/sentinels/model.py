"""The model that distills, asked once about a window, under the same daily cap."""

from __future__ import annotations

from collections.abc import Callable

from everthread.domain.drafts import NOTHING, Allowed, DistillerFailed, Spent
from everthread.domain.safety import Reading, Window
from everthread.domain.sentinel_prompt import OUTPUT_TOKENS, asked, read
from everthread.providers.models.calls import Model

from .plain import instead


class ModelSentinel:
    """One call and no second: what it cannot tell, the rules can."""

    def __init__(
        self,
        model: Model,
        *,
        count: Callable[[str], int],
        allowed: Allowed,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self._model = model
        self._count = count
        self._allowed = allowed
        self._pause = pause

    @property
    def name(self) -> str:
        return self._model.name

    def probe(self, window: Window) -> Reading:
        spent = NOTHING
        prompt = asked(window, count=self._count)
        cost = self._model.price(prompt.tokens, OUTPUT_TOKENS)
        try:
            if not self._allowed(Spent(1, prompt.tokens, OUTPUT_TOKENS, cost)):
                return instead(window, "model", "budget: the daily cap leaves no room for a call")
            reply = self._model.ask(prompt, most=OUTPUT_TOKENS, pause=self._pause)
            spent = reply.spent
            return read(reply.text, self.name)._replace(spent=spent)
        except DistillerFailed as failed:
            return instead(window, "model", str(failed))._replace(spent=failed.spent)
        except ValueError as nonsense:
            return instead(window, "model", str(nonsense))._replace(spent=spent)
