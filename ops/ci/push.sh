#!/bin/sh
# Pushes a build from any CI (docs/push.md). It needs Node 20.15 or later, no npm, and these variables:
#   LRS_CORE_URL, LRS_PORTAL_URL   addresses of core and of the portal
#   LRS_TOKEN                      a personal token with the scope upload: a secret of the CI
#   PUSH_PATH, PUSH_GAME           folder or zip; id or slug of the game
# These may be there: PUSH_CHANNEL (live or beta), PUSH_LABEL, PUSH_NOTES, PUSH_SUBMIT=true, PUSH_MESSAGE,
# PUSH_DESKTOP=true, PUSH_TRIES (3), PUSH_WAIT (20: seconds between tries). It prints JSON.
# Exit codes: 0 done or nothing changed, 1 refused, 2 wrong settings, 3 unreachable.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)

for name in LRS_CORE_URL LRS_TOKEN PUSH_PATH PUSH_GAME; do
  eval "value=\${$name:-}"
  if [ -z "$value" ]; then
    echo "$name is not set: the head of $0 says what it is." >&2
    exit 2
  fi
done

set -- push "$PUSH_PATH" "$PUSH_GAME" --json --channel="${PUSH_CHANNEL:-live}"
if [ -n "${PUSH_LABEL:-}" ]; then set -- "$@" --label="$PUSH_LABEL"; fi
if [ -n "${PUSH_NOTES:-}" ]; then set -- "$@" --notes="$PUSH_NOTES"; fi
if [ -n "${PUSH_MESSAGE:-}" ]; then set -- "$@" --message="$PUSH_MESSAGE"; fi
if [ "${PUSH_SUBMIT:-}" = true ]; then set -- "$@" --submit; fi
if [ "${PUSH_DESKTOP:-}" = true ]; then set -- "$@" --desktop; fi

# an upload that was cut off goes on with the parts that are missing
left=${PUSH_TRIES:-3}
while :; do
  code=0
  result=$(node "$root/clients/push/dist/games-lrs.js" "$@") || code=$?
  left=$((left - 1))
  if [ "$code" -ne 3 ] || [ "$left" -le 0 ]; then break; fi
  echo "Trying again in ${PUSH_WAIT:-20} s." >&2
  sleep "${PUSH_WAIT:-20}"
done
if [ "$code" -ne 0 ]; then exit "$code"; fi

printf '%s\n' "$result"
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf '%s' "$result" | node -e '
    const { outcome, buildId, number, preview } = JSON.parse(require("fs").readFileSync(0, "utf8"))
    console.log(`outcome=${outcome}\nbuild-id=${buildId}\nnumber=${number}\npreview=${preview ?? ""}`)
  ' >>"$GITHUB_OUTPUT"
fi
