#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A corrupted package in the cache is fetched again; if that fails too, exit code 14.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

load_library
tree=$SCRATCH/tree/linux-7.2
mkdir -p "$tree/$PANTHOR_DIR" "$SCRATCH/deb/DEBIAN" "$SCRATCH/deb/usr/src" "$LAB_CACHE/downloads" "$LAB_CACHE/sources"
printf 'VERSION = 7\nPATCHLEVEL = 2\nSUBLEVEL = 99\nEXTRAVERSION =\n' >"$tree/Makefile"
echo 'int panthor;' >"$tree/$PANTHOR_DIR/panthor_drv.c"
tar -cJf "$SCRATCH/deb/usr/src/linux-source-7.2.tar.xz" -C "$SCRATCH/tree" linux-7.2
printf 'Package: linux-source-7.2\nVersion: 7.2.99-1\nArchitecture: all\nMaintainer: lab <lab@example.org>\nDescription: test\n' >"$SCRATCH/deb/DEBIAN/control"
dpkg-deb --build "$SCRATCH/deb" "$SCRATCH/good.deb" >/dev/null
sum=$(file_sha256 "$SCRATCH/good.deb")
printf 'package=linux-source-7.2\nversion=7.2.99-1\nfile=kernel.deb\nsha256=%s\n' "$sum" >"$LAB_CACHE/sources/v7.2.resolved"
# The mirror of this test: fetched counts.
fetch_base() {
  echo fetched >>"$SCRATCH/fetches"
  cp "$SCRATCH/${MIRROR_HAS:-good.deb}" "$LAB_CACHE/downloads/kernel.deb"
}

cp "$SCRATCH/good.deb" "$LAB_CACHE/downloads/kernel.deb"
printf x | dd of="$LAB_CACHE/downloads/kernel.deb" bs=1 seek=100 conv=notrunc 2>/dev/null
resolve_source
expect_equal 7.2.99 "$SRC_VERSION" "fetched again and unpacked"
expect_equal 1 "$(wc -l <"$SCRATCH/fetches")" "fetched once"
expect_equal "$(panthor_manifest "$tree")" "$(cat "$SRC_PANTHOR")" "the driver's manifest"
resolve_source
expect_equal 1 "$(wc -l <"$SCRATCH/fetches")" "a second time from the cache"

rm -rf "$LAB_CACHE/sources/$SRC_KEY"
head -c 1000 "$SCRATCH/good.deb" >"$SCRATCH/bad.deb"
printf x | dd of="$LAB_CACHE/downloads/kernel.deb" bs=1 seek=100 conv=notrunc 2>/dev/null
status=0
(MIRROR_HAS=bad.deb && resolve_source) 2>"$SCRATCH/err" || status=$?
expect_equal "$EX_CORRUPT" "$status" "still corrupted: $(tail -n 1 "$SCRATCH/err")"
[ ! -e "$LAB_CACHE/sources/$SRC_KEY" ] || fail "a half-unpacked tree was left under its final name"
