#!/bin/bash
# One GPU of a Ray cluster whose machines share this checkout:
#   RAY_ADDRESS=http://HEAD:8265 bash deploy/training/ray/one-gpu.sh
set -euo pipefail
source .venv-gpu/bin/activate  # make setup-gpu, and in it Ray: pip install 'ray[default]', in the cluster's version
ray job submit -- env HF_HOME="$PWD/data/huggingface" \
    "$PWD/.venv-gpu/bin/python" -m trainer.on_ray --nodes 1 --gpus 1 --folder "$PWD" -- train \
    --config single-gpu --dataset data/dataset --out runs/one-gpu --resume
