#!/bin/bash
# Eight GPUs of one machine of a Ray cluster; its machines share this checkout.
#   RAY_ADDRESS=http://HEAD:8265 bash deploy/training/ray/one-node.sh
set -euo pipefail
source .venv-gpu/bin/activate
ray job submit -- env HF_HOME="$PWD/data/huggingface" \
    "$PWD/.venv-gpu/bin/python" -m trainer.on_ray --nodes 1 --gpus 8 --cpus 64 --folder "$PWD" -- train \
    --config single-gpu --dataset data/dataset --out runs/one-node --resume \
    --set algorithm.tasks_per_step=128
