#!/bin/sh
# SPDX-License-Identifier: MIT
# The races of all series on two CPUs in wall time: binds, unbinds, eviction, kills and suspends while
# jobs fault, again and again.
# lab: variant=smp cpus=2 series=fixes,hang,heap config=hang igt=own timeout=900
# lab: long=LOOPS=50 long-timeout=14400
set -eu
. "$(dirname "$0")/../guest/swap.sh"
swap_on /dev/ubda
loop=0
while [ "$loop" -lt "${LOOPS:-2}" ]; do
  loop=$((loop + 1))
  echo "loop $loop"
  /igt-tests/panthor_scratch --run-subtest '*_during_fault,!unplug*,!reset*'
  /igt-tests/panthor_va_heap --run-subtest 'place_race,bind_while_evicting,async_*,destroy_*'
done
