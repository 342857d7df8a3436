#!/bin/sh
# SPDX-License-Identifier: MIT
# No false alarm: upstream's IGT and a load of many groups leave the stall detector silent, and the dump can be read all the time.
# lab: series=hang config=hang variant=virtual-time timeout=900
set -eu
dump=$(ls /sys/kernel/debug/dri/*/hang | head -n 1)
for test in query gem vm group; do /usr/libexec/igt-gpu-tools/panthor/panthor_$test >/dev/null || [ $? -eq 77 ]; done
while [ ! -e /tmp/enough ]; do panthor-harness load --processes 4 --groups 8 --rounds 2 || touch /tmp/failed; done >/tmp/load 2>&1 &
load=$!
reads=0
while [ "$reads" -lt "${READS:-1000}" ]; do # READS=10000 is the long form
  sed -n '$p' "$dump" | grep -q '^end lines=[0-9]* truncated=0$' || { echo "read $reads: the dump is not complete" && exit 1; }
  reads=$((reads + 1))
done
touch /tmp/enough
wait "$load"
[ ! -e /tmp/failed ] || { cat /tmp/load && exit 1; }
if dmesg | grep 'stall: '; then echo "a false alarm" && exit 1; fi
echo "$reads dumps read"
