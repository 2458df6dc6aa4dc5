#!/usr/bin/env bash
# One turn of our server beside the floor, LangGraph's own loop (G) and ag-ui-langgraph, in the same rounds.
#   bench/run.sh [--rounds 3] [--workloads w1,w3] [--concurrency 16]     (further options: python -m bench run -h)
# BENCH_HARNESS is the folder that holds the harness package `bench/`; the peers get an environment in .tools/bench.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
harness=$(cd "${BENCH_HARNESS:-$root/../shared}" 2>/dev/null && pwd) || { echo "Set BENCH_HARNESS to the folder that holds bench/." >&2; exit 2; }
[ -f "$harness/bench/__main__.py" ] || { echo "No benchmark harness in $harness; set BENCH_HARNESS." >&2; exit 2; }
venvs=$root/.tools/bench
[ -x "$venvs/lg/bin/python" ] || {
  "$root/.tools/bin/uv" venv -q --clear "$venvs/lg"
  "$root/.tools/bin/uv" pip install -q --python "$venvs/lg/bin/python" -r "$harness/bench/requirements/lg.txt"
}
mkdir -p "$root/var"
cd "$harness"
exec "$venvs/lg/bin/python" -B -m bench run --venvs "$venvs" \
  --peers "floor,floor-graph@BENCH_GC=freeze,agui-langgraph" \
  --app "switchboard=$root/.venv/bin/python:switchboard_target" --app-path "$here" \
  --workloads w1,w3 --concurrency 16 --rounds 3 --out "$root/var/bench" "$@"
