#!/bin/sh
# SPDX-License-Identifier: MIT
# One lost answer of the hardware costs at most the work of the moment: the driver resets the GPU, and a fresh process computes.
# lab: variant=virtual-time timeout=300 dmesg=any
set -eu
control=/sys/kernel/debug/panthor_vgpu/control
power=/sys/bus/platform/drivers/panthor/$(basename "$(readlink -f /sys/bus/platform/drivers/panthor/*gpu*)")/power/control

# The virtual GPU's count of resets so far; it has none before the first.
resets() {
  echo counters >"$control"
  awk '$1 == "counter" && $2 == "gpu.resets" { n = $3 } END { print n + 0 }' "$control"
}

for fault in csg-ack-lost ping-ack-lost as-active-stuck; do
  before=$(resets)
  echo "fault arm $fault" >"$control"
  echo on >"$power"
  panthor-harness smoke memory >/dev/null 2>&1 || true
  sleep 15 # the firmware is pinged every 12 s while the GPU is awake
  echo "fault disarm $fault" >"$control"
  [ "$(resets)" -gt "$before" ] || { echo "$fault: no reset happened" && exit 1; }
  panthor-harness smoke || { echo "$fault: the GPU did not come back" && exit 1; }
  echo auto >"$power"
  sleep 1
done
