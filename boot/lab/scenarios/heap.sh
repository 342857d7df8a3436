#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel series "heap": what stock programs do is unchanged, and 1,000 stacks of 304 MiB find a place.
# lab: variant=virtual-time series=heap timeout=300
set -eu
panthor-harness smoke
panthor-harness info | grep -q 'features.*heap, alloc_on_fault, discardable'
panthor_device_tests
panthor-harness heap --tls 5328 --buffers 1 --device --placed 1000
