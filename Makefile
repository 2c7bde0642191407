# Each target makes its own virtual environment; nothing else is needed but Python 3.10 or newer.
PYTHON ?= python3
VENV ?= .venv
# A checkout of the GAP Benchmark Suite, for `make bench`.
GAP ?=
# Tests start hundreds of processes, which would compile the modules that they import each time.
unexport PYTHONDONTWRITEBYTECODE
SOURCES := pyproject.toml $(shell find gascl programs -name '*.py' -o -name '*.pyi' -o -name '*.cl')

.PHONY: demo check test site tables oldest bench clean

demo: $(VENV)/.gascl  ## PageRank of Debian's package dependencies
	$(VENV)/bin/gascl run PageRank datasets/debian-dependencies.txt.gz

check: $(VENV)/.test  ## lint, format, types, and which package imports which
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

test: $(VENV)/.test  ## the tests, but for the slow ones
	$(VENV)/bin/pytest -n auto --dist worksteal

site: $(VENV)/.site  ## the documentation as a site, in build/site
	$(VENV)/bin/python docs/site/make_site.py build/site

tables: $(VENV)/.gascl  ## the table of the bundled programs, and the cheatsheet, from the code
	$(VENV)/bin/python docs/program_tables.py
	$(VENV)/bin/python docs/cheatsheet.py

oldest: $(VENV)-oldest/.installed  ## every part with the oldest versions: PYTHON must be 3.10 or 3.11
	$(VENV)-oldest/bin/pytest -m slow tests/test_smoke.py

bench: $(VENV)/.bench  ## the table of docs/performance.md, against every peer that installs
	$(VENV)/bin/python benchmarks/bench.py $(if $(GAP),--gap $(GAP)) \
	    --csv benchmarks/results/cpu.csv --update docs/performance.md

clean:
	rm -rf $(VENV) $(VENV)-oldest build *.egg-info

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

# Editable, as CONTRIBUTING.md installs it: a change needs no new installation, and an installation
# of that page is not replaced by a copy, which would stay as it is while the code changes.
$(VENV)/.gascl: $(VENV)/bin/pip pyproject.toml
	$(VENV)/bin/pip install --quiet --editable .
	touch $@

$(VENV)/.test: $(VENV)/bin/pip pyproject.toml
	$(VENV)/bin/pip install --quiet --editable '.[test]'
	touch $@

$(VENV)/.site: $(VENV)/.gascl
	$(VENV)/bin/pip install --quiet --editable '.[docs]'
	touch $@

# NumPy 1.24 has wheels for Python 3.10 and 3.11.
$(VENV)-oldest/.installed: .ci/oldest.txt $(SOURCES)
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/pip install --quiet --constraint .ci/oldest.txt pytest hypothesis pandas \
	    igraph mpich '.[parquet,large,networkx,zstd,datasets,mpi,dask,plot]'
	touch $@

$(VENV)/.bench: $(VENV)/.test
	for peer in networkit python-graphblas; do $(VENV)/bin/pip install --quiet $$peer || true; done
	touch $@
