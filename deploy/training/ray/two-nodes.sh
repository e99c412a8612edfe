#!/bin/bash
# The paper's sixteen GPUs: two machines of a Ray cluster with eight each; all of them share this checkout.
#   export RAY_ADDRESS=http://HEAD:8265 TOOLSCALE_STORE_URL=postgresql://... OPENAI_API_KEY=... TAVILY_API_KEY=...
#   bash deploy/training/ray/two-nodes.sh
set -euo pipefail
source .venv-gpu/bin/activate
: "${TOOLSCALE_STORE_URL:?export TOOLSCALE_STORE_URL=postgresql://... first}"

# Keys, addresses and the store's password go by a file that this account alone can read: Ray shows a job's command and
# its runtime environment to everybody who sees the cluster.
variables=$(mktemp "$PWD/.variables.XXXXXX")
trap 'rm -f "$variables"' EXIT
env -0 | grep -zE '^(TOOLSCALE_[A-Z0-9_]*|HF_TOKEN|[A-Z0-9_]+_(KEY|API_BASE|BASE_URL))=' > "$variables"

ray job submit -- env HF_HOME="$PWD/data/huggingface" \
    "$PWD/.venv-gpu/bin/python" -m trainer.on_ray --nodes 2 --gpus 8 --cpus 64 --folder "$PWD" --variables "$variables" \
    -- train --config qwen3-8b-16xh100 --dataset data/dataset --out runs/two-nodes --resume
