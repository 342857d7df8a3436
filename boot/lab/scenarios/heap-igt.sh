#!/bin/sh
# SPDX-License-Identifier: MIT
# Our IGT tests on the kernel series "heap", with a swap device, so that buffers are evicted; a reset of the GPU and unbinding
# the driver are left to ./lab igt.
# lab: variant=virtual-time series=heap igt=own timeout=900
set -eu
. "$(dirname "$0")/../guest/swap.sh"
swap_on /dev/ubda
/igt-tests/panthor_va_heap
/igt-tests/panthor_scratch --run-subtest '*,!unplug*,!reset*'
