#!/bin/sh
# SPDX-License-Identifier: MIT
# Processes are killed in the midst of GPU work, memory gets scarce, the GPU suspends in between; what is new computes.
# lab: variant=virtual-time timeout=900
# lab: long=KILLS=1000 long-timeout=7200
set -eu
panthor-harness stress --kills "${KILLS:-200}" --seed 1 --memory-pressure --suspend >/tmp/stress.out || { cat /tmp/stress.out && exit 1; }
cat /tmp/stress.out
# All of it was tried.
! grep -q '^  skip' /tmp/stress.out
