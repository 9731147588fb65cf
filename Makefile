# `make` alone prints what there is. PYTHON chooses the interpreter: make test PYTHON=python3.12

PYTHON ?= python3
VENV   ?= .venv
PARTS  ?=# the parts of the tests to run, all when empty: make test PARTS="referee sight"
PORT   ?= 8000
PYTEST ?=# options handed to pytest: make test PYTEST="-x -k badge"

BIN  := $(VENV)/bin
PYV  := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo none)
# Two stamps, so that a changed setting in pyproject.toml costs a second and only a changed lock a full installation.
# They carry Python's version: another interpreter sets up anew.
LOCKED := $(VENV)/locked-$(PYV)
READY  := $(VENV)/ready-$(PYV)

# Servers and tests start many processes: each module is compiled once, not in every one of them.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run fresh demo setup test check api bench leaks secrecy fuzz audit fast soak kills drills mutate looks glide pictures messages lock clean needs-run needs-test

help:  ## print this
	@echo "版杀 bansha"
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: needs-run $(READY)  ## serve a demonstration town at http://localhost:8000 (PORT=8000); a second run keeps it
	@$(BIN)/bansha seed --port $(PORT)
	@exec $(BIN)/bansha serve --port $(PORT)

fresh: needs-run $(READY)  ## start the demonstration town over: its embedded database is taken away
	@$(BIN)/bansha seed --away --port $(PORT)
	@$(MAKE) --no-print-directory run

demo: needs-run $(READY)  ## play a demonstration game in the terminal
	$(BIN)/bansha demo m205

setup: needs-run $(READY)  ## only set up .venv, from requirements.lock alone

test: needs-test $(READY)  ## make check, then every test, part by part (PARTS="referee sight" for some)
	@$(MAKE) --no-print-directory check
	@$(BIN)/python tools/parts.py $(PARTS) -- $(PYTEST)

check: needs-run $(READY)  ## lint, types, who may import whom, and whether the pages tell the truth
	$(BIN)/ruff check
	BANSHA_DEBUG=1 $(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(if $(wildcard tests/docs/test_*.py),$(BIN)/python -m pytest tests/docs -q)

bench: needs-run $(READY)  ## how fast is it
	$(BIN)/python bench/run.py

secrecy: needs-test $(READY)  ## random games, everything every kind of viewer can fetch, and its twin: no difference
	$(BIN)/python -m pytest tests/town/test_secrecy.py -q --long -o faulthandler_timeout=0

leaks: needs-run $(READY)  ## plant leaks of secrets, one by one: each must be found
	$(BIN)/python tools/leaks.py

fuzz: needs-run $(READY)  ## hand in mangled posts, cases, rulesets and journals, a hundred times as many as the tests do
	$(BIN)/python -m pytest tests/fuzz -q --long -o faulthandler_timeout=0

audit: needs-run $(READY)  ## ask whether a dependency in requirements.lock has a known weakness
	$(BIN)/python tools/audit.py

fast: needs-run $(READY)  ## compile the referee into .fast/ (needs a C compiler)
	$(BIN)/python tools/fast.py

soak: needs-test $(READY)  ## 10,000 deadlines under four clocks, one killed every second, on both databases
	$(BIN)/python tools/soak.py
	$(BIN)/python tools/soak.py --database postgresql

drills: needs-test $(READY)  ## full disks, a database gone for a minute, two servers on one database, backups under way
	$(BIN)/python tools/drills.py

kills: needs-test $(READY)  ## a game over HTTP while pages, stream and clock are killed 40 times, on both databases
	$(BIN)/python tools/kills.py
	$(BIN)/python tools/kills.py --database postgresql

api: needs-test $(READY)  ## every call of the interface with many inputs, good and bad: no answer that is not documented
	BANSHA_EXAMPLES=40 $(BIN)/python -m pytest tests/api/test_contract.py -q

mutate: needs-run $(READY)  ## change the rules' code, one place at a time: a test must notice
	$(BIN)/python tools/mutate.py

looks: needs-test $(READY)  ## every page of the town in four looks: access, width, errors on the console
	$(BIN)/python tools/looks.py

glide: needs-test $(READY)  ## 240 steps of a replay's slider at a quarter of the speed: no task over 100 ms
	$(BIN)/python -m pytest tests/browser/test_replay.py -q --long -o faulthandler_timeout=0 -k slow_processor

pictures: needs-test $(READY)  ## draw docs/pictures/ anew from the town's pages
	$(BIN)/python tools/looks.py --pictures

messages: needs-run $(READY)  ## take up what pages say into bansha/locale/, and compile it
	$(BIN)/python tools/translate.py

lock: needs-run  ## choose versions anew within pyproject.toml's ranges (UPGRADE=1: the newest ones)
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet uv==0.13.9
	.venv-lock/bin/uv pip compile --quiet $(if $(UPGRADE),--upgrade) --universal --python-version 3.11 \
	    --extra dev --generate-hashes --no-emit-index-url --no-emit-find-links \
	    --custom-compile-command "make lock" --output-file requirements.lock pyproject.toml
	@! grep -nE '://|^-|@ (/|file:)' requirements.lock || { echo "requirements.lock names an address; see above"; exit 1; }

clean:  ## take away all that make and the tools made
	rm -rf $(VENV) .venv-lock build dist htmlcov .coverage .coverage.* \
	    .hypothesis .import_linter_cache .mutation .mypy_cache .pytest_cache .ruff_cache
	find bansha tests tools bench docs -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

needs-run needs-test: needs-%:
	@PYTHON="$(PYTHON)" bash tools/needs.sh $*

$(LOCKED): requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@rm -f $(VENV)/locked-* && touch $@

$(READY): $(LOCKED) pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index --editable .
	@rm -f $(VENV)/ready-* && touch $@
