#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# config-diff groups what differs and says why a symbol matters.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/../lab/tests/support/helper.bash"

DIFF=$LAB_ROOT/boot/config-diff
printf 'CONFIG_BLK_DEV_NVME=m\nCONFIG_DRM_PANTHOR=m\nCONFIG_HZ=250\n# CONFIG_DW_WATCHDOG is not set\nCONFIG_ZLIB=y\nCONFIG_CMDLINE=""\n' >"$SCRATCH/a"
printf 'CONFIG_BLK_DEV_NVME=y\n# CONFIG_DRM_PANTHOR is not set\nCONFIG_HZ=250\nCONFIG_DW_WATCHDOG=y\nCONFIG_CMDLINE="quiet splash"\n' >"$SCRATCH/b"
gzip -k "$SCRATCH/b"
status=0
"$DIFF" "$SCRATCH/a" "$SCRATCH/b.gz" >"$SCRATCH/out" || status=$?
expect_equal 1 "$status" "they differ"
cat "$SCRATCH/out"
expect_equal 'panthor: 1|nvme: 1|boot: 1|coming back: 1|the rest: 1' "$(grep -E '^[a-z].*: [0-9]+$' "$SCRATCH/out" | paste -sd'|')" "groups, in order"
grep -qE '^  BLK_DEV_NVME +m +-> y +the root disk' "$SCRATCH/out" || fail "no reason"
grep -qE '^  DRM_PANTHOR +m +-> n ' "$SCRATCH/out" || fail "off is n"
grep -qE '^  CMDLINE +"" +-> "quiet splash"$' "$SCRATCH/out" || fail "a text with a blank"
! grep -q ZLIB "$SCRATCH/out" || fail "the rest is only counted"
"$DIFF" --all "$SCRATCH/a" "$SCRATCH/b" >"$SCRATCH/out" || true
grep -qE '^  ZLIB +y +-> n' "$SCRATCH/out" || fail "--all"
expect_equal 'no difference' "$("$DIFF" "$SCRATCH/b" "$SCRATCH/b.gz")" "the same, packed"
expect_exit 2 'two configurations' "$DIFF" "$SCRATCH/a"
expect_exit 2 'cannot be read' "$DIFF" "$SCRATCH/a" "$SCRATCH/nowhere"
echo hello >"$SCRATCH/text"
expect_exit 2 'no kernel configuration' "$DIFF" "$SCRATCH/a" "$SCRATCH/text"
