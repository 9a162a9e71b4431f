# Precede: everything a person types. `make help` lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Options for the demo: make demo ARGUMENTS="--seconds 40 --loss 20"
ARGUMENTS ?=

.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench soak clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## Make .venv and fetch the jars; both stay inside this folder

$(READY): pyproject.toml constraints.txt deploy/local/ivy.xml deploy/local/versions.properties
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Precede needs Python 3.11 or newer: make setup PYTHON=python3.11")'
	@echo "making $(VENV) (about a minute, once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[development]"
	@$(BIN)/python -m deploy.local.jars
	@touch $@

demo: setup ## A real conversation under loss: broker, multicast, Spark, Delta, verify
	@$(BIN)/precede demo $(ARGUMENTS)

test: check ## Every check and every test, real broker and real Spark included
	@$(BIN)/coverage run --module pytest tests/ordering
	@$(BIN)/coverage report
	@$(BIN)/python -m pytest --ignore tests/ordering --ignore tests/tidy

check: setup ## Style, types and the laws of the house (fast)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest --quiet tests/tidy

bench: setup ## Measure the engine, as ratios within one run
	@$(BIN)/precede bench engine

soak: setup ## A million simulated histories (about half an hour)
	@$(BIN)/precede simulate --seeds 1000000

clean: ## Remove everything that was made or fetched here
	@rm -rf $(VENV) .precede build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
