#!/bin/sh
# SPDX-License-Identifier: MIT
# The races of all series on two CPUs: binds, unbinds, eviction, kills and suspends while jobs fault, again and again. In wall time, so the
# machine must have nothing else to do: a job that is not done in 5 s is given up, a fault that is not resolved in 40 ms is fatal.
# lab: variant=smp cpus=2 series=fixes,hang,heap config=hang igt=own form=long long-timeout=3600
set -eu
. "$(dirname "$0")/../guest/swap.sh"
swap_on /dev/ubda
loop=0
while [ "$loop" -lt 50 ]; do
  loop=$((loop + 1))
  echo "loop $loop"
  /igt-tests/panthor_scratch --run-subtest '*_during_fault,!unplug*,!reset*'
  /igt-tests/panthor_va_heap --run-subtest 'bind_while_evicting,async_*,destroy_*'
done
/igt-tests/panthor_va_heap --run-subtest place_race
