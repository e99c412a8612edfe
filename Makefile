# One virtual environment, made on demand from plain pins. `make` alone lists what there is to do.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: help setup demo ui test test-slow test-postgres check schemas clean

help:           ## what there is to do
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(READY)  ## a virtual environment in .venv with everything but the trainer's packages

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "toolscale needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	@echo "Setting up .venv from constraints.txt (a minute or two, once)."
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@grep -qsE '^(export +)?DAGSTER_HOME=' .env || { [ ! -s .env ] || echo; echo "DAGSTER_HOME=$(CURDIR)/.dagster"; } >> .env
	@touch $@

demo: $(READY)   ## the whole factory on the offline model: three domains, no key, no GPU
	@$(BIN)/toolscale demo $(ARGS)

ui: $(READY)     ## Dagster at http://127.0.0.1:3000
	$(BIN)/dagster dev

test: $(READY)   ## lint, types and every test that is not slow
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

test-slow: $(READY)  ## the tests that take minutes: kills, faults, budgets through whole runs
	$(BIN)/pytest -n 2 -m slow

test-postgres: $(READY)  ## the store's tests on a Postgres server of their own
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt 'psycopg[binary]'
	$(BIN)/pytest -m postgres tests/store tests/traces

schemas: $(READY)    ## regenerate schemas/ from the artifacts
	$(BIN)/python -m toolscale.artifacts.export schemas

clean:          ## forget the virtual environment (never the data)
	rm -rf .venv
