"""Commands that answer like `claude -p` and `codex exec`, written for one test each."""

from __future__ import annotations

import sys
from pathlib import Path

HEAD = """#!{python}
import json, os, subprocess, sys, time
FOLDER = {folder!r}
def note(name, value):
    with open(os.path.join(FOLDER, name), "w") as file:
        file.write(value)
ANSWER = {answer!r}
"""

CLAUDE = """
note("asked", sys.stdin.read())
note("argv", json.dumps(sys.argv[1:]))
note("seen", json.dumps([os.environ.get("EVERTHREAD_PRIVATE"), os.getcwd(), os.listdir()]))
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": ANSWER,
    "session_id": "s", "num_turns": 1, "total_cost_usd": 0.0125,
    "usage": {"input_tokens": 3, "cache_creation_input_tokens": 900,
        "cache_read_input_tokens": 97, "output_tokens": 50}}))
"""

CODEX = """
note("asked", sys.stdin.read())
print(json.dumps({"type": "thread.started", "thread_id": "t"}))
print(json.dumps({"type": "turn.started"}))
print(json.dumps({"type": "item.completed",
    "item": {"id": "0", "type": "reasoning", "text": "hm"}}))
print(json.dumps({"type": "item.completed",
    "item": {"id": "1", "type": "agent_message", "text": ANSWER}}))
print(json.dumps({"type": "turn.completed",
    "usage": {"input_tokens": 700, "cached_input_tokens": 600, "output_tokens": 40}}))
"""

PLAIN = "sys.stdin.read(); print(ANSWER)"

NOT_LOGGED_IN = """
sys.stdin.read()
print(json.dumps({"type": "result", "is_error": True, "total_cost_usd": 0,
    "result": "Invalid API key \\u00b7 Please run /login"}))
sys.exit(1)
"""

BROKEN = """
sys.stderr.write("error: unknown option '--tools'\\n")
sys.exit(2)
"""

DEAF = "print(ANSWER)"

FLOOD = """
while True:
    sys.stdout.write("words and more words " * 4096)
"""

STUCK = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
note("pids", json.dumps([os.getpid(), child.pid]))
time.sleep(600)
"""


def command(folder: Path, body: str, answer: str = "", name: str = "claude") -> list[str]:
    """A command in that folder that behaves so; what it saw it writes down beside itself."""
    script = folder / name
    head = HEAD.format(python=sys.executable, folder=str(folder), answer=answer)
    script.write_text(head + body)
    script.chmod(0o755)
    return [str(script)]
