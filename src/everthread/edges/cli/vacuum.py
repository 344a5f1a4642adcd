"""`vacuum`: write the store anew, without gaps."""

from __future__ import annotations

import click

from .base.options import Choice, common, examples, open_engine, refuse_agent
from .base.terminal import bytes_text, say, show_json


@click.command(
    "vacuum",
    short_help="Write the store anew, without gaps.",
    epilog=examples("everthread vacuum"),
)
@common
def vacuum_command(choice: Choice) -> None:
    """Write the whole store anew, so that free space inside it goes back to the disk.

    Nobody has to call this: free space goes back by itself, a little every hour, except from a file
    that an old version made. Whoever writes meanwhile waits, and it can take as much room again as
    the store has. On PostgreSQL only the owner of the tables may call it; there it also ends what
    is left of erased words in the server's files.
    """
    refuse_agent(choice, "the whole store is written anew, not one agent")
    with open_engine(choice) as engine:
        before, after = engine.vacuum()
    gone = max(0, before.used + before.free - after.used - after.free)
    if choice.as_json:
        show_json({"given_back": gone, "used": after.used, "free": after.free})
        return
    say(f"{bytes_text(gone)} went back to the disk; {bytes_text(after.used)} are in use")
