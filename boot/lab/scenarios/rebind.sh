#!/bin/sh
# SPDX-License-Identifier: MIT
# Unbind and bind the driver a hundred times; a device that was bound again works.
# lab: variant=virtual-time timeout=300
set -eu
cd /sys/bus/platform/drivers/panthor
device=$(basename "$(readlink -f ./*gpu*)")
for _ in $(seq 100); do
  echo "$device" >unbind
  echo "$device" >bind
done
exec panthor-harness smoke
