#!/bin/sh
# SPDX-License-Identifier: MIT
# Two hundred processes are killed in the midst of GPU work, memory gets scarce, the GPU suspends in between; what is new computes.
# lab: variant=virtual-time timeout=900
set -eu
exec panthor-harness stress --kills 200 --seed 1 --memory-pressure --suspend
