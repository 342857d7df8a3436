#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Six kinds of hang on a stock kernel: what the table says of each, and that a second run says the same.
# lab: host=yes timeout=600
set -euo pipefail
kinds='^(in-fence|start-ack|doorbell-lost|sync-wait|job-irq-lost|missing-point)$'
for run in 1 2; do
  "$LAB" hang-matrix --kinds "$kinds" --json "$RESULTS_DIR/$run.json" --html "$RESULTS_DIR/$run.html" >"$RESULTS_DIR/$run.table"
done
cmp "$RESULTS_DIR/1.table" "$RESULTS_DIR/2.table"

# expect KIND REGEX: the row of KIND matches.
expect() {
  grep -E "^$1 " "$RESULTS_DIR/1.table" | grep -qE "$2" || { echo "$1: expected $2; got: $(grep -E "^$1 " "$RESULTS_DIR/1.table")" && exit 1; }
}
expect in-fence 'sleeps .* computes .* exactly$'
expect missing-point 'sleeps .* computes .* exactly$'
expect job-irq-lost 'ended late 5'
