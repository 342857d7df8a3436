#!/bin/sh
# SPDX-License-Identifier: MIT
# No false alarm: upstream's IGT, a load of many groups, more groups of the lowest priority than there are slots, and a GPU that goes to
# sleep again and again, alone or with the system, leave the stall detector silent, and the dump can be read all the time.
# lab: series=hang config=hang variant=virtual-time timeout=900
# lab: long=READS=10000 long=MINUTES=30 long-timeout=14400
set -eu
. "$(dirname "$0")/../guest/dumps.sh"
quiet() { if dmesg | grep 'stall: '; then echo "a false alarm: $1" && exit 1; fi; }
try() { "$@" >/tmp/out 2>&1 || { cat /tmp/out && exit 1; }; }
seconds() { cut -d. -f1 /proc/uptime; } # of the model

sh "$(dirname "$0")/../guest/upstream.sh" >/dev/null
quiet "IGT"

while [ ! -e /tmp/enough ]; do panthor-harness load --processes 4 --groups 8 --rounds 2 || touch /tmp/failed; done >/tmp/load 2>&1 &
load=$!
reads=0
while [ "$reads" -lt "${READS:-1000}" ]; do
  read_twenty "read $reads"
  reads=$((reads + 20))
done
touch /tmp/enough
wait "$load"
[ ! -e /tmp/failed ] || { cat /tmp/load && exit 1; }
quiet "while the dump is read"

begin=$(seconds) rounds=0
while [ $(($(seconds) - begin)) -lt $((60 * ${MINUTES:-1})) ]; do
  try panthor-harness load --processes 4 --groups 8 --rounds 2
  try panthor-harness load --processes 2 --groups 16 --rounds 2 --priority low
  try panthor_device_tests --gtest_filter='StallTest.WaitingForASlotIsNoStall:StallTest.JobsThatFinishAreNoStall'
  for _ in 1 2 3 4 5; do
    try panthor-harness smoke memory
    sleep 1 # the GPU is asleep after 50 ms
  done
  try panthor_device_tests --gtest_also_run_disabled_tests --gtest_filter='SuspendTest.*' # the whole system
  rounds=$((rounds + 1))
  quiet "round $rounds of the mixed load"
done
echo "$reads dumps read, $rounds rounds of mixed load in $(($(seconds) - begin)) s"
