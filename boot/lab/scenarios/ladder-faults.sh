#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A fault of the virtual GPU stops the submit ladder at the rung and stage that belong to it, and the ladder comes back.
# lab: host=yes timeout=300
set -euo pipefail

# expect FAULT RUNG STAGE
expect() {
  local out=$RESULTS_DIR/${1%%:*} status=0
  "$LAB" exec --timeout 120 --fault "$1" -- panthor-harness ladder >"$out" || status=$?
  if [ "$status" -ne 1 ] || ! grep -q "^first failing rung: $2 " "$out" || ! grep -q "^stage: $3," "$out"; then
    echo "$1: expected rung $2, stage $3 and exit code 1; got $status: $(grep -E '^(first failing rung|stage)' "$out" | tr '\n' ' ')"
    return 1
  fi
}

expect as-active-stuck probe S1
expect csg-ack-lost:count=0 nop-stream S4
expect mcu-boot-lost:after=1:count=0 resume S3
expect mmu-irq-lost:count=0 page-fault S6
expect sync-update-lost:count=0 rebind S7
expect ping-ack-lost:count=0 ping S6
