"""What `connect` is told, before anything is opened: an option of the wrong kind would stumble much later."""

from __future__ import annotations

from everthread.domain.errors import BadInput
from everthread.settings import Settings


def must_be_options(
    settings: object, clock: object, *, background: object, read_only: object
) -> None:
    """Refuse by name what is no such option."""
    if settings is not None and not isinstance(settings, Settings):
        raise BadInput(f"settings must be everthread.Settings; got {type(settings).__name__}")
    methods = (getattr(clock, name, None) for name in ("now", "sleep"))
    if clock is not None and not all(callable(method) for method in methods):
        raise BadInput(
            f"clock must have the methods now() and sleep(seconds); got {type(clock).__name__}. "
            "everthread.testing.FrozenClock has them"
        )
    for name, value in (("background", background), ("read_only", read_only)):
        if not isinstance(value, bool):
            raise BadInput(f"{name} must be True or False; got {value!r:.60}")
