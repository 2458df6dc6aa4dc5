#!/usr/bin/env bash
# One turn of our server beside the floor, LangGraph's own loop (G) and ag-ui-langgraph, in the same rounds.
#   bench/run.sh [--rounds 3] [--workloads w1,w3] [--concurrency 16]     (further options: python -m bench run -h)
#   bench/run.sh turn [...]      the same with every journal: events, bytes, first text at 1 and 16 streams
#   bench/run.sh fanout [...]    several agents at once, beside the slowest alone; without the harness
#   bench/run.sh window [...]    the flush window and the group commit alone, in process, without the harness
# BENCH_HARNESS is the folder that holds the harness package `bench/`; the peers get an environment in .tools/bench.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
python=$root/.venv/bin/python
[ "${1:-}" = fanout ] && { shift; exec "$python" "$here/fanout.py" "$@"; }
[ "${1:-}" = window ] && { shift; exec "$python" "$here/window.py" "$@"; }

harness=$(cd "${BENCH_HARNESS:-$root/../shared}" 2>/dev/null && pwd) || { echo "Set BENCH_HARNESS to the folder that holds bench/." >&2; exit 2; }
[ -f "$harness/bench/__main__.py" ] || { echo "No benchmark harness in $harness; set BENCH_HARNESS." >&2; exit 2; }
venvs=$root/.tools/bench
[ -x "$venvs/lg/bin/python" ] || {
  "$root/.tools/bin/uv" venv -q --clear "$venvs/lg"
  "$root/.tools/bin/uv" pip install -q --python "$venvs/lg/bin/python" -r "$harness/bench/requirements/lg.txt"
}
mkdir -p "$root/var"
measure() {
  (cd "$harness" && "$venvs/lg/bin/python" -B -m bench run --venvs "$venvs" \
    --peers "floor,floor-graph@BENCH_GC=freeze,agui-langgraph" --app-path "$here" --workloads w1,w3 "$@")
}
if [ "${1:-}" = turn ]; then
  shift
  measure --app "none=$python:switchboard_no_journal" --app "memory=$python:switchboard_target" \
    --app "sqlite-journal=$python:switchboard_sqlite_journal" --app "sqlite=$python:switchboard_sqlite" \
    --concurrency 1,16 --rounds 5 --out "$root/var/bench-turn" "$@" >/dev/null
  exec "$python" "$here/turn.py" "$root/var/bench-turn.json"
fi
measure --app "switchboard=$python:switchboard_target" --concurrency 16 --rounds 3 --out "$root/var/bench" "$@"
