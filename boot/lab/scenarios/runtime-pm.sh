#!/bin/sh
# SPDX-License-Identifier: MIT
# Runtime suspend and resume, with work in between.
# lab: variant=virtual-time timeout=180
set -eu
power=/sys/bus/platform/drivers/panthor/$(basename "$(readlink -f /sys/bus/platform/drivers/panthor/*gpu*)")/power
for _ in $(seq 20); do
  panthor-harness smoke memory >/dev/null
  sleep 1
  [ "$(cat "$power/runtime_status")" = suspended ]
done
