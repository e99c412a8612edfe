#!/bin/bash
# The paper's sixteen GPUs: two machines of a Ray cluster with eight each; all of them share this checkout.
#   RAY_ADDRESS=http://HEAD:8265 TOOLSCALE_STORE_URL=postgresql://... bash deploy/training/ray/two-nodes.sh
set -euo pipefail
ray job submit -- env HF_HOME="$PWD/data/huggingface" TOOLSCALE_STORE_URL="${TOOLSCALE_STORE_URL:?export it}" \
    "$PWD/.venv/bin/python" -m trainer.on_ray --nodes 2 --gpus 8 --cpus 64 --folder "$PWD" -- train \
    --config qwen3-8b-16xh100 --dataset data/dataset --out runs/two-nodes --resume
