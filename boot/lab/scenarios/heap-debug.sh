#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel series "heap" under KASAN, lockdep with its fence-signalling annotations, UBSAN and kmemleak: our IGT tests, a system suspend
# among them, and what upstream's do.
# lab: variant=debug config=uml-stress series=heap igt=own timeout=900
set -eu
mkswap /dev/ubda >/dev/null && swapon /dev/ubda
for test in query gem vm group; do /usr/libexec/igt-gpu-tools/panthor/panthor_$test; done
/igt-tests/panthor_va_heap
/igt-tests/panthor_scratch --run-subtest '*,!unplug*'
. /lab/boot/lab/guest/kmemleak.sh
expect_no_leak
