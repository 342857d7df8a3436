#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Several things at a time: how many, what a failure becomes, what an interruption leaves.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

load_library
RUNNING=$SCRATCH/running
mkdir "$RUNNING"

# counted WORD LINE: leaves how many ran beside it.
counted() {
  touch "$RUNNING/$2"
  sleep 0.3
  find "$RUNNING" -type f | wc -l >>"$SCRATCH/most"
  printf '%s %s\n' "$1" "$2" >>"$SCRATCH/done"
  rm "$RUNNING/$2"
}
at_once 3 counted word < <(seq 7)
expect_equal 'word 1 word 2 word 3 word 4 word 5 word 6 word 7' "$(sort "$SCRATCH/done" | paste -sd' ')" "each line once"
expect_equal 3 "$(sort -n "$SCRATCH/most" | tail -n 1)" "three at a time"
at_once 1 counted alone </dev/null
expect_equal 7 "$(wc -l <"$SCRATCH/done")" "no line, nothing done"

# How many boards: a number, with nothing on stderr, whatever awk this is.
. "$LAB_ROOT/boot/lab/vm/matrix.sh"
boards=$(matrix_jobs 2>&1)
[ "$boards" -ge 1 ] && [ "$boards" -le "$(nproc)" ] || fail "boards at a time: $boards"

# One that fails stops at its first failing command, does not stop the others, and is told.
odd() {
  [ "$1" -ne 2 ]
  echo "$1" >>"$SCRATCH/odd"
}
strictly at_once 2 odd < <(seq 4)
expect_equal "1 1 3 4" "$STATUS $(sort "$SCRATCH/odd" | paste -sd' ')" "a failure is told at the end"

lasting() {
  trap 'echo "$1" >>"$SCRATCH/cleaned"' EXIT
  echo "$BASHPID" >>"$SCRATCH/pids"
  sleep 60
}
# all_gone WHAT: both that lasted could clean up, and live no more; whoever began them may be gone before.
all_gone() {
  local pid
  while read -r pid; do timeout 20 tail -s 0.1 --pid="$pid" -f /dev/null || fail "$1: process $pid lives"; done <"$SCRATCH/pids"
  expect_equal "1 2" "$(sort "$SCRATCH/cleaned" | paste -sd' ')" "$1: both cleaned up"
  rm "$SCRATCH"/{cleaned,pids}
}

# For a time: what ends before it keeps its status, what does not is ended with all it began.
failing() {
  false
  touch "$SCRATCH/went-on"
}
at_most 60 true
expect_equal 0 "$STATUS" "in time"
at_most 60 failing
[ "$STATUS" -eq 1 ] && [ ! -e "$SCRATCH/went-on" ] || fail "a command that fails in time: status $STATUS"
pooled() { at_once 2 lasting < <(seq 2); }
at_most 2 pooled
expect_equal "$EX_DEADLINE" "$STATUS" "not in time"
all_gone "out of time"

# Interrupted as by Ctrl-C or by kill, also where this test was begun with SIGINT ignored (nohup, or a script's background).
set -m # a process group that takes an interrupt
for signal in INT TERM; do
  env --default-signal=INT bash -c "$(declare -f at_once pool_stop lasting); SCRATCH=$SCRATCH; at_once 2 lasting < <(seq 2)" &
  pool=$!
  until [ "$(grep -c . "$SCRATCH/pids" 2>/dev/null)" = 2 ]; do sleep 0.1; done
  kill "-$signal" -- "-$pool"
  wait "$pool" || true
  all_gone "$signal"
done
