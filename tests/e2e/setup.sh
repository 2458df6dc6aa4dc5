#!/usr/bin/env bash
# What the end-to-end tests need beside Python: Node 20+, Chromium, a font with Chinese characters and PostgreSQL.
# Under CI=true missing system packages are installed; otherwise this says what to install.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

missing=()
command -v node >/dev/null || missing+=(nodejs npm)
command -v chromium >/dev/null || command -v google-chrome >/dev/null || missing+=(chromium)
{ command -v fc-list >/dev/null && fc-list :lang=zh | grep -q .; } || missing+=(fontconfig fonts-wqy-zenhei)
{ command -v fc-list >/dev/null && fc-list | grep -qi emoji; } || missing+=(fonts-noto-color-emoji)
command -v postgres >/dev/null || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing+=(postgresql)

if [ ${#missing[@]} -gt 0 ]; then
  if [ "${CI:-}" != true ] || ! command -v apt-get >/dev/null; then
    echo "The end-to-end tests need: ${missing[*]} (Debian: apt-get install ${missing[*]}; or run with CI=true as root)." >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' || { echo "Node 20 or newer is needed, this is $(node --version)." >&2; exit 1; }

copilotkit="$root/web/copilotkit"
for folder in "$root/tests/e2e/clients" "$root/web" "$copilotkit"; do
  [ -f "$folder/package-lock.json" ] || continue
  [ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ] && continue
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --silent)
done

# This page is not committed, for its size. It is built again when a source, also one that it shares with ours, is newer.
built="$copilotkit/dist/index.html"
newer() { find "$copilotkit"/{src,stubs,*.*} "$root/web/src" -type f -newer "$built" -print -quit; }
if [ ! -f "$built" ] || [ -n "$(newer)" ]; then
  (cd "$copilotkit" && npm run --silent build -- --logLevel error)
fi
