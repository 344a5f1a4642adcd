"""What we publish installs into an empty environment, by pip and by pipx, and runs."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

import everthread
from support.skips import needs

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "everthread"

# One wheel for all of them, so one worker for all of them.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]

# To compile all packages takes longer than to install them; what we run compiles itself.
UNCOMPILED = "--no-compile"


def run(*command: str | Path, **more: str) -> str:
    """What the command prints, run as by a user whose shell knows nothing of this environment."""
    done = subprocess.run(
        command,
        env={**stranger(os.environ), **more},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def stranger(environment: Mapping[str, str]) -> dict[str, str]:
    ours = ("PYTHON", "PYTEST", "EVERTHREAD", "VIRTUAL_ENV", "PIPX")
    return {name: value for name, value in environment.items() if not name.startswith(ours)}


def only_from(folder: Path) -> tuple[str, ...]:
    """For pip: to look there and nowhere else, whatever somebody has set."""
    return "--no-index", f"--find-links={folder}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--wheel", "--no-isolation", "--outdir", folder)
    run(sys.executable, "-m", "build", *options, ROOT)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def found(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the wheel and all that pip found that it needs.

    To look through what the registry has takes three times as long as to install what is found, so both
    who install look here.
    """
    needs("registry")
    folder = tmp_path_factory.mktemp("found")
    # The newest pip too, which pipx fetches for itself.
    run(sys.executable, "-m", "pip", "download", "--quiet", "--dest", folder, wheel, "pip")
    return folder


@pytest.fixture(scope="module")
def by_pip(wheel: Path, found: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an empty environment into which pip has put the wheel."""
    place = tmp_path_factory.mktemp("pip") / "env"
    # The pip beside us, told to install over there: to put one there first takes as long again.
    run(sys.executable, "-m", "venv", "--without-pip", place)
    pip = (sys.executable, "-m", "pip", "--python", place / "bin" / "python")
    run(*pip, "install", "--quiet", UNCOMPILED, *only_from(found), wheel)
    return place / "bin"


@pytest.fixture(scope="module")
def by_pipx(wheel: Path, found: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which pipx has put our command."""
    place = tmp_path_factory.mktemp("pipx")
    homes = {
        "PIPX_HOME": str(place / "home"),
        "PIPX_BIN_DIR": str(place / "bin"),
        "PIPX_MAN_DIR": str(place / "man"),
        "PIPX_COMPLETION_DIR": str(place / "share"),
        # The pipx of a distribution knows pip only; this one would prefer the uv beside it.
        "PIPX_DEFAULT_BACKEND": "pip",
    }
    words = " ".join((UNCOMPILED, *only_from(found)))
    options = ("--python", sys.executable, f"--pip-args={words}")
    run(sys.executable, "-m", "pipx", "install", *options, wheel, **homes)
    return place / "bin"


@pytest.fixture(params=["by_pip", "by_pipx"])
def command(request: pytest.FixtureRequest) -> Path:
    return request.getfixturevalue(request.param) / "everthread"


def test_the_wheel_holds_every_file_of_the_package_and_the_licence(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        packed = {Path(name) for name in archive.namelist()}
    written = {
        path.relative_to(PACKAGE.parent)
        for path in PACKAGE.rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    assert {path for path in packed if path.parts[0] == "everthread"} == written
    assert Path("everthread/py.typed") in packed
    assert any(path.parent.name == "migrations" and path.suffix == ".sql" for path in packed)
    assert "LICENSE" in {path.name for path in packed}


def test_the_installed_command_tells_its_version(command: Path):
    assert everthread.__version__ in run(command, "--version")


def test_the_installed_command_shows_the_example(command: Path, tmp_path: Path):
    assert "ada" in run(command, "demo", "--turns", "3", EVERTHREAD_HOME=str(tmp_path)).lower()


def test_the_installed_package_is_imported_from_where_it_was_installed(by_pip: Path):
    home = run(by_pip / "python", "-c", "import everthread; print(everthread.__file__)")
    assert Path(home).is_relative_to(by_pip.parent)
