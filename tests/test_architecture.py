"""The rooms, the size of things and the face of the package are as they should be."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import everthread

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

# Ratchets: these only ever go down.
LONGEST_FUNCTION = 50
LONGEST_MODULE = 400
DEAREST_IMPORT = 0.030  # seconds of CPU over a bare interpreter


# ---- rooms

ROOMS = "Rooms look down, never up"
PURE = "The domain does no I/O and imports no framework"
PORTS = "Services reach the world only through ports"
WIRING = "Only the wiring knows who fills a port"
DOMAIN = "Subjects of the domain look down"
SERVICES = "Subjects of the services look down"
DOORS = "Doors look one way"
HOOK = "What a harness runs needs nothing of ours"
ACYCLIC = "No cycles anywhere"

VIOLATIONS = {
    "the domain opens a database": (PURE, {"domain/planted.py": "import sqlite3"}),
    "the ports format for a terminal": (PURE, {"ports/planted.py": "import rich"}),
    "a service starts a program": (PORTS, {"services/planted.py": "import subprocess"}),
    "a service knows the store": (ROOMS, {"services/planted.py": "import everthread.store"}),
    "the store knows a service": (ROOMS, {"store/planted.py": "import everthread.services"}),
    "the domain names a room above, for types only": (
        ROOMS,
        {
            "domain/planted.py": "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    import everthread.engine"
        },
    ),
    "the engine picks a provider": (WIRING, {"engine/planted.py": "import everthread.providers"}),
    "a door opens the store": (WIRING, {"edges/planted.py": "import everthread.store"}),
    "recall knows of tasks": (
        DOMAIN,
        {"domain/recall/planted.py": "import everthread.domain.tasks.gates"},
    ),
    "the archive distills": (
        SERVICES,
        {"services/archive/planted.py": "import everthread.services.distilling.distill"},
    ),
    "a service that belongs to no subject": (SERVICES, {"services/planted.py": ""}),
    "the API knows the command line": (
        DOORS,
        {"edges/http/planted.py": "import everthread.edges.cli"},
    ),
    "a hook understands what it carries": (
        HOOK,
        {"edges/hooks/client.py": "import everthread.domain.conversation.messages"},
    ),
    "a module that has no room": (ROOMS, {"planted.py": ""}),
    "two modules that need each other": (
        ACYCLIC,
        {
            # In a package of its own: of a package with many cycles only the first are told.
            "domain/safety/planted.py": "import everthread.domain.safety.sown",
            "domain/safety/sown.py": "import everthread.domain.safety.planted",
        },
    ),
}


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is said of all of them at once: each has a name of its own, by which it is found again."""
    root = tmp_path_factory.mktemp("planted")
    shutil.copytree(SRC, root / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    for number, (_, files) in enumerate(VIOLATIONS.values()):
        for name, code in files.items():
            with (root / "src" / "everthread" / own_name(name, number)).open("a") as file:
                file.write(f"\n{own_name(code, number)}\n")
    status, output = lint(root)
    assert status == 1, output
    return output


def own_name(text: str, number: int) -> str:
    return re.sub(r"\b(planted|sown)\b", rf"\1_{number}", text)


def lint(root: Path, *options: str) -> tuple[int, str]:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), *(options or ("--no-cache",))],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_every_room_keeps_to_its_imports():
    code, output = lint(ROOT)
    assert code == 0, output


@pytest.mark.slow
@pytest.mark.parametrize("planted", VIOLATIONS)
def test_a_planted_violation_breaks_its_contract(complaints: str, planted: str):
    contract, files = VIOLATIONS[planted]
    assert f"{contract} BROKEN" in complaints
    # The complaint names the culprit, and not something else that is wrong.
    told = re.split(rf"^{re.escape(contract)}\n-+$", complaints, flags=re.MULTILINE)[1]
    section = re.split(r"^-{3,}$", told, flags=re.MULTILINE)[0]
    culprit = own_name(Path(next(iter(files))).stem, [*VIOLATIONS].index(planted))
    assert re.search(rf"\b{culprit}\b", section), section


# ---- names

DEFINED = re.compile(r"^(?:(?:async )?def |class )?([A-Za-z]\w*)(?:[(:]| = )", re.MULTILINE)


def unused(code: Iterable[str], users: Iterable[str]) -> list[str]:
    """Names at the top of a module that stand nowhere but where they are defined."""
    defined: Counter[str] = Counter()
    written: Counter[str] = Counter()
    for text in code:
        defined.update(DEFINED.findall(text))
        written.update(re.findall(r"\w+", text))
    for text in users:
        written.update(re.findall(r"\w+", text))
    # What is called a command is registered by its decorator.
    return [n for n in defined if written[n] <= defined[n] and not n.endswith("_command")]


def test_every_name_is_used_by_somebody():
    rooms = (ROOT / room for room in ("tests", "tools", "bench"))
    users = [path.read_text() for room in rooms for path in room.rglob("*.py")]
    assert unused((path.read_text() for path in SRC.rglob("*.py")), users) == []


def test_the_search_for_unused_names_finds_them():
    code = [
        "def left(x):\n    return x\n\n\ndef kept():\n    pass\n",
        "IDLE: int = 1\nclass Old(Base):\n",
    ]
    assert unused(code, ["kept()\n"]) == ["left", "IDLE", "Old"]


# ---- size


def oversized(code: str) -> Iterator[str]:
    lines = len(code.splitlines())
    if lines > LONGEST_MODULE:
        yield f"module: {lines} lines"
    for node in statements(ast.parse(code)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONGEST_FUNCTION:
                yield f"{node.name}: {length} lines"


def statements(block: ast.AST) -> Iterator[ast.AST]:
    """All that stands below, without the expressions: they are most of it, and hold no function."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        for node in getattr(block, name, ()):
            yield node
            yield from statements(node)


@pytest.mark.slow
def test_no_module_and_no_function_is_too_long():
    found = {
        path.relative_to(SRC).as_posix(): faults
        for path in sorted(SRC.rglob("*.py"))
        if (faults := list(oversized(path.read_text())))
    }
    assert found == {}


def test_the_measure_of_size_counts_every_line():
    body = '    """Docstrings count."""\n' + "    pass\n" * (LONGEST_FUNCTION - 2)
    assert list(oversized(f"def fits():\n{body}")) == []
    assert list(oversized(f"async def bursts():\n{body}    pass\n")) == ["bursts: 51 lines"]
    hidden = "".join(f"        {line}\n" for line in f"def inner():\n{body}    pass".splitlines())
    for around in ("if x:\n    pass\nelse:\n    for y in x:\n", "class A:\n    try:\n"):
        rest = "    except E:\n        pass\n" if "try" in around else ""
        assert list(oversized(around + hidden + rest)) == ["inner: 51 lines"]
    assert list(oversized("\n" * LONGEST_MODULE)) == []
    assert list(oversized("\n" * LONGEST_MODULE + "x = 1")) == ["module: 401 lines"]


# ---- the face


def run_python(code: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_importing_the_package_loads_nothing_of_others():
    loaded = run_python(
        "import sys\n"
        "before = set(sys.modules)\n"
        "import everthread\n"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    assert set(loaded.split()) - sys.stdlib_module_names == {"everthread"}


def test_every_port_is_found_where_the_table_says():
    from everthread import ports

    assert all(getattr(ports, name).__name__ == name for name in ports.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Nobody'"):
        ports.Nobody  # noqa: B018 - looked for, and not there


def cpu_seconds(code: str) -> float:
    """User and system time of a fresh interpreter, start and end included."""
    # Recompiling on every run would measure the compiler.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    child = os.posix_spawn(sys.executable, [sys.executable, "-c", code], kept)
    _, status, usage = os.wait4(child, 0)
    assert status == 0
    return usage.ru_utime + usage.ru_stime


def test_importing_the_package_costs_next_to_nothing(record_property):
    pairs = [(cpu_seconds("pass"), cpu_seconds("import everthread")) for _ in range(9)]
    bare, ours = (min(column) for column in zip(*pairs, strict=True))
    record_property("import_cpu_ms", round((ours - bare) * 1000, 1))
    assert ours - bare <= DEAREST_IMPORT


def test_the_public_names_are_sorted_and_are_all_that_shows():
    assert list(everthread.__all__) == sorted(everthread.__all__)
    shown = [name for name in dir(everthread) if not name.startswith("_")]
    assert shown == [name for name in everthread.__all__ if not name.startswith("_")]


def test_every_public_name_is_there():
    assert [name for name in everthread.__all__ if not hasattr(everthread, name)] == []
