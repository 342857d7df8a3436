#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# In virtual time the same run gives the same event log, byte for byte.
# lab: host=yes timeout=300
set -euo pipefail
for run in 1 2 3; do
  "$LAB" exec --timeout 120 --log "$RESULTS_DIR/$run" -- panthor-harness smoke >"$RESULTS_DIR/$run.out"
done
for run in 2 3; do
  cmp "$RESULTS_DIR/1/model.log" "$RESULTS_DIR/$run/model.log"
  cmp "$RESULTS_DIR/1.out" "$RESULTS_DIR/$run.out"
done
[ -s "$RESULTS_DIR/1/model.log" ]
