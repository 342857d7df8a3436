#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# autopsy --watch names the stage a job stops at, as far as a stock kernel shows it, and comes back.
# lab: host=yes timeout=900
set -euo pipefail
failed=0

# expect STAGE JOB [FAULT [AUTOPSY-OPTION…]]: a guest with FAULT (or "-") in which autopsy watches while hang-job JOB runs
expect() {
  local stage=$1 job=$2 fault=${3:--} status=0 got
  shift "$(($# < 3 ? $# : 3))"
  local out=$RESULTS_DIR/$job-${fault%%:*}${1:+-probe}.json options=()
  [ "$fault" = - ] || options=(--fault "$fault")
  "$LAB" exec --quiet --timeout 120 ${options[@]+"${options[@]}"} -- sh -c "
    panthor-harness autopsy --watch --for 30 --json $* >/tmp/autopsy.json &
    watcher=\$!
    sleep 0.5
    panthor-harness hang-job $job --seconds 25 >/tmp/job 2>&1 &
    wait \$watcher
    status=\$?
    cat /tmp/autopsy.json
    exit \$status" >"$out" </dev/null || status=$?
  got=$(jq -r '.stage // .verdict' "$out" 2>/dev/null || echo "no answer")
  printf '%-12s %-32s %-8s %-7s %s\n' "$job" "$fault${1:+ $1}" "$stage" "$got" "$(jq -r '.confidence // "-"' "$out" 2>/dev/null)"
  [ "$got" = "$stage" ] && [ "$status" -eq 1 ] || failed=1
}

printf '%-12s %-32s %-8s %-7s %s\n' job fault expected named confidence
expect S1 in-fence
expect S1 bind
expect S3 after-idle mcu-boot-lost:after=1:count=0
expect S4 nops csg-ack-lost:count=0
expect S4-S7 crowd
expect S4 nops doorbell-lost:after=3:count=0
expect S6-S7 sync-wait
expect S5-S7 loop
expect S5-S7 page-fault mmu-irq-lost:count=0
expect S4-S7 nops job-irq-lost:after=3:count=0
expect S7 nops job-irq-lost:after=3:count=0 --probe
expect S8 wrong-point
exit "$failed"
