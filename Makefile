# The two commands: make demo, make test. Each makes .venv when there is none and installs what it needs.
PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
WORKERS ?= 2
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all test-compat lint docs bench clean

$(READY): setup.cfg pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "euroglue needs Python 3.10 or newer: make PYTHON=python3.11 …")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet --editable ".[all]"
	touch $(READY)

demo: $(READY)
	$(BIN)/euroglue demo --out demo

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/make_cards.py --check

test: lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow"

test-all: lint
	$(BIN)/python -m pytest

test-compat:
	bash tests/compat.sh

docs: $(READY)
	$(BIN)/python docs/make_cards.py
	$(BIN)/mkdocs build --quiet --strict

# All but the two that need a pretrained encoder: accelerator.py, training_scores.py.
bench: $(READY)
	for script in $(filter-out %/accelerator.py %/training_scores.py,$(wildcard benchmarks/*.py)); do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) .venv-* demo *.egg-info
