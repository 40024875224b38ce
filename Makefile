# make demo and make test work on a machine that has only Python 3.11 or newer and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DEMO   ?= demo
PATHS  ?=

.PHONY: demo test test-all lint docs clean

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "ethogram needs Python 3.11 or newer; name one with PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,dev]'
	@touch $@

demo: $(READY)  ## simulated systems with known truth; PATHS="..." reports on your own files
ifeq ($(strip $(PATHS)),)
	$(BIN)/ethogram demo -o $(DEMO)
else
	$(BIN)/ethogram report $(PATHS) -o $(DEMO)/report.html
endif

test: $(READY)  ## everything that is not marked slow
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"

test-all: $(READY)  ## the slow tests too
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/generate_docs.py --check

docs: $(READY)  ## regenerate docs/reference from the code
	$(BIN)/python tools/generate_docs.py

clean:
	rm -rf $(VENV) $(DEMO) .mypy_cache .ruff_cache .pytest_cache .hypothesis
