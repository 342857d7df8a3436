# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Several things at a time, and things for a time.

# at_once COUNT COMMAND ARGS…: COMMAND ARGS… LINE for each line of standard input, up to COUNT of them at a time, each in a subshell that is
# a process group of its own: whoever interrupts this ends them all. Status 1: one of them failed. Call it as strictly() is called.
at_once() (
  local count=$1 line pid failed=0
  local -a pids=()
  shift
  set -m
  trap 'pool_stop INT' INT
  trap 'pool_stop TERM' TERM
  while IFS= read -r line; do
    while [ "$(jobs -pr | wc -l)" -ge "$count" ]; do wait -n || true; done
    (set +m && "$@" "$line") </dev/null &
    pids+=("$!")
  done
  for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
  return "$failed"
)

# pool_stop SIGNAL: ends what at_once() or at_most() began, waits for it to clean up, and dies of SIGNAL itself.
pool_stop() {
  local pid
  trap '' INT TERM
  for pid in $(jobs -p); do kill -TERM -- "-$pid" 2>/dev/null || true; done
  wait
  trap - "$1"
  kill "-$1" "$BASHPID"
}

# at_most SECONDS COMMAND ARGS…: like strictly(), but after SECONDS the command and all it began are ended: STATUS is EX_DEADLINE then.
at_most() {
  set +e
  (
    set -m
    trap 'pool_stop INT' INT
    trap 'pool_stop TERM' TERM
    (set +m -e && "${@:2}") </dev/null &
    command=$!
    sleep "$1" &
    timer=$!
    wait -n "$command" "$timer"
    status=$?
    if kill -0 "$timer" 2>/dev/null; then
      kill "$timer"
      exit "$status"
    fi
    kill -TERM -- "-$command"
    # What has a process group of its own cleans up behind the command's end.
    timeout 30 bash -c "while kill -0 -- -$command 2>/dev/null; do sleep 0.1; done"
    exit "$EX_DEADLINE"
  )
  STATUS=$?
  set -e
}

# jobs_wanted DEFAULT: the number of --jobs.
jobs_wanted() {
  local jobs=${OPT[jobs]-$1}
  case $jobs in '' | *[!0-9]* | 0) die "$EX_USAGE" "--jobs $jobs: a number from 1" ;; esac
  printf '%d\n' "$jobs"
}
