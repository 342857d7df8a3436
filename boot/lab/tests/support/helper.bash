# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For the front door's own tests: a scratch cache, the library, and a few assertions. LAB_ROOT comes from ./lab test, or is found.
set -euo pipefail
LAB_ROOT=${LAB_ROOT:-$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../../.." && pwd)}
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
export PANTHOR_LAB_CACHE=$SCRATCH/cache
export LAB=$LAB_ROOT/lab

# load_library: all of boot/lab/lib, with the scratch cache.
load_library() {
  local file
  for file in "$LAB_ROOT"/boot/lab/lib/*.sh; do
    # shellcheck source=/dev/null
    . "$file"
  done
  declare -gA OPT=()
  declare -ga OPT_CONFIG=() OPT_GUEST=() REST=()
  LAB_SYSFS=${LAB_SYSFS:-/sys}
  cache_init
}

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

# expect_exit CODE PATTERN COMMAND…: the exit code, and that exactly one line of the lab says so.
expect_exit() {
  local code=$1 pattern=$2 status=0 lines
  shift 2
  "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null || status=$?
  [ "$status" -eq "$code" ] || {
    cat "$SCRATCH/err"
    fail "$*: exit code $status instead of $code"
  }
  lines=$(grep -cE -- "$pattern" "$SCRATCH/err" || true)
  [ "$lines" -eq 1 ] || {
    cat "$SCRATCH/err"
    fail "$*: $lines lines match '$pattern' instead of 1"
  }
  printf 'ok: exit %s: %s\n' "$code" "$(grep -E -- "$pattern" "$SCRATCH/err")"
}

# expect_equal WANTED GOT WHAT
expect_equal() {
  [ "$1" = "$2" ] || fail "$3: '$2' instead of '$1'"
  printf 'ok: %s\n' "$3"
}

# fake_program NAME BODY: a shell script in front of the path.
fake_program() {
  mkdir -p "$SCRATCH/bin"
  printf '#!/bin/sh\n%s\n' "$2" >"$SCRATCH/bin/$1"
  chmod +x "$SCRATCH/bin/$1"
  case $PATH in "$SCRATCH/bin":*) ;; *) export PATH=$SCRATCH/bin:$PATH ;; esac
}
