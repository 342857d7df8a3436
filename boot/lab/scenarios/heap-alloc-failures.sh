#!/bin/sh
# SPDX-License-Identifier: MIT
# Allocations fail while mappings are placed and scratch buffers fault. A job may die of it and a call may say ENOMEM; no fence may be
# lost, nothing may hang, leak or warn, and afterwards everything works as before.
# lab: variant=debug config=uml-stress series=heap igt=own timeout=600 dmesg=any
set -eu
pages=/sys/kernel/debug/fail_page_alloc slabs=/sys/kernel/debug/failslab
races='*_during_fault,!system_suspend*,!unplug*'

# fail KIND PROBABILITY KEY=VALUE…: from now on (probability 0: no longer).
fail() {
  kind=$1 probability=$2
  shift 2
  for pair in verbose=0 times=-1 interval=1 "$@"; do echo "${pair#*=}" >"$kind/${pair%%=*}"; done
  echo "$probability" >"$kind/probability"
}

# try OUTPUT COMMAND…: it may fail, but not over a fence, and not for ever.
try() {
  output=$1 status=0
  shift
  timeout 120 "$@" >"$output" 2>&1 || status=$?
  case $status in 0 | 77 | 98 | 99) ;; *) tail -n 20 "$output" && echo "$*: status $status" && exit 1 ;; esac
  ! grep -E 'never (ended|signaled)' "$output" || exit 1
}

# try_failing OUTPUT COMMAND…: with failures in this task and its children alone.
try_failing() {
  # shellcheck disable=SC2016 # the shell of the task expands it
  try "$1" sh -c 'shift; echo 1 >/proc/self/make-it-fail && exec "$@"' sh "$@"
}

# Nothing is to be had without waiting: whatever a fault takes comes out of the VM's reserve.
fail "$pages" 100 min-order=0 ignore-gfp-wait=1 ignore-gfp-highmem=0 task-filter=0
/igt-tests/panthor_scratch --run-subtest first_touch
try /tmp/reserve /igt-tests/panthor_scratch --run-subtest "$races"
dmesg | grep -q 'no memory to back the scratch buffer with' || { echo "the reserve never ran out" && exit 1; }

# One in three fails.
fail "$pages" 33 min-order=0 ignore-gfp-wait=1
for round in 1 2 3; do try "/tmp/third$round" /igt-tests/panthor_scratch --run-subtest "$races"; done
fail "$pages" 0

# Calls of one program find no memory.
for kind in "$pages" "$slabs"; do
  fail "$kind" 2 ignore-gfp-wait=0 task-filter=1
  for test in panthor_va_heap panthor_scratch; do
    for round in 1 2 3; do try_failing "/tmp/$test$round" "/igt-tests/$test" --run-subtest '*,!*suspend*,!unplug*,!place_many'; done
  done
  fail "$kind" 0 task-filter=0
done

/igt-tests/panthor_scratch --run-subtest "$races"
panthor-harness smoke
. /lab/boot/lab/guest/kmemleak.sh
expect_no_leak
# Failed allocations leave errors in the log; nothing may warn.
! dmesg | grep -E 'WARNING:|BUG:|Oops|KASAN|UBSAN|possible (circular|recursive|irq lock)|INFO: task' || exit 1
