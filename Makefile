# make run     start Parley on http://127.0.0.1:7860 (ARGS="--data my.csv --target y" for your own table)
# make check   format, lint, types and the quick tests
# make test    every test, lint and types
# make attack  attacks on a real server, for minutes; not in `make test`
# make docs    the documentation site, in build/site
# make audit   known holes in the locked versions, asked of a database over the network
# make install the virtual environment for `run`; does nothing while the requirements stay as they are
# make lock    write the locked versions again, after a change in requirements.txt or requirements/

PYTHON ?= python3.11
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal
SHELL := bash
DOCS_VENV ?= build/docs-venv
# Another installer may stand here, as `uv pip install --python .venv/bin/python`, which is faster; pip hears your pip settings.
INSTALL ?= $(BIN)/python -m pip --disable-pip-version-check --no-input install
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --custom-compile-command "make lock"
# What a laptop or a lab server gets beside requirements.txt.
LOCKED := requirements.txt requirements/lab.txt requirements/mcp.txt requirements/postgresql.txt
EVERYTHING := $(LOCKED) requirements/local.txt requirements/ray.txt requirements/dev.txt

.PHONY: all-tests attack audit check docs install install-dev lint lock quick-tests run test types

install: $(VENV)/.installed

install-dev: $(VENV)/.installed-dev

$(VENV)/.made:
	$(PYTHON) -m venv --clear $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.made requirements/lock.txt requirements/packaged-lock.txt
	$(INSTALL) --quiet --require-hashes -r requirements/lock.txt
	$(INSTALL) --quiet --require-hashes --no-deps -r requirements/packaged-lock.txt
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements/local.txt requirements/ray.txt requirements/dev.txt requirements/constraints.txt
	$(INSTALL) --quiet -c requirements/constraints.txt -r requirements/local.txt -r requirements/ray.txt -r requirements/dev.txt
	touch $@

run: install
	HF_HUB_OFFLINE=$${HF_HUB_OFFLINE:-1} $(BIN)/python app.py $(ARGS)

lock:
	$(COMPILE) --generate-hashes -o requirements/lock.txt $(LOCKED)
	$(COMPILE) --generate-hashes --no-deps -o requirements/packaged-lock.txt requirements/packaged.txt
	$(COMPILE) --no-annotate -o requirements/constraints.txt $(EVERYTHING)

# Types are checked while the tests run, since mypy uses one core.
check: install-dev
	@time $(MAKE) --no-print-directory -j 2 lint types quick-tests

test: install-dev
	@time $(MAKE) --no-print-directory -j 2 lint types all-tests

lint:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types:
	$(BIN)/mypy

quick-tests:
	$(PYTEST) -m "not slow and not browser"

# Part of what the tests wait for are browsers and servers, so three at once keep two cores busy.
all-tests:
	$(PYTEST) -n 3 -m "not attack"

attack: install-dev
	$(PYTEST) -m attack

audit:
	$(PYTHON) -m venv --clear build/audit-venv
	build/audit-venv/bin/python -m pip --disable-pip-version-check --no-input install --quiet pip-audit==2.10.1
	build/audit-venv/bin/pip-audit --strict --disable-pip --require-hashes -r requirements/lock.txt

# Its tools are kept apart from those of Parley; the build itself needs no network.
$(DOCS_VENV)/.installed: requirements/docs.txt
	$(PYTHON) -m venv --clear $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip --disable-pip-version-check --no-input install --quiet -r requirements/docs.txt
	touch $@

docs: $(DOCS_VENV)/.installed
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/mkdocs build --quiet --strict
