#!/bin/sh
# SPDX-License-Identifier: MIT
# Unload and load the driver; a module that was loaded again works.
# lab: variant=virtual-time timeout=180
set -eu
for _ in 1 2 3 4 5; do
  modprobe -r panthor
  modprobe panthor
done
exec panthor-harness smoke
