#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Patches are applied to a copy; the pristine tree and its manifest stay.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

load_library
tree=$SCRATCH/linux
mkdir -p "$tree/$PANTHOR_DIR" "$SCRATCH/root/kernel-patches/v7.2/hang" "$SCRATCH/root/kernel-patches/v7.2/heap"
printf 'VERSION = 7\nPATCHLEVEL = 2\nSUBLEVEL = 0\nEXTRAVERSION =\n' >"$tree/Makefile"
printf 'one\ntwo\n' >"$tree/$PANTHOR_DIR/a.c"
ln -s "$LAB_ROOT/kernel-patches/bases" "$SCRATCH/root/kernel-patches/bases"
printf -- '--- a/%s/a.c\n+++ b/%s/a.c\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n' "$PANTHOR_DIR" "$PANTHOR_DIR" >"$SCRATCH/root/kernel-patches/v7.2/hang/0001-one.patch"
printf -- '--- a/%s/a.c\n+++ b/%s/a.c\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n' "$PANTHOR_DIR" "$PANTHOR_DIR" >"$SCRATCH/root/kernel-patches/v7.2/heap/0001-two.patch"
printf '# order\nhang/0001-one.patch\nheap/0001-two.patch -p1 # why\n' >"$SCRATCH/root/kernel-patches/v7.2/series"
LAB_ROOT=$SCRATCH/root
OPT[source]=$tree
resolve_source
expect_equal "v7.2 7.2.0" "$SRC_BASE $SRC_VERSION" "the base of a tree"
apply_series heap
expect_equal "one 2" "$(paste -sd' ' "$SRC_TREE/$PANTHOR_DIR/a.c")" "one series of two"
expect_equal "one two" "$(paste -sd' ' "$tree/$PANTHOR_DIR/a.c")" "the tree itself is untouched"
resolve_source
expect_equal "hang/0001-one.patch heap/0001-two.patch" "$(printf 'plants/0001-x.patch\n' >>"$LAB_ROOT/kernel-patches/v7.2/series" && series_patches v7.2 all | paste -sd' ')" "all leaves the test-only series out"
expect_equal "plants/0001-x.patch" "$(series_patches v7.2 plants)" "the test-only series by its name"
sed -i '1a common/0001-c.patch' "$LAB_ROOT/kernel-patches/v7.2/series"
expect_equal "common/0001-c.patch heap/0001-two.patch" "$(series_patches v7.2 heap | paste -sd' ')" "what several series need is in front of each"
expect_equal "common/0001-c.patch hang/0001-one.patch heap/0001-two.patch" "$(series_patches v7.2 heap hang | paste -sd' ')" "and in front of both only once"
expect_equal "plants/0001-x.patch" "$(series_patches v7.2 plants)" "the test-only series goes without"
sed -i '/^plants/d; /^common/d' "$LAB_ROOT/kernel-patches/v7.2/series"
status=0
(apply_series nonsense) 2>"$SCRATCH/err" || status=$?
expect_equal "$EX_USAGE" "$status" "an unknown series: $(tail -n 1 "$SCRATCH/err")"
sed -i 's/^-one/-eins/' "$SCRATCH/root/kernel-patches/v7.2/hang/0001-one.patch"
status=0
(apply_series all) 2>"$SCRATCH/err" || status=$?
expect_equal "$EX_BUILD" "$status" "a patch that does not apply: $(tail -n 1 "$SCRATCH/err")"
touch "$tree/.config"
status=0
(resolve_source) 2>"$SCRATCH/err" || status=$?
expect_equal "$EX_SOURCE" "$status" "a tree built in place: $(tail -n 1 "$SCRATCH/err")"
