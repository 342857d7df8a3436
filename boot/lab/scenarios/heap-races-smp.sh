#!/bin/sh
# SPDX-License-Identifier: MIT
# Binds, placements, suspended groups, kills and destroyed VMs race with faults in scratch buffers: in wall time on two CPUs, where the
# fault handler really runs beside a bind. Fifty times over in the long form.
# lab: variant=smp cpus=2 series=heap igt=own timeout=900 long=ROUNDS=50 long-timeout=7200
set -eu
mkswap /dev/ubda >/dev/null && swapon /dev/ubda
for round in $(seq "${ROUNDS:-3}"); do
  echo "round $round"
  /igt-tests/panthor_scratch --run-subtest '*_during_fault,!system_suspend*,!unplug*'
  /igt-tests/panthor_va_heap --run-subtest 'place_race,bind_while_evicting,async_*,destroy_*'
done
