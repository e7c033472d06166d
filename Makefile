# The commands of this project. Each makes .venv first where it is missing or older than the pinned requirements.
# Another Python: make venv PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
MODELS ?= tests/output/models
STAMP := $(VENV)/.requirements-installed
REQUIREMENTS := requirements.txt requirements-dev.txt
CHECKED := core gui main.py tools
REALWINDOW = $(shell grep -rl --include='test_*.py' 'mark\.realwindow' tests)

.DEFAULT_GOAL := help
.PHONY: help system venv run test check lint types layers translations format bench soak models-test bundle guide test-matrix lock

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 18

system: # what pip cannot install; says which command does
	@$(PYTHON) tools/system_needs.py

venv: $(STAMP) ## create .venv with all that running and testing need

$(STAMP): $(REQUIREMENTS) | system
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: $(REQUIREMENTS:%=-r %)
	@touch $@

run: system venv ## open the window
	$(BIN)/python main.py

test: system venv ## all tests: the main flows in a real window, the others without a screen
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest --numprocesses auto --dist worksteal -m "not realwindow and not models"
	$(BIN)/python tools/real_window.py --screens=2 -- \
		$(BIN)/python -m pytest --numprocesses 2 --dist worksteal -m realwindow $(REALWINDOW)

check: lint types layers translations ## lint and format, types, layers, translations

lint: venv
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: venv
	$(BIN)/mypy $(CHECKED)

layers: venv
	$(BIN)/lint-imports --no-logo

translations: venv
	$(BIN)/python tools/check_translations.py

format: venv ## put the code into the project's format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: venv ## measure speed against bare NumPy and pyqtgraph
	$(BIN)/python tests/bench/run.py

soak: venv ## long random walks through the program; SOAK="--actions 100000 --seed 7" chooses how long
	$(BIN)/python tests/soak/run.py $(SOAK)

models-test: venv ## trained models: two public ones (180 MB, fetched once) against transformers, 3,400 damaged files
	$(BIN)/python tools/fetch_models.py $(MODELS)
	ATTENTION_STEPPER_MODELS=$(MODELS) $(BIN)/python -m pytest -m models
	$(BIN)/python tests/soak/run.py --part models

bundle: system venv ## build the self-contained program into dist/ and try it without Python and network
	$(BIN)/python tools/bundle.py
	$(BIN)/python tools/check_bundle.py

guide: venv ## draw the pictures of the user guide anew
	$(BIN)/python tools/guide_pictures.py

test-matrix: system ## chosen tests with the lowest and the newest libraries, on each Python 3.11 to 3.13 that is there
	$(PYTHON) tools/matrix.py

lock: ## choose new versions for requirements*.txt (needs uv)
	$(PYTHON) tools/lock.py
