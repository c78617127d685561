# `make` lists the targets. Everything works without root, with Python 3.11 or later, pip and make.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo test check eval test-full lint types imports unit docs wheel clean
.DELETE_ON_ERROR:

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
JOBS ?= 2

# Fixed seeds: the same run gives the same result.
export PYTHONHASHSEED := 0

help: ## List the targets.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: .venv/.installed ## Install into .venv and run the demo with whatever model is there.
	@$(BIN)/rqa demo

test: .venv/.installed-dev ## Every check; the types, which take one processor, are read while the tests begin.
	@$(MAKE) --no-print-directory --jobs 2 lint types imports unit

check: test ## The same as `make test`; CI runs this.

eval: .venv/.installed-dev ## The suites on the built-in engine; the report lies in eval-runs/structural.
	@$(BIN)/rqa eval guard probes echo router cache questions --engine structural --out eval-runs/structural

test-full: .venv/.installed-dev ## The large counts: kill series, fuzzing, benches. Results are written to evals/results.
	@$(BIN)/python -m evals.full --jobs $(JOBS)

lint: .venv/.installed-dev ## Style and format.
	@echo "lint: ruff"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: .venv/.installed-dev ## Types, strict.
	@echo "types: mypy"
	@$(BIN)/mypy

imports: .venv/.installed-dev ## Direction of imports between the layers.
	@echo "imports: import-linter"
	@$(BIN)/lint-imports

unit: .venv/.installed-dev ## The tests; what is absent on this machine is skipped with a word.
	@$(BIN)/pytest -n $(JOBS)

docs: .venv/.installed-dev ## Build the documentation into site/; a warning is an error.
	@$(BIN)/python -m docsgen
	@$(BIN)/python -m zensical build --strict --clean

wheel: .venv/bin/python ## Build the wheel into dist/.
	@rm -rf dist
	@$(PIP) wheel --no-deps --wheel-dir dist .
	@ls dist

clean: ## Remove what was installed and built here.
	rm -rf .venv dist build site .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# A Python whose `venv` cannot bring its own pip (Debian without python3-venv) lends the pip it has.
.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later was not found; set PYTHON=/path/to/python." >&2; exit 1; }
	@echo "Creating .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv .venv >/dev/null 2>&1 || { rm -rf .venv; \
		$(PYTHON) -m venv --without-pip .venv && \
		$(PYTHON) -m pip --python .venv/bin/python install --quiet --disable-pip-version-check pip; }

.venv/.installed: pyproject.toml | .venv/bin/python
	@echo "Installing (a minute or two) ..."
	@$(PIP) install --editable .
	@touch $@

.venv/.installed-dev: pyproject.toml | .venv/bin/python
	@echo "Installing with development tools (a few minutes) ..."
	@$(PIP) install --editable '.[dev]'
	@touch $@ .venv/.installed
