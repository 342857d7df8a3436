#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A recorded run replays in a fresh guest with the same ioctls, results and fences; a recorded hang stops at the same submit.
# lab: host=yes timeout=900
set -euo pipefail

# in_guest NAME EXPECTED-STATUS EXEC-OPTIONS… -- COMMAND…: its output is in $RESULTS_DIR/NAME.out
in_guest() {
  local name=$1 expected=$2 status=0
  shift 2
  "$LAB" exec --quiet --timeout 180 --bind "$RESULTS_DIR:/out" "$@" >"$RESULTS_DIR/$name.out" 2>&1 </dev/null || status=$?
  [ "$status" -eq "$expected" ] || {
    echo "$name: exit code $status, expected $expected: $(tail -n 1 "$RESULTS_DIR/$name.out")"
    return 1
  }
}

# same_again NAME REPLAY-OPTIONS COMMAND…: record COMMAND, replay it, record the replay, compare the two sequences line by line.
same_again() {
  local name=$1 options=$2
  shift 2
  in_guest "$name-record" 0 -- panthor-harness record -o "/out/$name.rec" -- "$@"
  # shellcheck disable=SC2086 # a list of options
  in_guest "$name-replay" 0 -- panthor-harness record -o "/out/$name-replay.rec" -- panthor-harness replay $options "/out/$name.rec"
  grep -q '^the same results and fences' "$RESULTS_DIR/$name-replay.out"
  in_guest "$name-lists" 0 -- sh -c "
    panthor-harness replay --list /out/$name.rec >/out/$name.list &&
    panthor-harness replay --list /out/$name-replay.rec >/out/$name-replay.list"
  [ -s "$RESULTS_DIR/$name.list" ]
  cmp "$RESULTS_DIR/$name.list" "$RESULTS_DIR/$name-replay.list"
}

rm -f "$RESULTS_DIR"/*.rec
same_again smoke "" panthor-harness smoke # without --check: some of its jobs store the time
same_again memory --check panthor-harness smoke memory sync
same_again igt-group --check /usr/libexec/igt-gpu-tools/panthor/panthor_group
in_guest threads-record 0 -- panthor-harness record -o /out/threads.rec -- record_threads
in_guest threads-replay 0 -- panthor-harness replay --check /out/threads.rec

# Killed in the wait for a fence that never comes, before the driver's own timeout of 5 s.
lost=job-irq-lost:after=4:count=0
in_guest hang-record 137 --fault "$lost" -- panthor-harness record -o /out/hang.rec -- timeout -s KILL 2 panthor-harness smoke memory.store
grep -q 'did not return: call .* DRM_IOCTL_SYNCOBJ_WAIT .*waiting for submit 1' "$RESULTS_DIR/hang-record.out"
in_guest hang-replay 1 --fault "$lost" -- panthor-harness replay --deadline 2 /out/hang.rec
grep -q '^stuck: submit 1 .*as in the recording$' "$RESULTS_DIR/hang-replay.out"
in_guest hang-healthy 0 -- panthor-harness replay --deadline 2 /out/hang.rec
grep -q "^nothing differs, but" "$RESULTS_DIR/hang-healthy.out"
