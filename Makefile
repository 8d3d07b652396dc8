# Everything sets itself up: `make demo` and `make test` need only Python 3.11+ and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY  := $(VENV)/.ready
INPUTS ?= 10000
TRIALS ?= 60

# Tests start hundreds of processes: what the first one has parsed, the others read.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: venv demo test test-long simulations check gate update-gates policies fuzz chaos bench docs clean

venv: $(READY)

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "arena needs Python 3.11 or newer; found $$($(PYTHON) --version). Say PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	@touch $(INSTALLED)

$(READY): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(READY)

demo: $(INSTALLED)  ## the quick-start tournament and its report
	$(BIN)/arena run quickstart --out reports/demo
	@echo "Now open reports/demo/report.html; 'source $(BIN)/activate' makes arena a command"

test: $(READY)  ## all tests
	$(BIN)/python -m pytest -n 4 --max-worker-restart 0 --dist loadfile --no-loadscope-reorder --durations 15 -m "not long"  # more than cores: many tests wait

test-long: $(READY)  ## simulations and campaigns, side by side; INPUTS and TRIALS make the campaigns shorter
	$(MAKE) -j 3 simulations fuzz chaos

simulations: $(READY)  ## the tests that take long
	$(BIN)/python -m pytest -n 2 --max-worker-restart 0 --dist worksteal -m long tests

check: $(READY)  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

gate: $(READY)  ## are our agents as strong as they were?
	PATH="$(abspath $(BIN)):$$PATH" .ci/gate configs/gates --quiet --out reports/gates

update-gates: $(READY)  ## new baselines, after a change that is meant
	PATH="$(abspath $(BIN)):$$PATH" .ci/gate configs/gates --update --quiet --out reports/gates

policies: $(READY)  ## the bundled policies, from nothing (under two hours on two cores)
	cd agents/policies && $(abspath $(BIN))/arena train policy klaverjas.yaml schieber.yaml hearts.yaml --jobs 2
	cd agents/models && $(abspath $(BIN))/arena train policy policy-klaverjas.yaml policy-schieber.yaml policy-hearts.yaml --jobs 2

fuzz: $(READY)  ## hostile inputs of each kind
	$(BIN)/python tests/fuzz/run.py $(INPUTS)

chaos: $(READY)  ## runs that are killed and go on
	$(BIN)/python tests/chaos/campaign.py $(TRIALS)

bench: $(READY)  ## how fast everything is on this machine
	$(BIN)/arena bench

docs: $(READY)  ## the documentation as a site
	$(BIN)/python -m mkdocs build --strict
	@echo "Now open site/index.html"

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
