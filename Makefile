# The verbs of this repository. `make` alone lists them.

PYTHON ?= python3

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

VENV := .venv
BENCH_VENV := .venv-bench
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_READY := $(BENCH_VENV)/.ready
CODE := src tests tools $(wildcard bench)
BENCHES := $(addprefix bench-,recall search distill hooks harness import mcp refusals scorer acts)

# Many tests wait for a program or a server, so one worker more than processors keeps these busy. Timing
# tests and database servers share the machine: still more workers do not help for long.
CORES := $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n > 4 ? 4 : n)))
WORKERS := $(shell echo $$(($(CORES) < 4 ? $(CORES) + 1 : 4)))
PYTEST := $(BIN)/python -m pytest
PARALLEL := -n $(WORKERS) --dist loadgroup

# The quick run takes these files, waits for nothing, and does without plugins that are slow to load.
QUICK = $(addprefix tests/,$(shell sed 's/\#.*//' tests/quick))
LEAN := $(addprefix -p no:,anyio inline_snapshot platformdirs schemathesis)

# What was compiled once is not compiled again, whatever the environment says: a run starts Python
# hundreds of times.
unexport PYTHONDONTWRITEBYTECODE

# Recorded conversations that some tests read; those tests say so where the folder is missing.
TEST_DATA := $(wildcard $(abspath ../shared/data))
ifneq ($(TEST_DATA),)
export EVERTHREAD_TEST_DATA ?= $(TEST_DATA)
endif

# .ready dates the last successful set-up; .origin holds where the environment was made and by which
# Python. It is made anew when its interpreter is gone, when the checkout has moved (the scripts in it
# carry absolute paths), and when another PYTHON is asked for.
ASKED := $(if $(filter file,$(origin PYTHON)),,$(PYTHON))
define stale
$(shell [ -e $(1)/.origin ] || exit 0; \
	{ read -r place; read -r python; } < $(1)/.origin; \
	[ "$$place" = "$(CURDIR)" ] && [ -x $(1)/bin/python ] && \
	{ [ -z "$(ASKED)" ] || [ "$$python" = "$$(command -v $(ASKED))" ]; } || echo $(1))
endef
STALE := $(call stale,$(VENV)) $(call stale,$(BENCH_VENV))

# $(call make_venv,folder,requirements)
define make_venv
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
		{ echo "Everthread needs Python 3.11, 3.12 or 3.13; try: make setup PYTHON=python3.12" >&2; exit 1; }
	@if [ ! -e $(1)/.ready ] || [ -n "$(filter $(1),$(STALE))" ]; then \
		echo "Making $(1) ..."; \
		rm -rf $(1); \
		$(PYTHON) -m venv $(1) >/dev/null || { \
			rm -rf $(1); \
			version=$$($(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
			echo "Python cannot make environments here. On Debian or Ubuntu, as root:" >&2; \
			echo "    apt install python$$version-venv" >&2; \
			exit 1; }; \
		printf '%s\n' "$(CURDIR)" "$$(command -v $(PYTHON))" > $(1)/.origin; \
	fi
	@echo "Installing $(2) ..."
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check --no-input \
		--require-hashes --only-binary :all: -r $(2)
endef

.PHONY: help setup run test test-openclaw clients quick costs check tidy fix soak bench $(BENCHES) docs trace lock clean $(STALE)

help:
	@echo "make VERB, where VERB is one of"
	@sed -nE 's/^([a-z-]+):.*## (.*)/  \1\t\2/p' Makefile | expand -t 16

setup: $(READY) ## make .venv with everything that the other verbs need
	@:

$(READY): requirements/dev.txt pyproject.toml $(filter $(VENV),$(STALE))
	$(call make_venv,$(VENV),requirements/dev.txt)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input \
		--no-index --no-deps --no-build-isolation --editable .
	@touch $@

$(BENCH_READY): requirements/bench.txt $(filter $(BENCH_VENV),$(STALE))
	$(call make_venv,$(BENCH_VENV),requirements/bench.txt)
	@touch $@

run: setup ## show the example: a hundred turns with an agent called Ada
	@$(BIN)/everthread demo

# What the types hang on, to the byte. They take a processor a minute and a half, so code in which nothing
# was found is not looked at again before some of that changes; `make check` always looks.
TYPED := $(VENV)/.typed
define types
	state=$$(find src pyproject.toml requirements/dev.txt -type f ! -name '*.pyc' -print0 | \
		LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum); \
	if [ "$$state" = "$$(cat $(TYPED) 2>/dev/null)" ]; \
	then echo "types: nothing changed since nothing was found"; \
	else rm -f $(TYPED); $(BIN)/basedpyright; echo "$$state" > $(TYPED); fi
endef

# The types are looked at beside the tests: alone that would keep one processor busy and the others waiting.
test: tidy clients ## everything: the checks and all tests
	@( $(types) ) & types=$$!; failed=0; \
		$(PYTEST) $(PARALLEL) || failed=1; wait $$types || failed=1; exit $$failed

test-openclaw: setup ## the tests with a real OpenClaw, which takes a minute for a turn
	@$(BIN)/python tools/clients.py openclaw
	@$(PYTEST) -m openclaw

# The real clients that the tests run, at pinned versions, in a cache.
clients: setup
	@$(BIN)/python tools/clients.py

quick: setup ## the linter and the fast tests, in under a minute
	@$(BIN)/ruff format --check --quiet $(CODE)
	@$(BIN)/ruff check --quiet $(CODE)
	@$(PYTEST) -n $(CORES) $(LEAN) -q -m "not slow and not soak" $(QUICK)

# What each test file costs in CPU seconds, dearest first: all of them, or `make costs ONLY=tests/test_x.py`.
costs: setup
	@$(PYTEST) $(PARALLEL) -q --costs $(ONLY)

check: tidy ## formatting, lint and types
	@$(BIN)/basedpyright

tidy: setup
	@$(BIN)/ruff format --check $(CODE)
	@$(BIN)/ruff check $(CODE)

fix: setup ## format the code and repair what the linter can
	@$(BIN)/ruff check --fix $(CODE)
	@$(BIN)/ruff format $(CODE)

soak: setup ## the long loops: thousands of kills, random histories
	@EVERTHREAD_SOAK=1 $(PYTEST) -m "soak or hypothesis"

bench: setup $(BENCH_READY) ## measure against the floor and the peers; bench/README.md has the others (bench-…)
	@$(BIN)/python bench/run.py

# What each measures, and against what, is in bench/README.md.
$(BENCHES): bench-%: setup
	@for script in $(wildcard bench/$*/run.py bench/$*/cost.py); do $(BIN)/python $$script; done

# Against peers, which have an environment of their own.
bench-search: $(BENCH_READY)

docs: setup ## write docs/reference anew from the code
	@$(BIN)/python tools/reference.py

trace: setup ## which tests show which requirement, and what is uncovered
	@$(BIN)/python tools/trace.py

lock: setup ## pin all packages again (UPGRADE=1: the newest that fit)
	@$(BIN)/python tools/lock.py $(if $(UPGRADE),--upgrade)

clean: ## remove the environments and everything else that was made
	@rm -rf $(VENV) $(BENCH_VENV) build dist .hypothesis .pytest_cache .ruff_cache .import_linter_cache
	@find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +
