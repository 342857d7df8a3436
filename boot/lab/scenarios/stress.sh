#!/bin/sh
# SPDX-License-Identifier: MIT
# Two hundred processes are killed in the midst of GPU work, memory gets scarce, the GPU suspends in between; what is new computes.
# lab: variant=virtual-time timeout=900
set -eu
panthor-harness stress --kills 200 --seed 1 --memory-pressure --suspend >/tmp/stress.out || { cat /tmp/stress.out && exit 1; }
cat /tmp/stress.out
# All of it was tried.
! grep -q '^  skip' /tmp/stress.out
