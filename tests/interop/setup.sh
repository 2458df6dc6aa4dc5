#!/usr/bin/env bash
# Makes the frozen peers: one environment per release of a2a-sdk, with the exact pins of peers/*/requirements.txt.
# An environment that was made from the same pins is left alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=$(cd "$here/../.." && pwd)/.tools

for pins in "$here"/peers/*/requirements.txt; do
  home="$tools/peers/$(basename "$(dirname "$pins")")"
  cmp -s "$pins" "$home/made-from.txt" && continue
  rm -rf "$home"
  "$tools/bin/uv" venv --quiet --python "$tools/bin/python" "$home"
  "$tools/bin/uv" pip install --quiet --no-deps --python "$home/bin/python" --requirement "$pins"
  cp "$pins" "$home/made-from.txt"
done
