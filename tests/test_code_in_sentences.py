"""A short sentence about a path, a call or a link is a sentence; a program's line is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from everthread.domain.text.sentences import stretches
from support.desk import desk_in

SAID = """
Never call eval().
Do not touch src/legacy/.
Never touch /srv/prod.
Never edit /etc/nginx/nginx.conf.
Always use https://api.example.com/v2.
We decided on https://api.example.com/v2.
Backups live in /mnt/nas/backups/2026.
Please rename foo() to bar() everywhere.
Please review /srv/shop/app/models/order.py.
Replace print() by log() everywhere.
Avoid foo() and bar().
If foo() fails, call bar().
Why does connect() hang?
Look at src/app/main.py
See docs/howto/install.md
look at src/app/main.py please
don't touch src/a/b.py
use Path.exists() not os.path.exists()
Rename get_user() to fetch_user()
Set DEBUG=1 in tests.
keep the data in /srv/data/raw
add a --dry-run flag to src/tools/sync.py
""".strip().splitlines()

PRINTED = """
return foo(x)
if not self.done:
for x in range(10):
while i < len(a):
else: return foo(bar)
with open(x) as f:
assert not foo(x)
raise ValueError(msg)
print(foo(x), bar)
x = foo(y) if z else bar()
code = self.io.read_text(name) or ""
self.io.tool_error(f"Error adding file to git: {e}")
<!-- Modal for Project 1 -->
{% for category in categories %}
git push origin feature/a/b
copying src/a/b.py -> build/lib
Copying src/a/b.py to build/lib/x
writing manifest to src/a/b.txt
Cloning into 'a/b/c'...
Created file src/a/b.py
Compiling foo v1.2 (/a/b/c)
Successfully installed foo-1.2.3 bar-2.3.4
GET /api/v1/foo 200
docker run -v /a/b:/c/d image
TypeError: foo() takes 2 arguments but 3 were given
""".strip().splitlines()


def sentences(text: str) -> list[str]:
    return [text[each.start : each.end] for each in stretches(text)]


@pytest.mark.parametrize("line", SAID)
def test_what_is_said_about_code_is_read(line: str) -> None:
    assert sentences(line) == [line]


@pytest.mark.parametrize("line", PRINTED)
def test_what_a_program_wrote_is_not_read(line: str) -> None:
    assert sentences(f"It says:\n\n{line}\n\nWhat now?") == ["It says:", "What now?"]


def test_rules_and_requests_with_paths_are_kept_and_scored(tmp_path: Path) -> None:
    """(A-50, R-16) They vanished from the summary, from memory and from the score alike."""
    rules = [
        "Never touch /srv/prod.",
        "Never call eval().",
        "Always use https://api.example.com/v2.",
    ]
    with desk_in(tmp_path, score_seconds=5.0) as desk:
        for rule in rules:
            desk.turn(rule, "Noted.")
        desk.turn("Please review /srv/shop/app/models/order.py.", "I will do that tomorrow.")
        desk.talk(0, 30)
        receipt = desk.ada.distill()
        kept = {memory.text: memory.kind for memory in desk.ada.memories()}
        assert {rule: kept.get(rule) for rule in rules} == dict.fromkeys(rules, "rule")
        assert receipt.score is not None
        assert receipt.score.by_kind["rules"].total
        view = str(desk.ada.context().messages[0])
        assert all(f'\\"{rule}\\"' in view or f'"{rule}"' in view for rule in rules)
        assert 'open: "Please review /srv/shop/app/models/order.py."' in view
