# Precede: everything a person types. `make help` lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Options for the demo: make demo ARGUMENTS="--seconds 40 --loss 20"
ARGUMENTS ?=
# What the demo shows: make demo SCENE=traces, incident or causal
SCENE ?=

.DEFAULT_GOAL := help
.PHONY: help setup demo test check docs bench fuzz soak clean

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

demo: setup ## A real conversation under loss, on a page: broker, multicast, Spark, Delta, verify
	@$(BIN)/precede demo $(if $(SCENE),--scene $(SCENE)) $(ARGUMENTS)

test: check ## Every check and every test, real broker and real Spark included
	@$(BIN)/coverage run --module pytest tests/ordering
	@$(BIN)/coverage report
	@$(BIN)/python -m deploy.local.browser
	@$(BIN)/python -m pytest --ignore tests/ordering --ignore tests/tidy

check: setup ## Style, types and the laws of the house (fast)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest --quiet tests/tidy

docs: setup ## Build the documentation into build/site and check its links
	@$(BIN)/precede docs --into build/site

bench: setup ## Measure the engine, as ratios within one run
	@$(BIN)/precede bench engine

fuzz: setup ## Attack every parser with 100,000 inputs (some minutes)
	@$(BIN)/python -m tests.fuzz --inputs 100000

soak: setup ## A million simulated histories, a hundred kills, a matrix of faults (some hours)
	@$(BIN)/precede simulate --seeds 1000000
	@$(BIN)/python -m tests.end_to_end.soak all --record .precede/soak.jsonl

clean: ## Remove everything that was made or fetched here
	@rm -rf $(VENV) .precede build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
