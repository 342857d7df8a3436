#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A power cut on ext4, as GRUB sees it afterwards: GRUB does not replay the journal. Whenever the power goes, GRUB must read a whole file,
# and when a write is done, the new one. grub-fstest is GRUB's own reader.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/../lab/tests/support/helper.bash"
# shellcheck source=boot/tests/support/judge-disk.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/judge-disk.bash"
[ "$(id -u)" -eq 0 ] || { echo "needs root, to mount a file system" && exit 77; }
[ -n "${BOOTROOT:-}" ] || { echo "needs the root that ./lab test --only boot makes" && exit 77; }

DISK=$SCRATCH/disk CUT=$SCRATCH/cut
mkdir "$SCRATCH/mnt"
truncate -s 48M "$DISK"
mke2fs -q -t ext4 -m 0 "$DISK"
mount -o loop "$DISK" "$SCRATCH/mnt" 2>/dev/null || { echo "needs a loop device" && exit 77; }
trap 'umount "$SCRATCH/mnt"; rm -rf "$SCRATCH"' EXIT
mount -o remount,commit=600 "$SCRATCH/mnt" # nothing reaches its place by waiting
echo 0 >"/sys/fs/ext4/$(basename "$(findmnt -n -o SOURCE "$SCRATCH/mnt")")/reserved_clusters" # every block can be had

refuse() { fail "$*"; }
. "$LAB_ROOT/boot/grub/lib/files.sh"

# version N: a file of 200 kB that tells which it is, and whether it is whole.
version() { awk -v n="$1" 'BEGIN { for (i = 0; i < 100000; i++) print n }'; }

# grub_reads: the version GRUB finds after a power cut now; "damaged" if it is none.
grub_reads() {
  cp "$DISK" "$CUT"
  grub_fstest "$CUT" cat '(loop0)/grub.cfg' >"$SCRATCH/read" || true
  awk 'NR == 1 { v = $0 } $0 != v { bad = 1 } END { if (NR == 100000 && !bad) print v; else print "damaged" }' "$SCRATCH/read"
}

version 1 >"$SCRATCH/mnt/grub.cfg"
sync -f "$SCRATCH/mnt"
expect_equal 1 "$(grub_reads)" "the file as it is"

# fill: others at work on the same disk use every block that is free.
fill() {
  head -c 60M /dev/zero >"$SCRATCH/mnt/others" 2>/dev/null || true
  sync "$SCRATCH/mnt/others"
}

# What fsync alone does: the new name is in the journal, and GRUB reads the old file, whose blocks are anybody's.
version 2 >"$SCRATCH/mnt/partial"
sync "$SCRATCH/mnt/partial"
mv "$SCRATCH/mnt/partial" "$SCRATCH/mnt/grub.cfg"
sync "$SCRATCH/mnt"
expect_equal 1 "$(grub_reads)" "after fsync GRUB does not see it yet"
fill
expect_equal damaged "$(grub_reads)" "and then it reads what others wrote there"
rm "$SCRATCH/mnt/others"

# What put does, again and again.
for n in 3 4 5 6; do
  version "$n" | put "$SCRATCH/mnt/grub.cfg"
  expect_equal "$n" "$(grub_reads)" "after a write GRUB reads version $n"
  fill
  expect_equal "$n" "$(grub_reads)" "and still when the disk is full of something else"
  rm "$SCRATCH/mnt/others"
done
[ ! -e "$SCRATCH/mnt/.grub.cfg.kept" ] || fail "a second name is left over"
