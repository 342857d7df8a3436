#!/bin/sh
# SPDX-License-Identifier: MIT
# The benchmark measures every row it knows, adds runs to a record, and reads it back. How long things take is not looked at.
# lab: variant=virtual-time timeout=300
set -eu
panthor-harness bench --rounds 1 --only query
panthor-harness bench --rounds 2 --json /tmp/record.json
panthor-harness bench --rounds 2 --json /tmp/record.json --append --quiet
rows=$(panthor-harness bench --list | wc -l)
measured=$(grep -c '"ns_per_op"' /tmp/record.json)
[ "$rows" -gt 0 ] && [ "$measured" -eq $((2 * rows)) ] || { echo "$measured rows in two runs, the list has $rows" && exit 1; }
status=0
panthor-harness bench --compare /tmp/record.json /tmp/record.json >/tmp/table || status=$?
case $status in 0 | 3) ;; *) echo "comparing a record with itself: exit code $status" && exit 1 ;; esac
grep -c '1\.0000' /tmp/table

# In virtual time the wall clock would tell nothing.
status=0
panthor-harness bench --clock wall >/dev/null 2>&1 || status=$?
[ "$status" -eq 2 ] || { echo "--clock wall in virtual time: exit code $status" && exit 1; }
