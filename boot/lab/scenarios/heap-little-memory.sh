#!/bin/sh
# SPDX-License-Identifier: MIT
# Scratch buffers of the kernel series "heap" where memory is short: discarded under pressure; the job that takes all there is dies alone.
# lab: variant=virtual-time series=heap mem=256M timeout=300
set -eu
panthor_device_tests --gtest_filter='*WhenMemoryRunsOut*:*MemoryPressure*'
