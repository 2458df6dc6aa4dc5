# Everything a newcomer or CI does. Each target makes the environment it needs; only Python 3.11+, make and git are assumed.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
PORT ?= 8000
UV := .tools/bin/uv
RUN := .venv/bin/
export UV_PROJECT_ENVIRONMENT := .venv

help: ## Show this help
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .tools
	.tools/bin/pip install --quiet --disable-pip-version-check 'uv>=0.9'

.venv/.synced: $(UV) pyproject.toml uv.lock
	$(UV) sync --quiet --locked --extra supervisor --extra agents
	@touch $@

env: .venv/.synced ## Make the Python environment (.venv)

demo: env ## Start both agents and the supervisor, print the URL (PORT=8000)
	@exec $(RUN)switchboard demo --port $(PORT)

test: env ## Run unit, contract and interaction tests (ARGS=... for pytest)
	$(RUN)pytest -m "not e2e" $(ARGS)

test-e2e: env ## Run the tests with processes, Node and Chromium (CI=true installs what is missing)
	@bash tests/e2e/setup.sh && bash tests/interop/setup.sh
	$(RUN)pytest -m e2e $(ARGS)

check: env ## Lint, format, types, import rules, catalogue and contracts
	$(RUN)ruff check .
	$(RUN)ruff format --check .
	$(RUN)pyright
	$(RUN)lint-imports
	$(RUN)python -m a2ui_schemas check
	$(RUN)python -m contracts check

web: ## Build the chat page into supervisor/http/static (needs Node 20+)
	cd web && npm ci --ignore-scripts --no-audit --no-fund && npm run build

web-copilotkit: ## Build the CopilotKit page into web/copilotkit/dist, served at /copilotkit (needs Node 20+)
	cd web/copilotkit && npm ci --ignore-scripts --no-audit --no-fund && npm run build

bench: env ## Measure one turn beside the floor and the peers (see bench/README.md)
	bash bench/run.sh $(ARGS)

sut: env ## Serve what the official A2A kit tests (PORT=9999, see tests/interop/README.md)
	@exec $(RUN)python -m tests.interop.sut --port $(if $(filter file,$(origin PORT)),9999,$(PORT)) $(ARGS)

clean: ## Remove environments, caches and local data
	rm -rf .venv .tools var .pytest_cache .ruff_cache .hypothesis web/node_modules web/copilotkit/node_modules web/copilotkit/dist

.PHONY: help env demo test test-e2e check web web-copilotkit bench sut clean
