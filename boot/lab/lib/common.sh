# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Messages, exit codes and long steps. Messages of the lab go to stderr: stdout belongs to the command or to the table.

# Exit codes, the same in every verb (./lab help prints them).
# shellcheck disable=SC2034 # used by the other files of the library
readonly EX_USAGE=2 EX_ROOT=10 EX_NETWORK=11 EX_SPACE=12 EX_ARCH=13 EX_CORRUPT=14 EX_BUILD=15 EX_PACKAGES=16 EX_SOURCE=17 \
  EX_SKIP=77 EX_DEADLINE=124 EX_LAB=125
readonly EXIT_CODES="\
0    everything passed (exec, shell: the command's own status)
1    something failed
2    wrong usage
3    bench: nothing is slower, but a row is undecided
10   packages are missing and this is not root
11   no network, or the Debian mirror does not answer
12   not enough disk space
13   this machine's architecture or system cannot run it
14   a download is corrupted and could not be fetched again
15   a build failed (the log is named)
16   a package cannot be had on this distribution
17   the kernel source named cannot be used
77   cannot test here
123  --fail-on-dmesg matched
124  the deadline of --timeout passed
125  the lab itself failed"

# say TEXT…: one line of progress.
say() { [ -n "${LAB_QUIET:-}" ] || printf '%s: %s\n' "${LAB_NAME:-lab}" "$*" >&2; }

# warn TEXT…: one line that is shown even when quiet.
warn() { printf '%s: %s\n' "${LAB_NAME:-lab}" "$*" >&2; }

# die CODE TEXT…: one line, then the exit code.
die() {
  local code=$1
  shift
  printf '%s: %s\n' "${LAB_NAME:-lab}" "$*" >&2
  exit "$code"
}

# have PROGRAM: is it in the path?
have() { command -v "$1" >/dev/null 2>&1; }

# one_of WORD WORDS…: is WORD among WORDS?
one_of() {
  local wanted=$1 word
  shift
  for word in "$@"; do [ "$word" != "$wanted" ] || return 0; done
  return 1
}

# need_one_of KIND WORD WORDS…: refuses a WORD that is none of WORDS.
need_one_of() {
  local kind=$1 word=$2
  shift 2
  one_of "$word" "$@" || die "$EX_USAGE" "no $kind $word$(suggestion "$word" "$@") (there are: $*)"
}

# suggestion WORD WORDS…: ": did you mean X?" where X is at most two edits from WORD; else nothing.
suggestion() {
  printf '%s\n' "$@" | awk '
    function min(a, b) { return a < b ? a : b }
    function distance(a, b,   i, j, row, diagonal, changed) {
      for (j = 0; j <= length(b); j++) row[j] = j
      for (i = 1; i <= length(a); i++) {
        diagonal = row[0]
        row[0] = i
        for (j = 1; j <= length(b); j++) {
          changed = diagonal + (substr(a, i, 1) != substr(b, j, 1))
          diagonal = row[j]
          row[j] = min(min(row[j], row[j - 1]) + 1, changed)
        }
      }
      return row[length(b)]
    }
    NR == 1 { wanted = $0; least = 3; next }
    (d = distance(wanted, $0)) < least { least = d; nearest = $0 }
    END { if (nearest != "") printf ": did you mean %s?", nearest }'
}

# duration SECONDS: 7 s, 2 min 05 s.
duration() {
  if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# now: wall-clock milliseconds.
now_ms() { printf '%s' "$((${EPOCHREALTIME/[^0-9]/} / 1000))"; }

# hash_text: 16 hex digits of the SHA-256 of stdin, the length used for cache keys.
hash_text() { sha256sum | cut -c1-16; }

# file_sha256 FILE
file_sha256() { sha256sum <"$1" | cut -d' ' -f1; }

# config_value FILE KEY: the value of "KEY=…" in a data file.
config_value() { sed -n "s/^$2=//p" "$1" | head -n 1; }

# heartbeat TEXT LOG: while the caller lives, tells every so often how far LOG has come. Killed by step().
heartbeat() {
  local start=$SECONDS every=30 lines nap=
  [ -t 2 ] && every=1
  # The nap goes with us: a sleep left behind would hold the lock and the pipe it inherited.
  trap 'kill "$nap" 2>/dev/null; exit 0' TERM
  while kill -0 $$ 2>/dev/null; do
    sleep "$every" 9>&- 2>/dev/null &
    nap=$!
    wait "$nap" || true
    lines=$(wc -l <"$2" 2>/dev/null || echo 0)
    if [ -t 2 ]; then
      printf '\r\033[K%s: %s … %s (%s lines of log)' "${LAB_NAME:-lab}" "$1" "$(duration $((SECONDS - start)))" "$lines" >&2
    else
      say "$1 … $(duration $((SECONDS - start))) ($lines lines of log)"
    fi
  done
}

# step TEXT LOG COMMAND…: runs a long command with its output in LOG; shows progress and how long it took.
# Returns the command's status; after a failure the end of LOG has been shown.
step() {
  local text=$1 log=$2 start=$SECONDS status=0 beat=
  shift 2
  mkdir -p "$(dirname "$log")"
  : >"$log"
  if [ -z "${LAB_QUIET:-}" ]; then
    say "$text"
    heartbeat "$text" "$log" </dev/null >/dev/null 9>&- &
    beat=$!
  fi
  ("$@") >"$log" 2>&1 </dev/null || status=$?
  if [ -n "$beat" ]; then
    kill "$beat" 2>/dev/null || true
    wait "$beat" 2>/dev/null || true
    [ -t 2 ] && printf '\r\033[K' >&2
  fi
  if [ "$status" -eq 0 ]; then
    say "$text: done in $(duration $((SECONDS - start)))"
  else
    warn "$text: failed with status $status; the end of $log:"
    tail -n 15 "$log" >&2
  fi
  return "$status"
}

# strictly COMMAND…: in a subshell that ends at the first failing command; sets STATUS. Call it as a plain command: inside || or if,
# bash ignores errexit.
strictly() {
  set +e
  (
    set -e
    "$@"
  )
  STATUS=$?
  set -e
}
