"""A model that is asked once: one call under the daily cap, and no second one."""

from __future__ import annotations

from collections.abc import Callable

from everthread.domain.distilling.drafts import Allowed, ModelFailed, Spend
from everthread.domain.distilling.prompts import Prompt

from .calls import Model, Reply


class SingleCall:
    """What the ports have in common that a `Model` fills with a single answer."""

    def __init__(self, model: Model, *, count: Callable[[str], int], allowed: Allowed) -> None:
        self._model = model
        self._count = count
        self._allowed = allowed

    @property
    def name(self) -> str:
        return self._model.name

    def _answer(self, prompt: Prompt, *, most: int) -> Reply:
        """The answer, of at most so many tokens. Raises `ModelFailed`, also where the cap is spent."""
        cost = self._model.price(prompt.tokens, most)
        if not self._allowed(Spend(1, prompt.tokens, most, cost)):
            raise ModelFailed("budget", "the daily cap leaves no room for a call")
        return self._model.ask(prompt, most=most, pause=lambda: None)
