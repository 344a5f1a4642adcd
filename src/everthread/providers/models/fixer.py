"""A model as a fixer: one call and no second, within the daily cap. It gets a text and gives one."""

from __future__ import annotations

from collections.abc import Callable

from everthread.domain.drafts import Allowed, DistillerFailed, Spent
from everthread.domain.fixer_prompt import OUTPUT_TOKENS, asked, read
from everthread.ports.fixer import Advice

from .calls import Model


class ModelFixer:
    """Fills the port `Fixer` with any `Model`."""

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

    def suggest(self, context: str) -> Advice:
        prompt = asked(context, count=self._count)
        cost = self._model.price(prompt.tokens, OUTPUT_TOKENS)
        if not self._allowed(Spent(1, prompt.tokens, OUTPUT_TOKENS, cost)):
            raise DistillerFailed("budget", "the daily cap leaves no room for a call")
        reply = self._model.ask(prompt, most=OUTPUT_TOKENS, pause=self._pause)
        try:
            return Advice(read(reply.text), reply.spent)
        except ValueError as nonsense:
            raise DistillerFailed("nonsense", str(nonsense), reply.spent) from None
