# The two commands that matter: `make run` and `make test`. `make help` lists the rest.
.DEFAULT_GOAL := help
.PHONY: run test check fmt lock help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
COMPILE := $(VENV)/lock/bin/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe --no-header \
	--no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
	--build-deps-for editable
SOURCES := bridge channels host store tests

run: $(VENV)/.run ## start the server: config.toml if there is one, else the built-in demo
	@exec $(BIN)/teambridge serve

test: check ## lint, types, import rules and all tests
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile

check: $(VENV)/.test ## lint, types and import rules only
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

fmt: $(VENV)/.test ## put the code into shape
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

lock: $(BIN)/python ## resolve the dependencies anew and lock them with their hashes
	$(PYTHON) -m venv $(VENV)/lock
	$(VENV)/lock/bin/python -m pip --quiet install pip-tools
	$(COMPILE) --upgrade --output-file requirements.lock pyproject.toml
	$(COMPILE) --upgrade --extra test --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST)

# What is installed follows the lock: a stamp says which lock was installed last. The development lock holds all of
# requirements.lock too, so `make run` is content with either.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "teambridge needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.lock pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes --requirement requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.test: requirements-dev.lock pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes --requirement requirements-dev.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.run
