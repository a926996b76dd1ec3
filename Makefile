# The everyday commands. `make` alone lists them. Works with any make and sh, on Linux and macOS.
#
# Everything is installed into .venv from this checkout, never by name from a package registry.

PYTHON = python3
VENV = .venv
BIN = $(VENV)/bin
WORKERS = 3

# Compiled modules are kept even where the environment says not to: each process of the tests would compile them anew.
COMPILED = PYTHONDONTWRITEBYTECODE=

.PHONY: help demo test check lint types layers wheel format bench docs screenshots clean ffmpeg chromium

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.demo-ready ffmpeg ## Run the demo project of this checkout
	$(BIN)/oloproof run

test: $(VENV)/.dev-ready ffmpeg chromium ## Run the tests
	$(COMPILED) $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

check: lint types layers wheel test ## Everything that CI runs

lint: $(VENV)/.dev-ready ## Formatting and lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.dev-ready ## Types
	$(BIN)/mypy

layers: $(VENV)/.dev-ready ## Imports run one way
	$(BIN)/lint-imports

wheel: $(VENV)/.dev-ready ## Build the wheel, install it in an empty environment and use it
	$(BIN)/python scripts/try_wheel.py

format: $(VENV)/.dev-ready ## Format the code and mend what lint can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev-ready ## Measure what a run costs
	$(BIN)/python benchmarks/bench.py

docs: $(VENV)/.dev-ready ## Write the generated pages of docs/
	$(BIN)/python scripts/generate_docs.py

screenshots: $(VENV)/.dev-ready ffmpeg chromium ## Take the pictures of docs/workbench.md anew
	$(BIN)/python scripts/make_screenshots.py

clean: ## Remove what the other targets made, the environment included
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	rm -rf .oloproof out demo/out report.html
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

ffmpeg:
	@sh scripts/ensure_ffmpeg.sh

chromium:
	@sh scripts/ensure_chromium.sh

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Oloproof needs Python 3.11 or newer, found as python3 or named: make PYTHON=python3.12 demo" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo-ready: pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[media]'
	@touch $@

$(VENV)/.dev-ready: pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.demo-ready
