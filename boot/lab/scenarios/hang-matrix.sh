#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The short form of ./lab hang-matrix: six kinds of hang, stock and with the series "hang". A second run says the same, and so
# does docs/hang-matrix.md.
# lab: host=yes series=hang config=hang timeout=600
set -euo pipefail
kinds='in-fence|start-ack|doorbell-lost|sync-wait|job-irq-lost|missing-point'
for run in 1 2; do
  "$LAB" hang-matrix --series stock,hang --kinds "^($kinds)\$" --json "$RESULTS_DIR/$run.json" --html "$RESULTS_DIR/$run.html" \
    --markdown "$RESULTS_DIR/$run.md" >"$RESULTS_DIR/$run.table" 2>"$RESULTS_DIR/$run.said" || { cat "$RESULTS_DIR/$run.table" && exit 1; }
done
for kind in json html md table; do cmp "$RESULTS_DIR/1.$kind" "$RESULTS_DIR/2.$kind"; done

# columns PAGE: of these kinds what stands in the columns of 7.2.
columns() { grep -E "^\| (kind|$kinds) \|" "$1" | awk -F' [|] ' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^7.2 /) wanted[++n] = i } { print $1, $2, $3; for (i = 1; i <= n; i++) print "  " $wanted[i] }' | sed 's/ |$//'; }
columns "$(dirname "$LAB")/docs/hang-matrix.md" >"$RESULTS_DIR/documented"
columns "$RESULTS_DIR/1.md" >"$RESULTS_DIR/played"
diff "$RESULTS_DIR/documented" "$RESULTS_DIR/played" || { echo 'docs/hang-matrix.md says otherwise; its first line says how to write it anew' && exit 1; }

# expect KIND REGEX: the row of KIND on a stock kernel matches.
expect() {
  grep -E "^$1 .* 7.2 stock " "$RESULTS_DIR/1.table" | grep -qE "$2" || { echo "$1: expected $2; got: $(grep -E "^$1 " "$RESULTS_DIR/1.table")" && exit 1; }
}
expect in-fence 'sleeps .* computes .* exactly$'
expect missing-point 'sleeps .* computes .* exactly$'
expect job-irq-lost 'ended late 5'
