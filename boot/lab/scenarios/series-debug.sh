#!/bin/sh
# SPDX-License-Identifier: MIT
# All series under KASAN, lockdep, UBSAN and kmemleak: our IGT tests, allocations that fail, upstream's binaries.
# lab: variant=debug series=fixes,hang,heap mem=1G config=hang igt=own timeout=1800
set -eu
. "$(dirname "$0")/../guest/swap.sh"
. "$(dirname "$0")/../guest/leaks.sh"
swap_on /dev/ubda
sh "$(dirname "$0")/../guest/upstream.sh"
/igt-tests/panthor_va_heap
/igt-tests/panthor_scratch --run-subtest '*,!unplug*,!reset*'
/igt-tests/panthor_fault_injection
no_leaks
